//! Finds every resource and anchor of a set of documents, so that references can be resolved without fetching.

use std::collections::BTreeMap;

use referencing::uri;
use serde_json::Value;

use crate::{
    dialect::{Dialect, Reading},
    json::Object,
    keyword, pointer,
};

/// The base of a document without an `$id`.
const ROOT: &str = "json-schema:///";

/// A subschema: a document and a JSON pointer into it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) document: usize,
    pub(crate) pointer: String,
}

impl Place {
    pub(crate) fn root(document: usize) -> Self {
        Self { document, pointer: String::new() }
    }

    pub(crate) fn below(&self, keyword: &str, token: Option<&str>) -> Self {
        let mut pointer = pointer::join(&self.pointer, keyword);
        if let Some(token) = token {
            pointer::push(&mut pointer, token);
        }
        Self { document: self.document, pointer }
    }
}

/// The resource a subschema belongs to: its base URI and how it is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) base: String,
    pub(crate) reading: Reading,
}

/// Why a reference reaches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// It leads to a document nobody supplied.
    External,
    /// Its document is known, but has nothing there.
    Dangling,
}

#[derive(Debug)]
struct Document<'a> {
    root: &'a Value,
    /// Scopes by the pointer of the subschema that opens them; the root's is always there.
    scopes: BTreeMap<String, Scope>,
}

/// All resources and anchors of the schema, of the resources supplied with it and of the metaschemas it refers to.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    documents: Vec<Document<'a>>,
    resources: BTreeMap<String, Place>,
    anchors: BTreeMap<(String, String), Place>,
    /// `$dynamicAnchor`s by base URI and name. `$recursiveAnchor: true` is the anchor with the empty name.
    dynamic: BTreeMap<String, BTreeMap<String, Place>>,
    /// Whether `unevaluatedItems` occurs anywhere, which decides how a 2019-09 `contains` is upgraded.
    pub(crate) has_unevaluated_items: bool,
}

impl<'a> Index<'a> {
    /// Indexes the schema as document 0, then the resources under their retrieval URIs.
    pub(crate) fn new(schema: &'a Value, reading: Reading, resources: &[(&str, &'a Value)]) -> Self {
        let mut index = Self {
            documents: Vec::new(),
            resources: BTreeMap::new(),
            anchors: BTreeMap::new(),
            dynamic: BTreeMap::new(),
            has_unevaluated_items: false,
        };
        index.add(ROOT, schema, reading);
        for (retrieval, resource) in resources {
            let own = resource.get("$schema").and_then(Value::as_str);
            let reading = own.and_then(|own| read(own, resources)).unwrap_or(reading);
            index.add(retrieval, resource, reading);
        }
        index
    }

    fn add(&mut self, retrieval: &str, root: &'a Value, reading: Reading) {
        let document = self.documents.len();
        let base = absolute(ROOT, retrieval).unwrap_or_else(|| retrieval.to_owned());
        let scope = Scope { base: base.clone(), reading };
        self.resources.entry(base).or_insert_with(|| Place::root(document));
        self.documents.push(Document { root, scopes: BTreeMap::from([(String::new(), scope.clone())]) });
        self.scan(root, &Place::root(document), &scope);
    }

    /// Records what `schema` declares, then descends; the caller's limits bound the depth.
    fn scan(&mut self, schema: &'a Value, place: &Place, outer: &Scope) {
        let Value::Object(entries) = schema else { return };
        let scope = self.declare(entries, place, outer);
        for (word, value) in entries {
            self.has_unevaluated_items |= word == "unevaluatedItems";
            let shape = keyword::shape_in(scope.reading.dialect, word, value);
            for (word, token, child) in keyword::below(word, shape, value) {
                self.scan(child, &place.below(word, token.as_deref()), &scope);
            }
        }
    }

    fn declare(&mut self, entries: &Object, place: &Place, outer: &Scope) -> Scope {
        let dialect = outer.reading.dialect;
        if dialect.reference_overrides() && entries.get("$ref").is_some_and(Value::is_string) {
            return outer.clone();
        }
        let text = |word: &str| entries.get(word).and_then(Value::as_str);
        let declared = text("$schema").and_then(|uri| Dialect::from_uri(uri).ok()).map(Reading::from);
        let reading = declared.unwrap_or(outer.reading);
        let mut scope = Scope { base: outer.base.clone(), reading };
        if let Some(id) = text(reading.dialect.id_keyword()) {
            if let Some(name) = id.strip_prefix('#').filter(|_| dialect <= Dialect::Draft7) {
                self.anchors.entry((scope.base.clone(), name.to_owned())).or_insert_with(|| place.clone());
            } else if let Some(base) = absolute(&outer.base, id) {
                scope.base.clone_from(&base);
                self.resources.entry(base).or_insert_with(|| place.clone());
                self.open(place, &scope);
            }
        }
        self.declare_anchors(entries, place, &scope);
        scope
    }

    fn open(&mut self, place: &Place, scope: &Scope) {
        if let Some(document) = self.documents.get_mut(place.document) {
            document.scopes.insert(place.pointer.clone(), scope.clone());
        }
    }

    fn declare_anchors(&mut self, entries: &Object, place: &Place, scope: &Scope) {
        let text = |word: &str| entries.get(word).and_then(Value::as_str);
        let dialect = scope.reading.dialect;
        let dynamic = match dialect {
            Dialect::Draft202012 => text("$dynamicAnchor"),
            Dialect::Draft201909 => (entries.get("$recursiveAnchor") == Some(&Value::Bool(true))).then_some(""),
            _ => None,
        };
        let plain = text("$anchor").filter(|_| dialect >= Dialect::Draft201909);
        for name in plain.into_iter().chain(dynamic) {
            self.anchors.entry((scope.base.clone(), name.to_owned())).or_insert_with(|| place.clone());
        }
        if let Some(name) = dynamic {
            let names = self.dynamic.entry(scope.base.clone()).or_default();
            names.entry(name.to_owned()).or_insert_with(|| place.clone());
        }
    }

    /// Whether any reference can depend on the path by which it was reached.
    pub(crate) fn is_dynamic(&self) -> bool {
        !self.dynamic.is_empty()
    }

    /// The dynamic anchors of one resource.
    pub(crate) fn dynamic_anchors(&self, base: &str) -> Option<&BTreeMap<String, Place>> {
        self.dynamic.get(base)
    }

    /// The resource a place belongs to.
    pub(crate) fn scope(&self, place: &Place) -> Option<&Scope> {
        let scopes = &self.documents.get(place.document)?.scopes;
        let mut prefix = place.pointer.as_str();
        loop {
            if let Some(scope) = scopes.get(prefix) {
                return Some(scope);
            }
            prefix = prefix.rsplit_once('/').map_or("", |(shorter, _)| shorter);
        }
    }

    /// Whether a new resource starts exactly here.
    pub(crate) fn opens(&self, place: &Place) -> bool {
        self.documents.get(place.document).is_some_and(|document| document.scopes.contains_key(&place.pointer))
    }

    /// The schema at a place.
    pub(crate) fn at(&self, place: &Place) -> Option<&'a Value> {
        self.documents.get(place.document)?.root.pointer(&place.pointer)
    }

    /// Resolves a reference against the base of the resource it is written in.
    pub(crate) fn resolve(&mut self, base: &str, reference: &str) -> Result<Place, Unresolved> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let target =
            if document.is_empty() { base.to_owned() } else { absolute(base, document).ok_or(Unresolved::Dangling)? };
        let root = self.resource(&target).ok_or(Unresolved::External)?;
        let fragment = pointer::percent_decode(fragment);
        if fragment.is_empty() {
            return Ok(root);
        }
        if !fragment.starts_with('/') {
            return self.anchors.get(&(target, fragment)).cloned().ok_or(Unresolved::Dangling);
        }
        let start = self.at(&root).ok_or(Unresolved::Dangling)?;
        let below = pointer::follow(start, &fragment).ok_or(Unresolved::Dangling)?;
        Ok(Place { document: root.document, pointer: root.pointer + &below })
    }

    fn resource(&mut self, target: &str) -> Option<Place> {
        if !self.resources.contains_key(target) {
            let metaschema = metaschema(target)?;
            self.add(target, metaschema, Dialect::from_uri(metaschema.get("$schema")?.as_str()?).ok()?.into());
        }
        self.resources.get(target).cloned()
    }
}

