//! `cargo xtask conformance`: the protocol's own conformance suite, against a client made of our facade.
//!
//! The suite and a Node that runs it are pinned in `xtask/conformance/`. What is known to fail stands in
//! `expected.json` there, each with its reason; a failure that does not stand there is an error, and so is an entry that
//! passes.

mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use self::report::{Exception, Outcome, Report, Run};
use crate::pins::{self, Pins};
use crate::{Result, workspace};

const PINS: Pins = Pins { folder: "conformance", files: &["package.json", "package-lock.json"] };

/// The oldest Node that runs the suite.
const NODE: u32 = 22;

/// A part of the suite.
#[derive(Debug)]
struct Suite {
    name: &'static str,
    options: [&'static str; 2],
    /// How one of its scenarios is run alone.
    alone: &'static [&'static str],
    /// Whether it counts, and so runs when no suite is named.
    scored: bool,
}

const SUITES: [Suite; 4] = [
    Suite {
        name: "2025-11-25",
        options: ["--requirements", "2025-11-25"],
        alone: &["--spec-version", "2025-11-25", "--force"],
        scored: true,
    },
    Suite {
        name: "2026-07-28",
        options: ["--requirements", "2026-07-28"],
        alone: &["--spec-version", "2026-07-28", "--force"],
        scored: true,
    },
    Suite { name: "backcompat", options: ["--suite", "backcompat"], alone: &[], scored: true },
    Suite { name: "extensions", options: ["--suite", "extensions"], alone: &[], scored: false },
];

/// Runs the scored suites, or the named one, and prints what became of each scenario; last, `client PASSED/SCORED`.
pub(crate) fn client(shell: &Shell, suite: Option<&str>) -> Result {
    let suites = chosen(suite)?;
    let exceptions = Exception::read(&shell.read_file(workspace::root().join("xtask/conformance/expected.json"))?)?;
    let target = workspace::target(shell)?;
    let folder = target.join("conformance");
    PINS.install_into(shell, &folder, pins::install_from_npm).map_err(|error| format!("npm: {error}"))?;
    cmd!(shell, "cargo build --quiet --package mcp-client --example conformance_client").run()?;
    let client =
        target.join("debug").join("examples").join(format!("conformance_client{}", std::env::consts::EXE_SUFFIX));
    let program = Program::new(shell, &folder, client)?;
    let mut runs = Vec::new();
    for suite in suites {
        let mut run = Run { suite: suite.name, outcomes: program.run(shell, suite)? };
        for outcome in run.surprises(&exceptions) {
            program.run_alone(shell, suite, outcome)?;
        }
        runs.push(run);
    }
    let report = Report::new(runs, &exceptions);
    print!("{report}");
    report.verdict().map_err(|error| format!("{error}\n\neach check is in {}", program.results.display()).into())
}

fn chosen(name: Option<&str>) -> Result<Vec<&'static Suite>> {
    let chosen: Vec<&Suite> = match name {
        None => SUITES.iter().filter(|suite| suite.scored).collect(),
        Some(name) => SUITES.iter().filter(|suite| suite.name == name).collect(),
    };
    if chosen.is_empty() {
        let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        return Err(format!("no such suite; there are {}", names.join(", ")).into());
    }
    Ok(chosen)
}

/// The installed suite, and the client it drives.
#[derive(Debug)]
struct Program {
    script: PathBuf,
    client: PathBuf,
    results: PathBuf,
    /// The search path, on which its Node comes first.
    path: OsString,
}

impl Program {
    fn new(shell: &Shell, folder: &Path, client: PathBuf) -> Result<Self> {
        let path = path_with(shell, &folder.join("node_modules").join(".bin"))?;
        let version = cmd!(shell, "node --version").env("PATH", &path).quiet().read()?;
        let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
        if major.is_none_or(|major: u32| major < NODE) {
            return Err(format!("the suite needs Node {NODE} or newer, and this is {version}").into());
        }
        let script = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
        Ok(Self { script, client, results: folder.join("results"), path })
    }

    /// Runs all scenarios of a suite, which starts them at once.
    fn run(&self, shell: &Shell, suite: &Suite) -> Result<Vec<Outcome>> {
        let results = self.results.join(suite.name);
        shell.remove_path(&results)?;
        let Self { script, client, path, .. } = self;
        let options = suite.options;
        // It exits with 1 when anything failed, expected or not; the report decides what that means.
        let output = cmd!(shell, "node {script} client --command {client} {options...} --output-dir {results}")
            .env("PATH", path)
            .quiet()
            .ignore_status()
            .output()?;
        let outcomes = report::outcomes(&String::from_utf8_lossy(&output.stdout));
        if outcomes.is_empty() {
            return Err(format!("{} did not run: {}", suite.name, String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(outcomes)
    }

    /// Runs a scenario once more, by itself: among dozens of processes on a few cores an answer can miss its moment. The
    /// client must then also exit well.
    fn run_alone(&self, shell: &Shell, suite: &Suite, outcome: &mut Outcome) -> Result {
        eprintln!("{} failed in {}; once more, alone", outcome.scenario, suite.name);
        let results = self.results.join(suite.name).join("alone");
        let Self { script, client, path, .. } = self;
        let (scenario, options) = (&outcome.scenario, suite.alone);
        let output = cmd!(
            shell,
            "node {script} client --command {client} --scenario {scenario} {options...} --output-dir {results}"
        )
        .env("PATH", path)
        .quiet()
        .ignore_status()
        .output()?;
        if output.status.success() {
            // Alone, the suite writes its counts among its remarks.
            let said = [output.stdout, output.stderr].concat();
            outcome.count_again(&String::from_utf8_lossy(&said));
        }
        Ok(())
    }
}

/// The search path with `first` before everything else.
fn path_with(shell: &Shell, first: &Path) -> Result<OsString> {
    let path = shell.var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(std::iter::once(first.to_path_buf()).chain(std::env::split_paths(&path)))?)
}
