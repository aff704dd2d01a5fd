//! The drafts of JSON Schema and which keywords each of them knows.

use serde::Serialize;
use serde_json::Value;

use crate::{error::Error, keyword};

/// A draft of JSON Schema, oldest first.
///
/// A schema without `$schema` is read as 2020-12, the default of MCP 2025-11-25 and later
/// ([SEP-1613](https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// [Draft 4](https://json-schema.org/specification-links#draft-4).
    Draft4,
    /// [Draft 6](https://json-schema.org/specification-links#draft-6).
    Draft6,
    /// [Draft 7](https://json-schema.org/specification-links#draft-7).
    Draft7,
    /// [2019-09](https://json-schema.org/draft/2019-09).
    Draft201909,
    /// [2020-12](https://json-schema.org/draft/2020-12).
    #[default]
    Draft202012,
}

impl Dialect {
    /// Reads `$schema`: with or without a trailing `#`, by http or https.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedDialect`] for any other URI.
    pub fn from_uri(uri: &str) -> Result<Self, Error> {
        let plain = uri.strip_suffix('#').unwrap_or(uri);
        let path = plain.strip_prefix("https://").or_else(|| plain.strip_prefix("http://"));
        match path {
            Some("json-schema.org/draft-04/schema") => Ok(Self::Draft4),
            Some("json-schema.org/draft-06/schema") => Ok(Self::Draft6),
            Some("json-schema.org/draft-07/schema") => Ok(Self::Draft7),
            Some("json-schema.org/draft/2019-09/schema") => Ok(Self::Draft201909),
            Some("json-schema.org/draft/2020-12/schema") => Ok(Self::Draft202012),
            _ => Err(Error::UnsupportedDialect { uri: uri.to_owned() }),
        }
    }

    /// The canonical value of `$schema`.
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema#",
            Self::Draft6 => "http://json-schema.org/draft-06/schema#",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The keyword that names a resource.
    pub(crate) fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    /// Whether `$ref` makes every keyword beside it meaningless, as it did until draft 7.
    pub(crate) fn reference_overrides(self) -> bool {
        self <= Self::Draft7
    }

    /// Whether a keyword that some draft gives a meaning to has one in this dialect.
    pub(crate) fn knows(self, keyword: &str) -> bool {
        let since = match keyword {
            "dependencies" => return self <= Self::Draft7,
            "additionalItems" => return self <= Self::Draft201909,
            "const" | "contains" | "propertyNames" => Self::Draft6,
            "if" | "then" | "else" => Self::Draft7,
            "$defs"
            | "dependentRequired"
            | "dependentSchemas"
            | "minContains"
            | "maxContains"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => Self::Draft201909,
            "prefixItems" | "$dynamicRef" => Self::Draft202012,
            _ => Self::Draft4,
        };
        self >= since
    }
}

/// How one schema resource is to be read: its dialect, and whether that dialect validates at all.
///
/// A custom metaschema may leave the validation vocabulary out (2020-12 core §8.1.2); `type` and `minimum` are then
/// mere annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) dialect: Dialect,
    pub(crate) validates: bool,
}

impl Reading {
    /// Whether a keyword has a meaning under this reading.
    pub(crate) fn knows(self, word: &str) -> bool {
        self.dialect.knows(word) && (self.validates || !keyword::is_validation(word))
    }

    /// Reads a custom metaschema: its own `$schema` is the dialect, its `$vocabulary` says whether it validates.
    pub(crate) fn of_metaschema(metaschema: &Value) -> Option<Self> {
        let dialect = Dialect::from_uri(metaschema.get("$schema")?.as_str()?).ok()?;
        let vocabularies = metaschema.get("$vocabulary").and_then(Value::as_object);
        let validates = vocabularies.is_none_or(|map| map.keys().any(|uri| uri.ends_with("/vocab/validation")));
        Some(Self { dialect, validates })
    }
}

impl From<Dialect> for Reading {
    fn from(dialect: Dialect) -> Self {
        Self { dialect, validates: true }
    }
}
