//! What a token endpoint answers.

use std::time::Duration;

use http::Response;
use oauth2::{ExtraTokenFields, StandardTokenResponse, TokenType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::error::Error;
use crate::guard::shown;
use crate::scrub::scrub;
use crate::secret::Secret;

/// How an access token is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// As it is ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)). A token exchange says `N_A` where the token is no access
    /// token.
    #[default]
    #[serde(alias = "n_a")]
    Bearer,
    /// With a proof per request ([RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)).
    Dpop,
}

impl TokenType for TokenKind {}

/// A successful answer ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)).
pub(crate) type TokenResponse = StandardTokenResponse<Exchanged, TokenKind>;

/// What a token exchange adds ([RFC 8693 §2.2.1](https://www.rfc-editor.org/rfc/rfc8693#section-2.2.1)).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Exchanged {
    pub(crate) issued_token_type: Option<String>,
}

impl ExtraTokenFields for Exchanged {}

/// An answer in the form that the `oauth2` crate reads: servers send lifetimes as texts and with fractions, members that are
/// `null` or empty, tokens of no kind, which means Bearer, and both names of a device's page, or no end of its code.
pub(crate) fn lenient(mut members: Value) -> Vec<u8> {
    let times = ["expires_in", "interval"].map(|name| (name, seconds(&members, name)));
    if let Some(members) = members.as_object_mut() {
        members.retain(|_, member| !member.is_null() && *member != "");
        for (name, time) in times {
            members.remove(name);
            members.extend(time.map(|time| (name.to_owned(), time.as_secs().into())));
        }
        members.entry("token_type").or_insert_with(|| "bearer".into());
        if members.contains_key("device_code") {
            members.entry("expires_in").or_insert_with(|| 600.into());
            let google = members.remove("verification_url");
            members.extend(
                google
                    .filter(|_| !members.contains_key("verification_uri"))
                    .map(|url| ("verification_uri".to_owned(), url)),
            );
        }
    }
    members.to_string().into_bytes()
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

fn unexpected(endpoint: &Url, answer: &Response<Vec<u8>>, expected: &'static str) -> Error {
    Error::UnexpectedAnswer { url: shown(endpoint), status: answer.status().as_u16(), expected }
}

#[cfg(test)]
mod tests;
