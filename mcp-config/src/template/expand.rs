//! Puts values in the place of variables, in one pass: a value is never looked at again.

use std::path::{MAIN_SEPARATOR_STR, Path};

use super::Template;
use super::parse::{Piece, Reference, Variable};

/// What the variables of a template stand for.
pub(crate) trait Values {
    /// Returns an environment variable.
    fn environment(&self, name: &str) -> Option<String>;
    /// Returns the answer to a prompt.
    fn input(&self, id: &str) -> Option<String>;
    /// Returns a secret from the keyring.
    ///
    /// # Errors
    /// Says why this server may not have it.
    fn keyring(&self, name: &str) -> Result<Option<String>, String>;
    /// Returns the text of a file.
    ///
    /// # Errors
    /// Says why it cannot be read, or why this server may not have it.
    fn file(&self, path: &str) -> Result<Option<String>, String>;
    /// Returns the workspace.
    fn workspace(&self) -> &Path;
    /// Returns the user's home directory.
    fn home(&self) -> Option<&Path>;
    /// Returns the plugin's own directory and the one for its data.
    fn plugin(&self) -> Option<(&Path, &Path)>;
}

/// Why a template has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// The variable has no value and no default.
    Unset { text: String, variable: Variable },
    /// The variable is written in another host's syntax.
    Foreign { text: String },
    /// The value exists and is withheld.
    Withheld { text: String, reason: String },
}

/// Expands a template.
///
/// `strict` is whether an undoubted variable of another host's syntax is an error: it is everywhere but in the arguments
/// of hosts that expand nothing, where `${HOME}` may be meant for a shell.
pub(crate) fn expand(template: &Template, values: &dyn Values, strict: bool) -> Result<String, Unresolved> {
    let mut text = String::new();
    expand_pieces(&template.pieces(), values, strict, &mut text)?;
    Ok(text)
}

fn expand_pieces(pieces: &[Piece], values: &dyn Values, strict: bool, into: &mut String) -> Result<(), Unresolved> {
    for piece in pieces {
        match piece {
            Piece::Foreign { text, certain: true, .. } if strict => {
                return Err(Unresolved::Foreign { text: text.clone() });
            }
            Piece::Literal(text) | Piece::Foreign { text, .. } => into.push_str(text),
            Piece::Variable(reference) => match (value(reference, values)?, &reference.default) {
                (Some(value), Some(default)) if value.is_empty() => expand_pieces(default, values, strict, into)?,
                (Some(value), _) => into.push_str(&value),
                (None, Some(default)) => expand_pieces(default, values, strict, into)?,
                (None, None) => {
                    return Err(Unresolved::Unset {
                        text: reference.text.clone(),
                        variable: reference.variable.clone(),
                    });
                }
            },
        }
    }
    Ok(())
}

/// Expands as much of a template as there are values for; a space stands for the rest.
pub(crate) fn expand_known(template: &Template, values: &dyn Values) -> String {
    let mut text = String::new();
    expand_known_pieces(&template.pieces(), values, &mut text);
    text
}

fn expand_known_pieces(pieces: &[Piece], values: &dyn Values, into: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Literal(text) | Piece::Foreign { text, .. } => into.push_str(text),
            Piece::Variable(reference) => match (value(reference, values), &reference.default) {
                (Ok(Some(value)), None) => into.push_str(&value),
                (Ok(Some(value)), Some(_)) if !value.is_empty() => into.push_str(&value),
                (_, Some(default)) => expand_known_pieces(default, values, into),
                (_, None) => into.push(' '),
            },
        }
    }
}

fn value(reference: &Reference, values: &dyn Values) -> Result<Option<String>, Unresolved> {
    let withheld = |reason| Unresolved::Withheld { text: reference.text.clone(), reason };
    let path = |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned());
    Ok(match &reference.variable {
        Variable::Environment(name) => values.environment(name),
        Variable::Input(id) => values.input(id),
        Variable::Keyring(name) => values.keyring(name).map_err(withheld)?,
        Variable::File(name) => values.file(name).map_err(withheld)?,
        Variable::WorkspaceFolder => path(Some(values.workspace())),
        Variable::WorkspaceName => values.workspace().file_name().map(|name| name.to_string_lossy().into_owned()),
        Variable::UserHome => path(values.home()),
        Variable::PathSeparator => Some(MAIN_SEPARATOR_STR.to_owned()),
        Variable::PluginRoot => path(values.plugin().map(|(root, _)| root)),
        Variable::PluginData => path(values.plugin().map(|(_, data)| data)),
    })
}
