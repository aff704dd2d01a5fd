//! Edits TOML, keeping comments, order and line endings.

use serde_json::{Map, Value as Json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

const SERVERS: &str = "mcp_servers";

/// Adds a server's table at the end of the servers, or replaces the one of that name.
pub(super) fn add(text: &str, name: &str, entry: Map<String, Json>) -> String {
    with_document(text, |document| {
        let servers = document.entry(SERVERS).or_insert_with(implicit_table);
        let table: Table = entry.into_iter().map(|(key, value)| (key, Item::Value(to_toml(value)))).collect();
        match servers {
            // `mcp_servers = { a = {…} }` stays on its line.
            Item::Value(Value::InlineTable(servers)) => {
                servers.insert(name, Value::InlineTable(table.into_inline_table()));
            }
            servers => {
                if let Some(servers) = servers.as_table_like_mut() {
                    replace(servers, name, table);
                }
            }
        }
    })
}

/// A replaced table keeps its place and the comment above it.
fn replace(servers: &mut dyn toml_edit::TableLike, name: &str, mut table: Table) {
    if let Some(Item::Table(old)) = servers.get(name) {
        *table.decor_mut() = old.decor().clone();
        table.set_position(old.position());
    }
    servers.insert(name, Item::Table(table));
}

fn implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

pub(super) fn remove(text: &str, name: &str) -> String {
    with_document(text, |document| {
        if let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) {
            servers.remove(name);
        }
    })
}

pub(super) fn set_enabled(text: &str, name: &str, enabled: bool) -> String {
    with_document(text, |document| {
        let servers = document.get_mut(SERVERS).and_then(Item::as_table_like_mut);
        let Some(entry) = servers.and_then(|servers| servers.get_mut(name)).and_then(Item::as_table_like_mut) else {
            return;
        };
        match entry.get_mut("enabled") {
            Some(Item::Value(value)) => {
                let decor = value.decor().clone();
                *value = Value::from(enabled);
                *value.decor_mut() = decor;
            }
            // On is what no word means.
            _ if enabled => {}
            _ => drop(entry.insert("enabled", toml_edit::value(false))),
        }
    })
}

fn to_toml(json: Json) -> Value {
    match json {
        Json::Null => Value::from(""),
        Json::Bool(value) => Value::from(value),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::from(integer),
            None => Value::from(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::from(text),
        Json::Array(items) => Value::Array(items.into_iter().map(to_toml).collect::<Array>()),
        Json::Object(members) => {
            Value::InlineTable(members.into_iter().map(|(key, value)| (key, to_toml(value))).collect::<InlineTable>())
        }
    }
}

/// Parses, edits, prints, and gives every line that was there the ending it had: the parser turns all into `\n`.
fn with_document(text: &str, edit: impl FnOnce(&mut DocumentMut)) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return text.to_owned() };
    edit(&mut document);
    restore_endings(text, &document.to_string())
}

/// The lines of the old text are found again in the new one in order; a new line ends as most do.
fn restore_endings(before: &str, after: &str) -> String {
    let windows = before.matches("\r\n").count();
    if windows == 0 {
        return after.to_owned();
    }
    let common = if windows * 2 >= before.matches('\n').count() { "\r\n" } else { "\n" };
    let mut old = before.split_inclusive('\n').peekable();
    let mut text = String::with_capacity(after.len() + windows);
    for line in after.split_inclusive('\n') {
        let Some(content) = line.strip_suffix('\n') else {
            text.push_str(line);
            continue;
        };
        let content = content.strip_suffix('\r').unwrap_or(content);
        let same = |line: &&str| line.trim_end_matches(['\r', '\n']) == content;
        let ending = match old.clone().position(|line| same(&line)).and_then(|skipped| old.nth(skipped)) {
            Some(line) if line.ends_with("\r\n") => "\r\n",
            Some(line) if line.ends_with('\n') => "\n",
            Some(_) | None => common,
        };
        text.push_str(content);
        text.push_str(ending);
    }
    text
}
