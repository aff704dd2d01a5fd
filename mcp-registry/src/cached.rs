//! What is made from a snapshot, made once.

use std::sync::Arc;

use crate::snapshot::Snapshot;

/// A value that is made from a snapshot and kept until another snapshot is shown.
///
/// ```
/// use mcp_registry::{Cached, NameStyle, Registry};
///
/// let registry = Registry::new(NameStyle::default());
/// let mut cached = Cached::default();
/// let mut made = 0;
/// for _ in 0..3 {
///     assert_eq!(*cached.of(&registry.snapshot(), |snapshot| { made += 1; snapshot.len() }), 0);
/// }
/// assert_eq!(made, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Cached<T> {
    held: Option<(Snapshot, Arc<T>)>,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self { held: None }
    }
}

impl<T> Cached<T> {
    /// Returns the value for this snapshot; makes it if the last one was for another.
    pub fn of(&mut self, snapshot: &Snapshot, make: impl FnOnce(&Snapshot) -> T) -> Arc<T> {
        match &self.held {
            Some((held, value)) if held.is_same(snapshot) => Arc::clone(value),
            _ => {
                let value = Arc::new(make(snapshot));
                self.held = Some((snapshot.clone(), Arc::clone(&value)));
                value
            }
        }
    }
}
