//! A connection to one server.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::http::ToolHeaders;
use crate::link::subject;
use crate::owned_tasks::OwnedTasks;
use crate::scope::Patience;
use crate::session::{Ask, Session};
use crate::tools::name_of;
use crate::{CallScope, Changes, Era, Error, Listing, Rejected, RpcError, Tool, listing, rounds, wire};

/// An established connection to one server.
///
/// Clones share the connection. When the last one is dropped everything ends at once: requests fail, streams close, a
/// server process is killed with its whole group, inside a runtime or outside. [`shutdown`](Self::shutdown) is the
/// polite way. A connection never reconnects to another process by itself; see [`Dialer`](crate::Dialer).
#[derive(Debug, Clone)]
pub struct Connection {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    session: Arc<Session>,
    /// Background tasks hold `session`, so its end must not depend on theirs.
    tasks: OwnedTasks,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.tasks.abort();
        self.session.link.release();
    }
}

/// What a server says it is. Server text, and no basis for decisions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The program's name.
    pub name: String,
    /// The program's version; empty when it does not say.
    #[serde(default)]
    pub version: String,
    /// A name for people.
    #[serde(default)]
    pub title: Option<String>,
}

impl Connection {
    pub(crate) fn new(session: Arc<Session>, tasks: OwnedTasks) -> Self {
        Self { inner: Arc::new(Inner { session, tasks }) }
    }

    /// Ties a background task to this connection.
    pub(crate) fn own(&self, task: tokio::task::AbortHandle) {
        self.inner.tasks.add(task);
    }

    fn session(&self) -> &Session {
        &self.inner.session
    }

    /// Lists every tool.
    ///
    /// All pages are fetched, within [`Limits::pages`](crate::Limits::pages) and
    /// [`Limits::items`](crate::Limits::items). A tool that cannot be used is in
    /// [`rejected`](Listing::rejected) and its neighbours are unaffected; over 2026-07-28 HTTP that includes tools with
    /// invalid `x-mcp-header` annotations, as the specification demands. A server that declares no tools has none.
    ///
    /// # Errors
    ///
    /// If the first page does not come: closed, timeout ([`Timeouts::list`](crate::Timeouts::list) for all pages
    /// together), refusal, malformed answer. Later failures are noted in [`incomplete`](Listing::incomplete).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request under way and has no other effect.
    pub async fn list_tools(&self) -> Result<Listing<Tool>, Error> {
        let session = self.session();
        let checks_headers = session.link.answers_in_place() && session.is_modern();
        let read = |raw: &RawValue, index: usize| {
            let tool = Tool::parse(raw, index)?;
            let is_read_only = tool.annotations.as_ref().and_then(|annotations| annotations.read_only);
            session.set_read_only(&tool.name, is_read_only == Some(true));
            if checks_headers {
                let headers = ToolHeaders::parse(&tool.input_schema);
                let reject = |reason| Rejected { index, name: Some(tool.name.clone()), reason };
                session.set_tool_headers(&tool.name, headers.map_err(reject)?);
            }
            Ok(tool)
        };
        self.list("tools/list", "tools", read).await
    }

    /// Lists every resource, as the server's JSON.
    ///
    /// # Errors
    ///
    /// As [`list_tools`](Self::list_tools).
    ///
    /// # Cancel safety
    ///
    /// A dropped future has no effect on the connection.
    pub async fn list_resources(&self) -> Result<Listing<Box<RawValue>>, Error> {
        self.list("resources/list", "resources", object).await
    }

    /// Lists every resource template, as the server's JSON.
    ///
    /// # Errors
    ///
    /// As [`list_tools`](Self::list_tools).
    ///
    /// # Cancel safety
    ///
    /// A dropped future has no effect on the connection.
    pub async fn list_resource_templates(&self) -> Result<Listing<Box<RawValue>>, Error> {
        self.list("resources/templates/list", "resources", object).await
    }

    /// Lists every prompt, as the server's JSON.
    ///
    /// # Errors
    ///
    /// As [`list_tools`](Self::list_tools).
    ///
    /// # Cancel safety
    ///
    /// A dropped future has no effect on the connection.
    pub async fn list_prompts(&self) -> Result<Listing<Box<RawValue>>, Error> {
        self.list("prompts/list", "prompts", object).await
    }

    async fn list<T>(
        &self,
        method: &str,
        capability: &str,
        read: impl FnMut(&RawValue, usize) -> Result<T, Rejected>,
    ) -> Result<Listing<T>, Error> {
        let sent = &self.session().options.sent;
        match listing::fetch(self.session(), method, read).await {
            Err(error) if listing::is_unsupported(self.session(), &error, capability) => Ok(Listing::default()),
            Ok(listing) => Ok(listing.scrubbed(sent)),
            Err(error) => Err(error.scrubbed(sent)),
        }
    }

