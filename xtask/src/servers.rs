//! Installs the MCP servers that the end-to-end tests drive, pinned, below `target/`.
//!
//! Nobody here wrote them: that is what makes the tests worth something. A machine without Node or Python gets the
//! tests it can run and a loud word about the rest; with `CI` set that is a failure instead.

use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::{Result, workspace};

/// Names the folder with the installed servers to the tests, which must not guess it.
pub(crate) const FOLDER_VARIABLE: &str = "MCP_TOOLKIT_TEST_SERVERS";

/// Installs what is missing and returns the folder.
pub(crate) fn install(shell: &Shell) -> Result<PathBuf> {
    let folder = workspace::root().join("target").join("test-servers");
    shell.create_dir(&folder)?;
    for (what, installed) in
        [("Node servers", install_node(shell, &folder)), ("Python servers", install_python(shell, &folder))]
    {
        match installed {
            Ok(()) => {}
            Err(error) if workspace::in_ci() => return Err(format!("{what}: {error}").into()),
            Err(error) => eprintln!("SKIPPED: the {what} are not installed, and their tests will not run: {error}"),
        }
    }
    Ok(folder)
}

fn install_node(shell: &Shell, folder: &Path) -> Result {
    let folder = folder.join("node");
    let pins = ["package.json", "package-lock.json"];
    if is_current(shell, &folder, &pins)? {
        return Ok(());
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    copy_pins(shell, &folder, &pins)?;
    let _in_folder = shell.push_dir(&folder);
    cmd!(shell, "{npm} ci --no-audit --no-fund --ignore-scripts").quiet().ignore_stdout().run()?;
    mark_current(shell, &folder, &pins)
}

fn install_python(shell: &Shell, folder: &Path) -> Result {
    let folder = folder.join("python");
    let pins = ["requirements.txt"];
    if is_current(shell, &folder, &pins)? {
        return Ok(());
    }
    let python = if cfg!(windows) { "python" } else { "python3" };
    shell.remove_path(&folder)?;
    copy_pins(shell, &folder, &pins)?;
    let _in_folder = shell.push_dir(&folder);
    cmd!(
        shell,
        "{python} -m pip install --quiet --disable-pip-version-check --target . --requirement requirements.txt"
    )
    .quiet()
    .ignore_stderr()
    .run()?;
    mark_current(shell, &folder, &pins)
}

/// What was installed is what is pinned now: the stamp is written last, so an interrupted install is not current.
fn is_current(shell: &Shell, folder: &Path, pins: &[&str]) -> Result<bool> {
    let stamp = folder.join("installed");
    Ok(shell.path_exists(&stamp) && shell.read_file(&stamp)? == pinned(shell, pins)?)
}

fn mark_current(shell: &Shell, folder: &Path, pins: &[&str]) -> Result {
    Ok(shell.write_file(folder.join("installed"), pinned(shell, pins)?)?)
}

fn copy_pins(shell: &Shell, folder: &Path, pins: &[&str]) -> Result {
    shell.create_dir(folder)?;
    for pin in pins {
        shell.copy_file(pin_path(pin), folder)?;
    }
    Ok(())
}

fn pinned(shell: &Shell, pins: &[&str]) -> Result<String> {
    let mut text = String::new();
    for pin in pins {
        text.push_str(&shell.read_file(pin_path(pin))?);
    }
    Ok(text)
}

fn pin_path(pin: &str) -> PathBuf {
    workspace::root().join("xtask").join("servers").join(pin)
}
