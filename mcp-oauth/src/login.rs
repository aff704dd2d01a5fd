//! What a login asks of a person.

use std::fmt;
use std::time::Duration;

use url::Url;

use crate::challenge::Challenge;
use crate::error::Error;
use crate::scopes::Scopes;
use crate::web::BoxFuture;

/// One login.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    /// The challenge that led here, which may say where to log in and for what.
    pub challenge: Option<Challenge>,
    /// Scopes to ask for besides those that the server suggests. A step-up lists what is held and what was missing.
    pub scopes: Scopes,
    /// How. Default: as [`Settings::method`](crate::Settings::method) says.
    pub method: Option<LoginMethod>,
    /// Register a new client although one is stored. For a stored one that the authorization server has forgotten
    /// without saying so.
    pub new_client: bool,
}

/// How a person logs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LoginMethod {
    /// In a browser. It comes back to this machine, or the person pastes the address at which it ended.
    #[default]
    Browser,
    /// In a browser on any device, with a code that this program shows
    /// ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).
    Device,
}

/// What to show to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prompt {
    /// Open this page. The URL is one-time and not secret; showing it besides opening it helps where no browser starts.
    Open {
        /// The page.
        url: Url,
        /// Where the browser ends.
        redirect_uri: String,
    },
    /// Open a page on any device and enter a code there.
    Enter {
        /// The page.
        url: Url,
        /// The same page with the code filled in, for a QR code, if the server has one.
        complete_url: Option<Url>,
        /// The code.
        code: String,
        /// How long the code is good.
        expires_in: Duration,
    },
    /// What was pasted is not the answer to this login; the login goes on.
    NotAccepted {
        /// Why.
        reason: String,
    },
}

/// A person, as a login sees one: a terminal, a window, or a test.
pub trait Interaction: fmt::Debug + Send + Sync {
    /// Shows `prompt`, and opens the page if it can. It returns when that is done, not when the person has answered.
    ///
    /// # Errors
    ///
    /// Ends the login. A browser that does not start is no error as long as the person has seen the URL.
    fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), Error>>;

    /// Waits until the person has pasted the address at which the browser ended, or its query. Where nothing can be
    /// pasted the future never ends, which is the default.
    fn pasted(&self) -> BoxFuture<'_, String> {
        Box::pin(std::future::pending())
    }
}
