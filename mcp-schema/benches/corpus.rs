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

/// Schemas made to be slow.
const HOSTILE: [&str; 9] = [
    "chain of 9,000",
    "nested chain of 4,000",
    "fan of 40 levels",
    "fan of 40 levels, 10 wide",
    "50 that refer to each other",
    "20 unions of each other",
    "2,000 constants",
    "1,000 forms of 1,000 properties",
    "10 MB",
];

fn reference(index: usize) -> Value {
    json!({ "$ref": format!("#/$defs/d{index}") })
}

fn properties(count: usize, schema: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|index| (format!("p{index}"), schema(index))).collect())
}

fn with_definitions(count: usize, body: impl Fn(usize) -> Value) -> Value {
    let definitions: Map<String, Value> = (0..count).map(|index| (format!("d{index}"), body(index))).collect();
    json!({ "type": "object", "properties": { "x": reference(0) }, "$defs": definitions })
}

fn hostile(name: &str) -> Value {
    match name {
        "chain of 9,000" => with_definitions(9_000, |index| reference(index + 1)),
        "nested chain of 4,000" => {
            with_definitions(4_000, |index| json!({ "properties": { "a": reference(index + 1) } }))
        }
        "fan of 40 levels" => {
            with_definitions(40, |index| json!({ "properties": properties(2, |_| reference(index + 1)) }))
        }
        "fan of 40 levels, 10 wide" => {
            with_definitions(40, |index| json!({ "properties": properties(10, |_| reference(index + 1)) }))
        }
        "50 that refer to each other" => with_definitions(
            50,
            |index| json!({ "type": "object", "properties": properties(50, |other| reference((index + other) % 50)) }),
        ),
        "20 unions of each other" => with_definitions(20, |index| {
            let branch = |other: usize| {
                let properties = json!({ "kind": { "const": other }, "next": reference((index + other) % 20) });
                json!({ "type": "object", "properties": properties, "required": ["kind"] })
            };
            json!({ "oneOf": (0..20).map(branch).collect::<Vec<_>>() })
        }),
        "2,000 constants" => {
            let constants: Vec<Value> = (0..2_000).map(|index| json!({ "const": index })).collect();
            json!({ "type": "object", "properties": { "x": { "oneOf": constants } } })
        }
        "1,000 forms of 1,000 properties" => {
            let forms: Vec<Value> = (0..1_000).map(|index| json!({ "required": [format!("p{index}")] })).collect();
            json!({ "type": "object", "properties": properties(1_000, |_| json!({})), "anyOf": forms })
        }
        _ => json!({ "type": "object", "description": "x".repeat(10 * 1024 * 1024) }),
    }
}

/// Parsing and converting what was made to be slow; some of it is refused. This dialect has no references.
#[divan::bench(args = HOSTILE)]
fn hostile_schemas_for_gemini(bencher: Bencher<'_, '_>, name: &str) {
    convert_hostile(bencher, name, "gemini");
}

/// As above, for a dialect of closed objects.
#[divan::bench(args = HOSTILE)]
fn hostile_schemas_for_openai_strict(bencher: Bencher<'_, '_>, name: &str) {
    convert_hostile(bencher, name, "openai-strict");
}

fn convert_hostile(bencher: Bencher<'_, '_>, name: &str, id: &str) {
    let profile = profile(id);
    bencher.with_inputs(|| hostile(name)).bench_values(|value| {
        Schema::parse(value, Limits::default()).map(|schema| convert(&schema, &profile).report.losses.len())
    });
}

/// Judging a value by those of them that are not refused.
#[divan::bench(args = [HOSTILE[2], HOSTILE[3], HOSTILE[4], HOSTILE[5], HOSTILE[6], HOSTILE[7]])]
fn hostile_validators(bencher: Bencher<'_, '_>, name: &str) {
    let schema = Schema::parse(hostile(name), Limits::default()).expect("it is within the limits");
    let validator = Validator::new(&schema).expect("it can be compiled");
    let deep = (0..60).fold(json!("5"), |inner, _| json!({ "p0": inner, "p1": 1, "kind": 3 }));
    let instance = json!({ "x": deep });
    bencher.bench(|| (validator.validate(black_box(&instance)).is_ok(), validator.coerce(instance.clone())));
}
