//! What a connection sends and nobody may repeat: credentials, and whatever else its caller calls secret.
//!
//! A server may quote the request it refuses, and a program prints its environment when it dies. Such text ends up in errors,
//! which are printed, logged and shown to models.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ::http::header::AUTHORIZATION;
use ::http::{HeaderMap, HeaderValue};
use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use crate::stdio::proxy_secrets;
use crate::{Endpoint, Error, Exit, HttpOptions};

/// What stands in the place of a secret.
const REDACTED: &str = "[redacted]";

/// Shorter values stay: a text without every `true` and `8080` could not be read.
const SHORTEST: usize = 8;

/// So many credentials that came and went are remembered: those of a few renewals, and of requests on their way.
const RECENT: usize = 16;

/// The values of one connection. Clones share what is sent from then on.
#[derive(Clone, Default)]
pub(crate) struct Sent {
    /// What is known before anything is sent.
    fixed: Arc<BTreeSet<String>>,
    recent: Arc<Mutex<Recent>>,
}

#[derive(Default)]
struct Recent {
    values: VecDeque<String>,
    /// Finds all values, in every form; made when it is needed.
    finder: Option<Arc<Finder>>,
}

/// `None` if there are more values than can be looked for.
type Finder = Option<AhoCorasick>;

impl fmt::Debug for Sent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} values {REDACTED}", self.fixed.len())
    }
}

impl Sent {
    /// Also knows these values.
    pub(crate) fn with(&self, values: impl IntoIterator<Item = String>) -> Self {
        let values = values.into_iter().filter(|value| value.len() >= SHORTEST);
        Self { fixed: Arc::new(self.fixed.iter().cloned().chain(values).collect()), recent: Arc::default() }
    }

    /// Also knows what requests to `endpoint` carry.
    pub(crate) fn to(&self, endpoint: &Endpoint) -> Self {
        match endpoint {
            Endpoint::Stdio(options) => self.with(proxy_secrets(options)),
            Endpoint::Http(http) | Endpoint::Sse(http) | Endpoint::HttpAuto(http) => self.with(values_of(http)),
        }
    }

    /// Notes the credentials of a request.
    pub(crate) fn note(&self, headers: &HeaderMap) {
        let secret = |(name, value): &(_, &HeaderValue)| *name == AUTHORIZATION || value.is_sensitive();
        for (_, value) in headers.iter().filter(secret) {
            for value in value.to_str().into_iter().flat_map(credential) {
                self.note_value(value);
            }
        }
    }

    fn note_value(&self, value: String) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if value.len() < SHORTEST || self.fixed.contains(&value) || recent.values.contains(&value) {
            return;
        }
        recent.values.push_back(value);
        if recent.values.len() > RECENT {
            recent.values.pop_front();
        }
        recent.finder = None;
    }

    /// `text` without any of the values, whether they stand there as they were sent, percent-encoded, in base64 or with the
    /// escapes of JSON. One pass over the text, however many values there are.
    pub(crate) fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.finder().as_ref() {
            // Too much to look for is no reason to show it.
            None => Cow::Borrowed(REDACTED),
            Some(finder) if finder.is_match(text) => {
                let mut clean = String::with_capacity(text.len());
                finder.replace_all_with(text, &mut clean, |_, _, clean| {
                    clean.push_str(REDACTED);
                    true
                });
                Cow::Owned(clean)
            }
            Some(_) => Cow::Borrowed(text),
        }
    }

    /// A result as callers see it. What a tool says when it fails is an error like any other, and has none of the values; what it
    /// returns when it succeeds is data, which a tool that keeps secrets is asked for, and stays as it came.
    pub(crate) fn scrub_result(&self, result: Box<RawValue>) -> Box<RawValue> {
        if !is_failure(result.get()) {
            return result;
        }
        match self.scrub(result.get()) {
            Cow::Borrowed(same) if same.len() == result.get().len() => result,
            // A value that is JSON itself may have been more than a text of it.
            clean => RawValue::from_string(clean.into_owned()).unwrap_or_else(|_broken| hidden()),
        }
    }

    fn finder(&self) -> Arc<Finder> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(finder) = &recent.finder {
            return finder.clone();
        }
        let forms: BTreeSet<String> = self.fixed.iter().chain(&recent.values).flat_map(|value| forms(value)).collect();
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms);
        recent.finder.insert(Arc::new(built.ok())).clone()
    }
}

/// Whether a result is one of a tool that failed. Most are not, and are not parsed for it.
fn is_failure(result: &str) -> bool {
    #[derive(Deserialize)]
    struct Failure {
        #[serde(rename = "isError")]
        is_error: bool,
    }
    memchr::memmem::find(result.as_bytes(), b"isError").is_some()
        && serde_json::from_str::<Failure>(result).is_ok_and(|failure| failure.is_error)
}

