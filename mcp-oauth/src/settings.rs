//! What a user may set for one server.

use std::fmt;
use std::sync::Arc;

use url::Url;

use crate::client::{Client, ClientAuthentication, ClientOrigin};
use crate::credential::{Credential, Tokens};
use crate::error::Error;
use crate::guard::Reach;
use crate::login::LoginMethod;
use crate::loopback::is_loopback;
use crate::metadata::{AuthorizationServer, same_issuer};
use crate::scopes::Scopes;
use crate::secret::Secret;
use crate::signing_key::SigningKey;
use crate::token_response::TokenKind;

/// How one server is logged in to. `Settings::default()` suits a server that follows the specification; every field is
/// there because some server needs it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How tokens are had. Default: a person logs in.
    pub flow: Flow,
    /// A client that was registered by hand. Without one the client is described by
    /// [`client_document`](Self::client_document), or registers itself.
    pub client: Option<ConfiguredClient>,
    /// The URL of this program's client metadata document, for authorization servers that accept one. Default: none.
    pub client_document: Option<Url>,
    /// The name a person reads on the consent page. Default: `MCP toolkit`.
    pub client_name: String,
    /// The scopes to ask for, whatever the server suggests. Default: what the server suggests.
    pub scopes: Option<Scopes>,
    /// The `resource` parameter. Default: the published identifier.
    pub resource: ResourceParameter,
    /// Where the browser is sent back to.
    pub callback: CallbackSettings,
    /// The only authorization server to use. Default: the one the server names.
    pub issuer: Option<String>,
    /// Issuers that the authorization server's document may name although it was looked for under another name: an alias, or
    /// the tenant that a common address stands for. Default: none, as such a document may be somebody else's.
    pub issuer_aliases: Vec<String>,
    /// The authorization server's metadata document, in place of those that discovery looks for. Default: none.
    pub metadata_url: Option<Url>,
    /// How a person logs in where a request does not say. Default: in a browser.
    pub method: LoginMethod,
    /// Whether tokens are bound to a key. Default: no.
    pub proof: Proof,
    /// What the metadata of this server's authorization server need not fulfil. Default: nothing.
    pub exceptions: Exceptions,
    /// Use the default endpoints of MCP 2025-03-26 where nothing is published. Default: no, as a server that refuses a
    /// wrong API key would otherwise send its user to a login page that does not exist.
    pub legacy_endpoints: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            flow: Flow::Person,
            client: None,
            client_document: None,
            client_name: "MCP toolkit".to_owned(),
            scopes: None,
            resource: ResourceParameter::Published,
            callback: CallbackSettings::default(),
            issuer: None,
            issuer_aliases: Vec::new(),
            metadata_url: None,
            method: LoginMethod::Browser,
            proof: Proof::Never,
            exceptions: Exceptions::default(),
            legacy_endpoints: false,
        }
    }
}

impl Settings {
    /// How far URLs that `server` and its authorization server name may reach.
    pub fn reach(&self, server: &Url) -> Reach {
        match Reach::of(server) {
            Reach::Public if self.exceptions.private_addresses => Reach::Private,
            reach => reach,
        }
    }

    /// Whether `found`, the issuer of a document, is what `issuer` stands for.
    pub(crate) fn is_issuer(&self, found: &str, issuer: &str) -> bool {
        same_issuer(found, issuer) || self.issuer_aliases.iter().any(|alias| alias == found)
    }

    /// Whether tokens from `server` are to be bound to a key.
    pub(crate) fn wants_proof(&self, server: &AuthorizationServer) -> bool {
        match self.proof {
            Proof::Never => false,
            Proof::WhenOffered => server.dpop_algorithms.iter().any(|algorithm| algorithm == "ES256"),
            Proof::Always => true,
        }
    }

    /// Whether a login may be used: one that is not bound to a key is none where that is demanded.
    pub(crate) fn takes(&self, credential: &Credential) -> bool {
        let bound = |tokens: &Tokens| tokens.kind == TokenKind::Dpop;
        self.proof != Proof::Always || credential.tokens.as_ref().is_none_or(bound)
    }

    /// The configured client, as `server` takes it.
    pub(crate) fn configured_client(&self, server: &AuthorizationServer) -> Option<Client> {
        let configured = self.client.as_ref()?;
        let offered = server.token_endpoint_auth_methods.as_deref();
        let chosen = configured.authentication.unwrap_or_else(|| match (&configured.key, &configured.secret) {
            (Some(_), _) => ClientAuthentication::PrivateKeyJwt,
            (None, Some(_)) => ClientAuthentication::for_secret(offered),
            (None, None) => ClientAuthentication::None,
        });
        let mut client = Client::public(&configured.id, ClientOrigin::Configured);
        client.secret.clone_from(&configured.secret);
        client.authentication = chosen;
        Some(client)
    }

    /// The key with which the client signs statements about itself.
    pub(crate) fn client_key(&self) -> Option<&SigningKey> {
        self.client.as_ref()?.key.as_ref()
    }
}

/// How tokens are had.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Flow {
    /// A person logs in, with a browser here or on another device.
    #[default]
    Person,
    /// The client speaks for itself
    /// ([RFC 6749 §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4), extension
    /// `io.modelcontextprotocol/oauth-client-credentials`). Needs [`Settings::client`] with a secret or a key.
    ClientCredentials,
    /// The platform that runs the program vouches for it with a signed statement
    /// ([RFC 7523 §2.1](https://www.rfc-editor.org/rfc/rfc7523#section-2.1), extension
    /// `io.modelcontextprotocol/auth/wif`). A refused statement is not tried again and nothing else is tried instead.
    WorkloadIdentity(Assertion),
    /// The person has logged in to an identity provider that both sides trust (extension
    /// `io.modelcontextprotocol/enterprise-managed-authorization`).
    EnterpriseManaged(IdentityProvider),
}

