use proptest::prelude::*;

use super::{Pattern, escape};
use crate::error::RuleFault;

fn matches(pattern: &str, name: &str) -> bool {
    Pattern::parse(pattern).expect("a valid pattern").matches(name)
}

#[test]
fn stars_stand_for_any_characters() {
    for (pattern, name, expected) in [
        ("get_*", "get_issue", true),
        ("get_*", "get_", true),
        ("get_*", "forget_issue", false),
        ("*", "", true),
        ("*_*", "_", true),
        ("a*a", "a", false),
        ("a*a", "aa", true),
        ("*issue*", "create_issues", true),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-c-b", false),
        ("**", "anything", true),
        ("", "", true),
        ("", "x", false),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} on {name}");
    }
}

#[test]
fn other_wildcards_must_be_escaped() {
    assert!(matches(r"a\?\[b\]\{c\}", "a?[b]{c}"));
    for pattern in ["a?", "[ab]", "delete_{all,one}"] {
        assert_eq!(Pattern::parse(pattern), Err(RuleFault::Wildcard), "{pattern}");
    }
    assert!(!matches("Get", "get"), "names that differ in case are different names");
}

#[test]
fn a_backslash_makes_the_next_character_literal() {
    assert!(matches(r"a\*b", "a*b"));
    assert!(!matches(r"a\*b", "axb"));
    assert!(matches(r"a\\", r"a\"));
    assert_eq!(Pattern::parse(r"a\"), Err(RuleFault::Escape));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_escaped_name_matches_itself_and_nothing_else(name in ".{0,24}", other in ".{0,24}") {
        let pattern = Pattern::parse(&escape(&name)).expect("an escaped name is a valid pattern");
        prop_assert!(pattern.matches(&name));
        prop_assert_eq!(pattern.matches(&other), name == other);
    }

    #[test]
    fn a_glob_matches_as_the_obvious_recursion_does(pattern in "[ab*]{0,8}", name in "[ab]{0,10}") {
        fn obvious(pattern: &[u8], name: &[u8]) -> bool {
            match (pattern.split_first(), name.split_first()) {
                (None, None) => true,
                (Some((b'*', rest)), _) => {
                    obvious(rest, name) || name.split_first().is_some_and(|(_, name)| obvious(pattern, name))
                }
                (Some((wanted, pattern)), Some((found, name))) => wanted == found && obvious(pattern, name),
                _ => false,
            }
        }
        prop_assert_eq!(matches(&pattern, &name), obvious(pattern.as_bytes(), name.as_bytes()));
    }
}