/// How a `$schema` is to be read, when it is a known draft or a metaschema among the resources.
pub(crate) fn read(uri: &str, resources: &[(&str, &Value)]) -> Option<Reading> {
    let known = Dialect::from_uri(uri).ok().map(Reading::from);
    known.or_else(|| {
        let metaschema = resources.iter().find(|(retrieval, _)| *retrieval == uri.trim_end_matches('#'));
        metaschema.and_then(|(_, value)| Reading::of_metaschema(value))
    })
}

/// Resolves `reference` against `base`, without its fragment.
fn absolute(base: &str, reference: &str) -> Option<String> {
    let base = uri::from_str(base).ok()?;
    let resolved = uri::resolve_against(&base.borrow(), reference).ok()?;
    let text = resolved.as_str();
    Some(text.split_once('#').map_or(text, |(before, _)| before).to_owned())
}

/// The official metaschemas, which are part of every validator and need no fetching.
fn metaschema(target: &str) -> Option<&'static Value> {
    use referencing::meta;
    let known: [&'static Value; 19] = [
        &meta::DRAFT4,
        &meta::DRAFT6,
        &meta::DRAFT7,
        &meta::DRAFT201909,
        &meta::DRAFT201909_APPLICATOR,
        &meta::DRAFT201909_CONTENT,
        &meta::DRAFT201909_CORE,
        &meta::DRAFT201909_FORMAT,
        &meta::DRAFT201909_META_DATA,
        &meta::DRAFT201909_VALIDATION,
        &meta::DRAFT202012,
        &meta::DRAFT202012_CORE,
        &meta::DRAFT202012_APPLICATOR,
        &meta::DRAFT202012_UNEVALUATED,
        &meta::DRAFT202012_VALIDATION,
        &meta::DRAFT202012_META_DATA,
        &meta::DRAFT202012_FORMAT_ANNOTATION,
        &meta::DRAFT202012_FORMAT_ASSERTION,
        &meta::DRAFT202012_CONTENT,
    ];
    known.into_iter().find(|schema| {
        let id = schema.get("$id").or_else(|| schema.get("id")).and_then(Value::as_str);
        id.is_some_and(|id| id.trim_end_matches('#') == target)
    })
}
