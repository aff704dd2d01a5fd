//! Rewrites a schema of any draft as one self-contained 2020-12 schema.
//!
//! Every schema that is referred to moves to `$defs` at the root, every reference becomes `#/$defs/name`, and
//! `$id`, `$anchor` and `$dynamicRef` disappear. A dynamic reference is resolved by writing its target once for every
//! set of dynamic anchors under which it is reached, which is finite.

use std::{collections::BTreeMap, rc::Rc};

use indexmap::IndexMap;
use serde_json::Value;

use crate::{
    dialect::Dialect,
    error::Error,
    index::{Index, Place, Unresolved},
    json::Object,
    keyword::{self, Shape},
    limits::Limits,
    naming::Names,
    report::{LossKind, Report},
};

/// Characters of a definition's name.
const LONGEST_NAME: usize = 48;

/// For each dynamic anchor name, the outermost resource on the path that declares it (2020-12 core §8.2.3.2).
type Bindings = Rc<BTreeMap<String, Place>>;

/// A schema under the bindings it is reached with: the unit that is written once.
type Target = (Place, Bindings);

/// A reference that could not be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) pointer: String,
    pub(crate) reference: String,
    pub(crate) why: Unresolved,
}

/// The result of the upgrade.
#[derive(Debug, Default)]
pub(crate) struct Upgraded {
    pub(crate) schema: Value,
    pub(crate) report: Report,
    pub(crate) broken: Vec<Broken>,
}

/// Writes the schema at the root of `index` in 2020-12.
pub(crate) fn upgrade(index: Index<'_>, limits: &Limits) -> Result<Upgraded, Error> {
    let mut writer = Writer::new(index, limits);
    // What is a target is known only after everything has been seen, and a target in the tree is written as a
    // reference: hence two rounds, of which the first keeps only the names. Where only the root is one, one will do.
    let schema = writer.write_all()?;
    let discovered = std::mem::take(&mut writer.targets);
    if discovered.len() == 1 {
        return Ok(Upgraded { schema, ..writer.result });
    }
    writer.result = Upgraded::default();
    writer.known = discovered.clone();
    writer.targets = discovered;
    writer.written = 0;
    let schema = writer.write_all()?;
    let mut result = writer.result;
    result.schema = schema;
    Ok(result)
}

struct Writer<'a, 'l> {
    index: Index<'a>,
    limits: &'l Limits,
    /// Everything referred to, with its name; `""` is the root.
    targets: IndexMap<Target, String>,
    /// The targets of the first round: where one of them stands in the tree, a reference is written.
    known: IndexMap<Target, String>,
    names: Names,
    written: usize,
    result: Upgraded,
}

impl<'a, 'l> Writer<'a, 'l> {
    fn new(index: Index<'a>, limits: &'l Limits) -> Self {
        Self {
            index,
            limits,
            targets: IndexMap::new(),
            known: IndexMap::new(),
            names: Names::default(),
            written: 0,
            result: Upgraded::default(),
        }
    }

