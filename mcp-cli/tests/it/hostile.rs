//! Repositories made to keep a reader busy: they are listed all the same, and what is left out is said.

use std::fmt::Write as _;
use std::fs::File;

use serde_json::json;

use crate::stage::{Run, Stage, configuration};

/// Lists what is in a repository that nobody trusts, where the user has a server of their own.
fn list(make: impl FnOnce(&Stage)) -> Run {
    let stage = Stage::new();
    std::fs::create_dir(stage.project().join(".git")).unwrap();
    std::fs::create_dir(stage.home().join(".agents")).unwrap();
    let own = configuration(&json!({"own": {"command": "own"}}));
    std::fs::write(stage.home().join(".agents/mcp.json"), own).unwrap();
    make(&stage);
    let run = stage.run(&["list"]).expect_code(0);
    assert!(run.stdout.lines().any(|line| line.starts_with("own ") && line.contains("trusted")), "{}", run.stdout);
    // A listing is as long as what is listed, and complaints are counted.
    assert!(run.stdout.len() < 8 << 20 && run.stderr.len() < 1 << 20, "{} {}", run.stdout.len(), run.stderr.len());
    run
}

/// As many items as make a file of about 300 KB.
fn many(item: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() > 300_000 {
            break;
        }
        write!(text, "{}{}", if number == 0 { "" } else { "," }, item(number)).unwrap();
    }
    text
}

#[test]
fn thousands_of_prompts() {
    let run = list(|stage| {
        let servers = many(|number| format!(r#""s{number}":{{"command":"${{input:i{number}}}"}}"#));
        let inputs: String = many(|number| format!(r#"{{"id":"i{number}"}}"#)).chars().take(150_000).collect();
        let inputs = inputs.rsplit_once(',').unwrap().0;
        stage.write(".vscode/mcp.json", format!(r#"{{"servers":{{{servers}}},"inputs":[{inputs}]}}"#));
    });
    assert!(run.stdout.lines().count() > 5_000);
}

#[test]
fn thousands_of_names_in_lists() {
    let run = list(|stage| {
        let servers: String = many(|number| format!(r#""s{number}":{{"command":"a"}}"#));
        let servers = servers.get(..280_000).unwrap().rsplit_once(',').unwrap().0;
        let names: String = many(|number| format!(r#""x{number}""#));
        let names = names.get(..200_000).unwrap().rsplit_once(',').unwrap().0;
        let text = format!(r#"{{"mcpServers":{{{servers}}},"mcp":{{"excluded":["s1",{names}]}}}}"#);
        stage.write(".gemini/settings.json", text);
    });
    assert!(run.stdout.lines().count() > 10_000);
}

#[test]
fn thousands_of_tools_switched_off() {
    list(|stage| {
        let servers = many(|number| format!(r#""s{number}":{{"type":"local","command":["a"]}}"#));
        let tools: String = many(|number| format!(r#""s{number}_t":false"#)).chars().take(180_000).collect();
        let tools = tools.rsplit_once(',').unwrap().0;
        stage.write("opencode.json", format!(r#"{{"mcp":{{{servers}}},"tools":{{{tools},"*":false}}}}"#));
    });
}

#[test]
fn files_that_take_no_room() {
    let run = list(|stage| {
        for number in 0..16 {
            let file = File::create(stage.project().join(number.to_string())).unwrap();
            file.set_len(16 << 20).unwrap();
        }
        let arguments: Vec<String> = (0..16).map(|number: u32| number.to_string()).collect();
        stage.write(".mcp.json", configuration(&json!({"x": {"command": "a", "args": arguments}})));
    });
    assert!(run.stdout.lines().any(|line| line.starts_with("x ")), "{}", run.stdout);
    let run = list(|stage| {
        std::fs::create_dir_all(stage.project().join(".hoocode/mcp-servers")).unwrap();
        for number in 0..100 {
            let path = stage.project().join(format!(".hoocode/mcp-servers/{number}.json"));
            File::create(path).unwrap().set_len(1 << 20).unwrap();
        }
    });
    assert!(run.stderr.contains("a project's files may hold 512 KiB together"), "{}", run.stderr);
}

#[test]
fn one_long_line_among_thousands() {
    list(|stage| {
        let long = format!(r#""long":{{"command":"a","args":["{}"]}}"#, "x ".repeat(30_000));
        let servers = many(|number| format!(r#""s{number}":{{"command":"a"}}"#));
        stage.write(".mcp.json", format!(r#"{{"mcpServers":{{{long},{servers}}}}}"#));
    });
}

#[test]
fn nothing_but_mistakes() {
    let run = list(|stage| {
        stage.write(".mcp.json", format!(r#"{{"mcpServers":{{{}}}}}"#, many(|number| format!(r#""s{number}":1"#))));
        let rules = "1,".repeat(90_000) + "1";
        stage.write(".agents/settings.json", format!(r#"{{"permissions":{{"allow":[{rules}]}}}}"#));
    });
    assert!(run.stderr.lines().count() < 500, "{} lines", run.stderr.lines().count());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_never_ends() {
    for target in ["/proc/kmsg", "/dev/zero", "/dev/tty"] {
        let run = list(|stage| std::os::unix::fs::symlink(target, stage.project().join(".mcp.json")).unwrap());
        assert!(run.stderr.contains(".mcp.json: "), "{target}: {}", run.stderr);
    }
}

#[test]
fn a_registry_document_that_wants_more_than_it_says() {
    let stage = Stage::new();
    let document = |package: serde_json::Value| {
        let mut all =
            json!({"registryType": "npm", "identifier": "p", "version": "1.0.0", "transport": {"type": "stdio"}});
        all.as_object_mut().unwrap().extend(package.as_object().unwrap().clone());
        stage.write("server.json", json!({"name": "io.example/x", "packages": [all]}).to_string())
    };
    for (package, reason) in [
        (json!({"runtimeHint": "sh"}), "does not run such packages"),
        (json!({"version": "1.x"}), "it names no exact version"),
        (json!({"identifier": "--call"}), "its identifier is not one of a package"),
    ] {
        let file = document(package);
        let run = stage.run(&["add", "--from-registry", file.to_str().unwrap()]);
        assert!(run.code != 0 && run.stderr.contains(reason), "{run:?}");
    }
    let argument =
        json!({"type": "positional", "value": "{a}", "variables": {"a": {"value": "${AWS_SECRET_ACCESS_KEY}"}}});
    let file = document(json!({"packageArguments": [argument]}));
    let run = stage.run(&["add", "--from-registry", file.to_str().unwrap()]).expect_code(0);
    assert!(run.stderr.contains("it starts: npx -y p@1.0.0 $${AWS_SECRET_ACCESS_KEY}"), "{}", run.stderr);
}
