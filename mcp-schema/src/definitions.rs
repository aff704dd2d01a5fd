//! The graph that a self-contained schema's `$ref`s make of its `$defs`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{json::Object, keyword, limits::node_count};

/// The root's name in the graph.
pub(crate) const ROOT: &str = "";

/// Expansions above this many JSON values stay behind their `$ref`: a reader gains nothing from more text.
const LARGEST_EXPANSION: usize = 500;

/// Expansions that would nest deeper than this stay behind their `$ref`, which bounds every later recursion.
const DEEPEST_EXPANSION: usize = 48;

/// The name a reference of a self-contained schema points to.
pub(crate) fn target(reference: &Value) -> Option<&str> {
    let reference = reference.as_str()?;
    if reference == "#" { Some(ROOT) } else { reference.strip_prefix("#/$defs/") }
}

/// What is known about one definition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Facts {
    /// Whether it can reach itself.
    pub(crate) is_recursive: bool,
    /// JSON values after its references have been inlined.
    pub(crate) size: usize,
    /// Nesting depth after its references have been inlined.
    pub(crate) depth: usize,
    /// Nesting depth when every reference is followed, counting a cycle once.
    pub(crate) reach: usize,
}

impl Facts {
    /// Whether writing the definition out in place of a reference is possible and within budget.
    pub(crate) fn can_inline(&self) -> bool {
        !self.is_recursive && self.size <= LARGEST_EXPANSION && self.depth <= DEEPEST_EXPANSION
    }
}

/// A self-contained 2020-12 schema taken apart: its root without `$defs`, its definitions, and facts about both.
#[derive(Debug, Clone)]
pub(crate) struct Definitions<'a> {
    bodies: BTreeMap<&'a str, &'a Value>,
    facts: BTreeMap<&'a str, Facts>,
}

impl<'a> Definitions<'a> {
    /// Reads the graph of a self-contained schema.
    pub(crate) fn of(schema: &'a Value) -> Self {
        let mut bodies = BTreeMap::from([(ROOT, schema)]);
        let declared = schema.get("$defs").and_then(Value::as_object);
        bodies.extend(declared.into_iter().flatten().map(|(name, body)| (name.as_str(), body)));
        let edges: BTreeMap<&str, Vec<(&str, usize)>> = bodies.iter().map(|(name, body)| (*name, uses(body))).collect();
        let recursive = recursive(&edges);
        let facts = measure(&bodies, &edges, &recursive);
        Self { bodies, facts }
    }

    pub(crate) fn body(&self, name: &str) -> Option<&'a Value> {
        self.bodies.get(name).copied()
    }

    pub(crate) fn facts(&self, name: &str) -> Option<&Facts> {
        self.facts.get(name)
    }

    /// The deepest nesting that following the references leads to.
    pub(crate) fn reach(&self) -> usize {
        self.facts.values().map(|facts| facts.reach).max().unwrap_or(0)
    }
}

/// The references in one body, with the depth each stands at; `$defs` is not part of the body.
pub(crate) fn uses(body: &Value) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut pending = vec![(body, 1)];
    while let Some((schema, depth)) = pending.pop() {
        let Value::Object(entries) = schema else { continue };
        found.extend(entries.get("$ref").and_then(target).map(|name| (name, depth)));
        let children = keyword::children(entries).filter(|(word, ..)| *word != "$defs");
        pending.extend(children.map(|(_, token, child)| (child, depth + if token.is_some() { 2 } else { 1 })));
    }
    found
}

/// The names on a cycle of definitions that refer to each other by name only.
pub(crate) fn on_cycles(definitions: &Object) -> BTreeSet<&str> {
    recursive(&definitions.iter().map(|(name, body)| (name.as_str(), uses(body))).collect())
}

/// Finds what lies on a cycle, or between two cycles, by removing everything that does not.
fn recursive<'a>(edges: &BTreeMap<&'a str, Vec<(&'a str, usize)>>) -> BTreeSet<&'a str> {
    let outward = |name: &'a str| edges.get(name).into_iter().flatten().map(|(target, _)| *target);
    let reaches_cycle = prune(edges.keys().copied().collect(), outward);
    let mut inward: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in &reaches_cycle {
        for target in outward(name).filter(|target| reaches_cycle.contains(target)) {
            inward.entry(target).or_default().push(name);
        }
    }
    prune(reaches_cycle, |name| inward.get(name).into_iter().flatten().copied())
}

/// Removes, again and again, the names that `next` leads nowhere from; what is left is on a cycle or leads to one.
pub(crate) fn prune<'a, Next: Iterator<Item = &'a str>>(
    mut alive: BTreeSet<&'a str>,
    next: impl Fn(&'a str) -> Next,
) -> BTreeSet<&'a str> {
    let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reverse: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in &alive {
        for target in next(name).filter(|target| alive.contains(target)) {
            *waiting.entry(name).or_default() += 1;
            reverse.entry(target).or_default().push(name);
        }
    }
    let mut done: Vec<&str> = alive.iter().copied().filter(|name| !waiting.contains_key(name)).collect();
    while let Some(name) = done.pop() {
        alive.remove(name);
        for source in reverse.get(name).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(source) {
                *count -= 1;
                if *count == 0 {
                    done.push(source);
                }
            }
        }
    }
    alive
}

