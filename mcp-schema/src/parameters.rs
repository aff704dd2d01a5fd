//! The parameters of a tool as a person or a search index sees them.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::{
    definitions, intersect,
    json::{self, Object},
    schema::{Schema, merge_all_of},
};

/// Levels of references and arrays that a type is written for.
const DEEPEST: usize = 6;

/// Values of an enum that a type shows.
const MOST_VALUES: usize = 12;

/// One top-level parameter of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The property's name, as the server knows it.
    pub name: String,
    /// The property's description, its title without one.
    pub description: Option<String>,
    /// A readable type: `string`, `integer|null`, `"a"|"b"`, `string[]`, `object`, `any`.
    #[serde(rename = "type")]
    pub type_: String,
    /// Whether every call must give it.
    pub required: bool,
}

/// Lists the parameters a schema describes, in the order of the schema.
///
/// References and `allOf` are looked through. Where the root is a union, the parameters of all branches are listed,
/// required only if all branches require them.
///
/// ```
/// use mcp_schema::{Limits, Schema, parameters};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"ids": {"type": "array", "items": {"$ref": "#/$defs/id"}}, "order": {"enum": ["asc", "desc"]}},
///     "required": ["ids"],
///     "$defs": {"id": {"type": "integer"}},
/// });
/// let found = parameters(&Schema::parse(schema, Limits::default())?);
/// let shown: Vec<String> = found.iter().map(|p| format!("{}: {}", p.name, p.type_)).collect();
/// assert_eq!(shown, ["ids: integer[]", r#"order: "asc"|"desc""#]);
/// # Ok::<(), mcp_schema::Error>(())
/// ```
pub fn parameters(schema: &Schema) -> Vec<Parameter> {
    let merged = merge_all_of(schema).schema;
    let definitions = merged.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let view = View { root: &merged, definitions: &definitions };
    let mut found = IndexMap::new();
    view.collect(&merged, Reach { is_certain: true, fuel: DEEPEST }, &mut found);
    found.into_values().collect()
}

/// How a part of the schema is reached.
#[derive(Debug, Clone, Copy)]
struct Reach {
    /// Whether the part holds for every call, not just for some branch.
    is_certain: bool,
    fuel: usize,
}

impl Reach {
    fn below(self) -> Self {
        Self { fuel: self.fuel.saturating_sub(1), ..self }
    }
}

struct View<'a> {
    root: &'a Value,
    definitions: &'a Object,
}

impl<'a> View<'a> {
    fn target(&self, entries: &Object) -> Option<&'a Value> {
        match definitions::target(entries.get("$ref")?)? {
            definitions::ROOT => Some(self.root),
            name => self.definitions.get(name),
        }
    }

    fn collect(&self, schema: &Value, reach: Reach, found: &mut IndexMap<String, Parameter>) {
        let (Value::Object(entries), true) = (schema, reach.fuel > 0) else { return };
        let required = json::strings(entries, "required");
        for (name, property) in entries.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let parameter = self.parameter(name, property, reach.is_certain && required.contains(&name.as_str()));
            match found.get_mut(name) {
                Some(known) if known.type_ != parameter.type_ => {
                    known.type_ = format!("{}|{}", known.type_, parameter.type_);
                }
                Some(known) => known.required |= parameter.required,
                None => {
                    found.insert(name.clone(), parameter);
                }
            }
        }
        for name in required.iter().filter(|_| reach.is_certain) {
            if let Some(known) = found.get_mut(*name) {
                known.required = true;
            }
        }
        if let Some(target) = self.target(entries) {
            self.collect(target, reach.below(), found);
        }
        for branch in branches(entries, "allOf") {
            self.collect(branch, reach.below(), found);
        }
        for word in ["anyOf", "oneOf"] {
            let all: Vec<&Value> = branches(entries, word).collect();
            self.collect_union(&all, reach, found);
        }
    }

    fn collect_union(&self, all: &[&Value], reach: Reach, found: &mut IndexMap<String, Parameter>) {
        let by_all = |name: &str| {
            all.iter()
                .all(|branch| branch.as_object().is_some_and(|map| json::strings(map, "required").contains(&name)))
        };
        for branch in all {
            self.collect(branch, Reach { is_certain: false, ..reach.below() }, found);
        }
        for known in found.values_mut().filter(|known| reach.is_certain && !all.is_empty() && by_all(&known.name)) {
            known.required = true;
        }
    }

    fn parameter(&self, name: &str, schema: &Value, required: bool) -> Parameter {
        let own = |word: &str| schema.get(word).and_then(Value::as_str).map(str::to_owned);
        let referred = schema.as_object().and_then(|entries| self.target(entries));
        let inherited = referred.and_then(|target| target.get("description")).and_then(Value::as_str);
        let description = own("description").or_else(|| own("title")).or_else(|| inherited.map(str::to_owned));
        Parameter { name: name.to_owned(), description, type_: self.type_of(schema, DEEPEST), required }
    }

    fn type_of(&self, schema: &Value, fuel: usize) -> String {
        let (Value::Object(entries), true) = (schema, fuel > 0) else {
            return if *schema == Value::Bool(false) { "never".to_owned() } else { "any".to_owned() };
        };
        if let Some(target) = self.target(entries) {
            return self.type_of(target, fuel - 1);
        }
        if let Some(values) = intersect::allowed(entries) {
            return values_type(&values);
        }
        if let Some(names) = json::types(entries) {
            let shown = names.iter().map(|name| self.named(name, entries, fuel)).collect();
            return union(shown);
        }
        for word in ["anyOf", "oneOf"] {
            let shown: Vec<String> = branches(entries, word).map(|branch| self.type_of(branch, fuel - 1)).collect();
            if !shown.is_empty() {
                return union(shown);
            }
        }
        match branches(entries, "allOf").map(|branch| self.type_of(branch, fuel - 1)).find(|shown| shown != "any") {
            Some(shown) => shown,
            None if entries.contains_key("properties") => "object".to_owned(),
            None if entries.contains_key("items") => self.named("array", entries, fuel),
            None => "any".to_owned(),
        }
    }

    fn named(&self, name: &str, entries: &Object, fuel: usize) -> String {
        if name != "array" {
            return name.to_owned();
        }
        let items = entries.get("items").map_or_else(|| "any".to_owned(), |items| self.type_of(items, fuel - 1));
        if items.contains('|') { format!("({items})[]") } else { format!("{items}[]") }
    }
}

fn branches<'a>(entries: &'a Object, word: &str) -> impl Iterator<Item = &'a Value> {
    entries.get(word).and_then(Value::as_array).into_iter().flatten()
}

fn values_type(values: &[Value]) -> String {
    let mut shown: Vec<String> = values.iter().take(MOST_VALUES).map(Value::to_string).collect();
    if values.len() > MOST_VALUES {
        shown.push("…".to_owned());
    }
    union(shown)
}

fn union(names: Vec<String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    match unique.as_slice() {
        [] => "never".to_owned(),
        names if names.iter().any(|name| name == "any") => "any".to_owned(),
        names => names.join("|"),
    }
}
