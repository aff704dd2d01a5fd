use super::Secret;

#[test]
fn debug_shows_nothing_of_the_text() {
    let secret = Secret::new("canary-1");
    assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "[redacted] Some([redacted])");
}

#[test]
fn equality_is_that_of_the_text() {
    assert_eq!(Secret::new("a"), Secret::from("a"));
    assert_ne!(Secret::new("a"), Secret::new("b"));
    assert_ne!(Secret::new("a"), Secret::new("aa"));
    assert!(Secret::new("").is_empty());
}
