//! The table of faults: one row per way a server can be wrong.

use serde_json::json;

use crate::{Script, Step};

/// One fault.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Row {
    /// What goes wrong, in kebab case.
    pub name: &'static str,
    /// How the server does it.
    pub script: Script,
}

impl Row {
    fn new(name: &'static str, script: Script) -> Self {
        Self { name, script }
    }
}

/// Every row that runs over stdio, in a fixed order.
pub fn rows() -> Vec<Row> {
    let legacy = Script::legacy;
    vec![
        Row::new("well-behaved", legacy()),
        Row::new("modern-only", Script::modern()),
        Row::new("silent-on-probe", legacy().on("server/discover", [])),
        Row::new("exits-on-probe", legacy().on("server/discover", [Step::Exit(7)])),
        Row::new(
            "tool-without-schema",
            legacy().on(
                "tools/list",
                [Step::Result(
                    json!({"tools": [{"name": "bad"}, {"name": "good", "inputSchema": {"type": "object"}}]}),
                )],
            ),
        ),
        Row::new("dies-at-once", legacy().at_start([Step::StderrLine("boom".to_owned()), Step::Exit(3)])),
        Row::new("grandchild", legacy().at_start([Step::Grandchild])),
    ]
}
