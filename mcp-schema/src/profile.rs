//! What a model provider accepts as a tool's parameters: dated data, not code.

mod builtin;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The rules of one provider dialect.
///
/// Every field has the default of plain JSON Schema 2020-12, so that a profile says only what its provider restricts.
/// Providers change their rules monthly: the built-in profiles are JSON files in this crate's `profiles` folder, each
/// with its date and sources, and [`Profile::from_json`] reads one of your own.
///
/// ```
/// use mcp_schema::Profile;
///
/// let profile = Profile::from_json(r#"{
///     "id": "in-house",
///     "title": "Our own gateway",
///     "dated": "2026-11-30",
///     "formats": ["date"],
///     "objects": { "closed": true }
/// }"#)?;
/// assert_eq!(profile.id, "in-house");
/// # Ok::<(), mcp_schema::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The name used to choose the profile, such as `openai-strict`.
    pub id: String,
    /// The provider and its mode, for people.
    pub title: String,
    /// The day (ISO 8601) on which the rules were last checked.
    pub dated: String,
    /// Pages, files or issues the rules come from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The profile to use instead when a conversion is [narrowed](crate::LossKind::Narrowed).
    #[serde(default)]
    pub fallback: Option<String>,
    /// Rules for the root of the parameters.
    #[serde(default)]
    pub root: RootRules,
    /// The keywords that are accepted, at any depth; all of them when absent.
    #[serde(default)]
    pub keywords: Option<Vec<String>>,
    /// Rules for `type`.
    #[serde(default)]
    pub types: TypeRules,
    /// Rules for `anyOf`, `oneOf` and `null`.
    #[serde(default)]
    pub unions: UnionRules,
    /// Rules for `enum`.
    #[serde(default)]
    pub enums: EnumRules,
    /// The values of `format` that are accepted; all of them when absent.
    #[serde(default)]
    pub formats: Option<Vec<String>>,
    /// Rules for `pattern`.
    #[serde(default)]
    pub patterns: PatternRules,
    /// Rules for objects.
    #[serde(default)]
    pub objects: ObjectRules,
    /// Rules for arrays.
    #[serde(default)]
    pub arrays: ArrayRules,
    /// Rules for `$ref`.
    #[serde(default)]
    pub references: ReferenceRules,
    /// Rules for property names.
    #[serde(default)]
    pub keys: Option<KeyRules>,
    /// Limits of one schema.
    #[serde(default)]
    pub limits: SchemaLimits,
    /// Limits of all schemas of one request together.
    #[serde(default)]
    pub request: RequestLimits,
    /// What the provider answers to a violation, by rule.
    #[serde(default)]
    pub errors: BTreeMap<String, String>,
}

/// Rules for the root of the parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RootRules {
    /// The only keywords accepted at the root; as everywhere when absent.
    pub keywords: Option<Vec<String>>,
    /// Keywords refused at the root alone.
    pub forbidden: Vec<String>,
}

/// Rules for `type`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own, as a provider states it")]
pub struct TypeRules {
    /// Whether `type` may be a list. Default true.
    pub lists: bool,
    /// Whether every schema without `anyOf` or `$ref` must have a `type`. Default false.
    pub required: bool,
    /// Whether a type list may name `object` or `array`. Default true.
    pub lists_of_containers: bool,
    /// Whether `true` and `false` are accepted as schemas. Default true.
    pub boolean_schemas: bool,
}

impl Default for TypeRules {
    fn default() -> Self {
        Self { lists: true, required: false, lists_of_containers: true, boolean_schemas: true }
    }
}

/// How "or null" is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NullStyle {
    /// As the type `null`.
    #[default]
    Type,
    /// As `nullable: true`, the keyword of `OpenAPI` 3.0.
    Nullable,
    /// Not at all: neither form is accepted everywhere.
    Omit,
}

/// Rules for `anyOf`, `oneOf` and `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UnionRules {
    /// How "or null" is written.
    pub null: NullStyle,
    /// Whether other constraints may stand beside `anyOf`. Default true.
    pub siblings: bool,
    /// Whether a `$ref` may be a branch. Default true.
    pub references: bool,
}

impl Default for UnionRules {
    fn default() -> Self {
        Self { null: NullStyle::Type, siblings: true, references: true }
    }
}

/// Rules for `enum`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own, as a provider states it")]
pub struct EnumRules {
    /// Whether every value must be a string. Default false.
    pub strings_only: bool,
    /// Whether all values must have one type. Default false.
    pub one_type: bool,
    /// Whether values may be arrays and objects. Default true.
    pub containers: bool,
    /// Whether `""` is accepted. Default true.
    pub empty_string: bool,
    /// Whether `enum` is accepted for `boolean` and `null` values. Default true.
    pub booleans: bool,
}

impl Default for EnumRules {
    fn default() -> Self {
        Self { strings_only: false, one_type: false, containers: true, empty_string: true, booleans: true }
    }
}

