//! What a model's tool use comes to.

use mcp_search::{Resolution, ResolveRequest, Surroundings, ToolResolver};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Conversation, ToolList};
use crate::call::{Answer, Call};
use crate::client::Client;
use crate::error::{Error, chain};
use crate::provider;

/// What a model gets back for one use of a tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The text for the model. Parts of it may be a server's.
    pub text: String,
    /// Whether something went wrong, and the text says what.
    pub is_error: bool,
    /// What happened, for the host.
    pub outcome: Outcome,
}

/// What came of one use of a tool.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Tools were looked for.
    Resolved(Resolution),
    /// A server answered; the model sees its text shortened if it is long.
    Called(Answer),
    /// The model read on in a shortened output.
    Read,
    /// Nothing was called.
    Failed(Error),
}

/// What a model gives to the tool that calls others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proxied {
    name: String,
    #[serde(default)]
    arguments: Option<Value>,
}

impl Conversation {
    /// Answers one use of a tool by the model. Failure is an answer too, so that the model can try something else.
    ///
    /// A tool that is withheld may be called without having been resolved, by a model that knows it; if its arguments do not fit,
    /// its definition is loaded together with the answer that says so.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call`](crate::Client::call). Tools are resolved at once or not at all.
    pub async fn answer(&mut self, name: &str, arguments: Value) -> Reply {
        match name {
            ToolResolver::NAME => self.resolve(arguments).await,
            Self::CALL_TOOL => match Proxied::deserialize(arguments) {
                Ok(Proxied { name, arguments }) => self.call(&name, arguments.unwrap_or_else(|| json!({}))).await,
                Err(source) => Reply::failed(Error::Request { tool: name.to_owned(), source }),
            },
            Client::OUTPUT_TOOL => match self.client.read_output(&self.session, arguments) {
                Ok(text) => Reply { is_error: false, outcome: Outcome::Read, text },
                Err(error) => Reply::failed(error),
            },
            name => self.call(name, arguments).await,
        }
    }

    async fn resolve(&mut self, arguments: Value) -> Reply {
        let request: ResolveRequest = match serde_json::from_value(arguments) {
            Ok(request) => request,
            Err(source) => return Reply::failed(Error::Request { tool: ToolResolver::NAME.to_owned(), source }),
        };
        let meaning = self.client.meaning(request.query.as_deref().unwrap_or_default()).await;
        let pending = self.client.connecting();
        let offered = self.client.offered_ids();
        let filter = |id: &str| offered.contains(id);
        let resolved = {
            let mut known = self.client.known();
            let surroundings =
                Surroundings { index: known.index(), filter: &filter, dense: meaning.as_dense(), pending: &pending };
            self.resolver.resolve(&request, &surroundings)
        };
        match resolved {
            Ok(resolution) => self.deliver(resolution),
            Err(source) => Reply::failed(Error::Search { source }),
        }
    }

    fn deliver(&mut self, resolution: Resolution) -> Reply {
        let text = match self.options.tool_list {
            ToolList::Grows => {
                for tool in &resolution.tools {
                    self.load(&tool.id);
                }
                resolution.to_string()
            }
            ToolList::Fixed => resolution.with_definitions(Self::CALL_TOOL, &|id| self.definition(id)),
        };
        // Tools that may yet come are no failure, and neither is a question back.
        let is_error = resolution.tools.is_empty() && resolution.ambiguous.is_empty() && resolution.pending.is_empty();
        Reply { text, is_error, outcome: Outcome::Resolved(resolution) }
    }

    /// A tool's definition as the conversation's profile takes it, on one line.
    fn definition(&self, id: &str) -> Option<String> {
        let snapshot = self.client.tools();
        let offer = self.convert(snapshot.tool(id)?)?;
        Some(provider::definition(&self.profile_id, offer).to_string())
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Reply {
        let call = Call::new(name, arguments).for_profile(self.profile_id.as_str());
        match self.client.call_with(call).await {
            Ok(answer) => {
                let whole = answer.text();
                let text = self.client.shorten(&self.session, whole.clone());
                if text != whole {
                    self.offer_outputs();
                }
                Reply { text, is_error: answer.is_error(), outcome: Outcome::Called(answer) }
            }
            Err(error) => {
                let mut reply = Reply::failed(self.discreet(error));
                if let Outcome::Failed(Error::Arguments { tool, .. }) = &reply.outcome {
                    reply.text.extend(self.explain_unseen(&tool.clone()));
                }
                reply
            }
        }
    }

    /// Takes the tools that this model is not offered out of what an error suggests.
    fn discreet(&self, mut error: Error) -> Error {
        let snapshot = self.client.tools();
        let is_offered = |id: &String| snapshot.tool(id).is_some_and(|tool| self.client.is_offered(tool));
        match &mut error {
            Error::UnknownTool { nearest, unavailable, .. } => {
                nearest.retain(is_offered);
                *unavailable = self.client.connecting();
            }
            Error::AmbiguousTool { candidates, .. } => candidates.retain(is_offered),
            _ => {}
        }
        error
    }

    /// Loads a tool that was called unseen, and says so.
    fn explain_unseen(&mut self, id: &str) -> Option<String> {
        match self.options.tool_list {
            ToolList::Grows if self.known.contains(id) => None,
            ToolList::Grows => {
                self.load(id);
                Some("\nIts definition is loaded now.".to_owned())
            }
            ToolList::Fixed => self.definition(id).map(|definition| format!("\nIts definition: {definition}")),
        }
    }
}

impl Reply {
    fn failed(error: Error) -> Self {
        let mut parts = vec![chain(&error)];
        let mut list = |what: &str, names: &[String]| {
            if !names.is_empty() {
                parts.push(format!("{what}: {}", names.join(", ")));
            }
        };
        match &error {
            Error::UnknownTool { nearest, unavailable, .. } => {
                list("the most similar names", nearest);
                list("still connecting, it may yet come", unavailable);
            }
            Error::AmbiguousTool { candidates, .. } => list("it is one of", candidates),
            _ => {}
        }
        Self { text: parts.join("; "), is_error: true, outcome: Outcome::Failed(error) }
    }
}
