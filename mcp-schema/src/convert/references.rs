//! References that resolving left: recursion, and definitions too large to repeat.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Value, json};

use super::{At, LARGEST_UNROLLING, Lowered, Lowering, notes::Notes};
use crate::{
    codec::Step,
    definitions,
    json::{self, Object},
    keyword, merge,
    profile::Recursion,
    report::LossKind,
};

/// References that are written out inside each other: with `unroll_depth` for each, many recursive definitions would
/// still nest as deep as there are definitions.
const DEEPEST_UNROLLING: usize = 8;

impl Lowering<'_> {
    /// Rewrites a schema with a `$ref`.
    pub(super) fn reference(&mut self, mut entries: Object, at: &At) -> Lowered {
        let name = entries.get("$ref").and_then(definitions::target).map(str::to_owned);
        let name = name.map(|name| if name.is_empty() { self.root_name.clone() } else { name });
        let originals = Arc::clone(&self.originals);
        let Some((name, body)) = name.and_then(|name| originals.get_key_value(&name)) else {
            self.lose(LossKind::Widened, at, "$ref", "the reference leads nowhere");
            return self.anything(&Object::new());
        };
        entries.shift_remove("$ref");
        if self.keeps_reference(name, at) && !entries.keys().any(|word| keyword::is_assertion(word)) {
            return self.keep(name, &entries);
        }
        let depth = self.unrolling.iter().filter(|unrolling| *unrolling == name).count();
        if depth >= self.profile.references.unroll_depth
            || self.unrolling.len() >= DEEPEST_UNROLLING
            || self.written > LARGEST_UNROLLING
        {
            return self.cut(body, entries, at);
        }
        self.unrolling.push(name.clone());
        let unfolded = if entries.is_empty() {
            Cow::Borrowed(body)
        } else {
            Cow::Owned(merge::join(entries, vec![body.clone()], &mut self.intersect))
        };
        let lowered = self.lower(&unfolded, &At { is_root: false, ..at.clone() });
        self.unrolling.pop();
        lowered
    }

    fn keeps_reference(&self, name: &str, at: &At) -> bool {
        let rules = &self.profile.references;
        let is_recursive = || self.recursive.contains(name);
        rules.allowed
            && !at.is_root
            && (self.profile.unions.references || !at.in_union)
            && match rules.recursion {
                Recursion::Keep => true,
                Recursion::OptionalOnly => at.is_optional || !is_recursive(),
                Recursion::Unroll => !is_recursive(),
            }
    }

    fn keep(&mut self, name: &str, annotations: &Object) -> Lowered {
        if !self.referred.iter().any(|referred| referred == name) {
            self.referred.push(name.to_owned());
            self.pending.push_back(name.to_owned());
        }
        self.references += 1;
        let reference = json!({ "$ref": format!("#/$defs/{name}") });
        let mut out: Object = annotations
            .iter()
            .filter(|(word, _)| self.profile.accepts(word))
            .map(|(w, v)| (w.clone(), v.clone()))
            .collect();
        out.shift_remove("default");
        let schema = match (out.is_empty(), self.profile.references.siblings) {
            (true, _) => reference,
            (false, true) => {
                out.extend(reference.as_object().cloned().unwrap_or_default());
                Value::Object(out)
            }
            // A description beside a reference would be refused, so the reference moves one level down.
            (false, false) => {
                out.insert("anyOf".to_owned(), json!([reference]));
                Value::Object(out)
            }
        };
        // Where no value is ever sent in another form, the definition's step is known before it is written.
        let step = if self.may_translate() { Step::Definition(name.to_owned()) } else { Step::Same };
        Lowered { schema, step }
    }

    /// Whether a definition may have values that are sent in another form.
    fn may_translate(&self) -> bool {
        self.translates() || self.profile.types.required || self.profile.limits.nesting.is_some()
    }

    /// Ends the recursion with everything that the type of the schema allows.
    fn cut(&mut self, body: &Value, annotations: Object, at: &At) -> Lowered {
        let depth = self.profile.references.unroll_depth;
        self.lose(LossKind::Widened, at, "$ref", format!("the recursion is cut after {depth} levels"));
        let mut open: Object = annotations.into_iter().filter(|(word, _)| keyword::is_annotation(word)).collect();
        let names = body.as_object().and_then(json::types).unwrap_or_default();
        if names.is_empty() {
            return self.anything(&open);
        }
        open.insert("type".to_owned(), json::type_value(&names));
        let mut notes = Notes::default();
        let mut lowered = self.shape(&open, &At { is_root: false, ..at.clone() }, &mut notes);
        self.describe(&mut lowered.schema, notes, at);
        lowered
    }
}
