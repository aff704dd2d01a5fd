use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Value, json};

use super::SigningKey;
use crate::secret::Secret;

fn pem(der: &[u8]) -> Secret {
    Secret::new(format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der)))
}

/// Signs, and checks the signature with another reading of the key; returns the header.
fn check(der: &[u8], public: &[u8], algorithm: &'static dyn VerificationAlgorithm) -> Value {
    let key = SigningKey::from_pem(&pem(der)).unwrap().with_id("k1");
    let token = key.sign(json!({"typ": "JWT"}), &json!({"iss": "me"})).unwrap();
    let (signed, signature) = token.expose().rsplit_once('.').unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let decode = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    assert_eq!(decode(claims), json!({"iss": "me"}));
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(algorithm, public).verify(signed.as_bytes(), &signature).unwrap();
    decode(header)
}

#[test]
fn signatures_verify() {
    let random = SystemRandom::new();
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random).unwrap();
    let header = check(der.as_ref(), pair.public_key().as_ref(), &ECDSA_P256_SHA256_FIXED);
    assert_eq!(header, json!({"typ": "JWT", "alg": "ES256", "kid": "k1"}));

    let der = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(der.as_ref()).unwrap();
    assert_eq!(check(der.as_ref(), pair.public_key().as_ref(), &ED25519)["alg"], "EdDSA");
}

#[test]
fn a_refused_key_is_not_shown() {
    let sec1 = "-----BEGIN EC PRIVATE KEY-----\nY2FuYXJ5\n-----END EC PRIVATE KEY-----\n";
    for (text, expected) in [
        ("canary", "the private key cannot be used: it is not a private key in PEM form"),
        (
            pem(b"canary").expose(),
            "the private key cannot be used: its kind is not one of P-256, P-384, Ed25519 and RSA from 2048 bits",
        ),
        (sec1, "the private key cannot be used: it is not in PKCS #8 form; `openssl pkcs8 -topk8 -nodes` converts it"),
    ] {
        let error = SigningKey::from_pem(&Secret::new(text)).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!format!("{error:?}").contains("canary"));
    }
}
