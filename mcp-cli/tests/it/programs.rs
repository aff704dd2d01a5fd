//! Nothing that lies in a repository is started because of a `PATH` that leads there.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::stage::{Stage, configuration, demo_server};

/// Values of `PATH` that lead into the current folder, and nowhere else.
const INTO_THE_REPOSITORY: [&str; 4] = ["", ":", ".", "bin:./bin:"];

/// A program that leaves its mark: the `PATH` it was given, in a file beside it.
fn place(program: &Path) {
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(program, "#!/bin/sh\necho \"$PATH\" > \"$0.ran\"\nexit 3\n").unwrap();
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a program left behind, if it ran.
fn mark(program: &Path) -> Option<String> {
    std::fs::read_to_string(format!("{}.ran", program.display())).ok()
}

#[test]
fn a_search_starts_no_program_of_the_repository() {
    let stage = Stage::new();
    let config = stage.write("servers.json", configuration(&json!({"library": demo_server("library")})));
    let programs = ["embsearch", "bin/embsearch"].map(|name| stage.project().join(name));
    for program in &programs {
        place(program);
    }
    let search = |path: &str| {
        let mut command = stage.command(&["--config", config.to_str().unwrap(), "search", "echo"]);
        command.env("PATH", path).output().unwrap()
    };
    for path in INTO_THE_REPOSITORY {
        assert!(search(path).status.success(), "{path:?}");
        assert_eq!(programs.each_ref().map(|program| mark(program)), [None, None], "{path:?}");
    }
    let bin = stage.project().join("bin");
    search(&format!(".:{}:", bin.display()));
    assert_eq!(mark(&programs[0]), None);
    assert_eq!(mark(&programs[1]), Some(format!("{}\n", bin.display())), "an absolute entry is searched and handed on");
}

#[test]
fn a_login_opens_no_browser_of_the_repository() {
    let stage = Stage::new();
    let server = json!({"docs": {"type": "http", "url": format!("{}/mcp", authority())}});
    let config = stage.write("servers.json", configuration(&server));
    let programs = ["xdg-open", "open", "bin/xdg-open", "bin/open"].map(|name| stage.project().join(name));
    for program in &programs {
        place(program);
    }
    let login = |path: &str| {
        let mut command = stage.command(&["--config", config.to_str().unwrap(), "login", "docs"]);
        command.env("PATH", path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Where to log in, and what became of the browser.
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().take(2);
        let said: Vec<String> = lines.map(Result::unwrap).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        said.join("\n")
    };
    for path in INTO_THE_REPOSITORY {
        let said = login(path);
        assert!(said.contains("no browser opens: `"), "{path:?}: {said}");
        assert_eq!(programs.each_ref().map(|program| mark(program)), [const { None }; 4], "{path:?}");
    }
    let bin = stage.project().join("bin");
    let said = login(&format!(".:{}:", bin.display()));
    assert!(said.contains("ended with exit status: 3"), "{said}");
    let marks = programs.each_ref().map(|program| mark(program));
    assert_eq!(marks[..2], [None, None]);
    assert!(marks[2..].contains(&Some(format!("{}\n", bin.display()))), "{marks:?}");
}

/// An authorization server that knows enough for a login to begin; returns its address.
fn authority() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let issuer = base.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &issuer);
        }
    });
    base
}

fn answer(mut stream: TcpStream, base: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut target, mut length) = (String::new(), 0);
    reader.read_line(&mut target).unwrap();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        length = header.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    let (status, body) = document(target.split(' ').nth(1).unwrap_or_default(), base);
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
    let asks = format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
    write!(stream, "{head}\r\nwww-authenticate: {asks}\r\nconnection: close\r\n\r\n{body}").unwrap();
}

fn document(path: &str, base: &str) -> (&'static str, Value) {
    match path {
        "/.well-known/oauth-protected-resource/mcp" => {
            ("200 OK", json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
        }
        "/.well-known/oauth-authorization-server" => (
            "200 OK",
            json!({
                "issuer": base,
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        "/register" => ("201 Created", json!({"client_id": "c", "redirect_uris": ["http://127.0.0.1/callback"]})),
        "/mcp" => ("401 Unauthorized", json!({})),
        _ => ("404 Not Found", json!({})),
    }
}
