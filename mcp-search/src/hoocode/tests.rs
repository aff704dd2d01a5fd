use super::{HoocodeIndex, STOP_WORDS, fuse_ranks, tokens};
use crate::document::Document;

/// Four tools whose ids, lengths and words in question are those of hoocode's own test, which the golden scores were
/// taken from; BM25 knows nothing else of a document.
fn golden() -> HoocodeIndex {
    let tool = |server: &str, name: &str, description: &str| Document {
        id: format!("mcp_{server}_{name}"),
        server: server.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        ..Document::default()
    };
    let tools = [
        tool("github", "create_pull_request", "Open a pull request from a fork."),
        tool("github", "list_issues", "List issues of a project."),
        tool("mail", "send_message", "Send an email message to a friend."),
        tool("fs", "read_file", "Read the lines of a file on disk."),
    ];
    HoocodeIndex::new(&tools)
}

#[track_caller]
fn check(query: &str, expected: &[(&str, f32)]) {
    let found = golden().search(query, 10);
    let found: Vec<(&str, f32)> = found.iter().take(expected.len()).map(|(id, score)| (id.as_str(), *score)).collect();
    let same = |(left, right): (&(&str, f32), &(&str, f32))| left.0 == right.0 && (left.1 - right.1).abs() < 2e-6;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(same),
        "{query}: {found:?}, not {expected:?}"
    );
}

#[test]
fn golden_scores_are_reproduced() {
    check("pull request", &[("mcp_github_create_pull_request", 4.410_711)]);
    check("open a pull request", &[("mcp_github_create_pull_request", 6.062_924)]);
    check("send email", &[("mcp_mail_send_message", 3.920_783)]);
    check("read_file", &[("mcp_fs_read_file", 4.395_356)]);
    check("issues", &[("mcp_github_list_issues", 4.395_356)]);
    check(
        "mcp",
        &[
            ("mcp_mail_send_message", 0.180_708),
            ("mcp_github_create_pull_request", 0.178_087),
            ("mcp_fs_read_file", 0.177_23),
            ("mcp_github_list_issues", 0.177_23),
        ],
    );
    check("a", &[("mcp_github_create_pull_request", 0.144_586)]);
}

#[test]
fn nothing_is_found_where_hoocode_finds_nothing() {
    for query in ["how do I use it", "quantum", ""] {
        assert_eq!(golden().search(query, 10), [], "{query}");
    }
    assert_eq!(HoocodeIndex::new(&[]).search("a", 10), []);
}

#[test]
fn tokens_are_hoocodes() {
    assert_eq!(
        tokens("list-issues"),
        ["list-issues", "list-issue", "list", "issues", "issue", "list", "issues", "issue"]
    );
    assert_eq!(tokens("HTTPServerError"), ["httpservererror", "server", "error"]);
    assert_eq!(tokens("PRs"), ["prs", "rs"]);
    assert_eq!(tokens("get_status"), ["get_status", "get", "status", "get", "status"]);
    assert_eq!(tokens("搜索 поиск"), Vec::<String>::new());
    assert_eq!(tokens("a--b_-_c"), ["a", "b", "c"]);
}

#[test]
fn stop_words_are_sorted() {
    assert!(STOP_WORDS.is_sorted());
    assert_eq!(STOP_WORDS.len(), 46);
}

#[test]
fn ranks_are_fused_as_hoocode_fuses_them() {
    let list = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let fused = fuse_ranks(&[list(&["a", "b"]), list(&["b", "c", "b"])]);
    let expected = [("b", 0.032_522_474_9), ("a", 0.016_393_442_6), ("c", 0.016_129_032_3)];
    for ((id, score), (expected_id, expected_score)) in fused.iter().zip(expected) {
        assert_eq!(id, expected_id);
        assert!((score - expected_score).abs() < 1e-10, "{id}: {score}");
    }
    assert_eq!(fused.len(), 3);
}
