//! Server-sent events of bounded size from a response of unbounded length.
//!
//! Parsing is [`sse_stream`]'s; what it lacks is a bound, so the bytes are counted and timed before it sees them. Timed
//! there, because the comments that keep a stream alive are no events and never reach whoever waits for one.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use reqwest::Response;
use sse_stream::{Sse, SseByteStream};

/// The events of one response.
pub(crate) struct Events {
    events: Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>,
    /// The response is at its end.
    ended: Arc<AtomicBool>,
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Events").finish_non_exhaustive()
    }
}

/// Why there is no further event.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Ending {
    #[error("the server ended its event stream")]
    Ended,
    #[error("the server sent an oversized message")]
    TooLarge,
    /// Nothing came for too long, or the connection broke.
    #[error("the event stream broke: {0}")]
    Broken(String),
}

impl Events {
    /// Reads `response`; no event may have more than `limit` bytes, and no pause between two bytes may be longer than `idle`.
    pub(crate) fn new(response: Response, limit: usize, idle: Duration) -> Self {
        let mut size = EventSize::default();
        let bytes = response.bytes_stream().map(move |chunk| match chunk {
            Ok(chunk) if size.fits(&chunk, limit) => Ok(chunk),
            Ok(_) => Err(Fault::TooLarge),
            Err(error) => Err(Fault::Network(error.without_url())),
        });
        Self::from_stream(bytes, idle)
    }

    fn from_stream(bytes: impl Stream<Item = Result<Bytes, Fault>> + Send + 'static, idle: Duration) -> Self {
        // A last event that lacks its blank line is given one, so that whoever reads can look at it.
        let ended = Arc::new(AtomicBool::new(false));
        let ending = ended.clone();
        let last = stream::once(async move {
            ending.store(true, Ordering::Relaxed);
            Ok(Bytes::from_static(b"\n\n"))
        });
        let mut text = Utf8::default();
        let bytes = timed(bytes, idle).map(move |chunk| chunk.map(|chunk| text.replaced(chunk))).chain(last);
        Self { events: Box::pin(SseByteStream::new(Box::pin(bytes))), ended }
    }

    /// Whether the last event was without its end when the response ended.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// The next event. A stream that is alive but says nothing holds it up for as long as the caller allows.
    pub(crate) async fn next(&mut self) -> Result<Sse, Ending> {
        match self.events.next().await {
            None => Err(Ending::Ended),
            Some(Ok(event)) => Ok(event),
            Some(Err(sse_stream::Error::Body(source))) => match source.downcast_ref::<Fault>() {
                Some(Fault::TooLarge) => Err(Ending::TooLarge),
                _ => Err(Ending::Broken(source.to_string())),
            },
            Some(Err(error)) => Err(Ending::Broken(error.to_string())),
        }
    }
}

/// The same bytes, ended by a fault once none came for `idle`.
fn timed(
    bytes: impl Stream<Item = Result<Bytes, Fault>> + Send + 'static,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, Fault>> + Send {
    stream::unfold(Some(Box::pin(bytes)), move |bytes| async move {
        let mut bytes = bytes?;
        match tokio::time::timeout(idle, bytes.next()).await {
            Ok(chunk) => Some((chunk?, Some(bytes))),
            Err(_) => Some((Err(Fault::Silent(idle)), None)),
        }
    })
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("event too large")]
    TooLarge,
    #[error("no byte for {0:?}")]
    Silent(Duration),
    #[error("connection broke: {0}")]
    Network(reqwest::Error),
}

/// Replaces what is no UTF-8, as the standard wants it: one bad message is no reason to lose the stream.
#[derive(Debug, Default)]
struct Utf8 {
    /// The begin of a character whose rest is in the next chunk.
    begun: Vec<u8>,
}

impl Utf8 {
    fn replaced(&mut self, chunk: Bytes) -> Bytes {
        if self.begun.is_empty() && std::str::from_utf8(&chunk).is_ok() {
            return chunk;
        }
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.extend_from_slice(&chunk);
        if let Err(error) = std::str::from_utf8(&bytes)
            && let Some(last) = bytes.utf8_chunks().last().map(|chunk| chunk.invalid().len())
            && last > 0
            && is_begun(bytes.get(bytes.len() - last..).unwrap_or_default())
        {
            tracing::trace!(%error, "a character lies in two chunks");
            self.begun = bytes.split_off(bytes.len() - last);
        }
        Bytes::from(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether bytes may be the begin of one character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Counts the bytes of the current event. A blank line ends it: two line breaks, each `\n`, `\r` or `\r\n`.
#[derive(Debug, Default)]
struct EventSize {
    bytes: usize,
    line_is_empty: bool,
    after_return: bool,
}

impl EventSize {
    fn fits(&mut self, mut chunk: &[u8], limit: usize) -> bool {
        while let Some((&byte, rest)) = chunk.split_first() {
            let text = memchr::memchr2(b'\n', b'\r', chunk).unwrap_or(chunk.len());
            if text > 0 {
                self.bytes = self.bytes.saturating_add(text);
                (self.line_is_empty, self.after_return) = (false, false);
                chunk = chunk.get(text..).unwrap_or_default();
            } else {
                self.line_break(byte);
                chunk = rest;
            }
            if self.bytes > limit {
                return false;
            }
        }
        true
    }

    fn line_break(&mut self, byte: u8) {
        self.bytes = self.bytes.saturating_add(1);
        let second_half = byte == b'\n' && self.after_return;
        self.after_return = byte == b'\r';
        if !second_half && self.line_is_empty {
            self.bytes = 0;
        }
        self.line_is_empty = true;
    }
}

#[cfg(test)]
mod tests;
