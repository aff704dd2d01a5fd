//! The protected server, its authorization server and the person who logs in: `tests/fixtures/oidc`, driven by lines.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::stage::Installed;

/// The running servers; they end with the test.
pub(super) struct Authority {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The protected MCP server.
    pub(super) server: String,
    /// The authorization server.
    pub(super) issuer: String,
    /// The URL of a client that describes itself.
    pub(super) client_document: String,
}

/// Something that must stay in the store.
#[derive(Debug)]
pub(super) struct Secret {
    pub(super) kind: String,
    pub(super) value: String,
}

impl Authority {
    /// Starts them; the behaviour is what `tests/fixtures/oidc` knows.
    pub(super) fn start(installed: &Installed, behaviour: &Value) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/oidc/main.mjs");
        let mut child = Command::new("node")
            .arg("--no-warnings")
            .arg(script)
            .arg(installed.node())
            .arg(behaviour.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // It warns that it is no production server.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let places = answer(&mut answers);
        let place = |name: &str| places[name].as_str().unwrap().to_owned();
        let (server, issuer, client_document) = (place("url"), place("issuer"), place("client_document"));
        Self { child, commands, answers, server, issuer, client_document }
    }

    /// A person opens `address`, logs in as `person`, agrees, and ends where nothing more is asked; at `stop_at`, which
    /// is not opened, if the way leads there. Returns the last address and what is read there.
    pub(super) fn browse(
        &mut self,
        address: &str,
        person: &str,
        code: &str,
        stop_at: Option<&str>,
    ) -> (String, String) {
        let answers = json!({"login": person, "password": "any", "user_code": code});
        let end = self.ask(&json!({"browse": address, "answers": answers, "stop_at": stop_at}));
        let text = |name: &str| end[name].as_str().unwrap_or_default().to_owned();
        (text("ended"), text("page"))
    }

    /// Puts the servers' clock forward; the client's stays.
    pub(super) fn advance(&mut self, seconds: u32) {
        self.ask(&json!({ "advance": seconds }));
    }

    /// Everything secret that was ever sent to a client or by one.
    pub(super) fn secrets(&mut self) -> Vec<Secret> {
        let record = self.ask(&json!({"record": true}));
        let text = |secret: &Value, name: &str| secret[name].as_str().unwrap().to_owned();
        let secrets = record["secrets"].as_array().unwrap().iter();
        secrets.map(|secret| Secret { kind: text(secret, "kind"), value: text(secret, "value") }).collect()
    }

    /// The kinds of grants for which tokens were issued, in order.
    pub(super) fn grants(&mut self) -> Vec<String> {
        let record = self.ask(&json!({"record": true}));
        serde_json::from_value(record["grants"].clone()).unwrap()
    }

    #[track_caller]
    fn ask(&mut self, command: &Value) -> Value {
        writeln!(self.commands, "{command}").unwrap();
        let answer = answer(&mut self.answers);
        assert!(answer.get("error").is_none(), "{command}: {answer}");
        answer
    }
}

fn answer(answers: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    assert_ne!(answers.read_line(&mut line).unwrap(), 0, "the authorization server has ended");
    serde_json::from_str(&line).unwrap()
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
