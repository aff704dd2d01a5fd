//! Who this program is to an authorization server.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::secret::Secret;
use crate::timestamp::Timestamp;

/// How a client proves who it is at the token endpoint
/// ([RFC 7591 §2](https://www.rfc-editor.org/rfc/rfc7591#section-2)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// It does not: a public client sends its identifier only.
    None,
    /// Its secret, by HTTP Basic ([RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)).
    ClientSecretBasic,
    /// Its secret, in the body of the request.
    ClientSecretPost,
    /// A statement signed with its key ([RFC 7523 §2.2](https://www.rfc-editor.org/rfc/rfc7523#section-2.2)).
    PrivateKeyJwt,
}

impl ClientAuthentication {
    /// Reads a registered method name; `None` for one that this crate does not speak.
    pub fn parse(name: &str) -> Option<Self> {
        let all = [Self::None, Self::ClientSecretBasic, Self::ClientSecretPost, Self::PrivateKeyJwt];
        all.into_iter().find(|method| method.name() == name)
    }

    /// The registered name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    /// The method of a client that holds a secret, where nobody said which: Basic, unless the server offers the body
    /// and not Basic, or offers nothing but public clients. A server that lists nothing means Basic
    /// ([RFC 8414 §2](https://www.rfc-editor.org/rfc/rfc8414#section-2)).
    pub(crate) fn for_secret(offered: Option<&[Self]>) -> Self {
        let offers = |method| offered.is_none_or(|list| list.contains(&method));
        let preferred = [Self::ClientSecretBasic, Self::ClientSecretPost, Self::None];
        preferred.into_iter().find(|method| offers(*method)).unwrap_or(Self::ClientSecretBasic)
    }

    /// The method to ask for when registering: none if that is offered or nothing is said, as a program on a person's
    /// machine keeps no secret from that person; else the best the server offers.
    pub(crate) fn to_register(offered: Option<&[Self]>) -> Self {
        match offered {
            Some(list) if !list.is_empty() && !list.contains(&Self::None) => Self::for_secret(offered),
            _ => Self::None,
        }
    }
}

/// How a client came to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClientOrigin {
    /// Somebody registered it by hand and put it into the configuration.
    Configured,
    /// Its identifier is the URL of its metadata document.
    Document,
    /// It registered itself ([RFC 7591](https://www.rfc-editor.org/rfc/rfc7591)).
    Registered,
}

/// A client as one authorization server knows it. It is stored with the credential, because tokens are bound to it: a
/// refresh with another identifier, secret or method fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// The identifier.
    pub id: String,
    /// The secret, of a client that has one.
    pub secret: Option<Secret>,
    /// How it proves who it is.
    pub authentication: ClientAuthentication,
    /// How it came to be known.
    pub origin: ClientOrigin,
    /// The redirect URI it was registered with, verbatim.
    pub redirect_uri: Option<String>,
    /// When the secret ends, if it does.
    pub secret_expires_at: Option<Timestamp>,
    /// Where the registration can be ended, and the token for that
    /// ([RFC 7592](https://www.rfc-editor.org/rfc/rfc7592)).
    pub management: Option<(Url, Secret)>,
    /// Whether the authorization server has said that it does not know this client any more.
    pub refused: bool,
}

impl Client {
    /// A client without a secret.
    pub fn public(id: impl Into<String>, origin: ClientOrigin) -> Self {
        Self {
            id: id.into(),
            secret: None,
            authentication: ClientAuthentication::None,
            origin,
            redirect_uri: None,
            secret_expires_at: None,
            management: None,
            refused: false,
        }
    }

    /// A client with a secret.
    pub fn confidential(
        id: impl Into<String>,
        secret: Secret,
        authentication: ClientAuthentication,
        origin: ClientOrigin,
    ) -> Self {
        Self { secret: Some(secret), authentication, ..Self::public(id, origin) }
    }

    /// Whether a registration may be used for another login: it is not refused, and its secret has not ended.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        !self.refused && self.secret_expires_at.is_none_or(|end| now < end)
    }
}
