//! Finding out which era a server speaks, and shaking hands accordingly.
//!
//! See [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning) and, for the older
//! era, [lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle).

use std::time::Duration;

use ::http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::era::{LEGACY_VERSIONS, MODERN_VERSION};
use crate::link::{Outgoing, Repeat};
use crate::scope::Patience;
use crate::session::{Abandoned, Session};
use crate::tools::lenient;
use crate::{Era, Error, Negotiation, RpcError, ServerInfo, wire};

/// How long a server may take to accept the notification that ends a handshake.
const TELLING: Duration = Duration::from_secs(5);

/// What a handshake found out.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) era: Era,
    pub(crate) version: String,
    pub(crate) server: Option<ServerInfo>,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: Option<Box<RawValue>>,
}

/// Negotiates on a fresh link, trying `recalled` first.
///
/// All of it ends with `patience`. A link that closes is the caller's business: a server that exits on the probe is started again and initialized.
pub(crate) async fn negotiate(session: &Session, recalled: Option<Era>, patience: Patience) -> Result<Peer, Error> {
    match (session.options.negotiation, recalled) {
        (Negotiation::ModernOnly, _) => discover(session, patience).await,
        (Negotiation::LegacyOnly, _) => initialize(session, patience).await,
        (Negotiation::Auto, Some(Era::Legacy)) => match initialize(session, patience).await {
            // Only a server that speaks neither refuses both, and of the two it understood this one.
            Err(error) if is_refusal(&error) => discover(session, patience).await.map_err(|_neither| error),
            outcome => outcome,
        },
        (Negotiation::Auto, Some(Era::Modern) | None) => probe(session, patience).await,
    }
}

/// Asks in the modern way and, when the server refuses or stays silent, in the old one.
async fn probe(session: &Session, patience: Patience) -> Result<Peer, Error> {
    let mut discovering = std::pin::pin!(discover(session, patience));
    let answered = tokio::select! {
        outcome = &mut discovering => Some(outcome),
        () = tokio::time::sleep(session.options.timeouts.probe) => None,
    };
    match answered {
        Some(Err(error)) if speaks_legacy(&error) => return initialize(session, patience).await,
        Some(outcome) => return outcome,
        None => {}
    }
    // Silent so far. Both questions are open now; a late answer to the first is only used if the second is refused,
    // as it is by a modern server that was slow to start.
    let mut initializing = std::pin::pin!(initialize(session, patience));
    let mut late = None;
    let outcome = loop {
        tokio::select! {
            outcome = &mut initializing => break outcome,
            outcome = &mut discovering, if late.is_none() => late = Some(outcome),
        }
    };
    let Err(error) = outcome else { return outcome };
    if !is_refusal(&error) {
        return Err(error);
    }
    let late = match late {
        Some(late) => late,
        None => discovering.await,
    };
    late.map_err(|_late| error)
}

/// `server/discover` at 2026-07-28; once more when the server refuses that version and names it as one it supports.
async fn discover(session: &Session, patience: Patience) -> Result<Peer, Error> {
    match discover_once(session, patience).await {
        Err(Error::Rpc { error, .. }) if offers(&error, &[MODERN_VERSION]) => discover_once(session, patience).await,
        outcome => outcome,
    }
}

async fn discover_once(session: &Session, patience: Patience) -> Result<Peer, Error> {
    let method = "server/discover";
    let id = session.next_id();
    let params = wire::with_meta(None, &session.modern_meta())?;
    let outgoing = Outgoing {
        id,
        method: method.to_owned(),
        body: wire::request(id, method, params.as_deref()),
        version: Some(MODERN_VERSION),
        name: None,
        headers: HeaderMap::new(),
        repeat: Repeat::WhenUnavailable,
        until: patience.worth_until(),
    };
    let result = session.exchange(outgoing, Abandoned::IsForgotten, patience).await?;
    read_discovery(&result)
}

fn read_discovery(result: &RawValue) -> Result<Peer, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Discovery {
        supported_versions: Vec<String>,
        #[serde(default)]
        capabilities: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "lenient")]
        instructions: Option<String>,
        #[serde(default, rename = "_meta", deserialize_with = "lenient")]
        meta: Option<Meta>,
    }
    #[derive(Deserialize)]
    struct Meta {
        #[serde(default, rename = "io.modelcontextprotocol/serverInfo", deserialize_with = "lenient")]
        server: Option<ServerInfo>,
    }
    let discovery: Discovery =
        serde_json::from_str(result.get()).map_err(|error| Error::protocol("server/discover", error.to_string()))?;
    if !discovery.supported_versions.iter().any(|version| version == MODERN_VERSION) {
        return Err(Error::NoCommonVersion { supported: discovery.supported_versions });
    }
    Ok(Peer {
        era: Era::Modern,
        version: MODERN_VERSION.to_owned(),
        server: discovery.meta.and_then(|meta| meta.server),
        instructions: discovery.instructions,
        capabilities: discovery.capabilities,
    })
}

