//! Names that are not what they look like.

use std::collections::BTreeMap;

use unicode_security::confusable_detection::skeleton;

use crate::error::Problem;
use crate::snapshot::Snapshot;

/// Names longer than this many characters are compared by their beginning.
const LONGEST_COMPARED: usize = 256;

impl Snapshot {
    /// Returns the names that a person or a model could take for another: those with invisible characters, server names that
    /// look like another server's, and tool names that look like another tool's without being the same.
    ///
    /// Likeness is that of [UTS #39](https://www.unicode.org/reports/tr39/#Confusable_Detection), without regard to case. A
    /// name is flagged, not refused: ids stay apart in any case.
    pub fn suspicious_names(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let servers: Vec<(String, &str)> = self.servers().map(|name| (format!("server {name:?}"), name)).collect();
        let tools: Vec<(String, &str)> =
            self.tools().map(|tool| (format!("tool {:?}", tool.path()), tool.tool.name.as_str())).collect();
        flag_invisible(servers.iter().chain(&tools), &mut problems);
        flag_likenesses(&servers, &mut problems);
        flag_likenesses(&tools, &mut problems);
        problems.sort();
        problems.dedup();
        problems
    }
}

fn flag_invisible<'a>(names: impl Iterator<Item = &'a (String, &'a str)>, problems: &mut Vec<Problem>) {
    for (place, name) in names {
        if let Some(character) = name.chars().find(|character| is_invisible(*character)) {
            let message = format!("its name holds the invisible character U+{:04X}", u32::from(character));
            problems.push(Problem::new(place.as_str(), message));
        }
    }
}

fn flag_likenesses(names: &[(String, &str)], problems: &mut Vec<Problem>) {
    let mut alike: BTreeMap<String, Vec<&(String, &str)>> = BTreeMap::new();
    for named in names {
        let [one, other] = looks(named.1);
        if one != other {
            alike.entry(one).or_default().push(named);
        }
        alike.entry(other).or_default().push(named);
    }
    for group in alike.values() {
        for (place, name) in group {
            // Two servers may well have a tool of one name; only names that differ and look alike deceive.
            if let Some((other, _)) = group.iter().find(|(_, other)| other != name) {
                problems.push(Problem::new(place.as_str(), format!("its name looks like that of {other}")));
            }
        }
    }
}

/// Returns what a name looks like, as it is written (a capital I is an l) and in lower case (`GitHub` is `github`). Names that
/// can be mistaken for each other have a look in common.
fn looks(name: &str) -> [String; 2] {
    let visible: String = name.chars().take(LONGEST_COMPARED).filter(|character| !is_invisible(*character)).collect();
    [skeleton(&visible).collect(), skeleton(&visible.to_lowercase()).collect()]
}

/// Whether nothing is drawn for a character: controls, space other than U+0020, and what Unicode lists as
/// [`Default_Ignorable_Code_Point`](https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point), plus the empty Braille
/// pattern.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(u32::from(character),
            0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
            | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}
