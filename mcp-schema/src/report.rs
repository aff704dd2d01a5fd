//! What a pass or a conversion changed, and in which direction.

use std::collections::BTreeSet;

use serde::Serialize;

/// The direction in which a change moves the set of accepted instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LossKind {
    /// An invalid schema was made valid; what its author meant is a guess.
    Repaired,
    /// The result accepts more than the original. Harmless: the original is still validated before a call.
    Widened,
    /// The result refuses something the original accepts, because the profile forces it.
    Narrowed,
}

/// One keyword whose meaning did not survive whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Loss {
    /// Which way the meaning moved.
    pub kind: LossKind,
    /// The schema that had the keyword, as a JSON pointer into the resolved schema.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// Why, in a few words.
    pub reason: String,
}

/// Everything a pass or a conversion lost, in the order of the schema.
///
/// ```
/// use mcp_schema::{Limits, Profile, Schema, convert};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"n": {"type": "string", "minLength": 2}}, "required": ["n"]});
/// let schema = Schema::parse(schema, Limits::default())?;
/// let profile = Profile::builtin("anthropic-strict").expect("a built-in profile");
/// let report = convert(&schema, &profile).report;
/// assert!(report.losses.iter().any(|loss| loss.keyword == "minLength"));
/// # Ok::<(), mcp_schema::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// The losses.
    pub losses: Vec<Loss>,
}

impl Report {
    /// Whether nothing was lost: the result accepts exactly what the original accepts.
    pub fn is_lossless(&self) -> bool {
        self.losses.is_empty()
    }

    /// The worst kind of loss: `Narrowed` before `Widened` before `Repaired`.
    pub fn worst(&self) -> Option<LossKind> {
        self.losses.iter().map(|loss| loss.kind).max()
    }

    /// Whether the result refuses something the original accepts.
    pub fn is_narrowed(&self) -> bool {
        self.worst() == Some(LossKind::Narrowed)
    }

    pub(crate) fn push(&mut self, kind: LossKind, pointer: &str, keyword: &str, reason: impl Into<String>) {
        self.losses.push(Loss {
            kind,
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            reason: reason.into(),
        });
    }

    /// Says everything once: a subschema that is looked at twice loses the same thing twice.
    pub(crate) fn without_repetitions(mut self) -> Self {
        let mut seen = BTreeSet::new();
        self.losses.retain(|loss| seen.insert(loss.clone()));
        self
    }
}
