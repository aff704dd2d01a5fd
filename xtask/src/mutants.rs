//! `cargo xtask mutants [--iterate] [MODULE…]`: breaks on purpose, in one place at a time, the code that decides what may run and be
//! called, and asks whether a test notices.
//!
//! Not part of `ci`, as each of hundreds of mutants is compiled and tested. A mutant that survives is an error, unless it
//! stands in `xtask/mutants/survivors.json` with the reason why no test can notice it.

mod survivors;

use std::collections::BTreeSet;
use std::process::Command;

use xshell::{Cmd, Shell, cmd};

use self::survivors::{Outcomes, Survivor};
use crate::{Result, tools, workspace};

/// What is broken when nothing is named.
const WATCHED: [Module<'static>; 14] = [
    Module::new("mcp-config", "discovery/policy"),
    Module::new("mcp-config", "facts"),
    Module::new("mcp-config", "loosening"),
    Module::new("mcp-config", "mask"),
    Module::new("mcp-config", "overlay"),
    Module::new("mcp-config", "plan"),
    Module::new("mcp-config", "policy"),
    Module::new("mcp-config", "settings"),
    Module::new("mcp-config", "state"),
    Module::new("mcp-config", "state_key"),
    Module::new("mcp-config", "trust"),
    Module::new("mcp-config", "workspace"),
    Module::new("mcp-registry", "pin"),
    Module::new("mcp-registry", "rules"),
];

/// A module of a crate, with the modules below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Module<'a> {
    package: &'a str,
    name: &'a str,
}

impl<'a> Module<'a> {
    const fn new(package: &'a str, name: &'a str) -> Self {
        Self { package, name }
    }

    /// `NAME` of a watched one, or `PACKAGE/NAME` of any.
    fn find(name: &'a str) -> Result<Self> {
        let watched = WATCHED.into_iter().find(|module| module.name == name);
        let any = || name.split_once('/').map(|(package, name)| Self { package, name }).filter(Self::exists);
        Ok(watched
            .or_else(any)
            .ok_or_else(|| format!("no module `{name}`: MODULE for a watched one, CRATE/MODULE for any"))?)
    }

    fn exists(&self) -> bool {
        workspace::root().join(self.file()).is_file()
    }

    /// Its own file, from the root.
    fn file(&self) -> String {
        format!("{}/src/{}.rs", self.package, self.name)
    }

    /// The files of those below it.
    fn below(&self) -> String {
        format!("{}/src/{}/**/*.rs", self.package, self.name)
    }
}

/// The exit codes of cargo-mutants by which the mutants were tested: all were caught, some survived, some hung.
const TESTED: [i32; 3] = [0, 2, 3];

/// Breaks the named modules, or all that are watched; after `--iterate`, only in those places where no test noticed last time.
pub(crate) fn run(shell: &Shell, arguments: &[&str]) -> Result {
    let (options, names) = match arguments {
        ["--iterate", names @ ..] => (&["--iterate"][..], names),
        names => (&[][..], names),
    };
    let modules = chosen(names)?;
    let known = Survivor::read(&shell.read_file(workspace::root().join("xtask/mutants/survivors.json"))?)?;
    let program = tools::MUTANTS.install(shell)?;
    // All of them, whatever is broken: otherwise what became of a module that is gone would be found by nobody. First of all, as
    // the rest takes hours.
    let stale = survivors::stale(&known, &cmd!(shell, "{program} mutants --list --workspace").quiet().read()?);
    for finding in &stale {
        println!("{finding}");
    }
    let mut findings = stale;
    for package in modules.iter().map(|module| module.package).collect::<BTreeSet<_>>() {
        let modules: Vec<Module<'_>> = modules.iter().copied().filter(|module| module.package == package).collect();
        let mutants = cmd!(shell, "{program} mutants {options...} --package {package}");
        let outcomes = break_modules(shell, mutants, package, &modules)?;
        println!("{package}: {outcomes}");
        findings.extend(outcomes.surprises(&known));
    }
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n").into()) }
}

/// The files of watched modules that are there no longer.
pub(crate) fn missing() -> Vec<String> {
    WATCHED.iter().filter(|module| !module.exists()).map(Module::file).collect()
}

fn chosen<'a>(names: &[&'a str]) -> Result<Vec<Module<'a>>> {
    if names.is_empty() { Ok(WATCHED.to_vec()) } else { names.iter().map(|name| Module::find(name)).collect() }
}

/// Breaks modules of one package. Its own tests alone are asked, in a copy of the workspace.
fn break_modules(shell: &Shell, mut mutants: Cmd<'_>, package: &str, modules: &[Module<'_>]) -> Result<Outcomes> {
    let output = workspace::target(shell)?.join("mutants").join(package);
    shell.create_dir(&output)?;
    for module in modules {
        mutants = mutants.args(["--file", &module.file(), "--file", &module.below()]);
    }
    // A compiler and its tests keep two cores busy.
    let jobs = (std::thread::available_parallelism()?.get() / 2).max(1).to_string();
    let mutants = mutants
        .args(["--all-features", "--test-tool", "nextest", "--jobs", &jobs, "--output"])
        .arg(&output)
        .env("NEXTEST_PROFILE", "mutants")
        .env("CARGO_PROFILE_DEV_DEBUG", "false");
    let status = Command::from(mutants).status()?;
    if !status.code().is_some_and(|code| TESTED.contains(&code)) {
        return Err(format!("cargo-mutants, {status}; its logs are in {}", output.display()).into());
    }
    let list = |name: &str| shell.read_file(output.join("mutants.out").join(name));
    Ok(Outcomes::new(&list("missed.txt")?, &list("caught.txt")?, &list("timeout.txt")?, &list("unviable.txt")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_chosen_by_name() {
        assert_eq!(chosen(&[]).expect("all"), WATCHED);
        let two = [Module::new("mcp-registry", "rules"), Module::new("mcp-config", "discovery/policy")];
        assert_eq!(chosen(&["rules", "discovery/policy"]).expect("two"), two);
        assert_eq!(chosen(&["mcp-config/merge"]).expect("one"), [Module::new("mcp-config", "merge")]);
        for unknown in ["merge", "mcp-config/rules", "mcp-config", "mcp-config/", ""] {
            assert!(chosen(&[unknown]).is_err(), "{unknown}");
        }
    }
}
