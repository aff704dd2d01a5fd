//! Sending a person to the authorization server, and judging what comes back.

use oauth2::basic::BasicClient;
use oauth2::{AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, Scope};
use url::{Url, form_urlencoded};

use crate::client::Client;
use crate::error::Error;
use crate::metadata::{AuthorizationServer, MetadataSource};
use crate::scopes::Scopes;
use crate::scrub::scrub;
use crate::secret::Secret;
use crate::token_endpoint::redirect_url;

/// Longest text that is read as a redirect.
const LONGEST_REDIRECT: usize = 32 * 1024;

/// One login that waits for its redirect: everything that has to be remembered between the two halves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authorization {
    pub(crate) server: AuthorizationServer,
    pub(crate) client: Client,
    pub(crate) redirect_uri: String,
    pub(crate) scopes: Scopes,
    pub(crate) resource: Option<String>,
    /// Ties the redirect to this login.
    pub(crate) state: Secret,
    /// Ties the code to this login ([RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)).
    pub(crate) verifier: Secret,
}

impl Authorization {
    /// The URL at which the person logs in
    /// ([RFC 6749 §4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1)).
    pub(crate) fn url(&self) -> Result<Url, Error> {
        let Some(endpoint) = &self.server.authorization_endpoint else {
            return Err(Error::Unsupported {
                issuer: self.server.issuer.clone(),
                what: "a page to log in at",
                advice: "use the device flow, or a client of its own",
            });
        };
        let client = BasicClient::new(ClientId::new(self.client.id.clone()))
            .set_auth_uri(AuthUrl::from_url(endpoint.clone()))
            .set_redirect_uri(redirect_url(&self.redirect_uri)?);
        let verifier = PkceCodeVerifier::new(self.verifier.expose().to_owned());
        let mut request = client
            .authorize_url(|| CsrfToken::new(self.state.expose().to_owned()))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .add_scopes(self.scopes.iter().map(|scope| Scope::new(scope.to_owned())));
        if let Some(resource) = &self.resource {
            request = request.add_extra_param("resource", resource);
        }
        if self.scopes.contains("offline_access") {
            // OpenID Connect Core §11: without it the scope is ignored.
            request = request.add_extra_param("prompt", "consent");
        }
        Ok(request.url().0)
    }

    /// The code that a redirect brings, after these checks, of which the first that fails ends the reading:
    ///
    /// 1. `state` is this login's;
    /// 2. `iss` is the issuer, byte by byte, and is there if the server said that it would be
    ///    ([RFC 9207 §2.4](https://www.rfc-editor.org/rfc/rfc9207#section-2.4)); until here nothing else is looked at,
    ///    as it may be another server's;
    /// 3. there is no error;
    /// 4. there is a code.
    pub(crate) fn accept(&self, redirect: &Redirect) -> Result<Secret, Error> {
        if redirect.state.as_ref() != Some(&self.state) {
            return Err(Error::Redirect { reason: "its `state` is not that of this login" });
        }
        match &redirect.issuer {
            Some(issuer) if *issuer != self.server.issuer => {
                return Err(Error::Redirect { reason: "its `iss` names another authorization server" });
            }
            None if self.server.sends_issuer => {
                return Err(Error::Redirect { reason: "its `iss` is missing, which the authorization server sends" });
            }
            _ => {}
        }
        if let Some(code) = &redirect.error {
            let secrets = [&self.state, &self.verifier];
            return Err(Error::Denied {
                code: scrub(code, &secrets),
                description: redirect.error_description.as_ref().map(|words| scrub(words, &secrets)),
            });
        }
        redirect.code.clone().ok_or(Error::Redirect { reason: "it brings neither a code nor an error" })
    }
}

/// Refuses a server that does not protect codes
/// (MCP 2026-07-28 "Authorization Code Protection"). Default endpoints have no metadata that could say so.
pub(crate) fn require_code_protection(server: &AuthorizationServer, excepted: bool) -> Result<(), Error> {
    let unsupported = |what, advice| Err(Error::Unsupported { issuer: server.issuer.clone(), what, advice });
    match server.protects_codes() {
        Some(true) => Ok(()),
        Some(false) => unsupported("the code challenge method `S256`", "ask its operator to enable PKCE"),
        None if excepted || server.source == MetadataSource::LegacyDefaults => Ok(()),
        None => unsupported(
            "`code_challenge_methods_supported` in its metadata",
            "ask its operator to publish it, or except this server from the rule",
        ),
    }
}

/// Chooses the scopes to ask for (MCP 2026-07-28 "Scope Selection Strategy"), by the first of these that is there:
///
/// 1. the scopes that were set for the server, as they are;
/// 2. the scopes of the challenge;
/// 3. every scope of the resource's metadata;
/// 4. none, and the parameter is left out.
///
/// To 2 and 3 `offline_access` is added where the authorization server lists it, since without it there may be no
/// refresh token.
pub(crate) fn choose_scopes(
    set: Option<&Scopes>,
    challenged: Option<&Scopes>,
    resource: Option<&Scopes>,
    server: &AuthorizationServer,
) -> Scopes {
    if let Some(set) = set {
        return set.clone();
    }
    let chosen = challenged.filter(|scopes| !scopes.is_empty()).or(resource).cloned().unwrap_or_default();
    if chosen.is_empty() || !server.scopes_supported.contains("offline_access") {
        return chosen;
    }
    chosen.union(&Scopes::parse("offline_access"))
}

/// The parameters of a redirect; nothing in it has been believed yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redirect {
    pub(crate) state: Option<Secret>,
    code: Option<Secret>,
    issuer: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

impl Redirect {
    /// Reads the query of a request to the callback.
    pub(crate) fn from_query(query: &str) -> Self {
        let mut redirect = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()).take(64) {
            let value = value.into_owned();
            match &*name {
                "state" => redirect.state = Some(Secret::new(value)),
                "code" => redirect.code = Some(Secret::new(value)).filter(|code| !code.is_empty()),
                "iss" => redirect.issuer = Some(value),
                "error" => redirect.error = Some(value),
                "error_description" => redirect.error_description = Some(value),
                _ => {}
            }
        }
        redirect
    }

    /// Reads what a person pasted: the whole address of the page the browser ended at, or only its query.
    pub(crate) fn from_pasted(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.len() > LONGEST_REDIRECT {
            return Err(Error::Redirect { reason: "it is too long" });
        }
        let query = match text.split_once('?') {
            Some((_, query)) => query,
            None => text,
        };
        let redirect = Self::from_query(query.split('#').next().unwrap_or_default());
        if redirect.state.is_none() {
            return Err(Error::Redirect { reason: "it has no `state`; paste the whole address of the last page" });
        }
        Ok(redirect)
    }
}

#[cfg(test)]
mod tests;
