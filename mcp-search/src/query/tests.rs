use super::Query;

#[test]
fn select_asks_for_names_only() {
    let query = Query::parse("Select: create_issue, `listIssues`,");
    assert_eq!(query.selected, Some(vec!["create_issue".to_owned(), "listIssues".to_owned()]));
    assert_eq!(query.text, "create_issue listIssues");
}

#[test]
fn plus_marks_required_words() {
    let query = Query::parse("+GitHub open c++ issue + 1");
    assert_eq!(query.required, ["git", "hub"]);
    assert_eq!(query.text, "GitHub open c++ issue + 1");
}

#[test]
fn a_query_without_marks_keeps_its_text() {
    let query = Query::parse("  what's new,\nhere? ");
    assert_eq!(query, Query { text: "what's new,\nhere?".to_owned(), ..Query::default() });
}

#[test]
fn readings_go_from_the_whole_to_the_words() {
    let query = Query::parse("create issue, `list_issues`");
    let [whole, parts, words] = query.readings();
    assert_eq!(whole, ["create issue, `list_issues"]);
    assert_eq!(parts, ["create issue", "list_issues"]);
    assert_eq!(words, ["create", "issue", "list_issues"]);
}

#[test]
fn identifiers_have_a_separator_or_a_hump() {
    let query = Query::parse("use createIssue, then a.b and `fetch` or get-me. Stop");
    assert_eq!(query.identifiers().collect::<Vec<_>>(), ["createIssue", "a.b", "fetch", "get-me"]);
}

#[test]
fn a_pasted_document_is_cut() {
    assert_eq!(Query::parse(&"é".repeat(100_000)).text.chars().count(), super::QUERY_CHARACTERS);
}
