//! Arguments of `mcpctl call`: from words to a JSON object.
//!
//! Reading files and stdin is the caller's; what stands here only decides what the words mean.

use serde_json::{Map, Value};

/// One argument word, understood but not yet read or typed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Word {
    /// `key=value`: typed later, by the tool's schema.
    Text { key: String, value: String },
    /// `key:=json`.
    Json { key: String, value: Value },
    /// `key=@file`: the file's text.
    File { key: String, path: String },
    /// `-`: an object on stdin.
    Stdin,
}

/// The tool's reference and the arguments behind it.
///
/// The first word is always part of the reference; the second is too, unless it reads as an argument.
pub(crate) fn split(words: &[String]) -> (&[String], &[String]) {
    let is_argument = |word: &String| word == "-" || word.contains('=');
    let reference = words.iter().enumerate().take(2).take_while(|(index, word)| *index == 0 || !is_argument(word));
    words.split_at(reference.count())
}

/// Understands one argument word.
///
/// # Errors
///
/// A sentence for the person who typed it.
pub(crate) fn parse(word: &str) -> Result<Word, String> {
    if word == "-" {
        return Ok(Word::Stdin);
    }
    let (key, value) = word
        .split_once('=')
        .ok_or_else(|| format!("`{word}` is no argument: expected key=value, key:=JSON or key=@FILE"))?;
    if let Some(key) = key.strip_suffix(':') {
        let value = serde_json::from_str(value).map_err(|error| format!("`{key}:=` needs JSON: {error}"))?;
        return Ok(Word::Json { key: named(key, word)?, value });
    }
    let key = named(key, word)?;
    Ok(match value.strip_prefix('@') {
        Some(path) => Word::File { key, path: path.to_owned() },
        None => Word::Text { key, value: value.to_owned() },
    })
}

fn named(key: &str, word: &str) -> Result<String, String> {
    if key.is_empty() { Err(format!("`{word}` names no key before the `=`")) } else { Ok(key.to_owned()) }
}

/// Parses a JSON object, as `--args` and stdin give it.
///
/// # Errors
///
/// A sentence for the person who typed it; `whence` says where the text came from.
pub(crate) fn object(text: &str, whence: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(format!("{whence} must hold a JSON object")),
        Err(error) => Err(format!("{whence} must hold a JSON object: {error}")),
    }
}

/// Gives a text the type that the tool's schema wants: the text itself where that is accepted, else the JSON it spells.
///
/// `accepts` says whether the schema takes a value for this key. A text that fits neither way stays a text, for the
/// validation that follows to name.
pub(crate) fn typed(text: String, accepts: impl Fn(&Value) -> bool) -> Value {
    let as_text = Value::String(text);
    if accepts(&as_text) {
        return as_text;
    }
    match as_text.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(value)) if accepts(&value) => value,
        _ => as_text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words() {
        let text = |key: &str, value: &str| Word::Text { key: key.into(), value: value.into() };
        let table = [
            ("message=hi", Some(text("message", "hi"))),
            ("message=", Some(text("message", ""))),
            ("expression=a=b", Some(text("expression", "a=b"))),
            ("ids:=[1,2]", Some(Word::Json { key: "ids".into(), value: json!([1, 2]) })),
            ("body=@letter.txt", Some(Word::File { key: "body".into(), path: "letter.txt".into() })),
            ("-", Some(Word::Stdin)),
            ("ids:=[1,", None),
            ("=x", None),
            (":=1", None),
            ("loose", None),
        ];
        for (word, expected) in table {
            assert_eq!(parse(word).ok(), expected, "{word}");
        }
    }

    #[test]
    fn the_reference_ends_where_arguments_begin() {
        let table: [(&[&str], usize); 6] = [
            (&["echo"], 1),
            (&["echo", "message=hi"], 1),
            (&["everything", "echo", "message=hi"], 2),
            (&["everything.echo", "-"], 1),
            (&["a", "b", "c"], 2),
            (&["odd=name", "message=hi"], 1),
        ];
        for (words, expected) in table {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(split(&words).0.len(), expected, "{words:?}");
        }
    }

    #[test]
    fn texts_take_the_type_the_schema_wants() {
        let table = [
            ("30", Value::is_string as fn(&Value) -> bool, json!("30")),
            ("30", Value::is_i64, json!(30)),
            ("true", Value::is_boolean, json!(true)),
            ("[1]", Value::is_array, json!([1])),
            ("many", Value::is_i64, json!("many")),
        ];
        for (text, accepts, expected) in table {
            assert_eq!(typed(text.to_owned(), accepts), expected, "{text}");
        }
    }
}
