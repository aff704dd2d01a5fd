//! `cargo xtask licenses`: under which licences `mcpctl` ships what others wrote, with their texts.
//!
//! `cargo-deny` judges which licences there may be; this copies the texts that nearly all of them ask to be shipped. Every
//! text that a package carries is copied, also those of code that it took from elsewhere, and none is chosen: a choice
//! between `A OR B` is up to who ships the program.

mod document;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xshell::{Shell, cmd};

use self::document::{Package, Text};
use crate::{Result, workspace};

const FILE: &str = "THIRD-PARTY-LICENSES.txt";

/// How the name of a file, or of a folder of them, begins that holds terms or names authors, in lower case.
const TERMS: [&str; 7] = ["authors", "copying", "copyright", "licence", "license", "notice", "unlicense"];

/// Writes the file anew.
pub(crate) fn write(shell: &Shell) -> Result {
    Ok(shell.write_file(workspace::root().join(FILE), made(shell)?)?)
}

/// Compares the file with what it should be.
pub(crate) fn check(shell: &Shell) -> Result {
    let written = shell.read_file(workspace::root().join(FILE))?.replace("\r\n", "\n");
    if written == made(shell)? { Ok(()) } else { Err(format!("{FILE} is out of date: cargo xtask licenses").into()) }
}

fn made(shell: &Shell) -> Result<String> {
    let standard = document::Standard {
        apache: shell.read_file(workspace::root().join("LICENSE-APACHE"))?,
        mit: shell.read_file(workspace::root().join("LICENSE-MIT"))?,
    };
    Ok(document::document(&shipped(shell)?, &standard)?)
}

/// The foreign packages that `mcpctl` is linked from, on any system and with any feature, sorted.
fn shipped(shell: &Shell) -> Result<Vec<Package>> {
    let tree =
        cmd!(shell, "cargo tree --locked --package mcp-cli --all-features --target all --edges normal --prefix none");
    let tree = tree.quiet().read()?;
    let linked: BTreeSet<(&str, &str)> = tree.lines().filter_map(name_and_version).collect();
    let metadata = cmd!(shell, "cargo metadata --locked --all-features --format-version 1").quiet().read()?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().ok_or("`cargo metadata` lists no packages")?;
    let foreign = packages.iter().filter(|package| !package["source"].is_null());
    let mut shipped = foreign
        .map(|package| (package, (text(&package["name"]), text(&package["version"]))))
        .filter(|(_, (name, version))| linked.contains(&(name.as_str(), version.as_str())))
        .map(|(package, (name, version))| read(shell, package, name, version))
        .collect::<Result<Vec<Package>>>()?;
    shipped.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(shipped)
}

/// Of a line such as `serde_derive v1.0.229 (proc-macro)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

fn read(shell: &Shell, package: &Value, name: String, version: String) -> Result<Package> {
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let folder = manifest.parent().ok_or("a manifest lies in a folder")?;
    let mut texts = Vec::new();
    for path in workspace::all_files(folder)? {
        if holds_terms(path.strip_prefix(folder)?) {
            texts.push(Text::new(&String::from_utf8_lossy(&shell.read_binary_file(path)?)));
        }
    }
    let authors = package["authors"].as_array().into_iter().flatten().map(text).collect();
    let (expression, repository) = (text(&package["license"]), text(&package["repository"]));
    Ok(Package { name, version, expression, authors, repository, texts })
}

/// `path` is relative to the package's folder.
fn holds_terms(path: &Path) -> bool {
    let mut names = path.iter().map(|name| name.to_string_lossy().to_lowercase()).peekable();
    let hidden = names.peek().is_some_and(|name| name.starts_with('.'));
    let code = path.extension().is_some_and(|extension| extension == "rs");
    !hidden && !code && names.any(|name| TERMS.iter().any(|word| name.starts_with(word)))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tree() {
        let check = |line, expected| assert_eq!(name_and_version(line), expected, "{line}");
        check("serde v1.0.229", Some(("serde", "1.0.229")));
        check("serde_derive v1.0.229 (proc-macro) (*)", Some(("serde_derive", "1.0.229")));
        check("", None);
    }

    #[test]
    fn files_with_terms() {
        let check = |path, expected| assert_eq!(holds_terms(Path::new(path)), expected, "{path}");
        check("LICENSE", true);
        check("license-apache-2.0", true);
        check("UNLICENSE", true);
        check("NOTICE.md", true);
        check("LICENSES/MIT.txt", true);
        check("third_party/fiat/LICENSE", true);
        check("src/license.rs", false);
        check(".github/workflows/copyrights.yml", false);
        check("README.md", false);
    }
}
