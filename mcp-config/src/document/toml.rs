//! TOML, as the JSON data model: dates become their text.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike, Value as TomlValue};

use super::text::Lines;
use super::{Member, Node, Value};
use crate::problem::{Problem, ProblemKind, Severity};

pub(super) fn parse(text: &str) -> Result<Option<Node>, Problem> {
    let lines = Lines::new(text);
    let document = Document::parse(text).map_err(|error| {
        let problem = Problem::new(
            Severity::Error,
            ProblemKind::Syntax,
            format!("not valid TOML: {}", error.message().lines().next().unwrap_or_default()),
        );
        match error.span() {
            Some(span) => problem.at_position(lines.position(span.start)),
            None => problem,
        }
    })?;
    if document.as_table().is_empty() {
        return Ok(None);
    }
    Ok(Some(table(document.as_table(), Some(0..0), &lines)))
}

fn item(item: &Item, fallback: Option<Range<usize>>, lines: &Lines<'_>) -> Node {
    let span = item.span().or(fallback);
    match item {
        Item::Value(inner) => value(inner, span, lines),
        Item::Table(inner) => table(inner, span, lines),
        Item::ArrayOfTables(tables) => {
            let items = tables.iter().map(|inner| table(inner, inner.span(), lines)).collect();
            Node { position: lines.position(start(span)), value: Value::Array(items) }
        }
        Item::None => Node { position: lines.position(start(span)), value: Value::Null },
    }
}

fn table(table: &dyn TableLike, span: Option<Range<usize>>, lines: &Lines<'_>) -> Node {
    let mut members = Vec::new();
    for (name, inner) in table.iter() {
        let key_span = table.key(name).and_then(toml_edit::Key::span);
        let position = lines.position(start(key_span.clone().or_else(|| inner.span()).or_else(|| span.clone())));
        members.push(Member { key: name.to_owned(), position, node: item(inner, key_span, lines) });
    }
    Node { position: lines.position(start(span)), value: Value::Object(members) }
}

fn value(value: &TomlValue, span: Option<Range<usize>>, lines: &Lines<'_>) -> Node {
    let position = lines.position(start(span.clone()));
    let value = match value {
        TomlValue::String(text) => Value::String(text.value().clone()),
        TomlValue::Integer(number) => Value::Number((*number.value()).into()),
        TomlValue::Float(number) => match serde_json::Number::from_f64(*number.value()) {
            Some(number) => Value::Number(number),
            None => Value::String(number.value().to_string()),
        },
        TomlValue::Boolean(flag) => Value::Bool(*flag.value()),
        TomlValue::Datetime(datetime) => Value::String(datetime.value().to_string()),
        TomlValue::Array(items) => {
            Value::Array(items.iter().map(|inner| self::value(inner, inner.span(), lines)).collect())
        }
        TomlValue::InlineTable(inner) => return table(inner, span, lines),
    };
    Node { position, value }
}

fn start(span: Option<Range<usize>>) -> usize {
    span.map_or(0, |span| span.start)
}
