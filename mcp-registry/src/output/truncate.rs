//! Long output, cut in its middle.

use std::borrow::Cow;

/// How much of an output the model sees at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OutputLimits {
    /// The most characters the model sees at once, the marker not counted: 30,000, as in `FreeCode`.
    pub max_chars: usize,
    /// How many of them are the end of the output: 6,000, where a failure's cause usually stands.
    pub tail_chars: usize,
    /// How many bytes of full text are kept for one session: 16 MiB.
    pub session_bytes: usize,
    /// For how many sessions text is kept: 50. The session that was used longest ago goes first.
    pub sessions: usize,
    /// How many lines one page has: 200.
    pub page_lines: usize,
    /// The name of the tool by which the model reads stored output: `output`.
    pub reader: String,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self {
            max_chars: 30_000,
            tail_chars: 6_000,
            session_bytes: 16 * 1024 * 1024,
            sessions: 50,
            page_lines: 200,
            reader: "output".to_owned(),
        }
    }
}

impl OutputLimits {
    /// Sets how many characters the model sees at once, and how many of these are the end.
    #[must_use]
    pub fn with_chars(self, max_chars: usize, tail_chars: usize) -> Self {
        Self { max_chars, tail_chars, ..self }
    }

    /// Sets how many bytes are kept for one session, and for how many sessions.
    #[must_use]
    pub fn with_store(self, session_bytes: usize, sessions: usize) -> Self {
        Self { session_bytes, sessions, ..self }
    }

    /// Sets the name of the tool by which the model reads stored output.
    #[must_use]
    pub fn with_reader(self, reader: impl Into<String>) -> Self {
        Self { reader: reader.into(), ..self }
    }
}

/// Cuts the middle out of a text that is longer than the limits allow, and says in its place how to read it.
///
/// The head keeps whole lines where its last line break is not far from the cut, and so does the tail; otherwise they end
/// between two characters. `handle` is what [`crate::OutputStore::store`] returned; without one the text is not kept anywhere.
///
/// ```
/// use mcp_registry::{OutputLimits, truncate};
///
/// let limits = OutputLimits::default().with_chars(22, 11);
/// let seen = truncate("first line\nsecond line\nthird line\n", &limits, Some("out-1"));
/// let lines: Vec<&str> = seen.lines().collect();
/// assert_eq!(lines[0], "first line");
/// assert_eq!(
///     lines[1],
///     "... [12 characters left out: read them with the tool `output`, id \"out-1\" (offset, limit, pattern)] ...",
/// );
/// assert_eq!(lines[2], "third line");
/// ```
pub fn truncate<'a>(text: &'a str, limits: &OutputLimits, handle: Option<&str>) -> Cow<'a, str> {
    // A text has at most as many characters as bytes, so short ones need no counting.
    if text.len() <= limits.max_chars {
        return Cow::Borrowed(text);
    }
    let total = text.chars().count();
    if total <= limits.max_chars {
        return Cow::Borrowed(text);
    }
    let tail_chars = limits.tail_chars.min(limits.max_chars);
    let head = head(text, limits.max_chars - tail_chars);
    let tail = tail(text, total, tail_chars);
    let omitted = total - head.chars().count() - tail.chars().count();
    let how = match handle {
        Some(handle) => {
            format!("read them with the tool `{}`, id \"{handle}\" (offset, limit, pattern)", limits.reader)
        }
        None => "they are not kept".to_owned(),
    };
    let before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    Cow::Owned(format!("{head}{before}... [{omitted} characters left out: {how}] ...\n{tail}"))
}

fn head(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(position, _)| position);
    let head = text.get(..end).unwrap_or_default();
    match head.rfind('\n') {
        Some(line_break) if (line_break + 1) * 2 > head.len() => head.get(..=line_break).unwrap_or(head),
        _ => head,
    }
}

fn tail(text: &str, total: usize, most: usize) -> &str {
    let start = text.char_indices().nth(total - most).map_or(text.len(), |(position, _)| position);
    let tail = text.get(start..).unwrap_or_default();
    match tail.find('\n') {
        Some(line_break) if line_break * 2 < tail.len() && line_break + 1 < tail.len() => {
            tail.get(line_break + 1..).unwrap_or(tail)
        }
        _ => tail,
    }
}
