//! A server's stderr: always read, never trusted, the end of it kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::LineSink;

/// A line longer than this reaches the sink in pieces.
const LINE: usize = 8 << 10;

/// The last bytes written to stderr.
#[derive(Debug)]
pub(crate) struct Tail {
    bytes: Mutex<VecDeque<u8>>,
    limit: usize,
}

impl Tail {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { bytes: Mutex::default(), limit })
    }

    /// The kept end as text; bytes that are no UTF-8 are replaced.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(bytes.make_contiguous()).into_owned()
    }

    fn push(&self, new: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let new = new.get(new.len().saturating_sub(self.limit)..).unwrap_or(new);
        let surplus = (bytes.len() + new.len()).saturating_sub(self.limit).min(bytes.len());
        drop(bytes.drain(..surplus));
        bytes.extend(new);
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
