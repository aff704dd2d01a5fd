//! JSON with comments and trailing commas.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::text::Lines;
use super::{Member, Node, Value};
use crate::problem::{Problem, ProblemKind, Severity};

/// Comments and trailing commas, and nothing else that JSON does not have: the parser's own defaults accept single
/// quotes, missing commas and bare keys, which every host refuses.
pub(crate) fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

pub(super) fn parse(text: &str) -> Result<Option<Node>, Problem> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options()).map_err(|error| {
        let lines = Lines::new(text);
        Problem::new(Severity::Error, ProblemKind::Syntax, format!("not valid JSON: {}", decapitalise(&error)))
            .at_position(lines.position(error.range().start))
    })?;
    let lines = Lines::new(text);
    Ok(parsed.value.map(|value| node(&value, &lines)))
}

fn decapitalise(error: &jsonc_parser::errors::ParseError) -> String {
    let message = error.kind().to_string();
    let mut characters = message.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn node(value: &ast::Value<'_>, lines: &Lines<'_>) -> Node {
    let position = lines.position(value.range().start);
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => match serde_json::from_str(literal.value) {
            Ok(number) => Value::Number(number),
            // A number too large for a double; its digits are all that can be kept of it.
            Err(_) => Value::String(literal.value.to_owned()),
        },
        ast::Value::StringLit(literal) => Value::String(literal.value.clone().into_owned()),
        ast::Value::Array(array) => Value::Array(array.elements.iter().map(|item| node(item, lines)).collect()),
        ast::Value::Object(object) => {
            Value::Object(object.properties.iter().map(|property| member(property, lines)).collect())
        }
    };
    Node { position, value }
}

fn member(property: &ast::ObjectProp<'_>, lines: &Lines<'_>) -> Member {
    Member {
        key: property.name.as_str().to_owned(),
        position: lines.position(property.range.start),
        node: node(&property.value, lines),
    }
}
