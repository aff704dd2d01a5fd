//! A tool as a command that can be pasted.

use mcp_client::registry::Registered;
use mcp_client::schema::Parameter;

use crate::hint::{Hint, Own, mcpctl};

/// `mcpctl call ID required=TYPE`, and the optional parameters as `name=TYPE`.
#[derive(Debug, PartialEq)]
pub(crate) struct Signature {
    pub(crate) command: Hint,
    pub(crate) optional: Vec<String>,
}

/// The call of a tool, its required parameters filled with the names of their types.
pub(crate) fn signature(tool: &Registered, parameters: &[Parameter]) -> Signature {
    let (required, optional): (Vec<&Parameter>, Vec<&Parameter>) =
        parameters.iter().partition(|parameter| parameter.required);
    let call = mcpctl(["call"]).operand(tool.id.as_str());
    let mut command = Hint::from(required.into_iter().map(placeholder).fold(call, Own::operand));
    if !command.can_be_pasted() {
        // JSON has an escape for every character that a terminal cannot show.
        command = mcpctl(["call", "--args", "JSON"]).operand(tool.id.as_str()).into();
    }
    Signature { command, optional: optional.into_iter().map(placeholder).collect() }
}

/// `name=TYPE` for what is typed as a word, `name:=TYPE` for what is typed as JSON.
fn placeholder(parameter: &Parameter) -> String {
    let name = &parameter.name;
    match parameter.type_.as_str() {
        scalar @ ("string" | "integer" | "number" | "boolean") => format!("{name}={}", scalar.to_uppercase()),
        other if other.starts_with('"') => {
            // An enumeration: its first value is as good a placeholder as any, and valid.
            let first = other.trim_start_matches('"').split('"').next().unwrap_or_default();
            format!("{name}={first}")
        }
        _ => format!("{name}:=JSON"),
    }
}
