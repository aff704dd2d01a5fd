//! Bugs that other tool searches have or had; each test is named for where it was reported.

use mcp_search::Leg;

use crate::support::{all, ids, index, tool};

/// openai/codex#21503: an exact name in a query of seven names was not among the results.
#[test]
fn codex_21503_every_name_of_a_query_of_seven_is_found() {
    let names =
        ["list_issues", "get_issue", "search_issues", "create_issue", "update_issue", "add_comment", "list_projects"];
    let decoys =
        (0..50).map(|number| tool("decoy", &format!("issue_list_{number}"), "list get search create update issues"));
    let index = index(names.iter().map(|name| tool("linear", name, "")).chain(decoys));
    let answer = index.search(&names.join(" "), 5, &all);
    let expected: Vec<String> = names.iter().map(|name| format!("mcp__linear__{name}")).collect();
    assert_eq!(ids(&answer), expected);
    assert!(answer.hits.iter().all(|hit| hit.leg == Leg::Exact));
}

/// Yeachan-Heo/oh-my-claudecode#814: a bare name was not found among a hundred tools, though its full name was.
#[test]
fn oh_my_claudecode_814_a_bare_name_is_found_among_a_hundred() {
    let decoys = (0..100).map(|number| tool("team", &format!("ask_agent_{number}"), "Ask codex or another agent."));
    let index = index(decoys.chain([tool("x", "ask_codex", "")]));
    assert_eq!(index.search("ask_codex", 3, &all).hits[0].id, "mcp__x__ask_codex");
    assert_eq!(index.search("select:mcp__x__ask_codex", 3, &all).hits[0].id, "mcp__x__ask_codex");
}

/// Arcade's test of provider-side search: `Gmail_SendEmail` and `Slack_SendMessage` were not found.
#[test]
fn arcade_send_tools_are_found_by_what_they_do() {
    let decoys =
        ["ListEmails", "SearchEmails", "GetEmail", "TrashEmail", "ListDraftEmails", "UpdateDraftEmail", "ReplyToEmail"];
    let decoys = decoys.map(|name| tool("Gmail", &format!("Gmail_{name}"), "Works with emails in Gmail."));
    let slack = ["ListUsers", "ListConversations", "GetMessages", "GetUsersInConversation"];
    let slack = slack.map(|name| tool("Slack", &format!("Slack_{name}"), "Works with messages in Slack."));
    let wanted = [
        tool("Gmail", "Gmail_SendEmail", "Send an email using the Gmail API."),
        tool("Slack", "Slack_SendMessage", "Send a message to a channel or person."),
    ];
    let index = index(decoys.into_iter().chain(slack).chain(wanted));
    assert_eq!(index.search("send an email to my colleague", 3, &all).hits[0].id, "mcp__Gmail__Gmail_SendEmail");
    assert_eq!(index.search("post a message in slack", 3, &all).hits[0].id, "mcp__Slack__Slack_SendMessage");
}

/// A wrong guess of a name, as in opencode's pull request 50455, leads to the right tool.
#[test]
fn opencode_50455_a_guessed_name_leads_to_the_tool() {
    let index = index([
        tool("github", "get_me", "Details of the authenticated user."),
        tool("github", "list_dependabot_alerts", "List dependabot alerts."),
        tool("github", "get_dependabot_alert", "One dependabot alert."),
        tool("github", "list_issues", "List issues."),
    ]);
    assert_eq!(index.search("get-me", 1, &all).hits[0].id, "mcp__github__get_me");
    assert_eq!(index.search("dependabot_list_alerts", 1, &all).hits[0].id, "mcp__github__list_dependabot_alerts");
    assert_eq!(index.nearest("dependabot_list_alerts", 1), ["mcp__github__list_dependabot_alerts"]);
}

/// bm25 2.3.2 lowercases before it splits and does not split at `_`, so that names stay one word.
#[test]
fn bm25_tokenizer_names_are_split() {
    let index = index([tool("s", "createPullRequest", ""), tool("s", "delete_pull_request", "")]);
    assert_eq!(index.search("pull", 5, &all).total, 2);
}

