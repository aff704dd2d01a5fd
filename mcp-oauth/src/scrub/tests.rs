use super::scrub;
use crate::secret::Secret;

#[test]
fn scrub_removes_what_was_sent_and_what_moves_a_cursor() {
    let token = Secret::new("canary-2");
    assert_eq!(scrub("bad token canary-2\u{1b}[2J", &[&token]), "bad token [redacted] [2J");
    assert_eq!(scrub(&"x".repeat(1000), &[]).len(), 300);
}
