//! One string of a definition: as it is written, and what becomes of it here.

use std::collections::BTreeSet;
use std::fmt;

use super::secrets::Heard;
use super::values::Scoped;
use crate::document::pointer_join;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::remedy::{PromptOf, Remedy};
use crate::secret::{REDACTED, Secret};
use crate::source::Origin;
use crate::template::{Reference, Syntax, Template, Unresolved, Variable, expand, expand_known};

/// The fields without which nobody can say what runs, and where.
const DECISIVE: [&str; 4] = ["command", "cwd", "envFile", "url"];

/// What is confirmed where nothing is.
static NOTHING: BTreeSet<String> = BTreeSet::new();

/// A string of a definition.
#[derive(Clone, PartialEq)]
pub(crate) struct Text {
    /// As it stands in the file: what a person is shown, and what is approved.
    pub(super) written: Template,
    /// With everything the person has put in: what is started.
    pub(super) value: Value,
    /// With what a person has not answered or allowed left out: where files are looked for.
    pub(super) known: String,
    /// What of the person's own is in the value.
    pub(super) own: Vec<Secret>,
}

/// What a string comes to.
#[derive(Clone, PartialEq)]
pub(super) enum Value {
    /// This.
    Known(Secret),
    /// A person has yet to answer a prompt, set a variable, store a secret, or let the server have it. What they put in is their
    /// own, so that they may approve the rest before.
    Pending(Box<Problem>),
    /// Nobody can say: something has no value here, or is not ours to expand.
    Unresolved(Box<Problem>),
}

impl Text {
    /// Returns the value.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn value(&self) -> Result<&str, Problem> {
        match &self.value {
            Value::Known(value) => Ok(value.expose()),
            Value::Pending(problem) | Value::Unresolved(problem) => Err(problem.as_ref().clone()),
        }
    }

    /// Returns what it comes to as far as is known.
    pub(super) fn here(&self) -> &str {
        match &self.value {
            Value::Known(value) => value.expose(),
            Value::Pending(_) | Value::Unresolved(_) => &self.known,
        }
    }

    /// Tells whether it is the same whatever a person answers.
    pub(super) fn depends_on_no_answer(&self) -> bool {
        self.here() == self.known
    }

    /// Tells whether nothing of the person's own is in it, so that what it comes to may be shown.
    pub(super) fn is_foreign(&self) -> bool {
        let is_own = |reference: &Reference| {
            matches!(
                reference.variable,
                Variable::Environment(_) | Variable::Input(_) | Variable::Keyring(_) | Variable::File(_)
            )
        };
        !self.references().iter().any(is_own)
    }

    /// Returns why nobody can agree to it as it stands.
    pub(super) fn obstacle(&self) -> Option<&Problem> {
        match &self.value {
            Value::Unresolved(problem) => Some(problem),
            Value::Known(_) | Value::Pending(_) => None,
        }
    }

    pub(super) fn references(&self) -> Vec<Reference> {
        self.written.references()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if matches!(self.value, Value::Known(_)) { REDACTED } else { "[unknown]" };
        formatter.debug_struct("Text").field("written", &self.written).field("value", &value).finish_non_exhaustive()
    }
}

/// Expands the strings of one definition, and says where one cannot be expanded.
#[derive(Clone, Copy)]
pub(super) struct Expander<'a> {
    pub(super) name: &'a str,
    pub(super) origin: &'a Origin,
    pub(super) values: Scoped<'a>,
}

impl Expander<'_> {
    pub(super) fn text(&self, field: &str, template: &Template) -> Text {
        let is_word = field == "command" || field.starts_with("args");
        let strict = template.syntax() != Syntax::None || !is_word;
        let heard = Heard::new(&self.values);
        let value = match expand(template, &heard, strict) {
            Ok(text) => Value::Known(Secret::new(text)),
            Err(unresolved) => self.unresolved(field, template, unresolved),
        };
        // An answer is the person's own, and may be another tomorrow: what the repository decides must not depend on it.
        let known = expand_known(template, &Scoped { answers: &(), confirmed: &NOTHING, ..self.values });
        Text { written: template.clone(), value, known, own: heard.into_own() }
    }

    fn unresolved(&self, field: &str, template: &Template, unresolved: Unresolved) -> Value {
        match unresolved {
            Unresolved::Unset { text, variable } => self.unset(field, &text, &variable),
            Unresolved::Foreign { text } => {
                let shown = text.split(":-").next().unwrap_or_default();
                let syntax = template.syntax().describe();
                let message = format!(
                    "`{field}` holds `{shown}`, which would be sent as it is: this file's host expands {syntax}"
                );
                Value::Unresolved(Box::new(self.problem(ProblemKind::ForeignSyntax, message, field)))
            }
            Unresolved::Withheld { text, reason } => {
                let message = format!("`{field}` may not have {text}: {reason}");
                let problem = self.problem(ProblemKind::Approval, message, field);
                Value::Pending(Box::new(problem.with_fix(Remedy::trust(self.name))))
            }
        }
    }

    fn unset(&self, field: &str, text: &str, variable: &Variable) -> Value {
        let (message, fix) = match variable {
            Variable::Environment(name) => (
                format!("`{field}` needs the variable {name}, which is not set and has no default"),
                Remedy::advice(format!("set the variable {name}")),
            ),
            Variable::Input(id) => (
                format!("`{field}` needs an answer to the prompt {id}"),
                Remedy::Answer(Box::new(PromptOf { server: self.name.into(), prompt: id.as_str().into() })),
            ),
            Variable::Keyring(name) => (
                format!("`{field}` needs the secret {name}, which is not stored"),
                Remedy::StoreSecret { name: name.as_str().into() },
            ),
            _ => (
                format!("`{field}` needs {text}, which has no value here"),
                Remedy::advice(format!("write the value for {text}")),
            ),
        };
        let problem = Box::new(self.problem(ProblemKind::Unset, message, field).with_fix(fix));
        match variable {
            Variable::Input(_) | Variable::Keyring(_) => Value::Pending(problem),
            Variable::Environment(_) if !DECISIVE.contains(&field) => Value::Pending(problem),
            _ => Value::Unresolved(problem),
        }
    }

    pub(super) fn problem(&self, kind: ProblemKind, message: String, field: &str) -> Problem {
        problem(self.name, self.origin, kind, message, field)
    }
}

/// Makes a problem of a definition's field; of the whole definition where none is named.
pub(crate) fn problem(name: &str, origin: &Origin, kind: ProblemKind, message: String, field: &str) -> Problem {
    let pointer = field.split(['.', '[']).map(|part| part.trim_end_matches(']')).filter(|part| !part.is_empty());
    let pointer = pointer.fold(origin.pointer.clone(), |pointer, part| pointer_join(&pointer, part));
    Problem::new(Severity::Error, kind, message)
        .with_path(&origin.path)
        .at(origin.line, origin.column)
        .with_pointer(pointer)
        .with_server(name)
}
