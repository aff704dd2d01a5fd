//! Manifests: one place for versions and lints, names that match their folders, sorted tables.

use crate::workspace::Package;

/// What a member's `Cargo.toml` gets wrong.
pub(super) fn check(package: &Package, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut find = |what: &str| findings.push(format!("{}/Cargo.toml: {what}", package.name));
    if package.folder.file_name().is_none_or(|folder| folder.to_string_lossy() != package.name) {
        find("the folder must have the package's name");
    }
    if !text.contains("[lints]\nworkspace = true") {
        find("must inherit the workspace's lints");
    }
    for inherited in ["version", "edition", "rust-version", "license", "publish"] {
        if !text.contains(&format!("\n{inherited}.workspace = true")) {
            find(&format!("`{inherited}` must come from the workspace"));
        }
    }
    for (table, keys) in dependency_tables(text) {
        if !keys.is_sorted() {
            find(&format!("[{table}] must be sorted"));
        }
    }
    for line in dependency_lines(text) {
        if !line.contains("workspace = true") {
            find(&format!("`{line}` must come from [workspace.dependencies]"));
        }
    }
    findings
}

fn dependency_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in code(text) {
        if let Some(table) = table(line) {
            inside = table.ends_with("dependencies");
        } else if inside && line.contains('=') {
            lines.push(line);
        }
    }
    lines
}

fn dependency_tables(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut tables: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in code(text) {
        if let Some(table) = table(line) {
            tables.push((table, Vec::new()));
        } else if let (Some((_, keys)), Some((key, _))) = (tables.last_mut(), line.split_once(['.', ' ', '='])) {
            keys.push(key);
        }
    }
    tables.retain(|(table, _)| table.ends_with("dependencies"));
    tables
}

fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

fn table(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"mcp-x\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n\n\
        [dependencies]\nserde.workspace = true\ntokio.workspace = true\n";

    #[test]
    fn manifests() {
        let package = Package { name: "mcp-x".into(), folder: "/somewhere/mcp-x".into(), dependencies: Vec::new() };
        let table = [
            (GOOD.to_owned(), 0),
            (GOOD.replace("serde", "zebra"), 1),
            (GOOD.replace("serde", "# why = this\nserde"), 0),
            (GOOD.replace("tokio.workspace = true", "tokio = \"1\""), 1),
            (GOOD.replace("[lints]\nworkspace = true\n", ""), 1),
            (GOOD.replace("license.workspace = true\n", ""), 1),
        ];
        for (text, expected) in table {
            assert_eq!(check(&package, &text).len(), expected, "{text}");
        }
        let elsewhere = Package { folder: "/somewhere/else".into(), ..package };
        assert_eq!(check(&elsewhere, GOOD).len(), 1);
    }
}
