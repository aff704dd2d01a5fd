//! The arrays in which model providers take tools: the one owner of their shapes.
//!
//! A schema is converted by `mcp-schema`, which knows what each provider's validator accepts; this module knows only
//! the envelope around it.
//!
//! [`anthropic`] and [`openai`] are for hosts whose provider withholds schemas itself.

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub mod anthropic;
pub mod openai;

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

/// Tools for a provider that withholds schemas itself: which are in the prompt, and which are only found.
///
/// [`Conversation::deferred_tools`](crate::Conversation::deferred_tools) makes it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct DeferredTools {
    /// The tool by which a model asks this toolkit for withheld ones; `None` if nothing is withheld.
    pub resolver: Option<Offer>,
    /// The other tools that are in the prompt, by id.
    pub loaded: Vec<Offer>,
    /// The tools that are withheld, by server, each server's by id.
    pub deferred: BTreeMap<String, Vec<Offer>>,
}

impl DeferredTools {
    /// The withheld tools in order.
    pub fn withheld(&self) -> impl Iterator<Item = &Offer> {
        self.deferred.values().flatten()
    }
}

/// What a provider would answer with an error, found before it is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Every tool is withheld; there must be one by which the others are found.
    #[error("every tool is withheld, and none is left by which to find them")]
    NothingLoaded,
    /// The tool by which others are found is withheld itself.
    #[error("`{tool}` finds the other tools, and must not be withheld")]
    SearchWithheld {
        /// The tool.
        tool: String,
    },
    /// A tool is withheld and marked for the prompt cache, in which a withheld tool has no place.
    #[error("`{tool}` is withheld and cannot be marked with `cache_control`")]
    WithheldInCache {
        /// The tool.
        tool: String,
    },
    /// Two tools have the same name.
    #[error("two tools are called `{tool}`")]
    RepeatedName {
        /// The name.
        tool: String,
    },
    /// There are more withheld tools than the provider searches.
    #[error("{found} tools are withheld, more than the {most} that are searched")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A reference is to a tool that is not among the request's tools.
    #[error("`{tool}` is referred to and not among the tools")]
    UnknownReference {
        /// The name.
        tool: String,
    },
    /// An element of a tool array is not a tool.
    #[error("tool {position} of the array has no name")]
    NoName {
        /// Where it is, from 0.
        position: usize,
    },
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

/// One tool in the envelope of a profile, as an element of the array.
pub(crate) fn definition(profile: &str, offer: Offer) -> Value {
    wrap(Envelope::of(profile), offer)
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
mod tests;
