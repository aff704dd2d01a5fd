//! Hearing of changes from modern servers, which only tell those who listen.
//!
//! See [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::scope::Patience;
use crate::session::{Ask, Session};
use crate::{Backoff, Change, Error};

/// A listen request is answered when it ends; until then it may last for as long as anything may.
const FOR_EVER: Duration = Duration::from_hours(24 * 365);

/// The request that listens.
pub(crate) const LISTEN: &str = "subscriptions/listen";

/// So often in a row a login may be wanted although other requests are answered; then listening is none of this login's.
pub(crate) const REFUSALS: u32 = 3;

/// A stream that ends sooner than this counts as a failure.
const SHORT: Duration = Duration::from_secs(10);

/// Listens for what the server can announce, again and again, until the connection closes.
///
/// What changed while nobody listened was announced to nobody: all of it may have changed once the server listens to us again.
/// A server that wants a login is asked again once it answers somebody, who has logged in then.
pub(crate) async fn listen(session: Arc<Session>) {
    let announced = session.peer().map(|peer| announced(peer.capabilities.as_deref())).unwrap_or_default();
    let Some(filter) = filter(&announced) else { return };
    let missed: Vec<Change> = announced.into_iter().map(|(_, change)| change).collect();
    let (mut failures, mut refusals, mut listened) = (0, 0, false);
    while !session.inbox.is_closed() {
        let started = tokio::time::Instant::now();
        // Not tracked: the end of the connection is the only way this ends on our side.
        let ask = Ask { method: LISTEN, params: Some(&filter), ..Ask::default() };
        match session.ask(ask, Patience::fixed(FOR_EVER)).await {
            Err(error) if refusals < REFUSALS && is_login(&error) => {
                refusals += 1;
                session.inbox.next_answer().await;
                session.inbox.missed(&missed);
                continue;
            }
            Err(error) if is_last_word(&error) => {
                if listened {
                    session.inbox.missed(&missed);
                }
                return;
            }
            Err(error) => tracing::debug!(%error, "subscription broke"),
            Ok(_) => tracing::debug!("subscription ended"),
        }
        listened = true;
        (failures, refusals) = if started.elapsed() < SHORT { (failures + 1, refusals) } else { (0, 0) };
        tokio::time::sleep(Backoff::default().random(failures)).await;
        session.inbox.missed(&missed);
    }
}

/// Whether the server does not want to be listened to, or not by us.
fn is_last_word(error: &Error) -> bool {
    matches!(error, Error::Rpc { .. }) || error.http_status().is_some_and(is_final)
}

/// Whether what is missing is a login, which somebody may bring.
pub(crate) fn is_login(error: &Error) -> bool {
    matches!(error, Error::AuthRequired { .. } | Error::Authorize { .. })
}

/// Whether a status is the server's last word on listening: neither "later" nor a fault of its own.
pub(crate) fn is_final(status: u16) -> bool {
    status < 500 && !matches!(status, 408 | 429)
}

/// Everything the server says it announces, as it is asked for and as what it is heard.
fn announced(capabilities: Option<&RawValue>) -> Vec<(&'static str, Change)> {
    #[derive(Deserialize, Default)]
    struct Capabilities {
        tools: Option<Lists>,
        resources: Option<Lists>,
        prompts: Option<Lists>,
    }
    #[derive(Deserialize, Default)]
    #[serde(rename_all = "camelCase")]
    struct Lists {
        #[serde(default)]
        list_changed: bool,
    }
    let capabilities = capabilities.and_then(|capabilities| serde_json::from_str(capabilities.get()).ok());
    let Capabilities { tools, resources, prompts } = capabilities.unwrap_or_default();
    let lists = [
        ("toolsListChanged", tools, Change::Tools),
        ("resourcesListChanged", resources, Change::Resources),
        ("promptsListChanged", prompts, Change::Prompts),
    ];
    let announced = lists.into_iter().filter(|(_, lists, _)| lists.as_ref().is_some_and(|lists| lists.list_changed));
    announced.map(|(name, _, change)| (name, change)).collect()
}

/// What to listen for; `None` if that is nothing.
fn filter(announced: &[(&str, Change)]) -> Option<Box<RawValue>> {
    let members: Vec<String> = announced.iter().map(|(name, _)| format!(r#""{name}":true"#)).collect();
    if members.is_empty() {
        return None;
    }
    RawValue::from_string(format!(r#"{{"notifications":{{{}}}}}"#, members.join(","))).ok()
}

#[cfg(test)]
mod tests;
