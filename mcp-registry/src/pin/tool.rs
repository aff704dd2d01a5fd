//! One tool as it was approved.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::digest::{canonical_object, canonical_text, short_digest};
use crate::json::BorrowedMembers;
use crate::tool::Tool;

/// The members of a definition that say what a tool is for. A model may be told the approved ones in the place of the present
/// ones, because the server does not read them back.
const WORDS: [&str; 3] = ["title", "description", "annotations"];

/// The members that are for the host. They are left out where a tool is offered in other words than its server's.
const EXTRAS: [&str; 2] = ["_meta", "icons"];

/// One tool as it was approved: its words, and digests of all else.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PinnedTool {
    /// What the tool takes and returns: every member that is neither words nor extras.
    frame: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extras: Option<String>,
    words: PinnedWords,
}

/// The words that were approved, or a digest of them where there is no room for more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PinnedWords {
    Text(Words),
    Digest(String),
}

/// What a tool says it is for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Words {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotations: Option<Box<RawValue>>,
}

/// How a tool differs from the one that was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolChange {
    /// Not at all.
    Same,
    /// In its words, or in what is for the host alone.
    Words,
    /// In its words, and it began to call itself read-only.
    BecameReadOnly,
    /// In what it takes or returns.
    Frame,
}

impl Words {
    /// Reads the words of a definition. What is written in a way that readers take differently is no word: it belongs to the
    /// frame, and so must not change at all.
    fn of(members: &BorrowedMembers<'_>) -> Self {
        let text = |name| members.only(name).and_then(|raw| serde_json::from_str(raw.get()).ok());
        let annotations = members.only("annotations").filter(|raw| raw.get().starts_with('{'));
        Self { title: text("title"), description: text("description"), annotations: annotations.map(ToOwned::to_owned) }
    }

    /// Reads the words of a definition.
    pub(super) fn read(raw: &RawValue) -> Self {
        BorrowedMembers::parse(raw.get()).map(|members| Self::of(&members)).unwrap_or_default()
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(super) fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    pub(super) fn annotations(&self) -> Option<&RawValue> {
        self.annotations.as_deref()
    }

    fn has(&self, name: &str) -> bool {
        match name {
            "title" => self.title.is_some(),
            "description" => self.description.is_some(),
            "annotations" => self.annotations.is_some(),
            _ => false,
        }
    }

    fn digest(&self) -> String {
        let annotations = self.annotations.as_deref().map(canonical_text);
        // One is told from none by a byte in front.
        let part = |text: Option<&str>| text.map(|text| format!("+{text}")).unwrap_or_default();
        let parts = [part(self.title.as_deref()), part(self.description.as_deref()), part(annotations.as_deref())];
        short_digest(parts.iter().map(String::as_bytes))
    }

    fn is_read_only(&self) -> bool {
        let annotations = self.annotations.as_deref().and_then(|raw| BorrowedMembers::parse(raw.get()).ok());
        annotations
            .is_some_and(|members| members.iter().any(|(name, raw)| name == "readOnlyHint" && raw.get() == "true"))
    }

    /// The annotations, without a promise that the server no longer makes.
    fn cautious_annotations(&self, tool: &Tool) -> Option<Box<RawValue>> {
        let annotations = self.annotations.as_deref()?;
        if tool.effect_hint == Some(true) || !self.is_read_only() {
            return Some(annotations.to_owned());
        }
        let mut members: Map<String, Value> = serde_json::from_str(annotations.get()).ok()?;
        members.insert("readOnlyHint".to_owned(), Value::Bool(false));
        to_raw_value(&members).ok()
    }
}

/// A definition taken apart.
struct Parts {
    words: Words,
    frame: String,
    extras: Option<String>,
}

impl Parts {
    fn of(raw: &RawValue) -> Self {
        let Ok(members) = BorrowedMembers::parse(raw.get()) else {
            // Nothing is a tool that is no object; should one be, it is compared as a whole.
            return Self { words: Words::default(), frame: short_digest([raw.get().as_bytes()]), extras: None };
        };
        let words = Words::of(&members);
        let frame = canonical_object(frame(&members, &words));
        let extras: Vec<_> = members.iter().filter(|(name, _)| EXTRAS.contains(name)).collect();
        let extras = (!extras.is_empty()).then(|| short_digest([canonical_object(extras).as_bytes()]));
        Self { frame: short_digest([frame.as_bytes()]), words, extras }
    }
}

/// Returns the members that are neither words nor extras.
fn frame<'a>(members: &'a BorrowedMembers<'a>, words: &'a Words) -> impl Iterator<Item = (&'a str, &'a RawValue)> {
    members.iter().filter(|(name, raw)| {
        let is_absent = WORDS.contains(name) && raw.get() == "null" && members.only(name).is_some();
        !words.has(name) && !is_absent && !EXTRAS.contains(name)
    })
}

