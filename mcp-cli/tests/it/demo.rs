//! The demo is the first thing a newcomer runs, and an honest summary of the pipeline.

use serde_json::{Value, json};

use crate::stage::Stage;

fn records(nonce: &str) -> Vec<Value> {
    let run = Stage::new().run(&["demo", "--json", "--nonce", nonce]).expect_code(0);
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn step<'a>(records: &'a [Value], name: &str) -> &'a Value {
    records.iter().find(|record| record["step"] == name).unwrap_or_else(|| panic!("no step {name} in {records:#?}"))
}

#[test]
fn it_fits_a_screen_and_names_a_command_for_each_step() {
    let run = Stage::new().run(&["demo"]).expect_code(0);
    let lines = run.stdout.lines().count();
    assert!((20..=60).contains(&lines), "{lines} lines:\n{}", run.stdout);
    for command in ["list", "trust", "status", "tools --for", "search", "call"] {
        assert!(run.stdout.contains(&format!("mcpctl {command}")), "no `mcpctl {command}` in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "no colour without a terminal");
}

#[test]
fn its_servers_are_children_that_answer_and_are_gone_afterwards() {
    let records = records("n0nce-7f3a");
    let servers = step(&records, "connect")["servers"].as_array().unwrap();
    let pids: Vec<u64> = servers.iter().filter_map(|server| server["process_id"].as_u64()).collect();
    assert_eq!(pids.len(), 4, "four of five live: {servers:#?}");

    let called = step(&records, "call");
    let echoing = servers.iter().find(|server| server["server"] == "library").unwrap()["process_id"].as_u64().unwrap();
    assert_eq!(called["content"], format!("n0nce-7f3a (from process {echoing})"));

    if cfg!(target_os = "linux") {
        for pid in pids {
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "process {pid} outlived the demo");
        }
    }
}

#[test]
fn the_dead_server_leaves_its_status_and_last_words() {
    let records = records("x");
    let servers = step(&records, "connect")["servers"].as_array().unwrap();
    let dead = servers.iter().find(|server| server["server"] == "crasher").unwrap();
    assert_eq!((&dead["state"], &dead["cause"]["exit_status"]), (&json!("failed"), &json!(3)), "{dead:#}");
    assert!(dead["cause"]["stderr_tail"].as_str().unwrap().contains("no database at demo.db"), "{dead:#}");
}

#[test]
fn the_broken_tool_is_reported_and_its_neighbour_works() {
    let records = records("x");
    let tools = step(&records, "tools");
    assert_eq!(tools["rejected"][0]["tool"], "broken", "{tools:#}");
    assert_eq!(tools["count"], 125, "two, two, 120 and one");
}

#[test]
fn the_converted_schema_has_no_reference_left() {
    let records = records("x");
    let converted = step(&records, "schema");
    assert!(converted["original"].to_string().contains("$ref"));
    let text = converted["converted"].to_string();
    assert!(!text.contains("$ref") && !text.contains("allOf"), "{text}");
    assert!(text.contains("The invoice's name."), "what the reference said is still said: {text}");
}

#[test]
fn the_search_finds_what_was_asked_for_and_says_why() {
    let records = records("x");
    let hit = &step(&records, "search")["hits"][0];
    assert_eq!(hit["id"], "mcp__catalogue__share_document", "{hit:#}");
    assert!(!hit["matched"].as_array().unwrap().is_empty(), "{hit:#}");
}

#[test]
fn what_is_not_trusted_or_not_allowed_does_not_happen() {
    let records = records("x");
    assert_eq!(step(&records, "trust")["started"], json!([]), "an unapproved file starts nothing");
    let denied = step(&records, "permission");
    assert_eq!(denied["allowed"], json!(false), "{denied:#}");
    assert_eq!(denied["after_denial"], "tea: 0 cents", "the server never heard of it");
    assert_eq!(denied["after_consent"], "tea: 250 cents");
    assert!(denied["remedy"].is_string(), "{denied:#}");
}
