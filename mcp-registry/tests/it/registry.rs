use mcp_registry::{Drift, Effect, Event, NameStyle, Registry, ServerTools, Standing, Tool, ToolFilter};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{ids, read_only, registry, server, tool, tool_from};

#[test]
fn replacing_a_server_returns_what_changed() {
    let mut registry = registry([server("demo", &["a", "b"])]);
    let mut changed = server("demo", &["b", "c"]);
    changed.tools[0] =
        tool_from(&json!({"name": "b", "description": "Other words.", "inputSchema": {"type": "object"}}));
    let change = registry.replace_server(changed);
    assert_eq!(ids(&change.added), ["mcp__demo__c"]);
    assert_eq!(ids(&change.removed), ["mcp__demo__a"]);
    assert_eq!(ids(&change.changed), ["mcp__demo__b"]);
    assert!(change.prefix_changed);
    assert_eq!(
        change.events,
        [Event::ToolsChanged {
            server: "demo".into(),
            added: change.added.clone(),
            removed: change.removed.clone(),
            changed: change.changed.clone(),
            prefix_changed: true,
        }]
    );
}

#[test]
fn the_same_tools_again_are_no_change() {
    let mut registry = registry([server("demo", &["a", "b"])]);
    let before = registry.snapshot();
    let change = registry.replace_server(server("demo", &["b", "a"]));
    assert!(change.is_empty() && change.events.is_empty() && !change.prefix_changed, "{change:?}");
    assert_eq!(registry.snapshot().revision(), before.revision());
}

#[test]
fn a_connect_a_restart_and_a_stop_are_events() {
    let mut registry = Registry::new(NameStyle::default());
    let kinds = |events: &[Event]| -> Vec<String> {
        events
            .iter()
            .map(|event| match event {
                Event::ServerStarted { tool_count, .. } => format!("started {tool_count}"),
                Event::ServerStopped { reason, .. } => format!("stopped {}", reason.as_deref().unwrap_or("-")),
                Event::ServerError { error, .. } => format!("error {error}"),
                Event::ToolsChanged { added, removed, changed, .. } => {
                    format!("tools +{} -{} ~{}", added.len(), removed.len(), changed.len())
                }
                _ => "another".to_owned(),
            })
            .collect()
    };
    let connected = registry.replace_server(server("demo", &["a"]));
    assert_eq!(kinds(&connected.events), ["started 1", "tools +1 -0 ~0"]);
    let mut redefined = server("demo", &["a"]);
    redefined.definition = "sha256:2".to_owned();
    let restarted = registry.replace_server(redefined);
    assert_eq!(kinds(&restarted.events), ["stopped its definition changed", "started 1", "tools +0 -0 ~1"]);
    assert!(!restarted.prefix_changed, "the model is told the same");
    let lost = registry.fail_server("demo", "connection closed");
    assert_eq!(kinds(&lost.events), ["tools +0 -1 ~0", "error connection closed"]);
    assert_eq!(kinds(&registry.fail_server("demo", "no such command").events), ["error no such command"]);
    let empty = registry.replace_server(server("demo", &[]));
    assert_eq!(kinds(&empty.events), ["started 0"]);
    assert_eq!(kinds(&registry.remove_server("demo").events), ["stopped -"]);
    assert_eq!(kinds(&registry.remove_server("demo").events), [""; 0]);
}

#[test]
fn a_change_of_effect_alone_keeps_the_prefix() {
    let mut registry = registry([server("demo", &["a"])]);
    let change = registry.replace_server(server("demo", &["a"]).with_effect("a", Effect::ReadOnly));
    assert_eq!(ids(&change.changed), ["mcp__demo__a"]);
    assert!(!change.prefix_changed);
}

