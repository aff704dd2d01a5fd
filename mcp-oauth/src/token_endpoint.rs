//! Turns grants into tokens.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response};
use serde_json::json;
use std::time::Duration;
use url::{Url, form_urlencoded};

use crate::client::{Client, ClientAuthentication};
use crate::dpop::{PROOF, ProofKey};
use crate::error::Error;
use crate::guard::shown;
use crate::metadata::AuthorizationServer;
use crate::random::random_text;
use crate::registration::sensitive;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::settings::SubjectKind;
use crate::signing_key::SigningKey;
use crate::timestamp::Clock;
use crate::token_response::{TokenResponse, read_members, read_token_response, seconds, text_member};
use crate::web::{Web, request};

/// How long a client's statement about itself is valid: long enough for clocks that differ, too short to be of use.
const STATEMENT_LIFETIME: Duration = Duration::from_mins(1);

/// The members of a form, in the order in which they are sent.
type Form = Vec<(&'static str, String)>;

/// What stands for the permission of the resource's owner.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Grant<'a> {
    /// A code from a redirect ([RFC 6749 §4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)).
    AuthorizationCode {
        /// The code.
        code: &'a Secret,
        /// The verifier of its challenge.
        verifier: &'a Secret,
        /// The redirect URI of the authorization request, verbatim.
        redirect_uri: &'a str,
    },
    /// A refresh token ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)).
    RefreshToken(&'a Secret),
    /// The client itself ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)).
    ClientCredentials,
    /// A signed statement ([RFC 7523 §2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1)).
    JwtBearer(&'a Secret),
    /// A device whose person is asked elsewhere ([RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4)).
    DeviceCode(&'a Secret),
    /// What an identity provider gave, for a statement to the authorization server `audience`
    /// ([RFC 8693 §2.1](https://www.rfc-editor.org/rfc/rfc8693#section-2.1)).
    Exchange {
        /// What it gave.
        subject: &'a Secret,
        /// What that is.
        kind: SubjectKind,
        /// The issuer that the statement is for.
        audience: &'a str,
    },
}

/// One request for a token.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TokenRequest<'a> {
    /// The grant.
    pub grant: Grant<'a>,
    /// The `resource` parameter ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)), verbatim.
    pub resource: Option<&'a str>,
    /// The scopes; a refresh leaves them out and keeps what was granted.
    pub scopes: Option<&'a Scopes>,
}

impl<'a> TokenRequest<'a> {
    /// A request that names no resource and no scope.
    pub fn new(grant: Grant<'a>) -> Self {
        Self { grant, resource: None, scopes: None }
    }
}

/// The token endpoint of an authorization server, as one client sees it.
#[derive(Debug, Clone, Copy)]
pub struct TokenEndpoint<'a> {
    web: &'a dyn Web,
    server: &'a AuthorizationServer,
    client: &'a Client,
    clock: &'a Clock,
    key: Option<&'a SigningKey>,
    proof: Option<&'a ProofKey>,
}

/// What a device shows to its person ([RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceAuthorization {
    pub(crate) device_code: Secret,
    pub(crate) user_code: String,
    pub(crate) verification_uri: Url,
    pub(crate) verification_uri_complete: Option<Url>,
    pub(crate) expires_in: Duration,
    pub(crate) interval: Duration,
}

impl<'a> TokenEndpoint<'a> {
    /// The endpoint for `client`.
    pub fn new(web: &'a dyn Web, server: &'a AuthorizationServer, client: &'a Client, clock: &'a Clock) -> Self {
        Self { web, server, client, clock, key: None, proof: None }
    }

    /// The endpoint for a client that proves who it is with `key`, where its method is `private_key_jwt`.
    #[must_use]
    pub fn with_key(mut self, key: Option<&'a SigningKey>) -> Self {
        self.key = key;
        self
    }

    /// The endpoint from which tokens are bound to `proof`.
    #[must_use]
    pub(crate) fn with_proof(mut self, proof: Option<&'a ProofKey>) -> Self {
        self.proof = proof;
        self
    }

    /// Asks for a token.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] when the server says no, [`Error::UnexpectedAnswer`] when something else answers,
    /// [`Error::Unreachable`] when nothing does.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a refresh token may be used up while its successor is on the way. Run it in a task of its own.
    pub async fn request(&self, request: &TokenRequest<'_>) -> Result<TokenResponse, Error> {
        let endpoint = self.endpoint(self.server.token_endpoint.as_ref(), "a token endpoint")?;
        let mut sent = secrets_of(&request.grant);
        sent.extend(&self.client.secret);
        let answer = self.post(endpoint, &parameters(request)).await?;
        let found = read_token_response(endpoint, &answer, &sent)?;
        tracing::debug!(endpoint = shown(endpoint), renewable = found.refresh_token.is_some(), "got a token");
        Ok(found)
    }

