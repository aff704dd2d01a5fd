//! What a token endpoint answers.

use std::time::Duration;

use http::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::error::Error;
use crate::guard::shown;
use crate::scopes::Scopes;
use crate::scrub::scrub;
use crate::secret::Secret;

/// How an access token is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// As it is ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).
    #[default]
    Bearer,
    /// With a proof per request ([RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)).
    Dpop,
}

/// A successful answer ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenResponse {
    /// The access token; for a token exchange, the token that was asked for.
    pub access_token: Secret,
    /// How it is presented.
    pub kind: TokenKind,
    /// What renews it; absent when the one already held stays valid.
    pub refresh_token: Option<Secret>,
    /// How long it is valid from now on; absent when the server does not say.
    pub expires_in: Option<Duration>,
    /// What it allows; absent when that is what was asked for.
    pub scope: Option<Scopes>,
    /// What a token exchange gave ([RFC 8693 §2.2.1](https://www.rfc-editor.org/rfc/rfc8693#section-2.2.1)).
    pub issued_token_type: Option<String>,
}

/// Reads an answer of the token endpoint.
///
/// Reading is as lenient as it can be without guessing: any successful status will do, a lifetime may be a string, a
/// member that is `null` is absent, and an error in a successful answer is an error. `sent` is taken out of whatever the
/// server says in words.
pub(crate) fn read_token_response(
    endpoint: &Url,
    answer: &Response<Vec<u8>>,
    sent: &[&Secret],
) -> Result<TokenResponse, Error> {
    let body = read_members(endpoint, answer, sent, "a token")?;
    let text = |name: &str| text_member(&body, name);
    let Some(access_token) = text("access_token") else {
        return Err(unexpected(endpoint, answer, "a token"));
    };
    Ok(TokenResponse {
        kind: kind_of(endpoint, answer, text("token_type"))?,
        access_token: Secret::from(access_token),
        refresh_token: text("refresh_token").map(Secret::from),
        expires_in: seconds(&body, "expires_in"),
        scope: text("scope").map(Scopes::parse),
        issued_token_type: text("issued_token_type").map(str::to_owned),
    })
}

/// The members of a successful JSON answer, or the error that it, or a failed one, tells.
pub(crate) fn read_members(
    endpoint: &Url,
    answer: &Response<Vec<u8>>,
    sent: &[&Secret],
    expected: &'static str,
) -> Result<Value, Error> {
    let body = serde_json::from_slice::<Value>(answer.body()).ok().filter(Value::is_object);
    if let Some(code) = body.as_ref().and_then(|body| text_member(body, "error")) {
        let description = body.as_ref().and_then(|body| text_member(body, "error_description"));
        return Err(Error::Refused {
            endpoint: shown(endpoint),
            status: answer.status().as_u16(),
            code: scrub(code, sent),
            description: description.map(|words| scrub(words, sent)),
        });
    }
    match body {
        Some(body) if answer.status().is_success() => Ok(body),
        _ => Err(unexpected(endpoint, answer, expected)),
    }
}

/// A member that is a text of at least one character.
pub(crate) fn text_member<'a>(body: &'a Value, name: &str) -> Option<&'a str> {
    body.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A number of seconds, which some servers send as a string or with a fraction.
pub(crate) fn seconds(body: &Value, name: &str) -> Option<Duration> {
    let member = body.get(name)?;
    let number = member.as_f64().or_else(|| member.as_str()?.trim().parse().ok())?;
    Duration::try_from_secs_f64(number.max(0.0)).ok()
}

/// A missing kind means Bearer; a kind that cannot be presented is an error here and not at the first request.
/// A token exchange says `N_A` where the token is no access token.
fn kind_of(endpoint: &Url, answer: &Response<Vec<u8>>, said: Option<&str>) -> Result<TokenKind, Error> {
    match said.map(str::to_ascii_lowercase).as_deref() {
        None | Some("bearer" | "n_a") => Ok(TokenKind::Bearer),
        Some("dpop") => Ok(TokenKind::Dpop),
        Some(_) => Err(unexpected(endpoint, answer, "a token of the type `Bearer` or `DPoP`")),
    }
}

fn unexpected(endpoint: &Url, answer: &Response<Vec<u8>>, expected: &'static str) -> Error {
    Error::UnexpectedAnswer { url: shown(endpoint), status: answer.status().as_u16(), expected }
}

#[cfg(test)]
mod tests;
