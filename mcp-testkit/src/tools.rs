//! Tools for the tests that are about something else.

use serde_json::{Value, json};

/// A small tool without parameters.
pub fn tool(name: &str, description: &str, read_only: bool) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": read_only},
    })
}

/// A tool as real servers describe theirs: a paragraph, and parameters with descriptions; about 1 KB.
pub fn ordinary_tool(number: usize) -> Value {
    let parameter = |name: &str| {
        json!({
            "type": "string",
            "description": format!("The {name} of entry {number}, as the administrator of the workspace wrote it down."),
        })
    };
    let names = ["owner", "repository", "branch", "path"];
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), parameter(name))).collect();
    json!({
        "name": format!("tool_{number}"),
        "title": format!("Tool {number}"),
        "description": format!("Changes entry {number} of the ledger. {}", "Use it when the entry is out of date. ".repeat(12)),
        "inputSchema": {"type": "object", "properties": properties, "required": ["owner", "repository"]},
        "annotations": {"readOnlyHint": number.is_multiple_of(2), "openWorldHint": false},
    })
}

/// That many ordinary tools.
pub fn ordinary_tools(count: usize) -> Value {
    (0..count).map(ordinary_tool).collect()
}
