//! Baselines where the place for state cannot be believed.

use mcp_config::Problem;
use mcp_registry::{Baseline, MemoryPins, PinStore};

use super::Cause;

/// Remembers for as long as the process lasts, so that what a server changes meanwhile is noticed, and says each time that
/// nothing is kept.
#[derive(Debug)]
pub(super) struct RefusedPins {
    memory: MemoryPins,
    problem: Problem,
}

impl RefusedPins {
    pub(super) fn new(problem: Problem) -> Self {
        Self { memory: MemoryPins::default(), problem }
    }
}

impl PinStore for RefusedPins {
    fn load(&self, key: &str) -> Result<Option<Baseline>, Cause> {
        self.memory.load(key)
    }

    fn save(&mut self, key: &str, baseline: &Baseline) -> Result<(), Cause> {
        self.memory.save(key, baseline)?;
        Err(Box::new(self.problem.clone()))
    }

    fn forget(&mut self, key: &str) -> Result<(), Cause> {
        self.memory.forget(key)
    }
}
