//! Names that are given once.

use std::collections::{BTreeMap, BTreeSet};

/// Names in use, and where to go on counting for each name that was wanted more than once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
    next: BTreeMap<String, usize>,
}

impl Names {
    /// Marks a name as in use; false when it was already.
    pub(crate) fn reserve(&mut self, name: impl Into<String>) -> bool {
        self.taken.insert(name.into())
    }

    /// Gives out `wanted`, or `wanted_2`, `wanted_3`, … with at most `longest` characters.
    pub(crate) fn unique(&mut self, wanted: &str, longest: usize) -> String {
        let start = self.next.get(wanted).copied().unwrap_or(1);
        for count in start..=usize::MAX {
            let suffix = if count == 1 { String::new() } else { format!("_{count}") };
            let room = longest.saturating_sub(suffix.len());
            let candidate = wanted.chars().take(room).collect::<String>() + &suffix;
            if self.taken.insert(candidate.clone()) {
                self.next.insert(wanted.to_owned(), count + 1);
                return candidate;
            }
        }
        wanted.to_owned()
    }
}