    /// Calls a tool and returns its `CallToolResult` as the server's JSON.
    ///
    /// `arguments` is a JSON object, sent as it is. Questions the server asks in between go to the
    /// [`Handler`](crate::Handler); a call that becomes a task is polled to its end. A refusal because of mismatched
    /// headers (`-32020`) refreshes the tool list and tries once more. A result with `isError: true` is a result,
    /// whose text is without what the server was sent to keep: credentials and
    /// [secrets](crate::ConnectOptions::with_secrets). Any other result is the server's, byte by byte.
    ///
    /// # Errors
    ///
    /// Closed; timeout ([`Timeouts::call`](crate::Timeouts::call), anew with every progress notification, up to
    /// [`Timeouts::call_total`](crate::Timeouts::call_total) for all of it, questions included); refusal; malformed or
    /// oversized answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future tells the server that nobody waits (`notifications/cancelled`, the end of the HTTP
    /// exchange, or `tasks/cancel`). Whether the tool still acts is the server's business.
    pub async fn call_tool(&self, name: &str, arguments: Option<&RawValue>) -> Result<Box<RawValue>, Error> {
        self.call_tool_in(CallScope::default(), name, arguments).await
    }

    /// As [`call_tool`](Self::call_tool), with limits of this call's own.
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool), with the timeouts of `scope` where it has some.
    ///
    /// # Cancel safety
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn call_tool_in(
        &self,
        scope: CallScope,
        name: &str,
        arguments: Option<&RawValue>,
    ) -> Result<Box<RawValue>, Error> {
        let scope = scope.with_since(scope.since.unwrap_or_else(Instant::now));
        let patience = self.patience(scope);
        let calling = Box::pin(async {
            match self.call_tool_once(name, arguments, scope).await {
                Err(error) if error.rpc().is_some_and(|error| error.code == RpcError::HEADER_MISMATCH) => {
                    self.list_tools().await?;
                    self.call_tool_once(name, arguments, scope).await
                }
                outcome => outcome,
            }
        });
        let result = patience.hold("tools/call", calling).await.map_err(|error| self.scrubbed(error))?;
        Ok(self.session().options.sent.scrub_result(result))
    }

    async fn call_tool_once(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        scope: CallScope,
    ) -> Result<Box<RawValue>, Error> {
        let params = call_params(name, arguments)?;
        let ask = Ask {
            method: "tools/call",
            params: Some(&params),
            tracked: true,
            name: Some(name),
            headers: self.session().tool_headers(name, arguments),
            is_repeatable: scope.is_repeatable,
        };
        rounds::ask(self.session(), ask, self.patience(scope)).await
    }

    /// Sends any request and returns its result as the server's JSON: the raw lane.
    ///
    /// `params` is a JSON object; what the protocol adds to its `_meta` is added. Results that ask for input are
    /// completed as in [`call_tool`](Self::call_tool).
    ///
    /// # Errors
    ///
    /// As [`call_tool`](Self::call_tool), and [`Error::InvalidOption`] if `params` is no object.
    ///
    /// # Cancel safety
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn request(&self, method: &str, params: Option<&RawValue>) -> Result<Box<RawValue>, Error> {
        self.request_in(CallScope::default(), method, params).await
    }

    /// As [`request`](Self::request), with limits of this request's own.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request), with the timeouts of `scope` where it has some.
    ///
    /// # Cancel safety
    ///
    /// As [`call_tool`](Self::call_tool).
    pub async fn request_in(
        &self,
        scope: CallScope,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>, Error> {
        let subject = subject(method, params);
        let is_repeatable = scope.is_repeatable;
        let ask = Ask { method, params, tracked: true, name: subject.as_deref(), is_repeatable, ..Ask::default() };
        let result = rounds::ask(self.session(), ask, self.patience(scope)).await;
        let result = result.map_err(|error| self.scrubbed(error))?;
        Ok(self.session().options.sent.scrub_result(result))
    }

    /// Sends any notification, such as `notifications/roots/list_changed`, and waits until it is on its way.
    ///
    /// # Errors
    ///
    /// Closed, unreachable, [`Error::InvalidOption`] if `params` is no object, or
    /// [`Timeouts::call`](crate::Timeouts::call) while the server does not read.
    ///
    /// # Cancel safety
    ///
    /// A dropped future may or may not have sent it.
    pub async fn notify(&self, method: &str, params: Option<&RawValue>) -> Result<(), Error> {
        let session = self.session();
        let params = wire::with_meta(params, "")?;
        let limit = session.options.timeouts.call;
        let sending = session.link.notify(wire::notification(method, params.as_deref()));
        let late = |_late| Err(Error::Timeout { method: method.to_owned(), after: limit });
        tokio::time::timeout(limit, sending).await.unwrap_or_else(late).map_err(|error| self.scrubbed(error))
    }

    /// The error as callers see it: servers may quote what they were sent.
    fn scrubbed(&self, error: Error) -> Error {
        error.scrubbed(&self.session().options.sent)
    }

    fn patience(&self, scope: CallScope) -> Patience {
        scope.patience(&self.session().options.timeouts)
    }

    /// Measures a round trip: `ping`, or `server/discover` on 2026-07-28, which has no ping.
    ///
    /// # Errors
    ///
    /// If no answer comes within [`Timeouts::call`](crate::Timeouts::call), or the connection is closed. A refusal is
    /// an answer: the server is there.
    ///
    /// # Cancel safety
    ///
    /// A dropped future has no effect on the connection.
    pub async fn health(&self) -> Result<Duration, Error> {
        let session = self.session();
        let method = if session.is_modern() { "server/discover" } else { "ping" };
        let started = Instant::now();
        let patience = Patience::fixed(session.options.timeouts.call);
        match session.ask(Ask { method, ..Ask::default() }, patience).await {
            Ok(_) | Err(Error::Rpc { .. }) => Ok(started.elapsed()),
            Err(error) => Err(self.scrubbed(error)),
        }
    }

    /// Subscribes to what changes on the server's side, from now on. Any number of readers.
    pub fn changes(&self) -> Changes {
        let inbox = &self.session().inbox;
        inbox.changes.subscribe(inbox.is_closed())
    }

    /// The protocol version both sides speak, such as `2025-11-25`.
    pub fn protocol_version(&self) -> &str {
        self.session().peer().map_or("", |peer| peer.version.as_str())
    }

    /// The era that version belongs to.
    pub fn era(&self) -> Era {
        self.session().peer().map_or(Era::Legacy, |peer| peer.era)
    }

    /// What the server says it is, if it says so.
    pub fn server_info(&self) -> Option<&ServerInfo> {
        self.session().peer().and_then(|peer| peer.server.as_ref())
    }

    /// The server's advice for a model. Server text: untrusted.
    pub fn instructions(&self) -> Option<&str> {
        self.session().peer().and_then(|peer| peer.instructions.as_deref())
    }

    /// The server's capabilities as JSON, if it sent any.
    pub fn capabilities(&self) -> Option<&RawValue> {
        self.session().peer().and_then(|peer| peer.capabilities.as_deref())
    }

    /// The transport in use: `stdio`, `http` or `sse`.
    pub fn transport(&self) -> &'static str {
        self.session().link.name()
    }

    /// The id of the server process, which is also the id of its process group (Unix).
    pub fn process_id(&self) -> Option<u32> {
        self.session().link.process_id()
    }

    /// The last bytes the server wrote to stderr, at most [`Limits::stderr_tail`](crate::Limits::stderr_tail);
    /// empty without a process. Server text.
    pub fn stderr_tail(&self) -> String {
        self.session().options.sent.scrub(&self.session().link.stderr_tail()).into_owned()
    }

    /// How many lines and messages so far meant nothing to us: banners on stdout, answers nobody waited for.
    pub fn noise(&self) -> u64 {
        self.session().inbox.noise()
    }

    /// The beginning of the first line on stdout that was no message. Server text.
    pub fn unread(&self) -> Option<String> {
        self.session().inbox.unread().map(|line| self.session().options.sent.scrub(&line).into_owned())
    }

    /// True once the connection is over.
    ///
    /// Streamable HTTP is request by request: such a connection is over only after [`shutdown`](Self::shutdown), and
    /// [`health`](Self::health) tells whether the server is there.
    pub fn is_closed(&self) -> bool {
        self.session().inbox.is_closed()
    }

    /// Waits until the connection is over, and says why.
    ///
    /// # Cancel safety
    ///
    /// A dropped future loses nothing.
    pub async fn closed(&self) -> Error {
        let inbox = &self.session().inbox;
        inbox.closed().await;
        self.scrubbed(inbox.closed_error().unwrap_or_else(|| Error::closed("it ended")))
    }

    /// Ends the connection in an orderly way: over HTTP the session is deleted; a process is given the end of its
    /// input, then `SIGTERM`, then `SIGKILL`, each for [`Timeouts::shutdown`](crate::Timeouts::shutdown). Its whole
    /// group is gone afterwards. Waiting requests fail at once.
    ///
    /// # Cancel safety
    ///
    /// A dropped future leaves the rest to the drop of the connection, which kills what is left.
    pub async fn shutdown(&self) {
        self.inner.tasks.abort();
        self.session().link.shutdown(self.session().options.timeouts.shutdown).await;
    }
}

/// An element of a list whose shape is the caller's business.
fn object(raw: &RawValue, index: usize) -> Result<Box<RawValue>, Rejected> {
    if raw.get().starts_with('{') {
        return Ok(raw.to_owned());
    }
    let reason = format!("must be an object, found `{}`", wire::preview(raw.get(), 40));
    Err(Rejected { index, name: name_of(raw), reason })
}

fn call_params(name: &str, arguments: Option<&RawValue>) -> Result<Box<RawValue>, Error> {
    let invalid = |reason: String| Error::InvalidOption { option: "arguments", reason };
    let name = serde_json::Value::from(name);
    let text = match arguments {
        None => format!(r#"{{"name":{name}}}"#),
        Some(arguments) if arguments.get().starts_with('{') => {
            format!(r#"{{"name":{name},"arguments":{}}}"#, arguments.get())
        }
        Some(_) => return Err(invalid("must be a JSON object".to_owned())),
    };
    RawValue::from_string(text).map_err(|error| invalid(error.to_string()))
}
