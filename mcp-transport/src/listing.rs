//! Lists of any kind: all pages, within bounds, whatever the server does with cursors.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::scope::Patience;
use crate::session::{Ask, Session};
use crate::tools::Page;
use crate::wire::preview;
use crate::{Error, Listing, Rejected, RpcError};

/// A whole listing may be as large as this many messages.
const LARGEST: usize = 4;

/// Fetches every page of `method` and lets `read` turn each element into an item.
///
/// The first page must come; from the second on a failure ends the listing and is noted in it.
pub(crate) async fn fetch<T>(
    session: &Session,
    method: &str,
    mut read: impl FnMut(&RawValue, usize) -> Result<T, Rejected>,
) -> Result<Listing<T>, Error> {
    let limits = session.options.limits;
    let deadline = Instant::now() + session.options.timeouts.list;
    let mut listing = Listing::default();
    let mut seen = HashSet::new();
    let mut cursor: Option<String> = None;
    let mut bytes = 0_usize;
    for page in 0..limits.pages.max(1) {
        let result = match fetch_page(session, method, cursor.as_deref(), deadline).await {
            Ok(result) => result,
            Err(error) if page == 0 => return Err(error),
            Err(error) => return Ok(ended(listing, format!("page {}: {error}", page + 1))),
        };
        bytes = bytes.saturating_add(result.get().len());
        if bytes > limits.message.saturating_mul(LARGEST) {
            let limit = limits.message.saturating_mul(LARGEST);
            return Ok(ended(listing, format!("more than {limit} bytes, which is the most that is taken")));
        }
        let next = match take_page(method, &result, &mut listing, limits.items, &mut read) {
            Ok(next) => next,
            Err(error) if page == 0 => return Err(error),
            Err(error) => return Ok(ended(listing, format!("page {}: {error}", page + 1))),
        };
        let Some(next) = next else { return Ok(listing) };
        if listing.items.len() + listing.rejected.len() >= limits.items {
            return Ok(ended(listing, format!("more than {} items, which is the most that is taken", limits.items)));
        }
        if !seen.insert(next.clone()) {
            return Ok(ended(listing, "the server repeats a cursor".to_owned()));
        }
        cursor = Some(next);
    }
    Ok(ended(listing, format!("more than {} pages, which is the most that is asked for", limits.pages)))
}

fn ended<T>(mut listing: Listing<T>, reason: String) -> Listing<T> {
    listing.incomplete = Some(reason);
    listing
}

async fn fetch_page(
    session: &Session,
    method: &str,
    cursor: Option<&str>,
    deadline: Instant,
) -> Result<Box<RawValue>, Error> {
    let params = cursor.map(|cursor| RawValue::from_string(serde_json::json!({"cursor": cursor}).to_string()));
    let params = params.transpose().map_err(|error| Error::protocol(method, error.to_string()))?;
    let left = deadline.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return Err(Error::Timeout { method: method.to_owned(), after: session.options.timeouts.list });
    }
    session.ask(Ask { method, params: params.as_deref(), ..Ask::default() }, Patience::fixed(left)).await
}

/// Adds a page's items and returns its cursor. The empty string is a cursor like any other.
fn take_page<T>(
    method: &str,
    result: &RawValue,
    listing: &mut Listing<T>,
    limit: usize,
    read: &mut impl FnMut(&RawValue, usize) -> Result<T, Rejected>,
) -> Result<Option<String>, Error> {
    let page: Page<'_> =
        serde_json::from_str(result.get()).map_err(|error| Error::protocol(method, error.to_string()))?;
    let Some(items) = page.items else {
        return Err(Error::protocol(method, format!("expected a list, found `{}`", preview(result.get(), 40))));
    };
    for raw in items {
        let index = listing.items.len() + listing.rejected.len();
        if index >= limit {
            listing.incomplete = Some(format!("more than {limit} items, which is the most that is taken"));
            return Ok(None);
        }
        match read(raw, index) {
            Ok(item) => listing.items.push(item),
            Err(rejected) => listing.rejected.push(rejected),
        }
    }
    let Some(next) = page.next else { return Ok(None) };
    let cursor = serde_json::from_str(next.get()).ok();
    if cursor.is_none() {
        listing.incomplete = Some(format!("the cursor must be a string, found `{}`", preview(next.get(), 40)));
    }
    Ok(cursor)
}

/// Whether a listing failed only because the server has no lists of that kind.
pub(crate) fn is_unsupported(session: &Session, error: &Error, capability: &str) -> bool {
    let declared = session.declares(capability);
    !declared && error.rpc().is_some_and(|error| error.code == RpcError::METHOD_NOT_FOUND)
}