/// Returns all of a definition but its words, to be kept for a person to compare.
pub(super) fn without_words(raw: &RawValue) -> Option<Box<RawValue>> {
    let members = BorrowedMembers::parse(raw.get()).ok()?;
    let words = Words::of(&members);
    written(members.iter().filter(|(name, _)| !words.has(name)))
}

/// Writes members as an object, each as it is.
fn written<'a>(members: impl Iterator<Item = (&'a str, &'a RawValue)>) -> Option<Box<RawValue>> {
    let members: Vec<String> = members.map(|(name, raw)| format!("{}:{raw}", Value::from(name))).collect();
    RawValue::from_string(format!("{{{}}}", members.join(","))).ok()
}

impl PinnedTool {
    pub(super) fn new(tool: &Tool) -> Self {
        let Parts { words, frame, extras } = Parts::of(&tool.raw);
        Self { frame, extras, words: PinnedWords::Text(words) }
    }

    /// The same, known by digests alone.
    pub(super) fn without_words(&self) -> Self {
        let digest = match &self.words {
            PinnedWords::Text(words) => words.digest(),
            PinnedWords::Digest(digest) => digest.clone(),
        };
        Self { words: PinnedWords::Digest(digest), ..self.clone() }
    }

    /// The words that were approved, where they are kept.
    pub(super) fn words(&self) -> Option<&Words> {
        match &self.words {
            PinnedWords::Text(words) => Some(words),
            PinnedWords::Digest(_) => None,
        }
    }

    pub(super) fn compare(&self, tool: &Tool) -> ToolChange {
        let now = Parts::of(&tool.raw);
        let digest = now.words.digest();
        let (same_words, was_read_only) = match &self.words {
            PinnedWords::Text(words) => (words.digest() == digest, words.is_read_only()),
            PinnedWords::Digest(approved) => (*approved == digest, true),
        };
        if self.frame != now.frame {
            ToolChange::Frame
        } else if same_words && self.extras == now.extras {
            ToolChange::Same
        } else if tool.effect_hint == Some(true) && !was_read_only {
            ToolChange::BecameReadOnly
        } else {
            ToolChange::Words
        }
    }

    /// Returns the tool in the words that were approved, as far as they are kept. Its frame must be the approved one.
    ///
    /// It calls itself read-only only if it did when it was approved and does so now.
    pub(super) fn in_approved_words(&self, tool: &Tool) -> Option<Tool> {
        let words = self.words()?;
        let members = BorrowedMembers::parse(tool.raw.get()).ok()?;
        let present = Words::of(&members);
        let text = |text: &Option<String>| text.as_ref().map(|text| to_raw_value(text).ok());
        let annotations = words.cautious_annotations(tool);
        let (title, description) = (text(&words.title).flatten(), text(&words.description).flatten());
        let said = [("title", &title), ("description", &description), ("annotations", &annotations)];
        let said = said.iter().filter_map(|(name, raw)| Some((*name, raw.as_deref()?)));
        Tool::parse(written(frame(&members, &present).chain(said))?).ok().map(|(tool, _)| tool)
    }
}
