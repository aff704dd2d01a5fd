//! Private keys that sign statements.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::Value;

use crate::error::Error;
use crate::secret::Secret;

/// A private key, and the one algorithm it signs with.
///
/// `Debug` shows the algorithm only. The key cannot be taken out again.
#[derive(Clone)]
pub struct SigningKey {
    pair: Arc<Pair>,
    id: Option<String>,
}

enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// Reads a key from PEM text: PKCS #8 for the curves P-256 (`ES256`), P-384 (`ES384`) and Ed25519 (`EdDSA`), PKCS #8
    /// or PKCS #1 for RSA of at least 2048 bits (`RS256`).
    ///
    /// # Errors
    ///
    /// [`Error::Key`] says what is wrong, never what the text was.
    pub fn from_pem(pem: &Secret) -> Result<Self, Error> {
        let refused = |reason| Error::Key { what: "private key", reason };
        let key = PrivateKeyDer::from_pem_slice(pem.expose().as_bytes())
            .map_err(|_source| refused("it is not a private key in PEM form"))?;
        let pair = match &key {
            PrivateKeyDer::Pkcs8(der) => Pair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).ok().map(Pair::Rsa),
            _ => return Err(refused("it is not in PKCS #8 form; `openssl pkcs8 -topk8 -nodes` converts it")),
        };
        let pair =
            pair.ok_or_else(|| refused("its kind is not one of P-256, P-384, Ed25519 and RSA from 2048 bits"))?;
        Ok(Self { pair: Arc::new(pair), id: None })
    }

    /// The same key, named `id` in the header of what it signs (`kid`).
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The name of the algorithm in the JOSE registry
    /// ([RFC 7518 §3.1](https://www.rfc-editor.org/rfc/rfc7518#section-3.1)).
    pub fn algorithm(&self) -> &'static str {
        match *self.pair {
            Pair::P256(_) => "ES256",
            Pair::P384(_) => "ES384",
            Pair::Ed25519(_) => "EdDSA",
            Pair::Rsa(_) => "RS256",
        }
    }

    /// A signed statement ([RFC 7519](https://www.rfc-editor.org/rfc/rfc7519)) with `claims`; the header gets the
    /// algorithm and the key's name.
    pub(crate) fn sign(&self, mut header: Value, claims: &Value) -> Result<Secret, Error> {
        header["alg"] = self.algorithm().into();
        if let Some(id) = &self.id {
            header["kid"] = id.as_str().into();
        }
        let signing = signing_input(&header, claims);
        let signature = self.pair.sign(signing.as_bytes())?;
        Ok(Secret::new(format!("{signing}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

impl Pair {
    fn from_pkcs8(der: &[u8]) -> Option<Self> {
        let random = SystemRandom::new();
        let curve = |algorithm| EcdsaKeyPair::from_pkcs8(algorithm, der, &random).ok();
        curve(&ECDSA_P256_SHA256_FIXED_SIGNING)
            .map(Self::P256)
            .or_else(|| curve(&ECDSA_P384_SHA384_FIXED_SIGNING).map(Self::P384))
            .or_else(|| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Self::Ed25519))
            .or_else(|| RsaKeyPair::from_pkcs8(der).ok().map(Self::Rsa))
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let failed = |_unspecified| Error::Key { what: "private key", reason: "it could not sign" };
        let random = SystemRandom::new();
        match self {
            Self::P256(pair) | Self::P384(pair) => {
                pair.sign(&random, message).map(|signature| signature.as_ref().to_vec()).map_err(failed)
            }
            Self::Ed25519(pair) => Ok(pair.sign(message).as_ref().to_vec()),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(failed)?;
                Ok(signature)
            }
        }
    }
}

/// Header and claims, encoded and joined as they are signed.
pub(crate) fn signing_input(header: &Value, claims: &Value) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()))
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SigningKey({})", self.algorithm())
    }
}

#[cfg(test)]
mod tests;
