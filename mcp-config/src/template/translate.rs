//! Writes what another host's file says in the syntax of this toolkit's own files.

use super::parse::{Piece, Reference, Variable};
use super::{Syntax, Template};

/// A text in this toolkit's syntax.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Translated {
    pub(crate) text: String,
    /// What undoubtedly looks like a variable and is none to the host that wrote it: it stays the text that it is.
    pub(crate) kept: Vec<String>,
}

/// What a variable becomes that means something else, or nothing, in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Substitute {
    /// This text stands there, and no variable.
    Text(String),
    /// The variable stays, with this text as its default.
    Default(String),
}

impl Template {
    /// Writes the template in this toolkit's syntax: its variables are variables, and all else is text, also what would be a
    /// variable here.
    pub(crate) fn translated(&self, substitute: &dyn Fn(&Variable) -> Option<Substitute>) -> Translated {
        let mut writer = Writer { substitute, pending: String::new(), translated: Translated::default() };
        writer.pieces(&self.pieces());
        writer.translated
    }
}

/// Writes a text so that in this toolkit's syntax it stands for itself.
pub(crate) fn literal(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(index) = rest.find('$') {
        let (before, dollars) = rest.split_at(index);
        let after = dollars.trim_start_matches('$');
        let run = dollars.len() - after.len();
        written.push_str(before);
        written.push_str(&"$".repeat(if after.starts_with('{') { 2 * run } else { run }));
        rest = after;
    }
    written + rest
}

struct Writer<'a> {
    substitute: &'a dyn Fn(&Variable) -> Option<Substitute>,
    /// Text that is not written yet: what it may look like depends on what follows.
    pending: String,
    translated: Translated,
}

impl Writer<'_> {
    fn pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Literal(text) => self.pending.push_str(text),
                Piece::Foreign { text, certain, .. } => {
                    self.pending.push_str(text);
                    self.translated.kept.extend(certain.then(|| text.clone()));
                }
                Piece::Variable(reference) => self.reference(reference),
            }
        }
        let text = literal(&std::mem::take(&mut self.pending));
        self.translated.text.push_str(&text);
    }

    fn reference(&mut self, reference: &Reference) {
        let substitute = (self.substitute)(&reference.variable);
        if let Some(Substitute::Text(text)) = substitute {
            self.pending.push_str(&text);
            return;
        }
        let Some(name) = name(&reference.variable) else {
            self.pending.push_str(&reference.text);
            self.translated.kept.push(reference.text.clone());
            return;
        };
        // The dollars before a variable stand before a brace.
        let before = std::mem::take(&mut self.pending);
        let dollars = before.len() - before.trim_end_matches('$').len();
        self.write(&[&literal(&before), &"$".repeat(dollars), "${", &name]);
        match (&reference.default, substitute) {
            (Some(default), _) => {
                self.write(&[":-"]);
                self.pieces(default);
            }
            (None, Some(Substitute::Default(default))) => self.write(&[":-", &literal(&default)]),
            (None, _) => {}
        }
        self.write(&["}"]);
    }

    fn write(&mut self, texts: &[&str]) {
        self.translated.text.extend(texts.iter().copied());
    }
}

