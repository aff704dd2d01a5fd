//! Turns grants into tokens: the `oauth2` crate, with what it does not do.

use std::borrow::Cow;
use std::time::Duration;

use oauth2::basic::{BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse};
use oauth2::{
    AccessToken, AuthType, AuthorizationCode, ClientId, ClientSecret, DeviceAuthorizationUrl, PkceCodeVerifier,
    RedirectUrl, RefreshToken, RevocationUrl, Scope, StandardDeviceAuthorizationResponse, StandardRevocableToken,
    TokenUrl,
};
use tokio::time::{sleep, timeout};
use url::Url;

use crate::client::{Client, ClientAuthentication};
use crate::dpop::ProofKey;
use crate::error::Error;
use crate::guard::shown;
use crate::metadata::AuthorizationServer;
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::settings::SubjectKind;
use crate::signing_key::SigningKey;
use crate::timestamp::Clock;
use crate::token_response::TokenResponse;
use crate::web::Web;

use self::exchange::Exchange;

mod exchange;

/// Shortest and longest time between questions about a device, whatever the server says.
const INTERVALS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));

/// Longest login on another device, whatever the server says.
const LONGEST_LOGIN: Duration = Duration::from_mins(30);

type Standard = oauth2::Client<
    BasicErrorResponse,
    TokenResponse,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
>;

/// What stands for the permission of the resource's owner.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Grant<'a> {
    /// A code from a redirect ([RFC 6749 §4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)).
    AuthorizationCode { code: &'a Secret, verifier: &'a Secret, redirect_uri: &'a str },
    /// A refresh token ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)).
    RefreshToken(&'a Secret),
    /// The client itself ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)).
    ClientCredentials,
    /// A signed statement ([RFC 7523 §2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1)).
    JwtBearer(&'a Secret),
    /// What an identity provider gave, for a statement to the authorization server `audience`
    /// ([RFC 8693 §2.1](https://www.rfc-editor.org/rfc/rfc8693#section-2.1)).
    Exchange { subject: &'a Secret, kind: SubjectKind, audience: &'a str },
}

/// One request for a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRequest<'a> {
    pub(crate) grant: Grant<'a>,
    /// The `resource` parameter ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)), verbatim.
    pub(crate) resource: Option<&'a str>,
    /// The scopes, where a client asks for itself; elsewhere the person has been asked.
    pub(crate) scopes: Option<&'a Scopes>,
}

impl<'a> TokenRequest<'a> {
    /// A request that names no resource and no scope.
    pub(crate) fn new(grant: Grant<'a>) -> Self {
        Self { grant, resource: None, scopes: None }
    }
}

/// The token endpoint of an authorization server, as one client sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenEndpoint<'a> {
    web: &'a dyn Web,
    server: &'a AuthorizationServer,
    client: &'a Client,
    clock: &'a Clock,
    key: Option<&'a SigningKey>,
    proof: Option<&'a ProofKey>,
}

impl<'a> TokenEndpoint<'a> {
    /// The endpoint for `client`.
    pub(crate) fn new(web: &'a dyn Web, server: &'a AuthorizationServer, client: &'a Client, clock: &'a Clock) -> Self {
        Self { web, server, client, clock, key: None, proof: None }
    }

    /// The endpoint for a client that proves who it is with `key`, where its method is `private_key_jwt`.
    #[must_use]
    pub(crate) fn with_key(mut self, key: Option<&'a SigningKey>) -> Self {
        self.key = key;
        self
    }

    /// The endpoint from which tokens are bound to `proof`.
    #[must_use]
    pub(crate) fn with_proof(mut self, proof: Option<&'a ProofKey>) -> Self {
        self.proof = proof;
        self
    }

    /// Asks for a token. Not cancel safe: a refresh token may be used up while its successor is on the way.
    pub(crate) async fn request(&self, request: &TokenRequest<'_>) -> Result<TokenResponse, Error> {
        let endpoint = self.endpoint(self.server.token_endpoint.as_ref(), "a token endpoint")?;
        let client = self.standard()?.set_token_uri(TokenUrl::from_url(endpoint.clone()));
        let mut exchange = Exchange::new(self, endpoint, "a token");
        exchange.with_resource(request.resource);
        let answer = match request.grant {
            Grant::AuthorizationCode { code, verifier, redirect_uri } => {
                exchange.with_secrets([code, verifier]);
                let request = client
                    .exchange_code(AuthorizationCode::new(owned(code)))
                    .set_pkce_verifier(PkceCodeVerifier::new(owned(verifier)))
                    .set_redirect_uri(Cow::Owned(redirect_url(redirect_uri)?));
                request.request_async(&exchange).await
            }
            Grant::RefreshToken(token) => {
                exchange.with_secrets([token]);
                let token = RefreshToken::new(owned(token));
                client.exchange_refresh_token(&token).request_async(&exchange).await
            }
            Grant::ClientCredentials | Grant::JwtBearer(_) | Grant::Exchange { .. } => {
                exchange.with_extension(&request.grant);
                let scopes = request.scopes.into_iter().flat_map(Scopes::iter);
                let request = client.exchange_client_credentials();
                let request = request.add_scopes(scopes.map(|scope| Scope::new(scope.to_owned())));
                request.request_async(&exchange).await
            }
        };
        answer.map_err(|error| exchange.failure(error))
    }

