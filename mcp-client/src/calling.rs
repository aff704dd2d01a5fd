//! From a reference and arguments to a tool's answer.

use std::time::Duration;

use mcp_registry::{
    Answer as Reply, Because, Decision, Explanation, Failure, HeldTool, Outcome, Output, Registered, Request,
    Resolution, Verdict,
};
use mcp_schema::Violation;
use mcp_transport::CallScope;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use crate::audit::Entry;
use crate::call::{Answer, Call, Consent, Question};
use crate::client::{Client, pointer};
use crate::error::Error;
use crate::permissions;
use crate::remedy::Remedy;

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
    /// 3. the arguments are checked against the tool's own schema; a `null` that it does not accept for an optional
    ///    parameter, which is what models send for want of a value, counts as not given;
    /// 4. the rules decide, and a person is asked where they say so;
    /// 5. the server is called, within its time limit (60 s without progress unless configured); a connection that has ended
    ///    is made anew, and a read-only call is made again where it did not get through (a lost connection, HTTP 502, 503 or
    ///    504), and once more where its answer was lost;
    /// 6. how it ended is written to the audit log.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownTool`], [`Error::AmbiguousTool`], [`Error::Held`], [`Error::UnknownProfile`], [`Error::Arguments`],
    /// [`Error::Denied`], [`Error::NotConnected`] or [`Error::Call`].
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn call_with(&self, call: Call) -> Result<Answer, Error> {
        let registered = self.resolve(&call)?;
        let arguments = self.prepare(&registered, &call)?;
        let request = registered.request(&arguments);
        let decision = self.decide(&request);
        let entry = Entry::new(self.shared.audit.as_ref(), &request, &decision);
        if let Err(denied) = self.permit(&registered, &arguments, &decision, call.consent).await {
            entry.close(Outcome::Refused);
            return Err(denied);
        }
        let scope = CallScope::default().with_since(Instant::now());
        let scope = call.timeout.map_or(scope, |timeout| scope.within(timeout));
        let answer = self.within(call.timeout, &registered, self.attempt(&registered, &arguments, scope)).await;
        entry.close(outcome(&answer));
        answer
    }

    /// Which rule would decide a call, where it stands, and what would change that. Nothing is called.
    ///
    /// # Errors
    ///
    /// As [`call_with`](Self::call_with) for the reference and the profile.
    pub fn explain(&self, call: &Call) -> Result<Explanation, Error> {
        let registered = self.resolve(call)?;
        Ok(self.rules().explain(&registered.request(&call.arguments), self.shared.mode))
    }

    async fn within(
        &self,
        timeout: Option<Duration>,
        registered: &Registered,
        calling: impl Future<Output = Result<Answer, Error>>,
    ) -> Result<Answer, Error> {
        let Some(timeout) = timeout else { return calling.await };
        match tokio::time::timeout(timeout, calling).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(Error::Call {
                server: (*registered.server).into(),
                tool: registered.id.as_str().into(),
                source: mcp_transport::Error::Timeout { method: "tools/call".to_owned(), after: timeout },
            }),
        }
    }

    /// Calls, and calls once more where that cannot do harm: a read-only tool whose answer was lost.
    async fn attempt(&self, registered: &Registered, arguments: &Value, scope: CallScope) -> Result<Answer, Error> {
        let arguments = verbatim(arguments);
        let may_repeat = registered.effect.may_retry(1, Failure::Transient);
        let scope = if may_repeat { scope.repeatable() } else { scope };
        let mut attempts = 0;
        loop {
            let error = match self.attempt_once(registered, &arguments, scope).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            attempts += 1;
            if !registered.effect.may_retry(attempts, failure(&error)) {
                return Err(error);
            }
        }
    }

    /// Calls over the server's connection; one that has ended is made anew first, as nothing was sent on it yet.
    async fn attempt_once(
        &self,
        registered: &Registered,
        arguments: &RawValue,
        scope: CallScope,
    ) -> Result<Answer, Error> {
        let server = self.server(&registered.server)?;
        if server.link().is_none() {
            self.start_server(server.name()).await?;
        }
        let link = server.living_link()?;
        let tool = registered.id.as_str().to_owned();
        match link.connection.call_tool_in(scope, &registered.tool.name, Some(arguments)).await {
            Ok(raw) => Ok(Answer { output: Output::from_call_result(&raw), raw, tool }),
            Err(source) => Err(Error::Call { server: server.name().into(), tool: tool.into(), source }),
        }
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
            Resolution::Held(held) => Err(self.held(&reference, &held)),
            Resolution::Unknown { nearest } => Err(Error::UnknownTool {
                reference,
                nearest: nearest.into_iter().map(str::to_owned).collect(),
                unavailable: self.unavailable(),
            }),
        }
    }

    /// Why the tools that a reference means may not be called.
    fn held(&self, reference: &str, held: &[&HeldTool]) -> Error {
        let [tool] = held else {
            let candidates = held.iter().map(|tool| tool.id.as_str().to_owned()).collect();
            return Error::AmbiguousTool { reference: reference.to_owned(), candidates };
        };
        let drift = self.drift(&tool.server).ok().flatten().unwrap_or_default();
        Error::Held {
            server: tool.server.to_string(),
            tool: tool.name.clone(),
            because: crate::pins::because(&drift, &tool.name),
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
            Some(profile) => schema.convert(&crate::client::profile(profile)?).codec.decode(call.arguments.clone()),
            None => call.arguments.clone(),
        };
        // Without a validator the server is the only judge.
        let Some(validator) = schema.validator() else { return Ok(arguments) };
        let Err(violations) = validator.validate(&arguments) else { return Ok(arguments) };
        let known = |name: &str| schema.parameters().iter().any(|parameter| parameter.name == name);
        match without_refused_nulls(arguments, &violations, known).filter(|rest| validator.validate(rest).is_ok()) {
            Some(rest) => Ok(rest),
            None => Err(Error::Arguments { tool: id.to_owned(), violations }),
        }
    }

    fn decide(&self, request: &Request<'_>) -> Decision {
        self.rules().decide(request, self.shared.mode)
    }

    async fn permit(
        &self,
        registered: &Registered,
        arguments: &Value,
        decision: &Decision,
        consent: Consent,
    ) -> Result<(), Error> {
        if decision.verdict == Verdict::Allow || is_answered(decision, consent) {
            return Ok(());
        }
        let reply = match (&self.shared.approver, decision.verdict) {
            (Some(approver), Verdict::Ask) => approver.approve(&question(registered, arguments, decision)).await,
            _ => Reply::Deny,
        };
        if reply == Reply::Deny {
            return Err(Error::Denied {
                tool: registered.id.as_str().to_owned(),
                because: decision.because.to_string(),
                remedies: decision.remedies.iter().cloned().map(Remedy::from).collect(),
            });
        }
        self.remember(&registered.request(arguments), reply)
    }

    /// Keeps an answer for as long as it was given: a longer one becomes a rule.
    fn remember(&self, request: &Request<'_>, reply: Reply) -> Result<(), Error> {
        if reply == Reply::Once {
            return Ok(());
        }
        let rule = self.rules().answer(request, reply);
        if let Some(rule) = rule {
            permissions::write(&self.shared.configuration.environment, &rule)?;
        }
        Ok(())
    }
}