    fn write_all(&mut self) -> Result<Value, Error> {
        let place = Place::root(0);
        let bindings = self.enter(&Rc::default(), &place);
        let root = (place, bindings);
        self.targets.entry(root.clone()).or_default();
        let mut schema = self.write(&root)?;
        let mut definitions = Object::new();
        let mut next = 0;
        while let Some((target, name)) = self.targets.get_index(next).map(|(t, name)| (t.clone(), name.clone())) {
            next += 1;
            if !name.is_empty() {
                let body = self.write(&target)?;
                definitions.insert(name, body);
            }
        }
        if !definitions.is_empty()
            && let Value::Object(entries) = &mut schema
        {
            entries.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Ok(schema)
    }

    /// Extends the bindings by the dynamic anchors of the resource at `place`; the outermost resource wins.
    fn enter(&self, bindings: &Bindings, place: &Place) -> Bindings {
        let scope = self.index.scope(place).filter(|_| self.index.is_dynamic());
        let Some(declared) = scope.and_then(|scope| self.index.dynamic_anchors(&scope.base)) else {
            return Rc::clone(bindings);
        };
        let mut extended = (**bindings).clone();
        for (name, place) in declared {
            extended.entry(name.clone()).or_insert_with(|| place.clone());
        }
        Rc::new(extended)
    }

    /// Writes the subschema at a position of the tree.
    fn child(&mut self, place: Place, bindings: &Bindings) -> Result<Value, Error> {
        let bindings = if self.index.opens(&place) { self.enter(bindings, &place) } else { Rc::clone(bindings) };
        let target = (place, bindings);
        if let Some(name) = self.known.get(&target) {
            return Ok(reference_to(name));
        }
        self.write(&target)
    }

    fn write(&mut self, target: &Target) -> Result<Value, Error> {
        self.written += 1;
        let limit = self.limits.nodes;
        if self.written > limit {
            return Err(Error::TooLarge { what: "subschemas after upgrading", limit, found: self.written });
        }
        match self.index.at(&target.0) {
            Some(Value::Object(entries)) => self.write_object(entries, target),
            Some(other) => Ok(other.clone()),
            None => Ok(Value::Bool(true)),
        }
    }

    fn write_object(&mut self, entries: &'a Object, target: &Target) -> Result<Value, Error> {
        let Some(scope) = self.index.scope(&target.0).cloned() else { return Ok(Value::Bool(true)) };
        let mut node = Node { place: &target.0, bindings: &target.1, base: scope.base, out: Object::new() };
        let dialect = scope.reading.dialect;
        let overrides = dialect.reference_overrides() && entries.get("$ref").is_some_and(Value::is_string);
        for (word, value) in entries {
            if overrides && word != "$ref" {
                if keyword::is_annotation(word) && !is_structural(word, dialect) {
                    node.out.insert(word.clone(), value.clone());
                }
            } else if is_structural(word, dialect) {
                self.reference(&mut node, word, value, dialect);
            } else if is_legacy(word, value, dialect) {
                self.legacy(&mut node, entries, word, dialect)?;
            } else if scope.reading.knows(word) {
                self.keyword(&mut node, word, value)?;
            } else {
                let reason = "the keyword has no meaning in the schema's dialect";
                self.result.report.push(LossKind::Repaired, &target.0.pointer, word, reason);
            }
        }
        if dialect == Dialect::Draft201909 && self.index.has_unevaluated_items {
            hide_contains(&mut node.out);
        }
        Ok(Value::Object(node.out))
    }

    /// Writes one keyword that means the same in 2020-12.
    fn keyword(&mut self, node: &mut Node<'_>, word: &str, value: &Value) -> Result<(), Error> {
        let written = self.children(node, word, keyword::shape(word), value)?;
        node.out.insert(word.to_owned(), written);
        Ok(())
    }

    fn children(&mut self, node: &Node<'_>, word: &str, shape: Shape, value: &Value) -> Result<Value, Error> {
        match (shape, value) {
            (Shape::Schema, Value::Object(_)) => self.child(node.place.below(word, None), node.bindings),
            (Shape::List, Value::Array(items)) => (0..items.len())
                .map(|index| self.child(node.place.below(word, Some(&index.to_string())), node.bindings))
                .collect(),
            (Shape::Map, Value::Object(entries)) => {
                let mut written = Object::new();
                for key in entries.keys() {
                    let child = self.child(node.place.below(word, Some(key)), node.bindings)?;
                    written.insert(key.clone(), child);
                }
                Ok(Value::Object(written))
            }
            _ => Ok(value.clone()),
        }
    }

    /// Writes the reference keywords; everything else that only gives schemas a name or a place is left out.
    fn reference(&mut self, node: &mut Node<'_>, word: &str, value: &Value, dialect: Dialect) {
        let Some(reference) = value.as_str() else { return };
        let dynamic = match word {
            "$ref" => false,
            "$dynamicRef" => true,
            "$recursiveRef" if dialect == Dialect::Draft201909 => true,
            _ => return,
        };
        match self.target(node, reference, dynamic) {
            Ok(target) => {
                let name = self.name(target);
                let reference = reference_to(&name);
                if node.out.contains_key("$ref") {
                    add_to_all_of(&mut node.out, reference);
                } else if let Value::Object(reference) = reference {
                    node.out.extend(reference);
                }
            }
            Err(why) => {
                let pointer = node.place.pointer.clone();
                self.result.report.push(LossKind::Widened, &pointer, word, describe(why, reference));
                self.result.broken.push(Broken { pointer, reference: reference.to_owned(), why });
            }
        }
    }

    fn target(&mut self, node: &Node<'_>, reference: &str, dynamic: bool) -> Result<Target, Unresolved> {
        let mut place = self.index.resolve(&node.base, reference)?;
        if dynamic {
            let scope = self.index.scope(&place).ok_or(Unresolved::Dangling)?;
            let declared = self.index.dynamic_anchors(&scope.base);
            // A dynamic reference is dynamic only if what it first reaches is itself a dynamic anchor.
            let name = declared.into_iter().flatten().find(|(_, anchored)| **anchored == place).map(|(name, _)| name);
            if let Some(outermost) = name.filter(|name| names(reference, name)).and_then(|name| node.bindings.get(name))
            {
                place = outermost.clone();
            }
        }
        let bindings = self.enter(node.bindings, &place);
        Ok((place, bindings))
    }

    /// The name of a target, given on first sight.
    fn name(&mut self, target: Target) -> String {
        if let Some(name) = self.targets.get(&target) {
            return name.clone();
        }
        let name = self.names.unique(&wanted_name(&target.0), LONGEST_NAME);
        self.targets.insert(target, name.clone());
        name
    }

    /// Writes a keyword that 2020-12 replaced.
    fn legacy(&mut self, node: &mut Node<'_>, entries: &Object, word: &str, dialect: Dialect) -> Result<(), Error> {
        let Some(value) = entries.get(word) else { return Ok(()) };
        match word {
            "items" => {
                let written = self.children(node, word, Shape::List, value)?;
                if written.as_array().is_some_and(|items| !items.is_empty()) {
                    node.out.insert("prefixItems".to_owned(), written);
                }
            }
            "additionalItems" => {
                if entries.get("items").is_some_and(Value::is_array) {
                    let written = self.children(node, word, Shape::Schema, value)?;
                    node.out.insert("items".to_owned(), written);
                }
            }
            "dependencies" => self.dependencies(node, value)?,
            _ => bound(&mut node.out, entries, word),
        }
        debug_assert!(dialect < Dialect::Draft202012, "2020-12 has no legacy keywords");
        Ok(())
    }

    fn dependencies(&mut self, node: &mut Node<'_>, value: &Value) -> Result<(), Error> {
        let (mut required, mut schemas) = (Object::new(), Object::new());
        for (key, dependency) in value.as_object().into_iter().flatten() {
            if dependency.is_array() {
                required.insert(key.clone(), dependency.clone());
            } else {
                let child = self.child(node.place.below("dependencies", Some(key)), node.bindings)?;
                schemas.insert(key.clone(), child);
            }
        }
        for (word, entries) in [("dependentRequired", required), ("dependentSchemas", schemas)] {
            if !entries.is_empty() {
                node.out.insert(word.to_owned(), Value::Object(entries));
            }
        }
        Ok(())
    }
}

/// The schema object being written.
struct Node<'a> {
    place: &'a Place,
    bindings: &'a Bindings,
    base: String,
    out: Object,
}