/// Rules for `pattern`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PatternRules {
    /// Whether lookahead and lookbehind are accepted. Default true.
    pub lookaround: bool,
    /// Whether the pattern must begin with `^` and end with `$`. Default false.
    pub anchored: bool,
    /// Whether `\d`, `\w` and `\s` are accepted. Default true.
    pub classes: bool,
}

impl Default for PatternRules {
    fn default() -> Self {
        Self { lookaround: true, anchored: false, classes: true }
    }
}

/// Rules for objects.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own, as a provider states it")]
pub struct ObjectRules {
    /// Whether every object must have `additionalProperties: false`. Default false.
    pub closed: bool,
    /// Whether every property must be in `required`. Default false.
    pub all_required: bool,
    /// Whether the provider closes objects that do not say `additionalProperties: true`. Default false.
    pub closed_unless_stated: bool,
    /// Whether an object must have `properties`. Default false.
    pub properties_required: bool,
}

/// Rules for arrays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArrayRules {
    /// Whether every array must have `items`. Default false.
    pub items_required: bool,
    /// The largest `minItems` accepted.
    pub largest_minimum: Option<u64>,
    /// The largest `maxItems` and `maxLength` accepted: they are repetitions of a grammar rule.
    pub largest_repetition: Option<u64>,
}

/// What a provider does with a schema that contains itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recursion {
    /// It is accepted.
    #[default]
    Keep,
    /// It is accepted below properties that are not required.
    OptionalOnly,
    /// It is refused, and so written out to a fixed depth.
    Unroll,
}

/// Rules for `$ref`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReferenceRules {
    /// Whether `#/$defs/name` is accepted. Default true.
    pub allowed: bool,
    /// Whether other keywords may stand beside `$ref`. Default true.
    pub siblings: bool,
    /// What is done about recursion.
    pub recursion: Recursion,
    /// How many levels of a recursive schema are written out where it has to be. Default 2.
    pub unroll_depth: usize,
}

impl Default for ReferenceRules {
    fn default() -> Self {
        Self { allowed: true, siblings: true, recursion: Recursion::Keep, unroll_depth: 2 }
    }
}

/// Rules for property names. ASCII letters are always accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeyRules {
    /// Characters accepted besides ASCII letters and digits.
    pub also: String,
    /// Whether the first character must be a letter or an underscore. Default false.
    pub starts_with_letter: bool,
    /// The longest name, in characters. Default 64.
    pub longest: usize,
    /// Whether the rules hold at the root only. Default false.
    pub root_only: bool,
}

impl Default for KeyRules {
    fn default() -> Self {
        Self { also: "_".to_owned(), starts_with_letter: false, longest: 64, root_only: false }
    }
}

impl KeyRules {
    /// Whether a property may be called `name`.
    pub fn accepts(&self, name: &str) -> bool {
        let starts_well = |first: char| !self.starts_with_letter || first.is_ascii_alphabetic() || first == '_';
        name.chars().count() <= self.longest
            && name.chars().next().is_some_and(starts_well)
            && name.chars().all(|character| self.accepts_character(character))
    }

    pub(crate) fn accepts_character(&self, character: char) -> bool {
        character.is_ascii_alphanumeric() || self.also.contains(character)
    }
}

/// Limits of one schema; absent means none is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SchemaLimits {
    /// Nesting levels of objects and arrays.
    pub nesting: Option<usize>,
    /// Properties of all objects together.
    pub properties: Option<usize>,
    /// Values of all enums together.
    pub enum_values: Option<usize>,
    /// Characters of all property names, definition names and enum values together.
    pub name_characters: Option<usize>,
}

/// Limits of all schemas of one request together; absent means none is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RequestLimits {
    /// Tools.
    pub tools: Option<usize>,
    /// Properties that are not required.
    pub optional_parameters: Option<usize>,
    /// Schemas with `anyOf` or a list of types.
    pub union_parameters: Option<usize>,
}

impl Profile {
    /// Returns a built-in profile by its id; see [`Profile::builtin_ids`].
    pub fn builtin(id: &str) -> Option<Self> {
        builtin::profile(id)
    }

    /// The ids of the built-in profiles, in alphabetical order.
    pub fn builtin_ids() -> &'static [&'static str] {
        builtin::IDS
    }

    /// Reads a profile from JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Profile`] when the text is not JSON, or has a field this version does not know: a misspelt rule would
    /// otherwise silently not hold.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error::Profile { message: error.to_string() })
    }

    /// Whether a keyword is accepted below the root.
    pub fn accepts(&self, keyword: &str) -> bool {
        self.keywords.as_ref().is_none_or(|accepted| accepted.iter().any(|word| word == keyword))
    }

    /// Whether a keyword is accepted at the root.
    pub fn accepts_at_root(&self, keyword: &str) -> bool {
        let forbidden = self.root.forbidden.iter().any(|word| word == keyword);
        let only = self.root.keywords.as_ref();
        !forbidden && only.map_or_else(|| self.accepts(keyword), |only| only.iter().any(|word| word == keyword))
    }
}
