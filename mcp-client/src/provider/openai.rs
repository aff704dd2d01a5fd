//! `OpenAI`'s Responses API, which withholds the schemas of functions marked `defer_loading`.
//!
//! Withheld functions stand in one `namespace` a server, the surface that its models were trained to search: of a namespace
//! the model sees name and description only. What is found is put at the end of the context, so that the prompt cache stays
//! valid. See the guide to [tool search](https://developers.openai.com/api/docs/guides/tools-tool-search). Chat Completions
//! has no such thing, and endpoints that only resemble `OpenAI`'s may not know namespaces.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{DeferredTools, Offer, Refusal};

/// How much of a server's name its namespace keeps, in characters; a name may have 64, and a number may follow.
const NAME_CHARACTERS: usize = 56;

/// Who finds withheld functions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Search {
    /// This toolkit: the host is sent a `tool_search_call` with the arguments of the [resolver](DeferredTools::resolver), and
    /// answers with [`search_output`]. Withheld definitions are not sent before.
    #[default]
    Own,
    /// The API. It is sent every definition, and shows the model those that it finds.
    Hosted,
}

/// Returns a request's `tools`: the loaded functions, the withheld ones in namespaces if the API is to find them, the search.
///
/// # Errors
///
/// [`Refusal::RepeatedName`].
pub fn tools(tools: DeferredTools, search: Search) -> Result<Value, Refusal> {
    let mut names = BTreeSet::new();
    for Offer { id, .. } in tools.loaded.iter().chain(tools.withheld()) {
        if !names.insert(id.as_str()) {
            return Err(Refusal::RepeatedName { tool: id.clone() });
        }
    }
    let namespaces = Namespaces::of(&tools);
    let mut array: Vec<Value> = tools.loaded.into_iter().map(function).collect();
    match (search, tools.resolver) {
        (Search::Hosted, _) => {
            let withheld = !tools.deferred.is_empty();
            array.extend(tools.deferred.into_iter().map(|(server, offers)| namespaces.wrap(&server, offers)));
            array.extend(withheld.then(|| json!({"type": "tool_search"})));
        }
        (Search::Own, Some(Offer { description, schema, .. })) => array.push(json!({
            "type": "tool_search",
            "execution": "client",
            "description": description,
            "parameters": schema,
        })),
        (Search::Own, None) => {}
    }
    Ok(Value::Array(array))
}

/// Returns the input item that answers the `tool_search_call` with this `call_id`: the definitions of the tools found, in
/// namespaces by server.
///
/// # Errors
///
/// [`Refusal::UnknownReference`] for a tool that is not among those withheld.
pub fn search_output<'a>(
    call_id: &str,
    ids: impl IntoIterator<Item = &'a str>,
    tools: &DeferredTools,
) -> Result<Value, Refusal> {
    let mut found: Vec<(&str, Vec<Offer>)> = Vec::new();
    for id in ids {
        let of_server = |offers: &'_ [Offer]| offers.iter().find(|offer| offer.id == id).cloned();
        let hit = tools.deferred.iter().find_map(|(server, offers)| Some((server.as_str(), of_server(offers)?)));
        let Some((server, offer)) = hit else { return Err(Refusal::UnknownReference { tool: id.to_owned() }) };
        match found.iter_mut().find(|(name, _)| *name == server) {
            Some((_, offers)) => offers.push(offer),
            None => found.push((server, vec![offer])),
        }
    }
    let namespaces = Namespaces::of(tools);
    let found: Vec<Value> = found.into_iter().map(|(server, offers)| namespaces.wrap(server, offers)).collect();
    Ok(json!({
        "type": "tool_search_output",
        "call_id": call_id,
        "execution": "client",
        "status": "completed",
        "tools": found,
    }))
}

/// A function as the Responses API has it, which unlike Chat Completions puts no object around it.
fn function(Offer { id, description, schema }: Offer) -> Value {
    json!({"type": "function", "name": id, "description": description, "parameters": schema})
}

/// What the namespaces of the servers are called, no two alike.
struct Namespaces(BTreeMap<String, String>);

impl Namespaces {
    fn of(tools: &DeferredTools) -> Self {
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for server in tools.deferred.keys() {
            let plain = plain_name(server);
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
            let name = free.expect("there are more numbers than servers");
            taken.insert(name.clone());
            names.insert(server.clone(), name);
        }
        Self(names)
    }

    fn wrap(&self, server: &str, offers: Vec<Offer>) -> Value {
        let deferred = |offer| {
            let mut function = function(offer);
            function["defer_loading"] = Value::Bool(true);
            function
        };
        json!({
            "type": "namespace",
            "name": self.0.get(server),
            "description": format!("The tools of the MCP server {server}."),
            "tools": offers.into_iter().map(deferred).collect::<Vec<Value>>(),
        })
    }
}

/// A server's name with every character replaced that a name may not have: letters, digits, `_` and `-` remain.
fn plain_name(server: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    server.chars().take(NAME_CHARACTERS).map(|character| if is_plain(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests;
