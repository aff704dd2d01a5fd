//! Hearing of changes from modern servers, which only tell those who listen.
//!
//! See [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

use std::{sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    Backoff, Error,
    scope::Patience,
    session::{Ask, Session},
};

/// A listen request is answered when it ends; until then it may last for as long as anything may.
const FOR_EVER: Duration = Duration::from_hours(24 * 365);

/// A stream that ends sooner than this counts as a failure.
const SHORT: Duration = Duration::from_secs(10);

/// Listens for what the server can announce, again and again, until the connection closes.
pub(crate) async fn listen(session: Arc<Session>) {
    let Some(filter) = session.peer().and_then(|peer| filter(peer.capabilities.as_deref())) else { return };
    let mut failures = 0;
    while !session.inbox.is_closed() {
        let started = tokio::time::Instant::now();
        // Not tracked: the end of the connection is the only way this ends on our side.
        let ask = Ask { method: "subscriptions/listen", params: Some(&filter), ..Ask::default() };
        match session.ask(ask, Patience::fixed(FOR_EVER)).await {
            Err(Error::Rpc { .. } | Error::AuthRequired { .. }) => return,
            Err(error) if error.http_status().is_some_and(|status| status < 500) => return,
            Err(error) => tracing::debug!(%error, "subscription broke"),
            Ok(_) => tracing::debug!("subscription ended"),
        }
        failures = if started.elapsed() < SHORT { failures + 1 } else { 0 };
        tokio::time::sleep(Backoff::default().random(failures)).await;
    }
}

/// What to listen for: everything the server says it announces; `None` if that is nothing.
fn filter(capabilities: Option<&RawValue>) -> Option<Box<RawValue>> {
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
    let capabilities: Capabilities = serde_json::from_str(capabilities?.get()).ok()?;
    let announced = |lists: &Option<Lists>| lists.as_ref().is_some_and(|lists| lists.list_changed);
    let wanted = [
        ("toolsListChanged", announced(&capabilities.tools)),
        ("resourcesListChanged", announced(&capabilities.resources)),
        ("promptsListChanged", announced(&capabilities.prompts)),
    ];
    let members: Vec<String> =
        wanted.iter().filter(|(_, wanted)| *wanted).map(|(name, _)| format!(r#""{name}":true"#)).collect();
    if members.is_empty() {
        return None;
    }
    RawValue::from_string(format!(r#"{{"notifications":{{{}}}}}"#, members.join(","))).ok()
}

#[cfg(test)]
mod tests;
