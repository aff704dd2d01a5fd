//! Anthropic's Messages API, which withholds the schemas of tools marked `defer_loading`.
//!
//! All tools are sent with every request and those that are withheld take no part in the prompt; a search answers with
//! `tool_reference` blocks, which the API expands where they stand, so that the prompt cache stays valid. See the documentation
//! of the [tool search tool](https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{DeferredTools, Refusal, definition};

/// How many tools may be withheld in one request.
pub const MOST_WITHHELD: usize = 10_000;

/// Who finds withheld tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Search {
    /// This toolkit: the [resolver](DeferredTools::resolver) is among the tools, and its result holds [`references`].
    #[default]
    Own,
    /// The API, by words.
    Bm25,
    /// The API, by regular expressions.
    Regex,
}

impl Search {
    fn tool(self) -> Option<Value> {
        let name = match self {
            Self::Own => return None,
            Self::Bm25 => "tool_search_tool_bm25",
            Self::Regex => "tool_search_tool_regex",
        };
        Some(json!({"type": format!("{name}_20251119"), "name": name}))
    }
}

/// Returns a request's `tools`: the search, the loaded tools, the withheld ones.
///
/// # Errors
///
/// The [`Refusal`] that the API would answer with, as for [`check`].
pub fn tools(tools: DeferredTools, search: Search) -> Result<Value, Refusal> {
    let resolver = tools.resolver.filter(|_| search == Search::Own);
    let mut array: Vec<Value> = search.tool().into_iter().collect();
    array.extend(resolver.into_iter().chain(tools.loaded).map(|offer| definition("anthropic", offer)));
    array.extend(tools.deferred.into_values().flatten().map(|offer| {
        let mut tool = definition("anthropic", offer);
        tool["defer_loading"] = Value::Bool(true);
        tool
    }));
    check(&array)?;
    Ok(Value::Array(array))
}

/// Marks the last tool that is not withheld as the end of what the prompt cache keeps; tools before it are kept with it.
pub fn mark_cached(tools: &mut Value) {
    let last = tools.as_array_mut().and_then(|tools| tools.iter_mut().rev().find(|tool| !is_withheld(tool)));
    if let Some(tool) = last {
        tool["cache_control"] = json!({"type": "ephemeral"});
    }
}

/// Finds what the API would refuse a request's tools for with status 400:
///
/// 1. a tool without a name, or a name twice;
/// 2. a search tool that is withheld itself;
/// 3. `cache_control` on a withheld tool;
/// 4. more than [`MOST_WITHHELD`] withheld tools;
/// 5. withheld tools and no other.
///
/// # Errors
///
/// The first of these.
pub fn check(tools: &[Value]) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    let mut withheld = 0;
    for (position, tool) in tools.iter().enumerate() {
        let name = tool["name"].as_str().ok_or(Refusal::NoName { position })?;
        if !names.insert(name) {
            return Err(Refusal::RepeatedName { tool: name.to_owned() });
        }
        if !is_withheld(tool) {
            continue;
        }
        withheld += 1;
        if tool["type"].as_str().is_some_and(|kind| kind.starts_with("tool_search_tool_")) {
            return Err(Refusal::SearchWithheld { tool: name.to_owned() });
        }
        if tool.get("cache_control").is_some_and(|mark| !mark.is_null()) {
            return Err(Refusal::WithheldInCache { tool: name.to_owned() });
        }
    }
    if withheld > MOST_WITHHELD {
        return Err(Refusal::TooMany { found: withheld, most: MOST_WITHHELD });
    }
    if withheld > 0 && withheld == tools.len() {
        return Err(Refusal::NothingLoaded);
    }
    Ok(())
}

/// Returns the content of a search's `tool_result`: a `tool_reference` to each tool, or `text` where nothing was found.
///
/// # Errors
///
/// [`Refusal::UnknownReference`] for a tool that is not in `tools`, the request's array.
pub fn references<'a>(ids: impl IntoIterator<Item = &'a str>, text: &str, tools: &Value) -> Result<Value, Refusal> {
    let names: BTreeSet<&str> =
        tools.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    let reference = |id: &str| {
        if names.contains(id) {
            Ok(json!({"type": "tool_reference", "tool_name": id}))
        } else {
            Err(Refusal::UnknownReference { tool: id.to_owned() })
        }
    };
    let references: Vec<Value> = ids.into_iter().map(reference).collect::<Result<_, _>>()?;
    Ok(if references.is_empty() { json!([{"type": "text", "text": text}]) } else { Value::Array(references) })
}

fn is_withheld(tool: &Value) -> bool {
    tool["defer_loading"] == Value::Bool(true)
}

#[cfg(test)]
mod tests;
