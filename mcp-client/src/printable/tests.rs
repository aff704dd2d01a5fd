use super::*;

#[test]
fn what_acts_or_hides_is_shown_as_its_escape() {
    let table = [
        ("plain ascii ~", "plain ascii ~"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("café 日本語 🙂 ☎\u{fe0f}", "café 日本語 🙂 ☎\u{fe0f}"),
        ("\u{1b}[31mred\u{1b}[0m", r"\u{1b}[31mred\u{1b}[0m"),
        ("\u{1b}]0;title\u{7}", r"\u{1b}]0;title\u{7}"),
        ("\u{9b}2J", r"\u{9b}2J"),
        ("over\rwritten\u{8}", r"over\u{d}written\u{8}"),
        ("\u{202e}txt.exe", r"\u{202e}txt.exe"),
        ("\u{2066}isolate\u{2069}", r"\u{2066}isolate\u{2069}"),
        ("pass\u{200b}word\u{feff}", r"pass\u{200b}word\u{feff}"),
        ("hi\u{e0068}\u{e0069}", r"hi\u{e0068}\u{e0069}"),
        ("a\u{fe01}\u{e0100}", r"a\u{fe01}\u{e0100}"),
        ("line\u{2028}separator\u{ffff}", r"line\u{2028}separator\u{ffff}"),
    ];
    for (text, expected) in table {
        assert_eq!(printable(text), expected);
    }
}

#[test]
fn a_line_stays_one_line() {
    assert_eq!(printable_line("name\n  state: trusted"), r"name\u{a}  state: trusted");
}

#[test]
fn escaped_json_means_the_same() {
    let value = serde_json::json!({"a\u{202e}": "tag \u{e0041}, escape \u{1b}, break \n"});
    let json = serde_json::to_string_pretty(&value).unwrap();
    let safe = printable_json(&json);
    assert!(safe.is_ascii(), "{safe}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
}

/// Every character is either shown as it is or escaped in a form that names it, and a second pass changes nothing.
#[test]
fn every_character_is_safe_and_the_result_is_stable() {
    for character in '\0'..=char::MAX {
        let text = character.to_string();
        let safe = printable_line(&text);
        assert!(!safe.chars().any(acts_or_hides), "{:x}", character as u32);
        assert_eq!(printable_line(&safe), safe);
    }
}
