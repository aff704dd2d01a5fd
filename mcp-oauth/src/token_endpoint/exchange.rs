//! The HTTP client of the `oauth2` crate, and what that crate cannot do.
//!
//! 1. It has no grants of other specifications
//!    ([RFC 6749 §4.5](https://www.rfc-editor.org/rfc/rfc6749#section-4.5)), no `private_key_jwt` and no `DPoP`: they are
//!    parameters and headers that are added to the request it has made.
//! 2. It takes no answer but a literal 200 with its very types: here 201, lifetimes in texts and missing members are read.
//! 3. Its errors repeat what a server says, tokens included, and do not tell the status: here they are ours, scrubbed.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use oauth2::{AsyncHttpClient, ErrorResponse, HttpRequest, HttpResponse, RequestTokenError};
use serde_json::json;
use url::{Url, form_urlencoded};

use super::{Grant, TokenEndpoint, missing, owned};
use crate::client::ClientAuthentication;
use crate::dpop::PROOF;
use crate::error::Error;
use crate::guard::shown;
use crate::random::random_text;
use crate::registration::sensitive;
use crate::secret::Secret;
use crate::settings::SubjectKind;
use crate::token_response::{lenient, read_members, text_member};
use crate::web::{BoxFuture, request};

/// How long a client's statement about itself is valid: long enough for clocks that differ, too short to be of use.
const STATEMENT_LIFETIME: Duration = Duration::from_mins(1);

