//! The documents in which servers describe themselves.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::client::ClientAuthentication;
use crate::error::Error;
use crate::guard::Reach;
use crate::resource::Resource;
use crate::scopes::Scopes;
use crate::settings::Settings;

/// What a protected resource says about itself
/// ([RFC 9728 §2](https://www.rfc-editor.org/rfc/rfc9728#section-2)); members of a wrong type count as absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ProtectedResource {
    /// The identifier, verbatim.
    pub(crate) resource: Option<Resource>,
    /// The issuers that may protect it, verbatim, in order.
    pub(crate) authorization_servers: Vec<String>,
    /// Every scope the resource knows, when it lists them.
    pub(crate) scopes_supported: Option<Scopes>,
}

impl ProtectedResource {
    /// Reads a document; `None` when it is no JSON object or names no authorization server.
    pub(crate) fn parse(document: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(document).ok()?;
        let authorization_servers = strings(&document, "authorization_servers")?;
        if authorization_servers.is_empty() {
            return None;
        }
        Some(Self {
            resource: string(&document, "resource").map(Resource::published),
            authorization_servers,
            scopes_supported: strings(&document, "scopes_supported").map(|list| scopes(&list)),
        })
    }
}

/// Where the description of an authorization server comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MetadataSource {
    /// A document that the authorization server publishes.
    #[default]
    Published,
    /// Nobody publishes one: these are the default endpoints of MCP 2025-03-26, `/authorize`, `/token` and `/register`
    /// at the server's origin. That a server has them is a guess until a login has worked.
    LegacyDefaults,
}

/// What an authorization server says about itself
/// ([RFC 8414 §2](https://www.rfc-editor.org/rfc/rfc8414#section-2), `OpenID` Connect Discovery 1.0 §3).
///
/// It is kept with the credential, so that a refresh needs no discovery and works while the document cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AuthorizationServer {
    /// The identifier, verbatim: comparisons are of strings, byte by byte.
    pub issuer: String,
    /// Where it comes from.
    pub source: MetadataSource,
    /// Where a person logs in.
    pub authorization_endpoint: Option<Url>,
    /// Where grants become tokens.
    pub token_endpoint: Option<Url>,
    /// Where clients register themselves
    /// ([RFC 7591](https://www.rfc-editor.org/rfc/rfc7591)).
    pub registration_endpoint: Option<Url>,
    /// Where tokens are given back ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)).
    pub revocation_endpoint: Option<Url>,
    /// Where a device without a browser starts ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).
    pub device_authorization_endpoint: Option<Url>,
    /// Every scope the server lists.
    pub scopes_supported: Scopes,
    /// How clients may prove who they are at the token endpoint, as far as this crate can; `None` when the document
    /// does not say.
    pub token_endpoint_auth_methods: Option<Vec<ClientAuthentication>>,
    /// The PKCE methods, `None` when the document does not say.
    pub code_challenge_methods: Option<Vec<String>>,
    /// Whether redirects carry the issuer ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)).
    pub sends_issuer: bool,
    /// Whether a client may be named by the URL of its metadata document.
    pub accepts_client_documents: bool,
    /// The algorithms of `DPoP` proofs ([RFC 9449 §5.1](https://www.rfc-editor.org/rfc/rfc9449#section-5.1)); empty
    /// when it knows no `DPoP`.
    pub dpop_algorithms: Vec<String>,
}

impl AuthorizationServer {
    /// Reads a document; `None` when it is no JSON object or has no `issuer`, as a web page or another API answers.
    pub(crate) fn parse(document: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(document).ok()?;
        let endpoint = |name| string(&document, name).and_then(|text| Url::parse(text).ok());
        let flag = |name: &str| document.get(name).and_then(Value::as_bool).unwrap_or_default();
        let methods = strings(&document, "token_endpoint_auth_methods_supported");
        Some(Self {
            issuer: string(&document, "issuer").filter(|issuer| !issuer.is_empty())?.to_owned(),
            source: MetadataSource::Published,
            authorization_endpoint: endpoint("authorization_endpoint"),
            token_endpoint: endpoint("token_endpoint"),
            registration_endpoint: endpoint("registration_endpoint"),
            revocation_endpoint: endpoint("revocation_endpoint"),
            device_authorization_endpoint: endpoint("device_authorization_endpoint"),
            scopes_supported: scopes(&strings(&document, "scopes_supported").unwrap_or_default()),
            token_endpoint_auth_methods: methods
                .map(|names| names.iter().filter_map(|name| ClientAuthentication::parse(name)).collect()),
            code_challenge_methods: strings(&document, "code_challenge_methods_supported"),
            sends_issuer: flag("authorization_response_iss_parameter_supported"),
            accepts_client_documents: flag("client_id_metadata_document_supported"),
            dpop_algorithms: strings(&document, "dpop_signing_alg_values_supported").unwrap_or_default(),
        })
    }

    /// The endpoints that MCP 2025-03-26 prescribes for a server that publishes nothing; the path of `server` is
    /// dropped.
    pub(crate) fn legacy_defaults(server: &Url) -> Self {
        let at = |path| server.join(path).ok();
        Self {
            issuer: origin(server),
            source: MetadataSource::LegacyDefaults,
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: at("/register"),
            ..Self::default()
        }
    }

    /// Checks the document that was found for `issuer`.
    ///
    /// 1. Its issuer is `issuer`, byte by byte
    ///    ([RFC 8414 §3.3](https://www.rfc-editor.org/rfc/rfc8414#section-3.3)); only where neither has a path, a slash
    ///    at the end of one of them is overlooked, as large providers write it both ways; or it is one of
    ///    [`Settings::issuer_aliases`].
    /// 2. Every endpoint is within `reach`: those that get secrets above all.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] or [`Error::UnsafeUrl`].
    pub(crate) fn check(&self, issuer: &str, reach: Reach, settings: &Settings) -> Result<(), Error> {
        if !settings.is_issuer(&self.issuer, issuer) {
            return Err(Error::Mismatch {
                what: "issuer in the authorization server's metadata",
                expected: issuer.to_owned(),
                found: self.issuer.clone(),
            });
        }
        let endpoints = [
            &self.authorization_endpoint,
            &self.token_endpoint,
            &self.registration_endpoint,
            &self.revocation_endpoint,
            &self.device_authorization_endpoint,
        ];
        endpoints.into_iter().flatten().try_for_each(|endpoint| reach.check(endpoint))
    }

    /// Whether codes are protected by a challenge of the method `S256`; `None` when the document does not say.
    pub(crate) fn protects_codes(&self) -> Option<bool> {
        let methods = self.code_challenge_methods.as_ref()?;
        Some(methods.iter().any(|method| method == "S256"))
    }
}

/// Whether two issuers are one, with the tolerance for a bare origin's slash.
pub(crate) fn same_issuer(left: &str, right: &str) -> bool {
    let bare = |issuer: &str| {
        let url = Url::parse(issuer).ok()?;
        (url.path() == "/" && url.query().is_none()).then(|| issuer.trim_end_matches('/').to_owned())
    };
    left == right || bare(left).is_some_and(|left| Some(left) == bare(right))
}

/// The origin of a URL as an issuer: without a path and its slash.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn string<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    document.get(name)?.as_str()
}

fn strings(document: &Value, name: &str) -> Option<Vec<String>> {
    let list = document.get(name)?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn scopes(list: &[String]) -> Scopes {
    list.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests;
