//! Conversion of a schema to what one provider accepts.

mod arrays;
mod extremes;
mod keys;
mod logic;
mod notes;
mod nulls;
mod objects;
mod references;
mod root;
mod scalars;
mod trust;
mod unions;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use serde::Serialize;
use serde_json::Value;

use crate::{
    codec::{Codec, Step},
    definitions::{self, rename_root},
    intersect::Intersect,
    json::{self, Object},
    keyword::{self, Shape},
    merge,
    naming::Names,
    pointer,
    profile::Profile,
    report::{LossKind, Report},
    resolve,
    schema::Schema,
};
use notes::Notes;

/// A schema in a provider's dialect, with what is needed to understand the arguments a model sends for it.
#[derive(Debug, Clone, Serialize)]
pub struct Conversion {
    /// The schema to send. Its root is an object that the profile accepts.
    pub schema: Value,
    /// Translates the model's arguments back.
    #[serde(skip)]
    pub codec: Codec,
    /// What the schema lost.
    pub report: Report,
    /// The id of the profile it was converted for.
    pub profile: String,
}

/// Converts a schema to a provider's dialect.
///
/// The result accepts everything the original accepts, translated by the codec, except where the report says
/// [`Narrowed`](LossKind::Narrowed). A constraint the provider does not know is dropped, reported, and told the model
/// in the nearest description. Converting never fails: what cannot be expressed is widened.
///
/// 1. The schema is upgraded, its references are resolved and its `allOf` merged, none of which changes its meaning.
/// 2. The root becomes an object: unions at the root are hoisted, anything else is wrapped in a property `value`.
/// 3. Every subschema is rewritten by the profile's rules.
///
/// ```
/// use mcp_schema::{Limits, Profile, Schema, convert};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"filter[name]": {"type": "string"}},
///     "required": ["filter[name]"],
/// });
/// let schema = Schema::parse(schema, Limits::default())?;
/// let conversion = convert(&schema, &Profile::builtin("anthropic").expect("a built-in profile"));
/// assert!(conversion.report.is_lossless());
/// assert_eq!(
///     conversion.codec.decode(json!({"filter_name_": "ann"})),
///     json!({"filter[name]": "ann"}),
/// );
/// # Ok::<(), mcp_schema::Error>(())
/// ```
pub fn convert(schema: &Schema, profile: &Profile) -> Conversion {
    let limits = schema.limits();
    let resolved = resolve::inline(schema.upgraded(), limits);
    let merged = merge::merge_all_of(&resolved, limits).schema;
    let mut lowering = Lowering::new(schema, profile, merged);
    let mut written = lowering.write();
    if lowering.trusted_in_vain(schema) {
        lowering.start_again(schema);
        written = lowering.write();
    }
    let Written { root: Lowered { schema: root, step }, definitions, steps } = written;
    let sent = if definitions.is_empty() {
        root
    } else {
        // A definition that lost what made it recursive is no longer worth a reference.
        resolve::inline(&definitions::assemble(root, definitions), limits).into_owned()
    };
    Conversion {
        schema: sent,
        codec: Codec::new(step, steps),
        report: lowering.report.without_repetitions(),
        profile: profile.id.clone(),
    }
}

/// Converts a schema, and converts it again for the profile's [fallback](Profile::fallback) when the first result is
/// narrowed: a strict mode that would refuse valid arguments gives way to the mode without it.
///
/// [`Conversion::profile`] tells which one was used. `builtin` finds a profile by its id, usually
/// [`Profile::builtin`].
pub fn convert_or_fall_back(
    schema: &Schema,
    profile: &Profile,
    builtin: impl Fn(&str) -> Option<Profile>,
) -> Conversion {
    let conversion = convert(schema, profile);
    if !conversion.report.is_narrowed() {
        return conversion;
    }
    let fallback = profile.fallback.as_deref().and_then(builtin);
    fallback.map_or(conversion, |fallback| convert(schema, &fallback))
}

/// A rewritten subschema and the translation of its values.
#[derive(Debug, Clone)]
struct Lowered {
    schema: Value,
    step: Step,
}

