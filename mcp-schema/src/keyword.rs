//! Where a schema has subschemas, per dialect: the one table every walk goes by.
//!
//! A walk must never take "any object" for a schema: `enum`, `const`, `default` and `examples` hold data, and a
//! property may be called `$ref` or `type`.

use std::borrow::Cow;

use serde_json::Value;

use crate::{dialect::Dialect, json::Object};

/// What kind of value a keyword has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One subschema.
    Schema,
    /// An array of subschemas.
    List,
    /// An object whose values are subschemas.
    Map,
    /// Anything else.
    Data,
}

/// The shape of a keyword in 2020-12, the dialect of every normalised schema.
pub(crate) fn shape(keyword: &str) -> Shape {
    match keyword {
        "additionalProperties"
        | "propertyNames"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Shape::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Shape::List,
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" => Shape::Map,
        _ => Shape::Data,
    }
}

/// The shape of a keyword in the dialect it is written in, given its value.
pub(crate) fn shape_in(dialect: Dialect, keyword: &str, value: &Value) -> Shape {
    match keyword {
        "definitions" => Shape::Map,
        "dependencies" if dialect <= Dialect::Draft7 => Shape::Map,
        "additionalItems" if dialect <= Dialect::Draft201909 => Shape::Schema,
        "items" if value.is_array() => Shape::List,
        _ if dialect.knows(keyword) => shape(keyword),
        _ => Shape::Data,
    }
}

/// A subschema, with the keyword it stands below and its token there: the key of a map or the index of a list.
pub(crate) type Child<'a> = (&'a str, Option<Cow<'a, str>>, &'a Value);

/// The direct subschemas of a normalised schema.
pub(crate) fn children(schema: &Object) -> impl Iterator<Item = Child<'_>> {
    schema.iter().flat_map(|(keyword, value)| below(keyword, shape(keyword), value))
}

/// The subschemas below one keyword.
pub(crate) fn below<'a>(keyword: &'a str, shape: Shape, value: &'a Value) -> impl Iterator<Item = Child<'a>> {
    let single = (shape == Shape::Schema).then_some((keyword, None, value));
    let items = value.as_array().filter(|_| shape == Shape::List).into_iter().flatten().enumerate();
    let entries = value.as_object().filter(|_| shape == Shape::Map).into_iter().flatten();
    single
        .into_iter()
        .chain(items.map(move |(index, item)| (keyword, Some(Cow::Owned(index.to_string())), item)))
        .chain(entries.map(move |(key, entry)| (keyword, Some(Cow::Borrowed(key.as_str())), entry)))
}

/// Rebuilds one keyword's value with every direct subschema replaced by `change`, which is told where it stands.
pub(crate) fn rebuild(keyword: &str, value: &Value, change: &mut dyn FnMut(Option<&str>, &Value) -> Value) -> Value {
    match (shape(keyword), value) {
        (Shape::Schema, _) => change(None, value),
        (Shape::List, Value::Array(items)) => {
            items.iter().enumerate().map(|(index, item)| change(Some(&index.to_string()), item)).collect()
        }
        (Shape::Map, Value::Object(entries)) => {
            Value::Object(entries.iter().map(|(key, entry)| (key.clone(), change(Some(key), entry))).collect())
        }
        _ => value.clone(),
    }
}

/// Lets `change` rewrite every direct subschema of one keyword's value.
pub(crate) fn for_each_mut(keyword: &str, value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match (shape(keyword), value) {
        (Shape::Schema, value) => change(value),
        (Shape::List, Value::Array(items)) => items.iter_mut().for_each(change),
        (Shape::Map, Value::Object(entries)) => entries.values_mut().for_each(change),
        _ => {}
    }
}

/// Whether a keyword applies its subschemas to the very instance it is applied to.
pub(crate) fn is_in_place(keyword: &str) -> bool {
    matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas")
}

/// Whether a keyword only describes, so that removing it changes no verdict.
pub(crate) fn is_annotation(keyword: &str) -> bool {
    !is_assertion(keyword)
}

/// Whether a keyword of 2020-12 can change a verdict. `format` counts: some validators assert it.
pub(crate) fn is_assertion(keyword: &str) -> bool {
    is_validation(keyword)
        || matches!(keyword, "format" | "$ref" | "$dynamicRef" | "minContains" | "maxContains")
        || (shape(keyword) != Shape::Data && !matches!(keyword, "$defs" | "contentSchema"))
}

/// The keywords of the 2020-12 validation vocabulary.
pub(crate) fn is_validation(keyword: &str) -> bool {
    matches!(
        keyword,
        "type"
            | "enum"
            | "const"
            | "multipleOf"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "minLength"
            | "maxLength"
            | "pattern"
            | "minItems"
            | "maxItems"
            | "uniqueItems"
            | "minContains"
            | "maxContains"
            | "minProperties"
            | "maxProperties"
            | "required"
            | "dependentRequired"
    )
}

/// Whether a keyword can matter for values of these types; a bound on numbers says nothing about objects.
pub(crate) fn speaks_about<Name: AsRef<str>>(keyword: &str, types: &[Name]) -> bool {
    let is_meant = |subject: &str, name: &str| name == subject || (name == "integer" && subject == "number");
    subject(keyword).is_none_or(|subject| types.iter().any(|name| is_meant(subject, name.as_ref())))
}

/// The type of instance a keyword speaks about; `None` when it speaks about all of them.
pub(crate) fn subject(keyword: &str) -> Option<&'static str> {
    match keyword {
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "propertyNames"
        | "required"
        | "dependentRequired"
        | "dependentSchemas"
        | "minProperties"
        | "maxProperties"
        | "unevaluatedProperties" => Some("object"),
        "items" | "prefixItems" | "contains" | "minContains" | "maxContains" | "minItems" | "maxItems"
        | "uniqueItems" | "unevaluatedItems" => Some("array"),
        "pattern" | "minLength" | "maxLength" | "format" | "contentEncoding" | "contentMediaType" => Some("string"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Some("number"),
        _ => None,
    }
}
