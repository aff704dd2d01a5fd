//! The only place that writes to the terminal. Data goes to stdout, talk to stderr, and every text on its way to a
//! person goes through [`printable`].

mod reading;

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::sync::Mutex;

use anstyle::{AnsiColor, Style};
use mcp_client::{printable, printable_json, printable_line};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::hint::{Hint, Shown, Whose};

/// How a piece of text is meant; where there is no colour, the words alone must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Dim,
    Good,
    Warning,
    Bad,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Dim => Style::new().dimmed(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Warning => AnsiColor::Yellow.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
        }
    }
}

/// One line of text in pieces of different tone. What is added to it is safe to show from then on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pieces: Vec<(Tone, String)>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends text; line breaks in it are escaped, so that it cannot forge a second line.
    #[must_use]
    pub(crate) fn with(mut self, tone: Tone, text: impl AsRef<str>) -> Self {
        self.pieces.push((tone, printable_line(text.as_ref()).into_owned()));
        self
    }

    #[must_use]
    pub(crate) fn plain(self, text: impl AsRef<str>) -> Self {
        self.with(Tone::Plain, text)
    }

    fn width(&self) -> usize {
        self.pieces.iter().map(|(_, text)| text.width()).sum()
    }

    fn render(&self) -> String {
        self.pieces.iter().fold(String::new(), |mut line, (tone, text)| {
            let style = tone.style();
            write!(line, "{style}{text}{style:#}").expect("writing to a string cannot fail");
            line
        })
    }
}

impl<S: AsRef<str>> From<S> for Line {
    fn from(text: S) -> Self {
        Self::new().plain(text)
    }
}

/// Stdout and stderr, and what went wrong with writing to them.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    /// The first failure to write to stdout. Later ones say nothing new.
    failed: Mutex<Option<std::io::Error>>,
    whose: Whose,
}

impl Terminal {
    /// Its hints are about this configuration.
    pub(crate) fn new(whose: Whose) -> Self {
        Self { whose, ..Self::default() }
    }

    /// Writes one line of data.
    pub(crate) fn data(&self, line: impl Into<Line>) {
        self.keep(writeln!(anstream::stdout(), "{}", line.into().render()));
    }

    /// Writes lines of data.
    pub(crate) fn data_lines(&self, lines: impl IntoIterator<Item = Line>) {
        for line in lines {
            self.data(line);
        }
    }

    /// Writes text of a server as data: its line breaks stay, all else that acts or hides is escaped.
    pub(crate) fn content(&self, text: &str) {
        self.keep(writeln!(anstream::stdout(), "{}", printable(text)));
    }

    /// Writes data exactly as it came, for a program that reads it.
    pub(crate) fn raw(&self, text: &str) {
        self.keep(writeln!(std::io::stdout(), "{text}"));
    }

    /// Writes a value as indented JSON.
    pub(crate) fn json(&self, value: &impl Serialize) {
        self.write_json(&serde_json::to_string_pretty(value));
    }

    /// Writes a value as JSON on one line.
    pub(crate) fn json_line(&self, value: &impl Serialize) {
        self.write_json(&serde_json::to_string(value));
    }

    fn write_json(&self, text: &serde_json::Result<String>) {
        let text = text.as_ref().expect("what we print has string keys and no failing serializer");
        self.keep(writeln!(std::io::stdout(), "{}", printable_json(text)));
    }

    /// Writes one line of talk.
    #[expect(clippy::unused_self, reason = "only who was handed the terminal may talk")]
    pub(crate) fn talk(&self, line: impl Into<Line>) {
        // Nobody can be told that nobody can be told.
        writeln!(anstream::stderr(), "{}", line.into().render()).ok();
    }

    /// Writes `hint: …` as talk: what to do next.
    pub(crate) fn hint(&self, hint: impl Into<Hint>) {
        self.talk(Line::new().with(Tone::Strong, "hint: ").plain(self.shown(hint).to_string()));
    }

    /// A hint to be shown among other things.
    pub(crate) fn shown(&self, hint: impl Into<Hint>) -> Shown {
        self.whose.show(hint)
    }

    /// Whether a person watches stderr.
    pub(crate) fn is_watched() -> bool {
        std::io::stderr().is_terminal()
    }

    /// Whether everything written to stdout arrived. A reader that went away early (`| head`) took what it wanted.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        match self.failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn keep(&self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
        }
    }
}

/// How wide a column becomes at most. A cell that is wider is shown whole, and only its own row is moved by it: one long
/// command line must not pad ten thousand others.
const WIDEST_COLUMN: usize = 120;

/// The rows as lines, columns aligned and two spaces apart.
pub(crate) fn aligned(rows: &[Vec<Line>]) -> Vec<Line> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(Line::width);
        cells.filter(|width| *width <= WIDEST_COLUMN).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let mut line = Line::new();
            for (column, cell) in row.iter().enumerate() {
                line.pieces.extend(cell.pieces.iter().cloned());
                if column + 1 < row.len() {
                    let padding = widths.get(column).map_or(0, |width| width.saturating_sub(cell.width()));
                    line.pieces.push((Tone::Plain, " ".repeat(padding + 2)));
                }
            }
            line
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_by_what_is_seen() {
        let rows = vec![
            vec![Line::from("name"), Line::from("state")],
            vec![Line::new().with(Tone::Bad, "日本"), Line::from("up")],
            vec![Line::from("a\u{202e}b"), Line::from("down")],
        ];
        let plain: Vec<String> =
            aligned(&rows).iter().map(|line| line.pieces.iter().map(|(_, text)| text.as_str()).collect()).collect();
        assert_eq!(plain, ["name        state", "日本        up", r"a\u{202e}b  down"]);
    }

    #[test]
    fn a_wide_cell_moves_its_own_row_alone() {
        let wide = "x".repeat(WIDEST_COLUMN + 1);
        let rows = ["a", "longer", &wide].map(|cell| vec![Line::from(cell), Line::from("up")]);
        let plain: Vec<String> =
            aligned(&rows).iter().map(|line| line.pieces.iter().map(|(_, text)| text.as_str()).collect()).collect();
        assert_eq!(plain, ["a       up", "longer  up", &format!("{wide}  up")]);
    }

    #[test]
    fn a_name_cannot_forge_a_line() {
        let line = Line::new().with(Tone::Good, "evil\n\u{1b}[32mtrusted");
        assert_eq!(line.pieces[0].1, r"evil\u{a}\u{1b}[32mtrusted");
    }
}
