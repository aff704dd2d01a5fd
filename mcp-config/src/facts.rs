//! What a person is shown before they agree, one fact a line; and what they have agreed to, which is the same lines.

use std::fmt;

use serde_json::json;

use crate::secret::sha256;

/// Part of what is hashed, so that an approval does not outlive the meaning of the facts it was given for.
const VERSION: u32 = 1;

/// How many characters of a digest a person is shown.
const SHOWN_DIGEST: usize = 12;

/// What a fact is about.
///
/// Its [`label`](Self::label) is shown and its name is hashed: renaming a topic asks everybody again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Topic {
    /// It is switched off.
    Off,
    /// The command as the definition writes it.
    Command,
    /// One argument.
    Argument,
    /// The program that the command names here.
    Program,
    /// The directory it runs in, as the definition writes it.
    Directory,
    /// Where that is here.
    Folder,
    /// A variable it is given.
    Variable,
    /// A variable of the person's own that it is given.
    Forwarded,
    /// The file that more variables come from.
    EnvFile,
    /// A variable in that file.
    FileVariable,
    /// The variables of the person's own that it is given without naming them.
    Inherits,
    /// How a remote server is spoken to, and where it is.
    Endpoint,
    /// A header of every request.
    Header,
    /// What is said about logging in.
    Login,
    /// A protection of logins that is given up.
    Exception,
    /// A value that leaves, and where it goes.
    Sends,
    /// What the person is asked for.
    Input,
    /// A file of the workspace that decides what runs.
    File,
    /// What it wants beyond its project; each is confirmed by name.
    Wants,
    /// The tools it wants called without asking.
    Unasked,
    /// Which tools are offered.
    Tools,
    /// How long is waited for it.
    Timeout,
    /// What it says of itself that a program may act on.
    Hint,
    /// A setting.
    Setting,
    /// A change to another server.
    Change,
    /// Why it cannot be approved as it stands.
    Obstacle,
}

impl Topic {
    /// Returns the word a person reads in front of the fact.
    pub fn label(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Command => "runs",
            Self::Argument => "with",
            Self::Program => "program",
            Self::Directory | Self::Folder => "in",
            Self::Variable => "env",
            Self::Forwarded => "passes",
            Self::EnvFile => "env file",
            Self::Inherits => "inherits",
            Self::Endpoint => "connects",
            Self::Header => "header",
            Self::Login => "login",
            Self::Exception => "gives up",
            Self::Sends => "sends",
            Self::Input => "asks for",
            Self::File => "reads",
            Self::Wants => "wants",
            Self::Unasked => "unasked",
            Self::Tools => "tools",
            Self::Timeout => "waits",
            Self::Hint => "says",
            Self::FileVariable | Self::Setting => "sets",
            Self::Change => "changes",
            Self::Obstacle => "but",
        }
    }
}

/// One thing that a person is told.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Fact {
    /// What it is about.
    pub topic: Topic,
    /// Which of several it is: a variable, a header, a file. Foreign text, as it is.
    pub name: Option<String>,
    /// What is said of it. Foreign text, as it is.
    pub text: String,
    /// The SHA-256 of what is meant and not shown: a file's content, a value that may be a secret.
    pub digest: Option<String>,
    /// Whether it is part of what is approved. The rest says how things are on this machine, and may change unasked.
    pub is_binding: bool,
}

impl Fact {
    /// Returns the beginning of the digest, enough for a person to see that it is another.
    pub fn shown_digest(&self) -> Option<&str> {
        self.digest.as_deref().map(|digest| digest.get(..SHOWN_DIGEST).unwrap_or(digest))
    }
}

/// `{:?}` escapes control characters, and every character that is not shown or changes the direction of text.
impl fmt::Display for Fact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:<9}", self.topic.label())?;
        if let Some(name) = &self.name {
            write!(formatter, " {name:?}")?;
        }
        if !self.text.is_empty() || self.name.is_none() {
            write!(formatter, " {:?}", self.text)?;
        }
        match self.shown_digest() {
            Some(digest) => write!(formatter, " (sha256 {digest})"),
            None => Ok(()),
        }
    }
}

/// Facts in the order in which they are shown.
///
/// The list is made once: what a person sees are these lines, and what is approved is the [digest](Self::digest) of these
/// lines. Neither can hold anything the other does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts(Vec<Fact>);

impl Facts {
    /// Returns the facts in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Fact> {
        self.0.iter()
    }

    /// Returns the hash of everything binding.
    pub fn digest(&self) -> String {
        let binding = self.0.iter().filter(|fact| fact.is_binding);
        let facts: Vec<_> = binding
            .map(|Fact { topic, name, text, digest, is_binding: _ }| json!([format!("{topic:?}"), name, text, digest]))
            .collect();
        sha256(json!([VERSION, facts]).to_string().as_bytes())
    }

    /// Tells whether the binding facts are the same but for those about one topic.
    pub fn differ_only_in(&self, topic: Topic, other: &Self) -> bool {
        let rest = |facts: &'_ Self| -> Vec<Fact> {
            facts.iter().filter(|fact| fact.is_binding && fact.topic != topic).cloned().collect()
        };
        rest(self) == rest(other)
    }

    pub(crate) fn add(&mut self, fact: Fact) {
        self.0.push(fact);
    }
}

impl Extend<Fact> for Facts {
    fn extend<I: IntoIterator<Item = Fact>>(&mut self, facts: I) {
        self.0.extend(facts);
    }
}

impl Fact {
    /// Something that is part of what is approved.
    pub(crate) fn binding(topic: Topic, text: impl Into<String>) -> Self {
        Self { topic, name: None, text: text.into(), digest: None, is_binding: true }
    }

    /// Something that is only said.
    pub(crate) fn note(topic: Topic, text: impl Into<String>) -> Self {
        Self { is_binding: false, ..Self::binding(topic, text) }
    }

    pub(crate) fn of(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    pub(crate) fn digested(self, digest: impl Into<String>) -> Self {
        Self { digest: Some(digest.into()), ..self }
    }
}

impl<'a> IntoIterator for &'a Facts {
    type Item = &'a Fact;
    type IntoIter = std::slice::Iter<'a, Fact>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|fact| writeln!(formatter, "  {fact}"))
    }
}
