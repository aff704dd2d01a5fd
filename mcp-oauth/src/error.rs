//! What can go wrong, and the questions a caller asks about it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::resource::Resource;
use crate::scopes::Scopes;

/// Every failure of this crate.
///
/// # Introspection
///
/// Programs decide by the predicates ([`Error::needs_login`], [`Error::is_transient`], …), people read the text. The
/// text speaks of its own level only; the cause is the error's source. No variant holds a secret, and a URL in one has
/// lost its query, its fragment and its user; of the server that is logged in to, its path too.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Only a person can give what is missing: a first login, or one that replaces what no longer works.
    #[error("`{server}` needs a login: {reason}")]
    NeedsLogin {
        /// The server whose request was refused, or would be.
        server: Resource,
        /// Why what is stored does not do.
        reason: LoginReason,
    },
    /// The login is valid and does not reach far enough: log in again, asking for these scopes.
    #[error("`{server}` needs a login that covers the scopes `{scopes}`")]
    NeedsScopes {
        /// The server that refused the request.
        server: Resource,
        /// What to ask for: the scopes already held and the ones that were missing.
        scopes: Scopes,
    },
    /// The person, or the authorization server, said no.
    #[error("the authorization server refused the login with `{code}`{}", told(.description.as_deref()))]
    Denied {
        /// The error code of the redirect or of the device flow, such as `access_denied`.
        code: String,
        /// The server's own words.
        description: Option<String>,
    },
    /// Nothing says which authorization server protects this server.
    #[error("cannot find the authorization server of `{server}`; asked {}", listed(.tried))]
    Undiscovered {
        /// The server that wants authorization.
        server: Resource,
        /// Every address that was asked and what it answered, in order.
        tried: Vec<Attempt>,
    },
    /// Two names that must be identical are not; using the document would hand the login to someone else.
    #[error("the {what} is `{found}`, expected `{expected}`")]
    Mismatch {
        /// What is compared, such as `issuer of the metadata`.
        what: &'static str,
        /// The only acceptable value.
        expected: String,
        /// What was there instead.
        found: String,
    },
    /// The client that was registered by hand belongs to another authorization server, which alone may see it.
    #[error(
        "the client `{client}` is one of `{expected}`, and the server now names `{found}`; if that is right, set `issuer` in the \
         server's `oauth` to it"
    )]
    ClientElsewhere {
        /// The client's identifier.
        client: String,
        /// The authorization server with which it has been used.
        expected: String,
        /// The one that it would have been shown to.
        found: String,
    },
    /// The authorization server does not do what this way of logging in needs.
    #[error("the authorization server `{issuer}` does not offer {what}; {advice}")]
    Unsupported {
        /// The authorization server.
        issuer: String,
        /// What is missing.
        what: &'static str,
        /// What the user can do about it.
        advice: &'static str,
    },
    /// A URL that must not be asked, opened or sent a secret.
    #[error("`{url}` is not used: {reason}")]
    UnsafeUrl {
        /// The URL without query, fragment and user.
        url: String,
        /// The rule it breaks.
        reason: &'static str,
    },
    /// No answer came.
    #[error("cannot reach `{url}`")]
    Unreachable {
        /// The URL without query, fragment and user.
        url: String,
        /// What the HTTP stack says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An answer came that means nothing here, such as a proxy's HTML page.
    #[error("`{url}` answered {status}, expected {expected}")]
    UnexpectedAnswer {
        /// The URL without query, fragment and user.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What would have been an answer.
        expected: &'static str,
    },
    /// An endpoint of the authorization server answered with an OAuth error
    /// ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)).
    #[error("`{endpoint}` answered {status} `{code}`{}", told(.description.as_deref()))]
    Refused {
        /// The endpoint without query, fragment and user.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// The error code, such as `invalid_grant`.
        code: String,
        /// The server's own words, with everything secret that was sent taken out.
        description: Option<String>,
    },
    /// A redirect that is no answer to this login.
    #[error("the redirect is not accepted: {reason}")]
    Redirect {
        /// The check that failed.
        reason: &'static str,
    },
    /// Nothing happened for too long.
    #[error("{what} did not finish within {} s", .after.as_secs())]
    TimedOut {
        /// What was waited for.
        what: &'static str,
        /// How long.
        after: Duration,
    },
    /// Another login for the same server and account waits for its person.
    #[error("another login for `{server}` is in progress; finish it, or try again when it has ended")]
    LoginInProgress {
        /// The server both log in to.
        server: Resource,
    },
    /// A key cannot be read or used.
    #[error("the {what} cannot be used: {reason}")]
    Key {
        /// Which key.
        what: &'static str,
        /// What is wrong with it; never any part of it.
        reason: &'static str,
    },
    /// A file of the store cannot be read or written.
    #[error("cannot {operation} `{}`", .path.display())]
    File {
        /// What was tried, as a verb.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A stored record does not read back as one. It counts as not there: a login as logged out.
    #[error("`{place}` cannot be used: {reason}")]
    Record {
        /// The file or entry, and where it has been set aside.
        place: String,
        /// What is wrong with it; never any part of it.
        reason: &'static str,
    },
    /// A secret, or its name, is not one that can be kept.
    #[error("the secret cannot be kept: {reason}")]
    Unkept {
        /// What is wrong with it; never any part of it.
        reason: &'static str,
    },
    /// The system's keyring did not do its part.
    #[error("the keyring cannot {operation}; unlock it, or choose another store")]
    Keyring {
        /// What was tried, as a verb.
        operation: &'static str,
        /// What the keyring says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Somebody else changed the record between reading and writing; what they wrote is left alone.
    #[error("the credential of `{server}` was changed by another process")]
    Conflict {
        /// The server of the credential.
        server: Resource,
    },
    /// The login could not be renewed for a reason that may pass. It is kept.
    #[error("the login could not be renewed now; it is kept, and the next request tries again")]
    RenewalFailed {
        /// What went wrong, for everybody who waited for the same renewal.
        #[source]
        source: Arc<Self>,
    },
    /// The task that did the work ended without a result, as it does when the runtime shuts down.
    #[error("{what} was interrupted")]
    Interrupted {
        /// What was being done.
        what: &'static str,
    },
}

/// Why only a login helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LoginReason {
    /// Nothing is stored for this server, authorization server and account.
    NeverLoggedIn,
    /// The access token has expired and there is no refresh token.
    Expired,
    /// The authorization server no longer accepts the refresh token: it was revoked, or used by someone else.
    #[serde(alias = "refresh")]
    RefreshRefused,
    /// The server refuses an access token that it was given a moment ago.
    TokenRefused,
    /// The server has moved to another authorization server; what the old one gave is not shown to the new one.
    IssuerChanged,
    /// The authorization server no longer knows this client.
    #[serde(alias = "client")]
    ClientUnknown,
}

impl std::fmt::Display for LoginReason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::NeverLoggedIn => "nobody has logged in yet",
            Self::Expired => "the login has expired and cannot be renewed",
            Self::RefreshRefused => "the authorization server no longer renews the login",
            Self::TokenRefused => "the server refuses the token of the login",
            Self::IssuerChanged => "the server has moved to another authorization server",
            Self::ClientUnknown => "the authorization server no longer knows this client",
        })
    }
}

