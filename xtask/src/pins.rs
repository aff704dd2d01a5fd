//! Packages of other ecosystems: pinned in a folder of `xtask/`, installed once below `target/`.

use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::{Result, workspace};

/// Files that say exactly what to install.
#[derive(Debug)]
pub(crate) struct Pins {
    /// The folder of `xtask/` that they are in.
    pub(crate) folder: &'static str,
    /// Their names.
    pub(crate) files: &'static [&'static str],
}

impl Pins {
    /// Runs `install` in `folder`, where copies of the pins lie, unless what is pinned now was installed before.
    pub(crate) fn install_into(&self, shell: &Shell, folder: &Path, install: impl FnOnce(&Shell) -> Result) -> Result {
        let stamp = folder.join("installed");
        let pinned = self.text(shell)?;
        if shell.path_exists(&stamp) && shell.read_file(&stamp)? == pinned {
            return Ok(());
        }
        shell.remove_path(folder)?;
        shell.create_dir(folder)?;
        for file in self.files {
            shell.copy_file(self.path(file), folder)?;
        }
        {
            let _in_folder = shell.push_dir(folder);
            install(shell)?;
        }
        // Written last, so that an interrupted installation does not count as one.
        Ok(shell.write_file(stamp, pinned)?)
    }

    fn text(&self, shell: &Shell) -> Result<String> {
        let mut text = String::new();
        for file in self.files {
            text.push_str(&shell.read_file(self.path(file))?);
        }
        Ok(text)
    }

    fn path(&self, file: &str) -> PathBuf {
        workspace::root().join("xtask").join(self.folder).join(file)
    }
}

/// What Python is called here.
pub(crate) fn python() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}

/// Installs the `requirements.txt` of the shell's folder into `target`, as `options` of pip say.
pub(crate) fn install_from_pypi(shell: &Shell, target: &str, options: &[&str]) -> Result {
    let python = python();
    let pip = cmd!(
        shell,
        "{python} -m pip install --quiet --disable-pip-version-check {options...} --target {target}
         --requirement requirements.txt"
    );
    Ok(pip.quiet().ignore_stderr().run()?)
}

/// Installs the `package-lock.json` of the shell's folder. No package runs a script of its own.
pub(crate) fn install_from_npm(shell: &Shell) -> Result {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    Ok(cmd!(shell, "{npm} ci --no-audit --no-fund --ignore-scripts --loglevel error").quiet().ignore_stdout().run()?)
}
