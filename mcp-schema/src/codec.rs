//! Translates a model's arguments back to what the server's own schema means, and forwards for showing history.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::{fuel::Fuel, guard::Guard, json::Object};

/// Arguments nested deeper than this are passed through as they are.
const DEEPEST: usize = 128;

/// How the values of one converted schema translate to values of the original.
#[derive(Debug, Clone, Default)]
pub(crate) enum Step {
    /// Both are the same.
    #[default]
    Same,
    /// A property bag.
    Object(Box<ObjectStep>),
    /// A list: the first items have a step each, the others share one.
    Array { prefix: Vec<Self>, items: Box<Self> },
    /// A value that may be an object as well as a list.
    Containers { object: Box<Self>, array: Box<Self> },
    /// Values that are sent under another name.
    Values(Vec<Renamed>),
    /// A value sent as its JSON text, if it is one of these.
    JsonText(TextOf),
    /// The first alternative that fits.
    Alternatives(Vec<Alternative>),
    /// The step of a definition, by its name.
    Definition(String),
    /// An object around the only property, which is the original value.
    Unwrap { property: String, step: Box<Self> },
}

/// The values that travel as JSON text; strings always stand for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TextOf {
    /// Arrays and objects.
    Containers,
    /// Arrays, objects and null.
    ContainersAndNull,
    /// Everything.
    Everything,
}

impl TextOf {
    fn holds(self, value: &Value) -> bool {
        match value {
            Value::Array(_) | Value::Object(_) => true,
            Value::Null => self != Self::Containers,
            Value::Bool(_) | Value::Number(_) => self == Self::Everything,
            Value::String(_) => false,
        }
    }
}

/// One value that is sent under another name.
#[derive(Debug, Clone)]
pub(crate) struct Renamed {
    pub(crate) sent: Value,
    pub(crate) original: Value,
}

/// One branch of a union.
#[derive(Debug, Clone)]
pub(crate) struct Alternative {
    /// Admits what the original branch accepts.
    pub(crate) original: Guard,
    pub(crate) step: Step,
}

/// How the properties of an object translate.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectStep {
    /// In the order of the schema.
    pub(crate) properties: Vec<PropertyStep>,
    pub(crate) additional: Step,
}

/// How one property translates.
#[derive(Debug, Clone)]
pub(crate) struct PropertyStep {
    pub(crate) original: String,
    pub(crate) sent: String,
    /// Whether `null` is sent for leaving the property out.
    pub(crate) null_is_absent: bool,
    pub(crate) step: Step,
}

/// Underscores at the end of a name up to which it is told apart from an alias; nobody's name has more.
const MOST_UNDERSCORES: usize = 32;

impl ObjectStep {
    /// The declared property of a name on one side.
    fn property(&self, name: &str, direction: Direction) -> Option<&PropertyStep> {
        self.properties.iter().find(|property| property.name(direction) == name)
    }

    /// The name on the other side of a property that is not declared: the same, unless it could be taken for an alias.
    ///
    /// The names `alias`, `alias_`, `alias__`, … are a row. Those of them that are free on one side translate to those
    /// that are free on the other, in order.
    fn undeclared(&self, name: String, direction: Direction) -> String {
        let aliases = self.properties.iter().filter(|property| property.sent != property.original);
        let is_of_row = |alias: &&String| {
            let behind = name.strip_prefix(alias.as_str());
            behind.is_some_and(|rest| rest.len() <= MOST_UNDERSCORES && rest.bytes().all(|byte| byte == b'_'))
        };
        let Some(alias) = aliases.map(|property| &property.sent).filter(is_of_row).min_by_key(|alias| alias.len())
        else {
            return name;
        };
        let free = |direction| {
            let row = (0..=2 * MOST_UNDERSCORES).map(|count| alias.clone() + &"_".repeat(count));
            row.filter(move |name| self.property(name, direction).is_none())
        };
        let place = free(direction).position(|free| free == name);
        place.and_then(|place| free(direction.opposite()).nth(place)).unwrap_or(name)
    }
}

impl PropertyStep {
    /// The name that is read in this direction.
    fn name(&self, direction: Direction) -> &str {
        match direction {
            Direction::Decode => &self.sent,
            Direction::Encode => &self.original,
        }
    }
}

