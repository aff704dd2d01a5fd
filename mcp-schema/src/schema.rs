//! A parsed schema, and the passes that can be used alone.

use serde::Serialize;
use serde_json::Value;

use crate::{
    dialect::Dialect,
    error::Error,
    index::{self, Index, Unresolved},
    limits::Limits,
    merge, repair as repairing,
    report::Report,
    resolve::inline,
    upgrade::{self as upgrading, Upgraded},
};

/// A JSON Schema, checked against its limits and understood in its own dialect.
///
/// The value it was parsed from is kept verbatim: [`Schema::original`] is what goes back to whoever asks for the
/// tool's own schema. Everything else works on a copy.
#[derive(Debug, Clone)]
pub struct Schema {
    original: Value,
    dialect: Dialect,
    limits: Limits,
    /// Self-contained 2020-12: every reference is `#` or `#/$defs/name`.
    upgraded: Value,
    report: Report,
    external: Option<(String, String)>,
}

impl Schema {
    /// Parses a schema.
    ///
    /// The dialect is the one `$schema` names, 2020-12 without it. Common mistakes are [repaired](Schema::report),
    /// references that lead nowhere accept everything and are reported. Nothing is ever fetched.
    ///
    /// # Errors
    ///
    /// [`Error::NotASchema`], [`Error::UnsupportedDialect`] and [`Error::TooLarge`].
    pub fn parse(value: Value, limits: Limits) -> Result<Self, Error> {
        Self::parse_with_resources(value, &[], limits)
    }

    /// Parses a schema together with the documents it may refer to, each with its absolute URI.
    ///
    /// # Errors
    ///
    /// As [`Schema::parse`]; the limits hold for every document.
    pub fn parse_with_resources(value: Value, resources: &[(String, Value)], limits: Limits) -> Result<Self, Error> {
        if !matches!(value, Value::Object(_) | Value::Bool(_)) {
            return Err(Error::NotASchema { found: crate::json::type_name(&value) });
        }
        limits.check(&value)?;
        for (_, resource) in resources {
            limits.check(resource)?;
        }
        let known: Vec<(&str, &Value)> = resources.iter().map(|(uri, value)| (uri.as_str(), value)).collect();
        let reading = match value.get("$schema").and_then(Value::as_str) {
            Some(uri) => index::read(uri, &known).ok_or_else(|| Error::UnsupportedDialect { uri: uri.to_owned() })?,
            None => Dialect::default().into(),
        };
        let (repaired, mut report) = repairing::repair(&value, reading.dialect);
        let index = Index::new(&repaired, reading, &known);
        let Upgraded { schema: mut upgraded, report: changes, broken } = upgrading::upgrade(index, &limits)?;
        report.losses.extend(changes.losses);
        if upgraded.get("$defs").is_some() {
            // What was referred to may have stood where no schema is expected, or in another document.
            let (repaired, found) = repairing::repair(&upgraded, Dialect::default());
            upgraded = repaired;
            report.losses.extend(found.losses);
        }
        let external = broken.into_iter().find(|broken| broken.why == Unresolved::External);
        let external = external.map(|broken| (broken.pointer, broken.reference));
        let report = report.without_repetitions();
        Ok(Self { dialect: reading.dialect, original: value, limits, upgraded, report, external })
    }

    /// The value the schema was parsed from, unchanged.
    pub fn original(&self) -> &Value {
        &self.original
    }

    /// The dialect the schema is written in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The limits the schema was parsed with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What had to be repaired, and which references lead nowhere.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The first reference that leads out of the schema, with the pointer it stands at.
    pub fn external_reference(&self) -> Option<(&str, &str)> {
        self.external.as_ref().map(|(pointer, reference)| (pointer.as_str(), reference.as_str()))
    }

    pub(crate) fn upgraded(&self) -> &Value {
        &self.upgraded
    }
}

/// The result of one pass over a schema.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pass {
    /// A self-contained 2020-12 schema.
    pub schema: Value,
    /// What was repaired, or could not be followed. A pass loses nothing else.
    pub report: Report,
    /// Pointers of the schemas whose `allOf` no instance can satisfy.
    pub contradictions: Vec<String>,
}

