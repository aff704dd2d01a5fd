//! A read-only server: it looks things up and changes nothing.

use serde_json::{Value, json};

use super::{Tools, unknown};

const BOOKS: [(&str, &str, u16); 4] = [
    ("Frankenstein", "Mary Shelley", 1818),
    ("Middlemarch", "George Eliot", 1871),
    ("The Left Hand of Darkness", "Ursula K. Le Guin", 1969),
    ("The Dispossessed", "Ursula K. Le Guin", 1974),
];

pub(super) struct Library;

impl Tools for Library {
    fn list(&self) -> Vec<Value> {
        vec![
            json!({
                "name": "find_book",
                "description": "Find books in the library by a word of their title or author.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "word": {"type": "string", "minLength": 1, "description": "A word of the title or author."},
                        "before": {"type": "integer", "description": "Only books published before this year."},
                    },
                    "required": ["word"],
                },
                "annotations": {"readOnlyHint": true},
            }),
            json!({
                "name": "echo",
                "description": "Repeat a message, with the process id of the server that repeats it.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"message": {"type": "string", "description": "What to repeat."}},
                    "required": ["message"],
                },
                "annotations": {"readOnlyHint": true},
            }),
        ]
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<String, String> {
        match name {
            "find_book" => Ok(find(arguments)),
            "echo" => Ok(format!(
                "{} (from process {})",
                arguments["message"].as_str().unwrap_or_default(),
                std::process::id()
            )),
            other => unknown(other),
        }
    }
}

fn find(arguments: &Value) -> String {
    let word = arguments["word"].as_str().unwrap_or_default().to_lowercase();
    let before = arguments["before"].as_u64().unwrap_or(u64::MAX);
    let found: Vec<String> = BOOKS
        .iter()
        .filter(|(title, author, year)| {
            u64::from(*year) < before && format!("{title} {author}").to_lowercase().contains(&word)
        })
        .map(|(title, author, year)| format!("{title}, {author} ({year})"))
        .collect();
    if found.is_empty() { format!("No book matches `{word}`.") } else { found.join("\n") }
}
