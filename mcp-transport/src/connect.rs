//! From an endpoint to a connection, through every fallback.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::era::definition_key;
use crate::http::{HttpLink, SseLink};
use crate::inbox::{Inbox, OUTBOX, QUEUE, Queued};
use crate::link::Link;
use crate::owned_tasks::OwnedTasks;
use crate::scope::Patience;
use crate::session::Session;
use crate::stdio::StdioLink;
use crate::{ConnectOptions, Connection, Endpoint, Era, Error, Negotiation, handshake, questions, subscriptions};

/// How much longer than [`Timeouts::connect`](crate::Timeouts::connect) the opening of a transport may hold on: the
/// handshake's own deadline comes first, as it can say what the server wrote.
const SLACK: Duration = Duration::from_millis(500);

/// How long a server that refused is looked at for the older transport.
const LOOK: Duration = Duration::from_secs(2);

/// Connects to a server: opens the transport, finds out the era, shakes hands.
///
/// In this order, for an endpoint that nothing is remembered about:
///
/// 1. the transport is opened; [`Endpoint::HttpAuto`] opens Streamable HTTP;
/// 2. `server/discover` asks for 2026-07-28; a refusal, or [`Timeouts::probe`](crate::Timeouts::probe) of silence,
///    leads to `initialize` on the same transport;
/// 3. a process that exits instead of refusing is started again and initialized;
/// 4. [`Endpoint::HttpAuto`] whose `initialize` is refused with a 4xx (no login, no delay) opens HTTP+SSE.
///
/// # Errors
///
/// [`is_unreachable`](Error::is_unreachable) if nobody is there, [`exit`](Error::exit) with status and stderr if the
/// process died, [`is_auth_required`](Error::is_auth_required), [`is_timeout`](Error::is_timeout) after
/// [`Timeouts::connect`](crate::Timeouts::connect), [`Error::NoCommonVersion`], and whatever a server may refuse with.
///
/// # Cancel safety
///
/// Dropping the future ends whatever it started, processes included.
///
/// # Panics
///
/// Outside a tokio runtime with time and I/O enabled.
pub async fn connect(endpoint: Endpoint, options: ConnectOptions) -> Result<Connection, Error> {
    let limit = options.timeouts.connect;
    let span = tracing::debug_span!("connect", server = %options.label);
    let dialing = Box::pin(dial(endpoint, options, Instant::now() + limit).instrument(span));
    match tokio::time::timeout(limit + SLACK, dialing).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::Timeout { method: "connect".to_owned(), after: limit }),
    }
}

async fn dial(endpoint: Endpoint, mut options: ConnectOptions, deadline: Instant) -> Result<Connection, Error> {
    let key = definition_key(&endpoint);
    let recalled = options.eras.as_ref().and_then(|eras| eras.recall(&key));
    let eras = options.eras.take();
    let connection = match endpoint {
        Endpoint::HttpAuto(http) => {
            match establish(&Endpoint::Http(http.clone()), &options, recalled, deadline).await {
                Err(error) if leads_to_sse(&error) => {
                    let older = establish(&Endpoint::Sse(http), &options, None, deadline).await;
                    older.map_err(|second| more_telling(error, second))?
                }
                outcome => outcome?,
            }
        }
        endpoint => match establish(&endpoint, &options, recalled, deadline).await {
            Err(error) if leads_to_sse(&error) => return Err(older_transport(endpoint, &options, error).await),
            Err(error) if recalled != Some(Era::Legacy) && dies_on_probe(&endpoint, &options, &error) => {
                tracing::debug!(%error, "started again without the probe");
                let again = options.clone().with_negotiation(Negotiation::LegacyOnly);
                establish(&endpoint, &again, None, deadline).await?
            }
            outcome => outcome?,
        },
    };
    if let Some(eras) = eras
        && recalled != Some(connection.era())
    {
        eras.remember(&key, connection.era());
    }
    Ok(connection)
}

/// Whether the server said what servers of 2024-11-05 say to a POST.
fn leads_to_sse(error: &Error) -> bool {
    matches!(error, Error::Http { status, .. } if handshake::is_refusing_status(*status))
}

