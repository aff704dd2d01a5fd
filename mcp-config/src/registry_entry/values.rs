//! What is written for the values of a `server.json`: text that stands for itself, and variables that a person provides.

use serde_json::{Map, Value as Json};

use super::{Input, Need};
use crate::template::{Piece, Syntax, Template, literal};

/// Collects the values a person has to provide.
pub(super) struct Needs {
    /// The server's whole name in the registry: others may have the same behind the slash.
    server: String,
    list: Vec<Need>,
}

impl Needs {
    /// The needs of the server of that registry name, which holds no character that ends a variable.
    pub(super) fn of(server: &str) -> Self {
        Self { server: server.to_owned(), list: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn into_list(self) -> Vec<Need> {
        self.list
    }

    /// Returns what to write for a variable of the child's environment: the person's own of the same name, if it has no value.
    pub(super) fn environment(&mut self, input: &Input, name: &str) -> Option<String> {
        self.input(input, &variable_name(name))
    }

    /// Returns what to write for an argument or a header.
    pub(super) fn value(&mut self, input: &Input, hint: &str) -> Option<String> {
        let variable = self.own_variable(hint);
        self.input(input, &variable)
    }

    /// Returns what to write for an input: its fixed value, or a reference to what a person provides.
    fn input(&mut self, input: &Input, variable: &str) -> Option<String> {
        if let Some(value) = &input.value {
            return Some(self.fill(value, &input.variables));
        }
        if !input.is_required && !input.is_secret {
            return input.default.as_ref().map(text).map(|default| literal(&default));
        }
        Some(self.reference(variable, input))
    }

    /// Puts references and values in the place of `{name}`, once; a name the document does not explain stays as it is.
    pub(super) fn fill(&mut self, template: &str, variables: &Map<String, Json>) -> String {
        let mut filled = Filled::default();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            filled.text.push_str(before);
            let marked = after.split_once('}').and_then(|(name, rest)| Some((name, variables.get(name)?, rest)));
            let Some((name, description, after)) = marked else {
                filled.text.push('{');
                rest = after;
                continue;
            };
            let input: Input = serde_json::from_value(description.clone()).unwrap_or_default();
            match &input.value {
                Some(value) => filled.text.push_str(value),
                None => filled.reference(&self.reference(&self.own_variable(name), &input)),
            }
            rest = after;
        }
        filled.text.push_str(rest);
        filled.finish()
    }

    /// A variable that is this server's alone: whoever chooses the names of a server and of its inputs can otherwise spell
    /// those of a person's own variables, such as `AWS_SECRET_ACCESS_KEY`.
    fn own_variable(&self, name: &str) -> String {
        variable_name(&format!("MCP {} {name}", self.server))
    }

    fn reference(&mut self, variable: &str, input: &Input) -> String {
        let default = input.default.as_ref().map(text);
        let reference = match default.and_then(|default| with_default(variable, &default)) {
            _ if input.is_secret => format!("${{keyring:{}.{variable}}}", self.server),
            Some(reference) => reference,
            None => format!("${{{variable}}}"),
        };
        self.list.push(Need {
            reference: reference.clone(),
            description: input.description.clone(),
            is_secret: input.is_secret,
        });
        reference
    }
}

/// A text with references in it.
#[derive(Default)]
struct Filled {
    written: String,
    /// Text that is not written yet: what it may look like depends on what follows.
    text: String,
}

impl Filled {
    fn reference(&mut self, reference: &str) {
        let text = std::mem::take(&mut self.text);
        let dollars = text.len() - text.trim_end_matches('$').len();
        self.written.push_str(&literal(&text));
        // These stand before the dollar of the reference, where two stand for one.
        self.written.push_str(&"$".repeat(dollars));
        self.written.push_str(reference);
    }

    fn finish(self) -> String {
        self.written + &literal(&self.text)
    }
}

/// A reference with a default; `None` is a default that cannot be written in one.
fn with_default(variable: &str, default: &str) -> Option<String> {
    let reference = format!("${{{variable}:-{}}}", literal(default));
    let pieces = Template::new(&reference, Syntax::Toolkit).pieces();
    let [Piece::Variable(found)] = &pieces[..] else { return None };
    let stands_for_itself = |piece: &Piece| match piece {
        Piece::Literal(text) | Piece::Foreign { text, certain: false, .. } => Some(text.clone()),
        Piece::Foreign { .. } | Piece::Variable(_) => None,
    };
    let text: String = found.default.as_ref()?.iter().map(stands_for_itself).collect::<Option<_>>()?;
    (text == default).then_some(reference)
}

fn text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// Turns a hint such as `api-key` into the name of a variable.
fn variable_name(hint: &str) -> String {
    let name: String = hint
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_uppercase() } else { '_' })
        .collect();
    if name.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_') {
        name
    } else {
        format!("_{name}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever a document says, the only variables in what is written are those a person is told of.
        #[test]
        fn only_needs_are_variables(
            template in r"[${}A:x\-%env]{0,12}",
            value in r"[${}A:x\-%env]{0,12}",
            default in r"[${}A:x\-%env]{0,12}",
        ) {
            let variables = serde_json::json!({"A": {"value": value}, "x": {"default": default}, "e": {"isSecret": true}});
            let mut needs = Needs::of("s");
            let written = needs.fill(&template, variables.as_object().unwrap());
            let mut expected = needs.list.iter().map(|need| need.reference.as_str());
            for piece in Template::new(&written, Syntax::Toolkit).pieces() {
                match piece {
                    Piece::Variable(found) => prop_assert_eq!(Some(found.text.as_str()), expected.next(), "{}", written),
                    Piece::Foreign { certain, text, .. } => prop_assert!(!certain, "{} in {}", text, written),
                    Piece::Literal(_) => {}
                }
            }
            prop_assert_eq!(expected.next(), None, "{}", written);
        }
    }
}