    /// Gives a token back ([RFC 7009 §2.1](https://www.rfc-editor.org/rfc/rfc7009#section-2.1)). `hint` is
    /// `refresh_token` or `access_token`. A token that the server does not know counts as given back.
    ///
    /// # Errors
    ///
    /// Those of [`TokenEndpoint::request`], and [`Error::Unsupported`] when tokens cannot be given back.
    ///
    /// # Cancel safety
    ///
    /// The token may or may not have been given back; giving it back again is harmless.
    pub async fn revoke(&self, token: &Secret, hint: &'static str) -> Result<(), Error> {
        let endpoint = self.endpoint(self.server.revocation_endpoint.as_ref(), "a way to give tokens back")?;
        let form = vec![("token", token.expose().to_owned()), ("token_type_hint", hint.to_owned())];
        let answer = self.post(endpoint, &form).await?;
        if answer.status().is_success() {
            return Ok(());
        }
        read_members(endpoint, &answer, &[token], "the end of the token").map(drop)
    }

    pub(crate) async fn start_device(
        &self,
        scopes: &Scopes,
        resource: Option<&str>,
    ) -> Result<DeviceAuthorization, Error> {
        let endpoint = self.endpoint(self.server.device_authorization_endpoint.as_ref(), "the device flow")?;
        let mut form = Vec::new();
        if !scopes.is_empty() {
            form.push(("scope", scopes.to_string()));
        }
        form.extend(resource.map(|resource| ("resource", resource.to_owned())));
        let answer = self.post(endpoint, &form).await?;
        let body = read_members(endpoint, &answer, &[], "a code for the device")?;
        let read = || {
            Some(DeviceAuthorization {
                device_code: Secret::from(text_member(&body, "device_code")?),
                user_code: text_member(&body, "user_code")?.to_owned(),
                // Google names it verification_url.
                verification_uri: text_member(&body, "verification_uri")
                    .or_else(|| text_member(&body, "verification_url"))
                    .and_then(|url| Url::parse(url).ok())?,
                verification_uri_complete: text_member(&body, "verification_uri_complete")
                    .and_then(|url| Url::parse(url).ok()),
                expires_in: seconds(&body, "expires_in").unwrap_or(Duration::from_mins(10)),
                interval: seconds(&body, "interval").unwrap_or(Duration::from_secs(5)),
            })
        };
        read().ok_or_else(|| Error::UnexpectedAnswer {
            url: shown(endpoint),
            status: answer.status().as_u16(),
            expected: "a code for the device",
        })
    }

