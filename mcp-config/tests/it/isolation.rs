//! One bad file, entry or field disables only itself, and says where it is.

use expect_test::{Expect, expect};
use mcp_config::{Preset, merge};

use crate::support::World;

const GOOD: &str = r#"{"mcpServers": {"good": {"command": "x"}}}"#;

/// Puts a bad file beside a good one: the good server is always there, and the bad file is reported as expected.
fn check(content: impl AsRef<[u8]>, expected: Expect) {
    let world = World::new().home(".agents/mcp.json", GOOD).project(".mcp.json", content);
    check_world(&world, expected);
}

fn check_world(world: &World, expected: Expect) {
    let found = world.found(Preset::Toolkit);
    let merged = merge(&found.layers, &world.trust, &world.environment);
    assert!(merged.server("good").unwrap().trusted().is_ok(), "the good server is lost");
    let mut lines = world.texts(&found.problems);
    lines.extend(
        merged.servers.iter().filter(|server| server.name() != "good").map(|server| format!("+ {}", server.name())),
    );
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn empty_files() {
    for content in ["", "   \n\t", "// only a comment\n", "/* only */", "\u{feff}", "null", "{}"] {
        let world = World::new().home(".agents/mcp.json", GOOD).project(".mcp.json", content);
        let found = world.found(Preset::Toolkit);
        let is_null = content == "null";
        assert_eq!(found.problems.len(), usize::from(is_null), "{content:?}: {:?}", found.problems);
    }
}

#[test]
fn comments_commas_marks_and_line_endings() {
    check(
        "\u{feff}{ // c\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"a\",}, /* b */\r\n  },\r\n}\r\n",
        expect!["+ a"],
    );
}

#[test]
fn wrong_roots_and_containers() {
    check("[]", expect!["error: ./.mcp.json:1:1: expected an object at the top, found an array"]);
    check("7", expect!["error: ./.mcp.json:1:1: expected an object at the top, found a number"]);
    check(r#"{"mcpServers": []}"#, expect![""]);
    check(r#"{"mcpServers": null}"#, expect![""]);
    check(r#"{"hooks": {}}"#, expect!["warning: ./.mcp.json:1:1: expected `mcpServers`, found no servers"]);
}

#[test]
fn syntax_errors_have_a_place() {
    check(
        "{\n  \"mcpServers\": {\n    \"é\": {\"command\": \"a\" \"args\": []}\n",
        expect!["error: ./.mcp.json:3:25: not valid JSON: expected comma"],
    );
    check(
        "{'mcpServers': {}}",
        expect!["error: ./.mcp.json:1:2: not valid JSON: single-quoted strings are not allowed"],
    );
    check("{\"a\": 0x10}", expect!["error: ./.mcp.json:1:7: not valid JSON: hexadecimal numbers are not allowed"]);
}

#[test]
fn other_encodings() {
    check(b"\xFF\xFE{\0}\0", expect!["error: ./.mcp.json: expected UTF-8, found UTF-16 (fix: save the file as UTF-8)"]);
    check(
        b"{\n  \"a\xE9\": 1}",
        expect!["error: ./.mcp.json:2:5: expected UTF-8, found bytes that are not text (fix: save the file as UTF-8)"],
    );
}

#[test]
fn entries_of_every_wrong_type() {
    let entries = r#"{"mcpServers": {
        "null": null, "text": "npx", "list": [], "ok": {"command": "ok"},
        "args": {"command": "x", "args": "-y"}, "arg": {"command": "x", "args": [{}]},
        "env": {"command": "x", "env": ["A=b"]}, "number": {"command": "x", "args": [8080, true], "env": {"P": 1}},
        "command": {"command": ["x"]}, "blank": {"command": " "}, "url": {"url": "example.com"}, "file": {"url": "file:///x"},
        "type": {"type": "stdoi", "command": "x"}, "empty": {}, "header": {"url": "https://x.example", "headers": {"A b": "c"}},
        "timeout": {"command": "x", "timeout": "5s"}, "": {"command": "x"}, "a\u001b[31m": {"command": "x"}
    }}"#;
    check(
        entries,
        expect![[r#"
            error: ./.mcp.json:2:17 /mcpServers/null: server `null`: expected an object that describes a server, found null
            error: ./.mcp.json:2:31 /mcpServers/text: server `text`: expected an object that describes a server, found a string
            error: ./.mcp.json:2:46 /mcpServers/list: server `list`: expected an object that describes a server, found an array
            error: ./.mcp.json:3:42 /mcpServers/args/args: server `args`: expected an array of strings, found a string
            error: ./.mcp.json:3:82 /mcpServers/arg/args/0: server `arg`: expected a string, found an object
            error: ./.mcp.json:4:40 /mcpServers/env/env: server `env`: expected an object that maps names to strings, found an array
            note: ./.mcp.json:4:86 /mcpServers/number/args/0: server `number`: expected a string, found a number; it is read as "8080"
            note: ./.mcp.json:4:92 /mcpServers/number/args/1: server `number`: expected a string, found a boolean; it is read as "true"
            note: ./.mcp.json:4:112 /mcpServers/number/env/P: server `number`: expected a string, found a number; it is read as "1"
            error: ./.mcp.json:5:32 /mcpServers/command/command: server `command`: expected a string, found an array
            error: ./.mcp.json:5:49 /mcpServers/blank: server `blank`: expected the program to run in `command`, found nothing (fix: name a program, such as `npx`)
            error: ./.mcp.json:5:74 /mcpServers/url/url: server `url`: expected a URL that begins with https:// or http://, found no scheme
            error: ./.mcp.json:5:106 /mcpServers/file/url: server `file`: expected a URL that begins with https:// or http://, found the scheme "file"
            error: ./.mcp.json:6:17 /mcpServers/type: server `type`: expected `type` to be one of `stdio`, `http`, `sse`, `streamable-http`, `streamableHttp`, `streamable_http`, `local`; found "stdoi" (fix: did you mean `stdio`?)
            error: ./.mcp.json:6:61 /mcpServers/empty: server `empty`: expected `command` (a program to run) or `url` (a remote server) (fix: add `command` or `url`)
            error: ./.mcp.json:6:75 /mcpServers/header/headers/A b: server `header`: expected a header name of letters, digits and `-`
            warning: ./.mcp.json:7:48 /mcpServers/timeout/timeout: server `timeout`: expected a number of milliseconds between 0 and one day; the default is used
            error: ./.mcp.json:7:55 /mcpServers/: expected a name for the server, found an empty one
            error: ./.mcp.json:7:77 /mcpServers/a[31m: expected a server name without control characters
            + number
            + ok
            + timeout"#]],
    );
}

#[test]
fn unknown_keys_have_the_nearest_known_one() {
    check(
        r#"{"mcpServers": {"a": {"command": "a", "environment": {}, "argz": [], "frobnicate": 1}, "b": {"serverUrl": "https://x.example"}}}"#,
        expect![[r#"
            warning: ./.mcp.json:1:39 /mcpServers/a/environment: server `a`: unknown key `environment` has no effect here (fix: did you mean `env`?)
            warning: ./.mcp.json:1:58 /mcpServers/a/argz: server `a`: unknown key `argz` has no effect here (fix: did you mean `args`?)
            warning: ./.mcp.json:1:70 /mcpServers/a/frobnicate: server `a`: unknown key `frobnicate` has no effect here
            warning: ./.mcp.json:1:94 /mcpServers/b/serverUrl: server `b`: unknown key `serverUrl` has no effect here (fix: did you mean `url`?)
            error: ./.mcp.json:1:93 /mcpServers/b: server `b`: expected `command` (a program to run) or `url` (a remote server) (fix: write `url` for `serverUrl`, which is Windsurf's word)
            + a"#]],
    );
}

#[test]
fn duplicate_keys_at_every_level() {
    check(
        r#"{"mcpServers": {"lost": {"command": "x"}}, "mcpServers": {"a": {"command": "1", "command": "2"}, "a": {"command": "3"}}}"#,
        expect![[r#"
            warning: ./.mcp.json:1:2 /mcpServers: `mcpServers` appears again on line 1, and the later one wins
            warning: ./.mcp.json:1:59 /mcpServers/a: server `a`: `a` is defined again on line 1, and the later definition wins (fix: remove one of the two)
            + a"#]],
    );
}

#[test]
fn variables_in_another_hosts_syntax() {
    check(
        r#"{"mcpServers": {"a": {"url": "https://x.example", "headers": {"A": "{env:T}", "B": "${{ secrets.T }}", "C": "$T", "D": "100%"}}}}"#,
        expect![[r#"
            warning: ./.mcp.json:1:68 /mcpServers/a/headers/A: server `a`: `{env:T}` looks like a variable, but this file's host expands `${VAR}`, `${VAR:-default}` and `${env:VAR}` (fix: write `${T}`)
            warning: ./.mcp.json:1:84 /mcpServers/a/headers/B: server `a`: `${{ secrets.T }}` looks like a variable, but this file's host expands `${VAR}`, `${VAR:-default}` and `${env:VAR}` (fix: write `${T}`)
            warning: ./.mcp.json:1:109 /mcpServers/a/headers/C: server `a`: `$T` looks like a variable, but this file's host expands `${VAR}`, `${VAR:-default}` and `${env:VAR}` (fix: write `${T}`)
            + a"#]],
    );
}

#[test]
fn a_directory_in_the_place_of_a_file() {
    let world = World::new().home(".agents/mcp.json", GOOD).project(".mcp.json/inside", "");
    check_world(&world, expect!["error: ./.mcp.json: expected a file, found a directory"]);
}

#[test]
fn a_file_of_a_hundred_megabytes() {
    let world = World::new().home(".agents/mcp.json", GOOD).project(".mcp.json", "");
    std::fs::File::options().write(true).open(world.project.join(".mcp.json")).unwrap().set_len(100 << 20).unwrap();
    check_world(&world, expect!["error: ./.mcp.json: expected at most 512 KiB, found 102400 KiB"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = World::new().home(".agents/mcp.json", GOOD).project(".mcp.json", "{}");
    let path = world.project.join(".mcp.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        // The superuser may read everything: for them there is no such file, and nothing is reported.
        return check_world(&world, expect![""]);
    }
    check_world(&world, expect!["error: ./.mcp.json: cannot be read: permission denied (fix: chmod u+r ./.mcp.json)"]);
}

#[test]
fn nesting_without_end() {
    let deep = format!(r#"{{"mcpServers": {}"#, "[".repeat(100_000));
    check(deep, expect!["error: ./.mcp.json:1:526: not valid JSON: maximum nesting depth exceeded"]);
    let legal =
        format!(r#"{{"mcpServers": {{"a": {{"command": "a", "x": {}1{}}}}}}}"#, "[".repeat(500), "]".repeat(500));
    check(
        legal,
        expect![[r#"
        warning: ./.mcp.json:1:39 /mcpServers/a/x: server `a`: unknown key `x` has no effect here
        + a"#]],
    );
}

#[test]
fn a_file_of_nothing_but_mistakes_is_summed_up() {
    let entries: Vec<String> = (0..5000).map(|index| format!("\"s{index}\": 1")).collect();
    let world = World::new().project(".mcp.json", format!("{{\"mcpServers\": {{{}}}}}", entries.join(",")));
    let problems = world.problems();
    assert_eq!(problems.len(), 201);
    assert_eq!(problems[200], "note: ./.mcp.json: 4800 more problems in this file are not shown");
}

#[test]
fn hostile_text_takes_no_time() {
    // Each of these is quadratic for a parser that looks ahead without bound or compares every pair.
    let unclosed = "${".repeat(30_000);
    let many: Vec<String> = (0..20_000).map(|index| format!("\"k{index}\": 1")).collect();
    let same = "\"same\": 1,".repeat(40_000);
    for entry in [
        format!(r#""command": "x", "args": ["{unclosed}"]"#),
        format!(r#""command": "x", {}"#, many.join(",")),
        format!(r#"{same} "command": "x""#),
    ] {
        let world = World::new().project(".mcp.json", format!("{{\"mcpServers\": {{\"a\": {{{entry}}}}}}}"));
        let begun = std::time::Instant::now();
        let found = world.found(Preset::Toolkit);
        assert!(found.problems.len() <= 201);
        // Generous, for a machine that is busy; without the bounds it is minutes.
        assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
    }
}