/// Whether a keyword names, locates or refers, and so has no place in a self-contained schema.
fn is_structural(word: &str, dialect: Dialect) -> bool {
    matches!(
        word,
        "$schema"
            | "$id"
            | "$anchor"
            | "$dynamicAnchor"
            | "$recursiveAnchor"
            | "$vocabulary"
            | "$defs"
            | "definitions"
            | "$ref"
            | "$dynamicRef"
            | "$recursiveRef"
    ) || (word == "id" && dialect == Dialect::Draft4)
}

/// Whether a keyword has to be written differently in 2020-12.
fn is_legacy(word: &str, value: &Value, dialect: Dialect) -> bool {
    match word {
        "items" => dialect <= Dialect::Draft201909 && value.is_array(),
        "additionalItems" => dialect <= Dialect::Draft201909,
        "dependencies" => dialect <= Dialect::Draft7,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => dialect == Dialect::Draft4,
        _ => false,
    }
}

/// Draft 4 writes an exclusive bound as a flag beside the bound.
fn bound(out: &mut Object, entries: &Object, word: &str) {
    let (limit, flag) = match word {
        "minimum" => ("minimum", "exclusiveMinimum"),
        "maximum" => ("maximum", "exclusiveMaximum"),
        // A number here is a keyword of draft 6 under the name of draft 4, and can only mean what it means there.
        other => {
            let number = entries.get(other).filter(|value| value.is_number());
            out.extend(number.map(|value| (other.to_owned(), value.clone())));
            return;
        }
    };
    let is_exclusive = entries.get(flag) == Some(&Value::Bool(true));
    if let Some(value) = entries.get(limit) {
        out.insert(if is_exclusive { flag } else { limit }.to_owned(), value.clone());
    }
}