impl Lowered {
    fn plain(schema: Value) -> Self {
        Self { schema, step: Step::Same }
    }
}

/// A rewritten schema.
struct Written {
    root: Lowered,
    definitions: Object,
    steps: BTreeMap<String, Step>,
}

/// Where a subschema stands.
#[derive(Debug, Clone)]
struct At {
    pointer: String,
    /// Objects and arrays around it.
    nesting: usize,
    /// Whether some property on the way is not required.
    is_optional: bool,
    /// Whether it is a branch of `anyOf`, or will become one.
    in_union: bool,
    is_root: bool,
}

impl At {
    fn below(&self, word: &str, token: Option<&str>) -> Self {
        let mut pointer = pointer::join(&self.pointer, word);
        if let Some(token) = token {
            pointer::push(&mut pointer, token);
        }
        Self { pointer, nesting: self.nesting, is_optional: self.is_optional, in_union: false, is_root: false }
    }

    fn inside(&self, word: &str, token: Option<&str>) -> Self {
        Self { nesting: self.nesting + 1, ..self.below(word, token) }
    }
}

/// Nesting levels that are written; every level costs stack.
const DEEPEST: usize = 100;

/// Subschemas that are written before recursion is no longer written out.
const LARGEST_UNROLLING: usize = 200;

/// One conversion in progress.
struct Lowering<'a> {
    profile: &'a Profile,
    /// The merged definitions, and the root under `root_name`.
    originals: Arc<Object>,
    root_name: String,
    /// The names among them that can reach themselves.
    recursive: BTreeSet<String>,
    intersect: Intersect,
    report: Report,
    /// Definitions that were referred to and are still to be written.
    pending: VecDeque<String>,
    referred: Vec<String>,
    /// Recursive definitions being written out, innermost last.
    unrolling: Vec<String>,
    /// Subschemas written so far.
    written: usize,
    /// Subschemas copied into branches so far.
    copied: usize,
    /// What may be written and copied.
    limit: usize,
    /// References written so far.
    references: usize,
    /// Whether definitions are taken to lose nothing, before they are written.
    trusts: bool,
    /// Whether something was kept that must be dropped if they do.
    relies: bool,
    /// Enum values written so far.
    enum_values: usize,
}

impl<'a> Lowering<'a> {
    fn new(schema: &Schema, profile: &'a Profile, mut merged: Value) -> Self {
        let mut originals = definitions::take(&mut merged);
        let mut names = Names::default();
        for name in originals.keys() {
            names.reserve(name);
        }
        let root_name = names.unique("root", usize::MAX);
        originals.insert(root_name.clone(), merged);
        let originals: Object =
            originals.into_iter().map(|(name, body)| (name, rename_root(body, &root_name))).collect();
        let recursive = definitions::on_cycles(&originals).into_iter().map(str::to_owned).collect();
        Self { originals: Arc::new(originals), root_name, recursive, ..Self::empty(schema, profile) }
    }

    /// Before anything is known or written.
    fn empty(schema: &Schema, profile: &'a Profile) -> Self {
        Self {
            profile,
            originals: Arc::default(),
            root_name: String::new(),
            recursive: BTreeSet::new(),
            intersect: Intersect::new(schema.limits()),
            report: schema.report().clone(),
            pending: VecDeque::new(),
            referred: Vec::new(),
            unrolling: Vec::new(),
            written: 0,
            copied: 0,
            // A subschema has two JSON values or more, so a schema that is within its limits is written whole.
            limit: schema.limits().expanded_nodes.max(schema.limits().nodes) / 2,
            references: 0,
            trusts: true,
            relies: false,
            enum_values: 0,
        }
    }

    fn write(&mut self) -> Written {
        let root = self.root();
        let (definitions, steps) = self.definitions();
        Written { root, definitions, steps }
    }

