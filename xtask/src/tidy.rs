//! `cargo xtask tidy`: the invariants of ARCHITECTURE.md that a program can check.
//!
//! Each check returns the sentences to print; an empty list is a pass. Checks are pure functions over what was read,
//! so that their tests need no workspace.

mod gate;
mod graph;
mod manifest;
mod source;

use xshell::Shell;

use crate::{Result, mutants, workspace};

/// Runs every check and fails with all findings at once.
pub(crate) fn run(shell: &Shell) -> Result {
    let packages = workspace::packages(shell)?;
    let mut findings = graph::check(&packages);
    for package in &packages {
        let text = shell.read_file(package.folder.join("Cargo.toml"))?;
        findings.extend(manifest::check(package, &text));
        if !shell.path_exists(package.folder.join("README.md")) {
            findings.push(format!("{}: has no README.md", package.name));
        }
        for path in workspace::files(&package.folder, "rs")? {
            let name = path.strip_prefix(workspace::root())?.to_string_lossy().replace('\\', "/");
            findings.extend(source::check(&name, &shell.read_file(&path)?));
        }
        findings.extend(forgotten_tests(shell, package)?);
    }
    findings.extend(one_sanitizer(shell, &packages)?);
    findings.extend(one_gate(shell)?);
    findings.extend(twins(shell)?);
    let missing = mutants::missing().into_iter();
    findings.extend(missing.map(|file| format!("xtask/src/mutants.rs watches {file}, which is not there")));
    if findings.is_empty() { Ok(()) } else { Err(findings.join("\n").into()) }
}

/// A module of the integration binary that `main.rs` does not declare is never compiled, and passes for ever.
fn forgotten_tests(shell: &Shell, package: &workspace::Package) -> Result<Vec<String>> {
    let folder = package.folder.join("tests").join("it");
    let main = folder.join("main.rs");
    if !shell.path_exists(&main) {
        return Ok(Vec::new());
    }
    let declared = shell.read_file(&main)?;
    let modules = std::fs::read_dir(&folder)?.filter_map(std::result::Result::ok).map(|entry| entry.path());
    Ok(modules
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .filter(|module| module != "main" && !declared.contains(&format!("mod {module};")))
        .map(|module| format!("{}: tests/it/main.rs does not declare `{module}`", package.name))
        .collect())
}

/// One function makes foreign text safe to show; a second one would be the one that forgets a character.
fn one_sanitizer(shell: &Shell, packages: &[workspace::Package]) -> Result<Vec<String>> {
    let mut places = Vec::new();
    for package in packages.iter().filter(|package| package.name != "xtask") {
        for path in workspace::files(&package.folder.join("src"), "rs")? {
            if source::defines_sanitizer(&shell.read_file(&path)?) {
                places.push(path.strip_prefix(workspace::root())?.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let expected = ["mcp-client/src/printable.rs"];
    Ok(if places == expected {
        Vec::new()
    } else {
        vec![format!("foreign text is made safe to show in {places:?}; the one place is {expected:?}")]
    })
}

/// Files that stand in several crates because no leaf depends on a leaf. They are one in all but their place.
const TWINS: [&[&str]; 2] = [
    &["mcp-transport/src/loopback.rs", "mcp-oauth/src/loopback.rs", "mcp-client/src/loopback.rs"],
    &["mcp-transport/src/tls.rs", "mcp-oauth/src/tls.rs", "mcp-client/src/embed/tls.rs"],
];

/// What a crate thinks of as this machine, or whom it trusts, must not differ from what another does.
fn twins(shell: &Shell) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for names in TWINS {
        let mut texts = std::collections::BTreeSet::new();
        for name in names {
            texts.insert(shell.read_file(workspace::root().join(name))?);
        }
        if texts.len() > 1 {
            findings.push(format!("{names:?} differ; they are one file in several crates"));
        }
    }
    Ok(findings)
}

/// What runs on other people's machines is what runs on ours.
fn one_gate(shell: &Shell) -> Result<Vec<String>> {
    let root = workspace::root();
    let rust = workspace::rust_version(shell)?;
    let mut findings = Vec::new();
    let mut workflows = String::new();
    for path in workspace::files(&root.join(".github").join("workflows"), "yml")? {
        let name = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
        let workflow = shell.read_file(&path)?;
        findings.extend(gate::check_workflow(&name, &workflow, &rust));
        workflows.push_str(&workflow);
    }
    let (readme, script) = (shell.read_file(root.join("README.md"))?, shell.read_file(root.join(".ci").join("run"))?);
    findings.extend(gate::check_script(&workflows, &readme, &script));
    Ok(findings)
}
