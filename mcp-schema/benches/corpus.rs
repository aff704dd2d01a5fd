//! Parsing and converting: real tools, and schemas made to be slow.
//!
//! The corpus lies beside the repository; without it only the hostile schemas are measured.

use std::{fs, path::PathBuf};

use divan::{Bencher, black_box};
use mcp_schema::{Limits, Profile, Schema, Validator, convert};
use serde_json::{Map, Value, json};

fn main() {
    divan::main();
}

/// The tool schemas of the corpus.
fn corpus() -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/tool-schemas");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let tools = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    tools.filter_map(|mut tool| tool.get_mut("inputSchema").map(Value::take)).collect()
}

fn profile(id: &str) -> Profile {
    Profile::builtin(id).expect("a built-in profile")
}

/// The whole corpus, from parsed JSON to the converted schema.
#[divan::bench(args = ["openai", "openai-strict", "anthropic", "gemini", "portable"])]
fn parse_and_convert_corpus(bencher: Bencher<'_, '_>, id: &str) {
    let profile = profile(id);
    bencher.with_inputs(corpus).bench_values(|schemas| {
        schemas
            .into_iter()
            .filter_map(|value| Schema::parse(value, Limits::default()).ok())
            .map(|schema| convert(&schema, &profile).report.losses.len())
            .sum::<usize>()
    });
}

/// Compiling a validator for every tool of the corpus.
#[divan::bench]
fn compile_validators_of_corpus(bencher: Bencher<'_, '_>) {
    let parsed = corpus().into_iter().filter_map(|value| Schema::parse(value, Limits::default()).ok());
    let schemas: Vec<Schema> = parsed.collect();
    bencher.bench(|| schemas.iter().filter(|schema| Validator::new(black_box(schema)).is_ok()).count());
}

/// A schema made to be slow, by name.
fn hostile(name: &str) -> Value {
    let reference = |index: usize| json!({ "$ref": format!("#/$defs/d{index}") });
    let (count, body): (usize, Box<dyn Fn(usize) -> Value>) = match name {
        "chain of 9,000" => (9_000, Box::new(move |index| reference(index + 1))),
        "nested chain of 4,000" => {
            (4_000, Box::new(move |index| json!({ "properties": { "a": reference(index + 1) } })))
        }
        "fan of 40 levels" => (
            40,
            Box::new(move |index| json!({ "properties": { "a": reference(index + 1), "b": reference(index + 1) } })),
        ),
        "50 that refer to each other" => (
            50,
            Box::new(move |index| {
                let properties: Map<String, Value> =
                    (0..50).map(|other| (format!("p{other}"), reference((index + other) % 50))).collect();
                json!({ "type": "object", "properties": properties })
            }),
        ),
        _ => return json!({ "type": "object", "description": "x".repeat(10 * 1024 * 1024) }),
    };
    let definitions: Map<String, Value> = (0..count).map(|index| (format!("d{index}"), body(index))).collect();
    json!({ "type": "object", "properties": { "x": reference(0) }, "$defs": definitions })
}

/// Parsing and converting what was made to be slow; some of it is refused.
#[divan::bench(args = ["chain of 9,000", "nested chain of 4,000", "fan of 40 levels", "50 that refer to each other", "10 MB"])]
fn hostile_schemas(bencher: Bencher<'_, '_>, name: &str) {
    let profile = profile("gemini");
    bencher.with_inputs(|| hostile(name)).bench_values(|value| {
        Schema::parse(value, Limits::default()).map(|schema| convert(&schema, &profile).report.losses.len())
    });
}
