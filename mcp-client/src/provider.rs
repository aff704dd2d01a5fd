//! The arrays in which model providers take tools: the one owner of their shapes.
//!
//! A schema is converted by `mcp-schema`, which knows what each provider's validator accepts; this module knows only
//! the envelope around it.

use serde_json::{Value, json};

/// One tool, ready to be offered to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The registered id, which is the name the model calls.
    pub id: String,
    /// What the tool does, in its server's words.
    pub description: String,
    /// The input schema, converted for the provider.
    pub schema: Value,
}

/// The envelope of a provider's tool array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Envelope {
    /// `{name, description, input_schema}`:
    /// <https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use>.
    Anthropic { strict: bool },
    /// `{type: "function", function: {…}}` of Chat Completions, which most other providers speak too:
    /// <https://platform.openai.com/docs/guides/function-calling>.
    Function { strict: bool },
    /// `{functionDeclarations: [{name, description, <key>}]}`: <https://ai.google.dev/gemini-api/docs/function-calling>.
    Gemini { key: &'static str },
    /// `{toolSpec: {name, description, inputSchema: {json}}}`:
    /// <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html>.
    Bedrock,
    /// `{name, description, inputSchema}`, as MCP itself lists tools:
    /// <https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool>.
    Mcp,
}

impl Envelope {
    /// The envelope of a built-in schema profile.
    fn of(profile: &str) -> Self {
        match profile {
            "anthropic" => Self::Anthropic { strict: false },
            "anthropic-strict" => Self::Anthropic { strict: true },
            "openai-strict" | "deepseek-strict" => Self::Function { strict: true },
            "gemini" => Self::Gemini { key: "parameters" },
            "gemini-json-schema" => Self::Gemini { key: "parametersJsonSchema" },
            "bedrock-nova" => Self::Bedrock,
            "json-schema-2020-12" | "portable" => Self::Mcp,
            _ => Self::Function { strict: false },
        }
    }
}

/// Returns the value of a request's `tools` for the schema profile with this id, tools in the order given.
///
/// Profiles this module does not know by name get the envelope of Chat Completions, the field's common one.
pub fn tool_array(profile: &str, offers: Vec<Offer>) -> Value {
    let envelope = Envelope::of(profile);
    if let Envelope::Gemini { key } = envelope {
        let declarations: Vec<Value> = offers
            .into_iter()
            .map(|Offer { id, description, schema }| json!({"name": id, "description": description, key: schema}))
            .collect();
        return json!([{ "functionDeclarations": declarations }]);
    }
    offers.into_iter().map(|offer| wrap(envelope, offer)).collect()
}

fn wrap(envelope: Envelope, Offer { id, description, schema }: Offer) -> Value {
    match envelope {
        Envelope::Anthropic { strict } => {
            let mut tool = json!({"name": id, "description": description, "input_schema": schema});
            mark_strict(&mut tool, strict);
            tool
        }
        Envelope::Function { strict } => {
            let mut function = json!({"name": id, "description": description, "parameters": schema});
            mark_strict(&mut function, strict);
            json!({"type": "function", "function": function})
        }
        Envelope::Bedrock => {
            json!({"toolSpec": {"name": id, "description": description, "inputSchema": {"json": schema}}})
        }
        Envelope::Gemini { key } => json!({"name": id, "description": description, key: schema}),
        Envelope::Mcp => json!({"name": id, "description": description, "inputSchema": schema}),
    }
}

fn mark_strict(tool: &mut Value, strict: bool) {
    if strict {
        tool["strict"] = Value::Bool(true);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(profile: &str, expected: &Expect) {
        let offer = Offer { id: "mcp__s__t".into(), description: "Does it.".into(), schema: json!({"type": "object"}) };
        expected.assert_eq(&tool_array(profile, vec![offer]).to_string());
    }

    #[test]
    fn envelopes() {
        check(
            "anthropic",
            &expect![[r#"[{"name":"mcp__s__t","description":"Does it.","input_schema":{"type":"object"}}]"#]],
        );
        check(
            "openai-strict",
            &expect![[
                r#"[{"type":"function","function":{"name":"mcp__s__t","description":"Does it.","parameters":{"type":"object"},"strict":true}}]"#
            ]],
        );
        check(
            "gemini",
            &expect![[
                r#"[{"functionDeclarations":[{"name":"mcp__s__t","description":"Does it.","parameters":{"type":"object"}}]}]"#
            ]],
        );
        check(
            "bedrock-nova",
            &expect![[
                r#"[{"toolSpec":{"name":"mcp__s__t","description":"Does it.","inputSchema":{"json":{"type":"object"}}}}]"#
            ]],
        );
        check(
            "portable",
            &expect![[r#"[{"name":"mcp__s__t","description":"Does it.","inputSchema":{"type":"object"}}]"#]],
        );
    }
}
