//! What the facts of a plan or a loosening tell those who hold them.

use mcp_config::{FoundSettings, Topic};

use crate::support::World;

fn facts(entry: &str) -> mcp_config::Facts {
    World::new()
        .project(".mcp.json", format!(r#"{{"mcpServers": {{"x": {{{entry}}}}}}}"#))
        .project("script.sh", "")
        .plan("x")
        .facts()
}

#[test]
fn a_flipped_switch_is_told_from_every_other_change() {
    let (on, off) = (r#""command": "a""#, r#""command": "a", "disabled": true"#);
    assert_ne!(facts(on).digest(), facts(off).digest());
    let mut topics = Vec::new();
    for fact in &facts(off) {
        topics.push(fact.topic);
    }
    assert!(topics.contains(&Topic::Off) && topics.contains(&Topic::Command), "{topics:?}");
    for (left, right, is_switch_alone) in [
        (on, on, true),
        (on, off, true),
        (off, on, true),
        (on, r#""command": "b""#, false),
        (on, r#""command": "b", "disabled": true"#, false),
        (off, r#""command": "a", "args": ["-c"]"#, false),
    ] {
        assert_eq!(facts(left).differ_only_in(Topic::Off, &facts(right)), is_switch_alone, "{left} and {right}");
    }
    // What is only said, as where a program was found, is no difference; what binds, in the topic or not, is.
    assert!(!facts(on).differ_only_in(Topic::Change, &facts(off)));
}

#[test]
fn a_rule_is_known_by_its_text() {
    let world = World::new().project(
        ".agents/settings.json",
        r#"{"permissions": {"allow": ["mcp__a__b", "mcp__a__c"]}, "mcp__a__d": true}"#,
    );
    let found = FoundSettings::load(&world.environment);
    let loosenings = &found.projects[0].loosenings;
    let known = |rule: &str| loosenings.iter().filter(|loosening| loosening.is_rule(rule)).count();
    assert_eq!(["mcp__a__b", "mcp__a__c", "mcp__a__d", "mcp__a__e", ""].map(known), [1, 1, 0, 0, 0]);
}

#[test]
fn a_plan_says_whose_it_is_and_whether_it_was_approved_before() {
    let mut world = World::new().project(".mcp.json", r#"{"mcpServers": {"x": {"command": "a"}}}"#);
    assert_eq!((world.plan("x").name().to_owned(), world.plan("x").is_changed()), ("x".to_owned(), false));
    world.approve("x");
    assert!(!world.plan("x").is_changed());
    let world = world.project(".mcp.json", r#"{"mcpServers": {"x": {"command": "b"}}}"#);
    assert!(world.plan("x").is_changed());
}
