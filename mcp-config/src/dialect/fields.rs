//! Takes an entry's fields one by one, checking each, and reports what is left over.

use std::path::Path;
use std::time::Duration;

use indexmap::IndexMap;

use crate::document::{Node, Value, pointer_join};
use crate::problem::{Position, Problem, ProblemKind, Severity};
use crate::problems::Problems;
use crate::template::{Syntax, Template};

/// The longest string a definition may hold, in bytes.
const MAX_STRING: usize = 64 * 1024;

/// The longest unknown key that is compared with the known ones, in bytes.
const MAX_HINTED_KEY: usize = 40;

/// How many unknown keys of one entry are compared with the known ones.
const MAX_HINTS: usize = 32;

/// The longest time a definition may ask for.
const MAX_TIMEOUT: Duration = Duration::from_hours(24);

/// The unit in which a dialect counts time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Milliseconds,
    Seconds,
}

/// A cursor over the members of one object.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    node: &'a Node,
    name: &'a str,
    pointer: String,
    path: &'a Path,
    taken: Vec<&'static str>,
    skipped: Vec<&'static str>,
    problems: Problems,
    failed: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn new(node: &'a Node, name: &'a str, pointer: &str, path: &'a Path) -> Self {
        let mut fields = Self {
            node,
            name,
            pointer: pointer.to_owned(),
            path,
            taken: Vec::new(),
            skipped: Vec::new(),
            problems: Problems::default(),
            failed: false,
        };
        fields.report_duplicates();
        fields
    }

    /// Tells whether the entry is an object at all, and reports it when not.
    pub(super) fn is_object(&mut self) -> bool {
        if self.node.members().is_some() {
            return true;
        }
        let message = format!("expected an object that describes a server, found {}", self.node.type_name());
        self.error(ProblemKind::Shape, message, self.node.position, None);
        false
    }

    pub(super) fn position(&self) -> Position {
        self.node.position
    }

    /// Tells whether anything made the entry unusable.
    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    pub(super) fn finish(self) -> Problems {
        self.problems
    }

    /// Tells whether a key is there and not null, without taking it.
    pub(super) fn has(&self, key: &str) -> bool {
        self.node.child(key).is_some_and(|node| node.value != Value::Null)
    }

    /// Tells whether a field is more than null and an empty text, without taking it.
    pub(super) fn says(&self, key: &str) -> bool {
        self.has(key) && !self.is_text(key, "")
    }

    /// Tells whether a field is an object, without taking it.
    pub(super) fn is_object_at(&self, key: &str) -> bool {
        self.node.child(key).is_some_and(|node| node.members().is_some())
    }

    /// Tells whether a field is that text, without taking it.
    pub(super) fn is_text(&self, key: &str, text: &str) -> bool {
        self.node.child(key).and_then(Node::as_str) == Some(text)
    }

    /// Reads the fields of an object inside this one.
    pub(super) fn nested<T>(&mut self, node: &'a Node, place: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let mut inner = Self::new(node, self.name, &pointer_join(&self.pointer, place), self.path);
        let result = read(&mut inner);
        drop(inner.unknown());
        self.failed |= inner.failed;
        self.problems.append(inner.problems);
        result
    }

    /// Takes a field as it is; null counts as absent.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        self.taken.push(key);
        self.node.child(key).filter(|node| node.value != Value::Null)
    }

    /// Takes fields that only their own host acts on, and remembers which are there.
    pub(super) fn skip(&mut self, keys: &[&'static str]) {
        self.taken.extend(keys);
        let present: Vec<_> = keys.iter().copied().filter(|key| self.has(key)).collect();
        self.skipped.extend(present);
    }

    /// Returns the fields that were skipped.
    pub(super) fn skipped(&self) -> Vec<&'static str> {
        self.skipped.clone()
    }

    /// Takes fields that say nothing here, so that they are not called unknown.
    pub(super) fn ignore(&mut self, keys: &[&'static str]) {
        self.taken.extend(keys);
    }

    pub(super) fn string(&mut self, key: &'static str) -> Option<&'a str> {
        let node = self.take(key)?;
        self.expect(node.as_str(), "a string", node, key)
    }

    pub(super) fn flag(&mut self, key: &'static str) -> Option<bool> {
        let node = self.take(key)?;
        self.expect(node.as_bool(), "true or false", node, key)
    }

    pub(super) fn template(&mut self, key: &'static str, syntax: Syntax) -> Option<Template> {
        let node = self.take(key)?;
        let text = self.expect(node.as_str(), "a string", node, key)?;
        Some(self.checked_template(text, syntax, node.position, key))
    }

    pub(super) fn templates(&mut self, key: &'static str, syntax: Syntax) -> Option<Vec<Template>> {
        let node = self.take(key)?;
        let items = self.expect(node.items(), "an array of strings", node, key)?;
        let mut templates = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let place = format!("{key}/{index}");
            if let Some(text) = self.scalar(item, &place) {
                templates.push(self.checked_template(&text, syntax, item.position, &place));
            }
        }
        Some(templates)
    }

    /// Takes an array whose first element is a program and whose others are its arguments.
    pub(super) fn command_line(&mut self, key: &'static str, syntax: Syntax) -> Option<(Template, Vec<Template>)> {
        let node = self.node.child(key)?;
        if node.as_str().is_some() {
            self.taken.push(key);
            let message = format!("expected `{key}` to be an array: the program, then its arguments");
            self.error_with_fix(message, format!("write `\"{key}\": [\"program\", \"argument\"]`"));
            return None;
        }
        let mut words = self.templates(key, syntax)?.into_iter();
        let Some(program) = words.next().filter(|program| !program.raw().trim().is_empty()) else {
            let message = format!("expected the program to run in `{key}`, found nothing");
            self.error_with_fix(message, "name a program, such as `npx`".to_owned());
            return None;
        };
        Some((program, words.collect()))
    }

    /// Takes a map from names to strings. A null value leaves the name out.
    pub(super) fn template_map(&mut self, key: &'static str, syntax: Syntax) -> IndexMap<String, Template> {
        let mut map = IndexMap::new();
        let Some(node) = self.take(key).filter(|node| !node.is_empty_list()) else { return map };
        let Some(members) = self.expect(node.members(), "an object that maps names to strings", node, key) else {
            return map;
        };
        for member in members {
            let place = format!("{key}{}", pointer_join("", &member.key));
            if member.node.value == Value::Null {
                continue;
            }
            if member.key.contains(['\r', '\n', '\0']) || member.key.is_empty() {
                self.error(ProblemKind::Shape, "expected a name on one line".to_owned(), member.position, Some(&place));
            } else if let Some(text) = self.scalar(&member.node, &place) {
                let template = self.checked_template(&text, syntax, member.node.position, &place);
                map.insert(member.key.clone(), template);
            }
        }
        map
    }

    pub(super) fn strings(&mut self, key: &'static str) -> Option<Vec<String>> {
        let node = self.take(key)?;
        let items = self.expect(node.items(), "an array of strings", node, key)?;
        let mut strings = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let place = format!("{key}/{index}");
            strings.extend(self.expect(item.as_str(), "a string", item, &place).map(str::to_owned));
        }
        Some(strings)
    }

    /// Takes a span of time. A value that cannot be one is reported and otherwise ignored.
    pub(super) fn duration(&mut self, key: &'static str, unit: Unit) -> Option<Duration> {
        let node = self.take(key)?;
        let number = match &node.value {
            Value::Number(number) => number.as_f64(),
            _ => None,
        };
        let seconds = number.map(|number| match unit {
            Unit::Milliseconds => number / 1000.0,
            Unit::Seconds => number,
        });
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let Some(duration) = duration.filter(|duration| !duration.is_zero() && *duration <= MAX_TIMEOUT) else {
            let unit = match unit {
                Unit::Milliseconds => "milliseconds",
                Unit::Seconds => "seconds",
            };
            let message = format!("expected a number of {unit} between 0 and one day; the default is used");
            self.warn(ProblemKind::Shape, message, node.position, Some(key));
            return None;
        };
        self.check_unit(duration, unit, node.position, key);
        Some(duration)
    }

    /// A timeout of five milliseconds is five seconds in the wrong unit, and one of eight hours is thirty seconds.
    fn check_unit(&mut self, duration: Duration, unit: Unit, position: Position, key: &str) {
        let message = match unit {
            Unit::Milliseconds if duration < Duration::from_millis(500) => {
                format!("{} ms is very short: this file counts milliseconds, not seconds", duration.as_millis())
            }
            Unit::Seconds if duration > Duration::from_hours(1) => {
                format!("{} s is very long: this file counts seconds, not milliseconds", duration.as_secs())
            }
            Unit::Milliseconds | Unit::Seconds => return,
        };
        self.warn(ProblemKind::ForeignSyntax, message, position, Some(key));
    }

    /// Accepts a string, and with a note the numbers and booleans that mean one.
    fn scalar(&mut self, node: &Node, place: &str) -> Option<String> {
        let text = match &node.value {
            Value::String(text) => return Some(text.clone()),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                return self.expect(None, "a string", node, place);
            }
        };
        // Some hosts allow it, others fail on it, and what is meant is beyond doubt.
        let message = format!("expected a string, found {}; it is read as \"{text}\"", node.type_name());
        let problem = Problem::new(Severity::Note, ProblemKind::Shape, message);
        self.problems.push(self.located(problem, node.position, Some(place)));
        Some(text)
    }

    fn checked_template(&mut self, text: &str, syntax: Syntax, position: Position, place: &str) -> Template {
        let template = Template::new(text, syntax);
        if text.len() > MAX_STRING {
            let message = format!("expected at most {MAX_STRING} bytes, found {}", text.len());
            self.error(ProblemKind::Shape, message, position, Some(place));
            return template;
        }
        if text.contains('\0') {
            self.error(ProblemKind::Shape, "expected text without NUL characters".to_owned(), position, Some(place));
        }
        self.warn_about_foreign_syntax(&template, position, place);
        self.warn_about_eaten_backslashes(text, position, place);
        template
    }

    fn warn_about_foreign_syntax(&mut self, template: &Template, position: Position, place: &str) {
        for piece in template.pieces() {
            let crate::template::Piece::Foreign { text, name, certain } = piece else { continue };
            // `$` and `%` alone are at home in shell scripts and URLs.
            if !certain && (text.starts_with('%') || place.starts_with("args") || place.starts_with("command")) {
                continue;
            }
            let syntax = template.syntax();
            let shown = text.split(":-").next().unwrap_or_default();
            let message =
                format!("`{shown}` looks like a variable, but this file's host expands {}", syntax.describe());
            let mut problem = self.located(
                Problem::new(Severity::Warning, ProblemKind::ForeignSyntax, message),
                position,
                Some(place),
            );
            if let Some(name) = name.filter(|_| syntax != Syntax::None) {
                problem = problem.with_fix(format!("write `{}`", syntax.write(&name)));
            }
            self.problems.push(problem);
        }
    }

    /// In JSON and TOML `"C:\temp"` holds a tab: a backslash in a path is written twice.
    fn warn_about_eaten_backslashes(&mut self, text: &str, position: Position, place: &str) {
        const EATEN: [(char, &str); 5] =
            [('\t', "\\t"), ('\n', "\\n"), ('\r', "\\r"), ('\u{8}', "\\b"), ('\u{c}', "\\f")];
        let path = text.rsplit('=').next().unwrap_or_default();
        let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        let eaten = EATEN.iter().find(|(character, _)| path.contains(*character));
        if let Some((_, written)) = eaten.filter(|_| has_drive || path.starts_with('\\')) {
            let message = format!("the path holds a control character, as `{written}` is one here");
            let problem = Problem::new(Severity::Warning, ProblemKind::Shape, message);
            let problem = self.located(problem, position, Some(place));
            self.problems.push(problem.with_fix("write every backslash of a path twice"));
        }
    }

    fn expect<T>(&mut self, value: Option<T>, expected: &str, node: &Node, place: &str) -> Option<T> {
        if value.is_none() {
            let message = format!("expected {expected}, found {}", node.type_name());
            self.error(ProblemKind::Shape, message, node.position, Some(place));
        }
        value
    }

    /// Reports something that makes the entry unusable.
    pub(super) fn error(&mut self, kind: ProblemKind, message: String, position: Position, place: Option<&str>) {
        self.failed = true;
        let problem = self.located(Problem::new(Severity::Error, kind, message), position, place);
        self.problems.push(problem);
    }

    /// Reports something the entry survives.
    pub(super) fn warn(&mut self, kind: ProblemKind, message: String, position: Position, place: Option<&str>) {
        let problem = self.located(Problem::new(Severity::Warning, kind, message), position, place);
        self.problems.push(problem);
    }

    /// Reports something worth knowing about the entry as a whole.
    pub(super) fn note(&mut self, kind: ProblemKind, message: String, position: Position) {
        let problem = self.located(Problem::new(Severity::Note, kind, message), position, None);
        self.problems.push(problem);
    }

    /// Reports something that makes the entry unusable, and what mends it.
    pub(super) fn error_with_fix(&mut self, message: String, fix: String) {
        self.failed = true;
        let position = self.node.position;
        let problem =
            self.located(Problem::new(Severity::Error, ProblemKind::Shape, message), position, None).with_fix(fix);
        self.problems.push(problem);
    }

    fn located(&self, problem: Problem, position: Position, place: Option<&str>) -> Problem {
        let pointer = place.map_or_else(|| self.pointer.clone(), |place| format!("{}/{place}", self.pointer));
        let problem = problem.with_path(self.path).with_pointer(pointer).at_position(position);
        if self.name.is_empty() { problem } else { problem.with_server(self.name) }
    }

    /// Returns the members nobody took, reporting each with the nearest key the dialect knows.
    pub(super) fn unknown(&mut self) -> serde_json::Map<String, serde_json::Value> {
        let mut unknown = serde_json::Map::new();
        for member in self.node.members().unwrap_or_default() {
            if self.taken.contains(&member.key.as_str()) || unknown.contains_key(&member.key) {
                continue;
            }
            unknown.insert(member.key.clone(), member.node.to_json());
            let message = format!("unknown key `{}` has no effect here", member.key);
            let place = pointer_join("", &member.key);
            let place = place.strip_prefix('/').unwrap_or(&place);
            let mut problem = self.located(
                Problem::new(Severity::Warning, ProblemKind::UnknownKey, message),
                member.position,
                Some(place),
            );
            if unknown.len() <= MAX_HINTS
                && let Some(nearest) = nearest(&member.key, &self.taken)
            {
                problem = problem.with_fix(format!("did you mean `{nearest}`?"));
            }
            self.problems.push(problem);
        }
        unknown
    }

    fn report_duplicates(&mut self) {
        for (member, last) in self.node.overridden_members() {
            let message = format!("`{}` appears again on line {}, and the later one wins", member.key, last.line);
            self.warn(ProblemKind::Duplicate, message, member.position, Some(&member.key));
        }
    }
}

/// Spellings of one field in different hosts, for the hint beside an unknown key.
const SYNONYMS: [&[&str]; 7] = [
    &["env", "environment", "envs", "environmentVariables"],
    &["command", "cmd", "executable"],
    &["url", "serverUrl", "httpUrl", "uri", "baseUrl", "base_url", "server_url", "endpoint"],
    &["headers", "http_headers", "requestHeaders", "requestOptions"],
    &["type", "transport", "transportType", "transport_type"],
    &["disabled", "enabled"],
    &["cwd", "workingDirectory", "working_directory", "dir"],
];

pub(super) fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let synonym = SYNONYMS
        .iter()
        .filter(|names| names.iter().any(|name| name.eq_ignore_ascii_case(key)))
        .find_map(|names| known.iter().find(|candidate| names.contains(candidate)));
    if let Some(synonym) = synonym {
        return Some(synonym);
    }
    if key.len() > MAX_HINTED_KEY {
        return None;
    }
    let distance = |candidate: &&&'static str| strsim::osa_distance(&key.to_lowercase(), &candidate.to_lowercase());
    known.iter().filter(|candidate| distance(candidate) <= 2 && candidate.len() > 2).min_by_key(distance).copied()
}
