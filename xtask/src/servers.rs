//! Installs the MCP servers, and the authorization server, that the end-to-end tests drive, pinned, below `target/`.
//!
//! Nobody here wrote them, or the SDKs that they are scripts for: that is what makes the tests worth something. A machine without Node or Python gets the
//! tests it can run and a loud word about the rest; with `CI` set that is a failure instead.

use std::path::{Path, PathBuf};

use xshell::Shell;

use crate::pins::{self, Pins};
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
    let pins = Pins { folder: "servers", files: &["package.json", "package-lock.json"] };
    let folder = folder.join("node");
    pins.install_into(shell, &folder, pins::install_from_npm)?;
    copy_script(shell, "soak.mjs", &folder)
}

/// Puts a server of ours beside the SDK of others that it is written with: Node looks for packages from there.
fn copy_script(shell: &Shell, name: &str, folder: &Path) -> Result {
    Ok(shell.copy_file(workspace::root().join("xtask").join("servers").join(name), folder)?)
}

fn install_python(shell: &Shell, folder: &Path) -> Result {
    let pins = Pins { folder: "servers", files: &["requirements.txt"] };
    let folder = folder.join("python");
    pins.install_into(shell, &folder, |shell| pins::install_from_pypi(shell, ".", &[]))?;
    copy_script(shell, "soak.py", &folder)
}
