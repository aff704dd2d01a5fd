use super::{explanation, messages_in};

#[test]
fn messages_behind_a_banner_or_beside_each_other_are_found() {
    for (line, expected) in [
        (r#"Starting {fast}... {"jsonrpc":"2.0","id":1,"result":{}}"#, 1),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}"#, 2),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}} Content-Length: 9"#, 1),
        (r#"{"level":"info","id":1,"result":{}}"#, 0),
        (r#"log {"id":1,"result":{}}"#, 0),
        (r#"log {"jsonrpc":"2.0","id":1,"result":{}"#, 0),
        ("Content-Length: 9", 0),
        ("", 0),
    ] {
        assert_eq!(messages_in(line.as_bytes()).len(), expected, "{line}");
    }
}

#[test]
fn what_is_nearly_mcp_is_named() {
    for (line, expected) in [
        ("Content-Length: 52\r", "language servers"),
        ("content-length:52", "language servers"),
        ("{", "several lines"),
        (r#"{"jsonrpc": "2.0","#, "several lines"),
        ("<!DOCTYPE html><html>", "web page"),
        ("Server is running", "stderr"),
        ("{oops}", "stderr"),
    ] {
        assert!(explanation(line).contains(expected), "{line}: {}", explanation(line));
    }
}
