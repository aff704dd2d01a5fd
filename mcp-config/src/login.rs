//! What a definition says about logging in, in the words of no host in particular.

use serde::{Serialize, Serializer};

use crate::template::Template;

/// What a definition says about logging in. Values are as written; nothing here is expanded.
///
/// Serialised, what is not given is left out, and secrets always are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct OauthHints {
    /// Whether the definition switches OAuth off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// How tokens are had.
    #[serde(skip_serializing_if = "LoginFlow::is_default")]
    pub flow: LoginFlow,
    /// A client registered beforehand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// How that client proves who it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_authentication: Option<ClientAuthentication>,
    /// The scopes to ask for, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The port of the loopback redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_port: Option<u16>,
    /// The redirect URI, when the client was registered with a fixed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// The authorization server's metadata document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata_url: Option<String>,
    /// The only authorization server to use, and the one that the client is registered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Other names that the authorization server's document may give it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issuer_aliases: Vec<String>,
    /// The resource indicator (RFC 8707); the published one when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceHint>,
    /// Whether tokens are bound to a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<LoginProof>,
    /// Rules that the server is let off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<LoginException>,
    /// Whether the endpoints of MCP 2025-03-26 are used where nothing is published.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub legacy_endpoints: bool,
    /// Who vouches for the person, in the flow [`EnterpriseManaged`](LoginFlow::EnterpriseManaged).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_provider: Option<IdentityProviderHint>,
    #[serde(skip)]
    pub(crate) secrets: LoginSecrets<Template>,
}

impl OauthHints {
    /// Tells whether nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Makes an enum of words: the variants, and the word of each in a file.
macro_rules! words {
    ($(#[$docs:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every variant with its word, in order.
            pub(crate) const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)*];

            /// Returns its word in a file.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

words! {
    /// How tokens are had.
    #[derive(Default)]
    LoginFlow {
        /// A person logs in with a browser. The default.
        #[default]
        AuthorizationCode = "authorization-code",
        /// A person enters a code on another device.
        Device = "device",
        /// The client speaks for itself, with a secret or a key.
        ClientCredentials = "client-credentials",
        /// The platform vouches for the program with a statement.
        WorkloadIdentity = "workload-identity",
        /// An identity provider vouches for the person.
        EnterpriseManaged = "enterprise-managed",
    }
}

impl LoginFlow {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// How a client proves who it is; by default as the authorization server offers.
    ClientAuthentication {
        /// It does not: a public client.
        None = "none",
        /// By its secret in a header.
        ClientSecretBasic = "client_secret_basic",
        /// By its secret in the request.
        ClientSecretPost = "client_secret_post",
        /// By a statement that its key has signed.
        PrivateKeyJwt = "private_key_jwt",
    }
}

words! {
    /// Whether tokens are bound to a key that proves every request (`DPoP`). By default they are not.
    LoginProof {
        /// Where the authorization server offers it.
        WhenOffered = "when-offered",
        /// Always; a server that does not bind its tokens cannot be used.
        Always = "always",
    }
}

words! {
    /// A rule that a server is let off. Each takes a protection away.
    LoginException {
        /// The authorization server need not say that it protects codes (PKCE).
        UnstatedCodeChallenges = "unstated-code-challenges",
        /// The authorization server may be at a private address.
        PrivateAddresses = "private-addresses",
    }
}

impl LoginException {
    /// Says what it takes away, for whoever is to agree.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::UnstatedCodeChallenges => "the authorization server need not say that it protects codes (PKCE)",
            Self::PrivateAddresses => "the authorization server may be at a private address",
        }
    }
}

/// The `resource` parameter of a login. Serialised, as in a file: the value, or `false`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceHint {
    /// It is left out.
    Omitted,
    /// This value, verbatim.
    Exactly(String),
}

impl Serialize for ResourceHint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Omitted => serializer.serialize_bool(false),
            Self::Exactly(resource) => serializer.serialize_str(resource),
        }
    }
}

/// An identity provider, whose word on the person the authorization server believes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IdentityProviderHint {
    /// Where its tokens are exchanged.
    pub token_endpoint: String,
    /// What this program is called there.
    pub client_id: String,
}

/// What a login presents and nobody may know. `T` says how far it has come: written, planned, or expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginSecrets<T> {
    /// The secret of the client in [`OauthHints::client_id`].
    pub client_secret: Option<T>,
    /// Its private key, in PEM.
    pub client_key: Option<T>,
    /// The platform's statement about the program.
    pub assertion: Option<T>,
    /// The client's secret at the identity provider.
    pub provider_secret: Option<T>,
    /// The person's ID token from the identity provider.
    pub id_token: Option<T>,
    /// The person's refresh token from the identity provider.
    pub refresh_token: Option<T>,
}

impl<T> Default for LoginSecrets<T> {
    fn default() -> Self {
        Self {
            client_secret: None,
            client_key: None,
            assertion: None,
            provider_secret: None,
            id_token: None,
            refresh_token: None,
        }
    }
}

/// Where a secret stands in a definition, and what it is called to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SecretField {
    pub(crate) field: &'static str,
    pub(crate) name: &'static str,
    /// Whether it goes to the identity provider, and not to the authorization server.
    pub(crate) is_for_provider: bool,
}

const fn field(field: &'static str, name: &'static str, is_for_provider: bool) -> SecretField {
    SecretField { field, name, is_for_provider }
}

impl<T> LoginSecrets<T> {
    fn each(&self) -> [(SecretField, Option<&T>); 6] {
        let Self { client_secret, client_key, assertion, provider_secret, id_token, refresh_token } = self;
        [
            (field("oauth.clientSecret", "client secret", false), client_secret.as_ref()),
            (field("oauth.clientKey", "client key", false), client_key.as_ref()),
            (field("oauth.assertion", "assertion", false), assertion.as_ref()),
            (field("oauth.identityProvider.clientSecret", "provider's client secret", true), provider_secret.as_ref()),
            (field("oauth.identityProvider.idToken", "ID token", true), id_token.as_ref()),
            (field("oauth.identityProvider.refreshToken", "refresh token", true), refresh_token.as_ref()),
        ]
    }

    /// Those that are there, each with its place, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SecretField, &T)> {
        self.each().into_iter().filter_map(|(place, value)| Some((place, value?)))
    }

    /// Makes others of them.
    pub(crate) fn map<U, E>(&self, make: impl Fn(SecretField, &T) -> Result<U, E>) -> Result<LoginSecrets<U>, E> {
        let made = self.each().map(|(place, value)| value.map(|value| make(place, value)).transpose());
        let [client_secret, client_key, assertion, provider_secret, id_token, refresh_token] = made;
        Ok(LoginSecrets {
            client_secret: client_secret?,
            client_key: client_key?,
            assertion: assertion?,
            provider_secret: provider_secret?,
            id_token: id_token?,
            refresh_token: refresh_token?,
        })
    }
}
