//! What is searched: one document per tool.

/// A tool as the index sees it: everything a person or a model could name it by.
///
/// All text is taken as it comes from the server; the index limits how much of it counts
/// (see [`Options::field_characters`](crate::Options::field_characters)).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Document {
    /// The id under which the tool is called, for example `mcp__github__create_issue`. Unique in an index.
    pub id: String,
    /// The server the tool belongs to, for example `github`. May be empty.
    pub server: String,
    /// The tool's own name at its server, for example `create_issue`.
    pub name: String,
    /// The display title, where the server gives one.
    pub title: Option<String>,
    /// The description. May be empty.
    pub description: String,
    /// Name and description of each parameter; the description may be empty.
    pub parameters: Vec<(String, String)>,
}

/// The part of a [`Document`] that a query term was found in.
///
/// The order is the order in which matches are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// [`Document::name`].
    Name,
    /// [`Document::title`].
    Title,
    /// [`Document::description`].
    Description,
    /// The names of [`Document::parameters`].
    ParameterName,
    /// The descriptions of [`Document::parameters`].
    ParameterDescription,
    /// [`Document::server`].
    Server,
}

impl Field {
    /// Every field, in order.
    pub const ALL: [Self; FIELD_COUNT] =
        [Self::Name, Self::Title, Self::Description, Self::ParameterName, Self::ParameterDescription, Self::Server];

    /// The field's plain name, for people: `name`, `title`, `description`, `parameter name`,
    /// `parameter description` or `server`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Title => "title",
            Self::Description => "description",
            Self::ParameterName => "parameter name",
            Self::ParameterDescription => "parameter description",
            Self::Server => "server",
        }
    }

    /// The field's place in a per-field array.
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}

/// How many [`Field`]s there are.
pub(crate) const FIELD_COUNT: usize = 6;
