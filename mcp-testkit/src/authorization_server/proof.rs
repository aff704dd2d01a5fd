//! Proofs of possession (RFC 9449), checked.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    digest::{SHA256, digest},
    signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey},
};
use serde_json::Value;

/// What a proof must be about.
pub(super) struct Expected<'a> {
    pub(super) method: &'a str,
    pub(super) url: &'a str,
    pub(super) token: Option<&'a str>,
    pub(super) nonce: Option<&'a str>,
}

/// The thumbprint of the proof's key, or the error code. `seen` are the proofs that have come before.
pub(super) fn check(proof: &str, expected: &Expected<'_>, seen: &mut BTreeSet<String>) -> Result<String, &'static str> {
    let (key, claims) = verified(proof).ok_or("invalid_dpop_proof")?;
    let hash = expected.token.map(|token| encode(digest(&SHA256, token.as_bytes()).as_ref()));
    let fits = claims["htm"] == expected.method
        && claims["htu"] == expected.url
        && claims["ath"].as_str() == hash.as_deref()
        && claims["iat"].is_u64()
        && claims["jti"].as_str().is_some_and(|id| seen.insert(id.to_owned()));
    if !fits {
        return Err("invalid_dpop_proof");
    }
    if expected.nonce.is_some() && claims["nonce"].as_str() != expected.nonce {
        return Err("use_dpop_nonce");
    }
    Ok(key)
}

/// The key's thumbprint (RFC 7638) and the claims, if the signature is the key's.
fn verified(proof: &str) -> Option<(String, Value)> {
    let (signed, signature) = proof.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let header: Value = serde_json::from_slice(&decode(header)?).ok()?;
    if header["typ"] != "dpop+jwt" || header["alg"] != "ES256" {
        return None;
    }
    let (x, y) = (header["jwk"]["x"].as_str()?, header["jwk"]["y"].as_str()?);
    let point = [vec![4], decode(x)?, decode(y)?].concat();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed.as_bytes(), &decode(signature)?).ok()?;
    let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
    Some((encode(digest(&SHA256, canonical.as_bytes()).as_ref()), serde_json::from_slice(&decode(claims)?).ok()?))
}

fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
