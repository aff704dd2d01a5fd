//! Keywords that speak about one value.

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::{Value, json};

use super::{Contradiction, Merging};
use crate::json::{self, Object};

/// Up to this many values are looked up one by one.
const FEW: usize = 8;

/// Intersects `type`; an integer is a number.
pub(super) fn types(merging: &mut Merging, right: &Object) -> Result<(), Contradiction> {
    let (ours, theirs) = (json::types(&merging.out), json::types(right));
    let common: Vec<&str> = match (ours, theirs) {
        (_, None) => return Ok(()),
        (None, Some(theirs)) => theirs,
        (Some(ours), Some(theirs)) => {
            let meet = |name: &'_ str| match name {
                "number" if !theirs.contains(&"number") && theirs.contains(&"integer") => Some("integer"),
                "integer" if theirs.contains(&"number") || theirs.contains(&"integer") => Some("integer"),
                other if theirs.contains(&other) => theirs.iter().copied().find(|name| *name == other),
                _ => None,
            };
            let mut common: Vec<&str> = Vec::new();
            for name in ours.into_iter().filter_map(meet) {
                if !common.contains(&name) {
                    common.push(name);
                }
            }
            common
        }
    };
    if common.is_empty() {
        return Err(Contradiction);
    }
    let value = json::type_value(&common);
    merging.out.insert("type".to_owned(), value);
    Ok(())
}

/// Intersects `enum` and `const`.
pub(super) fn values(merging: &mut Merging, right: &Object) -> Result<(), Contradiction> {
    let (ours, theirs) = (allowed(&merging.out), allowed(right));
    let (Some(theirs), is_ours) = (theirs, ours.is_some()) else { return Ok(()) };
    if !is_ours {
        for word in ["const", "enum"] {
            let value = right.get(word).map(|value| (word.to_owned(), value.clone()));
            merging.out.extend(value);
        }
        return Ok(());
    }
    let theirs: BTreeSet<String> = theirs.iter().map(json::canonical).collect();
    let common: Vec<Value> =
        ours.into_iter().flatten().filter(|value| theirs.contains(&json::canonical(value))).collect();
    let is_const = merging.out.contains_key("const") || right.contains_key("const");
    merging.out.shift_remove(if is_const { "enum" } else { "const" });
    match common.as_slice() {
        [] => return Err(Contradiction),
        [value] if is_const => merging.out.insert("const".to_owned(), value.clone()),
        _ => merging.out.insert("enum".to_owned(), Value::Array(common)),
    };
    Ok(())
}

/// The values `enum` and `const` leave, or `None` when neither is there.
pub(crate) fn allowed(schema: &Object) -> Option<Vec<Value>> {
    let listed = schema.get("enum").and_then(Value::as_array);
    match (schema.get("const"), listed) {
        (Some(value), None) => Some(vec![value.clone()]),
        (Some(value), Some(listed)) => {
            Some(listed.iter().filter(|listed| json::equal(listed, value)).cloned().collect())
        }
        (None, Some(listed)) => Some(listed.clone()),
        (None, None) => None,
    }
}

pub(super) fn larger(left: &Value, right: &Value) -> Value {
    pick(left, right, Ordering::Less)
}

pub(super) fn smaller(left: &Value, right: &Value) -> Value {
    pick(left, right, Ordering::Greater)
}

fn pick(left: &Value, right: &Value, loses: Ordering) -> Value {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) if json::compare(a, b) == loses => right.clone(),
        _ => left.clone(),
    }
}

/// Both lists, without repeating what is equal.
pub(super) fn union(left: Value, right: &Value) -> Value {
    let (Value::Array(mut union), Value::Array(right)) = (left, right) else { return right.clone() };
    let missing: Vec<Value> = if right.len() <= FEW {
        right.iter().filter(|value| !union.contains(value)).cloned().collect()
    } else {
        let known: BTreeSet<String> = union.iter().map(Value::to_string).collect();
        right.iter().filter(|value| !known.contains(&value.to_string())).cloned().collect()
    };
    union.extend(missing);
    Value::Array(union)
}

/// `not A` and `not B` is `not (A or B)`.
pub(super) fn either(left: &Value, right: &Value) -> Value {
    if left == right { left.clone() } else { json!({ "anyOf": [left, right] }) }
}

/// The least common multiple of two integers; fractions are left alone, where rounding could lie.
pub(super) fn common_multiple(left: &Value, right: &Value) -> Option<Value> {
    let (left, right) = (left.as_u64()?, right.as_u64()?);
    let divisor = greatest_common_divisor(left, right);
    (left / divisor.max(1)).checked_mul(right).map(Value::from)
}

fn greatest_common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
