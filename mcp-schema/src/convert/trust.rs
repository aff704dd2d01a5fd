//! Keywords that stand or fall with what becomes of other subschemas.
//!
//! Below `not`, `oneOf` and the like, accepting more means refusing more above, so they are kept only if everything below
//! them survives whole. What a reference leads to is written later: it is trusted to lose nothing, and if it does after all,
//! everything is written once more without trust.

use std::sync::Arc;

use serde_json::Value;

use super::{At, Lowering};
use crate::{
    report::{Loss, LossKind},
    schema::Schema,
};

/// How far a conversion has come; what has happened since is what became of one subschema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) losses: usize,
    references: usize,
}

impl Lowering<'_> {
    /// Whether a definition lost something after all, besides what the schema had lost before.
    pub(super) fn trusted_in_vain(&self, schema: &Schema) -> bool {
        let is_lost = |loss: &Loss| loss.kind != LossKind::Repaired && loss.pointer.starts_with("/$defs/");
        self.relies && self.report.losses.iter().skip(schema.report().losses.len()).any(is_lost)
    }

    /// Forgets what was written, and trusts no definition any more.
    pub(super) fn start_again(&mut self, schema: &Schema) {
        *self = Self {
            profile: self.profile,
            originals: Arc::clone(&self.originals),
            root_name: std::mem::take(&mut self.root_name),
            recursive: std::mem::take(&mut self.recursive),
            trusts: false,
            ..Self::empty(schema, self.profile)
        };
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { losses: self.report.losses.len(), references: self.references }
    }

    /// Whether a subschema lost nothing since the mark, nor does by a reference.
    pub(super) fn is_whole_since(&mut self, mark: Mark) -> bool {
        if self.references > mark.references {
            self.relies |= self.trusts;
            return self.trusts && self.report.losses.len() == mark.losses;
        }
        self.report.losses.len() == mark.losses
    }

    /// Drops `unevaluatedProperties` and `unevaluatedItems` when anything was lost beside them: what no longer
    /// evaluates a property would leave it to them, and they would refuse it.
    pub(super) fn open_again(&mut self, schema: &mut Value, before: Mark, at: &At) {
        let Value::Object(entries) = schema else { return };
        for word in ["unevaluatedProperties", "unevaluatedItems"] {
            if entries.contains_key(word) && !self.is_whole_since(before) {
                entries.shift_remove(word);
                self.lose(LossKind::Widened, at, word, "what the other keywords evaluate has changed");
            }
        }
    }
}
