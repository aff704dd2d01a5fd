//! What a server that refuses a request says about the credentials it wants.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::scopes::Scopes;

/// Longest header value that is looked at, in bytes. HTTP stacks stop earlier; this bounds values from anywhere else.
const LONGEST_VALUE: usize = 16 * 1024;

/// Most challenges that are kept. Real servers send one or two.
const MOST_CHALLENGES: usize = 32;

/// Most parameters kept per challenge.
const MOST_PARAMETERS: usize = 64;

/// One challenge of a `WWW-Authenticate` header
/// ([RFC 9110 §11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1)), with the parameters that OAuth gives a
/// meaning ([RFC 6750 §3](https://www.rfc-editor.org/rfc/rfc6750#section-3),
/// [RFC 9728 §5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)).
///
/// ```
/// use mcp_oauth::Challenge;
///
/// let header = r#"Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource", scope="files:read""#;
/// let challenges = Challenge::parse([header]);
/// assert!(challenges[0].is_bearer());
/// assert_eq!(challenges[0].scope.as_ref().map(ToString::to_string).as_deref(), Some("files:read"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme in lower case: `bearer`, `dpop`, `basic`, ….
    pub scheme: String,
    /// Where the protected resource's metadata is, when the parameter is an absolute URL.
    pub resource_metadata: Option<Url>,
    /// The scopes that the request would have needed.
    pub scope: Option<Scopes>,
    /// The error code: `invalid_token`, `insufficient_scope`, `use_dpop_nonce`, ….
    pub error: Option<String>,
    /// The server's words about the error. They are the server's: show them as text, never act on them.
    #[serde(skip)]
    pub error_description: Option<String>,
    #[serde(skip)]
    parameters: Vec<(String, String)>,
}

impl Challenge {
    /// Reads every challenge of every `WWW-Authenticate` value, in the order in which they stand.
    ///
    /// Several challenges may share one value and several values may be given; names are compared without regard to
    /// case. Reading never fails: what is no challenge is skipped. Of a value only the first 16 KiB count.
    pub fn parse<I>(values: I) -> Vec<Self>
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        let mut challenges = Vec::new();
        for value in values {
            let bytes = value.as_ref();
            let text = String::from_utf8_lossy(bytes.get(..LONGEST_VALUE).unwrap_or(bytes));
            Scanner::new(&text).challenges(&mut challenges);
        }
        challenges
    }

    /// Whether the scheme carries an OAuth access token: `Bearer` or `DPoP`
    /// ([RFC 9449 §7.1](https://www.rfc-editor.org/rfc/rfc9449#section-7.1)).
    pub fn is_bearer(&self) -> bool {
        matches!(self.scheme.as_str(), "bearer" | "dpop")
    }

    /// Whether more scopes would have let the request through
    /// ([RFC 6750 §3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)).
    pub fn is_insufficient_scope(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }

    /// Whether the same request with the nonce of the response's `DPoP-Nonce` header may succeed
    /// ([RFC 9449 §9](https://www.rfc-editor.org/rfc/rfc9449#section-9)).
    pub fn wants_nonce(&self) -> bool {
        self.error.as_deref() == Some("use_dpop_nonce")
    }

    /// The value of the parameter `name`, unquoted; `name` is compared without regard to ASCII case.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The challenge as one for `scope`, with the place of the metadata that only an earlier one told.
    pub(crate) fn widened(mut self, scope: &Scopes, earlier: Option<&Self>) -> Self {
        self.scope = Some(scope.clone());
        let known = earlier.and_then(|earlier| earlier.resource_metadata.clone());
        self.resource_metadata = self.resource_metadata.or(known);
        self
    }

    fn new(scheme: &str) -> Self {
        Self { scheme: scheme.to_ascii_lowercase(), ..Self::default() }
    }

    /// The first parameter of a name counts: a second one is an error of the server (RFC 9110 §11.2), and the first is
    /// what the other readers of the header will have seen.
    fn add(&mut self, name: &str, value: String) {
        if self.parameters.len() >= MOST_PARAMETERS || self.parameter(name).is_some() {
            return;
        }
        match name.to_ascii_lowercase().as_str() {
            "resource_metadata" => self.resource_metadata = Url::parse(&value).ok(),
            "scope" => self.scope = Some(Scopes::parse(&value)),
            "error" => self.error = Some(value.clone()),
            "error_description" => self.error_description = Some(value.clone()),
            _ => {}
        }
        self.parameters.push((name.to_ascii_lowercase(), value));
    }
}

/// Walks one header value.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// A token that an `=` follows is a parameter of the challenge before it, any other token begins a challenge.
    fn challenges(&mut self, found: &mut Vec<Challenge>) {
        let mut current: Option<Challenge> = None;
        loop {
            self.skip(|character| character.is_whitespace() || character == ',');
            if self.rest.is_empty() || found.len() >= MOST_CHALLENGES {
                break;
            }
            let name = self.take(is_token);
            if name.is_empty() {
                // Nothing a challenge can begin with: step over it, so that one bad character costs one character.
                let mut characters = self.rest.chars();
                characters.next();
                self.rest = characters.as_str();
            } else if self.equals_follows() {
                let value = self.value();
                if let Some(challenge) = &mut current {
                    challenge.add(name, value);
                }
            } else {
                found.extend(current.replace(Challenge::new(name)));
                self.skip_token68();
            }
        }
        found.extend(current);
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(unwanted);
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let after = self.rest.trim_start_matches(wanted);
        let taken = self.rest.strip_suffix(after).unwrap_or("");
        self.rest = after;
        taken
    }

    fn equals_follows(&mut self) -> bool {
        let after = self.rest.trim_start().strip_prefix('=');
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn value(&mut self) -> String {
        self.skip(char::is_whitespace);
        match self.rest.strip_prefix('"') {
            Some(quoted) => self.quoted(quoted),
            None => self.take(|character| character != ',' && !character.is_whitespace()).to_owned(),
        }
    }

    /// A quoted string without its escapes; one that is never closed ends with the header.
    fn quoted(&mut self, text: &'a str) -> String {
        let mut value = String::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => break,
                '\\' => value.extend(characters.next()),
                _ => value.push(character),
            }
        }
        self.rest = characters.as_str();
        value
    }

    /// Steps over credentials such as `Negotiate YII=`, which are no parameter and no scheme.
    fn skip_token68(&mut self) {
        let before = self.rest;
        self.skip(char::is_whitespace);
        let taken = self.take(|character| is_token(character) || matches!(character, '/' | '='));
        let ends = self.rest.trim_start();
        if taken.is_empty() || !(ends.is_empty() || ends.starts_with(',')) || taken.trim_end_matches('=').contains('=')
        {
            self.rest = before;
        }
    }
}

/// The characters of a token, RFC 9110 §5.6.2.
fn is_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

#[cfg(test)]
mod tests;