/// In 2019-09 `contains` does not make items evaluated, in 2020-12 it does; below `not` no annotation escapes.
fn hide_contains(out: &mut Object) {
    let mut hidden = Object::new();
    for word in ["contains", "minContains", "maxContains"] {
        hidden.extend(out.shift_remove(word).map(|value| (word.to_owned(), value)));
    }
    if hidden.contains_key("contains") {
        add_to_all_of(out, serde_json::json!({ "not": { "not": hidden } }));
    }
}

/// Adds one more conjunct.
pub(crate) fn add_to_all_of(out: &mut Object, schema: Value) {
    match out.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
        Value::Array(branches) => branches.push(schema),
        other => *other = Value::Array(vec![schema]),
    }
}

fn reference_to(name: &str) -> Value {
    let reference = if name.is_empty() { "#".to_owned() } else { format!("#/$defs/{name}") };
    serde_json::json!({ "$ref": reference })
}

/// Whether a dynamic reference is written by the anchor's name; `#` is `$recursiveRef`'s only form.
fn names(reference: &str, anchor: &str) -> bool {
    reference.split_once('#').is_some_and(|(_, fragment)| fragment == anchor)
}

fn describe(why: Unresolved, reference: &str) -> String {
    match why {
        Unresolved::External => format!("`{reference}` leads out of the schema and is never fetched"),
        Unresolved::Dangling => format!("`{reference}` refers to nothing"),
    }
}

/// A readable name: the last token of the pointer, with its owner in front where it says too little alone.
fn wanted_name(place: &Place) -> String {
    let tokens: Vec<&str> = place.pointer.split('/').skip(1).collect();
    let name = match tokens.as_slice() {
        [] => "root".to_owned(),
        [.., "$defs" | "definitions", name] => (*name).to_owned(),
        _ => {
            let telling: Vec<&str> = tokens.iter().copied().filter(|token| !is_filler(token)).collect();
            let last: Vec<&str> = telling.iter().rev().take(2).rev().copied().collect();
            if last.is_empty() { "schema".to_owned() } else { last.join("_") }
        }
    };
    let decoded = crate::pointer::unescape(&name);
    let plain = decoded.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' });
    let name: String = plain.take(LONGEST_NAME).collect();
    if name.is_empty() { "schema".to_owned() } else { name }
}

fn is_filler(token: &str) -> bool {
    matches!(keyword::shape(token), Shape::Map | Shape::List | Shape::Schema)
        || token.chars().all(|char| char.is_ascii_digit())
        || token == "definitions"
}
