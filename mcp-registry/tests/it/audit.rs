use mcp_registry::{Answer, AuditLog, AuditRecord, Mode, Outcome, Rules};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{ids, registry, server};

fn record(caller: &str, arguments: &Value) -> AuditRecord {
    let snapshot = registry([server("fs", &["write"])]).snapshot();
    let request = snapshot.tools().next().expect("a tool").request(arguments);
    let mut rules = Rules::default();
    rules.answer(&request, Answer::Session);
    AuditRecord::new(1_790_000_000_000, caller, &request, &rules.decide(&request, Mode::Build))
}

#[test]
fn a_record_says_who_called_what_what_decided_and_how_it_ended() {
    let line = AuditLog::new().append(&record("agent", &json!({"path": "a"})).with_outcome(Outcome::TimedOut));
    let value: Value = serde_json::from_str(&line).expect("a line is JSON");
    assert_eq!(
        value,
        json!({
            "previous": "",
            "at": 1_790_000_000_000_u64,
            "caller": "agent",
            "server": "fs",
            "definition": "sha256:1",
            "tool": "write",
            "arguments": record("x", &json!({"path": "a"})).arguments,
            "verdict": "allow",
            "because": "the allow rule `mcp__fs__write` (granted in this session) says so",
            "rule": "mcp__fs__write",
            "rule_place": "granted in this session",
            "outcome": "timed-out",
        })
    );
    assert!(line.ends_with("}\n") && line.lines().count() == 1);
}

#[test]
fn arguments_are_told_apart_and_not_kept() {
    let digest = |arguments: &Value| record("agent", arguments).arguments;
    let secret = json!({"token": "hunter2", "n": 1});
    assert_eq!(digest(&secret), digest(&json!({"n": 1, "token": "hunter2"})), "order does not count");
    for other in [
        json!({"token": "hunter2", "n": 1.0}),
        json!({"token": "hunter2"}),
        json!({}),
        json!(null),
        json!({"n": ["1"]}),
    ] {
        assert_ne!(digest(&secret), digest(&other), "{other}");
    }
    assert!(!AuditLog::new().append(&record("agent", &secret)).contains("hunter2"));
}

#[test]
fn a_log_goes_on_where_it_ended() {
    let mut log = AuditLog::new();
    let first = log.append(&record("one", &json!({})));
    let mut resumed = AuditLog::resume(&first);
    assert_eq!(resumed, log);
    let whole = first + &resumed.append(&record("two", &json!({})));
    assert_eq!(AuditLog::verify(&whole), []);
    assert_eq!(AuditLog::resume(""), AuditLog::new());
}

#[test]
fn a_line_that_is_no_record_is_found() {
    assert_eq!(ids(AuditLog::verify("x\n")), ["line 1: no audit record: expected an object with `previous`"]);
    assert_eq!(AuditLog::verify(""), []);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn removing_changing_or_moving_a_line_is_noticed(count in 3_usize..8, picked in 0_usize..7, how in 0..3) {
        let mut log = AuditLog::new();
        let lines: Vec<String> =
            (0..count).map(|number| log.append(&record(&format!("caller {number}"), &json!({})))).collect();
        // The end of the log is what its head is kept for.
        let picked = picked % (count - 1);
        let mut tampered = lines.clone();
        match how {
            0 => drop(tampered.remove(picked)),
            1 => tampered[picked] = tampered[picked].replace("caller", "someone"),
            _ => tampered.swap(picked, picked + 1),
        }
        prop_assert_eq!(AuditLog::verify(&lines.concat()), []);
        prop_assert!(!AuditLog::verify(&tampered.concat()).is_empty());
    }
}

#[test]
fn a_line_is_never_longer_than_its_reader_looks_back() {
    let worst = "\u{1}".repeat(100 * 1024);
    let mut record = record("agent", &json!({}));
    for text in [
        &mut record.caller,
        &mut record.server,
        &mut record.definition,
        &mut record.tool,
        &mut record.arguments,
        &mut record.verdict,
        &mut record.because,
    ] {
        text.clone_from(&worst);
    }
    record.rule = Some(worst.clone());
    record.rule_place = Some(worst);
    let mut log = AuditLog::new();
    let text = log.append(&record) + &log.append(&record);
    assert!(text.lines().all(|line| line.len() < 64 * 1024), "{} bytes", text.len() / 2);
    assert_eq!(AuditLog::verify(&text), []);

    // Names that begin alike stay apart, and characters stay whole.
    let cut = |tool: &str| {
        let mut named = record.clone();
        named.tool = tool.to_owned();
        serde_json::from_str::<Value>(&AuditLog::new().append(&named)).expect("JSON")["tool"].clone()
    };
    let long = "é".repeat(600);
    assert!(cut(&long).as_str().expect("text").contains("é… [cut from 1200 bytes, sha256:"));
    assert_ne!(cut(&format!("{long}a")), cut(&format!("{long}b")));
    assert_eq!(cut(&"x".repeat(1024)), json!("x".repeat(1024)));
}

#[test]
fn a_part_of_a_log_is_verified_after_the_part_before_it() {
    let mut log = AuditLog::new();
    let old = log.append(&record("one", &json!({})));
    let new = log.append(&record("two", &json!({}))) + &log.append(&record("three", &json!({})));
    assert_eq!(AuditLog::resume(&old).verify_next(&new), []);
    assert_eq!(AuditLog::resume("another line").verify_next(&new).len(), 1);
    assert_eq!(AuditLog::verify(&new).len(), 1);
}