/// The members of a form, in the order in which they are sent.
type Form = Vec<(&'static str, String)>;

/// One exchange with an endpoint.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    asking: &'a TokenEndpoint<'a>,
    endpoint: &'a Url,
    expected: &'static str,
    /// What is said besides what the crate says, or instead of it.
    extra: Form,
    /// What must not come back in an error.
    sent: Vec<Secret>,
    /// Why the last answer was none.
    failed: Mutex<Option<Error>>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(asking: &'a TokenEndpoint<'a>, endpoint: &'a Url, expected: &'static str) -> Self {
        let sent = asking.client.secret.iter().cloned().collect();
        Self { asking, endpoint, expected, extra: Form::new(), sent, failed: Mutex::default() }
    }

    pub(super) fn with_secrets<'b>(&mut self, secrets: impl IntoIterator<Item = &'b Secret>) {
        self.sent.extend(secrets.into_iter().cloned());
    }

    pub(super) fn with_resource(&mut self, resource: Option<&str>) {
        self.extra.extend(resource.map(|resource| ("resource", resource.to_owned())));
    }

    /// Makes a request for client credentials one for another grant.
    pub(super) fn with_extension(&mut self, grant: &Grant<'_>) {
        let kind = |name: &str| ("grant_type", format!("urn:ietf:params:oauth:grant-type:{name}"));
        match grant {
            Grant::JwtBearer(statement) => {
                self.with_secrets([*statement]);
                self.extra.extend([kind("jwt-bearer"), ("assertion", owned(statement))]);
            }
            Grant::Exchange { subject, kind: subject_kind, audience } => {
                let subject_kind = match subject_kind {
                    SubjectKind::IdToken => "urn:ietf:params:oauth:token-type:id_token",
                    SubjectKind::RefreshToken => "urn:ietf:params:oauth:token-type:refresh_token",
                };
                self.with_secrets([*subject]);
                self.extra.extend([
                    kind("token-exchange"),
                    ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag".to_owned()),
                    ("audience", (*audience).to_owned()),
                    ("subject_token", owned(subject)),
                    ("subject_token_type", subject_kind.to_owned()),
                ]);
            }
            Grant::AuthorizationCode { .. } | Grant::RefreshToken(_) | Grant::ClientCredentials => {}
        }
    }

    /// What went wrong, in our words.
    pub(super) fn failure<E: ErrorResponse + 'static>(&self, error: RequestTokenError<Error, E>) -> Error {
        let expected = self.expected;
        match error {
            RequestTokenError::Request(error) => error,
            _ => self.failed().take().unwrap_or(Error::UnexpectedAnswer {
                url: shown(self.endpoint),
                status: StatusCode::OK.as_u16(),
                expected,
            }),
        }
    }

    /// Sends what the crate has made. An error that may pass is one of the connection to the crate, which asks again about a
    /// device; any other is the server's, and final unless it says that the person has not answered yet.
    async fn answer(&self, asked: HttpRequest) -> Result<HttpResponse, Error> {
        let answer = self.post(&asked).await?;
        let sent: Vec<&Secret> = self.sent.iter().collect();
        let ends_token = self.expected == "the end of the token";
        if ends_token && answer.status().is_success() {
            return Ok(Response::new(Vec::new()));
        }
        match read_members(self.endpoint, &answer, &sent, self.expected) {
            Ok(members) => Ok(Response::new(lenient(members))),
            Err(error) if error.is_transient() => Err(error),
            Err(error) => {
                let code = if let Error::Refused { code, .. } = &error { code.as_str() } else { "none" };
                let mut refusal = Response::new(json!({"error": code}).to_string().into_bytes());
                *refusal.status_mut() = StatusCode::BAD_REQUEST;
                *self.failed() = Some(error);
                Ok(refusal)
            }
        }
    }

    /// Sends a form; where the server demands a nonce in the proof, once more with it
    /// ([RFC 9449 §8](https://www.rfc-editor.org/rfc/rfc9449#section-8)).
    async fn post(&self, asked: &HttpRequest) -> Result<HttpResponse, Error> {
        let answer = self.asking.web.send(self.signed(asked)?).await?;
        let Some(proof) = self.asking.proof else { return Ok(answer) };
        let news = proof.remember_nonce(self.endpoint, answer.headers());
        let demanded = !answer.status().is_success()
            && serde_json::from_slice::<serde_json::Value>(answer.body())
                .is_ok_and(|body| text_member(&body, "error") == Some("use_dpop_nonce"));
        if !(news && demanded) {
            return Ok(answer);
        }
        let answer = self.asking.web.send(self.signed(asked)?).await?;
        proof.remember_nonce(self.endpoint, answer.headers());
        Ok(answer)
    }

    /// The request with everything that the crate cannot say.
    fn signed(&self, asked: &HttpRequest) -> Result<Request<Vec<u8>>, Error> {
        let statement = self.statement()?;
        // A client that its statement names, or that the platform vouches for, has no identifier besides.
        let unnamed = !statement.is_empty() || self.asking.client.id.is_empty();
        let standard = form_urlencoded::parse(asked.body());
        let standard = standard.filter(|(name, _)| {
            let replaced = self.extra.iter().any(|(ours, _)| ours == name);
            !(replaced || unnamed && name == "client_id")
        });
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(standard).extend_pairs(&self.extra).extend_pairs(&statement);
        let mut request = request(Method::POST, self.endpoint, body.finish().into_bytes())?;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        if let Some(secret) = asked.headers().get(AUTHORIZATION) {
            headers.insert(AUTHORIZATION, sensitive(secret.clone()));
        }
        if let Some(proof) = self.asking.proof {
            let proof = proof.proof(&Method::POST, self.endpoint, None, self.asking.clock.now())?;
            headers.insert(PROOF, sensitive(proof));
        }
        Ok(request)
    }

    /// The client's statement about itself ([RFC 7523 §3](https://www.rfc-editor.org/rfc/rfc7523#section-3)); its
    /// audience is the issuer, so that it is of no use to another server.
    fn statement(&self) -> Result<Form, Error> {
        let client = self.asking.client;
        if client.authentication != ClientAuthentication::PrivateKeyJwt {
            return Ok(Form::new());
        }
        let key = self.asking.key.ok_or_else(|| missing("private key"))?;
        let now = self.asking.clock.now();
        let claims = json!({
            "iss": client.id,
            "sub": client.id,
            "aud": self.asking.server.issuer,
            "jti": random_text()?.expose(),
            "iat": now.seconds(),
            "exp": now.after(STATEMENT_LIFETIME).seconds(),
        });
        let statement = key.sign(json!({"typ": "client-authentication+jwt"}), &claims)?;
        Ok(vec![
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".to_owned()),
            ("client_assertion", owned(&statement)),
        ])
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'c> AsyncHttpClient<'c> for Exchange<'_> {
    type Error = Error;
    type Future = BoxFuture<'c, Result<HttpResponse, Error>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.answer(request))
    }
}