    /// Writes every definition that is referred to.
    fn definitions(&mut self) -> (Object, BTreeMap<String, Step>) {
        let (mut schemas, mut steps) = (Object::new(), BTreeMap::new());
        while let Some(name) = self.pending.pop_front() {
            let Some(body) = self.originals.get(&name).cloned() else { continue };
            let at = At {
                pointer: pointer::join("/$defs", &name),
                nesting: 0,
                is_optional: false,
                in_union: false,
                is_root: false,
            };
            let lowered = self.lower(&body, &at);
            schemas.insert(name.clone(), lowered.schema);
            steps.insert(name, lowered.step);
        }
        (schemas, steps)
    }

    fn lose(&mut self, kind: LossKind, at: &At, word: &str, reason: impl Into<String>) {
        self.report.push(kind, &at.pointer, word, reason);
    }

    /// Rewrites one subschema.
    fn lower(&mut self, schema: &Value, at: &At) -> Lowered {
        self.written += 1;
        let entries = match schema {
            Value::Object(entries) => entries,
            Value::Bool(false) => return self.nothing(at),
            _ => return self.anything(&Object::new()),
        };
        if self.written + self.copied > self.limit || at.nesting > DEEPEST {
            self.lose(LossKind::Widened, at, "$ref", "the schema would grow beyond its limit");
            return self.anything(entries);
        }
        let listed = self.only_values(entries);
        let entries = match &listed {
            Some(Value::Object(listed)) => listed,
            Some(_) => return self.nothing(at),
            None => entries,
        };
        let mut notes = Notes::default();
        let before = self.mark();
        let is_simple = !["allOf", "oneOf", "not", "if"].iter().any(|word| entries.contains_key(*word));
        let mut lowered = if is_simple {
            self.shape(entries, at, &mut notes)
        } else {
            match self.prepare(entries.clone(), at, &mut notes) {
                Value::Object(prepared) => self.shape(&prepared, at, &mut notes),
                Value::Bool(false) => return self.nothing(at),
                _ => self.shape(&Object::new(), at, &mut notes),
            }
        };
        self.open_again(&mut lowered.schema, before, at);
        self.describe(&mut lowered.schema, notes, at);
        lowered
    }

    /// Decides what kind of schema this is: a reference, a union, or a schema of one type.
    fn shape(&mut self, entries: &Object, at: &At, notes: &mut Notes) -> Lowered {
        if entries.contains_key("$ref") {
            return self.reference(entries.clone(), at);
        }
        if let Some(merged) = unions::as_enum(entries) {
            return match self.only_values(&merged) {
                None => self.shape(&merged, at, notes),
                Some(Value::Object(listed)) => self.shape(&listed, at, notes),
                Some(_) => self.nothing(at),
            };
        }
        if entries.contains_key("anyOf") {
            return self.union(entries.clone(), at, notes);
        }
        if !entries.keys().any(|word| keyword::is_assertion(word)) {
            return self.anything(entries);
        }
        let typed = self.with_types(entries, at);
        let entries: &Object = &typed;
        if self.must_split(entries) {
            return self.split(entries, at, notes);
        }
        if self.must_become_text(entries, at) {
            return self.text(entries, at, notes);
        }
        self.typed(entries, at, notes)
    }

