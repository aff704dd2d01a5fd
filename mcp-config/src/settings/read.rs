//! What one settings file says, and what is wrong with it.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Permissions, Settings};
use crate::document::{Node, pointer_join};
use crate::problem::{Problem, ProblemKind, Severity};
use crate::problems::Problems;
use crate::source::Host;

/// Reads the settings in the document of a file.
pub(super) fn settings(document: &Node, path: &Path) -> (Settings, Problems) {
    let mut reader = Reader { path, problems: Problems::default() };
    let settings = reader.settings(document);
    (settings, reader.problems)
}

struct Reader<'a> {
    path: &'a Path,
    problems: Problems,
}

impl Reader<'_> {
    fn settings(&mut self, document: &Node) -> Settings {
        let mut settings = Settings::default();
        let Some(members) = document.members() else {
            self.report(document, "", "expected an object at the top");
            return settings;
        };
        for member in members {
            match member.key.as_str() {
                "permissions" => settings.permissions = self.permissions(&member.node),
                "imports" => settings.imports = self.hosts(&member.node),
                // Overlays are read as a layer; `$schema` says what the file is.
                "servers" | "$schema" => {}
                key => drop(settings.other.insert(key.to_owned(), member.node.to_json())),
            }
        }
        settings
    }

    fn permissions(&mut self, node: &Node) -> Permissions {
        let mut permissions = Permissions::default();
        let lists = [("allow", &mut permissions.allow), ("ask", &mut permissions.ask), ("deny", &mut permissions.deny)];
        for (key, list) in lists {
            if let Some(node) = node.child(key) {
                *list = self.strings(node, &format!("/permissions/{key}"));
            }
        }
        permissions
    }

    fn hosts(&mut self, node: &Node) -> BTreeSet<Host> {
        let names = self.strings(node, "/imports");
        let mut hosts = BTreeSet::new();
        for name in names {
            match name.parse() {
                Ok(host) => drop(hosts.insert(host)),
                Err(unknown) => self.report(node, "/imports", &format!("{unknown}")),
            }
        }
        hosts
    }

    fn strings(&mut self, node: &Node, pointer: &str) -> Vec<String> {
        let Some(items) = node.items() else {
            self.report(node, pointer, "expected an array of strings");
            return Vec::new();
        };
        let mut strings = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => strings.push(text.to_owned()),
                None => self.report(item, &pointer_join(pointer, &index.to_string()), "expected a string"),
            }
        }
        strings
    }

    fn report(&mut self, node: &Node, pointer: &str, message: &str) {
        let problem = Problem::new(Severity::Error, ProblemKind::Shape, message);
        let problem = problem.with_path(self.path).with_pointer(pointer).at_position(node.position);
        self.problems.push(problem);
    }
}