/// A statement from outside, asked for each time that it is needed, as platforms replace it every few minutes.
#[derive(Clone)]
pub struct Assertion(Arc<dyn Fn() -> Result<Secret, Error> + Send + Sync>);

impl Assertion {
    /// A statement that never changes.
    pub fn fixed(statement: Secret) -> Self {
        Self::new(move || Ok(statement.clone()))
    }

    /// A statement that `read` fetches, for example from a file that the platform keeps fresh. It may block.
    pub fn new(read: impl Fn() -> Result<Secret, Error> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The statement of this moment.
    pub(crate) fn read(&self) -> Result<Secret, Error> {
        (self.0)()
    }
}

impl fmt::Debug for Assertion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Assertion([redacted])")
    }
}

/// An identity provider that exchanges what it knows about a person for a statement to the MCP server's authorization
/// server ([RFC 8693](https://www.rfc-editor.org/rfc/rfc8693)).
#[derive(Debug, Clone)]
pub struct IdentityProvider {
    /// Its token endpoint.
    pub token_endpoint: Url,
    /// The client's identifier there, often another one than at the authorization server.
    pub client_id: String,
    /// The client's secret there, if it has one.
    pub client_secret: Option<Secret>,
    /// What the provider gave at the person's login: an ID token or a refresh token.
    pub subject: Assertion,
    /// What [`subject`](Self::subject) is.
    pub subject_kind: SubjectKind,
}

/// What proves the person's login to an identity provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SubjectKind {
    /// An `OpenID` Connect ID token.
    IdToken,
    /// A refresh token, which outlives an ID token.
    RefreshToken,
}

/// A client that was registered by hand.
#[derive(Debug, Clone)]
pub struct ConfiguredClient {
    /// Its identifier.
    pub id: String,
    /// Its secret, if it has one.
    pub secret: Option<Secret>,
    /// Its key, if it has one.
    pub key: Option<SigningKey>,
    /// How it proves who it is. Default: by its key, else by its secret in the way the server offers, else not at all.
    pub authentication: Option<ClientAuthentication>,
}

impl ConfiguredClient {
    /// A client without a secret and a key.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), secret: None, key: None, authentication: None }
    }

    /// The same client with a secret.
    #[must_use]
    pub fn with_secret(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// The same client with a key.
    #[must_use]
    pub fn with_key(mut self, key: SigningKey) -> Self {
        self.key = Some(key);
        self
    }
}

/// The `resource` parameter of [RFC 8707](https://www.rfc-editor.org/rfc/rfc8707).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ResourceParameter {
    /// The identifier that the server publishes, verbatim, or else the canonical form of its URL.
    #[default]
    Published,
    /// Leave it out. Microsoft Entra's v2 endpoint refuses requests that have both a scope and a resource.
    Omitted,
    /// This value, verbatim.
    Exactly(String),
}

/// Whether tokens are bound to a key that proves every request
/// (`DPoP`, [RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Proof {
    /// No.
    #[default]
    Never,
    /// Where the authorization server lists `ES256` among its `DPoP` algorithms.
    WhenOffered,
    /// Always.
    Always,
}

/// Rules of the specification that a server is let off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exceptions {
    /// Go on when the metadata does not say that codes are protected (PKCE); the code is protected all the same, if the
    /// server does its part. MCP says a client must refuse; servers that forgot the member need this.
    pub unstated_code_challenges: bool,
    /// Ask authorization servers at private addresses, as inside a company.
    pub private_addresses: bool,
}

/// Where the browser is sent back to after a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackSettings {
    /// How the machine itself is called in the redirect URI. Default: `127.0.0.1`, as
    /// [RFC 8252 §8.3](https://www.rfc-editor.org/rfc/rfc8252#section-8.3) advises; some servers know only `localhost`.
    pub host: LoopbackHost,
    /// The port. Default: the port of the last registration if it is free, else any.
    pub port: Option<u16>,
    /// The path, verbatim. Default: `/callback`; an empty one makes a URI without a path.
    pub path: String,
    /// The URI to register instead, when the browser reaches this machine by another name, as through a tunnel. The
    /// listener stays on this machine, at [`port`](Self::port).
    pub public_uri: Option<Url>,
}

impl Default for CallbackSettings {
    fn default() -> Self {
        Self { host: LoopbackHost::V4, port: None, path: "/callback".to_owned(), public_uri: None }
    }
}

impl CallbackSettings {
    /// The redirect URI for a listener at `port`.
    pub fn redirect_uri(&self, port: u16) -> String {
        match &self.public_uri {
            Some(uri) => uri.as_str().to_owned(),
            None => format!("http://{}:{port}{}", self.host.name(), self.path),
        }
    }

    /// The port of a redirect URI that these settings could have formed.
    pub(crate) fn port_of(&self, redirect_uri: &str) -> Option<u16> {
        let url = Url::parse(redirect_uri).ok().filter(is_loopback)?;
        let port = url.port()?;
        (self.public_uri.is_none() && self.redirect_uri(port) == redirect_uri).then_some(port)
    }
}

/// How a redirect URI calls the machine itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LoopbackHost {
    /// `127.0.0.1`.
    #[default]
    V4,
    /// `[::1]`.
    V6,
    /// `localhost`; the listener takes IPv4 and, where it can, IPv6.
    Name,
}

impl LoopbackHost {
    fn name(self) -> &'static str {
        match self {
            Self::V4 => "127.0.0.1",
            Self::V6 => "[::1]",
            Self::Name => "localhost",
        }
    }
}

#[cfg(test)]
mod tests;
