//! Which of the calls a model asks for at once may run at once.

use std::ops::Range;

use crate::effect::Effect;

/// Calls that may run at the same time, as positions in the list that was planned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// The positions of the calls, in the model's order.
    pub calls: Range<usize>,
    /// The effect of every call in the batch; a mutating batch holds one call.
    pub effect: Effect,
}

/// Splits the calls of one model turn into batches to run one after the other.
///
/// 1. Neighbouring read-only calls share a batch, and run at the same time.
/// 2. A mutating call is a batch of its own, so nothing runs beside it.
/// 3. Batches keep the model's order, hence a read after a write sees the write; results are reported in call order.
///
/// ```
/// use mcp_registry::{Effect::*, plan_batches};
///
/// let ranges: Vec<_> = plan_batches([ReadOnly, ReadOnly, Mutating, ReadOnly]).into_iter().map(|batch| batch.calls).collect();
/// assert_eq!(ranges, [0..2, 2..3, 3..4]);
/// ```
pub fn plan_batches(effects: impl IntoIterator<Item = Effect>) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (position, effect) in effects.into_iter().enumerate() {
        match batches.last_mut() {
            Some(last) if effect == Effect::ReadOnly && last.effect == Effect::ReadOnly => {
                last.calls.end = position + 1;
            }
            _ => batches.push(Batch { calls: position..position + 1, effect }),
        }
    }
    batches
}