#[test]
fn a_tool_is_mutating_unless_a_trusted_word_says_otherwise() {
    let hinted = || ServerTools::new("demo", "sha256:1", vec![read_only("a"), tool("b")]);
    let denied = tool_from(&json!({"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": false}}));
    let mut suspended = Drift::default();
    suspended.standings.insert("a".to_owned(), Standing::AskAgain);
    for (server, expected) in [
        (hinted(), [Effect::Mutating, Effect::Mutating]),
        (hinted().trusting_annotations(), [Effect::ReadOnly, Effect::Mutating]),
        (hinted().with_effect("b", Effect::ReadOnly), [Effect::Mutating, Effect::ReadOnly]),
        (hinted().trusting_annotations().with_effect("a", Effect::Mutating), [Effect::Mutating, Effect::Mutating]),
        (hinted().trusting_annotations().with_drift(&suspended), [Effect::Mutating, Effect::Mutating]),
        (
            ServerTools::new("demo", "sha256:1", vec![denied, tool("b")]).trusting_annotations(),
            [Effect::Mutating, Effect::Mutating],
        ),
    ] {
        let snapshot = registry([server]).snapshot();
        assert_eq!(snapshot.tools().map(|tool| tool.effect).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_filter_decides_which_tools_are_registered() {
    let all = ["get_issue", "get_secret", "delete_issue"];
    for (allow, deny, expected) in [
        (vec![], vec![], vec!["delete_issue", "get_issue", "get_secret"]),
        (vec!["get_*"], vec![], vec!["get_issue", "get_secret"]),
        (vec![], vec!["delete_*"], vec!["get_issue", "get_secret"]),
        (vec!["get_*"], vec!["get_secret"], vec!["get_issue"]),
        (vec!["missing"], vec![], vec![]),
    ] {
        let filter = ToolFilter::new(allow, deny).expect("valid globs");
        let snapshot = registry([server("demo", &all).with_filter(filter)]).snapshot();
        assert_eq!(snapshot.tools().map(|tool| tool.tool.name.as_str()).collect::<Vec<_>>(), expected);
    }
    assert!(ToolFilter::new(["x\\"], []).is_err());
}

#[test]
fn a_tool_listed_twice_is_reported_and_the_first_stays() {
    let mut registry = Registry::new(NameStyle::default());
    let second = tool_from(&json!({"name": "a", "description": "An impostor.", "inputSchema": {"type": "object"}}));
    let change = registry.replace_server(ServerTools::new("demo", "sha256:1", vec![tool("a"), second]));
    assert_eq!(ids(&change.problems), ["demo.a: listed twice: expected one tool of a name, took the first"]);
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.tools().next().and_then(|tool| tool.tool.description.as_deref()), Some("Does a."));
}

#[test]
fn a_snapshot_never_changes() {
    let mut registry = registry([server("demo", &["a"])]);
    let before = registry.snapshot();
    registry.replace_server(server("demo", &["b"]));
    assert_eq!(ids(before.tools().map(|tool| &tool.id)), ["mcp__demo__a"]);
    assert_eq!(ids(registry.snapshot().tools().map(|tool| &tool.id)), ["mcp__demo__b"]);
    assert_eq!(registry.snapshot().revision(), before.revision() + 1);
}

#[test]
fn definitions_are_the_same_bytes_whatever_the_order_of_arrival() {
    let servers = || ["zeta", "alpha", "mid.dle"].map(|name| server(name, &["b", "a"]));
    let mut reversed = servers();
    reversed.reverse();
    for server in &mut reversed {
        server.tools.reverse();
    }
    let (one, other) = (registry(servers()).snapshot(), registry(reversed).snapshot());
    assert_eq!(one.definitions(), other.definitions());
    let definitions: serde_json::Value = serde_json::from_str(&one.definitions()).expect("definitions are JSON");
    assert_eq!(
        definitions[0],
        json!({"name": "mcp__alpha__a", "description": "Does a.", "input_schema": {"type": "object"}})
    );
    assert_eq!(definitions.as_array().map(Vec::len), Some(6));
}

#[test]
fn schemas_keep_their_bytes() {
    let raw = r#"{"name":"a","inputSchema":{ "type" : "object", "maximum": 1.00 }}"#;
    let (tool, _) = Tool::parse(serde_json::from_str(raw).expect("valid JSON")).expect("a tool");
    assert_eq!(tool.input_schema.get(), r#"{ "type" : "object", "maximum": 1.00 }"#);
    let snapshot = registry([ServerTools::new("demo", "sha256:1", vec![tool])]).snapshot();
    assert!(snapshot.definitions().contains(r#""input_schema":{ "type" : "object", "maximum": 1.00 }"#));
}

#[test]
fn one_bad_tool_leaves_the_others() {
    let list = json!({"tools": [
        {"name": "good", "inputSchema": {"type": "object"}},
        {"inputSchema": {}},
        "text",
        {"name": 7},
        {"name": "odd", "description": [], "inputSchema": "none", "annotations": {"readOnlyHint": "yes"}},
        {"name": "bare"},
        {"name": "old", "inputSchema": {}, "annotations": {"title": "An old title"}},
    ]});
    let (tools, problems) = Tool::parse_list(&serde_json::value::to_raw_value(&list).expect("a literal serialises"));
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good", "odd", "bare", "old"]);
    assert_eq!(tools[1].effect_hint, None);
    assert_eq!(tools[3].title.as_deref(), Some("An old title"));
    let places: Vec<_> = problems.iter().map(|problem| problem.place.as_str()).collect();
    assert_eq!(
        places,
        [
            "tools/1",
            "tools/2",
            "tools/3",
            "odd/description",
            "odd/inputSchema",
            "odd/inputSchema",
            "odd/annotations/readOnlyHint",
            "bare/inputSchema"
        ]
    );
    let (tools, problems) = Tool::parse_list(&serde_json::value::to_raw_value("no list").expect("text serialises"));
    assert_eq!((tools.len(), problems.len()), (0, 1));
}

#[test]
fn public_values_cross_threads() {
    fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Registry>();
    assert_send_sync::<mcp_registry::Snapshot>();
    assert_send_sync::<mcp_registry::Rules>();
    assert_send_sync::<mcp_registry::Output>();
    assert_send_sync::<mcp_registry::Error>();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_a_provider_is_told_does_not_depend_on_arrival(
        (ordered, shuffled) in prop::collection::btree_map(".{0,6}", prop::collection::btree_set(".{0,6}", 0..5), 0..6)
            .prop_flat_map(|servers| {
                let list: Vec<(String, Vec<String>)> =
                    servers.into_iter().map(|(name, tools)| (name, tools.into_iter().collect())).collect();
                (Just(list.clone()), Just(list).prop_shuffle())
            }),
    ) {
        let build = |servers: &[(String, Vec<String>)]| {
            let servers = servers.iter().map(|(name, tools)| {
                server(name, &tools.iter().map(String::as_str).collect::<Vec<_>>())
            });
            registry(servers).snapshot()
        };
        let (ordered, mut late) = (build(&ordered), shuffled.clone());
        for (_, tools) in &mut late {
            tools.reverse();
        }
        let late = build(&late);
        prop_assert_eq!(ordered.definitions(), late.definitions());
        prop_assert_eq!(ordered.tools().collect::<Vec<_>>(), late.tools().collect::<Vec<_>>());
    }
}
