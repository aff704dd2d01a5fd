//! What a call returned, and what the model sees of it.

use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::Problem;
use crate::json::from_object;

mod block;
mod carry;
mod store;
mod truncate;

pub use self::block::{Media, MediaKind};
pub use self::store::{OutputStore, Page, PageRequest};
pub use self::truncate::{OutputLimits, truncate};

/// The result of a call, with its parts told apart
/// ([specification](https://modelcontextprotocol.io/specification/draft/server/tools#tool-result)).
///
/// ```
/// use mcp_registry::Output;
///
/// let result = serde_json::value::to_raw_value(&serde_json::json!({
///     "content": [{"type": "text", "text": "Found 2 issues."}],
///     "structuredContent": {"issues": [{"number": 7}, {"number": 12}]},
/// }))?;
/// let output = Output::from_call_result(&result);
/// assert!(!output.is_error);
/// assert_eq!(output.for_model(), "Found 2 issues.\n{\"issues\":[{\"number\":7},{\"number\":12}]}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Output {
    /// The text of all content blocks, one per paragraph; media stand in it as one line each.
    pub text: String,
    /// `structuredContent`, byte for byte.
    pub structured: Option<Box<RawValue>>,
    /// Images, audio and binary resources, in the order of their lines in the text.
    pub media: Vec<Media>,
    /// Whether the tool says that it failed. The model sees the message all the same, and is told that it is an error.
    pub is_error: bool,
    /// Blocks that could not be read.
    pub problems: Vec<Problem>,
    /// Where the server's own text blocks stand in the text, as a server may put the structured value into one of them.
    prose: Vec<Range<usize>>,
}

impl Output {
    /// Reads a `tools/call` result.
    ///
    /// A block that cannot be read leaves a line in the text and a problem. An answer that is no result at all becomes an
    /// error that says so: the call was made, and the model must not take silence for success.
    pub fn from_call_result(result: &RawValue) -> Self {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct CallResult<'a> {
            #[serde(borrow, default)]
            content: Option<&'a RawValue>,
            #[serde(borrow, default)]
            structured_content: Option<&'a RawValue>,
            #[serde(borrow, default)]
            is_error: Option<&'a RawValue>,
        }
        let read = match from_object::<CallResult<'_>>(result) {
            Ok(read) => read,
            Err(error) => return Self::unreadable(&error),
        };
        let mut output = Self::default();
        output.is_error = match read.is_error.map_or("false", RawValue::get) {
            "false" | "null" => false,
            "true" => true,
            _ => {
                output.problems.push(Problem::new("isError", "expected true or false, taken for true"));
                true
            }
        };
        output.structured = read.structured_content.filter(|value| value.get() != "null").map(ToOwned::to_owned);
        match read.content.map_or(Ok(Vec::new()), |content| serde_json::from_str::<Vec<&RawValue>>(content.get())) {
            Ok(blocks) => output.read_blocks(&blocks),
            Err(error) => {
                let message = format!("left out: expected an array of content blocks ({error})");
                output.problems.push(Problem::new("content", message));
            }
        }
        output
    }

    fn read_blocks(&mut self, blocks: &[&RawValue]) {
        for (position, raw) in blocks.iter().enumerate() {
            let block = block::read(raw, &format!("content/{position}"), self.media.len() + 1);
            if position > 0 {
                self.text.push('\n');
            }
            let start = self.text.len();
            self.text.push_str(&block.line);
            if block.is_prose {
                self.prose.push(start..self.text.len());
            }
            self.media.extend(block.media);
            self.problems.extend(block.problem);
        }
    }

    fn unreadable(error: &serde_json::Error) -> Self {
        let message = format!("the server's answer is no tool result: expected an object ({error})");
        Self {
            text: message.clone(),
            is_error: true,
            problems: vec![Problem::new("result", message)],
            ..Self::default()
        }
    }

    /// Returns the text the model sees, at full length: each piece of data once.
    ///
    /// 1. Without structured content, the text.
    /// 2. Without text, the structured content as the server wrote it.
    /// 3. If the text carries the structured content — one of its blocks is the same JSON, or every value of it stands in the
    ///    text — the text alone.
    /// 4. If the call failed, or the text is longer than the structured content, the text, followed by those members of the
    ///    structured content that it does not carry. An error's own message thus always comes first.
    /// 5. Otherwise the text is a summary: the structured content, preceded by the text only if it repeats none of its values.
    pub fn for_model(&self) -> String {
        let Some(structured) = &self.structured else { return self.text.clone() };
        if self.text.trim().is_empty() {
            return structured.get().to_owned();
        }
        let prose: Vec<&str> = self.prose.iter().filter_map(|range| self.text.get(range.clone())).collect();
        let carried = carry::compare(&self.text, &prose, structured);
        let Some(missing) = carried.missing else { return self.text.clone() };
        if self.is_error || self.text.len() > structured.get().len() {
            return format!("{}\n{missing}", self.text);
        }
        if carried.repeats { structured.get().to_owned() } else { format!("{}\n{}", self.text, structured.get()) }
    }
}
