use super::{argument, arguments, hidden_in_argument, hidden_in_url, is_secret, origin_of, url, value};
use crate::template::{Syntax, Template};

#[test]
fn values_show_their_variables_and_nothing_else() {
    let cases = [
        ("${TOKEN}", "${TOKEN}"),
        ("Bearer ${TOKEN}", "Bearer ${TOKEN}"),
        ("sk-${TOKEN}", "[redacted]${TOKEN}"),
        ("${TOKEN:-hunter2}", "${TOKEN:-[redacted]}"),
        ("hunter2", "[redacted]"),
        ("", ""),
        ("{env:TOKEN}", "{env:TOKEN}"),
        ("{env:TOKEN:-hunter2}", "[redacted]"),
    ];
    for (raw, shown) in cases {
        assert_eq!(value(&Template::new(raw, Syntax::Claude)), shown, "{raw}");
    }
}

#[test]
fn arguments_hide_what_follows_a_telling_flag() {
    let hidden = [
        vec!["--api-key", "hunter2"],
        vec!["--token=hunter2"],
        vec!["-H", "X: hunter2"],
        vec!["-e", "KEY=hunter2"],
        vec!["ghp_hunter2hunter2"],
        vec!["--pass", "hunter2"],
        vec!["--db-passphrase=hunter2"],
        vec!["-phunter2"],
        vec!["-uroot:hunter2"],
        vec!["-HX-Key: hunter2"],
        vec!["sk-hunter2${REST}"],
        vec!["x${A}sk-hunter2${B}"],
        vec!["${KEY:-sk-live-hunter2}"],
        vec!["--key=hunter2${REST}"],
        vec!["Authorization: Bearer hunter2${REST}"],
        vec!["--token", "${A}hunter2${B}"],
        vec!["https://x.example/sk-hunter2${REST}/mcp"],
        vec!["DB_PASSWORD=hunter2"],
        vec!["postgres://me:hunter2@db.example/x"],
        vec!["https://hunter2@x.example"],
        vec!["https://x.example/?q=hunter2"],
    ];
    for words in hidden {
        let shown = arguments(words.iter().copied()).join(" ");
        assert!(!shown.contains("hunter2") && shown.contains("[redacted]"), "{shown}");
    }
    let plain = [
        "-y",
        "@scope/server@1.2.3",
        "--verbose",
        "/srv/my dir",
        "--token",
        "${TOKEN}",
        "--port=8080",
        "-p${PASSWORD}",
        "--pass=${PASSWORD}",
        "Authorization: Bearer ${TOKEN}",
        "${A_VARIABLE_WITH_THE_LONG_NAME_1}",
        "${ZONE:-UTC}",
    ];
    assert_eq!(arguments(plain), plain);
}

#[test]
fn urls_keep_what_says_where_they_lead() {
    assert_eq!(url("https://x.example/mcp?key=${KEY}&v="), "https://x.example/mcp?key=${KEY}&v=");
    assert_eq!(url("https://x.example/s/0a1b2c3d4e5f6a7b8c9d0e1f2a3b/mcp"), "https://x.example/s/[redacted]/mcp");
    assert_eq!(url("https://x.example/#hunter2"), "https://x.example/");
    assert_eq!(url("https://${USER}@x.example"), "https://${USER}@x.example");
    assert_eq!(argument("plain"), "plain");
    assert_eq!(origin_of("https://me:hunter2@x.example:8443/a?b"), "https://x.example:8443/[redacted]");
}

#[test]
fn what_is_hidden_is_known_to_be_secret() {
    let hidden = |words: &str| {
        let shown = argument(words);
        hidden_in_argument(words, &shown).map(str::to_owned).collect::<Vec<_>>()
    };
    for words in ["--token=hunter2", "X-Key: hunter2", "-phunter2", "postgres://me:hunter2@db.example/x"] {
        assert!(hidden(words).contains(&"hunter2".to_owned()), "{words}: {:?}", hidden(words));
    }
    assert_eq!(hidden("--port=8080"), [""; 0]);
    let url = "https://me:hunter2@x.example/s/ghp_hunter2hunter2/mcp?key=hunter3&v=";
    assert_eq!(hidden_in_url(url).collect::<Vec<_>>(), ["me:hunter2", "hunter2", "hunter3", "", "ghp_hunter2hunter2"]);
}

#[test]
fn a_long_run_of_letters_and_digits_is_a_secret() {
    let cases = [
        ("abcdefghijklmnopqrstuvw1", true),
        ("abcdefghijk_mnopqrstuvw1", true),
        ("abcdefghijk+mnopqrstuvw1", true),
        ("abcdefghijklmnopqrstuv1", false),
        ("abcdefghijk-mnopqrstuvw1", false),
        ("abcdefghijklmnopqrstuvwx", false),
        ("123456789012345678901234", false),
        ("gpt4", false),
        ("4", false),
        ("model", false),
    ];
    for (text, is_hidden) in cases {
        assert_eq!(argument(text) != text, is_hidden, "{text}");
    }
}

#[test]
fn a_named_value_is_a_secret_by_its_name_or_its_looks() {
    let cases = [
        ("API_TOKEN", "hunter2", true),
        ("GIT_CREDENTIAL_HELPER", "./helper.sh", false),
        ("GIT_CREDENTIAL_HELPER", "ghp_hunter2hunter2", true),
        ("EDITOR", "vi", false),
        ("EDITOR", "ghp_hunter2hunter2", true),
    ];
    for (name, value, expected) in cases {
        assert_eq!(is_secret(name, value), expected, "{name}={value}");
    }
}
