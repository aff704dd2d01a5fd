use mcp_search::{Field, Leg, Match};

use crate::support::{all, ids, index, office, tool};

#[track_caller]
fn finds_first(query: &str, expected: &str, leg: Leg) {
    let answer = office().search(query, 5, &all);
    let first = answer.hits.first().map(|hit| (hit.id.as_str(), hit.leg));
    assert_eq!(first, Some((expected, leg)), "first hit of {query:?}");
}

#[test]
fn a_name_in_any_spelling_wins() {
    for spelling in [
        "mcp__mail__sendMessage",
        "sendMessage",
        "send_message",
        "Send Message",
        "SEND-MESSAGE",
        "mail.sendMessage",
        "mail/send-message",
        "mail send message",
        "`sendMessage`",
        "select:send_message",
        "sendMessage()",
    ] {
        finds_first(spelling, "mcp__mail__sendMessage", Leg::Exact);
    }
}

#[test]
fn names_inside_a_query_come_first_in_their_order() {
    let answer = office().search("read_text_file, list_issues and sendMessage", 1, &all);
    assert_eq!(ids(&answer), ["mcp__files__read_text_file", "mcp__github__list_issues", "mcp__mail__sendMessage"]);
}

#[test]
fn a_common_word_in_a_sentence_is_not_a_name() {
    let answer = office().search("search for open tickets", 5, &all);
    assert!(answer.hits.iter().all(|hit| hit.leg == Leg::Lexical), "{answer:?}");
    assert_eq!(answer.hits[0].id, "mcp__tracker__search");
}

#[test]
fn an_ambiguous_name_lists_its_candidates() {
    let answer = office().search("create_issue", 5, &all);
    assert_eq!(ids(&answer)[..2], ["mcp__github__create_issue", "mcp__tracker__create_issue"]);
    assert_eq!(answer.ambiguous[0].name, "create_issue");
    assert_eq!(answer.ambiguous[0].candidates, ["mcp__github__create_issue", "mcp__tracker__create_issue"]);
}

#[test]
fn select_finds_names_only_and_offers_the_nearest() {
    let answer = office().search("select:list_issues,create_pull_reqest,zzz", 5, &all);
    assert_eq!(ids(&answer), ["mcp__github__list_issues"]);
    assert_eq!(answer.unknown[0].nearest[0], "mcp__github__create_pull_request");
    assert_eq!(answer.unknown[1].name, "zzz");
    assert!(answer.unknown[1].nearest.is_empty());
}

#[test]
fn a_required_term_excludes_tools_without_it() {
    let answer = office().search("+tracker search issue", 5, &all);
    assert_eq!(ids(&answer), ["mcp__tracker__search", "mcp__tracker__create_issue"]);
    assert!(office().search("+nonexistent search issue", 5, &all).hits.is_empty());
}

#[test]
fn hits_say_what_matched_where() {
    let answer = office().search("reading some texts", 5, &all);
    let matched = &answer.hits[0].matched;
    let terms = vec!["reading".to_owned(), "texts".to_owned()];
    assert_eq!(
        matched,
        &[Match { field: Field::Name, terms: terms.clone() }, Match { field: Field::Description, terms }]
    );
}

#[test]
fn what_the_filter_denies_is_not_found_named_or_offered() {
    let allowed = |id: &str| !id.contains("mail");
    for query in ["sendMessage", "send an e-mail", "mcp__mail__sendMessage"] {
        let answer = office().search(query, 5, &allowed);
        assert!(!ids(&answer).contains(&"mcp__mail__sendMessage"), "{query}");
    }
    let answer = office().search("select:sendMesage", 5, &allowed);
    assert!(!answer.unknown[0].nearest.contains(&"mcp__mail__sendMessage".to_owned()));
}

#[test]
fn parameters_are_searched() {
    let mut with = tool("a", "convert", "Converts.");
    with.parameters = vec![("currency".to_owned(), "ISO 4217 code of the target".to_owned())];
    let index = index([with, tool("b", "convert_units", "Converts.")]);
    assert_eq!(ids(&index.search("currency", 5, &all)), ["mcp__a__convert"]);
    assert_eq!(ids(&index.search("ISO 4217", 5, &all)), ["mcp__a__convert"]);
}

#[test]
fn text_without_spaces_is_found() {
    assert_eq!(ids(&office().search("搜索", 5, &all)), ["mcp__bing__search_web"]);
}

#[test]
fn the_limit_and_the_total_are_told_apart() {
    let answer = office().search("issue repository", 1, &all);
    assert_eq!(answer.hits.len(), 1);
    assert!(answer.total > 1 && answer.is_truncated());
    let none = office().search("issue repository", 0, &all);
    assert!(none.hits.is_empty() && none.total == answer.total);
}

#[test]
fn nothing_matches_nothing() {
    for query in ["", "   ", "?!", "select:", "+"] {
        let answer = office().search(query, 5, &all);
        assert!(answer.hits.is_empty(), "{query:?} gave {answer:?}");
    }
    assert!(index([]).search("anything", 5, &all).hits.is_empty());
}

#[test]
fn equal_scores_are_ordered_by_id() {
    let twins = ["c", "a", "b"].map(|server| tool(server, "ping", "Answers."));
    let answer = index(twins).search("ping please answers", 5, &all);
    assert_eq!(ids(&answer), ["mcp__a__ping", "mcp__b__ping", "mcp__c__ping"]);
}

#[test]
fn removal_leaves_no_trace() {
    let mut changed = office();
    changed.insert(tool("late", "issue_of_the_day", "An issue with many words that change the averages."));
    changed.insert(tool("mail", "sendMessage", "Something else."));
    assert!(changed.remove("mcp__late__issue_of_the_day"));
    assert!(!changed.remove("mcp__late__issue_of_the_day"));
    changed.insert(tool("mail", "sendMessage", "Send an e-mail to one or more people."));
    for query in ["issue", "open a repository", "send", "people search tickets"] {
        assert_eq!(changed.search(query, 10, &all), office().search(query, 10, &all), "{query}");
    }
}

#[test]
fn a_mistyped_name_has_nearest_names() {
    assert_eq!(office().nearest("creat_isue", 2), ["mcp__github__create_issue", "mcp__tracker__create_issue"]);
    assert_eq!(office().nearest("issue_create", 1), ["mcp__github__create_issue"]);
    assert!(office().nearest("qqqqqqqq", 3).is_empty());
}

#[test]
fn a_name_that_many_tools_share_does_not_flood_the_answer() {
    let many = (0..60).map(|number| tool(&format!("server{number:02}"), "search", "Searches."));
    let index = index(many.chain([tool("x", "unique_name", "")]));
    let answer = index.search("search", 5, &all);
    assert_eq!((answer.hits.len(), answer.total), (5, 60));
    assert_eq!(answer.ambiguous[0].candidates.len(), 60);
    let answer = index.search("select:search,unique_name", 3, &all);
    assert_eq!(ids(&answer), ["mcp__x__unique_name", "mcp__server00__search", "mcp__server01__search"]);
}

#[test]
fn public_types_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<mcp_search::Index>();
    shared::<mcp_search::Answer>();
    shared::<mcp_search::Vectors>();
    shared::<mcp_search::ToolResolver>();
    shared::<mcp_search::Resolution>();
    shared::<mcp_search::Error>();
}