/// The `initialize` handshake, offering the newest legacy version.
pub(crate) async fn initialize(session: &Session, patience: Patience) -> Result<Peer, Error> {
    let method = "initialize";
    let id = session.next_id();
    let [offered, ..] = LEGACY_VERSIONS;
    let params = format!(
        r#"{{"protocolVersion":"{offered}","capabilities":{},"clientInfo":{}}}"#,
        session.capabilities(Era::Legacy),
        session.client_info()
    );
    let outgoing = Outgoing {
        id,
        method: method.to_owned(),
        body: wire::request(id, method, Some(&params)),
        version: None,
        name: None,
        headers: HeaderMap::new(),
        repeat: Repeat::WhenUnavailable,
        until: patience.worth_until(),
    };
    let result = session.exchange(outgoing, Abandoned::IsForgotten, patience).await?;
    let peer = read_initialization(&result)?;
    session.link.established(&peer.version, false);
    say_initialized(session).await?;
    Ok(peer)
}

/// Nobody answers a notification, so one that is refused, or not taken, changes nothing for either side. A login does.
async fn say_initialized(session: &Session) -> Result<(), Error> {
    let telling = session.link.notify(wire::notification("notifications/initialized", None));
    match tokio::time::timeout(TELLING, telling).await {
        Ok(Err(error)) if error.is_closed() || error.is_auth_required() => Err(error),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the server refuses to hear that the handshake is over");
            Ok(())
        }
        Ok(Ok(())) => Ok(()),
        Err(_) => {
            tracing::debug!("the server does not take the end of the handshake");
            Ok(())
        }
    }
}

fn read_initialization(result: &RawValue) -> Result<Peer, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialization {
        protocol_version: String,
        #[serde(default)]
        capabilities: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "lenient")]
        server_info: Option<ServerInfo>,
        #[serde(default, deserialize_with = "lenient")]
        instructions: Option<String>,
    }
    let answer: Initialization =
        serde_json::from_str(result.get()).map_err(|error| Error::protocol("initialize", error.to_string()))?;
    if !LEGACY_VERSIONS.contains(&answer.protocol_version.as_str()) {
        return Err(Error::NoCommonVersion { supported: vec![answer.protocol_version] });
    }
    Ok(Peer {
        era: Era::Legacy,
        version: answer.protocol_version,
        server: answer.server_info,
        instructions: answer.instructions,
        capabilities: answer.capabilities,
    })
}

/// Whether the answer to the probe means "I do not speak that era, try the other".
fn speaks_legacy(error: &Error) -> bool {
    match error {
        Error::Rpc { error, .. } => match error.code {
            RpcError::HEADER_MISMATCH | RpcError::MISSING_CLIENT_CAPABILITY => false,
            RpcError::UNSUPPORTED_PROTOCOL_VERSION => error.data.is_none() || offers(error, &LEGACY_VERSIONS),
            _ => true,
        },
        Error::NoCommonVersion { supported } => {
            supported.iter().any(|version| LEGACY_VERSIONS.contains(&version.as_str()))
        }
        Error::Protocol { .. } => true,
        Error::Http { status, .. } => is_refusing_status(*status),
        _ => false,
    }
}

/// Whether a refusal is about the version and offers one of `versions` instead.
fn offers(error: &RpcError, versions: &[&str]) -> bool {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let data = error.data.as_deref().and_then(|data| serde_json::from_str::<Data>(data).ok());
    error.code == RpcError::UNSUPPORTED_PROTOCOL_VERSION
        && data.is_some_and(|data| data.supported.iter().any(|version| versions.contains(&version.as_str())))
}

/// Whether a server understood `initialize` and does not do it.
fn is_refusal(error: &Error) -> bool {
    match error {
        Error::Rpc { .. } | Error::Protocol { .. } | Error::NoCommonVersion { .. } => true,
        Error::Http { status, .. } => is_refusing_status(*status),
        _ => false,
    }
}

/// A 4xx that says "not this way": neither a login (401, 403) nor "later" (408, 429).
pub(crate) fn is_refusing_status(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 401 | 403 | 408 | 429)
}

#[cfg(test)]
mod tests;
