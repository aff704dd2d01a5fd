//! Requests and logins take the way that the environment says, and the same.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::stage::{Run, Stage, configuration};

/// What a proxy was asked for.
type Asked = Arc<Mutex<Vec<String>>>;

/// A proxy that writes down whom it is to connect to, and does not; it ends with the process.
fn proxy() -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let heard = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).ok();
            let target = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
            heard.lock().unwrap().push(target);
            (&stream).write_all(b"HTTP/1.1 502 no\r\nContent-Length: 0\r\n\r\n").ok();
        }
    });
    (address, asked)
}

/// The login asks the authorization server, which the transport never does.
fn log_in(variables: &[(&str, &str)]) -> Run {
    let stage = Stage::new();
    let oauth = json!({"authServerMetadataUrl": "https://as.invalid/metadata"});
    let servers = json!({"far": {"type": "http", "url": "https://mcp.invalid/mcp", "oauth": oauth}});
    let file = stage.write("servers.json", configuration(&servers));
    let mut command = stage.command(&["--config", file.to_str().unwrap(), "login", "far", "--no-browser"]);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    Run::from(output)
}

#[test]
fn i23_requests_and_logins_go_through_the_same_proxy() {
    let (address, asked) = proxy();
    log_in(&[("HTTPS_PROXY", &address)]).expect_code(3);
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked[0], "CONNECT mcp.invalid:443", "the server is asked first: {asked:?}");
    assert!(asked.contains(&"CONNECT as.invalid:443".to_owned()), "{asked:?}");
}

#[test]
fn i23_both_go_around_it_where_the_environment_says_so() {
    let (address, asked) = proxy();
    for (exempt, expected) in [("mcp.invalid,as.invalid", vec![]), ("mcp.invalid", vec!["CONNECT as.invalid:443"])] {
        asked.lock().unwrap().clear();
        log_in(&[("https_proxy", &address), ("no_proxy", exempt)]).expect_code(3);
        let mut asked = asked.lock().unwrap().clone();
        asked.dedup();
        assert_eq!(asked, expected, "{exempt}");
    }
}

#[test]
fn an_authorization_server_at_a_private_address_is_asked_only_where_the_definition_says_so() {
    let (address, asked) = proxy();
    for (exceptions, is_asked) in [(json!([]), false), (json!(["private-addresses"]), true)] {
        asked.lock().unwrap().clear();
        let stage = Stage::new();
        let oauth = json!({"authServerMetadataUrl": "https://10.1.2.3/metadata", "exceptions": exceptions});
        let servers = json!({"far": {"type": "http", "url": "https://mcp.invalid/mcp", "oauth": oauth}});
        let file = stage.write("servers.json", configuration(&servers));
        let mut command = stage.command(&["--config", file.to_str().unwrap(), "login", "far", "--no-browser"]);
        let run = Run::from(command.env("HTTPS_PROXY", &address).output().unwrap());
        assert_ne!(run.code, 0, "{run:?}");
        let asked = asked.lock().unwrap().clone();
        assert_eq!(asked.contains(&"CONNECT 10.1.2.3:443".to_owned()), is_asked, "{asked:?} {run:?}");
        assert_eq!(run.stderr.contains("not one that a server may refer to"), !is_asked, "{run:?}");
    }
}