/// Whether the person's consent answers the question, if there is one.
fn is_answered(decision: &Decision, consent: Consent) -> bool {
    match decision.because {
        _ if decision.verdict != Verdict::Ask => false,
        // Whoever asked for the call may not have seen that the tool is another since it was approved.
        Because::Standing(_) => false,
        _ if decision.asks_by_rule() => consent >= Consent::Confirmed,
        _ => consent >= Consent::Wanted,
    }
}

fn question(registered: &Registered, arguments: &Value, decision: &Decision) -> Question {
    Question {
        server: registered.server.to_string(),
        tool: registered.tool.name.clone(),
        effect: registered.effect,
        arguments: arguments.clone(),
        because: decision.because.to_string(),
        answers: decision.answers(),
    }
}

/// Whether the same call may succeed if it is made again. What did not get through has been tried again by the transport.
fn failure(error: &Error) -> Failure {
    let transient = |error: &mcp_transport::Error| {
        let broke_down = error.http_status().is_some_and(|status| status >= 500 && !matches!(status, 502..=504));
        error.is_timeout() || error.is_closed() || broke_down
    };
    if error.transport().is_some_and(transient) { Failure::Transient } else { Failure::Permanent }
}

fn outcome(answer: &Result<Answer, Error>) -> Outcome {
    match answer {
        Ok(answer) if answer.is_error() => Outcome::ToolError,
        Ok(_) => Outcome::Succeeded,
        Err(error) if error.is_timeout() => Outcome::TimedOut,
        Err(_) => Outcome::Failed,
    }
}

/// The arguments without the known parameters that are `null` and refused for it; `None` if there are none.
fn without_refused_nulls(arguments: Value, violations: &[Violation], known: impl Fn(&str) -> bool) -> Option<Value> {
    let Value::Object(mut members) = arguments else { return None };
    let before = members.len();
    members.retain(|name, value| {
        let place = pointer(name);
        !(value.is_null() && known(name) && violations.iter().any(|violation| violation.path == place))
    });
    (members.len() < before).then_some(Value::Object(members))
}

fn verbatim(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a JSON value has string keys and nothing that fails to serialise")
}
