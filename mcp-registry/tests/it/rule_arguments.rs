//! Conditions on arguments: one thing, written in many ways.

use mcp_registry::{Effect, Mode, Origin, Request, RuleLayer, Rules, Source, Standing, Surroundings, Tier, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What comes of a call with this argument `x`, in a home `/home/me` and a project `/home/me/project`, where one rule speaks
/// about `x`; a call about which it says nothing asks.
fn verdict(tier: Tier, glob: &str, argument: &Value) -> Verdict {
    let rule = format!("mcp__fs__write(x={})", glob.replace(',', "\\,"));
    let layer = RuleLayer::new(Source::session()).with(tier, &rule).expect("a valid rule");
    let rules = Rules::new([layer]).in_surroundings(&Surroundings {
        home: Some("/home/me".to_owned()),
        directory: Some("/home/me/project".to_owned()),
    });
    let arguments = json!({ "x": argument });
    let request = Request {
        server: "fs",
        definition: "sha256:1",
        tool: "write",
        effect: Effect::Mutating,
        arguments: &arguments,
        standing: Standing::Approved,
        origin: Origin::Server,
    };
    rules.decide(&request, Mode::Build).verdict
}

/// A pattern, and what it denies.
#[rustfmt::skip]
const DENIED: &[(&str, &str)] = &[
    // As it is written, and with dots and slashes that mean nothing.
    ("/etc/**", "/etc/passwd"),
    ("/etc/**", "/etc//passwd"),
    ("/etc/**", "//etc/./passwd"),
    ("/etc/**", "/etc/x/../passwd"),
    ("/etc/**", "/tmp/../etc/passwd"),
    ("/etc/**", "/../etc/passwd"),
    ("/etc/**", r"\etc\passwd"),
    ("/etc/**", " /etc/passwd\n"),
    ("secrets/**", "./secrets/key"),
    ("secrets/**", "src/../secrets/key"),
    // The pattern may have them too.
    ("./secrets/**", "secrets/key"),
    ("src/../secrets/**", "secrets/key"),
    ("/etc//**", "/etc/passwd"),
    ("secrets/", "secrets"),
    // Up from wherever the server works.
    ("/etc/**", "../../../../../etc/passwd"),
    ("/etc/**", "src/../../../../../etc/passwd"),
    ("/etc/**", "../../../../../../../../../etc/passwd"),
    ("/etc/**", "../etc/passwd"),
    ("secrets/**", "../project/secrets/key"),
    ("secrets/**", "../elsewhere/secrets/key"),
    ("../other/**", "../other/key"),
    ("../other/**", "./x/../../other/key"),
    // One file has a relative and an absolute path.
    ("secrets/**", "/home/me/project/secrets/key"),
    ("secrets/**", "/srv/project/secrets/key"),
    ("/home/me/project/secrets/**", "secrets/key"),
    ("/home/me/other/**", "../other/key"),
    // The home directory.
    ("~/**", "~/x"),
    ("~/**", "/home/me/x"),
    ("~/.ssh/**", "~/.ssh/id"),
    ("~/.ssh/**", "/home/me/.ssh/id"),
    ("~/.ssh/**", "/root/.ssh/id"),
    ("~/.ssh/**", "../.ssh/id"),
    ("/home/me/.ssh/**", "~/.ssh/id"),
    ("/home/me/.ssh/**", "~//x/../.ssh/id"),
    ("/home/**", "~"),
    // Percent signs, once and more than once.
    ("/etc/**", "/etc%2fpasswd"),
    ("/etc/**", "%2Fetc%2Fpasswd"),
    ("/etc/**", "/etc%252fpasswd"),
    ("/etc/**", "/etc%25252525252525252fpasswd"),
    ("/etc/**", "/tmp/%2e%2e/etc/passwd"),
    ("/etc/**", "/%65tc/passwd"),
    ("/data/100%25/**", "/data/100%25/key"),
    ("/data/100%25/**", "/data/./100%/key"),
    ("/etc%2f**", "/etc/passwd"),
    // Schemes.
    ("/etc/**", "file:///etc/passwd"),
    ("/etc/**", "FILE:/etc/passwd"),
    ("/etc/**", "file://localhost/etc/passwd"),
    ("/etc/**", "file:///etc%2Fpasswd"),
    ("/etc/**", "file%3A///etc/passwd"),
    ("file:///etc/**", "/etc/passwd"),
    ("C:/Windows/**", "file:///C:/Windows/x"),
    ("C:/Windows/**", r"c:\windows\x"),
    ("http://169.254.169.254/**", "http://169.254.169.254/latest"),
    ("http://169.254.169.254/**", "HTTP://169.254.169.254:80/latest"),
    ("http://169.254.169.254/**", "http://2852039166/latest"),
    ("http://169.254.169.254/**", "http://0xA9FEA9FE/latest"),
    ("http://169.254.169.254/**", "http://me:word@169.254.169.254/latest"),
    ("http://169.254.169.254/**", "http://a%2fb@169.254.169.254/latest"),
    ("http://169.254.169.254/**", r"http:\\169.254.169.254\latest"),
    ("http://169.254.169.254/**", "http%3A%2F%2F169.254.169.254%2Flatest"),
    ("http://169.254.169.254:80/**", "http://169.254.169.254/latest"),
    ("https://x.example/private", "https://X.example/a/../private#top"),
    // What nobody sees, and what looks alike to the file system.
    ("/etc/**", "\u{200b}/etc/passwd"),
    ("/etc/**", "/e\u{ad}tc/passwd"),
    ("/etc/**", "/\u{202e}etc\u{2069}/passwd"),
    ("/etc/**", "/etc%E2%80%8B/passwd"),
    ("/etc/**", "/etc%\u{200b}2fpasswd"),
    ("/etc/**", "/e\u{0}tc/passwd"),
    ("/etc/passwd", "/etc/passwd\u{0}.txt"),
    ("/etc/passwd", "/etc/passwd%00.txt"),
    ("/etc/**", "\u{ff0f}etc\u{ff0f}passwd"),
    ("/etc/**", "/etc\u{ff05}2fpasswd"),
    ("/caf\u{e9}/**", "/cafe\u{301}/x"),
    ("\u{200b}/etc/**", "/etc/passwd"),
    // Case.
    ("/etc/**", "/ETC/passwd"),
    ("/Users/Me/**", "/users/me/x"),
    ("DROP *", "drop table x"),
    ("drop *", "DROP\tTABLE x"),
    // A folder and all in it: also the folder.
    ("src/secret/**", "src/secret"),
    ("src/secret/**", "src/secret/"),
    ("src/secret/**", "./src/secret/."),
    ("{src/secret/**,other}", "src/secret"),
    ("/**", "/"),
    // Numbers in a text.
    ("100", "100.0"),
    ("100", " +1e2 "),
];

/// A pattern, and what it does not deny.
#[rustfmt::skip]
const APART: &[(&str, &str)] = &[
    // What is at home is not what is elsewhere.
    ("~/**", "/etc/passwd"),
    ("~/*", "/etc/passwd"),
    ("/etc/**", "/etcetera/passwd"),
    ("/home/me/project/etc/**", "/etc/passwd"),
    ("/etc/**", "etc/passwd"),
    ("/etc/**", "/usr/etc/passwd"),
    ("/etc/**", "src/etc/../x"),
    ("/etc/**", ""),
    ("/etc/*", "/etc/ssh/config"),
    ("secrets/**", "src/secrets/key"),
    ("secrets/**", "/home/me/project/secretsauce"),
    ("secrets/**", "../secretsauce"),
    ("src/secret/**", "src"),
    ("src/secret/**", "src/secrets"),
    ("~/.ssh/**", "/home/me/.sshd/id"),
    ("~/.ssh/**", "x~/.ssh/id"),
    ("https://x.example/**", "https://x.example.org/"),
    ("https://x.example/**", "https://y.example/?x.example/"),
    ("https://x.example/**", "https://x.example@y.example/"),
    ("100", "1000"),
    ("100", "1e3"),
    ("100", "-100"),
    ("100", "1.00"),
];

#[test]
fn a_rule_that_denies_or_asks_knows_a_value_however_it_is_spelled() {
    let said = |tier, (glob, text): &(&str, &str)| verdict(tier, glob, &json!(text));
    let missed: Vec<_> = DENIED.iter().filter(|row| said(Tier::Deny, row) != Verdict::Deny).collect();
    assert_eq!(missed, [&("", ""); 0]);
    let hit: Vec<_> = APART.iter().filter(|row| said(Tier::Deny, row) == Verdict::Deny).collect();
    assert_eq!(hit, [&("", ""); 0]);
}

#[test]
fn one_item_of_a_list_is_enough_to_deny() {
    let (spelled, other) = ("/tmp/%2e%2e/etc/passwd", "/tmp/x");
    assert_eq!(verdict(Tier::Deny, "/etc/**", &json!([other, spelled])), Verdict::Deny);
    assert_eq!(verdict(Tier::Deny, "/etc/**", &json!([other, other])), Verdict::Ask);
}

#[test]
fn an_allow_rule_covers_a_value_only_as_it_is_written() {
    for (glob, text) in DENIED {
        let matcher = globset::GlobBuilder::new(glob).literal_separator(true).build().expect("a valid glob");
        let written = matcher.compile_matcher().is_match(text.strip_prefix("./").unwrap_or(text));
        assert!(written || verdict(Tier::Allow, glob, &json!(text)) == Verdict::Ask, "{glob} {text}");
    }
    for text in [
        "src/../x",
        r"src\..\x",
        "src/%2e%2e/x",
        "src/%252e%252e/x",
        "src/%25252e./x",
        "src/\u{ff0e}\u{ff0e}/x",
        "src/.\u{200b}./x",
        "src/a%00",
        "src/a\u{0}",
        "src/a\u{202e}b",
        "src/a%E2%80%8Bb",
        "src/a%2fb",
        "src/a%5cb",
    ] {
        assert_eq!(verdict(Tier::Allow, "src/**", &json!(text)), Verdict::Ask, "{text:?}");
    }
    for text in ["src/a", "./src/a", "src/100%", "src/caf%C3%A9", "src/a b", "src/日本"] {
        assert_eq!(verdict(Tier::Allow, "src/**", &json!(text)), Verdict::Allow, "{text:?}");
    }
}

#[test]
fn a_number_is_compared_by_its_value() {
    for (glob, number, denied) in [
        ("100", "100", true),
        ("100", "100.0", true),
        ("100", "1e2", true),
        ("100", "1.0E+2", true),
        ("100.0", "100", true),
        ("1e2", "100", true),
        ("1e2", "\"100\"", true),
        ("10*", "1e2", true),
        ("0", "-0.0", true),
        ("-5", "-5.0", true),
        ("0.5", "5e-1", true),
        ("100", "101", false),
        ("100", "10", false),
        ("5", "-5", false),
        // Neighbours that are one number to whoever reads both as floating point.
        ("9007199254740993", "9007199254740993", true),
        ("9007199254740993", "9007199254740992", false),
        ("9007199254740993", "\"9007199254740992\"", false),
        ("18446744073709551615", "18446744073709551615", true),
        ("18446744073709551615", "18446744073709551614", false),
        // What is sent of these is the nearest that floating point has.
        ("123456789012345678901234567890", "123456789012345678901234567890", true),
        ("123456789012345678901234567890", "\"123456789012345678901234567890\"", true),
        ("123456789012345678901234567890", "123456789012345678901", false),
        ("1e300", "1e300", true),
        ("1e999999", "\"10e999998\"", true),
    ] {
        let value: Value = serde_json::from_str(number).expect("valid JSON");
        let expected = if denied { Verdict::Deny } else { Verdict::Ask };
        assert_eq!(verdict(Tier::Deny, glob, &value), expected, "{glob} {number}");
    }
    for (number, allowed) in [("100", true), ("100.0", false), ("1e2", false), ("\"100\"", true)] {
        let value: Value = serde_json::from_str(number).expect("valid JSON");
        let expected = if allowed { Verdict::Allow } else { Verdict::Ask };
        assert_eq!(verdict(Tier::Allow, "100", &value), expected, "{number}");
    }
}

#[test]
fn what_is_too_long_or_too_deep_to_compare_is_denied_and_never_allowed() {
    let long = "a".repeat(10_000_000);
    let encoded = format!("/{}2fetc", "%25".repeat(20_000));
    let layered = (0..5).fold("%2f".to_owned(), |text, _| text.replace('%', "%EF%BC%85"));
    let climbing = "../".repeat(20_000);
    let many: Vec<&str> = vec!["a"; 1_000_000];
    let empty: Vec<&str> = vec![""; 1_000_000];
    for value in
        [json!(long), json!(many), json!(empty), json!([["a"]]), json!([{"a": "a"}]), json!({"a": "a"}), json!(layered)]
    {
        assert_eq!(verdict(Tier::Deny, "b", &value), Verdict::Deny);
        assert_eq!(verdict(Tier::Allow, "**", &value), Verdict::Ask);
    }
    for value in [json!(encoded), json!(climbing)] {
        assert_eq!(verdict(Tier::Deny, "b", &value), Verdict::Ask);
    }
    assert_eq!(verdict(Tier::Deny, "/etc/**", &json!(format!("{climbing}etc/passwd"))), Verdict::Deny);
}

/// Writes a text otherwise, so that a careless server takes it for the same.
fn respelled(text: &str, ways: &[u8]) -> String {
    let mut text = text.to_owned();
    for way in ways {
        text = match way {
            0 => text.replace('/', "%2f"),
            1 => text.replace('%', "%25"),
            2 => text.replace('/', "//"),
            3 => text.replace('/', "/./"),
            4 => text.replace('/', "/x/../"),
            5 => text.replace('/', "\\"),
            6 => format!("\u{200b}{text}"),
            7 => text.chars().flat_map(|character| [character, '\u{2060}']).collect(),
            8 => text.to_uppercase(),
            9 => format!("./{text}"),
            10 => format!("{text}/"),
            11 => text.replace('a', "%61"),
            12 => text.replace('a', "\u{ff41}"),
            13 => text.replacen('/', "\u{202e}/", 1),
            _ => format!("x/../{text}"),
        };
    }
    format!(" {text}\t")
}

fn any_segments() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-c]{1,3}", 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_denied_is_denied_in_any_spelling(
        segments in any_segments(), depth in 0_usize..5, ways in prop::collection::vec(0_u8..15, 0..4),
    ) {
        let path = segments.join("/");
        let kept = segments.iter().take(depth).cloned().collect::<Vec<_>>().join("/");
        let glob = if depth == 0 { "**".to_owned() } else if depth < segments.len() { format!("{kept}/**") } else { kept };
        prop_assert_eq!(verdict(Tier::Deny, &glob, &json!(path)), Verdict::Deny);
        let spelled = respelled(&path, &ways);
        prop_assert_eq!(verdict(Tier::Deny, &glob, &json!(spelled)), Verdict::Deny, "{} {:?}", glob, spelled);
        let file = format!("file:///{}", path.replace('a', "%61"));
        prop_assert_eq!(verdict(Tier::Deny, &format!("/{glob}"), &json!(file)), Verdict::Deny, "/{} {:?}", glob, file);
    }

    #[test]
    fn an_allow_rule_matches_no_more_than_the_glob_as_it_is_written(
        glob in "[ab/*.%~]{1,6}", text in "[abA/\\\\.%2fe\u{200b}~]{0,8}",
    ) {
        let Ok(plain) = globset::GlobBuilder::new(&glob).literal_separator(true).build() else { return Ok(()) };
        let plain = plain.compile_matcher();
        if verdict(Tier::Allow, &glob, &json!(text)) == Verdict::Allow {
            prop_assert!(plain.is_match(text.strip_prefix("./").unwrap_or(&text)), "{} {:?}", glob, text);
        }
        if plain.is_match(&text) {
            prop_assert_eq!(verdict(Tier::Deny, &glob, &json!(text)), Verdict::Deny, "{} {:?}", glob, text);
        }
    }

    #[test]
    fn a_number_is_itself_however_it_is_written(number in any::<i64>(), zeros in 0_usize..4, exponent in 0_usize..4) {
        let shifted = format!("{number}{}", "0".repeat(exponent));
        for spelled in [format!("{number}.{}", "0".repeat(zeros + 1)), format!("{shifted}e-{exponent}")] {
            prop_assert_eq!(verdict(Tier::Deny, &number.to_string(), &json!(spelled)), Verdict::Deny, "{}", spelled);
            prop_assert_eq!(verdict(Tier::Deny, &spelled, &json!(number)), Verdict::Deny, "{}", spelled);
        }
        let other = number ^ 1;
        prop_assert_eq!(verdict(Tier::Deny, &number.to_string(), &json!(other)), Verdict::Ask);
    }

    #[test]
    fn no_argument_panics(glob in ".{1,20}", text in ".{0,40}") {
        let rule = format!("mcp__fs__write(x={glob})");
        if mcp_registry::Rule::parse(&rule).is_ok() {
            let layer = RuleLayer::new(Source::session()).with(Tier::Deny, &rule).expect("it was read");
            let arguments = json!({ "x": text });
            let request = Request {
                server: "fs", definition: "", tool: "write", effect: Effect::Mutating, arguments: &arguments,
                standing: Standing::Approved, origin: Origin::Server,
            };
            let _decision = Rules::new([layer]).decide(&request, Mode::Build);
        }
    }
}
