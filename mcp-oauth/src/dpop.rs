//! Tokens that are worth nothing without a key.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use url::Url;

use crate::error::Error;
use crate::metadata::origin;
use crate::random::random_text;
use crate::secret::Secret;
use crate::signing_key::signing_input;
use crate::timestamp::Timestamp;

/// The header that carries a proof.
pub(crate) const PROOF: HeaderName = HeaderName::from_static("dpop");

/// The header in which a server demands a nonce for the next proof.
const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// Most servers whose nonce is remembered.
const MOST_NONCES: usize = 64;

/// Longest nonce that is repeated in a proof.
const LONGEST_NONCE: usize = 1024;

/// A key that proves possession of tokens, and the nonces that servers want to see
/// ([RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)).
pub(crate) struct ProofKey {
    pair: EcdsaKeyPair,
    /// The key in PKCS #8 form, base64, for the store.
    stored: Secret,
    /// The newest nonce of each origin: servers choose theirs independently (§8.2).
    nonces: Mutex<BTreeMap<String, String>>,
}

impl ProofKey {
    pub(crate) fn generate() -> Result<Self, Error> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .map_err(|_unspecified| refused("it could not be made"))?;
        Self::from_stored(&Secret::new(URL_SAFE_NO_PAD.encode(document.as_ref())))
    }

    pub(crate) fn from_stored(stored: &Secret) -> Result<Self, Error> {
        let der = URL_SAFE_NO_PAD.decode(stored.expose()).map_err(|_source| refused("it is not base64"))?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new())
            .map_err(|_source| refused("it is not a P-256 key"))?;
        Ok(Self { pair, stored: stored.clone(), nonces: Mutex::default() })
    }

    pub(crate) fn stored(&self) -> &Secret {
        &self.stored
    }

    /// A proof for one request. Each is used once: servers refuse a repeated one.
    pub(crate) fn proof(
        &self,
        method: &Method,
        url: &Url,
        token: Option<&Secret>,
        now: Timestamp,
    ) -> Result<HeaderValue, Error> {
        let mut target = url.clone();
        target.set_query(None);
        target.set_fragment(None);
        let mut claims = json!({
            "jti": random_text()?.expose(),
            "htm": method.as_str(),
            "htu": target.as_str(),
            "iat": now.seconds(),
        });
        if let Some(token) = token {
            let hash = digest(&SHA256, token.expose().as_bytes());
            claims["ath"] = URL_SAFE_NO_PAD.encode(hash.as_ref()).into();
        }
        if let Some(nonce) = self.nonces().get(&origin(url)) {
            claims["nonce"] = nonce.as_str().into();
        }
        let header = json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.public_key()});
        let signing = signing_input(&header, &claims);
        let signature = self
            .pair
            .sign(&SystemRandom::new(), signing.as_bytes())
            .map_err(|_unspecified| refused("it could not sign"))?;
        HeaderValue::try_from(format!("{signing}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref())))
            .map_err(|_source| refused("its proof is no header value"))
    }

    /// Keeps the nonce of an answer from `url`; says whether it is another than the one last used.
    pub(crate) fn remember_nonce(&self, url: &Url, headers: &HeaderMap) -> bool {
        let nonce = headers.get(NONCE).and_then(|value| value.to_str().ok());
        let Some(nonce) = nonce.filter(|nonce| !nonce.is_empty() && nonce.len() <= LONGEST_NONCE) else { return false };
        let (mut nonces, server) = (self.nonces(), origin(url));
        if nonces.get(&server).is_some_and(|known| known == nonce) {
            return false;
        }
        if nonces.len() >= MOST_NONCES && !nonces.contains_key(&server) {
            nonces.pop_first();
        }
        nonces.insert(server, nonce.to_owned());
        true
    }

    /// The public half as a JSON Web Key: ring's form is a byte `04` and the two coordinates of 32 bytes.
    fn public_key(&self) -> Value {
        let point = self.pair.public_key().as_ref().get(1..).unwrap_or_default();
        let (x, y) = point.split_at_checked(32).unwrap_or_default();
        json!({"kty": "EC", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y)})
    }

    fn nonces(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ProofKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProofKey([redacted])")
    }
}

fn refused(reason: &'static str) -> Error {
    Error::Key { what: "proof key", reason }
}

#[cfg(test)]
mod tests;
