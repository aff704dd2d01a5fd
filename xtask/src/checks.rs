//! What CI runs, each step named as it starts and timed as it ends.

use std::time::Instant;

use xshell::{Shell, cmd};

use crate::{Result, deny, licenses, model, servers, tidy, workspace};

/// Everything a change must pass.
pub(crate) fn ci(shell: &Shell) -> Result {
    step("format", || Ok(cmd!(shell, "cargo fmt --all --check").run()?))?;
    step("lints", || {
        Ok(cmd!(shell, "cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings").run()?)
    })?;
    step("tidy", || tidy::run(shell))?;
    step("deny", || deny::check(shell))?;
    step("licenses", || licenses::check(shell))?;
    step("tests", || test(shell, &[]))?;
    step("docs", || {
        let _strict = shell.push_env("RUSTDOCFLAGS", "-D warnings");
        Ok(cmd!(shell, "cargo doc --workspace --no-deps --all-features --quiet").run()?)
    })?;
    step("leaves alone", || {
        workspace::LEAVES
            .iter()
            .try_for_each(|leaf| Ok(cmd!(shell, "cargo check --package {leaf} --no-default-features --quiet").run()?))
    })
}

/// Every test: unit, integration, end-to-end on real servers, and the examples in the documentation.
///
/// `filter` goes to the test runner, and leaves the documentation's examples out.
pub(crate) fn test(shell: &Shell, filter: &[&str]) -> Result {
    let folder = servers::install(shell)?;
    let _servers = shell.push_env(servers::FOLDER_VARIABLE, folder);
    let model = model::install_for_tests(shell)?;
    let _model = model.map(|folder| shell.push_env(model::FOLDER_VARIABLE, folder));
    if cmd!(shell, "cargo nextest --version").quiet().ignore_stdout().ignore_stderr().run().is_ok() {
        let profile = if workspace::in_ci() { "ci" } else { "default" };
        cmd!(shell, "cargo nextest run --workspace --all-features --profile {profile} {filter...}").run()?;
    } else {
        cmd!(shell, "cargo test --workspace --all-features --tests --bins --lib {filter...}").run()?;
    }
    if filter.is_empty() {
        cmd!(shell, "cargo test --workspace --all-features --doc --quiet").run()?;
    }
    Ok(())
}

/// Runs the benchmarks of one crate, or of all.
pub(crate) fn bench(shell: &Shell, arguments: &[&str]) -> Result {
    match arguments {
        [] => Ok(cmd!(shell, "cargo bench --workspace --benches --quiet").run()?),
        [package, rest @ ..] => {
            Ok(cmd!(shell, "cargo bench --package {package} --benches --quiet -- {rest...}").run()?)
        }
    }
}

/// Meets every fault of the table with plain rmcp and with mcp-transport, and prints what became of each.
pub(crate) fn faults(shell: &Shell) -> Result {
    // The program that plays the servers is an example as well, and must lie beside the one that is run.
    cmd!(shell, "cargo build --quiet --package mcp-transport --examples").run()?;
    Ok(cmd!(shell, "cargo run --quiet --package mcp-transport --example faults").run()?)
}

fn step(name: &str, run: impl FnOnce() -> Result) -> Result {
    println!("── {name}");
    let started = Instant::now();
    run().map_err(|error| format!("{name}: {error}"))?;
    println!("── {name}: ok in {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}