/// The result of a tool that failed with nothing but secrets to say.
fn hidden() -> Box<RawValue> {
    let result = serde_json::json!({"content": [{"type": "text", "text": REDACTED}], "isError": true});
    serde_json::value::to_raw_value(&result).expect("it is JSON")
}

/// What a server can know from the options: header values, and what is secret in the URL.
fn values_of(http: &HttpOptions) -> Vec<String> {
    let mut values: Vec<String> = http.headers.iter().flat_map(|(_, value)| credential(value)).collect();
    if let Ok(url) = Url::parse(&http.url) {
        values.extend(url.password().map(str::to_owned));
        values.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
    }
    values
}

/// A header's value, and the credential in it: `Bearer TOKEN`, `Basic` with the user and the password.
fn credential(value: &str) -> Vec<String> {
    let mut values = vec![value.to_owned()];
    if let Some((scheme, credential)) = value.split_once(' ') {
        let credential = credential.trim();
        if scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) && !credential.contains(' ') {
            values.push(credential.to_owned());
        }
        let basic = scheme.eq_ignore_ascii_case("basic").then(|| STANDARD.decode(credential).ok()).flatten();
        if let Some(pair) = basic.and_then(|bytes| String::from_utf8(bytes).ok()) {
            values.extend(pair.split_once(':').map(|(_, password)| password.to_owned()));
            values.push(pair);
        }
    }
    values
}

/// The value as texts may quote it.
fn forms(value: &str) -> Vec<String> {
    let encoded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let percent = encoded.replace('+', "%20");
    let json = serde_json::Value::from(value).to_string();
    let mut forms = vec![value.to_owned(), percent.to_ascii_lowercase(), encoded, percent];
    // As it stands in a URL, where less is encoded.
    if let Ok(mut url) = Url::parse("http://localhost/") {
        url.set_path(value);
        forms.push(url.path().trim_start_matches('/').to_owned());
        url.set_query(Some(value));
        forms.extend(url.query().map(str::to_owned));
    }
    forms.push(json.trim_start_matches('"').trim_end_matches('"').to_owned());
    for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
        // The last characters depend on what follows the value.
        let whole = value.len() - value.len() % 3;
        forms.extend(value.as_bytes().get(..whole).map(|bytes| engine.encode(bytes)));
    }
    forms
}

impl Error {
    /// The error without anything in `sent`. What a login hook said is its own.
    pub(crate) fn scrubbed(self, sent: &Sent) -> Self {
        let clean = |text: String| match sent.scrub(&text) {
            Cow::Borrowed(same) if same.len() == text.len() => text,
            clean => clean.into_owned(),
        };
        match self {
            Self::InvalidOption { option, reason } => Self::InvalidOption { option, reason: clean(reason) },
            Self::CommandNotFound { command } => Self::CommandNotFound { command: clean(command) },
            Self::CommandUnusable { command, reason } => {
                Self::CommandUnusable { command: clean(command), reason: clean(reason) }
            }
            Self::Spawn { command, source } => Self::Spawn { command: clean(command), source },
            Self::Exited(exit) => {
                let Exit { status, signal, stderr_tail } = &*exit;
                let stderr_tail = sent.scrub(stderr_tail).into_owned();
                Self::Exited(Arc::new(Exit { status: *status, signal: *signal, stderr_tail }))
            }
            Self::Closed { reason } => Self::Closed { reason: sent.scrub(&reason).into() },
            Self::Silent { after, stdout, stderr_tail } => {
                Self::Silent { after, stdout: stdout.map(clean), stderr_tail: clean(stderr_tail) }
            }
            Self::OlderTransport { url } => Self::OlderTransport { url: clean(url) },
            Self::Rpc { method, mut error } => {
                error.message = clean(error.message);
                error.data = error.data.map(clean);
                Self::Rpc { method, error }
            }
            Self::Protocol { method, reason } => Self::Protocol { method, reason: clean(reason) },
            Self::NoCommonVersion { supported } => {
                Self::NoCommonVersion { supported: supported.into_iter().map(clean).collect() }
            }
            Self::Unreachable { url, source } => Self::Unreachable { url: clean(url), source },
            Self::Interrupted { url, source } => Self::Interrupted { url: clean(url), source },
            Self::Http { url, status, detail, retry_after } => {
                Self::Http { url: clean(url), status, detail: clean(detail), retry_after }
            }
            Self::AuthRequired { url, status, challenge } => {
                Self::AuthRequired { url: clean(url), status, challenge: challenge.map(clean) }
            }
            Self::Authorize { url, source } => Self::Authorize { url: clean(url), source },
            Self::Redirect { url, target, reason } => Self::Redirect { url: clean(url), target: clean(target), reason },
            // Methods are the caller's words, and the rest holds none.
            same @ (Self::Timeout { .. } | Self::TooLarge { .. } | Self::SessionExpired) => same,
        }
    }
}

#[cfg(test)]
mod tests;
