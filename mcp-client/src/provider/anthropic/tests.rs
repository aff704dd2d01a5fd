use serde_json::json;

use super::*;
use crate::provider::Offer;

fn offer(id: &str) -> Offer {
    Offer { id: id.to_owned(), description: String::new(), schema: json!({"type": "object"}) }
}

fn deferred(loaded: &[&str], withheld: &[&str]) -> DeferredTools {
    DeferredTools {
        resolver: Some(offer("ResolveMcpTools")),
        loaded: loaded.iter().map(|id| offer(id)).collect(),
        deferred: [("s".to_owned(), withheld.iter().map(|id| offer(id)).collect())].into(),
    }
}

fn names(tools: &Value) -> Vec<(&str, bool)> {
    let tools = tools.as_array().expect("an array").iter();
    tools.map(|tool| (tool["name"].as_str().unwrap_or_default(), is_withheld(tool))).collect()
}

#[test]
fn the_search_comes_first_and_is_never_withheld() {
    let array = |search| tools(deferred(&["a"], &["b", "c"]), search).expect("nothing to refuse");
    assert_eq!(names(&array(Search::Own)), [("ResolveMcpTools", false), ("a", false), ("b", true), ("c", true)]);
    let hosted = array(Search::Bm25);
    assert_eq!(hosted[0], json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}));
    assert_eq!(names(&hosted)[1..], [("a", false), ("b", true), ("c", true)]);
    assert_eq!(names(&array(Search::Regex))[0], ("tool_search_tool_regex", false));
}

#[test]
fn the_cache_mark_goes_to_what_is_not_withheld() {
    let mut array = tools(deferred(&["a"], &["b"]), Search::Own).expect("nothing to refuse");
    mark_cached(&mut array);
    assert_eq!(array[1]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(array[2].get("cache_control"), None);
    check(array.as_array().expect("an array")).expect("nothing to refuse");
}

#[test]
fn what_the_api_refuses_is_refused_first() {
    let tool = |name: &str, withheld: bool| json!({"name": name, "defer_loading": withheld});
    let refused = |tools: Vec<Value>| check(&tools).expect_err("the API answers 400").to_string();
    assert_eq!(refused(vec![tool("a", true)]), "every tool is withheld, and none is left by which to find them");
    assert_eq!(refused(vec![tool("a", false), tool("a", true)]), "two tools are called `a`");
    assert_eq!(refused(vec![tool("a", false), json!({"type": "x"})]), "tool 1 of the array has no name");
    let search = json!({"type": "tool_search_tool_regex_20251119", "name": "find", "defer_loading": true});
    assert_eq!(refused(vec![tool("a", false), search]), "`find` finds the other tools, and must not be withheld");
    let cached = json!({"name": "b", "defer_loading": true, "cache_control": {"type": "ephemeral"}});
    assert_eq!(refused(vec![tool("a", false), cached]), "`b` is withheld and cannot be marked with `cache_control`");
    let mut many: Vec<Value> = (0..MOST_WITHHELD).map(|number| tool(&format!("t{number}"), true)).collect();
    many.push(tool("a", false));
    check(&many).expect("as many as there may be");
    many.push(tool("b", true));
    assert_eq!(refused(many), "10001 tools are withheld, more than the 10000 that are searched");
    check(&[]).expect("no tools are no mistake");
}

#[test]
fn references_are_to_tools_of_the_request() {
    let array = tools(deferred(&["a"], &["b"]), Search::Own).expect("nothing to refuse");
    assert_eq!(
        references(["b", "a"], "", &array),
        Ok(json!([{"type": "tool_reference", "tool_name": "b"}, {"type": "tool_reference", "tool_name": "a"}]))
    );
    assert_eq!(references([], "nothing", &array), Ok(json!([{"type": "text", "text": "nothing"}])));
    assert_eq!(references(["z"], "", &array), Err(Refusal::UnknownReference { tool: "z".to_owned() }));
}
