//! A stage for the binary: a home, a project and an environment that no other test and no person uses.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A home and a project in a temporary folder.
pub(crate) struct Stage {
    folder: TempDir,
}

/// What one run of the binary left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Stdout as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("no JSON on stdout: {error}\n{self:?}"))
    }

    /// Fails the test, with everything the run said, unless it ended with this code.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["home", "project"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Writes a file below the project and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that never reads its input has closed it by now, and that is no failure of ours.
        child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
        Run::from(child.wait_with_output().unwrap())
    }

    /// Runs with a person at the terminal, who types this.
    #[cfg(unix)]
    pub(crate) fn run_at_terminal(&self, arguments: &[&str], typed: &str) -> Run {
        let (person, terminal) = pseudo_terminal();
        std::fs::File::from(person.try_clone().unwrap()).write_all(typed.as_bytes()).unwrap();
        let mut command = self.command(arguments);
        let output = command.stdin(terminal).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
        drop(person);
        Run::from(output)
    }

    /// Runs with a person at the terminal, who reads each line on stderr and does something about it elsewhere.
    #[cfg(unix)]
    pub(crate) fn run_answering(&self, arguments: &[&str], mut read: impl FnMut(&str)) -> Run {
        let (person, terminal) = pseudo_terminal();
        let mut command = self.command(arguments);
        // No browser of whoever runs this test is to open.
        command.env("PATH", "").stdin(terminal).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        for line in BufReader::new(child.stderr.take().unwrap()).lines() {
            let line = line.unwrap();
            said.push_str(&line);
            said.push('\n');
            read(&line);
        }
        let mut run = Run::from(child.wait_with_output().unwrap());
        run.stderr = said;
        drop(person);
        run
    }

    /// The binary with this stage's environment and no other.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpctl"));
        command.args(arguments).current_dir(self.project()).env_clear();
        for name in ["PATH", "SYSTEMROOT"] {
            command.envs(variable(name).map(|value| (name, value)));
        }
        command.env("HOME", self.home()).env("USERPROFILE", self.home());
        command.env("XDG_STATE_HOME", self.home().join("state")).env("XDG_CONFIG_HOME", self.home().join("config"));
        command.env("APPDATA", self.home().join("config")).env("LOCALAPPDATA", self.home().join("state"));
        command
    }
}

/// A person's end of a terminal, and the program's.
#[cfg(unix)]
fn pseudo_terminal() -> (std::os::fd::OwnedFd, std::fs::File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (person, terminal)
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A configuration file's text that names these servers.
pub(crate) fn configuration(servers: &Value) -> String {
    serde_json::json!({ "mcpServers": servers }).to_string()
}

/// The binary's own demo server, as an entry of a configuration.
pub(crate) fn demo_server(name: &str) -> Value {
    serde_json::json!({"command": env!("CARGO_BIN_EXE_mcpctl"), "args": ["demo-server", name]})
}

/// Where `cargo xtask test` installed the servers that nobody here wrote.
pub(crate) struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// The installed servers; says loudly what is skipped where there are none, and fails where that is no excuse.
    pub(crate) fn find(what: &str) -> Option<Self> {
        let found = variable("MCP_TOOLKIT_TEST_SERVERS").map(|folder| Self { folder: PathBuf::from(folder) });
        let found = found.filter(|installed| installed.folder.join(what).join("installed").exists());
        if found.is_none() {
            assert!(variable("CI").is_none(), "CI runs every test: `cargo xtask test` must install the {what} servers");
            eprintln!("SKIPPED: the {what} servers are not installed; run `cargo xtask test` on a machine with {what}");
        }
        found
    }

    /// The folder whose `node_modules` holds what was installed.
    pub(crate) fn node(&self) -> PathBuf {
        self.folder.join("node")
    }

    fn script(&self, package: &str) -> PathBuf {
        self.node().join("node_modules/@modelcontextprotocol").join(package).join("dist/index.js")
    }

    pub(crate) fn everything(&self) -> Value {
        serde_json::json!({"command": "node", "args": [self.script("server-everything")]})
    }

    pub(crate) fn filesystem(&self, root: &Path) -> Value {
        serde_json::json!({"command": "node", "args": [self.script("server-filesystem"), root]})
    }

    pub(crate) fn time(&self) -> Value {
        let python = if cfg!(windows) { "python" } else { "python3" };
        serde_json::json!({
            "command": python,
            "args": ["-m", "mcp_server_time", "--local-timezone", "Europe/Berlin"],
            "env": {"PYTHONPATH": self.folder.join("python")},
        })
    }

    /// Starts server-everything over Streamable HTTP and returns once it listens.
    pub(crate) fn everything_over_http(&self) -> HttpServer {
        self.everything_over("streamableHttp", "/mcp")
    }

    /// Starts server-everything over HTTP+SSE, the transport of 2024-11-05, and returns once it listens.
    pub(crate) fn everything_over_sse(&self) -> HttpServer {
        self.everything_over("sse", "/sse")
    }

    fn everything_over(&self, transport: &str, path: &str) -> HttpServer {
        // The server cannot say which port it got, so it is told one that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = Command::new("node")
            .arg(self.script("server-everything"))
            .arg(transport)
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(&port.to_string()) {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "server-everything ended before it listened");
        }
        // Its later chatter must not fill the pipe and stop it.
        let drain = std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        HttpServer { child, drain: Some(drain), url: format!("http://127.0.0.1:{port}{path}") }
    }
}

/// A running HTTP server; dies with the test.
pub(crate) struct HttpServer {
    child: Child,
    drain: Option<std::thread::JoinHandle<std::io::Result<u64>>>,
    pub(crate) url: String,
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
        if let Some(drain) = self.drain.take() {
            drain.join().ok();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the runner tells the tests where the servers are")]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}
