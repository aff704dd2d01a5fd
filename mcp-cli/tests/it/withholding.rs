//! What schemas cost, whether they are withheld, and how tools are found then.

use serde_json::{Value, json};

use crate::stage::{Stage, configuration, demo_server};

fn stage() -> (Stage, String) {
    let stage = Stage::new();
    let servers = json!({"library": demo_server("library"), "ledger": demo_server("ledger")});
    let config = stage.write("servers.json", configuration(&servers)).display().to_string();
    (stage, config)
}

#[test]
fn cost_adds_up_by_tool_and_server() {
    let (stage, config) = stage();
    let cost = stage.run(&["--config", &config, "tools", "--cost", "--json"]).expect_code(0).json();
    let tokens = |rows: &Value| -> Vec<u64> {
        rows.as_array().unwrap().iter().map(|row| row["tokens"].as_u64().unwrap()).collect()
    };
    let (tools, servers) = (tokens(&cost["tools"]), tokens(&cost["servers"]));
    assert!(tools.is_sorted_by(|left, right| left >= right) && tools.iter().all(|tokens| *tokens > 0), "{cost}");
    assert_eq!(servers.len(), 2);
    assert_eq!(tools.iter().sum::<u64>(), servers.iter().sum::<u64>());
    assert_eq!(cost["decision"]["tokens"].as_u64(), Some(tools.iter().sum()));

    let table = stage.run(&["--config", &config, "tools", "--cost"]).expect_code(0).stdout;
    let last = table.lines().last().unwrap();
    assert!(last.contains("all") && last.contains(&format!("{} tools", tools.len())), "{table}");
    let gemini =
        stage.run(&["--config", &config, "tools", "--cost", "--for", "gemini", "--json"]).expect_code(0).json();
    assert_ne!(gemini["tools"], cost["tools"], "another dialect, another cost");
}

#[test]
fn status_says_whether_schemas_are_withheld() {
    let (stage, config) = stage();
    let settings = stage.home().join("config/mcp-toolkit/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let decision = |deferral: &str| {
        std::fs::write(&settings, format!("{{\"deferMcpSchemas\": {deferral}}}")).unwrap();
        stage.run(&["--config", &config, "status"]).expect_code(0)
    };
    let table = [("true", "schemas are withheld: as `deferMcpSchemas` says"), ("false", "schemas are sent at once")];
    for (setting, expected) in table {
        let run = decision(setting);
        assert!(run.stdout.contains(expected) && run.stdout.contains("of 200000 tokens"), "{setting}: {run:?}");
    }
    let run = decision("7");
    assert!(run.stderr.contains("deferMcpSchemas"), "{run:?}");
}

#[test]
fn search_says_which_ways_answered() {
    let (stage, config) = stage();
    let run = stage.run(&["--config", &config, "search", "find a book by a word"]).expect_code(0);
    assert!(run.stdout.starts_with("mcp__library__find_book"), "{run:?}");
    assert!(run.stderr.contains("lexical: ") && run.stderr.contains("dense is off: "), "{run:?}");
    let run = stage.run(&["--config", &config, "search", "select:find_bok"]).expect_code(0);
    assert!(run.stderr.contains("nearest: mcp__library__find_book"), "{run:?}");
}
