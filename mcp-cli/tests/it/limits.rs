//! A machine that gives little: what does not work is said, and nothing panics.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp_testkit::AuthorizationServer;
use serde_json::json;

use crate::stage::{Run, Stage, configuration, demo_server};

/// Runs the binary where at most so many files can be open.
fn run_with_files(stage: &Stage, files: usize, arguments: &[&str]) -> Run {
    let binary = stage.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &files.to_string()]).arg(binary.get_program());
    shell.args(arguments).current_dir(stage.project()).env_clear();
    shell.envs(binary.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn too_few_open_files_are_an_error_and_no_panic() {
    let stage = Stage::new();
    stage.write("servers.json", configuration(&json!({"library": demo_server("library")})));
    // With fewer than five the loader itself finds no library.
    for files in [5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 256] {
        for arguments in
            [&["list"][..], &["doctor"], &["--config", "servers.json", "call", "library", "echo", "message=hi"]]
        {
            let run = run_with_files(&stage, files, arguments);
            let explained = run.stderr.contains("error: ") || run.code == 0;
            assert!(!run.stderr.contains("panicked") && explained, "{files} files, {arguments:?}: {run:?}");
            assert!(matches!(run.code, 0 | 2 | 3), "{files} files, {arguments:?}: {run:?}");
        }
        if files < 12 {
            let refused = run_with_files(&stage, files, &["list"]).expect_code(3);
            assert!(refused.stderr.contains("ulimit -n"), "{}", refused.stderr);
        }
    }
    let called = ["--config", "servers.json", "call", "library", "echo", "message=hi"];
    run_with_files(&stage, 256, &called).expect_code(0);
}

#[test]
fn a_login_gets_through_beside_forty_connections_that_ask_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let authority = runtime.block_on(AuthorizationServer::start([])).unwrap();
    let stage = Stage::new();
    let file =
        stage.write("servers.json", configuration(&json!({"docs": {"type": "http", "url": authority.server_url()}})));
    let mut command = stage.command(&["--config", file.to_str().unwrap(), "login", "docs"]);
    // No browser of whoever runs this test is to open.
    command.env("PATH", "").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut prompt = String::new();
    stderr.read_line(&mut prompt).unwrap();
    let page = prompt.split_whitespace().find(|word| word.starts_with("http")).expect(&prompt);

    let ended = authority.log_in(page).unwrap();
    let (address, target) = ended.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let idle: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut browser = TcpStream::connect(address).unwrap();
    // Less than such a connection may take, and far more than this needs.
    browser.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
    write!(browser, "GET /{target} HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    browser.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success(), "{prompt}{rest}");
    assert_eq!(idle.len(), 40);
}

/// Connects as it should, and never answers a call.
const SILENT: &str = r#"
while read -r line; do
    id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
        *server/discover*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
        *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\
\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}" ;;
        *tools/list*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"wait\",\
\"inputSchema\":{\"type\":\"object\"}}]}}" ;;
    esac
done"#;

#[test]
fn i18_the_limit_of_a_call_holds_whatever_the_definition_says_and_counts_connecting() {
    let limited = |time_out: u32| {
        let stage = Stage::new();
        let server = json!({"type": "stdio", "command": "sh", "args": ["-c", SILENT], "timeout": time_out});
        stage.write("servers.json", configuration(&json!({"mute": server})));
        let call = ["--config", "servers.json", "call", "mute", "wait", "--timeout", "4", "--yes"];
        let run = stage.run(&call).expect_code(6);
        let (_, said) = run.stderr.split_once("no answer to `tools/call` within ").expect(&run.stderr);
        let (limit, _) = said.split_once(';').unwrap();
        let (number, unit) = limit.strip_suffix("ms").map_or((limit.trim_end_matches('s'), 1.0), |text| (text, 1e3));
        let seconds = number.parse::<f64>().expect(limit) / unit;
        assert!(seconds > 0.5 && seconds < 4.0, "{time_out} ms in the definition: {limit}");
    };
    std::thread::scope(|scope| {
        for time_out in [500, 3_600_000] {
            scope.spawn(move || limited(time_out));
        }
    });
}