/// bm25 2.3.2 sorts by score only what a hash set gave it, so that ties come in another order on every run.
#[test]
fn bm25_ties_have_an_order() {
    let tools = || (0..40).map(|number| tool("s", &format!("twin{}", (number * 7) % 40), "Same words for all."));
    let first = index(tools()).search("same words", 40, &all);
    let second = index(tools().collect::<Vec<_>>().into_iter().rev()).search("same words", 40, &all);
    assert_eq!(ids(&first), ids(&second));
    assert!(ids(&first).is_sorted());
}

/// bm25 2.3.2 counts a word of the query as often as it is written.
#[test]
fn bm25_repeated_words_count_once() {
    let index = index([tool("s", "a", "alpha beta"), tool("s", "b", "beta gamma"), tool("s", "c", "delta")]);
    let once = index.search("alpha gamma", 5, &all);
    let often = index.search("alpha gamma gamma gamma gammas", 5, &all);
    assert_eq!(ids(&once), ids(&often));
}

/// bm25 2.3.2 keeps the average length it started with.
#[test]
fn bm25_lengths_do_not_drift() {
    let base = || [tool("s", "a", "alpha beta"), tool("s", "b", "alpha beta gamma delta epsilon")];
    let fresh = index(base()).search("alpha", 5, &all);
    let mut drifted = index((0..200).map(|number| tool("t", &format!("x{number}"), &"long words ".repeat(number))));
    for tool in base() {
        drifted.insert(tool);
    }
    for number in 0..200 {
        assert!(drifted.remove(&format!("mcp__t__x{number}")));
    }
    assert_eq!(drifted.search("alpha", 5, &all), fresh);
}

/// hoocode's tokenizer loses acronyms, plural acronyms and everything that is not ASCII.
#[test]
fn hoocode_acronyms_and_other_scripts_are_words() {
    let index = index([tool("s", "getHTTPServerError", ""), tool("s", "listPRs", ""), tool("s", "x", "поиск 搜索")]);
    for (query, expected) in [
        ("http", "mcp__s__getHTTPServerError"),
        ("pr", "mcp__s__listPRs"),
        ("поиск", "mcp__s__x"),
        ("搜索", "mcp__s__x"),
    ] {
        assert_eq!(ids(&index.search(query, 5, &all)), [expected], "{query}");
    }
}

/// hoocode does not index parameters.
#[test]
fn hoocode_parameters_are_indexed() {
    let mut with = tool("s", "convert", "Converts values.");
    with.parameters = vec![("target_currency".to_owned(), "Three-letter code".to_owned())];
    let index = index([with, tool("s", "convert_units", "Converts values.")]);
    assert_eq!(index.search("convert currency", 5, &all).hits[0].id, "mcp__s__convert");
}

/// A query of stop words alone is still a query (hoocode falls back to them, too).
#[test]
fn hoocode_a_query_of_stop_words_is_searched() {
    let index = index([tool("s", "what_is", "Explains."), tool("s", "other", "Other.")]);
    assert_eq!(index.search("what is it", 5, &all).hits[0].id, "mcp__s__what_is");
}

/// Reciprocal-rank fusion loses 12 points on a set where words are right and meaning is not: a clear winner by words
/// stays.
#[test]
fn rank_fusion_a_clear_winner_stays() {
    use mcp_search::{Dense, Similarities};
    let index =
        index((0..60).map(|number| tool("s", &format!("tool{number}"), &format!("Handles topic{number} only."))));
    let mut wrong = Similarities::default();
    wrong.push((0..60_u8).map(|number| (format!("mcp__s__tool{number}"), f32::from(60 - number.abs_diff(30)) / 100.0)));
    let answer = index.search_with("topic17 handling", 5, &all, Dense::On(&wrong));
    assert_eq!(answer.hits[0].id, "mcp__s__tool17");
}