impl Step {
    /// The step of a schema that has one for objects and one for lists.
    pub(crate) fn of_containers(object: Self, array: Self) -> Self {
        match (object.is_same(), array.is_same()) {
            (true, true) => Self::Same,
            (false, true) => object,
            (true, false) => array,
            (false, false) => Self::Containers { object: Box::new(object), array: Box::new(array) },
        }
    }

    pub(crate) fn is_same(&self) -> bool {
        match self {
            Self::Same => true,
            Self::Object(object) => {
                object.additional.is_same()
                    && object.properties.iter().all(|property| {
                        property.original == property.sent && !property.null_is_absent && property.step.is_same()
                    })
            }
            Self::Array { prefix, items } => items.is_same() && prefix.iter().all(Self::is_same),
            Self::Alternatives(alternatives) => alternatives.iter().all(|alternative| alternative.step.is_same()),
            Self::Containers { object, array } => object.is_same() && array.is_same(),
            Self::Values(_) | Self::JsonText(_) | Self::Definition(_) | Self::Unwrap { .. } => false,
        }
    }
}

/// The two-way translation of arguments that belongs to one [`Conversion`](crate::Conversion).
///
/// [`Codec::decode`] must see every argument object a model sends before it is validated against the original schema
/// and given to the server; for values that were sent as the converted schema asks, `decode(encode(x)) == x`.
///
/// ```
/// use mcp_schema::{Limits, Profile, Schema, convert};
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"level": {"enum": [1, 2]}}});
/// let schema = Schema::parse(schema, Limits::default())?;
/// let gemini = convert(&schema, &Profile::builtin("gemini").expect("a built-in profile"));
/// assert_eq!(gemini.codec.decode(json!({"level": "2"})), json!({"level": 2}));
/// assert_eq!(gemini.codec.encode(json!({"level": 2})), json!({"level": "2"}));
/// # Ok::<(), mcp_schema::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Codec {
    root: Step,
    definitions: Arc<BTreeMap<String, Step>>,
}

#[derive(Clone, Copy)]
enum Direction {
    Decode,
    Encode,
}

impl Direction {
    fn opposite(self) -> Self {
        match self {
            Self::Decode => Self::Encode,
            Self::Encode => Self::Decode,
        }
    }
}

/// One walk over a value. Unions inside unions are tried one after the other, so the work is bounded as well as the
/// depth: what is left when it runs out stays as it is, for validation to judge.
#[derive(Clone, Copy)]
struct Walk<'f> {
    direction: Direction,
    depth: usize,
    fuel: &'f Fuel,
}

impl Walk<'_> {
    fn further(self) -> Option<Self> {
        self.fuel.take(1)?;
        (self.depth < DEEPEST).then_some(Self { depth: self.depth + 1, ..self })
    }
}

impl Codec {
    pub(crate) fn new(root: Step, definitions: BTreeMap<String, Step>) -> Self {
        Self { root, definitions: Arc::new(definitions) }
    }

    /// Whether arguments need no translation at all.
    pub fn is_identity(&self) -> bool {
        self.root.is_same()
    }

    /// Translates what the model sent to what the original schema describes.
    ///
    /// What does not look like the converted schema is left as it is, for validation to judge.
    pub fn decode(&self, arguments: Value) -> Value {
        self.start(arguments, Direction::Decode)
    }

    /// Translates arguments of the original schema to what the model would have sent.
    pub fn encode(&self, arguments: Value) -> Value {
        self.start(arguments, Direction::Encode)
    }

    fn start(&self, arguments: Value, direction: Direction) -> Value {
        let fuel = Fuel::of(&arguments);
        self.apply(&self.root, arguments, Walk { direction, depth: 0, fuel: &fuel })
    }

    fn apply(&self, step: &Step, value: Value, walk: Walk<'_>) -> Value {
        let Some(walk) = walk.further() else { return value };
        match (step, value) {
            (Step::Definition(name), value) => match self.definitions.get(name) {
                Some(step) => self.apply(step, value, walk),
                None => value,
            },
            (Step::Object(object), Value::Object(entries)) => self.object(object, entries, walk),
            (Step::Array { prefix, items }, Value::Array(values)) => {
                let steps = prefix.iter().chain(std::iter::repeat(&**items));
                values.into_iter().zip(steps).map(|(value, step)| self.apply(step, value, walk)).collect()
            }
            (Step::Containers { object, .. }, value @ Value::Object(_)) => self.apply(object, value, walk),
            (Step::Containers { array, .. }, value @ Value::Array(_)) => self.apply(array, value, walk),
            (Step::Values(renamed), value) => rename(renamed, value, walk.direction),
            (Step::JsonText(which), value) => json_text(value, walk.direction, *which),
            (Step::Alternatives(alternatives), value) => self.alternative(alternatives, value, walk),
            (Step::Unwrap { property, step }, value) => self.wrapped(property, step, value, walk),
            (Step::Same | Step::Object(_) | Step::Array { .. } | Step::Containers { .. }, value) => value,
        }
    }

