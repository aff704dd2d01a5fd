//! Repositories of few bytes, or of files that take no room, made to keep a reader busy.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

/// As many bytes as the files of a project may have.
const FULL: usize = 512 * 1024 - 64;

/// What is wrong with a repository, and what makes its files.
pub(crate) type Case = (&'static str, fn(&Path));

pub(crate) const CASES: [Case; 19] = [
    ("prompts, each used once", prompts),
    ("one large prompt, used by all", large_prompt),
    ("one name again and again", duplicates),
    ("servers switched off by a list", excluded),
    ("servers switched on by a list", allowed),
    ("tools switched off by name", tools),
    ("tools switched off by stars", stars),
    ("tools of names within names", nested_names),
    ("sparse scripts", sparse_scripts),
    ("words that may be scripts", words),
    ("unknown keys", unknown_keys),
    ("variables that never end", open_variables),
    ("variables in variables", nested_variables),
    ("overlays", overlays),
    ("files in a directory", directory),
    ("sparse files in a directory", sparse_directory),
    ("deep tables", deep_tables),
    ("rules in settings", rules),
    ("depth", depth),
];

fn write(project: &Path, path: &str, text: &str) {
    let path = project.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Joins as many items as fit in `room` bytes; `item` makes the one of that number.
fn fill(room: usize, item: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let item = item(number);
        if text.len() + item.len() + 1 > room {
            break;
        }
        if number > 0 {
            text.push(',');
        }
        text.push_str(&item);
    }
    text
}

fn prompts(project: &Path) {
    let servers = fill(FULL / 2, |number| format!(r#""s{number}":{{"command":"${{input:i{number}}}"}}"#));
    let inputs = fill(FULL / 2 - 32, |number| format!(r#"{{"id":"i{number}"}}"#));
    write(project, ".vscode/mcp.json", &format!(r#"{{"servers":{{{servers}}},"inputs":[{inputs}]}}"#));
}

fn large_prompt(project: &Path) {
    let servers = fill(FULL / 2, |number| format!(r#""{number}":{{"command":"${{input:i}}"}}"#));
    let options = fill(FULL / 2 - 64, |number| format!(r#""option {number}""#));
    let inputs = format!(r#"{{"id":"i","options":[{options}]}}"#);
    write(project, ".vscode/mcp.json", &format!(r#"{{"servers":{{{servers}}},"inputs":[{inputs}]}}"#));
}

fn duplicates(project: &Path) {
    let servers = fill(FULL - 32, |_| r#""a":{"command":"a"}"#.to_owned());
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{{servers}}}}}"#));
}

fn gemini(project: &Path, list: &str) {
    let servers = fill(FULL / 2, |number| format!(r#""s{number}":{{"command":"a"}}"#));
    let names = fill(FULL / 2 - 64, |number| format!(r#""x{number}""#));
    write(project, ".gemini/settings.json", &format!(r#"{{"mcpServers":{{{servers}}},"mcp":{{"{list}":[{names}]}}}}"#));
}

fn excluded(project: &Path) {
    gemini(project, "excluded");
}

fn allowed(project: &Path) {
    gemini(project, "allowed");
}

fn opencode(project: &Path, server: impl Fn(usize) -> String, tools: impl Fn(usize) -> String) {
    let servers = fill(FULL / 2, |number| format!(r#""{}":{{"type":"local","command":["a"]}}"#, server(number)));
    let tools = fill(FULL / 2 - 64, |number| format!(r#""{}":false"#, tools(number)));
    write(project, "opencode.json", &format!(r#"{{"mcp":{{{servers}}},"tools":{{{tools}}}}}"#));
}

fn tools(project: &Path) {
    opencode(project, |number| format!("s{number}"), |number| format!("s{number}_t"));
}

fn stars(project: &Path) {
    opencode(project, |number| format!("s{number}"), |_| "*".to_owned());
}

fn nested_names(project: &Path) {
    opencode(project, |number| "_".repeat(number % 256 + 1), |_| "_".repeat(FULL / 4));
}

fn sparse_scripts(project: &Path) {
    for number in 0..16 {
        File::create(project.join(format!("{number}"))).unwrap().set_len(16 * 1024 * 1024).unwrap();
    }
    let arguments = fill(100, |number| format!(r#""{number}""#));
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{"x":{{"command":"a","args":[{arguments}]}}}}}}"#));
}

fn words(project: &Path) {
    let arguments = fill(4 * 256, |_| r#""a""#.to_owned());
    let servers = fill(FULL - 32, |number| format!(r#""s{number}":{{"command":"a","args":[{arguments}]}}"#));
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{{servers}}}}}"#));
}

fn unknown_keys(project: &Path) {
    let keys = fill(FULL - 400, |number| format!(r#""{number}":0"#));
    let name = "n".repeat(256);
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{"{name}":{{"command":"a",{keys}}}}}}}"#));
}

fn open_variables(project: &Path) {
    let arguments = fill(FULL - 64, |number| format!(r#""{}""#, ["${", "${{", "{"][number % 3].repeat(20_000)));
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{"x":{{"command":"a","args":[{arguments}]}}}}}}"#));
}

fn nested_variables(project: &Path) {
    let deep = format!("{}{}", "${A:-".repeat(8), "}".repeat(8)).repeat(1000);
    let arguments = fill(FULL - 64, |_| format!(r#""{deep}""#));
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{"x":{{"command":"a","args":[{arguments}]}}}}}}"#));
}

fn overlays(project: &Path) {
    let servers = fill(FULL - 32, |number| format!(r#""s{number}":{{"disabled":true}}"#));
    write(project, ".mcp.json", &format!(r#"{{"mcpServers":{{{servers}}}}}"#));
}

fn directory(project: &Path) {
    let servers = fill(FULL - 32, |number| format!(r#""s{number}":{{"command":"a"}}"#));
    for number in 0..64 {
        write(project, &format!(".hoocode/mcp-servers/{number}.json"), &format!(r#"{{"mcpServers":{{{servers}}}}}"#));
    }
}

fn sparse_directory(project: &Path) {
    std::fs::create_dir_all(project.join(".hoocode/mcp-servers")).unwrap();
    for number in 0..1000 {
        let file = File::create(project.join(format!(".hoocode/mcp-servers/{number}.json"))).unwrap();
        file.set_len(FULL as u64).unwrap();
    }
}

fn deep_tables(project: &Path) {
    let mut text = String::new();
    for number in 0..FULL / 400 {
        writeln!(text, "[mcp_servers.s{number}.{}]", "a.".repeat(180) + "a").unwrap();
    }
    write(project, ".codex/config.toml", &text);
}

fn rules(project: &Path) {
    let rules = fill(FULL - 64, |number| format!(r#""r{number}""#));
    write(project, ".agents/settings.json", &format!(r#"{{"permissions":{{"allow":[{rules}]}}}}"#));
}

fn depth(project: &Path) {
    write(project, ".mcp.json", &"[".repeat(FULL));
    write(project, ".codex/config.toml", &format!("a = {}", "[".repeat(FULL - 8)));
    write(project, ".cursor/mcp.json", &r#"{"a":"#.repeat(FULL / 5));
}
