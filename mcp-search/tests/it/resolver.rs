use expect_test::{Expect, expect};
use mcp_search::{Dense, Error, Index, Resolution, ResolveRequest, Surroundings, ToolResolver};

use crate::support::{all, office};

fn resolve(resolver: &mut ToolResolver, arguments: &str) -> Resolution {
    let request: ResolveRequest = serde_json::from_str(arguments).expect("a request");
    resolver.resolve(&request, &surroundings(&office(), &[])).expect("an answer")
}

fn surroundings<'a>(index: &'a Index, pending: &'a [String]) -> Surroundings<'a> {
    Surroundings { index, filter: &all, dense: Dense::Off("no model"), pending }
}

#[track_caller]
fn check(arguments: &str, expected: &Expect) {
    expected.assert_eq(&resolve(&mut ToolResolver::new(), arguments).to_string());
}

#[test]
fn by_name() {
    check(
        r#"{"names": ["mcp__github__list_issues", "sendMessage", "list_issues"]}"#,
        &expect![[r#"
            Resolved 2 tool(s), callable now:
            - mcp__github__list_issues — List the issues of a repository.
            - mcp__mail__sendMessage — Send an e-mail to one or more people."#]],
    );
}

#[test]
fn by_query() {
    check(
        r#"{"query": "open an issue", "limit": 1}"#,
        &expect![[r#"
            Resolved 1 tool(s), callable now:
            - mcp__github__create_issue — Open a new issue in a repository.
            Matched "open an issue" by lexical search (dense search is off: no model).
            4 more matched: be more specific, or raise `limit`."#]],
    );
}

#[test]
fn unknown_names_come_with_the_nearest() {
    check(
        r#"{"names": ["list_isues", "xyzzy"]}"#,
        &expect![[r#"
            No tool was resolved.
            There is no tool `list_isues`; the most similar names: mcp__github__list_issues.
            There is no tool `xyzzy`.
            Servers with tools: bing, files, github, mail, tracker."#]],
    );
}

#[test]
fn an_ambiguous_name_resolves_nothing() {
    check(
        r#"{"names": "create_issue"}"#,
        &expect![[r#"
            No tool was resolved.
            `create_issue` is the name of several tools; ask for one of: mcp__github__create_issue, mcp__tracker__create_issue."#]],
    );
}

#[test]
fn a_query_without_matches_lists_the_servers() {
    check(
        r#"{"query": "zzz qqq"}"#,
        &expect![[r#"
            No tool was resolved.
            Nothing matched "zzz qqq" (dense search is off: no model).
            Servers with tools: bing, files, github, mail, tracker."#]],
    );
}

#[test]
fn pending_is_not_no_match() {
    let office = office();
    let pending = ["calendar".to_owned()];
    let request = ResolveRequest { query: Some("zzz".to_owned()), ..ResolveRequest::default() };
    let resolution = ToolResolver::new().resolve(&request, &surroundings(&office, &pending)).expect("an answer");
    assert_eq!(resolution.pending, ["calendar"]);
    assert!(resolution.to_string().contains("Still connecting, their tools may yet come: calendar."), "{resolution}");
}

#[test]
fn a_denied_tool_is_unknown() {
    let office = office();
    let surroundings = Surroundings { filter: &|id| !id.contains("mail"), ..surroundings(&office, &[]) };
    for names in ["sendMessage", "mcp__mail__sendMessage"] {
        let request = ResolveRequest { names: vec![names.to_owned()], ..ResolveRequest::default() };
        let resolution = ToolResolver::new().resolve(&request, &surroundings).expect("an answer");
        assert!(resolution.tools.is_empty() && resolution.unknown.len() == 1, "{resolution:?}");
        assert!(!resolution.servers.contains(&"mail".to_owned()));
    }
}

#[test]
fn resolved_tools_are_appended_in_the_order_they_were_resolved() {
    let mut resolver = ToolResolver::new();
    let first = resolve(&mut resolver, r#"{"names": ["sendMessage"]}"#);
    let second = resolve(&mut resolver, r#"{"names": ["list_issues", "sendMessage"]}"#);
    assert!(first.tools[0].is_new && second.tools[0].is_new && !second.tools[1].is_new);
    assert_eq!(resolver.resolved(), ["mcp__mail__sendMessage", "mcp__github__list_issues"]);
    assert!(second.to_string().starts_with("Resolved 2 tool(s), callable now (1 of them new):"), "{second}");
}

#[test]
fn plain_clients_get_definitions() {
    let resolution = resolve(&mut ToolResolver::new(), r#"{"names": ["sendMessage", "list_issues", "nope"]}"#);
    let definition = |id: &str| id.contains("mail").then(|| r#"{"name": "mcp__mail__sendMessage"}"#.to_owned());
    expect![[r#"
        Found 2 tool(s). Call one with `call_tool`, giving its `name` and `arguments`.

        {"name": "mcp__mail__sendMessage"}

        - mcp__github__list_issues — List the issues of a repository.

        There is no tool `nope`."#]]
    .assert_eq(&resolution.with_definitions("call_tool", &definition));
}

#[test]
fn the_limit_is_kept_within_bounds() {
    let found = |limit: usize| {
        resolve(&mut ToolResolver::new(), &format!(r#"{{"query": "issue search", "limit": {limit}}}"#)).tools.len()
    };
    assert_eq!(found(0), 1);
    assert_eq!(found(2), 2);
    assert_eq!(found(usize::MAX), found(50));
}

#[test]
fn requests_are_read_leniently_but_not_blindly() {
    let read = |text| serde_json::from_str::<ResolveRequest>(text).map_err(|error| error.to_string());
    assert_eq!(read("{}"), Ok(ResolveRequest::default()));
    assert_eq!(read(r#"{"names": null, "query": null}"#), Ok(ResolveRequest::default()));
    assert_eq!(read(r#"{"names": "a"}"#).map(|request| request.names), Ok(vec!["a".to_owned()]));
    assert!(read(r#"{"name": "a"}"#).unwrap_err().contains("unknown field `name`, expected one of `names`"));
    assert!(read(r#"{"names": 3}"#).unwrap_err().contains("`names` is a list of names"));
    let empty = ResolveRequest { names: vec![" ".to_owned()], query: Some("  ".to_owned()), limit: 5 };
    let error = ToolResolver::new().resolve(&empty, &surroundings(&office(), &[])).unwrap_err();
    assert!(matches!(error, Error::EmptyRequest));
}

#[test]
fn the_input_schema_describes_the_request() {
    let schema: serde_json::Value = serde_json::from_str(ToolResolver::INPUT_SCHEMA).expect("JSON");
    let properties: Vec<&String> = schema["properties"].as_object().expect("properties").keys().collect();
    assert_eq!(properties, ["names", "query", "limit"]);
}
