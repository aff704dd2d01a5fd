//! What became of the scenarios, and whether that was expected.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::Result;

/// What the suite says about one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) scenario: String,
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    pub(crate) warnings: u32,
    /// Whether the scenario is part of what its revision requires.
    pub(crate) scored: bool,
}

impl Outcome {
    /// Whether something was checked and nothing was found: stricter than the suite, which forgives warnings.
    pub(crate) fn passes(&self) -> bool {
        self.passed > 0 && self.failed == 0 && self.warnings == 0
    }

    /// Takes the counts of a run of this scenario alone: `Passed: 8/8, 0 failed, 0 warnings`. Without that line they stay.
    pub(crate) fn count_again(&mut self, output: &str) {
        let Some(counts) = output.lines().find_map(|line| line.strip_prefix("Passed: ")) else { return };
        let mut counts = counts.split(", ").map(|count| count.split([' ', '/']).next()?.parse().ok());
        if let (Some(Some(passed)), Some(Some(failed)), Some(Some(warnings))) =
            (counts.next(), counts.next(), counts.next())
        {
            (self.passed, self.failed, self.warnings) = (passed, failed, warnings);
        }
    }
}

/// The outcomes in what the suite prints, in its order: `✓ NAME: 3 passed, 0 failed, 1 warnings`, and later
/// `  ✓ NAME (REASON)` for each that is not scored.
pub(crate) fn outcomes(output: &str) -> Vec<Outcome> {
    let unscored: BTreeSet<&str> = output.lines().filter_map(unscored).collect();
    let outcomes = output.lines().filter_map(outcome);
    outcomes.map(|outcome| Outcome { scored: !unscored.contains(outcome.scenario.as_str()), ..outcome }).collect()
}

fn outcome(line: &str) -> Option<Outcome> {
    let marked = ["✓ ", "✗ ", "- "].into_iter().find_map(|mark| line.strip_prefix(mark))?;
    let (scenario, counts) = marked.rsplit_once(": ")?;
    let count = |what: &str| counts.split(", ").find_map(|count| count.strip_suffix(what)?.trim().parse().ok());
    if counts != "skipped" {
        count(" passed")?;
    }
    Some(Outcome {
        scenario: scenario.to_owned(),
        passed: count(" passed").unwrap_or(0),
        failed: count(" failed").unwrap_or(0),
        warnings: count(" warnings").unwrap_or(0),
        scored: true,
    })
}

fn unscored(line: &str) -> Option<&str> {
    let marked = ["  ✓ ", "  ✗ "].into_iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(marked.split_once(" (")?.0)
}

/// A scenario that is known to fail in some suites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exception {
    pub(crate) scenario: String,
    pub(crate) suites: Vec<String>,
    pub(crate) reason: String,
}

impl Exception {
    /// Reads `expected.json`: an array of `{"scenario", "suites", "reason"}`.
    pub(crate) fn read(text: &str) -> Result<Vec<Self>> {
        let entries: Vec<Value> = serde_json::from_str(text).map_err(|error| format!("expected.json: {error}"))?;
        let entries = entries.iter().enumerate();
        entries.map(|(index, entry)| Ok(Self::parse(entry).ok_or(format!("expected.json: entry {index}"))?)).collect()
    }

    fn parse(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let suites = entry["suites"].as_array()?.iter().map(|suite| suite.as_str().map(str::to_owned));
        Some(Self { scenario: text("scenario")?, suites: suites.collect::<Option<_>>()?, reason: text("reason")? })
    }
}

/// The outcomes of one suite.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) suite: &'static str,
    pub(crate) outcomes: Vec<Outcome>,
}

/// Everything that ran, beside what was expected. `Display` is the table and, last, the score.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    runs: Vec<Run>,
    exceptions: &'a [Exception],
}

impl<'a> Report<'a> {
    pub(crate) fn new(runs: Vec<Run>, exceptions: &'a [Exception]) -> Self {
        Self { runs, exceptions }
    }

