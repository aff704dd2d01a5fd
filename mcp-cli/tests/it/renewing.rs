//! Logins that are renewed while something else goes wrong: the program ends, or another one is in the way.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::Arc;

use mcp_testkit::{AuthorizationServer, Fault};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use crate::stage::{Run, Stage, configuration};

/// Somebody who is logged in to a server.
struct Guarded {
    stage: Stage,
    authority: AuthorizationServer,
    config: String,
    _runtime: Runtime,
}

impl Guarded {
    fn logged_in() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let authority = runtime.block_on(AuthorizationServer::start([])).unwrap();
        let stage = Stage::new();
        let servers = json!({"docs": {"type": "http", "url": authority.server_url()}});
        let config = stage.write("servers.json", configuration(&servers)).to_str().unwrap().to_owned();
        let guarded = Self { stage, authority, config, _runtime: runtime };
        let page = guarded.run(&["login", "--no-browser", "docs"]).expect_code(0).stdout;
        let ended = guarded.authority.log_in(page.trim()).unwrap();
        guarded.run(&["login", "--finish", &ended, "docs"]).expect_code(0);
        guarded
    }

    fn arguments<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        [&["--config", self.config.as_str()], arguments].concat()
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.stage.run(&self.arguments(arguments))
    }

    fn spawn(&self, arguments: &[&str]) -> (Child, BufReader<ChildStderr>) {
        let mut command = self.stage.command(&self.arguments(arguments));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        (child, stderr)
    }

    /// Lets the next renewal take until the bell rings.
    fn hold_renewal(&self) -> Arc<Notify> {
        let bell = Arc::new(Notify::new());
        self.authority.expire_access_tokens();
        self.authority.fail_next(Fault::Late(Arc::clone(&bell)));
        bell
    }

    /// Sixteen calls at the same time. The first of them renews; the others have nothing to do but to wait for it.
    fn sixteen_calls(&self) -> Vec<(Child, BufReader<ChildStderr>)> {
        let before = self.refreshes();
        let first = self.spawn(&["call", "docs", "whoami"]);
        while self.refreshes() == before {
            std::thread::yield_now();
        }
        let others = (1..16).map(|_| self.spawn(&["call", "docs", "whoami"]));
        std::iter::once(first).chain(others).collect()
    }

    /// How often a refresh token was shown.
    fn refreshes(&self) -> usize {
        self.authority.token_requests("refresh_token").len()
    }

    fn wait_for_refresh(&self) {
        while self.refreshes() == 0 {
            std::thread::yield_now();
        }
    }

    fn state(&self) -> String {
        let status = self.run(&["auth", "status", "--json"]).expect_code(0).json();
        status[0]["login"]["state"].as_str().unwrap().to_owned()
    }
}

/// Reads on until a line holds `text`.
fn sees(lines: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "ended without `{text}`");
    }
}

#[test]
fn i25_a_renewal_under_way_is_kept_whatever_ends_the_program() {
    for signal in [Some(Signal::INT), Some(Signal::TERM), None] {
        let guarded = Guarded::logged_in();
        let bell = guarded.hold_renewal();
        let limit = if signal.is_some() { "60" } else { "1" };
        let (mut child, mut stderr) = guarded.spawn(&["call", "docs", "whoami", "--timeout", limit]);
        guarded.wait_for_refresh();
        if let Some(signal) = signal {
            kill_process(Pid::from_child(&child), signal).unwrap();
        }
        // The used token's successor is on its way, and the program ends once it is written.
        sees(&mut stderr, "waiting for a login that is being renewed");
        bell.notify_one();
        assert_eq!(child.wait().unwrap().code(), Some(6), "{signal:?}");

        assert_eq!(guarded.state(), "valid", "{signal:?}");
        let called = guarded.run(&["call", "docs", "whoami"]).expect_code(0);
        assert_eq!(called.stdout, "somebody who has logged in\n");
        assert_eq!((guarded.refreshes(), guarded.authority.renewable_logins()), (1, 1), "{signal:?}");
    }
}

#[test]
fn i25_whoever_cannot_wait_for_a_renewal_interrupts_twice() {
    let guarded = Guarded::logged_in();
    let _never_rung = guarded.hold_renewal();
    let (mut child, mut stderr) = guarded.spawn(&["call", "docs", "whoami"]);
    guarded.wait_for_refresh();
    let id = Pid::from_child(&child);
    kill_process(id, Signal::INT).unwrap();
    sees(&mut stderr, "interrupt to end at once");
    kill_process(id, Signal::INT).unwrap();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(6), "{rest}");
}

