//! A server's stderr: always read, never trusted, the end of it kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::LineSink;

/// A line longer than this reaches the sink in pieces.
const LINE: usize = 8 << 10;

/// The last bytes written to stderr.
#[derive(Debug)]
pub(crate) struct Tail {
    kept: Mutex<Kept>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Whether something came before them.
    is_cut: bool,
}

impl Tail {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { kept: Mutex::default(), limit })
    }

    /// The kept end as text; bytes that are no UTF-8 are replaced. It begins with a whole line, or at least a whole word:
    /// the end of a credential is one that nobody recognises.
    pub(crate) fn text(&self) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_cut = kept.is_cut;
        let mut bytes: &[u8] = kept.bytes.make_contiguous();
        if is_cut {
            let line = memchr::memchr(b'\n', bytes);
            let begin = line.or_else(|| bytes.iter().position(u8::is_ascii_whitespace)).unwrap_or(bytes.len());
            bytes = bytes.get(begin..).unwrap_or_default().trim_ascii_start();
        }
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn push(&self, new: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.is_cut |= kept.bytes.len() + new.len() > self.limit;
        let new = new.get(new.len().saturating_sub(self.limit)..).unwrap_or(new);
        let surplus = (kept.bytes.len() + new.len()).saturating_sub(self.limit).min(kept.bytes.len());
        drop(kept.bytes.drain(..surplus));
        kept.bytes.extend(new);
    }
}

/// Reads `stream` to its end into `tail` and, line by line, into `sink`.
pub(crate) async fn drain<R: AsyncRead + Unpin>(mut stream: R, tail: Arc<Tail>, sink: Option<LineSink>) {
    let mut chunk = vec![0; 4 << 10];
    let mut line = Vec::new();
    loop {
        let read = match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => read,
        };
        let new = chunk.get(..read).unwrap_or_default();
        tail.push(new);
        if let Some(sink) = &sink {
            split_lines(&mut line, new, sink);
        }
    }
    if let Some(sink) = &sink
        && !line.is_empty()
    {
        sink(&String::from_utf8_lossy(&line));
    }
}

fn split_lines(line: &mut Vec<u8>, new: &[u8], sink: &LineSink) {
    for &byte in new {
        if byte != b'\n' {
            line.push(byte);
        }
        if byte == b'\n' || line.len() >= LINE {
            sink(String::from_utf8_lossy(line).trim_end_matches('\r'));
            line.clear();
        }
    }
}

#[cfg(test)]
mod tests;
