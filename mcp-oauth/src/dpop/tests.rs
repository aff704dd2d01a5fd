use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, Method};
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use url::Url;

use super::{MOST_NONCES, ProofKey};
use crate::secret::Secret;
use crate::timestamp::Timestamp;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Header and claims of a proof whose signature is that of the key in its header.
fn verified(proof: &HeaderValue) -> (Value, Value) {
    let text = proof.to_str().unwrap();
    let (signed, signature) = text.rsplit_once('.').unwrap();
    let (header, claims) = signed.split_once('.').unwrap();
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let header: Value = serde_json::from_slice(&bytes(header)).unwrap();
    let mut point = vec![4];
    point.extend(bytes(header["jwk"]["x"].as_str().unwrap()));
    point.extend(bytes(header["jwk"]["y"].as_str().unwrap()));
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed.as_bytes(), &bytes(signature)).unwrap();
    (header, serde_json::from_slice(&bytes(claims)).unwrap())
}

#[test]
fn a_proof_is_for_one_request() {
    let key = ProofKey::generate().unwrap();
    let token = Secret::new("token");
    let now = Timestamp::from_seconds(1000);
    let proof = key.proof(&Method::POST, &url("https://h/mcp?q=1#f"), Some(&token), now).unwrap();
    let (header, claims) = verified(&proof);
    assert_eq!(
        (&header["typ"], &header["alg"], &header["jwk"]["crv"]),
        (&json!("dpop+jwt"), &json!("ES256"), &json!("P-256"))
    );
    assert_eq!(
        (&claims["htm"], &claims["htu"], &claims["iat"]),
        (&json!("POST"), &json!("https://h/mcp"), &json!(1000))
    );
    let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, b"token").as_ref());
    assert_eq!((&claims["ath"], claims.get("nonce")), (&json!(hash), None));
    let (_, again) = verified(&key.proof(&Method::POST, &url("https://h/mcp"), None, now).unwrap());
    assert_ne!(claims["jti"], again["jti"]);
    assert_eq!(again.get("ath"), None);
}

#[test]
fn a_key_survives_the_store() {
    let key = ProofKey::generate().unwrap();
    let again = ProofKey::from_stored(key.stored()).unwrap();
    assert_eq!(key.public_key(), again.public_key());
    assert!(ProofKey::from_stored(&Secret::new("canary")).is_err());
    assert_eq!(format!("{key:?}"), "ProofKey([redacted])");
}

#[test]
fn each_server_has_its_own_nonce() {
    let key = ProofKey::generate().unwrap();
    let answer = |nonce: &str| HeaderMap::from_iter([("dpop-nonce".parse().unwrap(), nonce.parse().unwrap())]);
    assert!(key.remember_nonce(&url("https://a/x"), &answer("n1")));
    assert!(!key.remember_nonce(&url("https://a/y"), &answer("n1")));
    assert!(key.remember_nonce(&url("https://a/y"), &answer("n2")));
    assert!(!key.remember_nonce(&url("https://a/y"), &HeaderMap::new()));
    assert!(!key.remember_nonce(&url("https://a/y"), &answer(&"n".repeat(2000))));
    let nonce_at = |place: &str| {
        let proof = key.proof(&Method::GET, &url(place), None, Timestamp::default()).unwrap();
        verified(&proof).1.get("nonce").cloned()
    };
    assert_eq!((nonce_at("https://a/z"), nonce_at("https://b/z")), (Some(json!("n2")), None));
    for server in 0..2 * MOST_NONCES {
        key.remember_nonce(&url(&format!("https://h{server}/")), &answer("n"));
    }
    assert!(key.nonces().len() <= MOST_NONCES);
}
