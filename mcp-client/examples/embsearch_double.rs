//! Stands in for `embsearch` in tests: speaks its protocol, knows two meanings, and misbehaves as told.
//!
//! The first argument says how: `good`, `mock`, `future`, `hang`, `crash`, `lie`, `babble` or `flood`; the others are those of
//! `embsearch`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

/// Words that mean the same.
const MEANINGS: [&[&str]; 2] = [&["e-mail", "letter", "correspondence"], &["issue", "bug"]];

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let manner = arguments.first().map(String::as_str).unwrap_or_default();
    let mut output = std::io::stdout().lock();
    if arguments.iter().any(|argument| argument == "--version") {
        return writeln!(output, "embsearch {}", if manner == "future" { "2.0.0" } else { "0.3.1" });
    }
    let mut texts = BTreeMap::new();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let operation = question["op"].as_str().unwrap_or_default();
        match (manner, operation) {
            ("hang", "bulk") => std::thread::park(),
            ("crash", "query") => return Ok(()),
            ("babble", "query") => writeln!(output, "thinking about it")?,
            ("flood", "query") => loop {
                output.write_all(&[b'x'; 1 << 12])?;
            },
            ("lie", "query") => writeln!(output, "{}", json!({"ok": true, "results": [{"id": 7, "score": "much"}]}))?,
            ("mock", "info") => writeln!(output, "{}", json!({"ok": true, "model_id": "mock-hash-v1", "dim": 384}))?,
            _ => writeln!(output, "{}", answer(&question, operation, &mut texts))?,
        }
        output.flush()?;
    }
    Ok(())
}

fn answer(question: &Value, operation: &str, texts: &mut BTreeMap<String, String>) -> Value {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    match operation {
        "info" => json!({"ok": true, "model_id": "double-2d", "dim": 2, "count": texts.len()}),
        "bulk" => {
            let items = question["items"].as_array().into_iter().flatten();
            texts.extend(items.map(|item| (text(item, "id"), text(item, "text"))));
            json!({"ok": true, "inserted_count": texts.len()})
        }
        "remove" => json!({"ok": true, "removed": texts.remove(&text(question, "id")).is_some()}),
        "query" => {
            let query = text(question, "text");
            let result = |(id, text): (&String, &String)| json!({"id": id, "score": likeness(&query, text)});
            json!({"ok": true, "results": texts.iter().map(result).collect::<Vec<Value>>()})
        }
        other => json!({"ok": false, "error": format!("unknown op {other}")}),
    }
}

fn likeness(left: &str, right: &str) -> f64 {
    let means = |text: &str, words: &[&str]| words.iter().any(|word| text.to_lowercase().contains(word));
    if MEANINGS.iter().any(|words| means(left, words) && means(right, words)) { 0.9 } else { 0.1 }
}