    fn object(&self, step: &ObjectStep, entries: Object, walk: Walk<'_>) -> Value {
        let mut translated = Object::new();
        // The sent order is the model's; the order of the original schema would be as good, but changes a transcript.
        for (key, value) in entries {
            match (step.property(&key, walk.direction), walk.direction) {
                (Some(property), Direction::Decode) if property.null_is_absent && value.is_null() => {}
                (Some(property), direction) => {
                    let name = property.name(direction.opposite()).to_owned();
                    translated.insert(name, self.apply(&property.step, value, walk));
                }
                (None, direction) => {
                    let value = self.apply(&step.additional, value, walk);
                    translated.insert(step.undeclared(key, direction), value);
                }
            }
        }
        if matches!(walk.direction, Direction::Encode) {
            for property in step.properties.iter().filter(|property| property.null_is_absent) {
                translated.entry(property.sent.clone()).or_insert(Value::Null);
            }
        }
        Value::Object(translated)
    }

    /// Takes the branch whose original accepts the value: the decoded one when decoding. Arguments that fit no branch
    /// are decoded by the first branch for their container, so that validation sees the original names.
    fn alternative(&self, branches: &[Alternative], value: Value, walk: Walk<'_>) -> Value {
        for branch in branches {
            match walk.direction {
                Direction::Encode if branch.original.admits(&value, walk.fuel) => {
                    return self.apply(&branch.step, value, walk);
                }
                Direction::Encode => {}
                Direction::Decode => {
                    if walk.fuel.take_for_copy(&value).is_none() {
                        return value;
                    }
                    let decoded = self.apply(&branch.step, value.clone(), walk);
                    if branch.original.admits(&decoded, walk.fuel) {
                        return decoded;
                    }
                }
            }
        }
        let same_container = |branch: &&Alternative| match &branch.step {
            Step::Object(_) => value.is_object(),
            Step::Array { .. } => value.is_array(),
            Step::Containers { .. } => value.is_object() || value.is_array(),
            // A string that reads as JSON must be told apart from JSON text even where no branch wants a string.
            Step::JsonText(_) => value.is_string(),
            _ => false,
        };
        match branches.iter().find(same_container) {
            Some(branch) => self.apply(&branch.step, value, walk),
            None => value,
        }
    }

    fn wrapped(&self, property: &str, step: &Step, value: Value, walk: Walk<'_>) -> Value {
        match (walk.direction, value) {
            (Direction::Encode, value) => {
                let inner = self.apply(step, value, walk);
                Value::Object(Object::from_iter([(property.to_owned(), inner)]))
            }
            (Direction::Decode, Value::Object(mut entries)) if entries.len() == 1 && entries.contains_key(property) => {
                let inner = entries.shift_remove(property).unwrap_or_default();
                self.apply(step, inner, walk)
            }
            (Direction::Decode, value) => value,
        }
    }
}

fn rename(renamed: &[Renamed], value: Value, direction: Direction) -> Value {
    let found = renamed.iter().find_map(|pair| match direction {
        Direction::Decode => (pair.sent == value).then_some(&pair.original),
        Direction::Encode => crate::json::equal(&pair.original, &value).then_some(&pair.sent),
    });
    found.cloned().unwrap_or(value)
}

/// Writes a value as JSON text, or reads it back. A string whose own text reads as JSON is quoted, so that both
/// directions agree about it; every other string stands for itself, because that is what models send.
fn json_text(value: Value, direction: Direction, which: TextOf) -> Value {
    match (direction, value) {
        (Direction::Decode, Value::String(text)) => read_text(&text, which).unwrap_or(Value::String(text)),
        (Direction::Encode, Value::String(text)) if read_text(&text, which).is_some() => {
            Value::String(Value::String(text).to_string())
        }
        (Direction::Encode, value) if which.holds(&value) => Value::String(value.to_string()),
        (_, value) => value,
    }
}

fn read_text(text: &str, which: TextOf) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    (value.is_string() || which.holds(&value)).then_some(value)
}
