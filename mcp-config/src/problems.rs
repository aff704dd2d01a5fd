//! The problems of one file, which may be nothing but mistakes.

use std::path::Path;

use crate::problem::{Problem, ProblemKind, Severity};

/// How many problems one file may report; the rest of a hopeless file is counted.
const MAX_PROBLEMS: usize = 200;

/// Problems in the order they were found: as many as anybody reads, and the number of the rest.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    listed: Vec<Problem>,
    unlisted: usize,
}

impl Problems {
    pub(crate) fn push(&mut self, problem: Problem) {
        if self.listed.len() < MAX_PROBLEMS {
            self.listed.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.unlisted += other.unlisted;
        for problem in other.listed {
            self.push(problem);
        }
    }

    /// Makes every error a warning.
    pub(crate) fn soften(&mut self) {
        for problem in &mut self.listed {
            problem.severity = problem.severity.min(Severity::Warning);
        }
    }

    /// Returns no more than `most` of them; what else there is in the file at `path` is summed up in one.
    pub(crate) fn into_list(self, path: &Path, most: usize) -> Vec<Problem> {
        let Self { mut listed, unlisted } = self;
        let rest = unlisted + listed.len().saturating_sub(most);
        listed.truncate(most);
        if rest > 0 {
            let message = format!("{rest} more problems in this file are not shown");
            listed.push(Problem::new(Severity::Note, ProblemKind::Syntax, message).with_path(path));
        }
        listed
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self { listed: vec![problem], unlisted: 0 }
    }
}
