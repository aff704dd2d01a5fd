//! Edits of settings: lists and members change, and every other byte stays.

use expect_test::{Expect, expect};
use mcp_config::{Edit, Error, FileFormat, NewServer};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::World;

const DENY: [&str; 2] = ["permissions", "deny"];

/// Writes `before`, edits it, and compares what is on disk, line endings and tabs made visible.
fn check(before: &str, edit: impl FnOnce(&mut Edit), expected: Expect) {
    let world = World::new().home("settings.json", before);
    let mut open = Edit::open(world.home.join("settings.json"), FileFormat::Settings).unwrap();
    edit(&mut open);
    open.save().unwrap();
    let after = std::fs::read_to_string(world.home.join("settings.json")).unwrap();
    expected.assert_eq(&after.replace('\u{feff}', "<mark>").replace('\t', "→").replace("\r\n", "␍\n"));
}

#[test]
fn a_new_file_is_complete() {
    check(
        "",
        |edit| {
            assert!(edit.include(&DENY, "mcp__a").unwrap());
            assert!(edit.include(&DENY, "mcp__b").unwrap());
            assert!(edit.set_member(&["permissions", "definitions", "mcp__c", "c"], json!("sha256:1")).unwrap());
            assert!(!edit.include(&DENY, "mcp__a").unwrap());
        },
        expect![[r#"
            {
              "permissions": {
                "deny": [
                  "mcp__a",
                  "mcp__b"
                ],
                "definitions": {
                  "mcp__c": {
                    "c": "sha256:1"
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn comments_tabs_marks_and_line_endings_stay() {
    let before = "\u{feff}// mine\r\n{\r\n\t\"theme\" : \"dark\", // one\r\n\t\"permissions\": {\r\n\t\t/* never */\r\n\t\t\"deny\": [\r\n\t\t\t\"mcp__old\", // why\r\n\t\t],\r\n\t\t\"ask\": [\"mcp__a\", \"mcp__b\"]\r\n\t},\r\n\t\"x\": 1.00\r\n}\r\n";
    check(
        before,
        |edit| {
            assert!(edit.include(&DENY, "mcp__new").unwrap());
            assert!(edit.exclude(&["permissions", "ask"], "mcp__a").unwrap());
            assert!(edit.include(&["permissions", "allow"], "mcp__c").unwrap());
        },
        expect![[r#"
            <mark>// mine␍
            {␍
            →"theme" : "dark", // one␍
            →"permissions": {␍
            →→/* never */␍
            →→"deny": [␍
            →→→"mcp__old", // why␍
            →→→"mcp__new",␍
            →→],␍
            →→"ask": ["mcp__b"],␍
            →→"allow": [␍
            →→→"mcp__c"␍
            →→]␍
            →},␍
            →"x": 1.00␍
            }␍
        "#]],
    );
    let world = World::new().home("settings.json", before);
    let mut edit = Edit::open(world.home.join("settings.json"), FileFormat::Settings).unwrap();
    assert!(!edit.include(&DENY, " mcp__old ").unwrap());
    edit.save().unwrap();
    assert_eq!(
        std::fs::read_to_string(world.home.join("settings.json")).unwrap(),
        before,
        "there is nothing to change"
    );
}

#[test]
fn entries_are_taken_out_however_they_are_written() {
    let before = "{\"permissions\": {\n  \"deny\": [\"mcp__a\", 7, {\"x\": /* c */ 1}, \"mcp__a \", \"k\\u0065pt\"],\n  \"ask\": \"all\"\n}}\n";
    check(
        before,
        |edit| {
            for item in ["mcp__a", "7", "{\"x\":1}"] {
                assert!(edit.exclude(&DENY, item).unwrap(), "{item}");
                assert!(!edit.exclude(&DENY, item).unwrap(), "{item}, again");
            }
            assert!(!edit.exclude(&["permissions", "ask"], "all").unwrap(), "it is no entry of a list");
            assert!(edit.exclude(&["permissions", "ask"], "\"all\"").unwrap());
            assert!(edit.include(&DENY, "7").unwrap(), "the text is not the number");
            assert!(!edit.include(&DENY, "kept").unwrap());
            assert!(!edit.remove_member(&["permissions", "definitions", "x"]).unwrap());
            assert!(!edit.exclude(&["nowhere", "deny"], "x").unwrap());
        },
        expect![[r#"
            {"permissions": {
              "deny": ["k\u0065pt", "7"]
            }}
        "#]],
    );
}

#[test]
fn members_are_set_and_taken_away() {
    let before = "{\n  // the servers\n  \"servers\": {\"a\": {\"enabled\": true}}, // on\n  \"limit\": null\n}\n";
    check(
        before,
        |edit| {
            assert!(edit.set_member(&["servers", "a", "timeout"], json!(5000)).unwrap());
            assert!(!edit.set_member(&["servers", "a", "timeout"], json!(5000)).unwrap());
            assert!(edit.set_member(&["limit", "calls"], json!({"each": [1, 2]})).unwrap());
            assert!(edit.remove_member(&["servers", "a", "enabled"]).unwrap());
            assert!(edit.set_enabled("b", false).unwrap());
        },
        expect![[r#"
            {
              // the servers
              "servers": {
                "a": {
                  "timeout": 5000
                },
                "b": {
                  "enabled": false
                }
              }, // on
              "limit": {
                "calls": {
                  "each": [1, 2]
                }
              }
            }
        "#]],
    );
}

#[test]
fn what_has_another_shape_is_left_alone() {
    let cases = [
        ("{ not json", "1:3: not valid JSON: expected string for object property"),
        ("[]", "1:1: expected an object, found an array"),
        ("{\"permissions\": 7}", "1:17 /permissions: expected an object, found a number"),
        ("{\"permissions\": {\"deny\": {}}}", "1:26 /permissions/deny: expected an array, found an object"),
        ("{\"permissions\": {}, \"permissions\": {}}", "1:2: `permissions` appears twice (fix: merge the two)"),
        ("{\"permissions\": {\"deny\": [], \"deny\": []}}", "1:18: `deny` appears twice (fix: merge the two)"),
    ];
    for (before, expected) in cases {
        let world = World::new().home("settings.json", before);
        let path = world.home.join("settings.json");
        let edited = Edit::open(&path, FileFormat::Settings).and_then(|mut edit| edit.include(&DENY, "mcp__a"));
        let Err(Error::Unreadable { problem, .. }) = edited else { panic!("{before}: {edited:?}") };
        assert_eq!(world.text(&problem), format!("error: ~/settings.json:{expected}"), "{before}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    }
    // Only settings hold settings, and settings hold no definitions.
    let world = World::new();
    let mut servers = Edit::open(world.home.join("mcp.json"), FileFormat::McpServers).unwrap();
    assert!(matches!(servers.include(&DENY, "mcp__a"), Err(Error::Inexpressible { .. })));
    let mut settings = Edit::open(world.home.join("settings.json"), FileFormat::Settings).unwrap();
    assert!(matches!(settings.add("a", &NewServer::stdio("a", ["b"])), Err(Error::Inexpressible { .. })));
}

#[test]
fn two_edits_at_once_lose_nothing() {
    let world = World::new().home("settings.json", "{\n  // mine\n  \"permissions\": {\"deny\": []}\n}\n");
    let path = world.home.join("settings.json");
    let open = || Edit::open(&path, FileFormat::Settings).unwrap();
    let (mut one, mut other) = (open(), open());
    one.include(&DENY, "mcp__one").unwrap();
    other.include(&DENY, "mcp__other").unwrap();
    one.save().unwrap();
    other.save().unwrap();
    let after = std::fs::read_to_string(&path).unwrap();
    for kept in ["// mine", "mcp__one", "mcp__other"] {
        assert!(after.contains(kept), "{after}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let name = prop_oneof!["[a-z]{1,3}", Just("permissions".to_owned()), Just("deny".to_owned())];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4).prop_map(Value::from_iter),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Whatever the settings hold, an edit changes what it is asked to or nothing, and what it wrote is read back.
    #[test]
    fn an_edit_changes_one_value(
        document in prop::collection::btree_map("[a-z]{1,12}", any_json(), 0..5),
        permissions in any_json(),
        item in ".{0,12}",
    ) {
        let mut before = Value::from_iter(document);
        before["permissions"] = permissions;
        let world = World::new().home("settings.json", format!("{before:#}"));
        let mut edit = Edit::open(world.home.join("settings.json"), FileFormat::Settings).unwrap();
        let parse = |edit: &Edit| serde_json::from_str::<Value>(edit.text()).unwrap();
        let Ok(is_new) = edit.include(&DENY, &item) else {
            prop_assert_eq!(parse(&edit), before);
            return Ok(());
        };
        let mut expected = before.clone();
        if expected["permissions"].is_null() {
            expected["permissions"] = json!({});
        }
        if is_new {
            if expected["permissions"]["deny"].is_null() {
                expected["permissions"]["deny"] = json!([]);
            }
            expected["permissions"]["deny"].as_array_mut().unwrap().push(json!(item));
            prop_assert_eq!(parse(&edit), expected);
        } else {
            prop_assert_eq!(parse(&edit), before);
        }
        prop_assert!(!edit.include(&DENY, &item).unwrap());
        prop_assert!(edit.exclude(&DENY, &item).unwrap());
        prop_assert!(!edit.exclude(&DENY, &item).unwrap());
    }
}
