//! Cuts a text into literals and variables. Text that only looks like a variable stays literal.

use super::syntax::{Spelling, Syntax};

/// How deep defaults may nest: `${A:-${B:-${C}}}` is three.
const MAX_DEFAULT_DEPTH: usize = 8;

/// How far ahead the end of a variable is looked for, in bytes: it bounds the work a hostile text can cause.
const MAX_REFERENCE_LENGTH: usize = 1024;

/// A stretch of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that stands for itself.
    Literal(String),
    /// A variable of this syntax.
    Variable(Reference),
    /// A variable of another host's syntax.
    Foreign {
        /// The text as written.
        text: String,
        /// The name inside, where it is the name of an environment variable.
        name: Option<String>,
        /// Whether it cannot sensibly mean itself: `${X}` cannot, `$X` may.
        certain: bool,
    },
}

/// A use of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) variable: Variable,
    /// What to use when the variable is unset or empty.
    pub(crate) default: Option<Vec<Piece>>,
    /// The text as written.
    pub(crate) text: String,
}

/// What a reference refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variable {
    Environment(String),
    Input(String),
    Keyring(String),
    File(String),
    WorkspaceFolder,
    WorkspaceName,
    UserHome,
    PathSeparator,
    PluginRoot,
    PluginData,
}

pub(super) fn parse(text: &str, syntax: Syntax) -> Vec<Piece> {
    Parser::new(text, syntax).run(0)
}

pub(super) fn collect_references(pieces: &[Piece], found: &mut Vec<Reference>) {
    for piece in pieces {
        if let Piece::Variable(reference) = piece {
            found.push(reference.clone());
            if let Some(default) = &reference.default {
                collect_references(default, found);
            }
        }
    }
}

