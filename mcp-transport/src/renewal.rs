//! A session that the server forgot: one new handshake, and the request again where that is safe.
//!
//! Servers say it in many ways: 404 as the specification wants it, 400, 503, a JSON-RPC error in the words of their SDK. So
//! any refusal of a request that carried a session may mean it, once: what the new session refuses in the same way is the
//! request's own fault.

use std::collections::VecDeque;

use serde_json::value::RawValue;

use crate::link::Repeat;
use crate::scope::Patience;
use crate::session::{Ask, Session};
use crate::{Change, Error, RpcError};

/// So many requests that are refused in any session are remembered.
const OWN: usize = 64;

/// How sessions came and went.
#[derive(Debug, Default)]
pub(crate) struct Renewals {
    /// Counts handshakes after the first.
    count: u64,
    /// The old session is gone and there is no new one: the handshake failed.
    is_lost: bool,
}

/// Refusals that have nothing to do with the session: what was refused, and how.
#[derive(Debug, Default)]
pub(crate) struct OwnRefusals(VecDeque<(String, Kind)>);

impl OwnRefusals {
    fn note(&mut self, request: String, kind: Kind) {
        if !self.contains(&request, kind) {
            self.0.push_back((request, kind));
            if self.0.len() > OWN {
                self.0.pop_front();
            }
        }
    }

    fn contains(&self, request: &str, kind: Kind) -> bool {
        self.0.iter().any(|(known, how)| known == request && *how == kind)
    }

    /// Whether something about a request was refused in any session.
    fn concern(&self, request: &str) -> bool {
        self.0.iter().any(|(known, _)| known == request)
    }

    /// A request that was answered may be refused for another reason next time.
    fn forget(&mut self, request: &str) {
        self.0.retain(|(known, _)| known != request);
    }
}

/// How a request was refused: the HTTP status and the code, as far as there are any.
type Kind = (Option<u16>, Option<i64>);

impl Session {
    /// Asks and waits; opens a new session, once, when the refusal may mean that the server forgot this one.
    ///
    /// All of it ends with `patience`, also waiting for a session that somebody else opens.
    pub(crate) async fn ask(&self, ask: Ask<'_>, patience: Patience) -> Result<Box<RawValue>, Error> {
        patience.hold(ask.method, Box::pin(self.ask_in_session(&ask, patience))).await
    }

    async fn ask_in_session(&self, ask: &Ask<'_>, patience: Patience) -> Result<Box<RawValue>, Error> {
        let generation = self.current_session(patience).await?;
        let had_session = self.link.has_session();
        let request = what(ask);
        let is_repeatable = self.is_repeatable(ask);
        // What a refusal may mean is a session, before it is a moment to wait for.
        let may_mean_session = had_session && !self.own_refusals().concern(&request);
        let first = if may_mean_session { Repeat::WhenLost } else { Repeat::WhenUnavailable };
        let repeat = |when| if is_repeatable { when } else { Repeat::Never };
        let refusal = match self.ask_once(ask, patience, repeat(first)).await {
            Err(error) if had_session && refuses(&error) => error,
            outcome => return outcome,
        };
        let kind = kind(&refusal);
        let says_so = says_session(&refusal);
        if !says_so && self.own_refusals().contains(&request, kind) {
            return Err(refusal);
        }
        if let Err(error) = self.renew(generation, patience).await {
            // A server that asks for a login says so better than the session it no longer knows.
            return Err(if says_so || error.is_auth_required() { error } else { refusal });
        }
        if !says_so && !is_repeatable {
            // Should the new session refuse it as well, it was not the session.
            self.own_refusals().note(request, kind);
            return Err(refusal);
        }
        let outcome = self.ask_once(ask, patience, repeat(Repeat::WhenUnavailable)).await;
        match &outcome {
            Err(again) if refuses(again) => self.own_refusals().note(request, self::kind(again)),
            Ok(_) => self.own_refusals().forget(&request),
            Err(_) => {}
        }
        outcome
    }

    /// Which session this is; makes one where the last attempt failed.
    async fn current_session(&self, patience: Patience) -> Result<u64, Error> {
        let renewals = self.renewals.lock().await;
        let (generation, is_lost) = (renewals.count, renewals.is_lost);
        drop(renewals);
        if is_lost {
            self.renew(generation, patience).await?;
            return Ok(self.renewals.lock().await.count);
        }
        Ok(generation)
    }

    /// Shakes hands again after the server forgot us. Callers that noticed at the same time share one handshake.
    async fn renew(&self, generation: u64, patience: Patience) -> Result<(), Error> {
        let mut renewals = self.renewals.lock().await;
        if renewals.count != generation {
            return Ok(());
        }
        renewals.is_lost = true;
        self.link.forget_session();
        let peer = crate::handshake::initialize(self, patience.at_most(self.options.timeouts.connect)).await?;
        self.link.established(&peer.version, false);
        self.link.listen().await;
        *renewals = Renewals { count: renewals.count + 1, is_lost: false };
        self.inbox.changes.publish(&Change::SessionRenewed);
        Ok(())
    }

    /// Whether asking twice is asking once: everything but calls of tools that may change something.
    fn is_repeatable(&self, ask: &Ask<'_>) -> bool {
        match ask.method {
            _ if ask.is_repeatable => true,
            "tools/call" => ask.name.is_some_and(|tool| self.is_read_only(tool)),
            "server/discover" | "ping" | "logging/setLevel" | "completion/complete" | "prompts/get" => true,
            method => ["/list", "/read", "/get", "/subscribe", "/unsubscribe"].iter().any(|end| method.ends_with(end)),
        }
    }
}

/// What is asked for, and of what.
fn what(ask: &Ask<'_>) -> String {
    format!("{} {}", ask.method, ask.name.unwrap_or_default())
}

fn kind(error: &Error) -> Kind {
    (error.http_status(), error.rpc().map(|error| error.code))
}

/// Whether the server refused the request in a way that may mean the session. A login comes first, and "later" is no refusal.
fn refuses(error: &Error) -> bool {
    match (error, error.http_status()) {
        (Error::SessionExpired, _) => true,
        (Error::Http { .. } | Error::Rpc { .. }, Some(status)) => !matches!(status, 401 | 408 | 429),
        (Error::Rpc { .. }, None) => says_session(error),
        _ => false,
    }
}

/// Whether the server says that the session is what is wrong.
fn says_session(error: &Error) -> bool {
    let (text, is_likely) = match error {
        Error::SessionExpired => return true,
        Error::Http { detail, .. } => (detail, true),
        Error::Rpc { error, .. } => (&error.message, error.http_status.is_some() || is_server_error(error.code)),
        _ => return false,
    };
    let text = text.to_lowercase();
    let about_session = ["session id", "session not found", "no session", "invalid session", "unknown session"];
    let about_session = about_session.iter().any(|words| text.contains(words))
        || text.contains("session")
            && ["expired", "not exist", "terminated", "no valid"].iter().any(|word| text.contains(word));
    is_likely
        && (about_session || text.contains("not initialized") || text.contains("initializ") && text.contains("before"))
}

/// Codes that SDKs refuse a request with before any tool saw it.
fn is_server_error(code: i64) -> bool {
    matches!(code, -32099..=-32000 | RpcError::INVALID_REQUEST | RpcError::INVALID_PARAMS)
}
