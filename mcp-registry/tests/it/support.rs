//! What several modules need.

use mcp_registry::{NameStyle, Registry, ServerTools, Tool};
use serde_json::{Value, json};

/// Returns a tool as a server would describe it.
pub(crate) fn tool_from(definition: &Value) -> Tool {
    let raw = serde_json::value::to_raw_value(definition).expect("a literal serialises");
    let (tool, problems) = Tool::parse(raw).expect("the definition has a name");
    assert_eq!(problems, [], "{definition}");
    tool
}

/// Returns a tool of this name without annotations.
pub(crate) fn tool(name: &str) -> Tool {
    tool_from(&json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}}))
}

/// Returns a tool that calls itself read-only.
pub(crate) fn read_only(name: &str) -> Tool {
    tool_from(&json!({
        "name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}
    }))
}

/// Returns a server of the user's own with mutating tools of these names.
pub(crate) fn server(name: &str, tools: &[&str]) -> ServerTools {
    ServerTools::new(name, "sha256:1", tools.iter().map(|name| tool(name)).collect()).trusting_annotations()
}

/// Returns a registry with these servers.
pub(crate) fn registry(servers: impl IntoIterator<Item = ServerTools>) -> Registry {
    let mut registry = Registry::new(NameStyle::default());
    for server in servers {
        let change = registry.replace_server(server);
        assert_eq!(change.problems, []);
    }
    registry
}

/// Returns ids as plain text, to compare with literals.
pub(crate) fn ids<T: ToString>(ids: impl IntoIterator<Item = T>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}
