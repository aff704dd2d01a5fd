//! The document: which packages there are, then every text once, headed by the packages that carry it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How wide the document's own lines are.
const WIDTH: usize = 100;

const TITLE: &str = "\
Third-party software in mcpctl

Made by `cargo xtask licenses`. Every package that mcpctl is linked from on any system, with its licences as an SPDX
expression and the place it comes from; then the texts that these packages carry, each headed by those that carry it.

";

/// A foreign package.
#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// Its licences, an SPDX expression.
    pub(super) expression: String,
    pub(super) authors: Vec<String>,
    pub(super) repository: String,
    pub(super) texts: Vec<Text>,
}

/// The text of a licence or a notice, with the line ends and without the margins that it came with.
#[derive(Debug)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        Self(lines.join("\n").trim_matches('\n').to_owned())
    }

    /// What two copies have in common that are broken into lines differently.
    fn words(&self) -> String {
        self.0.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The licences of this repository, which serve for packages that name theirs and forgot to carry it.
#[derive(Debug)]
pub(super) struct Standard {
    pub(super) apache: String,
    /// Its third line names us.
    pub(super) mit: String,
}

impl Standard {
    fn text_for(&self, package: &Package) -> Result<Text, String> {
        let Package { name, expression, authors, .. } = package;
        let offered: BTreeSet<&str> = expression.split([' ', '/']).collect();
        if offered.contains("AND") || !(offered.contains("Apache-2.0") || offered.contains("MIT")) {
            return Err(format!("{name} carries no text of its licence, {expression}: find it and teach xtask of it"));
        }
        if offered.contains("Apache-2.0") {
            return Ok(Text::new(&self.apache));
        }
        let who = if authors.is_empty() { format!("the authors of {name}") } else { authors.join(", ") };
        let lines = self.mit.lines().map(|line| match line.strip_prefix("Copyright (c) ") {
            Some(_) => format!("Copyright (c) {who}"),
            None => line.to_owned(),
        });
        Ok(Text::new(&lines.collect::<Vec<_>>().join("\n")))
    }
}

/// The whole document; `packages` are sorted.
pub(super) fn document(packages: &[Package], standard: &Standard) -> Result<String, String> {
    let mut document = TITLE.to_owned();
    let mut texts: Vec<(BTreeSet<&str>, &Text)> = Vec::new();
    let mut known = BTreeMap::new();
    let replaced: Vec<Option<Text>> = packages
        .iter()
        .map(|package| package.texts.is_empty().then(|| standard.text_for(package)).transpose())
        .collect::<Result<_, _>>()?;
    for (package, replaced) in packages.iter().zip(&replaced) {
        let Package { name, version, expression, repository, .. } = package;
        let line = format!("{name} {version}: {expression} {repository}");
        document.push_str(line.trim_end());
        document.push('\n');
        for text in package.texts.iter().chain(replaced) {
            let at = *known.entry(text.words()).or_insert_with(|| {
                texts.push((BTreeSet::new(), text));
                texts.len() - 1
            });
            texts[at].0.insert(name);
        }
    }
    let rule = "-".repeat(WIDTH);
    for (names, Text(text)) in texts {
        // Writing to a string cannot fail.
        let _written = writeln!(document, "\n{rule}\n{}\n{rule}\n\n{text}", wrapped(names));
    }
    Ok(document)
}

fn wrapped<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut lines = vec![String::new()];
    for name in names {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(name),
            Some(line) if line.len() + 1 + name.len() <= WIDTH => {
                line.push(' ');
                line.push_str(name);
            }
            _ => lines.push(name.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, expression: &str, texts: &[&str]) -> Package {
        let texts = texts.iter().map(|text| Text::new(text)).collect();
        Package {
            name: name.into(),
            version: "1.0.0".into(),
            expression: expression.into(),
            texts,
            ..Package::default()
        }
    }

    fn standard() -> Standard {
        Standard { apache: "Apache".into(), mit: "MIT\n\nCopyright (c) 2026 us\n\nAs is.\n".into() }
    }

    /// What follows the list of packages.
    fn texts(packages: &[Package]) -> String {
        let document = document(packages, &standard()).expect("a document");
        let (_, texts) = document.split_once("\n\n---").expect("a list, then texts");
        format!("---{texts}").replace(&"-".repeat(WIDTH), "--")
    }

    #[test]
    fn a_text_is_given_once() {
        let packages = [
            package("a", "MIT", &["\nBe  nice.\r\nAlways. \r\n\r\n"]),
            package("b", "ISC", &["Be nice."]),
            package("c", "MIT", &["Be nice. Always."]),
        ];
        assert_eq!(texts(&packages), "--\na c\n--\n\nBe  nice.\nAlways.\n\n--\nb\n--\n\nBe nice.\n");
    }

    #[test]
    fn packages_are_listed() {
        let mut one = package("a", "MIT", &["Be nice."]);
        one.repository = "https://example.com/a".into();
        let document = document(&[one, package("b", "ISC", &["x"])], &standard()).expect("a document");
        assert!(document.contains("\n\na 1.0.0: MIT https://example.com/a\nb 1.0.0: ISC\n\n---"), "{document}");
    }

    #[test]
    fn a_package_without_a_text_gets_the_standard_one() {
        let mut mit = package("a", "MIT", &[]);
        assert_eq!(texts(&[package("b", "MIT OR Apache-2.0", &[])]), "--\nb\n--\n\nApache\n");
        assert_eq!(texts(std::slice::from_ref(&mit)), "--\na\n--\n\nMIT\n\nCopyright (c) the authors of a\n\nAs is.\n");
        mit.authors = vec!["A <a@example.com>".into(), "B".into()];
        assert_eq!(texts(&[mit]), "--\na\n--\n\nMIT\n\nCopyright (c) A <a@example.com>, B\n\nAs is.\n");
        for expression in ["ISC", "(MIT OR Apache-2.0) AND Unicode-3.0", ""] {
            assert!(document(&[package("a", expression, &[])], &standard()).is_err(), "{expression}");
        }
    }

    #[test]
    fn names_are_wrapped() {
        let name = "n".repeat(WIDTH / 2);
        assert_eq!(wrapped([name.as_str(), "a", name.as_str()]), format!("{name} a\n{name}"));
        assert_eq!(wrapped(["a", "b"]), "a b");
    }
}
