//! The end of a login in a browser: one request to this machine.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use futures_util::future::{Either, select};
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use crate::authorization::Redirect;
use crate::error::Error;
use crate::settings::{CallbackSettings, LoopbackHost};

/// How long a connection may take to ask. Browsers open some that they never use.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the last page may take to be sent.
const FAREWELL: Duration = Duration::from_secs(2);

/// Most connections at a time; one more ends the oldest. Whoever holds connections open and asks nothing must not keep the
/// browser waiting, which asks as soon as it is connected.
const MOST_CONNECTIONS: usize = 32;

/// What the browser shows at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// The login was accepted.
    Done,
    /// The login was refused, here or there.
    Refused,
    /// The request belongs to another login.
    Foreign,
}

/// What to do after a redirect.
pub(crate) enum Judgement<T> {
    /// It ends the waiting.
    Final(Result<T, Error>),
    /// It is somebody else's.
    Foreign,
}

/// Listens on this machine and nowhere else.
#[derive(Debug)]
pub(crate) struct CallbackListener {
    first: TcpListener,
    /// The other address family, where the redirect URI says `localhost`.
    second: Option<TcpListener>,
    port: u16,
    path: String,
}

impl CallbackListener {
    /// Listens at the port of the settings, or else at `preferred` if it is free, or else at any.
    pub(crate) async fn bind(settings: &CallbackSettings, preferred: Option<u16>) -> io::Result<Self> {
        let first = match (settings.port, preferred) {
            (Some(port), _) => bind_first(settings.host, port).await?,
            (None, Some(port)) => match bind_first(settings.host, port).await {
                Ok(listener) => listener,
                Err(_) => bind_first(settings.host, 0).await?,
            },
            (None, None) => bind_first(settings.host, 0).await?,
        };
        let port = first.local_addr()?.port();
        let second = match settings.host {
            // Without IPv6 the browser falls back to IPv4.
            LoopbackHost::Name => TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await.ok(),
            LoopbackHost::V4 | LoopbackHost::V6 => None,
        };
        let path = settings.public_uri.as_ref().map_or(settings.path.as_str(), |uri| uri.path());
        let path = if path.is_empty() { "/" } else { path };
        Ok(Self { first, second, port, path: path.to_owned() })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Waits for the redirect that `judge` says is final, answers it with a page, and returns its result. Every other
    /// request is answered and forgotten.
    pub(crate) async fn redirected<T>(&self, judge: impl Fn(&Redirect) -> Judgement<T>) -> Result<T, Error> {
        let (sender, mut redirects) = mpsc::channel::<(Redirect, oneshot::Sender<Page>)>(MOST_CONNECTIONS);
        let mut connections = JoinSet::new();
        let mut open: VecDeque<AbortHandle> = VecDeque::new();
        loop {
            tokio::select! {
                stream = self.accept() => {
                    open.retain(|connection| !connection.is_finished());
                    if open.len() == MOST_CONNECTIONS && let Some(oldest) = open.pop_front() {
                        oldest.abort();
                    }
                    open.push_back(connections.spawn(serve(stream?, self.path.clone(), sender.clone())));
                }
                Some(_) = connections.join_next() => {}
                Some((redirect, reply)) = redirects.recv() => {
                    let judgement = judge(&redirect);
                    let page = match &judgement {
                        Judgement::Final(Ok(_)) => Page::Done,
                        Judgement::Final(Err(_)) => Page::Refused,
                        Judgement::Foreign => Page::Foreign,
                    };
                    // A browser that has gone gets no page.
                    reply.send(page).ok();
                    if let Judgement::Final(result) = judgement {
                        drop(sender);
                        say_goodbye(connections).await;
                        return result;
                    }
                }
            }
        }
    }

    async fn accept(&self) -> Result<TcpStream, Error> {
        let failed = |source| Error::Unreachable { url: format!("127.0.0.1:{}", self.port), source: Box::new(source) };
        let accepted = match &self.second {
            None => self.first.accept().await,
            Some(second) => match select(Box::pin(self.first.accept()), Box::pin(second.accept())).await {
                Either::Left((accepted, _)) | Either::Right((accepted, _)) => accepted,
            },
        };
        accepted.map(|(stream, _)| stream).map_err(failed)
    }
}

async fn bind_first(host: LoopbackHost, port: u16) -> io::Result<TcpListener> {
    let address = match host {
        LoopbackHost::V4 | LoopbackHost::Name => SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        LoopbackHost::V6 => SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
    };
    TcpListener::bind(address).await
}

/// Lets the last page reach the browser.
async fn say_goodbye(mut connections: JoinSet<()>) {
    let all = async { while connections.join_next().await.is_some() {} };
    // Connections that the browser has opened for nothing do not hold up the login.
    drop(timeout(FAREWELL, all).await);
}

async fn serve(stream: TcpStream, path: String, sender: mpsc::Sender<(Redirect, oneshot::Sender<Page>)>) {
    let service = service_fn(|request: Request<Incoming>| {
        let (path, sender) = (path.clone(), sender.clone());
        async move { Ok::<_, Infallible>(respond(&request, &path, &sender).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_TIMEOUT)
        .keep_alive(false)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(stream), service);
    if let Ok(Err(error)) = timeout(REQUEST_TIMEOUT * 2, connection).await {
        tracing::debug!(%error, "a connection to the callback broke off");
    }
}

async fn respond(
    request: &Request<Incoming>,
    path: &str,
    sender: &mpsc::Sender<(Redirect, oneshot::Sender<Page>)>,
) -> Response<Full<Bytes>> {
    let Some(query) = request.uri().query().filter(|_| request.uri().path() == path) else {
        return text(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "Nothing is here.\n");
    };
    if request.method() != Method::GET {
        return text(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", "Only GET.\n");
    }
    let (reply, judged) = oneshot::channel();
    let asked = sender.send((Redirect::from_query(query), reply)).await;
    let page = match asked {
        Ok(()) => judged.await.unwrap_or(Page::Foreign),
        Err(_) => Page::Foreign,
    };
    let status = if page == Page::Done { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    text(status, "text/html; charset=utf-8", page.html())
}

/// Nothing of the request is repeated in an answer, so nothing needs escaping.
fn text(status: StatusCode, kind: &'static str, body: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(body.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    );
    response
}

impl Page {
    fn html(self) -> &'static str {
        match self {
            Self::Done => include_str!("callback/done.html"),
            Self::Refused => include_str!("callback/refused.html"),
            Self::Foreign => include_str!("callback/foreign.html"),
        }
    }
}
