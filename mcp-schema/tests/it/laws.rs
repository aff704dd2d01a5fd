//! What every conversion owes, on the JSON Schema Test Suite and on real tool schemas.
//!
//! Both lie outside the repository; without them the tests say so and check the schemas of this file alone.

use jsonschema::canonical::Containment;
use mcp_schema::{Conversion, Profile, Schema, Validator, convert, lint};
use serde_json::{Value, json};

use crate::{
    generate,
    runner::{self, DRAFTS},
    support::{data, sent_validator, tool_schemas},
};

/// Without `MCP_SCHEMA_ALL_LAWS` in the environment, each schema is converted for one in this many profiles, another
/// one for each schema: all combinations take minutes.
const STRIDE: usize = 32;

/// Failures that are shown before a test gives up.
const MOST_SHOWN: usize = 12;

/// Counts and failures of one run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) conversions: usize,
    pub(crate) instances: usize,
    pub(crate) failures: Vec<String>,
    /// Whether a second conversion may still simplify; a third may never.
    pub(crate) settles_later: bool,
}

impl Tally {
    fn fail(&mut self, profile: &Profile, law: &str, what: impl std::fmt::Display) {
        self.failures.push(format!("{}: {law}: {what}", profile.id));
    }

    #[expect(clippy::print_stdout, reason = "how much was checked is part of the result")]
    fn finish(self, what: &str) {
        println!("{what}: {} conversions, {} instances", self.conversions, self.instances);
        let mut laws: Vec<&str> = Vec::new();
        let shown: Vec<&String> = self
            .failures
            .iter()
            .filter(|failure| {
                let law = failure.get(..failure.len().min(40)).unwrap_or(failure);
                let is_new = !laws.contains(&law);
                laws.push(law);
                is_new
            })
            .take(MOST_SHOWN)
            .collect();
        assert!(self.failures.is_empty(), "{} failures, such as {shown:#?}", self.failures.len());
        assert!(self.conversions > 0 && self.instances > 0, "{what}: nothing was checked");
    }
}

/// The profiles a schema is converted for.
struct Profiles {
    all: Vec<Profile>,
    stride: usize,
}

impl Profiles {
    #[expect(clippy::disallowed_methods, reason = "a slow suite is asked for by an environment variable")]
    fn new() -> Self {
        let all = Profile::builtin_ids().iter().map(|id| Profile::builtin(id).unwrap()).collect();
        let stride = if std::env::var_os("MCP_SCHEMA_ALL_LAWS").is_some() { 1 } else { STRIDE };
        Self { all, stride }
    }

    /// Those whose turn it is for the schema of this number.
    fn of(&self, number: usize) -> impl Iterator<Item = &Profile> {
        self.all
            .iter()
            .enumerate()
            .filter(move |(index, _)| (number + index).is_multiple_of(self.stride))
            .map(|(_, profile)| profile)
    }
}

/// Checks all laws for one schema, one profile, and instances with their verdicts under the original.
pub(crate) fn check(tally: &mut Tally, schema: &Schema, profile: &Profile, instances: &[(Value, bool)]) {
    let conversion = convert(schema, profile);
    tally.conversions += 1;
    let findings = lint(&conversion.schema, profile);
    if let Some(finding) = findings.first() {
        tally.fail(profile, "lint", format!("{finding:?} in {} from {}", conversion.schema, schema.original()));
        return;
    }
    check_stability(tally, schema, profile, &conversion);
    judge(tally, schema, profile, &conversion, instances);
}

/// Compares what a conversion accepts with what the original accepts.
pub(crate) fn judge(
    tally: &mut Tally,
    schema: &Schema,
    profile: &Profile,
    conversion: &Conversion,
    instances: &[(Value, bool)],
) {
    let sent = match sent_validator(&conversion.schema) {
        Ok(sent) => sent,
        Err(error) => return tally.fail(profile, "compiles", format!("{error} in {}", conversion.schema)),
    };
    for (instance, is_valid) in instances {
        tally.instances += 1;
        let encoded = conversion.codec.encode(instance.clone());
        let decoded = conversion.codec.decode(encoded.clone());
        if *is_valid && !same(&decoded, instance) {
            let resolved = mcp_schema::resolve(schema).schema;
            let shown = format!("{instance} became {encoded} became {decoded} by {} for {resolved}", conversion.schema);
            tally.fail(profile, "decode(encode(x)) == x", shown);
        }
        let is_accepted = sent.is_valid(&encoded);
        let story = || {
            let resolved = mcp_schema::resolve(schema).schema;
            format!("{encoded} by {} from {resolved} ({:?})", conversion.schema, conversion.report)
        };
        if *is_valid && !is_accepted && !conversion.report.is_narrowed() {
            tally.fail(profile, "no false reject", story());
        }
        // What decodes to another value (a null that means "left out") is judged as that value.
        if !is_valid && is_accepted && same(&decoded, instance) && conversion.report.is_lossless() {
            tally.fail(profile, "lossless means equal verdicts", story());
        }
    }
}

