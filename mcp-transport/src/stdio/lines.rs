//! Lines of bounded length from an unbounded stream.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

use crate::wire::ReplyScanner;

/// A line longer than this many limits ends the connection: a peer that never ends its line is not worth reading.
const PATIENCE: usize = 4;

/// What the stream held next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A complete line is in the buffer.
    Complete,
    /// A line over the limit was skipped to its end; it answered this request, if any.
    Skipped { answers: Option<u64> },
    /// A line so long that its end was not waited for.
    Endless { answers: Option<u64> },
    /// The stream ended.
    End,
}

/// Reads one line into `buffer` (cleared first), without its line break, keeping at most `limit` bytes.
///
/// An oversized line is scanned while it passes, so that it can fail the request it answers.
pub(crate) async fn read_line<R: AsyncBufRead + Unpin>(
    reader: &mut R,
    buffer: &mut Vec<u8>,
    limit: usize,
) -> std::io::Result<Line> {
    buffer.clear();
    let mut oversized: Option<(ReplyScanner, usize)> = None;
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(match oversized {
                Some((scanner, _)) => Line::Skipped { answers: scanner.reply_id() },
                None if buffer.is_empty() => Line::End,
                None => Line::Complete,
            });
        }
        let end = memchr::memchr(b'\n', available);
        let part = available.get(..end.unwrap_or(available.len())).unwrap_or(available);
        let consumed = part.len() + usize::from(end.is_some());
        let too_long = oversized.is_some() || buffer.len() + part.len() > limit;
        if too_long {
            let (scanner, seen) = oversized.get_or_insert_with(|| start_skipping(buffer));
            scanner.feed(part);
            *seen = seen.saturating_add(part.len());
            if end.is_none() && *seen > limit.saturating_mul(PATIENCE) {
                return Ok(Line::Endless { answers: scanner.reply_id() });
            }
        } else {
            buffer.extend_from_slice(part);
        }
        reader.consume(consumed);
        if end.is_some() {
            return Ok(match oversized {
                Some((scanner, _)) => Line::Skipped { answers: scanner.reply_id() },
                None => Line::Complete,
            });
        }
    }
}

/// Scans what was kept so far and gives its memory back.
fn start_skipping(buffer: &mut Vec<u8>) -> (ReplyScanner, usize) {
    let mut scanner = ReplyScanner::default();
    scanner.feed(buffer);
    let seen = buffer.len();
    *buffer = Vec::new();
    (scanner, seen)
}

#[cfg(test)]
mod tests;