    /// Rewrites a schema without unions.
    fn typed(&mut self, entries: &Object, at: &At, notes: &mut Notes) -> Lowered {
        let mut out = Object::new();
        let values = self.values(entries, at, notes);
        if values.listed == scalars::Listed::Nothing {
            return self.nothing(at);
        }
        // Values sent as strings are neither objects nor arrays, whatever they stand for.
        let (mut object, mut array) = if values.are_text {
            Default::default()
        } else {
            (self.object(entries, at, notes), self.array(entries, at))
        };
        // A group is written whole where the first of its keywords stands.
        let types = json::types(entries);
        let speaks = |word: &str| types.as_ref().is_none_or(|types| keyword::speaks_about(word, types));
        for (word, value) in entries.iter().filter(|(word, _)| speaks(word)) {
            match word.as_str() {
                "type" => self.write_type(&mut out, entries, &values),
                "enum" | "const" => out.extend(values.keywords.clone()),
                "properties" | "patternProperties" | "additionalProperties" | "required" => {
                    out.append(&mut object.keywords);
                }
                "items" | "prefixItems" | "maxItems" | "minItems" => out.append(&mut array.keywords),
                _ => self.keyword(&mut out, word, value, (entries, at, notes)),
            }
        }
        // A keyword the profile demands may belong to a group of which the schema says nothing.
        for (word, value) in object.keywords.into_iter().chain(array.keywords) {
            out.entry(word).or_insert(value);
        }
        self.write_null(&mut out, entries, &values, at);
        let says_something = ["type", "anyOf", "$ref", "enum", "const"].iter().any(|word| out.contains_key(*word));
        if !says_something && (self.profile.types.required || self.profile.objects.closed) {
            return self.anything(&out);
        }
        let step = if values.are_text { values.step } else { Step::of_containers(object.step, array.step) };
        translate_annotations(&mut out, &step);
        Lowered { schema: Value::Object(out), step }
    }

    /// Writes one keyword that belongs to no group.
    fn keyword(&mut self, out: &mut Object, word: &str, value: &Value, here: (&Object, &At, &mut Notes)) {
        let (entries, at, notes) = here;
        let accepted = if at.is_root { self.profile.accepts_at_root(word) } else { self.profile.accepts(word) };
        if keyword::is_annotation(word) {
            if accepted {
                out.insert(word.to_owned(), value.clone());
            } else {
                notes.annotation(word, value);
            }
            return;
        }
        if keyword::shape(word) != Shape::Data {
            self.applicator(out, word, value, (accepted, at, notes));
            return;
        }
        match self.scalar(word, value, entries, accepted) {
            scalars::Outcome::Kept(word, value) => {
                out.insert(word, value);
            }
            scalars::Outcome::Weakened(weaker_word, weaker, reason) => {
                self.lose(LossKind::Widened, at, word, reason);
                notes.constraint(word, value);
                out.insert(weaker_word, weaker);
            }
            scalars::Outcome::Dropped(reason) => {
                self.lose(LossKind::Widened, at, word, reason);
                notes.constraint(word, value);
            }
        }
    }

    /// Writes a keyword that holds subschemas and is not handled by its group.
    ///
    /// Below `not`, `if`, `contains` and the like, accepting more means rejecting more above. Such a keyword is kept
    /// only if every subschema survives whole.
    fn applicator(&mut self, out: &mut Object, word: &str, value: &Value, here: (bool, &At, &mut Notes)) {
        let (accepted, at, notes) = here;
        let is_monotone = !matches!(word, "not" | "if" | "then" | "else" | "contains" | "oneOf");
        if accepted {
            let before = self.mark();
            let mut is_exact = true;
            let written = keyword::rebuild(word, value, &mut |token, child| {
                let lowered = self.lower(child, &at.below(word, token));
                is_exact &= lowered.step.is_same();
                lowered.schema
            });
            if is_exact && (is_monotone || self.is_whole_since(before)) {
                out.insert(word.to_owned(), written);
                return;
            }
            if word == "oneOf" && is_exact && !out.contains_key("anyOf") {
                // Two branches of which one was widened may hold at once.
                self.lose(LossKind::Widened, at, word, "a branch accepts more than it should");
                out.insert("anyOf".to_owned(), written);
                return;
            }
            self.report.losses.truncate(before.losses);
        }
        let reason = if accepted { "cannot be written exactly" } else { "the keyword is not accepted" };
        self.lose(LossKind::Widened, at, word, reason);
        notes.constraint(word, value);
    }
}

/// Keeps `default` and `examples` true when values are sent under other names.
fn translate_annotations(out: &mut Object, step: &Step) {
    if step.is_same() {
        return;
    }
    if let Some(default) = out.shift_remove("default")
        && let Step::Values(_) = step
    {
        let sent = Codec::new(step.clone(), BTreeMap::new()).encode(default);
        out.insert("default".to_owned(), sent);
    }
    out.shift_remove("examples");
}
