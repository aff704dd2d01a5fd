//! From a reference and arguments to a tool's answer.

use mcp_registry::{Output, Registered, Resolution, Verdict};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::call::{Answer, Call, Question};
use crate::client::{Client, profile};
use crate::error::Error;

impl Client {
    /// Calls a tool and returns its output, whether the tool says it succeeded or failed.
    ///
    /// `tool` is an id, `server.tool`, or a bare name that only one tool has. For more say see [`Call`].
    ///
    /// # Errors
    ///
    /// As [`call_with`](Self::call_with).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future tells the server that the call is cancelled; what it has done by then stays done.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer, Error> {
        self.call_with(Call::new(tool, arguments)).await
    }

    /// Makes a call. In this order, each step only if the ones before it passed:
    ///
    /// 1. the reference is resolved, and never guessed at;
    /// 2. a model's arguments are decoded from the profile it was offered;
    /// 3. the arguments are checked against the tool's own schema;
    /// 4. the rules decide, and a person is asked where they say so;
    /// 5. the server is called, within its time limit (60 s without progress unless configured).
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTool`], [`Error::AmbiguousTool`], [`Error::UnknownProfile`], [`Error::Arguments`],
    /// [`Error::Denied`], [`Error::NotConnected`] or [`Error::Call`].
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn call_with(&self, call: Call) -> Result<Answer, Error> {
        let registered = self.resolve(&call)?;
        let arguments = self.prepare(&registered, &call)?;
        self.permit(&registered, &arguments, call.consented).await?;
        let server = self.server(&registered.server)?;
        let link = server.link().ok_or_else(|| Error::NotConnected { server: server.name().to_owned() })?;
        let arguments = verbatim(&arguments);
        let id = registered.id.as_str().to_owned();
        let failed = |source| Error::Call { tool: id.clone(), source };
        let calling = link.connection.call_tool(&registered.tool.name, Some(&*arguments));
        let raw = match call.timeout {
            None => calling.await.map_err(failed)?,
            Some(timeout) => tokio::time::timeout(timeout, calling)
                .await
                .map_err(|_elapsed| {
                    failed(mcp_transport::Error::Timeout { method: "tools/call".to_owned(), after: timeout })
                })?
                .map_err(failed)?,
        };
        Ok(Answer { output: Output::from_call_result(&raw), raw, tool: id })
    }

    fn resolve(&self, call: &Call) -> Result<Registered, Error> {
        let snapshot = self.tools();
        let resolution = match &call.server {
            Some(server) => snapshot.resolve_in(server, &call.tool),
            None => snapshot.resolve(&call.tool),
        };
        let reference = call.server.iter().chain([&call.tool]).cloned().collect::<Vec<_>>().join(".");
        match resolution {
            Resolution::Exact(registered) => Ok(registered.clone()),
            Resolution::Ambiguous(candidates) => Err(Error::AmbiguousTool {
                reference,
                candidates: candidates.iter().map(|tool| tool.id.as_str().to_owned()).collect(),
            }),
            Resolution::Unknown { nearest } => Err(Error::UnknownTool {
                reference,
                nearest: nearest.into_iter().map(str::to_owned).collect(),
                unavailable: self.unavailable(),
            }),
        }
    }

    /// Enabled servers without a connection, by name.
    fn unavailable(&self) -> Vec<String> {
        let servers = self.shared.servers.iter().filter(|server| server.resolved.enabled() && server.link().is_none());
        servers.map(|server| server.name().to_owned()).collect()
    }

    fn prepare(&self, registered: &Registered, call: &Call) -> Result<Value, Error> {
        let id = registered.id.as_str();
        let Some(schema) = self.known().schema(id) else { return Ok(call.arguments.clone()) };
        let arguments = match &call.profile {
            Some(profile) => schema.convert(&self::profile(profile)?).codec.decode(call.arguments.clone()),
            None => call.arguments.clone(),
        };
        match schema.validator().map(|validator| validator.validate(&arguments)) {
            Some(Err(violations)) => Err(Error::Arguments { tool: id.to_owned(), violations }),
            Some(Ok(())) | None => Ok(arguments),
        }
    }

    async fn permit(&self, registered: &Registered, arguments: &Value, consented: bool) -> Result<(), Error> {
        let decision = self.shared.rules.decide(&registered.request(arguments), self.shared.mode);
        let denied = || Error::Denied {
            tool: registered.id.as_str().to_owned(),
            because: decision.because.to_string(),
            remedy: decision.remedy.clone(),
        };
        match decision.verdict {
            Verdict::Allow => Ok(()),
            Verdict::Ask if consented => Ok(()),
            Verdict::Ask => {
                let question = Question {
                    server: registered.server.to_string(),
                    tool: registered.tool.name.clone(),
                    effect: registered.effect,
                    arguments: arguments.clone(),
                    because: decision.because.to_string(),
                };
                match &self.shared.approver {
                    Some(approver) if approver.approve(&question).await => Ok(()),
                    _ => Err(denied()),
                }
            }
            Verdict::Deny => Err(denied()),
        }
    }
}

fn verbatim(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a JSON value has string keys and nothing that fails to serialise")
}
