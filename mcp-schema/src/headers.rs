//! Parameters that a tool wants mirrored in HTTP headers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::{
    json::{self, Object},
    keyword, pointer,
};

/// The keyword.
const WORD: &str = "x-mcp-header";

/// Nesting levels that are looked through; `serde_json` parses no deeper.
const DEEPEST: usize = 128;

/// A parameter whose value is sent as an HTTP header as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeaderParameter {
    /// The value of `x-mcp-header`: the header is `Mcp-Param-` followed by it.
    pub header: String,
    /// The property names that lead to the value, outermost first.
    pub path: Vec<String>,
}

/// Why an `x-mcp-header` makes a tool's definition invalid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeaderProblem {
    /// The schema that has the keyword, as a JSON pointer into the original schema.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// Lists the parameters of a tool that are mirrored in HTTP headers.
///
/// Works on the tool's original schema, as the rules are about how it is written
/// ([MCP, streamable HTTP](https://modelcontextprotocol.io/specification/draft/basic/transports)): the value is a
/// header name, unique without regard to case, of a string, integer or boolean that is reached by `properties` alone.
///
/// # Errors
///
/// Everything that breaks a rule. A tool with such a definition must not be offered over HTTP.
///
/// ```
/// use mcp_schema::x_mcp_headers;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
/// let headers = x_mcp_headers(&schema).expect("a valid definition");
/// assert_eq!((headers[0].header.as_str(), headers[0].path.as_slice()), ("Region", &["region".to_owned()][..]));
/// ```
pub fn x_mcp_headers(schema: &Value) -> Result<Vec<HeaderParameter>, Vec<HeaderProblem>> {
    let mut search = Search::default();
    search.schema(schema, &mut Vec::new(), &Spot { pointer: String::new(), is_reachable: true, depth: 0 });
    if search.problems.is_empty() { Ok(search.found) } else { Err(search.problems) }
}

#[derive(Debug, Default)]
struct Search {
    found: Vec<HeaderParameter>,
    /// Header names in lower case, with the place of their first use.
    used: BTreeMap<String, String>,
    problems: Vec<HeaderProblem>,
}

struct Spot {
    pointer: String,
    is_reachable: bool,
    depth: usize,
}

impl Search {
    fn problem(&mut self, spot: &Spot, message: impl Into<String>) {
        self.problems.push(HeaderProblem { pointer: spot.pointer.clone(), message: message.into() });
    }

    fn schema(&mut self, schema: &Value, path: &mut Vec<String>, spot: &Spot) {
        let Value::Object(entries) = schema else { return };
        if spot.depth > DEEPEST {
            return;
        }
        if let Some(value) = entries.get(WORD) {
            self.header(value, entries, path, spot);
        }
        let children = keyword::children(entries).chain(old_children(entries));
        for (word, token, child) in children {
            let mut pointer = pointer::join(&spot.pointer, word);
            if let Some(token) = &token {
                pointer::push(&mut pointer, token);
            }
            let is_reachable = spot.is_reachable && word == "properties";
            path.push(token.unwrap_or_default().into_owned());
            self.schema(child, path, &Spot { pointer, is_reachable, depth: spot.depth + 1 });
            path.pop();
        }
    }

    fn header(&mut self, value: &Value, entries: &Object, path: &[String], spot: &Spot) {
        let Some(name) = value.as_str().filter(|name| is_token(name)) else {
            return self.problem(spot, format!("`{WORD}` must be the name of an HTTP header"));
        };
        if !spot.is_reachable || path.is_empty() {
            self.problem(spot, format!("`{WORD}` must be reached by `properties` alone"));
        }
        let is_primitive = matches!(json::types(entries).as_deref(), Some(["string" | "integer" | "boolean"]));
        if !is_primitive {
            self.problem(spot, format!("`{WORD}` must stand on a string, an integer or a boolean"));
        }
        match self.used.insert(name.to_lowercase(), spot.pointer.clone()) {
            Some(first) => self.problem(spot, format!("the header `{name}` is used at `{first}` already")),
            None => self.found.push(HeaderParameter { header: name.to_owned(), path: path.to_vec() }),
        }
    }
}

/// Whether a text is a header name (a token of RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    let is_token_character = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token_character)
}

/// Subschemas that only older drafts have.
fn old_children(entries: &Object) -> impl Iterator<Item = keyword::Child<'_>> {
    entries
        .get_key_value("definitions")
        .into_iter()
        .flat_map(|(word, value)| keyword::below(word, keyword::Shape::Map, value))
}
