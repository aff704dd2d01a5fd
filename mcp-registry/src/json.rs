//! Reading JSON that somebody else wrote.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Reads a value from an object. A derived `Deserialize` alone would take an array for one, member by member.
pub(crate) fn from_object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, serde_json::Error> {
    if raw.get().starts_with('{') {
        serde_json::from_str(raw.get())
    } else {
        Err(serde_json::Error::custom("the value is no object"))
    }
}

/// The members of a JSON object in their order, each as it is written. A name that stands twice is kept twice: a parser that
/// takes the last would lose the rules under the first.
#[derive(Debug, Default)]
pub(crate) struct Members(pub(crate) Vec<(String, Box<RawValue>)>);

/// As [`Members`], of a text that outlives them.
#[derive(Debug, Default)]
pub(crate) struct BorrowedMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs(PhantomData)).map(Members)
    }
}

/// Reads a map as a list of pairs.
struct Pairs<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Pairs<K, V> {
    type Value = Vec<(K, V)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

impl Members {
    pub(crate) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a RawValue> {
        self.iter().filter(move |(member, _)| *member == name).map(|(_, value)| value)
    }
}

impl<'a> BorrowedMembers<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let members = deserializer.deserialize_map(Pairs(PhantomData))?;
        deserializer.end()?;
        Ok(Self(members))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The value of a name that stands in the object once.
    pub(crate) fn only(&self, name: &str) -> Option<&'a RawValue> {
        let mut found = self.iter().filter(|(member, _)| *member == name).map(|(_, value)| value);
        found.next().filter(|_| found.next().is_none())
    }
}
