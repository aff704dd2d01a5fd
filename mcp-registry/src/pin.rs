//! What the user approved, and what has changed since.

mod archive;
mod baseline;
mod changes;
mod compare;
mod difference;
mod drift;
mod standing;
mod store;
mod surface;
mod tool;

pub use self::baseline::Baseline;
pub use self::difference::Difference;
pub use self::drift::{Basis, Drift, DriftEntry, DriftKind, Instructions, Pin};
pub use self::standing::{PinPolicy, Standing, UnknownPinPolicy};
pub use self::store::{MemoryPins, PinStore};
pub use self::surface::Surface;
