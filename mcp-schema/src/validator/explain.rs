//! Says what a validation error means.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde_json::Value;

use super::Violation;

/// Characters of a found value that are shown.
const LONGEST_VALUE: usize = 80;

/// Values of an enum that are listed.
const MOST_OPTIONS: usize = 20;

/// The violations behind one error. A union that fails is explained by the branch that came closest.
pub(super) fn violations(error: &ValidationError<'_>) -> Vec<Violation> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            match closest(context, error) {
                Some(branch) => branch.iter().flat_map(violations).collect(),
                None => vec![violation(error, union_types(context))],
            }
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|name| Violation {
                path: crate::pointer::join(error.instance_path().as_str(), name),
                expected: "no property of this name".to_owned(),
                got: error.instance().get(name).map_or_else(|| "one".to_owned(), shorten),
            })
            .collect(),
        kind => vec![violation(error, expectation(kind, error))],
    }
}

fn violation(error: &ValidationError<'_>, expected: String) -> Violation {
    let missing = matches!(error.kind(), ValidationErrorKind::Required { .. });
    let got = if missing { "none".to_owned() } else { shorten(error.instance()) };
    Violation { path: error.instance_path().to_string(), expected, got }
}

/// The branch whose errors lie deeper than the union itself: it fits the value's type and its tags.
fn closest<'a>(
    context: &'a [Vec<ValidationError<'static>>],
    error: &ValidationError<'_>,
) -> Option<&'a Vec<ValidationError<'static>>> {
    let here = error.instance_path().as_str();
    let is_fitting = |branch: &&Vec<ValidationError<'static>>| {
        !branch.is_empty()
            && !branch.iter().any(|inner| {
                let tags = matches!(
                    inner.kind(),
                    ValidationErrorKind::Type { .. }
                        | ValidationErrorKind::Constant { .. }
                        | ValidationErrorKind::Enum { .. }
                );
                tags && (inner.instance_path().as_str() == here
                    || !matches!(inner.kind(), ValidationErrorKind::Type { .. }))
            })
    };
    let mut fitting = context.iter().filter(is_fitting);
    let first = fitting.next();
    if let (Some(only), None) = (first, fitting.next()) {
        return Some(only);
    }
    None
}

fn union_types(context: &[Vec<ValidationError<'static>>]) -> String {
    let mut options: Vec<String> = Vec::new();
    for error in context.iter().flatten() {
        let option = expectation(error.kind(), error);
        if !options.contains(&option) && options.len() < MOST_OPTIONS {
            options.push(option);
        }
    }
    if options.is_empty() { "one of several forms".to_owned() } else { options.join(", or ") }
}

fn expectation(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    match kind {
        ValidationErrorKind::Type { kind } => type_names(kind),
        ValidationErrorKind::Enum { options } => options_text(options),
        ValidationErrorKind::Constant { expected_value } => expected_value.to_string(),
        ValidationErrorKind::Required { property } => format!("the property {property}"),
        ValidationErrorKind::Minimum { limit } => format!("at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::AdditionalItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::MinProperties { limit } => format!("at least {limit} properties"),
        ValidationErrorKind::MaxProperties { limit } => format!("at most {limit} properties"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        ValidationErrorKind::Pattern { pattern } => format!("text that matches `{pattern}`"),
        ValidationErrorKind::UniqueItems => "items that differ from each other".to_owned(),
        ValidationErrorKind::FalseSchema => "nothing at all".to_owned(),
        ValidationErrorKind::OneOfMultipleValid { .. } => "exactly one of the forms to hold, not several".to_owned(),
        ValidationErrorKind::Contains => "an item of the kind the schema asks for".to_owned(),
        ValidationErrorKind::PropertyNames { error } => {
            format!("a property name that is {}", expectation(error.kind(), error))
        }
        ValidationErrorKind::Not { schema } => format!("anything but {}", shorten(schema)),
        _ => format!("what `{}` demands", error.kind().keyword()),
    }
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(name) => name.to_string(),
        TypeKind::Multiple(names) => names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" or "),
    }
}

fn options_text(options: &Value) -> String {
    let listed: Vec<String> =
        options.as_array().into_iter().flatten().take(MOST_OPTIONS).map(Value::to_string).collect();
    format!("one of {}", listed.join(", "))
}

/// A value as JSON, cut to a readable length.
fn shorten(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= LONGEST_VALUE {
        return text;
    }
    text.chars().take(LONGEST_VALUE).chain(['…']).collect()
}
