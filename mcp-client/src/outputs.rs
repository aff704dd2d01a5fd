//! Long outputs: what a model sees of them at once, and how it reads the rest.

use std::sync::PoisonError;

use mcp_registry::PageRequest;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::Error;
use crate::provider::Offer;

/// What a model gives to the tool that reads outputs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    id: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    pattern: Option<String>,
    #[serde(default)]
    context: Option<usize>,
}

impl Client {
    /// The name of the tool by which a model reads an output that was shortened.
    pub const OUTPUT_TOOL: &'static str = "output";

    /// The tool by which a model reads an output that was shortened: offer it beside the servers' tools.
    pub fn output_tool() -> Offer {
        Offer {
            id: Self::OUTPUT_TOOL.to_owned(),
            description:
                "Reads the part of a long tool output that was left out: a page of lines, or the lines that match."
                    .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": "The id that stands where the output was cut."},
                    "offset": {"type": "integer", "minimum": 1, "description": "The first line to read; 1 by default."},
                    "limit": {"type": "integer", "minimum": 1, "description": "How many lines; 200 by default."},
                    "pattern": {"type": "string", "description": "Only lines that match this regular expression."},
                    "context": {"type": "integer", "minimum": 0, "description": "Lines to show around each match."},
                },
                "required": ["id"],
                "additionalProperties": false,
            }),
        }
    }

    /// Cuts the middle out of a text that is too long for a model to see at once, keeps the whole for `session`, and says in
    /// its place how to read it. At most 30,000 characters are seen unless the builder says otherwise.
    pub fn shorten(&self, session: &str, text: String) -> String {
        self.shared.outputs.lock().unwrap_or_else(PoisonError::into_inner).shorten(session, text)
    }

    /// Answers a model's use of [`output_tool`](Self::output_tool).
    ///
    /// # Errors
    ///
    /// [`Error::Request`] when the arguments are no request, and [`Error::Output`] when the session has no such output, or no
    /// longer; both are meant for the model.
    pub fn read_output(&self, session: &str, arguments: Value) -> Result<String, Error> {
        let request = Request::deserialize(arguments)
            .map_err(|source| Error::Request { tool: Self::OUTPUT_TOOL.to_owned(), source })?;
        let mut page = PageRequest::default();
        if let Some(offset) = request.offset {
            page = page.from_line(offset);
        }
        if let Some(limit) = request.limit {
            page = page.with_limit(limit);
        }
        if let Some(pattern) = request.pattern {
            page = page.matching(pattern);
        }
        if let Some(context) = request.context {
            page = page.with_context(context);
        }
        let mut outputs = self.shared.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let page = outputs.page(session, &request.id, &page).map_err(|source| Error::Output { source })?;
        Ok(page.to_string())
    }
}