/// One address that discovery asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The address without query, fragment and user.
    pub url: String,
    /// What it answered, in a few words.
    pub outcome: String,
}

impl Error {
    /// Whether a person has to log in (again) before anything else helps.
    pub fn needs_login(&self) -> bool {
        matches!(self, Self::NeedsLogin { .. } | Self::NeedsScopes { .. })
    }

    /// Whether the person or the authorization server said no.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Denied { .. })
    }

    /// Whether the same call may succeed later with nothing changed: no answer, too many requests, a server at fault.
    /// What is stored has been kept.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::RenewalFailed { .. }
            | Self::Interrupted { .. } => true,
            Self::UnexpectedAnswer { status, .. } | Self::Refused { status, .. } => matches!(status, 408 | 429 | 500..),
            _ => false,
        }
    }

    /// Whether a URL or address was refused because asking it could reach what it must not.
    pub fn is_unsafe(&self) -> bool {
        matches!(self, Self::UnsafeUrl { .. } | Self::Mismatch { .. } | Self::ClientElsewhere { .. })
    }

    /// Whether the credential store, and no server, is at fault.
    pub fn is_store(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Record { .. } | Self::Keyring { .. } | Self::Conflict { .. })
    }

    /// Whether the authorization server says that the grant (a refresh token, a code, an assertion) is no longer good.
    pub fn is_invalid_grant(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "invalid_grant")
    }

    /// Whether an answer says that the request is at fault, so that the same one is not to be made again: any 4xx but 408 and
    /// 429, whatever the reason it gives.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::UnexpectedAnswer { status, .. } | Self::Refused { status, .. } => {
                (400..500).contains(status) && !matches!(status, 408 | 429)
            }
            _ => false,
        }
    }

    /// Whether the authorization server says that it does not know the client, as after it has purged registrations.
    pub fn is_invalid_client(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "invalid_client" || code == "unauthorized_client")
    }
}

fn told(description: Option<&str>) -> String {
    description.map(|text| format!(": {text}")).unwrap_or_default()
}

fn listed(tried: &[Attempt]) -> String {
    if tried.is_empty() {
        return "nothing".to_owned();
    }
    let each: Vec<_> = tried.iter().map(|attempt| format!("`{}` ({})", attempt.url, attempt.outcome)).collect();
    each.join(", ")
}
