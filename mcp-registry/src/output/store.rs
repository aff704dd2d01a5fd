//! The full text of outputs that were cut, to be read page by page or searched.

use std::collections::VecDeque;
use std::fmt;

use regex::{Regex, RegexBuilder};

use crate::error::Error;
use crate::output::truncate::{OutputLimits, truncate};

/// The full text of outputs that were cut: bounded, kept apart for each session, and gone with the process.
///
/// A session that is full drops the text that was used longest ago; so does the store with sessions.
///
/// ```
/// use mcp_registry::{OutputLimits, OutputStore, PageRequest};
///
/// let mut store = OutputStore::new(OutputLimits::default().with_chars(100, 20));
/// let log: String = (1..=500).map(|number| format!("line {number}\n")).collect();
/// let seen = store.shorten("session", log);
/// assert!(seen.contains("read them with the tool `output`, id \"out-1\""), "{seen}");
///
/// let page = store.page("session", "out-1", &PageRequest::default().matching("^line 25[0-2]$"))?;
/// assert_eq!(page.to_string(), "250: line 250\n251: line 251\n252: line 252\n[3 matches, all shown; 500 lines in total]");
/// # Ok::<(), mcp_registry::Error>(())
/// ```
#[derive(Debug)]
pub struct OutputStore {
    limits: OutputLimits,
    /// The session that was used longest ago in front.
    sessions: VecDeque<Session>,
    issued: u64,
}

struct Session {
    name: String,
    /// The text that was used longest ago in front.
    texts: VecDeque<Stored>,
    bytes: usize,
}

struct Stored {
    handle: String,
    text: String,
}

impl fmt::Debug for Session {
    /// Leaves the texts out: they are what tools returned, and long.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handles: Vec<&str> = self.texts.iter().map(|stored| stored.handle.as_str()).collect();
        formatter
            .debug_struct("Session")
            .field("name", &self.name)
            .field("handles", &handles)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// Which part of a stored text is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PageRequest {
    /// The first line, counted from 1. A line of more than 1,000 characters counts as several.
    pub offset: usize,
    /// How many lines; none for [`OutputLimits::page_lines`]. A page also ends at [`OutputLimits::max_chars`].
    pub limit: Option<usize>,
    /// Only lines that match: a regular expression, or what is not a valid one as plain text.
    pub pattern: Option<String>,
    /// How many lines around each match; at most half a page.
    pub context: usize,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { offset: 1, limit: None, pattern: None, context: 0 }
    }
}

impl PageRequest {
    /// Starts at this line, counted from 1.
    #[must_use]
    pub fn from_line(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// Returns at most so many lines.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Returns only lines that match.
    #[must_use]
    pub fn matching(self, pattern: impl Into<String>) -> Self {
        Self { pattern: Some(pattern.into()), ..self }
    }

    /// Returns so many lines around each match too.
    #[must_use]
    pub fn with_context(self, context: usize) -> Self {
        Self { context, ..self }
    }
}

/// A part of a stored text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Page {
    /// The lines with their numbers, counted from 1.
    pub lines: Vec<(usize, String)>,
    /// How many lines the text has.
    pub total: usize,
    /// How many lines from the offset on match, if a pattern was given.
    pub matches: Option<usize>,
    /// The line with which to go on; none at the end.
    pub next: Option<usize>,
}

impl fmt::Display for Page {
    /// Writes numbered lines and what comes next, for the model.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in &self.lines {
            writeln!(formatter, "{number}: {line}")?;
        }
        formatter.write_str("[")?;
        if let Some(matches) = self.matches {
            write!(formatter, "{matches} matches, ")?;
        }
        match self.next {
            Some(next) => write!(formatter, "go on with offset {next}")?,
            None => formatter.write_str("all shown")?,
        }
        write!(formatter, "; {} lines in total]", self.total)
    }
}

/// A longer line counts as several: much of what tools return is JSON in one line.
const LINE_CHARS: usize = 1_000;

/// A longer pattern is refused.
const PATTERN_BYTES: usize = 1_000;

/// The most memory a compiled pattern takes.
const PATTERN_MEMORY: usize = 1024 * 1024;

impl OutputStore {
    /// Returns an empty store.
    pub fn new(limits: OutputLimits) -> Self {
        Self { limits, sessions: VecDeque::new(), issued: 0 }
    }

    /// Returns what the model sees of an output, and keeps the full text if that is not all.
    pub fn shorten(&mut self, session: &str, text: String) -> String {
        if text.len() <= self.limits.max_chars || text.chars().count() <= self.limits.max_chars {
            return text;
        }
        if text.len() > self.limits.session_bytes {
            return truncate(&text, &self.limits, None).into_owned();
        }
        // The handle is known before the text moves into the store.
        let handle = format!("out-{}", self.issued + 1);
        let seen = truncate(&text, &self.limits, Some(&handle)).into_owned();
        self.store(session, text);
        seen
    }

    /// Keeps a text and returns the handle by which its session reads it; none if it alone is larger than a session may be.
    pub fn store(&mut self, session: &str, text: String) -> Option<String> {
        if text.len() > self.limits.session_bytes {
            return None;
        }
        self.issued += 1;
        let handle = format!("out-{}", self.issued);
        let budget = self.limits.session_bytes;
        let kept = self.limits.sessions.max(1);
        let session = self.touch(session);
        session.bytes += text.len();
        session.texts.push_back(Stored { handle: handle.clone(), text });
        while session.bytes > budget
            && let Some(dropped) = session.texts.pop_front()
        {
            session.bytes -= dropped.text.len();
        }
        while self.sessions.len() > kept {
            self.sessions.pop_front();
        }
        Some(handle)
    }

