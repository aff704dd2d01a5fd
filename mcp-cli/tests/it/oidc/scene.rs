//! One person's machine with the protected server in its configuration, and everything the program ever said there.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};

use serde_json::{Value, json};

use super::authority::Authority;
use crate::stage::{Installed, Run, Stage, configuration};

/// The login, the configuration and the transcript of one test.
pub(super) struct Scene {
    stage: Stage,
    pub(super) authority: Authority,
    configuration: String,
    said: String,
}

/// A login that waits for its person, and what it has asked for.
pub(super) struct Waiting {
    child: Child,
    stderr: BufReader<ChildStderr>,
    prompt: String,
}

impl Scene {
    /// Two names for the protected server: `docs`, whose client registers itself, and `described`, whose client has a
    /// document.
    pub(super) fn new() -> Option<Self> {
        Self::with(&json!({}), &json!({}))
    }

    /// The same with a server and an authority that behave in this way, and this `oauth` for `docs`.
    ///
    /// In the text of `oauth` ISSUER stands for the authority's URL, and ORIGIN for that without its path.
    pub(super) fn with(behaviour: &Value, oauth: &Value) -> Option<Self> {
        let installed = Installed::find("node")?;
        let (stage, authority) = (Stage::new(), Authority::start(&installed, behaviour));
        let origin: Vec<&str> = authority.issuer.split('/').take(3).collect();
        let oauth: Value = serde_json::from_str(
            &oauth.to_string().replace("ISSUER", &authority.issuer).replace("ORIGIN", &origin.join("/")),
        )
        .unwrap();
        let servers = json!({
            "docs": {"type": "http", "url": authority.server, "oauth": oauth},
            "described": {
                "type": "http",
                "url": authority.server,
                "oauth": {"clientId": authority.client_document},
            },
        });
        let configuration = stage.write("servers.json", configuration(&servers));
        let configuration = configuration.to_str().unwrap().to_owned();
        Some(Self { stage, authority, configuration, said: String::new() })
    }

    pub(super) fn run(&mut self, arguments: &[&str]) -> Run {
        let run = self.stage.run(&self.with_configuration(arguments));
        self.said.push_str(&run.stdout);
        self.said.push_str(&run.stderr);
        run
    }

    /// Runs with a person at the terminal, who opens what is shown in a browser as `person`.
    #[cfg(unix)]
    pub(super) fn run_with_person(&mut self, arguments: &[&str], person: &str) -> Run {
        let configuration = self.configuration.clone();
        let with_configuration = [&["--config", &configuration], arguments].concat();
        let (said, authority) = (&mut self.said, &mut self.authority);
        let run = self.stage.run_answering(&with_configuration, |line| {
            let address = line.split_whitespace().find(|word| word.contains("/auth?"));
            if let Some(address) = address {
                authority.browse(address, person, "", None);
            }
        });
        said.push_str(&run.stdout);
        said.push_str(&run.stderr);
        run
    }

    /// Logs in to `server` as `person` in two commands, with a browser on another machine in between.
    pub(super) fn log_in(&mut self, options: &[&str], server: &str, person: &str) {
        self.log_in_asking(options, &[], server, person);
    }

    /// The same with options of the login's own.
    pub(super) fn log_in_with(&mut self, asking: &[&str], server: &str, person: &str) {
        self.log_in_asking(&[], asking, server, person);
    }

    fn log_in_asking(&mut self, options: &[&str], asking: &[&str], server: &str, person: &str) {
        let begin = [options, &["login", server, "--no-browser"], asking].concat();
        let address = self.run(&begin).expect_code(0).stdout;
        let (ended, _) = self.authority.browse(address.trim(), person, "", Some(&redirect_uri(&address)));
        self.run(&[options, &["login", server, "--finish", &ended]].concat()).expect_code(0);
    }

    /// Starts a login that waits, and returns once it has said what for.
    pub(super) fn start(&mut self, arguments: &[&str]) -> Waiting {
        let mut command = self.stage.command(&self.with_configuration(arguments));
        // No browser of whoever runs this test is to open.
        command.env("PATH", "").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut prompt = String::new();
        stderr.read_line(&mut prompt).unwrap();
        self.said.push_str(&prompt);
        Waiting { child, stderr, prompt }
    }

    /// Starts something that nobody waits for yet.
    pub(super) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.stage.command(&self.with_configuration(arguments));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits for the end of something that was started.
    pub(super) fn end(&mut self, child: Child) -> Run {
        let run = Run::from(child.wait_with_output().unwrap());
        self.said.push_str(&run.stdout);
        self.said.push_str(&run.stderr);
        run
    }

    /// Fails unless the login has come to a good end.
    pub(super) fn expect_end(&mut self, mut waiting: Waiting) {
        let mut rest = String::new();
        waiting.stderr.read_to_string(&mut rest).unwrap();
        self.said.push_str(&rest);
        assert!(waiting.child.wait().unwrap().success(), "{}{rest}", waiting.prompt);
    }

    /// Fails if anything secret was said, or is in a file outside the store; and if the store is not this user's alone.
    ///
    /// The store must hold something secret: else this would find nothing because there is nothing.
    pub(super) fn expect_no_leak(&mut self) {
        let secrets = self.authority.secrets();
        let found = |text: &str| secrets.iter().find(|secret| text.contains(&secret.value)).map(|secret| &secret.kind);
        assert_eq!(found(&self.said), None, "said:\n{}", self.said);
        let mut stored = 0;
        for file in files(self.stage.project().parent().unwrap()) {
            let kind = found(&String::from_utf8_lossy(&std::fs::read(&file).unwrap())).cloned();
            let in_store = file.parent().is_some_and(|folder| folder.ends_with("logins/credentials"));
            assert!(in_store || kind.is_none(), "{} holds a secret: {kind:?}", file.display());
            if in_store && kind.is_some() {
                stored += 1;
                expect_private(&file);
            }
        }
        assert_ne!(stored, 0, "no file of the store holds any of {} secrets", secrets.len());
    }

    fn with_configuration<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        [&["--config", &self.configuration], arguments].concat()
    }
}

impl Waiting {
    /// The address that the person is to open.
    pub(super) fn address(&self) -> String {
        self.prompt.split_whitespace().find(|word| word.starts_with("http")).expect(&self.prompt).to_owned()
    }

    /// The last word of the prompt.
    pub(super) fn code(&self) -> String {
        self.prompt.split_whitespace().last().unwrap().to_owned()
    }
}

/// Where the login page at `address` sends the browser back to.
fn redirect_uri(address: &str) -> String {
    let (_, rest) = address.split_once("redirect_uri=").unwrap_or_else(|| panic!("no redirect URI in {address}"));
    let value = rest.split('&').next().unwrap_or_default();
    value.trim().replace("%3A", ":").replace("%2F", "/")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[cfg(unix)]
fn expect_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{}", file.display());
}

#[cfg(not(unix))]
fn expect_private(_file: &Path) {}
