use crate::support::{ids, registry, server};

/// Returns what is flagged about servers with tools.
fn flagged(servers: &[(&str, &[&str])]) -> Vec<String> {
    ids(registry(servers.iter().map(|(name, tools)| server(name, tools))).snapshot().suspicious_names())
}

#[test]
fn ordinary_names_are_not_flagged() {
    assert_eq!(flagged(&[("github", &["search", "get_issue"]), ("jira", &["search"]), ("日本語", &["検索"])]), [""; 0]);
}

#[test]
fn invisible_characters_are_flagged() {
    for (name, code) in [
        ("git\u{200b}hub", "200B"),
        ("git\u{202e}hub", "202E"),
        ("github\u{e0041}", "E0041"),
        ("git\nhub", "000A"),
        ("git\u{a0}hub", "00A0"),
        ("github\u{fe0f}", "FE0F"),
        ("git\u{3164}", "3164"),
    ] {
        let found = flagged(&[(name, &[])]);
        assert_eq!(found, [format!("server {name:?}: its name holds the invisible character U+{code}")]);
        assert_eq!(flagged(&[("s", &[name])]).len(), 1);
    }
    assert_eq!(flagged(&[("with space", &["do it"])]), [""; 0]);
}

#[test]
fn names_that_look_like_anothers_are_flagged() {
    for (one, other) in [
        ("github", "gіthub"), // A Cyrillic і.
        ("github", "GitHub"),
        ("paypal", "paypaI"), // A capital I for an l.
        ("modern", "rnodern"),
        ("github", "git\u{200b}hub"),
    ] {
        let found = flagged(&[(one, &[]), (other, &[])]);
        let likeness = |of: &str, to: &str| format!("server {of:?}: its name looks like that of server {to:?}");
        assert!(found.contains(&likeness(one, other)) && found.contains(&likeness(other, one)), "{found:?}");
    }
}

#[test]
fn a_tool_that_looks_like_another_servers_is_flagged() {
    let found = flagged(&[("bank", &["pay"]), ("evil", &["рay"])]); // A Cyrillic р.
    assert_eq!(
        found,
        [
            r#"tool "bank.pay": its name looks like that of tool "evil.рay""#,
            r#"tool "evil.рay": its name looks like that of tool "bank.pay""#
        ]
    );
}