/// Equality as JSON Schema means it: `1` and `1.0` are one number.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// The innermost parts in which two values differ.
fn difference(left: &Value, right: &Value) -> String {
    match (left, right) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => one
            .iter()
            .zip(other.values())
            .find(|((_, left), right)| left != right)
            .map_or_else(String::new, |((key, left), right)| format!("{key}/{}", difference(left, right))),
        _ => format!(": {left} became {right}"),
    }
}

/// Converting is deterministic, and converting the result changes nothing.
fn check_stability(tally: &mut Tally, schema: &Schema, profile: &Profile, conversion: &Conversion) {
    let text = |schema: &Value| schema.to_string();
    if text(&convert(schema, profile).schema) != text(&conversion.schema) {
        tally.fail(profile, "determinism", schema.original());
    }
    if conversion.schema.to_string().contains("\"allOf\"") {
        // What could not be merged may have become simple enough to merge; once more would do it.
        return;
    }
    let again = Schema::parse(conversion.schema.clone(), schema.limits().clone()).map(|sent| convert(&sent, profile));
    match again {
        Ok(again) if again.schema == conversion.schema => {}
        Ok(again) if tally.settles_later => {
            let settled = Schema::parse(again.schema.clone(), schema.limits().clone()).unwrap();
            let third = convert(&settled, profile).schema;
            if third != again.schema {
                tally.fail(profile, "idempotence", difference(&again.schema, &third));
            }
        }
        Ok(again) => {
            let shown = difference(&conversion.schema, &again.schema);
            tally.fail(profile, "idempotence", shown);
        }
        Err(error) => tally.fail(profile, "idempotence", error),
    }
}

#[test]
fn the_laws_hold_on_the_test_suite() {
    let Some(folder) = data("json-schema-test-suite") else { return };
    let mut tally = Tally::default();
    let profiles = Profiles::new();
    let mut number = 0;
    for (dialect, draft) in DRAFTS {
        let remotes = runner::remotes(&folder, draft).unwrap();
        for (_, group) in runner::groups(&folder, draft).unwrap() {
            number += 1;
            let plain = runner::parse(&group.schema, dialect, &remotes).unwrap();
            let wrapped = runner::parse_wrapped(&group.schema, dialect, &remotes).unwrap();
            let objects: Vec<(Value, bool)> = group
                .tests
                .iter()
                .filter(|test| test.data.is_object())
                .map(|test| (test.data.clone(), test.valid))
                .collect();
            let all: Vec<(Value, bool)> =
                group.tests.iter().map(|test| (json!({ "v": test.data }), test.valid)).collect();
            for profile in profiles.of(number) {
                check(&mut tally, &plain, profile, &objects);
                check(&mut tally, &wrapped, profile, &all);
            }
        }
    }
    tally.finish("suite");
}

#[test]
fn the_laws_hold_on_real_tools() {
    let Some(schemas) = tool_schemas() else { return };
    let mut tally = Tally::default();
    let profiles = Profiles::new();
    // Patterns are beyond the generator.
    let mut without = 0;
    for (number, original) in schemas.iter().enumerate() {
        if profiles.of(number).next().is_none() {
            continue;
        }
        let schema = crate::support::schema(original);
        let Ok(validator) = Validator::new(&schema) else { panic!("does not compile: {original}") };
        let instances: Vec<(Value, bool)> = generate::instances(&mcp_schema::resolve(&schema).schema)
            .into_iter()
            .filter(Value::is_object)
            .map(|instance| (instance.clone(), validator.is_valid(&instance)))
            .collect();
        without += usize::from(!instances.iter().any(|(_, is_valid)| *is_valid));
        for profile in profiles.of(number) {
            check(&mut tally, &schema, profile, &instances);
        }
    }
    assert!(without * 50 < tally.conversions, "{without} schemas without a valid instance");
    tally.finish("tools");
}

/// The library's own algebra of schemas as a judge: it must never be able to prove that the converted schema refuses
/// something the original accepts.
#[test]
fn the_converted_schema_covers_the_original() {
    let Some(schemas) = tool_schemas() else { return };
    let mut tally = Tally::default();
    let profiles = Profiles::new();
    for (number, original) in schemas.iter().enumerate() {
        let schema = crate::support::schema(original);
        let resolved = mcp_schema::resolve(&schema).schema;
        for profile in profiles.of(number) {
            let conversion = convert(&schema, profile);
            tally.conversions += 1;
            if !conversion.codec.is_identity() || conversion.report.is_narrowed() {
                continue;
            }
            tally.instances += 1;
            if covers(&crate::support::without_nullable(&conversion.schema), &resolved) == Some(Containment::No) {
                tally.fail(profile, "covers", format!("{} from {original}", conversion.schema));
            }
        }
    }
    tally.finish("covers");
}

/// Whether `wide` accepts everything `narrow` accepts, as far as can be proved.
fn covers(wide: &Value, narrow: &Value) -> Option<Containment> {
    let canonical = |schema: &Value| jsonschema::canonical::options().offline().canonicalize(schema).ok();
    canonical(wide)?.covers(&canonical(narrow)?).ok()
}
