//! What a server's tools were when they were approved, across runs of the binary.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::peers::{Peers, ordinary_tools};
use crate::stage::{Stage, configuration};

/// Writes the user's servers.
fn write_servers(stage: &Stage, servers: &Value) {
    let path = stage.home().join(".agents/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, configuration(servers)).unwrap();
}

fn pins(stage: &Stage) -> PathBuf {
    stage.home().join("state/mcp-toolkit/pins")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Everything works: at first contact, and with what was kept of it.
fn expect_all_well(stage: &Stage, call: &[&str]) {
    stage.run(&["status"]).expect_code(0);
    stage.run(&["tools"]).expect_code(0);
    stage.run(call).expect_code(0);
    let doctor = stage.run(&["doctor"]).expect_code(0);
    assert!(doctor.stderr.contains("Nothing is wrong."), "{doctor:?}");
}

const ARGUMENTS: [&str; 2] = ["owner=me", "repository=mine"];

#[test]
fn ten_servers_of_two_hundred_tools_are_kept_in_small_files() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    let tools = ordinary_tools(200);
    let servers: Map<String, Value> =
        (0..10).map(|number| (format!("s{number}"), peers.start(tools.clone()))).collect();
    write_servers(&stage, &Value::Object(servers));
    expect_all_well(&stage, &[&["call", "s7", "tool_150"][..], &ARGUMENTS].concat());
    assert_eq!(files(&pins(&stage)).len(), 10, "a file a server");
}

#[test]
fn a_server_of_five_thousand_tools_is_kept_in_a_small_file() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    let tools = ordinary_tools(5_000);
    write_servers(&stage, &json!({"big": peers.start(tools.clone())}));
    expect_all_well(&stage, &[&["call", "big", "tool_4999"][..], &ARGUMENTS].concat());
}

#[test]
fn fifty_redefinitions_keep_one_file() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    let tools = ordinary_tools(60);
    let mut entry = peers.start(tools.clone());
    for number in 0..50 {
        entry["headers"] = json!({"X-Number": number.to_string()});
        write_servers(&stage, &json!({ "edited": entry }));
        stage.run(&["status"]).expect_code(0);
    }
    expect_all_well(&stage, &[&["call", "edited", "tool_59"][..], &ARGUMENTS].concat());
    assert_eq!(files(&pins(&stage)).len(), 1, "a redefinition replaces what was kept");
}

#[test]
fn a_broken_file_concerns_one_server_and_approving_mends_it() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    write_servers(&stage, &json!({"one": peers.start(ordinary_tools(1))}));
    stage.run(&["status"]).expect_code(0);
    let broken = files(&pins(&stage)).remove(0);
    for damage in [&b"{"[..], b"\xff\xfe", b"[]", b"null"] {
        write_servers(&stage, &json!({"one": peers.entry(0), "two": peers.start(ordinary_tools(1))}));
        std::fs::write(&broken, damage).unwrap();
        let status = stage.run(&["status"]).expect_code(0);
        assert!(status.stdout.contains(broken.to_str().unwrap()), "the file is named: {status:?}");
        stage.run(&[&["call", "two", "tool_0"][..], &ARGUMENTS].concat()).expect_code(0);
        stage.run(&[&["call", "one", "tool_0"][..], &ARGUMENTS].concat()).expect_code(5);
        assert_eq!(std::fs::read(&broken).unwrap(), damage, "what nobody could read is left for the person to see");
        stage.run(&["approve", "one", "--yes"]).expect_code(0);
        stage.run(&[&["call", "one", "tool_0"][..], &ARGUMENTS].concat()).expect_code(0);
        let status = stage.run(&["status"]).expect_code(0);
        assert!(!status.stdout.contains(broken.to_str().unwrap()), "{status:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_stops_no_server() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    write_servers(&stage, &json!({"one": peers.start(ordinary_tools(1))}));
    std::fs::create_dir_all(stage.home().join("state/mcp-toolkit")).unwrap();
    std::fs::write(pins(&stage), "not a folder").unwrap();
    stage.run(&[&["call", "one", "tool_0"][..], &ARGUMENTS].concat()).expect_code(0);
    let status = stage.run(&["status"]).expect_code(0);
    assert!(status.stdout.contains(pins(&stage).to_str().unwrap()), "{status:?}");
}

#[test]
fn a_large_file_of_an_earlier_version_stops_no_server() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    write_servers(&stage, &json!({"one": peers.start(ordinary_tools(1))}));
    let old = stage.home().join("state/mcp-toolkit/pins.json");
    std::fs::create_dir_all(old.parent().unwrap()).unwrap();
    std::fs::write(&old, vec![b'x'; 2 << 20]).unwrap();
    stage.run(&["status"]).expect_code(0);
}

/// Two projects give one name to one command, which does something else in each.
#[test]
fn two_projects_with_one_name_and_command_have_a_baseline_each() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    let entry = peers.start(ordinary_tools(1));
    let projects =
        ["a", "b"].map(|name| stage.write(&format!("{name}/.mcp.json"), configuration(&json!({"s": entry}))));
    let run = |project: &Path, arguments: &[&str]| {
        let output = stage.command(arguments).current_dir(project.parent().unwrap()).output().unwrap();
        crate::stage::Run::from(output).expect_code(0)
    };
    for (number, project) in projects.iter().enumerate() {
        peers.change(0, |says| says.tools = ordinary_tools(number + 1));
        run(project, &["trust", "s", "--yes"]);
        for _ in 0..2 {
            let status = run(project, &["status", "--json"]).json();
            assert_eq!(status[0].get("drift"), None, "{status}");
        }
    }
    assert_eq!(files(&pins(&stage)).len(), 2);
    let status = run(&projects[0], &["status", "--json"]).json();
    assert_eq!(status[0]["drift"][0]["what"], "tool `tool_1`", "{status}");
}

#[test]
fn a_server_of_the_user_is_one_in_every_folder() {
    let stage = Stage::new();
    let mut peers = Peers::new();
    write_servers(&stage, &json!({"one": peers.start(ordinary_tools(1))}));
    for folder in ["a", "b"] {
        let folder = stage.write(&format!("{folder}/.git/HEAD"), "").parent().unwrap().parent().unwrap().to_path_buf();
        let output = stage.command(&["status"]).current_dir(folder).output().unwrap();
        crate::stage::Run::from(output).expect_code(0);
    }
    assert_eq!(files(&pins(&stage)).len(), 1);
}
