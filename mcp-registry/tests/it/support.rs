//! What several modules need.

use mcp_registry::{NameStyle, Registry, ServerTools, SettingsEdit, Tool};
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

/// Returns the settings after these steps, which a host would take in its file.
pub(crate) fn settings_after(text: &str, steps: &[SettingsEdit]) -> String {
    let mut document: Value = if text.is_empty() { json!({}) } else { serde_json::from_str(text).expect("JSON") };
    for step in steps {
        let (SettingsEdit::Include { list: path, .. }
        | SettingsEdit::Exclude { list: path, .. }
        | SettingsEdit::Set { member: path, .. }
        | SettingsEdit::Unset { member: path }) = step;
        let (last, parents) = path.split_last().expect("a path");
        let parent = parents.iter().fold(&mut document, |value, key| {
            if value[key].is_null() {
                value[key] = json!({});
            }
            &mut value[key]
        });
        let members = parent.as_object_mut().expect("an object");
        let is_json = |value: &Value, item: &str| serde_json::from_str::<Value>(item).is_ok_and(|item| item == *value);
        match step {
            SettingsEdit::Include { item, .. } => {
                let items = members.entry(last).or_insert(json!([])).as_array_mut().expect("a list");
                if !items.contains(&json!(item)) {
                    items.push(json!(item));
                }
            }
            SettingsEdit::Exclude { item, .. } => match members.get_mut(last) {
                Some(Value::Array(items)) => {
                    items.retain(|found| found.as_str().map_or_else(|| !is_json(found, item), |text| text != item));
                }
                Some(other) if is_json(other, item) => drop(members.remove(last)),
                _ => {}
            },
            SettingsEdit::Set { text, .. } => drop(members.insert(last.clone(), json!(text))),
            SettingsEdit::Unset { .. } => drop(members.remove(last)),
        }
    }
    document.to_string()
}