/// Puts the mistakes of a schema right, in the dialect it names, and leaves everything else as it is.
///
/// [`Schema::parse`] does this first; alone it shows a server's author what is wrong. Only what the dialect forbids is
/// touched: a valid schema comes back unchanged.
///
/// ```
/// use mcp_schema::{Limits, repair};
/// use serde_json::json;
///
/// let schema = json!({"properties": {"age": {"type": "int", "required": true}}});
/// let repaired = repair(&schema, &Limits::default())?;
/// assert_eq!(repaired.schema, json!({"properties": {"age": {"type": "integer"}}, "required": ["age"]}));
/// assert_eq!(repaired.report.losses[0].pointer, "/properties/age");
/// # Ok::<(), mcp_schema::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnsupportedDialect`] and [`Error::TooLarge`].
pub fn repair(schema: &Value, limits: &Limits) -> Result<Pass, Error> {
    limits.check(schema)?;
    let named = schema.get("$schema").and_then(Value::as_str);
    let dialect = named.map_or(Ok(Dialect::default()), Dialect::from_uri)?;
    let (schema, report) = repairing::repair(schema, dialect);
    Ok(Pass { schema, report: report.without_repetitions(), contradictions: Vec::new() })
}

/// Rewrites a schema of any dialect in 2020-12, self-contained: every reference is `#` or `#/$defs/name`.
///
/// ```
/// use mcp_schema::{Limits, Schema, upgrade};
/// use serde_json::json;
///
/// let schema = json!({
///     "$schema": "http://json-schema.org/draft-04/schema#",
///     "minimum": 0, "exclusiveMinimum": true,
///     "items": [{"$ref": "#/definitions/id"}],
///     "definitions": {"id": {"type": "integer"}},
/// });
/// let upgraded = upgrade(&Schema::parse(schema, Limits::default())?).schema;
/// assert_eq!(upgraded, json!({
///     "exclusiveMinimum": 0,
///     "prefixItems": [{"$ref": "#/$defs/id"}],
///     "$defs": {"id": {"type": "integer"}},
/// }));
/// # Ok::<(), mcp_schema::Error>(())
/// ```
pub fn upgrade(schema: &Schema) -> Pass {
    Pass { schema: schema.upgraded.clone(), report: schema.report.clone(), contradictions: Vec::new() }
}

/// Upgrades a schema and writes every reference out, except where the schema is recursive or the result would grow
/// out of its [`Limits`].
///
/// Keywords beside a `$ref` hold as well as the target's: both go into an `allOf`.
pub fn resolve(schema: &Schema) -> Pass {
    let resolved = inline(&schema.upgraded, &schema.limits).into_owned();
    Pass { schema: resolved, report: schema.report.clone(), contradictions: Vec::new() }
}

/// Resolves a schema and folds every `allOf` into the schema it stands in, as the intersection it means.
///
/// ```
/// use mcp_schema::{Limits, Schema, merge_all_of};
/// use serde_json::json;
///
/// let schema = json!({
///     "allOf": [{"$ref": "#/$defs/base"}],
///     "properties": {"b": {"maximum": 9}},
///     "unevaluatedProperties": false,
///     "$defs": {"base": {"properties": {"a": {}, "b": {"maximum": 5}}}},
/// });
/// let merged = merge_all_of(&Schema::parse(schema, Limits::default())?).schema;
/// assert_eq!(merged, json!({
///     "properties": {"b": {"maximum": 5}, "a": {}},
///     "additionalProperties": false,
/// }));
/// # Ok::<(), mcp_schema::Error>(())
/// ```
pub fn merge_all_of(schema: &Schema) -> Pass {
    let resolved = inline(&schema.upgraded, &schema.limits);
    let merged = merge::merge_all_of(&resolved, &schema.limits);
    Pass { schema: merged.schema, report: schema.report.clone(), contradictions: merged.contradictions }
}