/// Returns what stands between the braces for a variable; `None` for one that this toolkit's files have no words for.
fn name(variable: &Variable) -> Option<String> {
    let names = match variable {
        // A name that no shell would take is one after `env:`.
        Variable::Environment(name) => vec![name.clone(), format!("env:{name}")],
        Variable::Input(id) => vec![format!("input:{id}")],
        Variable::Keyring(name) => vec![format!("keyring:{name}")],
        Variable::File(path) => vec![format!("file:{path}")],
        Variable::WorkspaceFolder => vec!["workspaceFolder".to_owned()],
        Variable::WorkspaceName => vec!["workspaceFolderBasename".to_owned()],
        Variable::UserHome => vec!["userHome".to_owned()],
        Variable::PathSeparator => vec!["pathSeparator".to_owned()],
        Variable::PluginRoot | Variable::PluginData => Vec::new(),
    };
    let is_read_back = |name: &String| {
        let pieces = Template::new(format!("${{{name}}}"), Syntax::Toolkit).pieces();
        matches!(&pieces[..], [Piece::Variable(found)] if found.variable == *variable && found.default.is_none())
    };
    names.into_iter().find(is_read_back)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a template means, whoever reads it: texts, and variables with their defaults.
    #[derive(Debug, PartialEq)]
    enum Meaning {
        Text(String),
        Variable(Variable, Option<Vec<Self>>),
    }

    fn meaning(pieces: &[Piece]) -> Vec<Meaning> {
        let mut meanings: Vec<Meaning> = Vec::new();
        for piece in pieces {
            let text = match piece {
                Piece::Literal(text) | Piece::Foreign { text, .. } => text,
                // What our files have no words for is named, and stays text.
                Piece::Variable(Reference { variable, text, .. }) if name(variable).is_none() => text,
                Piece::Variable(reference) => {
                    let default = reference.default.as_deref().map(meaning);
                    meanings.push(Meaning::Variable(reference.variable.clone(), default));
                    continue;
                }
            };
            match meanings.last_mut() {
                Some(Meaning::Text(before)) => before.push_str(text),
                _ => meanings.push(Meaning::Text(text.clone())),
            }
        }
        meanings
    }

    const SYNTAXES: [Syntax; 9] = [
        Syntax::Toolkit,
        Syntax::Claude,
        Syntax::Gemini,
        Syntax::Copilot,
        Syntax::Editor,
        Syntax::Windsurf,
        Syntax::OpenCode,
        Syntax::Continue,
        Syntax::None,
    ];

    #[test]
    fn each_syntax_becomes_ours() {
        let cases = [
            (Syntax::None, "for i in a b; do echo ${i}", "for i in a b; do echo $${i}"),
            (Syntax::None, "${keyring:a} $HOME {env:A}", "${keyring:a} $HOME {env:A}"),
            (Syntax::Editor, "${env:A} ${A} ${env:A B} ${input:x}", "${A} $${A} ${env:A B} ${input:x}"),
            (Syntax::Gemini, "$A %B% ${C:-$D}", "${A} ${B} ${C:-${D}}"),
            (Syntax::Claude, "$${A} ${A:-$${B}} ${env:A}", "$$${A} ${A:-$$${B}} $${env:A}"),
            (Syntax::OpenCode, "{env:A}${A}{file:~/x}", "${A}$${A}${file:~/x}"),
            (Syntax::Continue, "${{ secrets.A }} ${{ other.A }}", "${A} $${{ other.A }}"),
        ];
        for (syntax, text, expected) in cases {
            assert_eq!(Template::new(text, syntax).translated(&|_| None).text, expected, "{syntax:?} {text}");
        }
    }

    #[test]
    fn what_stays_text_is_named() {
        let translated = Template::new("a ${A} $B %C% {env:D}", Syntax::None).translated(&|_| None);
        assert_eq!(translated.kept, ["${A}", "{env:D}"]);
        let translated = Template::new("{env:A:-B}", Syntax::OpenCode).translated(&|_| None);
        assert_eq!((translated.text.as_str(), translated.kept), ("{env:A:-B}", vec!["{env:A:-B}".to_owned()]));
    }

    #[test]
    fn a_substitute_stands_in_the_variable_s_place() {
        let substitute = |variable: &Variable| match variable {
            Variable::PluginRoot => Some(Substitute::Text("/p/${x}$".to_owned())),
            Variable::Environment(_) => Some(Substitute::Default("$${b}".to_owned())),
            _ => None,
        };
        let text = Template::new("${CLAUDE_PLUGIN_ROOT}${A}${B:-c}", Syntax::Plugin).translated(&substitute).text;
        assert_eq!(text, "/p/$${x}$$${A:-$$$${b}}${B:-c}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4096) })]

        /// Whatever a text means in the file it stands in, it means in ours; and what is ours is written as it is read.
        #[test]
        fn a_translation_means_the_same(
            syntax in prop::sample::select(SYNTAXES.to_vec()),
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "$", "$$", "{", "}", "${", "${{", "}}", "A", "b", " ", ":", ":-", "env:", "file:", "input:", "keyring:",
                    "secrets.", "inputs.", "%", "workspaceFolder", "userHome", "{env:A}", "$A", "%A%", "${A}", "${A:-",
                ]),
                0..12,
            ),
        ) {
            let template = Template::new(words.concat(), syntax);
            let ours = Template::new(template.translated(&|_| None).text, Syntax::Toolkit);
            let expected = meaning(&template.pieces());
            prop_assert_eq!(meaning(&ours.pieces()), expected, "{} became {}", template.raw(), ours.raw());
            prop_assert_eq!(ours.translated(&|_| None).text, ours.raw());
        }

        #[test]
        fn a_literal_means_itself(text in "[${}a:%-]{0,12}") {
            let ours = Template::new(literal(&text), Syntax::Toolkit);
            let expected = if text.is_empty() { vec![] } else { vec![Meaning::Text(text)] };
            prop_assert_eq!(meaning(&ours.pieces()), expected);
        }
    }
}
