//! Why a schema cannot be used at all.

/// A schema that cannot be parsed or compiled.
///
/// Everything less than that (a repaired keyword, a reference to nothing, a constraint a provider does not know) is
/// reported in a [`Report`](crate::Report) beside a usable result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A schema is a JSON object or a boolean.
    #[error("a schema must be a JSON object or a boolean, found {found}")]
    NotASchema {
        /// The JSON type that was found instead.
        found: &'static str,
    },
    /// `$schema` names a dialect this crate does not implement.
    #[error("unsupported dialect `{uri}`: use draft-04, draft-06, draft-07, 2019-09 or 2020-12")]
    UnsupportedDialect {
        /// The value of `$schema`.
        uri: String,
    },
    /// The schema is over one of the [`Limits`](crate::Limits).
    #[error("the schema has too many {what}: {found} or more, the limit is {limit}")]
    TooLarge {
        /// What was counted.
        what: &'static str,
        /// The budget.
        limit: usize,
        /// What was counted when the budget ran out.
        found: usize,
    },
    /// A reference leads out of the schema, and nothing is ever fetched.
    #[error("the reference `{reference}` at `{pointer}` leads out of the schema; it is not fetched")]
    ExternalReference {
        /// Where the reference is, as a JSON pointer into the schema.
        pointer: String,
        /// The reference as written.
        reference: String,
    },
    /// A keyword has a value that the dialect does not allow.
    #[error("invalid schema at `{pointer}`: {message}")]
    Invalid {
        /// Where, as a JSON pointer into the resolved schema.
        pointer: String,
        /// What is wrong.
        message: String,
    },
    /// A profile file cannot be read as a profile.
    #[error("invalid profile: {message}")]
    Profile {
        /// What is wrong, with the line and column.
        message: String,
    },
}