    /// Fails with everything that is not as expected.
    pub(crate) fn verdict(&self) -> Result {
        let mut findings = Vec::new();
        for run in &self.runs {
            for outcome in &run.outcomes {
                if !outcome.passes() && self.exception(run.suite, &outcome.scenario).is_none() {
                    findings.push(format!("{} fails in {}", outcome.scenario, run.suite));
                }
            }
            findings.extend(self.stale(run));
        }
        if findings.is_empty() { Ok(()) } else { Err(findings.join("\n").into()) }
    }

    /// The exceptions of a suite that are none: the scenario passes, or there is no such scenario.
    fn stale(&self, run: &Run) -> impl Iterator<Item = String> {
        let expected = self.exceptions.iter().filter(|exception| exception.applies(run.suite));
        expected.filter(|exception| !run.fails(&exception.scenario)).map(|exception| {
            format!(
                "{} is expected to fail in {} and does not: strike it from expected.json",
                exception.scenario, run.suite
            )
        })
    }

    fn exception(&self, suite: &str, scenario: &str) -> Option<&Exception> {
        find(self.exceptions, suite, scenario)
    }

    /// Scenarios in the order of their first appearance.
    fn scenarios(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.runs.iter().flat_map(|run| &run.outcomes).map(|outcome| outcome.scenario.as_str());
        all.filter(|scenario| seen.insert(*scenario)).collect()
    }

    fn cell(&self, run: &Run, scenario: &str) -> String {
        let Some(outcome) = run.outcome(scenario) else { return String::new() };
        let word = match (outcome.passes(), self.exception(run.suite, scenario)) {
            (true, _) => "pass".to_owned(),
            (false, Some(_)) => "excepted".to_owned(),
            (false, None) => format!("FAIL {}/{}", outcome.failed + outcome.warnings, outcome.passed),
        };
        if outcome.scored { word } else { format!("({word})") }
    }

    fn score(&self) -> (usize, usize) {
        let scored = || self.runs.iter().flat_map(|run| &run.outcomes).filter(|outcome| outcome.scored);
        (scored().filter(|outcome| outcome.passes()).count(), scored().count())
    }
}

fn find<'a>(exceptions: &'a [Exception], suite: &str, scenario: &str) -> Option<&'a Exception> {
    exceptions.iter().find(|exception| exception.applies(suite) && exception.scenario == scenario)
}

impl Exception {
    fn applies(&self, suite: &str) -> bool {
        self.suites.iter().any(|named| named == suite)
    }
}

impl Run {
    /// The failures that are not expected.
    pub(crate) fn surprises<'a>(&'a mut self, exceptions: &[Exception]) -> impl Iterator<Item = &'a mut Outcome> {
        let suite = self.suite;
        self.outcomes
            .iter_mut()
            .filter(move |outcome| !outcome.passes() && find(exceptions, suite, &outcome.scenario).is_none())
    }

    fn outcome(&self, scenario: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.scenario == scenario)
    }

    fn fails(&self, scenario: &str) -> bool {
        self.outcome(scenario).is_some_and(|outcome| !outcome.passes())
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:<44}", "scenario (in parentheses: not scored)")?;
        for run in &self.runs {
            write!(formatter, "{:<14}", run.suite)?;
        }
        writeln!(formatter)?;
        for scenario in self.scenarios() {
            write!(formatter, "{scenario:<44}")?;
            for run in &self.runs {
                write!(formatter, "{:<14}", self.cell(run, scenario))?;
            }
            writeln!(formatter)?;
        }
        for exception in
            self.exceptions.iter().filter(|exception| self.runs.iter().any(|run| exception.applies(run.suite)))
        {
            writeln!(formatter, "excepted: {}: {}", exception.scenario, exception.reason)?;
        }
        let (passed, all) = self.score();
        writeln!(formatter, "client {passed}/{all}")
    }
}

#[cfg(test)]
mod tests;
