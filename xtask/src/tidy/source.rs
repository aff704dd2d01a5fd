//! Source files: size, purity, tests that wait for luck, lints silenced without a reason.

/// A file longer than this holds a second concept that asks for its own file.
const MAX_LINES: usize = 800;

/// Crates that take the world as arguments and so may not touch it.
const PURE: [&str; 3] = ["mcp-registry/src/", "mcp-schema/src/", "mcp-search/src/"];

/// How a program touches the world.
const IMPURE: [&str; 8] =
    ["std::fs", "std::net", "std::env", "std::process", "std::thread", "SystemTime::now", "Instant::now", "tokio::"];

/// What no file may contain, and what to do instead. Written in two halves, so that this file does not.
const FORBIDDEN: [((&str, &str), &str); 5] = [
    (("#[al", "low("), "use #[expect(…, reason = …)]"),
    (("#[ign", "ore"), "a test that never runs is none: ask for a slow one with an environment variable"),
    (("#[should_", "panic"), "assert on the error instead"),
    (("todo", "!("), "finish it or leave it out"),
    (("unimple", "mented!("), "finish it or leave it out"),
];

/// What no test may contain: it passes on a quiet machine and fails on a busy one.
const LUCK: [(&str, &str); 2] = [("thread::sl", "eep("), ("time::sl", "eep(")];

/// How a command line of ours begins.
const COMMAND_LINE: (&str, &str) = ("mcp", "ctl ");

/// Who may write one: the module that quotes them, and the parser's usage texts.
const SPEAK_COMMAND_LINES: [&str; 2] = ["mcp-cli/src/hint.rs", "mcp-cli/src/arguments.rs"];

/// What one source file gets wrong. `name` is its path from the root, with `/`.
pub(super) fn check(name: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lines = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text).lines().count();
    let is_test = name.contains("/tests/") || name.ends_with("tests.rs") || name.contains("/benches/");
    if lines > MAX_LINES && !is_test {
        findings.push(format!("{name}: {lines} lines; split responsibilities at {MAX_LINES}"));
    }
    for ((head, tail), instead) in FORBIDDEN {
        if code(text).any(|line| line.contains(&format!("{head}{tail}"))) {
            findings.push(format!("{name}: `{head}{tail}`: {instead}"));
        }
    }
    for (head, tail) in LUCK {
        if is_test && code(text).any(|line| line.contains(&format!("{head}{tail}"))) {
            findings.push(format!("{name}: `{head}{tail}`: wait for the event, not for luck"));
        }
    }
    if PURE.iter().any(|folder| name.starts_with(folder)) && !is_test {
        for touch in IMPURE {
            if code(text).any(|line| line.contains(touch)) {
                findings.push(format!("{name}: `{touch}` in a pure crate; take the value as an argument"));
            }
        }
    }
    let (head, tail) = COMMAND_LINE;
    let may_speak = is_test || SPEAK_COMMAND_LINES.contains(&name) || name.starts_with("xtask/");
    if name.contains("/src/") && !may_speak && code(text).any(|line| line.contains(&format!("{head}{tail}"))) {
        // A name put into one would be pasted as it is: `docs; rm -r x`.
        findings
            .push(format!("{name}: `{head}{tail}`: a remedy is data, and mcp-cli/src/hint.rs makes commands of it"));
    }
    findings
}

/// The function's signature, or a table of the characters that only it should know.
pub(super) fn defines_sanitizer(text: &str) -> bool {
    text.contains("pub fn printable(") || text.contains("'\\u{202A}'") || text.contains("'\\u{202a}'")
}

fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources() {
        let long = "fn f() {}\n".repeat(MAX_LINES + 1);
        let table = [
            ("mcp-schema/src/a.rs", "use std::collections::BTreeMap;", 0),
            ("mcp-schema/src/a.rs", "use std::fs;", 1),
            ("mcp-schema/src/a.rs", "// never std::fs", 0),
            ("mcp-schema/tests/it/a.rs", "use std::fs;", 0),
            ("mcp-transport/src/a.rs", "use std::fs;", 0),
            ("mcp-transport/src/a.rs", concat!("#[al", "low(dead_code)]"), 1),
            ("mcp-transport/tests/it/a.rs", concat!("std::thread::sl", "eep(d)"), 1),
            ("mcp-transport/src/a.rs", concat!("std::thread::sl", "eep(d)"), 0),
            ("mcp-transport/src/a.rs", long.as_str(), 1),
            ("mcp-config/src/a.rs", concat!("fix(format!(\"mcp", "ctl trust {name}\"))"), 1),
            ("mcp-cli/src/commands/a.rs", concat!("hint(\"mcp", "ctl list\")"), 1),
            ("mcp-cli/src/hint.rs", concat!("\"mcp", "ctl list\""), 0),
            ("mcp-config/src/a.rs", concat!("/// `mcp", "ctl list`"), 0),
            ("mcp-transport/src/a/tests.rs", long.as_str(), 0),
        ];
        for (name, text, expected) in table {
            assert_eq!(check(name, text).len(), expected, "{name}");
        }
    }
}
