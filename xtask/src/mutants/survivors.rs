//! Which mutants survived, and whether that was expected.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::Result;

/// A mutant that no test can notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Survivor {
    /// As cargo-mutants names it, without line and column: `FILE: WHAT in FUNCTION`.
    mutant: String,
}

impl Survivor {
    /// Reads `survivors.json`: an array of `{"mutant", "reason"}`, with one entry for each of several that are named alike.
    pub(super) fn read(text: &str) -> Result<Vec<Self>> {
        let entries: Vec<Value> = serde_json::from_str(text).map_err(|error| format!("survivors.json: {error}"))?;
        let entries = entries.iter().enumerate();
        entries.map(|(at, entry)| Ok(Self::parse(entry).ok_or(format!("survivors.json: entry {at}"))?)).collect()
    }

    /// Without a reason it is none.
    fn parse(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry[name].as_str().filter(|text| !text.trim().is_empty());
        text("reason")?;
        Some(Self { mutant: text("mutant")?.to_owned() })
    }
}

/// The known survivors that name no mutant of those that there are, which are listed a line each: their code was changed or is
/// gone, and a reason must not outlive the code it was given for.
pub(super) fn stale(known: &[Survivor], listed: &str) -> Vec<String> {
    let mut there: Vec<String> = listed.lines().map(without_position).collect();
    let mut findings = Vec::new();
    for Survivor { mutant } in known {
        match there.iter().position(|name| name == mutant) {
            Some(at) => drop(there.swap_remove(at)),
            None => findings.push(format!("there is no such mutant: {mutant}; strike it from survivors.json")),
        }
    }
    findings
}

/// A mutant: `FILE:LINE:COLUMN: WHAT in FUNCTION`.
type Mutant = String;

/// What became of the mutants of one package.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    missed: Vec<Mutant>,
    caught: Vec<Mutant>,
    /// The tests took much longer than without it, which is noticed as well.
    hung: Vec<Mutant>,
    /// It does not compile.
    unviable: Vec<Mutant>,
}

impl Outcomes {
    /// From the lists that cargo-mutants writes, a mutant a line.
    pub(super) fn new(missed: &str, caught: &str, hung: &str, unviable: &str) -> Self {
        let list = |text: &str| text.lines().map(str::to_owned).collect();
        Self { missed: list(missed), caught: list(caught), hung: list(hung), unviable: list(unviable) }
    }

    /// The survivors that are not known, and the known ones that do not survive in files that were broken.
    pub(super) fn surprises(&self, known: &[Survivor]) -> Vec<String> {
        let mut expected: Vec<&str> = known.iter().map(|survivor| survivor.mutant.as_str()).collect();
        let mut surprises = Vec::new();
        for mutant in &self.missed {
            let name = without_position(mutant);
            match expected.iter().position(|expected| *expected == name) {
                Some(at) => drop(expected.remove(at)),
                None => surprises.push(format!("survives: {mutant}")),
            }
        }
        let broken: BTreeSet<&str> = self.all().map(|mutant| file(mutant)).collect();
        let stale = expected.into_iter().filter(|name| broken.contains(file(name)));
        surprises.extend(stale.map(|name| format!("does not survive: {name}; strike it from survivors.json")));
        surprises
    }

    fn all(&self) -> impl Iterator<Item = &Mutant> {
        [&self.missed, &self.caught, &self.hung, &self.unviable].into_iter().flatten()
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { missed, caught, hung, unviable } = self;
        let (missed, caught, hung, unviable) = (missed.len(), caught.len(), hung.len(), unviable.len());
        write!(f, "{caught} mutants caught, {hung} hung, {missed} survived, {unviable} do not compile")
    }
}

fn file(mutant: &str) -> &str {
    mutant.split(':').next().unwrap_or(mutant)
}

fn without_position(mutant: &str) -> String {
    let what = mutant.split_once(": ").map_or("", |(_, what)| what);
    format!("{}: {what}", file(mutant))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = r#"[
        {"mutant": "c/src/a.rs: replace < with <= in f", "reason": "Equal values are the same value."},
        {"mutant": "c/src/b.rs: delete ! in g", "reason": "Why."}
    ]"#;

    fn surprises(missed: &str, caught: &str) -> Vec<String> {
        Outcomes::new(missed, caught, "", "").surprises(&Survivor::read(KNOWN).expect("two survivors"))
    }

    #[test]
    fn a_survivor_is_known_wherever_it_stands() {
        for place in ["1:2", "30:4"] {
            assert_eq!(surprises(&format!("c/src/a.rs:{place}: replace < with <= in f"), ""), [""; 0]);
        }
        let other = "c/src/a.rs:1:2: replace < with == in f\nc/src/a.rs:1:2: replace < with <= in f";
        assert_eq!(surprises(other, ""), ["survives: c/src/a.rs:1:2: replace < with == in f"]);
    }

    #[test]
    fn an_entry_is_good_for_one_survivor() {
        let both = "c/src/a.rs:1:2: replace < with <= in f\nc/src/a.rs:9:2: replace < with <= in f\n";
        assert_eq!(surprises(both, ""), ["survives: c/src/a.rs:9:2: replace < with <= in f"]);
    }

    #[test]
    fn an_entry_that_does_not_survive_is_stale() {
        let stale = ["does not survive: c/src/a.rs: replace < with <= in f; strike it from survivors.json"];
        assert_eq!(surprises("", "c/src/a.rs:1:2: replace < with <= in f"), stale);
        assert_eq!(surprises("", "c/src/a.rs:1:2: replace h -> bool with true"), stale, "there is none of that name");
        assert_eq!(surprises("", "c/src/other.rs:1:2: delete ! in g"), [""; 0], "its file was not broken");
    }

    #[test]
    fn an_entry_without_a_mutant_is_stale_whatever_was_broken() {
        let known = Survivor::read(KNOWN).expect("two survivors");
        let [in_a, in_b] = ["c/src/a.rs:1:2: replace < with <= in f", "c/src/b.rs:7:8: delete ! in g"];
        let missing = |listed: &[&str]| stale(&known, &listed.join("\n"));
        let gone = ["there is no such mutant: c/src/b.rs: delete ! in g; strike it from survivors.json"];
        assert_eq!(missing(&[in_b, in_a]), [""; 0]);
        assert_eq!(missing(&[in_a]), gone);
        assert_eq!(missing(&[in_a, "c/src/b.rs:7:8: delete ! in h", "c/src/moved.rs:7:8: delete ! in g"]), gone);
        let twice = [known.clone(), known.clone()].concat();
        assert_eq!(stale(&twice, &[in_a, in_b, in_a].join("\n")), gone, "an entry is good for one mutant");
    }

    #[test]
    fn survivors_without_a_reason_are_refused() {
        for entry in [r#"[{"mutant": "x"}]"#, r#"[{"mutant": "x", "reason": " "}]"#, r#"[{"reason": "x"}]"#, "{}"] {
            assert!(Survivor::read(entry).is_err(), "{entry}");
        }
    }
}