/// What a call has come to: its exit code, and everything it said.
fn outcome((mut child, mut stderr): (Child, BufReader<ChildStderr>)) -> (Option<i32>, String) {
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn of_sixteen_calls_one_that_waits_is_killed_and_the_others_share_one_renewal() {
    let guarded = Guarded::logged_in();
    let bell = guarded.hold_renewal();
    let mut calls = guarded.sixteen_calls();
    let (mut killed, _) = calls.remove(1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    bell.notify_one();
    for call in calls {
        let (code, said) = outcome(call);
        assert_eq!((code, said.ends_with("somebody who has logged in\n")), (Some(0), true), "{said}");
    }
    assert_eq!((guarded.refreshes(), guarded.authority.renewable_logins(), guarded.state().as_str()), (1, 1, "valid"));
}

#[test]
fn of_sixteen_calls_the_one_that_renews_is_killed_and_every_other_says_what_to_do() {
    let guarded = Guarded::logged_in();
    let _never_rung = guarded.hold_renewal();
    let mut calls = guarded.sixteen_calls();
    // It has shown the refresh token; whatever came for it is lost with it.
    let (mut killed, _) = calls.remove(0);
    killed.kill().unwrap();
    killed.wait().unwrap();
    for call in calls {
        let (code, said) = outcome(call);
        assert!(code == Some(4) && said.contains(" login docs"), "{code:?}: {said}");
    }
    assert_eq!(guarded.refreshes(), 2, "one has asked, and the others believe it");
    let status = guarded.run(&["auth", "status"]).expect_code(0);
    assert!(status.stderr.contains(" login docs"), "{status:?}");

    let page = guarded.run(&["login", "--no-browser", "docs"]).expect_code(0).stdout;
    let ended = guarded.authority.log_in(page.trim()).unwrap();
    guarded.run(&["login", "--finish", &ended, "docs"]).expect_code(0);
    guarded.run(&["call", "docs", "whoami"]).expect_code(0);
}

/// The authorization server is away for a moment: the login is kept, and the call is made.
#[test]
fn i30_a_renewal_that_meets_a_restart_is_tried_again_within_the_call() {
    let guarded = Guarded::logged_in();
    guarded.authority.expire_access_tokens();
    guarded.authority.fail_next(Fault::Status(503, String::new()));
    guarded.authority.fail_next(Fault::Page(502));
    let called = guarded.run(&["call", "docs", "whoami"]).expect_code(0);
    assert_eq!(called.stdout, "somebody who has logged in\n");
    assert_eq!((guarded.refreshes(), guarded.state()), (3, "valid".to_owned()));
}

/// It is away for longer than a call waits: the login is kept all the same, and the next call has it.
#[test]
fn i30_a_renewal_that_fails_for_a_while_costs_no_login() {
    let guarded = Guarded::logged_in();
    guarded.authority.expire_access_tokens();
    for _ in 0..3 {
        guarded.authority.fail_next(Fault::Status(503, String::new()));
    }
    let failed = guarded.run(&["call", "docs", "whoami"]);
    assert!(failed.code != 0 && !failed.stderr.contains("mcpctl login"), "no login would help: {failed:?}");
    let called = guarded.run(&["call", "docs", "whoami"]).expect_code(0);
    assert_eq!((called.stdout.as_str(), guarded.refreshes()), ("somebody who has logged in\n", 4));
}

/// Every file of this name below a folder.
fn find(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| if path.is_dir() { find(&path, name) } else { vec![path] });
    all.filter(|path| path.ends_with(name)).collect()
}

#[test]
fn i24_a_store_that_another_program_holds_costs_a_call_no_more_than_its_own_time() {
    let guarded = Guarded::logged_in();
    let held: Vec<File> =
        find(&guarded.stage.home(), "store.lock").iter().map(|path| File::open(path).unwrap()).collect();
    assert!(!held.is_empty());
    for file in &held {
        file.lock().unwrap();
    }
    let (mut child, mut stderr) = guarded.spawn(&["call", "docs", "whoami", "--timeout", "1"]);
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    // It is the call's time that has ended, and not that of waiting for the store.
    assert_eq!(child.wait().unwrap().code(), Some(6), "{said}");
    assert!(!said.contains("opens the same store"), "{said}");
    drop(held);
    guarded.run(&["call", "docs", "whoami"]).expect_code(0);
}
