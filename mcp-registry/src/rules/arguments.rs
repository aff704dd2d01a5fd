//! The arguments of a call, as conditions look at them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use crate::rules::spelling::{Spelling, Surroundings, spellings};

/// Arguments of more bytes, all items of a list together, are not compared: each of many rules would read them.
const LONGEST_COMPARED: usize = 64 * 1024;

/// The arguments of one call. What a text may be taken for is found out once for all rules.
#[derive(Debug)]
pub(super) struct Arguments<'a> {
    value: &'a Value,
    surroundings: &'a Surroundings,
    spelled: RefCell<HashMap<&'a str, Rc<[Spelled]>>>,
}

/// What an item may be taken for; none if there is no telling.
pub(super) type Spelled = Option<Vec<Spelling>>;

/// One argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument<'a> {
    name: &'a str,
    /// The items of a list, or the value alone.
    pub(super) items: &'a [Value],
}

impl<'a> Arguments<'a> {
    pub(super) fn new(value: &'a Value, surroundings: &'a Surroundings) -> Self {
        Self { value, surroundings, spelled: RefCell::default() }
    }

    /// Returns an argument that is given.
    pub(super) fn get(&self, name: &str) -> Option<Argument<'a>> {
        let (name, value) = self.value.as_object()?.get_key_value(name)?;
        let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        (!value.is_null()).then_some(Argument { name, items })
    }

    /// Returns what each item of an argument may be taken for.
    pub(super) fn spelled(&self, argument: Argument<'a>) -> Rc<[Spelled]> {
        let spelled = |item: &Value| match item {
            Value::String(text) => spellings(text, self.surroundings),
            Value::Number(_) | Value::Bool(_) => spellings(&item.to_string(), self.surroundings),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        let mut known = self.spelled.borrow_mut();
        let all = known.entry(argument.name).or_insert_with(|| argument.items.iter().map(spelled).collect());
        Rc::clone(all)
    }
}

impl Argument<'_> {
    /// Whether the argument is too long to be compared.
    pub(super) fn is_too_long(self) -> bool {
        let mut lengths = self.items.iter().map(|item| 1 + item.as_str().map_or(0, str::len));
        lengths.try_fold(LONGEST_COMPARED, usize::checked_sub).is_none()
    }
}
