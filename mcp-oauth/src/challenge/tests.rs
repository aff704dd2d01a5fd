use proptest::prelude::*;

use super::Challenge;

/// Each challenge as `scheme {name=value; …}`.
fn shown(values: &[&str]) -> Vec<String> {
    let show = |challenge: &Challenge| {
        let parameters: Vec<_> = challenge.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {{{}}}", challenge.scheme, parameters.join("; "))
    };
    Challenge::parse(values).iter().map(show).collect()
}

#[test]
fn grammar() {
    let table: &[(&[&str], &[&str])] = &[
        (&[], &[]),
        (&[""], &[]),
        (&["Bearer"], &["bearer {}"]),
        (&["Bearer error=invalid_token"], &["bearer {error=invalid_token}"]),
        (&[r#"bearer realm="a, b", SCOPE="x y""#], &["bearer {realm=a, b; scope=x y}"]),
        (&[r#"Bearer realm="say \"hi\" \\", error="e""#], &[r#"bearer {realm=say "hi" \; error=e}"#]),
        (&[r#"Bearer realm = "a" , error = "b""#], &["bearer {realm=a; error=b}"]),
        (&[r#"Basic realm="a", Bearer scope="b""#], &["basic {realm=a}", "bearer {scope=b}"]),
        (&["Negotiate YII=, Bearer scope=b"], &["negotiate {}", "bearer {scope=b}"]),
        (&["Negotiate, Bearer scope=b"], &["negotiate {}", "bearer {scope=b}"]),
        (&["Basic realm=a", "Bearer scope=b"], &["basic {realm=a}", "bearer {scope=b}"]),
        (&[r#",, Bearer ,scope="b",,"#], &["bearer {scope=b}"]),
        (&[r#"Bearer scope="never closed"#], &["bearer {scope=never closed}"]),
        (&["Bearer scope=first, scope=second"], &["bearer {scope=first}"]),
        (&["scope=b"], &[]),
        (&["Bearer @scope=b"], &["bearer {scope=b}"]),
        (&[r#"DPoP algs="ES256 RS256", error="use_dpop_nonce""#], &["dpop {algs=ES256 RS256; error=use_dpop_nonce}"]),
    ];
    for (values, expected) in table {
        assert_eq!(&shown(values), expected, "{values:?}");
    }
}

#[test]
fn the_parameters_of_oauth_are_typed() {
    let header =
        r#"Bearer error="insufficient_scope", scope="b a b", resource_metadata="https://h/p", error_description="no""#;
    let [challenge] = Challenge::parse([header]).try_into().unwrap();
    assert!(challenge.is_bearer() && challenge.is_insufficient_scope() && !challenge.wants_nonce());
    assert_eq!(challenge.scope.unwrap().to_string(), "b a");
    assert_eq!(challenge.resource_metadata.unwrap().as_str(), "https://h/p");
    assert_eq!(challenge.error_description.as_deref(), Some("no"));
}

#[test]
fn a_relative_metadata_address_is_not_followed() {
    let [challenge] = Challenge::parse(["Bearer resource_metadata=\"/x\""]).try_into().unwrap();
    assert_eq!((challenge.resource_metadata.as_ref(), challenge.parameter("resource_metadata")), (None, Some("/x")));
}

#[test]
fn counts_are_bounded() {
    let many = "A, ".repeat(5_000);
    assert!(Challenge::parse([many]).len() <= super::MOST_CHALLENGES + 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(value in proptest::collection::vec(any::<u8>(), 0..400)) {
        Challenge::parse([value]);
    }

    #[test]
    fn a_quoted_value_is_read_back(value in "[ -~]{0,40}") {
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        let [challenge] = Challenge::parse([format!("Bearer realm=\"{quoted}\", error=last")]).try_into().unwrap();
        prop_assert_eq!(challenge.parameter("Realm"), Some(value.as_str()));
        prop_assert_eq!(challenge.error.as_deref(), Some("last"));
    }
}
