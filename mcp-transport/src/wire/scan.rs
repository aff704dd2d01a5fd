//! Finds whom a message answers without storing it.

use super::parse_id;

/// Watches the bytes of one message go by and notes the top-level `id`, unless the message is a request.
///
/// It holds a few bytes however long the message is, and it does not care whether the text is valid: it is what
/// lets an oversized or garbled answer fail the one request it answers and nobody else's.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the text so far, not one state")]
pub(crate) struct ReplyScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// At depth 1: the next string is a key.
    expects_key: bool,
    /// The key last read at depth 1, cut to what tells `id` and `method` apart from others.
    key: Vec<u8>,
    /// At depth 1, behind `"id":`.
    captures: bool,
    value: Vec<u8>,
    id: Option<u64>,
    has_method: bool,
    /// The text is no object.
    hopeless: bool,
}

/// Longer keys and values cannot be the ones looked for.
const KEPT: usize = 24;

impl ReplyScanner {
    /// The id in one complete text.
    pub(crate) fn scan(bytes: &[u8]) -> Option<u64> {
        let mut scanner = Self::default();
        scanner.feed(bytes);
        scanner.reply_id()
    }

    /// The id of the request that the message seen so far answers.
    pub(crate) fn reply_id(&self) -> Option<u64> {
        self.id.filter(|_| !self.has_method)
    }

    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first().filter(|_| !self.hopeless) {
            bytes = rest;
            if !self.in_string {
                self.outside_string(byte);
                continue;
            }
            self.inside_string(byte);
            if self.in_string && !self.escaped && !self.keeps_text() {
                // Text below the top level, where nearly all bytes of a large message are, is jumped over.
                let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                bytes = bytes.get(end..).unwrap_or_default();
            }
        }
    }

    /// Whether the string being read may be a key or an id.
    fn keeps_text(&self) -> bool {
        let kept = if self.expects_key { &self.key } else { &self.value };
        self.depth == 1 && kept.len() < KEPT
    }

    fn inside_string(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                if self.depth == 1 && self.expects_key {
                    self.has_method |= self.key == b"method";
                }
                return;
            }
            _ => {}
        }
        if self.keeps_text() {
            let kept = if self.expects_key { &mut self.key } else { &mut self.value };
            kept.push(byte);
        }
    }

    fn outside_string(&mut self, byte: u8) {
        match byte {
            _ if self.depth == 0 && byte != b'{' && !byte.is_ascii_whitespace() => self.hopeless = true,
            b'"' => {
                self.in_string = true;
                if self.depth == 1 && self.expects_key {
                    self.key.clear();
                }
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.expects_key = self.depth == 1 && byte == b'{';
                self.captures = false;
            }
            b'}' | b']' => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => {
                self.end_of_value();
                self.expects_key |= self.depth == 1;
            }
            b':' if self.depth == 1 => {
                self.expects_key = false;
                self.captures = self.key == b"id";
                self.value.clear();
            }
            _ if self.captures && self.value.len() < KEPT => self.value.push(byte),
            _ => {}
        }
    }

    fn end_of_value(&mut self) {
        if self.depth == 1 && self.captures {
            self.captures = false;
            self.id = parse_id(&self.value);
        }
    }
}
