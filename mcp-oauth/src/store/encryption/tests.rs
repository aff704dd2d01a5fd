use proptest::prelude::*;

use super::EncryptionKey;
use crate::secret::Secret;

#[test]
fn a_key_survives_its_text() {
    let key = EncryptionKey::generate().unwrap();
    let again = EncryptionKey::from_text(&key.to_text()).unwrap();
    assert_eq!(*again.open("n", &key.seal("n", b"x").unwrap()).unwrap(), b"x");
    assert_eq!(format!("{key:?}"), "EncryptionKey([redacted])");
    for text in ["", "short", &"A".repeat(44), "!"] {
        assert!(EncryptionKey::from_text(&Secret::new(text)).is_err(), "{text}");
    }
}

#[test]
fn a_record_opens_only_where_it_was_sealed_and_with_its_key() {
    let (key, other) = (EncryptionKey::generate().unwrap(), EncryptionKey::generate().unwrap());
    let sealed = key.seal("here", b"canary").unwrap();
    assert!(!String::from_utf8(sealed.clone()).unwrap().contains("canary"));
    assert!(key.open("there", &sealed).is_none());
    assert!(other.open("here", &sealed).is_none());
    assert!(key.open("here", b"{}").is_none());
    assert_ne!(sealed, key.seal("here", b"canary").unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_sealed_opens_and_what_is_changed_does_not(plain in proptest::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>()) {
        let key = EncryptionKey::generate().unwrap();
        let mut sealed = key.seal("n", &plain).unwrap();
        prop_assert_eq!(&*key.open("n", &sealed).unwrap(), &plain);
        let at = at.index(sealed.len());
        sealed[at] ^= 1;
        prop_assert!(key.open("n", &sealed).is_none_or(|opened| *opened == plain));
    }
}
