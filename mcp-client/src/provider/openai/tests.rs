use serde_json::json;

use super::*;

fn offer(id: &str) -> Offer {
    Offer { id: id.to_owned(), description: format!("Does {id}."), schema: json!({"type": "object"}) }
}

fn deferred() -> DeferredTools {
    DeferredTools {
        resolver: Some(offer("ResolveMcpTools")),
        loaded: vec![offer("a")],
        deferred: [("my server".to_owned(), vec![offer("b"), offer("c")]), ("my_server".to_owned(), vec![offer("d")])]
            .into(),
    }
}

#[test]
fn withheld_functions_stand_in_namespaces_that_are_told_apart() {
    let array = tools(deferred(), Search::Hosted).expect("nothing to refuse");
    assert_eq!(
        array,
        json!([
            {"type": "function", "name": "a", "description": "Does a.", "parameters": {"type": "object"}},
            {
                "type": "namespace",
                "name": "my_server",
                "description": "The tools of the MCP server my server.",
                "tools": [
                    {"type": "function", "name": "b", "description": "Does b.", "parameters": {"type": "object"}, "defer_loading": true},
                    {"type": "function", "name": "c", "description": "Does c.", "parameters": {"type": "object"}, "defer_loading": true},
                ],
            },
            {
                "type": "namespace",
                "name": "my_server-2",
                "description": "The tools of the MCP server my_server.",
                "tools": [
                    {"type": "function", "name": "d", "description": "Does d.", "parameters": {"type": "object"}, "defer_loading": true},
                ],
            },
            {"type": "tool_search"},
        ])
    );
}

#[test]
fn a_search_of_the_host_sends_no_withheld_definition() {
    let array = tools(deferred(), Search::Own).expect("nothing to refuse");
    assert_eq!(
        array[1],
        json!({
            "type": "tool_search",
            "execution": "client",
            "description": "Does ResolveMcpTools.",
            "parameters": {"type": "object"},
        })
    );
    assert_eq!(array.as_array().map(Vec::len), Some(2));
    let nothing = DeferredTools { resolver: None, deferred: BTreeMap::new(), ..deferred() };
    for search in [Search::Own, Search::Hosted] {
        let array = tools(nothing.clone(), search).expect("nothing to refuse");
        assert_eq!(array.as_array().map(Vec::len), Some(1), "where nothing is withheld there is nothing to search");
    }
}

#[test]
fn what_was_found_is_answered_by_namespace() {
    let answer = search_output("call-1", ["d", "c"], &deferred()).expect("both are withheld");
    assert_eq!((&answer["call_id"], &answer["execution"]), (&json!("call-1"), &json!("client")));
    assert_eq!(
        (&answer["tools"][0]["name"], &answer["tools"][0]["tools"][0]["name"]),
        (&json!("my_server-2"), &json!("d"))
    );
    assert_eq!(
        (&answer["tools"][1]["name"], &answer["tools"][1]["tools"][0]["name"]),
        (&json!("my_server"), &json!("c"))
    );
    let unknown = search_output("call-1", ["a"], &deferred());
    assert_eq!(unknown, Err(Refusal::UnknownReference { tool: "a".to_owned() }), "`a` is loaded already");
}

#[test]
fn a_name_can_be_there_once() {
    let twice = DeferredTools { loaded: vec![offer("b")], ..deferred() };
    assert_eq!(tools(twice, Search::Hosted), Err(Refusal::RepeatedName { tool: "b".to_owned() }));
}