/// Computes the facts leaves first, so that no chain of references can drive a recursion.
fn measure<'a>(
    bodies: &BTreeMap<&'a str, &'a Value>,
    edges: &BTreeMap<&'a str, Vec<(&'a str, usize)>>,
    recursive: &BTreeSet<&'a str>,
) -> BTreeMap<&'a str, Facts> {
    let mut facts: BTreeMap<&str, Facts> = BTreeMap::new();
    for name in leaves_first(edges, recursive) {
        let Some(body) = bodies.get(name) else { continue };
        let own = Facts {
            is_recursive: recursive.contains(name),
            size: own_size(body),
            depth: depth(body),
            reach: depth(body),
        };
        let uses = edges.get(name).into_iter().flatten();
        let total = uses.fold(own, |mut total, (target, at)| {
            let below = facts.get(target).cloned().unwrap_or_default();
            total.reach = total.reach.max(at + below.reach);
            if below.can_inline() {
                // The reference goes: it is an object and a string.
                total.size = total.size.saturating_add(below.size).saturating_sub(2);
                total.depth = total.depth.max(at + below.depth);
            }
            total
        });
        facts.insert(name, total);
    }
    facts
}

/// The names in an order in which everything a name refers to comes before it, recursion aside.
fn leaves_first<'a>(edges: &BTreeMap<&'a str, Vec<(&'a str, usize)>>, recursive: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let mut order = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for start in recursive.iter().copied().chain(edges.keys().copied()) {
        let mut stack = vec![(start, false)];
        while let Some((name, is_done)) = stack.pop() {
            if is_done {
                order.push(name);
            } else if seen.insert(name) {
                stack.push((name, true));
                let targets = edges.get(name).into_iter().flatten().map(|(target, _)| *target);
                stack.extend(targets.filter(|target| !seen.contains(target)).map(|target| (target, false)));
            }
        }
    }
    order
}

fn own_size(body: &Value) -> usize {
    let definitions = body.get("$defs").map_or(0, node_count);
    node_count(body).saturating_sub(definitions)
}

fn depth(body: &Value) -> usize {
    let mut deepest = 0;
    let mut pending = vec![(body, 1)];
    while let Some((schema, depth)) = pending.pop() {
        deepest = deepest.max(depth);
        let Value::Object(entries) = schema else { continue };
        let children = keyword::children(entries).filter(|(word, ..)| *word != "$defs");
        pending.extend(children.map(|(_, token, child)| (child, depth + if token.is_some() { 2 } else { 1 })));
    }
    deepest
}

/// Takes the definitions out of a root.
pub(crate) fn take(root: &mut Value) -> Object {
    match root.as_object_mut().and_then(|entries| entries.shift_remove("$defs")) {
        Some(Value::Object(definitions)) => definitions,
        _ => Object::new(),
    }
}

/// Joins a root and its definitions, keeping only the definitions that are reachable, in the order given.
pub(crate) fn assemble(root: Value, mut definitions: Object) -> Value {
    let reachable = reachable(&root, &definitions);
    definitions.retain(|name, _| reachable.contains(name));
    join(root, definitions)
}

/// As [`assemble`], with copies of the definitions.
pub(crate) fn close(root: Value, definitions: &Object) -> Value {
    let reachable = reachable(&root, definitions);
    let kept = definitions.iter().filter(|(name, _)| reachable.contains(*name));
    let kept = kept.map(|(name, body)| (name.clone(), body.clone())).collect();
    join(root, kept)
}

fn reachable(root: &Value, definitions: &Object) -> BTreeSet<String> {
    let mut reachable: BTreeSet<String> = BTreeSet::new();
    let mut pending: Vec<String> = uses(root).into_iter().map(|(name, _)| name.to_owned()).collect();
    while let Some(name) = pending.pop() {
        if let Some(body) = definitions.get(&name).filter(|_| !reachable.contains(&name)) {
            pending.extend(uses(body).into_iter().map(|(name, _)| name.to_owned()));
            reachable.insert(name);
        }
    }
    reachable
}

fn join(root: Value, definitions: Object) -> Value {
    match root {
        Value::Object(mut entries) => {
            entries.shift_remove("$defs");
            if !definitions.is_empty() {
                entries.insert("$defs".to_owned(), Value::Object(definitions));
            }
            Value::Object(entries)
        }
        other => other,
    }
}

/// Rewrites references to the root, so that they can be followed among the definitions.
pub(crate) fn rename_root(mut schema: Value, name: &str) -> Value {
    rename_in_place(&mut schema, name);
    schema
}

fn rename_in_place(schema: &mut Value, name: &str) {
    let Value::Object(entries) = schema else { return };
    for (word, value) in entries.iter_mut() {
        if word == "$ref" && value == "#" {
            *value = Value::String(format!("#/$defs/{name}"));
        } else {
            keyword::for_each_mut(word, value, &mut |child| rename_in_place(child, name));
        }
    }
}
