//! A JSON document of which single members are changed while all others keep their bytes.

use serde_json::value::RawValue;

use crate::error::Error;
use crate::json::Members;
use crate::rules::source::{Binding, Tier};

impl Members {
    /// Returns the one member of this name, none if there is none.
    fn one(&self, name: &str, pointer: &str) -> Result<Option<&RawValue>, Error> {
        let mut values = self.iter().filter(|(member, _)| *member == name).map(|(_, value)| value);
        let value = values.next().filter(|value| value.get() != "null");
        if values.next().is_some() {
            return Err(Error::SettingsShape { pointer: pointer.to_owned(), expected: "one member, not several" });
        }
        Ok(value)
    }

    /// Returns the members of an object in this one; an absent one is empty.
    pub(super) fn object(&self, name: &str, pointer: &str) -> Result<Self, Error> {
        let Some(value) = self.one(name, pointer)? else { return Ok(Self::default()) };
        let shape = |_cause| Error::SettingsShape { pointer: pointer.to_owned(), expected: "an object" };
        Self::parse(value.get()).map_err(shape)
    }

    pub(super) fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(member, _)| member == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    fn remove(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(member, _)| member != name);
        self.0.len() < before
    }

    /// Writes the object over several lines, two spaces for each level.
    pub(super) fn print(&self, level: usize) -> Box<RawValue> {
        let lines = self.0.iter().map(|(name, value)| format!("{}: {}", quote(name), value.get()));
        print_block(['{', '}'], lines, level)
    }

    /// Records that an allow rule was made for a definition. Returns whether that is news.
    pub(super) fn bind(&mut self, rule: &str, binding: &Binding) -> Result<bool, Error> {
        let mut definitions = self.object("definitions", DEFINITIONS)?;
        let mut bound = definitions.object(rule, DEFINITIONS)?;
        let value = raw(quote(&binding.definition));
        if bound.one(&binding.server, DEFINITIONS)?.is_some_and(|known| known.get() == value.get()) {
            return Ok(false);
        }
        bound.set(&binding.server, value);
        definitions.set(rule, bound.print(3));
        self.set("definitions", definitions.print(2));
        Ok(true)
    }

    /// Forgets which definitions a rule was made for. Returns whether there were any.
    pub(super) fn unbind(&mut self, rule: &str) -> Result<bool, Error> {
        let mut definitions = self.object("definitions", DEFINITIONS)?;
        let removed = definitions.remove(rule);
        if removed {
            self.set("definitions", definitions.print(2));
        }
        Ok(removed)
    }

    /// Whether a tier's value is something other than a list.
    pub(super) fn holds_no_list(&self, tier: Tier) -> bool {
        self.all(tier.as_str()).any(|value| !value.get().starts_with('[') && value.get() != "null")
    }

    /// Removes a tier's value if it is written like this. Returns whether it was.
    pub(super) fn forget_whole(&mut self, tier: Tier, text: &str) -> bool {
        self.all(tier.as_str()).any(|value| value.get() == text) && self.remove(tier.as_str())
    }
}

const DEFINITIONS: &str = "/permissions/definitions";

/// The entries of one tier, each as it is written.
#[derive(Debug)]
pub(super) struct List(Vec<Box<RawValue>>);

impl List {
    pub(super) fn of(permissions: &Members, tier: Tier) -> Result<Self, Error> {
        let pointer = format!("/permissions/{}", tier.as_str());
        let Some(value) = permissions.one(tier.as_str(), &pointer)? else { return Ok(Self(Vec::new())) };
        let items = serde_json::from_str(value.get());
        items.map(Self).map_err(|_cause| Error::SettingsShape { pointer, expected: "an array" })
    }

    /// Adds a rule. Returns whether it was not there.
    pub(super) fn add(&mut self, rule: &str) -> bool {
        let missing = !self.0.iter().any(|item| is_rule(item, rule));
        if missing {
            self.0.push(raw(quote(rule)));
        }
        missing
    }

    /// Removes a rule. Returns whether it was there.
    pub(super) fn remove(&mut self, rule: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|item| !is_rule(item, rule));
        self.0.len() < before
    }

    pub(super) fn store(&self, permissions: &mut Members, tier: Tier) {
        let lines = self.0.iter().map(|item| item.get().to_owned());
        permissions.set(tier.as_str(), print_block(['[', ']'], lines, 2));
    }
}

/// Whether an entry is written like this: a string by its text, anything else by its JSON.
fn is_rule(item: &RawValue, rule: &str) -> bool {
    match serde_json::from_str::<String>(item.get()) {
        Ok(text) => text.trim() == rule.trim(),
        Err(_) => item.get() == rule,
    }
}

fn print_block([open, close]: [char; 2], lines: impl Iterator<Item = String>, level: usize) -> Box<RawValue> {
    let indent = "  ".repeat(level);
    let lines: Vec<String> = lines.map(|line| format!("{indent}  {line}")).collect();
    raw(if lines.is_empty() {
        format!("{open}{close}")
    } else {
        format!("{open}\n{}\n{indent}{close}", lines.join(",\n"))
    })
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("text serialises")
}

fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("what was put together from valid JSON is valid JSON")
}
