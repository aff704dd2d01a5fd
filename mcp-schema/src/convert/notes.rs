//! What the schema can no longer say, said in a description.

use serde_json::{Value, json};

use super::{At, Lowering};
use crate::json::Object;

/// Characters that notes may add to one description: enough for a few constraints, too few to drown the text.
const LONGEST_NOTES: usize = 400;

/// Characters of one constraint's value; a longer one tells a model little.
const LONGEST_VALUE: usize = 120;

/// The notes of one subschema.
#[derive(Debug, Default)]
pub(super) struct Notes {
    sentences: Vec<String>,
    constraints: Vec<String>,
    title: Option<String>,
}

impl Notes {
    /// Notes a constraint by its keyword and value.
    pub(super) fn constraint(&mut self, word: &str, value: &Value) {
        let text = value.to_string();
        let shown: String = text.chars().take(LONGEST_VALUE).collect();
        let ellipsis = if shown.len() < text.len() { "…" } else { "" };
        self.constraints.push(format!("{word}: {shown}{ellipsis}"));
    }

    /// Notes an annotation that helps a model.
    pub(super) fn annotation(&mut self, word: &str, value: &Value) {
        match word {
            "default" => self.constraint(word, value),
            "title" => self.title = value.as_str().map(str::to_owned),
            _ => {}
        }
    }

    /// Notes a whole sentence.
    pub(super) fn sentence(&mut self, text: impl Into<String>) {
        self.sentences.push(text.into());
    }

    fn text(&self) -> String {
        let mut parts = self.sentences.clone();
        if !self.constraints.is_empty() {
            parts.push(format!("({})", self.constraints.join("; ")));
        }
        let text = parts.join(" ");
        if text.chars().count() <= LONGEST_NOTES {
            return text;
        }
        text.chars().take(LONGEST_NOTES - 1).chain(['…']).collect()
    }
}

impl Lowering<'_> {
    /// Adds the notes to the description, where the profile has one.
    pub(super) fn describe(&self, schema: &mut Value, notes: Notes, at: &At) {
        let accepted =
            if at.is_root { self.profile.accepts_at_root("description") } else { self.profile.accepts("description") };
        let Value::Object(entries) = schema else { return };
        if !accepted {
            return;
        }
        if entries.contains_key("$ref") && !self.profile.references.siblings {
            return;
        }
        add(entries, &notes.text());
        if let Some(title) = notes.title.filter(|_| !entries.contains_key("description")) {
            entries.insert("description".to_owned(), json!(title));
        }
    }
}

/// Appends a note to a description that does not hold it yet.
fn add(entries: &mut Object, note: &str) {
    if note.is_empty() {
        return;
    }
    let described = match entries.get("description").and_then(Value::as_str) {
        Some(text) if text.contains(note) => return,
        Some(text) if !text.is_empty() => format!("{text} {note}"),
        _ => note.to_owned(),
    };
    entries.insert("description".to_owned(), Value::String(described));
}
