//! Shorthands of the tests.

use std::{fs, path::PathBuf};

use mcp_schema::{Conversion, Limits, Profile, Schema, convert};
use serde_json::{Value, json};

/// Parses a schema that is known to parse.
pub(crate) fn schema(value: &Value) -> Schema {
    Schema::parse(value.clone(), Limits::default()).unwrap()
}

/// A built-in profile.
pub(crate) fn profile(id: &str) -> Profile {
    Profile::builtin(id).unwrap()
}

/// Converts for a built-in profile.
pub(crate) fn converted(value: &Value, id: &str) -> Conversion {
    convert(&schema(value), &profile(id))
}

/// A folder of evaluation data beside the repository. Its absence is said aloud: the test then checks nothing.
#[expect(clippy::print_stderr, reason = "a test that checks nothing must say so")]
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: this test needs {}, which is not part of the repository", folder.display());
    None
}

/// Real tool schemas, one per tool.
pub(crate) fn tool_schemas() -> Option<Vec<Value>> {
    let folder = data("tool-schemas")?;
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut schemas = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "jsonl")) {
        for line in fs::read_to_string(file).unwrap().lines() {
            let tool: Value = serde_json::from_str(line).unwrap();
            schemas.push(tool["inputSchema"].clone());
        }
    }
    Some(schemas)
}

/// Compiles a converted schema as the provider reads it.
pub(crate) fn sent_validator(schema: &Value) -> Result<jsonschema::Validator, String> {
    let options = jsonschema::draft202012::options().offline().should_validate_formats(false);
    options.build(&without_nullable(schema)).map_err(|error| error.to_string())
}

/// Writes `nullable: true` as 2020-12 would, so that a validator understands it.
pub(crate) fn without_nullable(schema: &Value) -> Value {
    match schema {
        Value::Object(entries) => {
            let mut inner: serde_json::Map<String, Value> =
                entries.iter().map(|(word, value)| (word.clone(), without_nullable(value))).collect();
            let is_nullable = inner.get("nullable") == Some(&json!(true));
            if is_nullable {
                inner.shift_remove("nullable");
                return json!({ "anyOf": [inner, { "type": "null" }] });
            }
            Value::Object(inner)
        }
        Value::Array(items) => items.iter().map(without_nullable).collect(),
        other => other.clone(),
    }
}
