//! Settings files are changed as their owner keeps them.

use serde_json::json;

use crate::stage::{Stage, configuration, demo_server};

fn stage() -> Stage {
    let stage = Stage::new();
    let path = stage.home().join(".agents/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, configuration(&json!({"ledger": demo_server("ledger")}))).unwrap();
    stage
}

const ADD: [&str; 5] = ["call", "ledger", "add_entry", "account=tea", "cents=1"];

#[test]
fn rules_are_written_into_settings_as_they_are_kept() {
    let stage = stage();
    let path = stage.home().join("config/mcp-toolkit/settings.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let before = "\u{feff}{\r\n\t// what I never want\r\n\t\"permissions\": {\r\n\t\t\"deny\": [\"mcp__ledger__other\"] // so far\r\n\t},\r\n\t\"imports\": [],\r\n}\r\n";
    std::fs::write(&path, before).unwrap();
    stage.run(&["deny", "mcp__ledger__add_entry"]).expect_code(0);
    let after = std::fs::read_to_string(&path).unwrap();
    let expected = before.replace("other\"]", "other\", \"mcp__ledger__add_entry\"]");
    assert_eq!(after, expected);
    stage.run(&ADD).expect_code(5);

    stage.run(&["permissions", "forget", "mcp__ledger__add_entry"]).expect_code(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    stage.run(&["allow", "mcp__ledger__balance"]).expect_code(0);
    let after = std::fs::read_to_string(&path).unwrap();
    for kept in [
        "\u{feff}{",
        "\t// what I never want",
        "\"]",
        "// so far",
        "\"imports\": [],\r\n}\r\n",
        "\t\t\t\"mcp__ledger__balance\"",
    ] {
        assert!(after.contains(kept), "{kept:?} is not in\n{after}");
    }
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
}

#[test]
fn settings_that_cannot_be_understood_are_not_written() {
    let stage = stage();
    let path = stage.write(".agents/settings.json", "{\n  // mine\n  \"permissions\": {\"deny\": {}}\n}\n");
    let before = std::fs::read(&path).unwrap();
    let refused = stage.run(&["deny", "mcp__ledger", "--scope", "project"]).expect_code(2);
    assert!(refused.stderr.contains("settings.json:3:27 /permissions/deny: expected an array"), "{}", refused.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
