//! Values for a schema: some that should fit, and some that should not. A validator says which is which.

use serde_json::{Map, Value, json};

/// Values generated for one schema.
const MOST_VALUES: usize = 40;

/// Values generated for one part of a schema.
const MOST_PER_PART: usize = 6;

/// Levels that are generated; below them every schema gets a number.
const DEEPEST: usize = 6;

/// Generates values for a resolved schema, the same ones every time.
pub(crate) fn instances(schema: &Value) -> Vec<Value> {
    let mut found = values(schema, schema, DEEPEST);
    let mutated: Vec<Value> = found.iter().flat_map(mutations).collect();
    found.extend(mutated);
    found.truncate(MOST_VALUES);
    found
}

fn values(schema: &Value, root: &Value, fuel: usize) -> Vec<Value> {
    let Value::Object(entries) = schema else { return vec![json!(1), json!("text")] };
    if fuel == 0 {
        return vec![json!(1)];
    }
    if let Some(reference) = entries.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap_or(root);
        return values(target, root, fuel - 1);
    }
    if let Some(constant) = entries.get("const") {
        return vec![constant.clone()];
    }
    if let Some(Value::Array(listed)) = entries.get("enum") {
        return listed.iter().take(MOST_PER_PART).cloned().collect();
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = entries.get(word) {
            let beside: Map<String, Value> =
                entries.iter().filter(|(key, _)| *key != word).map(|(k, v)| (k.clone(), v.clone())).collect();
            let own = values(&Value::Object(beside), root, fuel - 1);
            let branches = branches.iter().flat_map(|branch| values(branch, root, fuel - 1));
            return branches
                .flat_map(|branch| own.iter().map(move |own| join(&branch, own)).collect::<Vec<_>>())
                .take(4 * MOST_PER_PART)
                .collect();
        }
    }
    let names: Vec<&str> = match entries.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if entries.contains_key("properties") => vec!["object"],
        _ => vec!["string", "integer", "object", "array", "null"],
    };
    names.into_iter().flat_map(|name| of_type(name, entries, root, fuel)).take(4 * MOST_PER_PART).collect()
}

/// A value that has the properties of both objects, or the first value.
fn join(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let mut joined = right.clone();
            joined.extend(left.clone());
            Value::Object(joined)
        }
        _ => left.clone(),
    }
}

fn of_type(name: &str, entries: &Map<String, Value>, root: &Value, fuel: usize) -> Vec<Value> {
    let number = |word: &str| entries.get(word).and_then(Value::as_i64);
    match name {
        "string" => {
            let length = number("minLength").unwrap_or(1).clamp(1, 200);
            let text: String = "a".repeat(usize::try_from(length).unwrap_or(1));
            vec![json!(text), json!(""), json!("2020-01-01T00:00:00Z"), json!("{\"a\": 1}"), json!("5"), json!("null")]
        }
        "integer" | "number" => {
            let least = number("minimum").or_else(|| number("exclusiveMinimum").map(|bound| bound + 1)).unwrap_or(0);
            let most = number("maximum").or_else(|| number("exclusiveMaximum").map(|bound| bound - 1)).unwrap_or(7);
            vec![json!(least), json!(most), json!(least - 1), json!(most + 1), json!(0.5)]
        }
        "boolean" => vec![json!(true), json!(false)],
        "null" => vec![json!(null)],
        "array" => lists(entries, root, fuel),
        _ => objects(entries, root, fuel),
    }
}

fn lists(entries: &Map<String, Value>, root: &Value, fuel: usize) -> Vec<Value> {
    let prefix: Vec<Value> = entries
        .get("prefixItems")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|item| values(item, root, fuel - 1).into_iter().next().unwrap_or_default())
        .collect();
    let items = entries.get("items").map_or_else(|| vec![json!("x")], |items| values(items, root, fuel - 1));
    let least = usize::try_from(entries.get("minItems").and_then(Value::as_u64).unwrap_or(0)).unwrap_or(0).min(10);
    let mut filled = prefix.clone();
    filled.extend(items.iter().cycle().take(least.saturating_sub(prefix.len())).cloned());
    let mut found = vec![Value::Array(filled), Value::Array(prefix.clone())];
    let mut all = prefix;
    all.extend(items.into_iter().take(MOST_PER_PART));
    found.push(Value::Array(all));
    found
}

fn objects(entries: &Map<String, Value>, root: &Value, fuel: usize) -> Vec<Value> {
    let mut choices: Vec<(String, Vec<Value>)> = Vec::new();
    for (name, schema) in entries.get("properties").and_then(Value::as_object).into_iter().flatten() {
        choices.push((name.clone(), values(schema, root, fuel - 1)));
    }
    let required: Vec<String> = entries
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    for name in &required {
        if !choices.iter().any(|(known, _)| known == name) {
            choices.push((name.clone(), vec![json!("x")]));
        }
    }
    let pick = |variant: usize, everything: bool| -> Value {
        let chosen = choices.iter().filter(|(name, _)| everything || required.contains(name));
        chosen
            .filter_map(|(name, values)| Some((name.clone(), values.get(variant % values.len().max(1))?.clone())))
            .collect::<Map<String, Value>>()
            .into()
    };
    let mut found = vec![pick(0, false), pick(0, true)];
    found.extend((1..MOST_PER_PART).map(|variant| pick(variant, true)));
    let mut extended = pick(0, false);
    if let Value::Object(members) = &mut extended {
        members.insert("undeclared".to_owned(), json!({"deep": [1]}));
    }
    found.push(extended);
    found
}

/// The value without one member, and with one member changed.
fn mutations(value: &Value) -> Vec<Value> {
    let Value::Object(members) = value else { return Vec::new() };
    let mut found = Vec::new();
    for name in members.keys().take(4) {
        let mut without = members.clone();
        without.shift_remove(name);
        found.push(Value::Object(without));
        for other in [json!(null), json!("text"), json!([[]]), json!({"x": null})] {
            let mut changed = members.clone();
            changed.insert(name.clone(), other);
            found.push(Value::Object(changed));
        }
    }
    found
}