/// The refusal of an endpoint; or, if a server of 2024-11-05 is there, that it is.
async fn older_transport(endpoint: Endpoint, options: &ConnectOptions, error: Error) -> Error {
    let (Endpoint::Http(http), Error::Http { url, .. }) = (endpoint, &error) else { return error };
    let url = url.clone();
    let older = Endpoint::Sse(http);
    let looking = establish(&older, options, None, Instant::now() + LOOK);
    match tokio::time::timeout(LOOK, Box::pin(looking)).await {
        Ok(Ok(_older)) => Error::OlderTransport { url },
        _ => error,
    }
}

/// Of two failures, the one to report: that of the older transport only if a server of that kind was there.
fn more_telling(first: Error, second: Error) -> Error {
    match second {
        Error::Http { .. } | Error::Unreachable { .. } | Error::Interrupted { .. } => first,
        second => second,
    }
}

/// Whether a process ended where a reply to an unknown first message was due.
fn dies_on_probe(endpoint: &Endpoint, options: &ConnectOptions, error: &Error) -> bool {
    matches!(endpoint, Endpoint::Stdio(_)) && options.negotiation == Negotiation::Auto && error.is_closed()
}

async fn establish(
    endpoint: &Endpoint,
    options: &ConnectOptions,
    recalled: Option<Era>,
    deadline: Instant,
) -> Result<Connection, Error> {
    let mut options = options.clone();
    options.sent = options.sent.to(endpoint);
    let sent = options.sent.clone();
    Box::pin(open(endpoint, options, recalled, deadline)).await.map_err(|error| error.scrubbed(&sent))
}

async fn open(
    endpoint: &Endpoint,
    mut options: ConnectOptions,
    recalled: Option<Era>,
    deadline: Instant,
) -> Result<Connection, Error> {
    let (outbox, outgoing) = mpsc::channel(OUTBOX);
    let (questions, asked) = mpsc::channel(QUEUE);
    let inbox = Inbox::new(outbox.clone(), questions, options.limits.message);
    let link = match endpoint {
        Endpoint::Stdio(stdio) => Link::Stdio(StdioLink::open(stdio, &options, inbox.clone(), (outbox, outgoing))?),
        Endpoint::Http(http) | Endpoint::HttpAuto(http) => {
            Link::Http(HttpLink::open(http, &options, inbox.clone(), outgoing)?)
        }
        Endpoint::Sse(http) => {
            // This transport ended with 2024-11-05; a probe would only cost time.
            options.negotiation = Negotiation::LegacyOnly;
            Link::Sse(SseLink::open(http, &options, inbox.clone(), outgoing).await?)
        }
    };
    assemble(Session::new(link, inbox, options), asked, recalled, deadline).await
}

/// Shakes hands on an open link and starts what a connection needs in the background.
pub(crate) async fn assemble(
    session: Session,
    asked: mpsc::Receiver<Queued>,
    recalled: Option<Era>,
    deadline: Instant,
) -> Result<Connection, Error> {
    let session = Arc::new(session);
    let tasks = OwnedTasks::default();
    tasks.add(tokio::spawn(questions::serve(session.clone(), asked)).abort_handle());
    // From here on an early return ends the link and its tasks.
    let connection = Connection::new(session.clone(), tasks);
    let patience = Patience::handshake(deadline);
    let negotiating = tokio::time::timeout_at(deadline, handshake::negotiate(&session, recalled, patience)).await;
    let after = session.options.timeouts.connect;
    let silent = |_late| {
        let (stdout, stderr_tail) = (session.inbox.unread(), session.link.stderr_tail());
        Err(Error::Silent { after, stdout, stderr_tail })
    };
    let peer = negotiating.unwrap_or_else(silent)?;
    let modern = peer.era == Era::Modern;
    session.established(peer).await;
    session.ask_for_logs().await;
    if modern {
        connection.own(tokio::spawn(subscriptions::listen(session)).abort_handle());
    }
    Ok(connection)
}