    /// Gives a token back ([RFC 7009 §2.1](https://www.rfc-editor.org/rfc/rfc7009#section-2.1)); doing so again is harmless.
    /// A token that the server does not know counts as given back.
    pub(crate) async fn revoke(&self, token: &Secret, renews: bool) -> Result<(), Error> {
        let endpoint = self.endpoint(self.server.revocation_endpoint.as_ref(), "a way to give tokens back")?;
        // The crate insists on https, which a server on this machine need not have. How far URLs may reach is checked where
        // they are found, and what is asked is `endpoint`.
        let mut https = endpoint.clone();
        https
            .set_scheme("https")
            .map_err(|()| Error::UnsafeUrl { url: shown(endpoint), reason: "it must be https" })?;
        let client = self.standard()?.set_revocation_url(RevocationUrl::from_url(https));
        let mut exchange = Exchange::new(self, endpoint, "the end of the token");
        exchange.with_secrets([token]);
        let token = if renews {
            StandardRevocableToken::RefreshToken(RefreshToken::new(owned(token)))
        } else {
            StandardRevocableToken::AccessToken(AccessToken::new(owned(token)))
        };
        let unsafe_url = |_| Error::UnsafeUrl { url: shown(endpoint), reason: "it must be https" };
        let request = client.revoke_token(token).map_err(unsafe_url)?;
        request.request_async(&exchange).await.map_err(|error| exchange.failure(error))
    }

    /// Asks for a code to show to the person of a device
    /// ([RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)).
    pub(crate) async fn start_device(
        &self,
        scopes: &Scopes,
        resource: Option<&str>,
    ) -> Result<StandardDeviceAuthorizationResponse, Error> {
        let endpoint = self.endpoint(self.server.device_authorization_endpoint.as_ref(), "the device flow")?;
        let url = DeviceAuthorizationUrl::from_url(endpoint.clone());
        let client = self.standard()?.set_device_authorization_url(url);
        let mut exchange = Exchange::new(self, endpoint, "a code for the device");
        exchange.with_resource(resource);
        let request = client.exchange_device_code().add_scopes(scopes.iter().map(|scope| Scope::new(scope.to_owned())));
        request.request_async(&exchange).await.map_err(|error| exchange.failure(error))
    }

    /// Asks until the person of the device has answered
    /// ([RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4)).
    pub(crate) async fn poll_device(
        &self,
        device: &StandardDeviceAuthorizationResponse,
        resource: Option<&str>,
    ) -> Result<TokenResponse, Error> {
        let endpoint = self.endpoint(self.server.token_endpoint.as_ref(), "a token endpoint")?;
        let client = self.standard()?.set_token_uri(TokenUrl::from_url(endpoint.clone()));
        let code = Secret::from(device.device_code().secret().as_str());
        let mut exchange = Exchange::new(self, endpoint, "a token");
        exchange.with_resource(resource);
        exchange.with_secrets([&code]);
        let lifetime = device.expires_in().min(LONGEST_LOGIN);
        let pause = |interval: Duration| sleep(interval.clamp(INTERVALS.0, INTERVALS.1));
        let request = client.exchange_device_access_token(device).set_max_backoff_interval(INTERVALS.1);
        // The crate's own end is by the system's clock, and later than this one.
        let polling = request.request_async(&exchange, pause, Some(LONGEST_LOGIN * 2));
        match timeout(lifetime, polling).await {
            Err(_) => Err(Error::TimedOut { what: "the login on the other device", after: lifetime }),
            Ok(answer) => answer.map_err(|error| match exchange.failure(error) {
                Error::Refused { code, description, .. } if code == "access_denied" || code == "expired_token" => {
                    Error::Denied { code, description }
                }
                error => error,
            }),
        }
    }

    fn endpoint(&self, url: Option<&'a Url>, what: &'static str) -> Result<&'a Url, Error> {
        let advice = "log in another way";
        url.ok_or_else(|| Error::Unsupported { issuer: self.server.issuer.clone(), what, advice })
    }

    /// The client as the crate knows it, which sends the secret in the way of the client's method.
    fn standard(&self) -> Result<Standard, Error> {
        let client = Standard::new(ClientId::new(self.client.id.clone()));
        let method = match self.client.authentication {
            ClientAuthentication::None | ClientAuthentication::PrivateKeyJwt => return Ok(client),
            ClientAuthentication::ClientSecretBasic => AuthType::BasicAuth,
            ClientAuthentication::ClientSecretPost => AuthType::RequestBody,
        };
        let secret = self.client.secret.as_ref().ok_or_else(|| missing("client secret"))?;
        Ok(client.set_client_secret(ClientSecret::new(owned(secret))).set_auth_type(method))
    }
}

pub(crate) fn redirect_url(text: &str) -> Result<RedirectUrl, Error> {
    let refused = |_| Error::UnsafeUrl { url: text.to_owned(), reason: "it is no URL to come back to" };
    RedirectUrl::new(text.to_owned()).map_err(refused)
}

fn owned(secret: &Secret) -> String {
    secret.expose().to_owned()
}

fn missing(what: &'static str) -> Error {
    Error::Key { what, reason: "the client has none, and its method needs one" }
}

#[cfg(test)]
mod tests;
