//! A condition on an argument of a call.

use std::sync::OnceLock;

use globset::{Glob, GlobBuilder, GlobMatcher};
use serde_json::{Number, Value};

use crate::error::RuleFault;
use crate::rules::arguments::{Argument, Arguments, Spelled};
use crate::rules::spelling::{Spelling, anywhere, is_unmistakable, settled_pattern};
use crate::rules::subject::{Reach, unescaped};

/// Longer globs are refused, as each is compiled.
const LONGEST_GLOB: usize = 256;

/// A condition on one top-level argument.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    name: String,
    /// The pattern as it is written.
    glob: Glob,
    matcher: GlobMatcher,
    /// The pattern for other spellings; made when it is first needed, as rules that allow never do.
    wide: OnceLock<WidePattern>,
}

/// A pattern in the form to which spellings are brought.
#[derive(Clone, Debug, Default)]
struct WidePattern {
    settled: Option<GlobMatcher>,
    /// For paths that may lead into the folder where the server works from outside.
    anywhere: Option<GlobMatcher>,
    /// The number that the pattern is, as far as floating point can tell.
    float: Option<f64>,
}

impl WidePattern {
    fn new(glob: &str) -> Self {
        let Some(settled) = settled_pattern(glob) else { return Self::default() };
        let compiled = |glob: &str| compile(glob).ok().map(|glob| glob.compile_matcher());
        Self {
            settled: compiled(&settled),
            anywhere: anywhere(&settled).as_deref().and_then(compiled),
            float: settled.parse().ok(),
        }
    }

    fn matches(&self, spelling: &Spelling) -> bool {
        let is_match = |glob: &Option<GlobMatcher>| glob.as_ref().is_some_and(|glob| glob.is_match(&spelling.text));
        is_match(&self.settled) || (spelling.leads_anywhere && is_match(&self.anywhere))
    }
}

fn compile(glob: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build()
}

impl Condition {
    /// Reads what stands between the parentheses of a rule.
    pub(super) fn parse_list(text: &str) -> Result<Vec<Self>, RuleFault> {
        if text.trim() == "*" {
            return Ok(Vec::new());
        }
        let mut start = 0;
        let ends: Vec<usize> = unescaped(text, ",").chain([text.len()]).collect();
        ends.into_iter()
            .map(|end| {
                let item = text.get(start..end).unwrap_or_default();
                start = end + 1;
                Self::parse(item)
            })
            .collect()
    }

    fn parse(item: &str) -> Result<Self, RuleFault> {
        let (name, glob) = item.split_once('=').ok_or(RuleFault::Arguments)?;
        let (name, glob) = (name.trim(), glob.trim());
        if name.is_empty() || glob.is_empty() {
            return Err(RuleFault::Arguments);
        }
        if glob.len() > LONGEST_GLOB {
            return Err(RuleFault::TooLong);
        }
        let glob = compile(&glob.replace("\\,", ",")).map_err(|_cause| RuleFault::Glob)?;
        Ok(Self { name: name.to_owned(), matcher: glob.compile_matcher(), glob, wide: OnceLock::new() })
    }

    /// Whether the argument meets the condition; an argument that is not given does not.
    pub(super) fn is_met(&self, arguments: &Arguments<'_>, reach: Reach) -> bool {
        let Some(argument) = arguments.get(&self.name) else { return false };
        if argument.is_too_long() {
            return reach == Reach::Widest;
        }
        match reach {
            Reach::Widest => self.may_mean(argument, arguments),
            Reach::Narrowest => !argument.items.is_empty() && argument.items.iter().all(|item| self.means(item)),
        }
    }

    /// Whether the item is matched as it is written, and can hardly be taken for another.
    fn means(&self, item: &Value) -> bool {
        match item {
            Value::String(text) => {
                is_unmistakable(text) && self.matcher.is_match(text.strip_prefix("./").unwrap_or(text))
            }
            Value::Number(_) | Value::Bool(_) => self.matcher.is_match(item.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => false,
        }
    }

    /// Whether an item is matched in any spelling. What nobody can compare counts as matched.
    fn may_mean<'a>(&self, argument: Argument<'a>, arguments: &Arguments<'a>) -> bool {
        let wide = self.wide.get_or_init(|| WidePattern::new(self.glob.glob()));
        let as_written = |item: &Value| match item {
            Value::String(text) => self.matcher.is_match(text),
            Value::Number(number) if is_nearest(number, wide.float) => true,
            other => self.matcher.is_match(other.to_string()),
        };
        let spelled = |item: &Spelled| item.as_ref().is_none_or(|all| all.iter().any(|text| wide.matches(text)));
        argument.items.iter().any(as_written) || arguments.spelled(argument).iter().any(spelled)
    }
}

/// Whether a number that may have lost digits when it was read is the nearest to the one that is meant.
fn is_nearest(number: &Number, meant: Option<f64>) -> bool {
    number.is_f64() && meant.is_some() && number.as_f64() == meant
}
