//! Keywords whose value has the wrong form.

use serde_json::{Number, Value, json};

use crate::{
    dialect::Dialect,
    json::{self, Distinct, Object},
    patterns,
};

/// What becomes of a keyword's value.
pub(super) enum Checked {
    Fine,
    Changed(Value, &'static str),
    Dropped(&'static str),
}

/// Checks the value of a keyword that holds no schemas.
pub(super) fn checked(word: &str, value: &Value, dialect: Dialect) -> Checked {
    match word {
        "type" => types(value),
        "required" => required(value, dialect),
        "enum" => match value {
            Value::Array(_) => Checked::Fine,
            Value::Object(_) | Value::Null => Checked::Dropped("the value is not a list"),
            single => Checked::Changed(json!([single]), "one value stands where a list belongs"),
        },
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
        | "maxContains" => {
            number(value, |number| json::is_integer(number) && number.as_f64().is_some_and(|number| number >= 0.0))
        }
        "minimum" | "maximum" => number(value, |_| true),
        "multipleOf" => number(value, |number| number.as_f64().is_some_and(|number| number > 0.0)),
        "exclusiveMinimum" | "exclusiveMaximum" if !value.is_boolean() => number(value, |_| true),
        "uniqueItems" if !value.is_boolean() => Checked::Dropped("the value is not a boolean"),
        "pattern" | "format" | "title" | "description" | "$ref" | "$dynamicRef" | "$recursiveRef" | "$id"
        | "$schema" | "$comment" | "$anchor" | "$dynamicAnchor"
            if !value.is_string() =>
        {
            Checked::Dropped("the value is not a string")
        }
        "pattern" if !value.as_str().is_some_and(patterns::is_valid) => {
            Checked::Dropped("the pattern is not a regular expression")
        }
        "dependentRequired" => dependent_required(value),
        _ => Checked::Fine,
    }
}

fn dependent_required(value: &Value) -> Checked {
    let names = |(key, value): (&String, &Value)| {
        let names =
            value.as_array()?.iter().map(|name| name.is_string().then_some(name)).collect::<Option<Vec<_>>>()?;
        Some((key.clone(), each_once(names)))
    };
    let lists = value.as_object().and_then(|map| map.iter().map(names).collect::<Option<Object>>());
    match lists.map(Value::Object) {
        None => Checked::Dropped("the value is not an object of lists of names"),
        Some(lists) if lists == *value => Checked::Fine,
        Some(lists) => Checked::Changed(lists, "a name is listed twice"),
    }
}

fn each_once<'a>(names: impl IntoIterator<Item = &'a Value>) -> Value {
    names.into_iter().cloned().collect::<Distinct>().into_values().into()
}

fn types(value: &Value) -> Checked {
    let names: Vec<&Value> = match value {
        Value::Array(names) => names.iter().collect(),
        single => vec![single],
    };
    let is_plain = |name: &&Value| name.as_str().is_some_and(|name| type_name(name) == Some(name));
    let mut known: Vec<&str> = Vec::new();
    for name in names.iter().filter_map(|name| type_name(name.as_str()?)) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    if names.iter().all(is_plain) && known.len() == names.len() && !known.is_empty() {
        return Checked::Fine;
    }
    let reason = "the value is not a type of JSON Schema";
    // One name that could be anything makes the whole list say nothing.
    let is_known = names.iter().all(|name| name.as_str().is_some_and(|name| type_name(name).is_some()));
    if known.is_empty() || !is_known {
        return Checked::Dropped(reason);
    }
    Checked::Changed(json::type_value(&known), reason)
}

/// The type a name means: the seven of JSON Schema, and what other languages call them.
pub(super) fn type_name(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "string" | "str" | "text" => "string",
        "integer" | "int" | "long" => "integer",
        "number" | "float" | "double" | "decimal" => "number",
        "boolean" | "bool" => "boolean",
        "array" | "list" | "tuple" => "array",
        "object" | "dict" | "map" => "object",
        "null" | "none" | "nil" => "null",
        _ => return None,
    })
}

fn required(value: &Value, dialect: Dialect) -> Checked {
    match value {
        Value::Array(names) if names.is_empty() && dialect == Dialect::Draft4 => {
            Checked::Dropped("draft 4 has no empty `required`")
        }
        Value::Array(names) => {
            let strings = each_once(names.iter().filter(|name| name.is_string()));
            if strings == *value {
                Checked::Fine
            } else {
                Checked::Changed(strings, "the list holds what is no name, or a name twice")
            }
        }
        Value::String(name) => Checked::Changed(json!([name]), "one name stands where a list belongs"),
        _ => Checked::Dropped("the value is not a list of names"),
    }
}

fn number(value: &Value, is_fine: impl Fn(&Number) -> bool) -> Checked {
    match value {
        Value::Number(number) if is_fine(number) => Checked::Fine,
        Value::String(text) => match serde_json::from_str::<Number>(text.trim()) {
            Ok(number) if is_fine(&number) => {
                Checked::Changed(Value::Number(number), "a number is written as a string")
            }
            _ => Checked::Dropped("the value is not a number that fits"),
        },
        _ => Checked::Dropped("the value is not a number that fits"),
    }
}
