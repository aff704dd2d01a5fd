//! Reading JSON that somebody else wrote.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

/// Reads a value from an object. A derived `Deserialize` alone would take an array for one, member by member.
pub(crate) fn from_object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, serde_json::Error> {
    if raw.get().starts_with('{') {
        serde_json::from_str(raw.get())
    } else {
        Err(serde_json::Error::custom("the value is no object"))
    }
}
