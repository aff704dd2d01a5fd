//! All tools of one request together: providers limit what their schemas add up to.

use serde::Serialize;
use serde_json::Value;

use crate::{
    convert::{Conversion, convert},
    json, keyword,
    profile::{Profile, RequestLimits},
    schema::Schema,
};

/// What a converted schema contributes to the limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Complexity {
    /// Properties that are not required, of all objects.
    pub optional_parameters: usize,
    /// Schemas with `anyOf` or with several types.
    pub union_parameters: usize,
    /// Properties of all objects.
    pub properties: usize,
    /// Values of all enums.
    pub enum_values: usize,
}

impl Complexity {
    /// Measures a converted schema, its definitions included.
    pub fn of(schema: &Value) -> Self {
        let mut found = Self::default();
        let mut pending = vec![schema];
        while let Some(schema) = pending.pop() {
            let Value::Object(entries) = schema else { continue };
            let declared = entries.get("properties").and_then(Value::as_object);
            let required = json::strings(entries, "required");
            let names = declared.into_iter().flat_map(|map| map.keys());
            found.optional_parameters += names.filter(|name| !required.contains(&name.as_str())).count();
            found.properties += declared.map_or(0, serde_json::Map::len);
            found.enum_values += entries.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
            let has_types = json::types(entries).is_some_and(|names| names.len() > 1);
            found.union_parameters += usize::from(has_types || entries.contains_key("anyOf"));
            pending.extend(keyword::children(entries).map(|(_, _, child)| child));
        }
        found
    }

    fn plus(self, other: Self) -> Self {
        Self {
            optional_parameters: self.optional_parameters + other.optional_parameters,
            union_parameters: self.union_parameters + other.union_parameters,
            properties: self.properties + other.properties,
            enum_values: self.enum_values + other.enum_values,
        }
    }
}

/// The tools of one request, converted together.
#[derive(Debug, Clone, Serialize)]
pub struct Batch {
    /// One conversion per schema, in their order. [`Conversion::profile`] tells which ones had to fall back.
    pub conversions: Vec<Conversion>,
    /// How many were converted for the profile itself.
    pub counted: usize,
    /// What those add up to.
    pub complexity: Complexity,
    /// Whether they are within the limits of a request; false only where the profile has no fallback.
    pub fits: bool,
}

/// Converts the tools of one request.
///
/// For each tool, in order:
///
/// 1. It is converted for `profile`.
/// 2. If the request would then be over one of the profile's [`RequestLimits`], or if the conversion is
///    [narrowed](crate::LossKind::Narrowed), it is converted for the profile's fallback instead, which does not count
///    against the limits. `find` looks the fallback up, usually [`Profile::builtin`].
/// 3. Without a fallback the first conversion stays, and [`Batch::fits`] tells.
///
/// ```
/// use mcp_schema::{Limits, Profile, Schema, convert_batch};
/// use serde_json::json;
///
/// let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
/// let schemas: Vec<Schema> = (0..25)
///     .map(|_| Schema::parse(closed.clone(), Limits::default()))
///     .collect::<Result<_, _>>()?;
/// let strict = Profile::builtin("anthropic-strict").expect("a built-in profile");
/// let batch = convert_batch(&schemas, &strict, Profile::builtin);
/// assert_eq!(batch.counted, 20);
/// assert_eq!(batch.conversions[19].profile, "anthropic-strict");
/// assert_eq!(batch.conversions[20].profile, "anthropic");
/// # Ok::<(), mcp_schema::Error>(())
/// ```
pub fn convert_batch<'a>(
    schemas: impl IntoIterator<Item = &'a Schema>,
    profile: &Profile,
    find: impl Fn(&str) -> Option<Profile>,
) -> Batch {
    let fallback = profile.fallback.as_deref().and_then(find);
    let mut batch = Batch { conversions: Vec::new(), counted: 0, complexity: Complexity::default(), fits: true };
    for schema in schemas {
        let conversion = convert(schema, profile);
        let total = batch.complexity.plus(Complexity::of(&conversion.schema));
        let fits = is_within(&profile.request, batch.counted + 1, total);
        match &fallback {
            Some(fallback) if !fits || conversion.report.is_narrowed() => {
                batch.conversions.push(convert(schema, fallback));
            }
            _ => {
                batch.counted += 1;
                batch.complexity = total;
                batch.fits &= fits;
                batch.conversions.push(conversion);
            }
        }
    }
    batch
}

fn is_within(limits: &RequestLimits, tools: usize, total: Complexity) -> bool {
    let fits = |limit: Option<usize>, found: usize| limit.is_none_or(|limit| found <= limit);
    fits(limits.tools, tools)
        && fits(limits.optional_parameters, total.optional_parameters)
        && fits(limits.union_parameters, total.union_parameters)
}