struct Parser<'a> {
    syntax: Syntax,
    text: &'a str,
    closings: Closings,
    pieces: Vec<Piece>,
    literal: String,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, syntax: Syntax) -> Self {
        Self { syntax, text, closings: Closings::of(text), pieces: Vec::new(), literal: String::new() }
    }

    fn run(mut self, depth: usize) -> Vec<Piece> {
        let mut rest = self.text;
        while let Some(index) = rest.find(['$', '{', '%']) {
            let (before, after) = rest.split_at(index);
            self.literal.push_str(before);
            let taken = self.take(after, depth);
            let (_, remaining) = after.split_at(taken);
            rest = remaining;
        }
        self.literal.push_str(rest);
        self.flush();
        self.pieces
    }

    /// Consumes what begins at the start of `text`, and returns its length in bytes.
    fn take(&mut self, text: &str, depth: usize) -> usize {
        if text.starts_with("$$") && self.syntax.accepts(Spelling::Escape) {
            return self.dollars(text);
        }
        if let Some(rest) = text.strip_prefix("${{")
            && let Some(inside) = self.until_double_brace(rest)
        {
            return self.double_brace(inside);
        }
        if let Some(rest) = text.strip_prefix("${")
            && let Some(inside) = self.until_matching_brace(rest)
        {
            return self.dollar_brace(inside, depth);
        }
        if let Some(rest) = text.strip_prefix('{')
            && let Some((inside, _)) = window(rest).split_once('}')
        {
            return self.single_brace(inside);
        }
        if let Some(rest) = text.strip_prefix('$') {
            return self.bare(rest, "$", "", Spelling::Dollar);
        }
        if let Some(rest) = text.strip_prefix('%')
            && let Some((inside, _)) = window(rest).split_once('%')
            && is_name(inside)
        {
            return self.bare(inside, "%", "%", Spelling::Percent);
        }
        self.one_character(text)
    }

    /// Returns the text, up to the brace that closes the one just before it.
    fn until_matching_brace<'t>(&self, text: &'t str) -> Option<&'t str> {
        let begin = self.text.len() - text.len();
        let end = self.closings.of_brace(begin.checked_sub(1)?)?;
        within_reach(text, end - begin)
    }

    /// Returns the text up to the next `}}`.
    fn until_double_brace<'t>(&self, text: &'t str) -> Option<&'t str> {
        let begin = self.text.len() - text.len();
        let end = self.closings.double(begin)?;
        within_reach(text, end - begin)
    }

    fn one_character(&mut self, text: &str) -> usize {
        let Some(character) = text.chars().next() else { return 0 };
        self.literal.push(character);
        character.len_utf8()
    }

    /// Of a run of dollars before a brace two stand for one; the one that may be left over begins a variable. Elsewhere each
    /// stands for itself.
    fn dollars(&mut self, text: &str) -> usize {
        let rest = text.trim_start_matches('$');
        let run = text.len() - rest.len();
        if !rest.starts_with('{') {
            // The last one may begin the `$VAR` of another host.
            self.literal.push_str(&"$".repeat(run - 1));
            return run - 1;
        }
        self.literal.push_str(&"$".repeat(run / 2));
        if run % 2 == 1 {
            return run - 1;
        }
        let braces = rest.len() - rest.trim_start_matches('{').len();
        self.literal.push_str(&"{".repeat(braces));
        run + braces
    }

    fn double_brace(&mut self, inside: &str) -> usize {
        let text = format!("${{{{{inside}}}}}");
        let length = text.len();
        let inner = inside.trim();
        let variable = match inner.split_once('.') {
            Some(("secrets", name)) => Some(Variable::Environment(name.to_owned())),
            Some(("inputs", name)) => Some(Variable::Input(name.to_owned())),
            _ => None,
        };
        match variable {
            Some(variable) if self.syntax.accepts(Spelling::DoubleBrace) => self.variable(variable, None, text),
            _ => self.foreign(text, inner.rsplit('.').next(), true),
        }
        length
    }

    fn dollar_brace(&mut self, inside: &str, depth: usize) -> usize {
        let text = format!("${{{inside}}}");
        let length = text.len();
        let (head, default) = match inside.split_once(":-") {
            Some((head, default)) => (head, Some(default)),
            None => (inside, None),
        };
        let Some(variable) = self.classify(head) else {
            let name = head.strip_prefix("env:").unwrap_or(head);
            self.foreign(text, Some(name), true);
            return length;
        };
        let default = match default {
            Some(default) if depth < MAX_DEFAULT_DEPTH => Some(Parser::new(default, self.syntax).run(depth + 1)),
            Some(_) => {
                self.foreign(text, None, true);
                return length;
            }
            None => None,
        };
        self.variable(variable, default, text);
        length
    }

    fn classify(&self, head: &str) -> Option<Variable> {
        let accepts = |spelling| self.syntax.accepts(spelling);
        if let Some((prefix, name)) = head.split_once(':') {
            return match prefix {
                "keyring" if !name.is_empty() => Some(Variable::Keyring(name.to_owned())),
                "env" if accepts(Spelling::EnvPrefix) && !name.is_empty() => {
                    Some(Variable::Environment(name.to_owned()))
                }
                "input" if accepts(Spelling::Input) && !name.is_empty() => Some(Variable::Input(name.to_owned())),
                "file" if accepts(Spelling::File) && !name.is_empty() => Some(Variable::File(name.to_owned())),
                "workspaceFolder" if accepts(Spelling::Workspace) => Some(Variable::WorkspaceFolder),
                _ => None,
            };
        }
        match head {
            "workspaceFolder" if accepts(Spelling::Workspace) => Some(Variable::WorkspaceFolder),
            "workspaceFolderBasename" if accepts(Spelling::Workspace) => Some(Variable::WorkspaceName),
            "userHome" if accepts(Spelling::Workspace) => Some(Variable::UserHome),
            "pathSeparator" | "/" if accepts(Spelling::Workspace) => Some(Variable::PathSeparator),
            "PLUGIN_ROOT" | "CLAUDE_PLUGIN_ROOT" | "AGENTS_PLUGIN_ROOT" | "COPILOT_PLUGIN_ROOT"
                if accepts(Spelling::PluginRoot) =>
            {
                Some(Variable::PluginRoot)
            }
            "CLAUDE_PLUGIN_DATA" | "AGENTS_PLUGIN_DATA" | "COPILOT_PLUGIN_DATA" if accepts(Spelling::PluginRoot) => {
                Some(Variable::PluginData)
            }
            name if accepts(Spelling::DollarBrace) && is_name(name) => Some(Variable::Environment(name.to_owned())),
            _ => None,
        }
    }

    fn single_brace(&mut self, inside: &str) -> usize {
        let text = format!("{{{inside}}}");
        let length = text.len();
        // Where it is no variable it must not hide one.
        let hides = !self.syntax.accepts(Spelling::SingleBrace) && inside.contains(['$', '{']);
        let variable = match inside.split_once(':').filter(|_| !hides) {
            Some(("env", name)) if !name.is_empty() => Variable::Environment(name.to_owned()),
            Some(("file", path)) if !path.is_empty() => Variable::File(path.to_owned()),
            _ => {
                self.literal.push('{');
                return 1;
            }
        };
        if self.syntax.accepts(Spelling::SingleBrace) {
            self.variable(variable, None, text);
        } else {
            let name = inside.strip_prefix("env:");
            self.foreign(text, name, name.is_some());
        }
        length
    }

    /// Handles `$VAR` and `%VAR%`, which outside their own hosts may well mean themselves.
    fn bare(&mut self, rest: &str, open: &str, close: &str, spelling: Spelling) -> usize {
        let name: String = rest.chars().take_while(|character| is_name_character(*character)).collect();
        if !is_name(&name) {
            self.literal.push_str(open);
            return open.len();
        }
        let text = format!("{open}{name}{close}");
        let length = text.len();
        if self.syntax.accepts(spelling) {
            self.variable(Variable::Environment(name), None, text);
        } else {
            self.foreign(text, Some(&name), false);
        }
        length
    }

    fn variable(&mut self, variable: Variable, default: Option<Vec<Piece>>, text: String) {
        self.flush();
        self.pieces.push(Piece::Variable(Reference { variable, default, text }));
    }

    fn foreign(&mut self, text: String, name: Option<&str>, certain: bool) {
        self.flush();
        let name = name.filter(|name| is_name(name)).map(str::to_owned);
        self.pieces.push(Piece::Foreign { text, name, certain });
    }

    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.pieces.push(Piece::Literal(std::mem::take(&mut self.literal)));
        }
    }
}

