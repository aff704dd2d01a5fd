//! What follows when a server is not as it was approved.

use crate::pin::baseline::{Baseline, PinnedText};
use crate::pin::changes::{Changed, changes};
use crate::pin::drift::{Basis, Drift, DriftEntry, DriftKind, Instructions, Pin};
use crate::pin::standing::{PinPolicy, Standing};
use crate::pin::surface::{Named, Surface};
use crate::tool::Tool;

impl Baseline {
    /// Compares what a server offers now with what was approved. What follows is the policy's to say; under
    /// [`PinPolicy::Hold`]:
    ///
    /// 1. A tool whose words changed is offered in the approved ones, and calls itself read-only only if it did then and does
    ///    now.
    /// 2. Any other tool that changed, a new one, and one whose approved words are not kept, is not offered.
    /// 3. Changed instructions are the approved ones, new ones are none.
    ///
    /// Changed prompts are told of. If the server is defined otherwise than it was when it was approved, nothing of the
    /// baseline holds, and every tool is as one that is new.
    pub fn compare(&self, definition: &str, surface: Surface<'_>, policy: PinPolicy) -> Drift {
        if self.definition != definition {
            return Drift::without_basis(Basis::Redefined, surface, policy);
        }
        let now = Named::from(surface);
        // Most servers say the same at every start, to the byte.
        if self.surface == now.digest() {
            return Drift::default();
        }
        if self.tools.is_none() {
            return Drift::unknown(surface, policy);
        }
        let mut comparison = Comparison { baseline: self, now: &now, policy, drift: Drift::default() };
        for changed in changes(self, &now) {
            comparison.add(changed);
        }
        comparison.drift
    }
}

struct Comparison<'a> {
    baseline: &'a Baseline,
    now: &'a Named<'a>,
    policy: PinPolicy,
    drift: Drift,
}

impl Comparison<'_> {
    fn add(&mut self, Changed { pin, kind }: Changed) {
        let standing = match &pin {
            _ if kind == DriftKind::Removed => Standing::Noted,
            Pin::Tool(name) => self.tool(name, kind),
            Pin::Instructions if self.policy == PinPolicy::Hold => self.held_instructions(),
            // Nothing of ours tells a model of prompts.
            Pin::Instructions | Pin::Prompt(_) => Standing::Noted,
        };
        self.drift.entries.push(DriftEntry { pin, kind, standing });
    }

    fn tool(&mut self, name: &str, kind: DriftKind) -> Standing {
        let words = self.in_approved_words(name, kind);
        let standing = if words.is_some() { Standing::Reworded } else { self.policy.standing() };
        self.drift.words.extend(words.map(|tool| (name.to_owned(), tool)));
        self.drift.standings.insert(name.to_owned(), standing);
        standing
    }

    /// Returns a tool in its approved words, if they are wanted, kept, and fit it.
    fn in_approved_words(&self, name: &str, kind: DriftKind) -> Option<Tool> {
        let fits = matches!(kind, DriftKind::Reworded | DriftKind::BecameReadOnly);
        let pinned = self.baseline.tools.as_ref()?.get(name).filter(|_| fits && self.policy == PinPolicy::Hold)?;
        pinned.in_approved_words(self.now.tools.get(name)?)
    }

    fn held_instructions(&mut self) -> Standing {
        let approved = self.baseline.instructions.as_ref().and_then(PinnedText::text);
        let standing = if approved.is_some() { Standing::Reworded } else { Standing::Held };
        self.drift.instructions = approved.map_or(Instructions::Held, |text| Instructions::Approved(text.to_owned()));
        standing
    }
}