    fn endpoint(&self, url: Option<&'a Url>, what: &'static str) -> Result<&'a Url, Error> {
        let advice = "log in another way";
        url.ok_or_else(|| Error::Unsupported { issuer: self.server.issuer.clone(), what, advice })
    }

    /// Sends a form; where the server demands a nonce in the proof, once more with it
    /// ([RFC 9449 §8](https://www.rfc-editor.org/rfc/rfc9449#section-8)).
    async fn post(&self, endpoint: &Url, form: &[(&'static str, String)]) -> Result<Response<Vec<u8>>, Error> {
        let answer = self.web.send(self.signed(endpoint, form)?).await?;
        let Some(proof) = self.proof else { return Ok(answer) };
        let news = proof.remember_nonce(endpoint, answer.headers());
        let demanded = !answer.status().is_success()
            && serde_json::from_slice::<serde_json::Value>(answer.body())
                .is_ok_and(|body| text_member(&body, "error") == Some("use_dpop_nonce"));
        if !(news && demanded) {
            return Ok(answer);
        }
        let answer = self.web.send(self.signed(endpoint, form)?).await?;
        proof.remember_nonce(endpoint, answer.headers());
        Ok(answer)
    }

    /// The request with everything that shows who asks.
    fn signed(&self, endpoint: &Url, form: &[(&'static str, String)]) -> Result<Request<Vec<u8>>, Error> {
        let (header, identity) = self.identity()?;
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(form).extend_pairs(&identity);
        let mut request = request(Method::POST, endpoint, body.finish().into_bytes())?;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        if let Some(header) = header {
            headers.insert(AUTHORIZATION, sensitive(header));
        }
        if let Some(proof) = self.proof {
            headers.insert(PROOF, sensitive(proof.proof(&Method::POST, endpoint, None, self.clock.now())?));
        }
        Ok(request)
    }

    /// What identifies the client: a header, or members of the form.
    fn identity(&self) -> Result<(Option<HeaderValue>, Form), Error> {
        let id = || ("client_id", self.client.id.clone());
        let missing = |what| Error::Key { what, reason: "the client has none, and its method needs one" };
        let secret = || self.client.secret.as_ref().ok_or_else(|| missing("client secret"));
        Ok(match self.client.authentication {
            ClientAuthentication::None if self.client.id.is_empty() => (None, Vec::new()),
            ClientAuthentication::None => (None, vec![id()]),
            ClientAuthentication::ClientSecretBasic => (Some(basic(&self.client.id, secret()?)?), Vec::new()),
            ClientAuthentication::ClientSecretPost => {
                (None, vec![id(), ("client_secret", secret()?.expose().to_owned())])
            }
            ClientAuthentication::PrivateKeyJwt => {
                let key = self.key.ok_or_else(|| missing("private key"))?;
                (None, self.statement(key)?)
            }
        })
    }

    /// The client's statement about itself ([RFC 7523 §3](https://www.rfc-editor.org/rfc/rfc7523#section-3)); its
    /// audience is the issuer, so that it is of no use to another server.
    fn statement(&self, key: &SigningKey) -> Result<Form, Error> {
        let now = self.clock.now();
        let claims = json!({
            "iss": self.client.id,
            "sub": self.client.id,
            "aud": self.server.issuer,
            "jti": random_text()?.expose(),
            "iat": now.seconds(),
            "exp": now.after(STATEMENT_LIFETIME).seconds(),
        });
        let statement = key.sign(json!({"typ": "client-authentication+jwt"}), &claims)?;
        Ok(vec![
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer".to_owned()),
            ("client_assertion", statement.expose().to_owned()),
        ])
    }
}

/// HTTP Basic, of values that are form-encoded first
/// ([RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)).
fn basic(id: &str, secret: &Secret) -> Result<HeaderValue, Error> {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = STANDARD.encode(format!("{}:{}", encode(id), encode(secret.expose())));
    HeaderValue::try_from(format!("Basic {pair}"))
        .map_err(|_source| Error::Key { what: "client secret", reason: "it is no header value" })
}

fn parameters(request: &TokenRequest<'_>) -> Form {
    let mut form = grant_parameters(&request.grant);
    form.extend(request.resource.map(|resource| ("resource", resource.to_owned())));
    let scopes = request.scopes.filter(|scopes| !scopes.is_empty());
    form.extend(scopes.map(|scopes| ("scope", scopes.to_string())));
    form
}

fn grant_parameters(grant: &Grant<'_>) -> Form {
    let owned = |secret: &Secret| secret.expose().to_owned();
    let kind = |name: &str| ("grant_type", name.to_owned());
    match grant {
        Grant::AuthorizationCode { code, verifier, redirect_uri } => vec![
            kind("authorization_code"),
            ("code", owned(code)),
            ("code_verifier", owned(verifier)),
            ("redirect_uri", (*redirect_uri).to_owned()),
        ],
        Grant::RefreshToken(token) => vec![kind("refresh_token"), ("refresh_token", owned(token))],
        Grant::ClientCredentials => vec![kind("client_credentials")],
        Grant::JwtBearer(assertion) => {
            vec![kind("urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", owned(assertion))]
        }
        Grant::DeviceCode(code) => {
            vec![kind("urn:ietf:params:oauth:grant-type:device_code"), ("device_code", owned(code))]
        }
        Grant::Exchange { subject, kind: subject_kind, audience } => vec![
            kind("urn:ietf:params:oauth:grant-type:token-exchange"),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag".to_owned()),
            ("audience", (*audience).to_owned()),
            ("subject_token", owned(subject)),
            ("subject_token_type", subject_token_type(*subject_kind).to_owned()),
        ],
    }
}

fn subject_token_type(kind: SubjectKind) -> &'static str {
    match kind {
        SubjectKind::IdToken => "urn:ietf:params:oauth:token-type:id_token",
        SubjectKind::RefreshToken => "urn:ietf:params:oauth:token-type:refresh_token",
    }
}

fn secrets_of<'a>(grant: &Grant<'a>) -> Vec<&'a Secret> {
    match grant {
        Grant::AuthorizationCode { code, verifier, .. } => vec![code, verifier],
        Grant::RefreshToken(secret) | Grant::JwtBearer(secret) | Grant::DeviceCode(secret) => vec![secret],
        Grant::Exchange { subject, .. } => vec![subject],
        Grant::ClientCredentials => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