/// Where braces end, found once for a whole text: a text of nothing but beginnings is not searched again from each.
struct Closings {
    /// The places of a brace and of the one that closes it, in the order of the first.
    pairs: Vec<(usize, usize)>,
    /// The places of `}}`.
    doubles: Vec<usize>,
}

impl Closings {
    fn of(text: &str) -> Self {
        let mut open = Vec::new();
        let mut pairs = Vec::new();
        for (index, byte) in text.bytes().enumerate() {
            match byte {
                b'{' => open.push(index),
                b'}' => pairs.extend(open.pop().map(|begin| (begin, index))),
                _ => {}
            }
        }
        pairs.sort_unstable();
        Self { pairs, doubles: text.match_indices("}}").map(|(index, _)| index).collect() }
    }

    /// The place of the brace that closes the one at `index`.
    fn of_brace(&self, index: usize) -> Option<usize> {
        let found = self.pairs.binary_search_by_key(&index, |(begin, _)| *begin).ok()?;
        self.pairs.get(found).map(|(_, end)| *end)
    }

    /// The first `}}` from `index` on.
    fn double(&self, index: usize) -> Option<usize> {
        self.doubles.get(self.doubles.partition_point(|place| *place < index)).copied()
    }
}

fn within_reach(text: &str, length: usize) -> Option<&str> {
    text.get(..length).filter(|inside| inside.len() < MAX_REFERENCE_LENGTH)
}

fn window(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_REFERENCE_LENGTH)).unwrap_or(text)
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|character: char| character.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(is_name_character)
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