    /// Drops all texts of a session that has ended.
    pub fn forget(&mut self, session: &str) {
        self.sessions.retain(|known| known.name != session);
    }

    /// Returns a part of a stored text.
    ///
    /// # Errors
    /// [`Error::OutputHandle`] when the session has no such text (any more), [`Error::SearchPattern`] when the pattern is too
    /// large.
    pub fn page(&mut self, session: &str, handle: &str, request: &PageRequest) -> Result<Page, Error> {
        let pattern = request.pattern.as_deref().map(compile).transpose()?;
        let missing = || Error::OutputHandle { handle: handle.to_owned() };
        if !self.sessions.iter().any(|known| known.name == session) {
            return Err(missing());
        }
        let (page_lines, max_chars) = (self.limits.page_lines, self.limits.max_chars);
        let texts = &mut self.touch(session).texts;
        let position = texts.iter().position(|stored| stored.handle == handle).ok_or_else(missing)?;
        let stored = texts.remove(position).ok_or_else(missing)?;
        let limit = request.limit.unwrap_or(page_lines).max(1);
        let page = Reading::new(request, limit, max_chars).read(&stored.text, pattern.as_ref());
        texts.push_back(stored);
        Ok(page)
    }

    /// Returns the session, as the one used last.
    fn touch(&mut self, name: &str) -> &mut Session {
        let known = self.sessions.iter().position(|session| session.name == name);
        let session = known.and_then(|position| self.sessions.remove(position)).unwrap_or_else(|| Session {
            name: name.to_owned(),
            texts: VecDeque::new(),
            bytes: 0,
        });
        self.sessions.push_back(session);
        self.sessions.back_mut().expect("a session was just put there")
    }
}

/// Compiles a pattern; one that is no regular expression is meant as plain text.
fn compile(pattern: &str) -> Result<Regex, Error> {
    let build = |pattern: &str| RegexBuilder::new(pattern).size_limit(PATTERN_MEMORY).build();
    let too_long = regex::Error::CompiledTooBig(PATTERN_BYTES);
    if pattern.len() > PATTERN_BYTES {
        return Err(Error::SearchPattern { source: Box::new(too_long) });
    }
    let built = match build(pattern) {
        Err(regex::Error::Syntax(_)) => build(&regex::escape(pattern)),
        other => other,
    };
    built.map_err(|source| Error::SearchPattern { source: Box::new(source) })
}

/// Splits a text into lines, and long lines into several.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = Some(line);
        std::iter::from_fn(move || {
            let line = rest?;
            let end = line.char_indices().nth(LINE_CHARS).map(|(position, _)| position);
            let (start, behind) = end.and_then(|end| line.split_at_checked(end)).unwrap_or((line, ""));
            rest = end.map(|_| behind);
            Some(start)
        })
    })
}

/// A page in the making. The text is looked at line by line, as it may have millions of them.
struct Reading<'a> {
    page: Page,
    first: usize,
    limit: usize,
    /// How many characters the page still takes.
    room: usize,
    context: usize,
    /// Lines that were not shown, in case the next one matches.
    before: VecDeque<(usize, &'a str)>,
    /// How many lines behind the last match are still to be shown.
    behind: usize,
}

impl<'a> Reading<'a> {
    fn new(request: &PageRequest, limit: usize, room: usize) -> Self {
        // More context than a page holds would only push the match off it.
        let context = request.context.min(limit / 2);
        let first = request.offset.max(1);
        Self { page: Page::default(), first, limit, room, context, before: VecDeque::new(), behind: 0 }
    }

    fn read(mut self, text: &'a str, pattern: Option<&Regex>) -> Page {
        self.page.matches = pattern.map(|_| 0);
        for line in lines(text) {
            self.page.total += 1;
            let number = self.page.total;
            if number < self.first {
                continue;
            }
            match pattern {
                None => self.show(number, line),
                Some(pattern) if pattern.is_match(line) => {
                    self.page.matches = self.page.matches.map(|matches| matches + 1);
                    for (number, line) in std::mem::take(&mut self.before) {
                        self.show(number, line);
                    }
                    self.show(number, line);
                    self.behind = self.context;
                }
                Some(_) => self.pass(number, line),
            }
        }
        self.page
    }

    /// Takes a line that does not match.
    fn pass(&mut self, number: usize, line: &'a str) {
        if self.behind > 0 {
            self.behind -= 1;
            self.show(number, line);
        } else if self.context > 0 {
            if self.before.len() == self.context {
                self.before.pop_front();
            }
            self.before.push_back((number, line));
        }
    }

    fn show(&mut self, number: usize, line: &str) {
        if self.page.next.is_some() {
            return;
        }
        let size = line.chars().count();
        // The first line is always shown, or reading would not get on.
        if self.page.lines.len() == self.limit || (size > self.room && !self.page.lines.is_empty()) {
            self.page.next = Some(number);
            return;
        }
        self.room = self.room.saturating_sub(size);
        self.page.lines.push((number, line.to_owned()));
    }
}
