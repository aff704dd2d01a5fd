//! A tool as a command that can be pasted.

use mcp_client::registry::Registered;
use mcp_client::schema::Parameter;

/// `mcpctl call server.tool required=TYPE`, and the optional parameters as `name=TYPE`.
#[derive(Debug, PartialEq)]
pub(crate) struct Signature {
    pub(crate) command: String,
    pub(crate) optional: Vec<String>,
}

/// The call of a tool, its required parameters filled with the names of their types.
pub(crate) fn signature(tool: &Registered, parameters: &[Parameter]) -> Signature {
    let (required, optional): (Vec<&Parameter>, Vec<&Parameter>) =
        parameters.iter().partition(|parameter| parameter.required);
    let mut command = format!("mcpctl call {}", tool.id.as_str());
    for parameter in required {
        command.push(' ');
        command.push_str(&placeholder(parameter));
    }
    Signature { command, optional: optional.into_iter().map(placeholder).collect() }
}

/// `name=TYPE` for what is typed as a word, `name:=TYPE` for what is typed as JSON. A shell takes it as it is.
fn placeholder(parameter: &Parameter) -> String {
    let name = word(&parameter.name);
    match parameter.type_.as_str() {
        scalar @ ("string" | "integer" | "number" | "boolean") => format!("{name}={}", scalar.to_uppercase()),
        other if other.starts_with('"') => {
            // An enumeration: its first value is as good a placeholder as any, and valid.
            let first = other.trim_start_matches('"').split('"').next().unwrap_or_default();
            format!("{name}={}", word(first))
        }
        _ => format!("{name}:=JSON"),
    }
}

/// The text as one word of a POSIX shell.
fn word(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:@,+".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
