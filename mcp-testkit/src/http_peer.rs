//! An HTTP server in the test's own process that answers byte for byte what the test says.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

/// What a client sent.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HttpRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
    /// How many requests came before this one.
    pub number: usize,
}

impl HttpRequest {
    /// The value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `null` if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The JSON-RPC method in the body; empty if there is none.
    pub fn rpc_method(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }
}

/// What the server does with a request.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HttpAnswer {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Bytes(Vec<u8>),
    /// The same bytes again and again, until the client leaves.
    Endless(Vec<u8>),
    /// Nothing more, but the connection stays open.
    Hang,
    /// Nothing more, and the connection is closed in the middle.
    BreakOff,
    /// Waits until the test says so.
    Until(Arc<Notify>),
    /// Waits until the test says so through one of several bells.
    UntilOneOf(Arc<[Notify]>, usize),
}

impl HttpAnswer {
    /// An answer with this status and no body yet; status 0 is no answer at all,
    /// not even the beginning of one.
    pub fn new(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// A 200 with this JSON.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::new(200).header("content-type", "application/json").body(value.to_string())
    }

    /// A 200 with an event stream of these pieces of text.
    pub fn events(text: impl Into<String>) -> Self {
        Self::new(200).header("content-type", "text/event-stream").body(text.into())
    }

    /// A 200 event stream with one `message` event.
    pub fn event(value: &serde_json::Value) -> Self {
        Self::events(format!("event: message\ndata: {value}\n\n"))
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Adds to the body.
    #[must_use]
    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push(Piece::Bytes(bytes.into()));
        self
    }

    /// Adds these bytes for ever.
    #[must_use]
    pub fn endless(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push(Piece::Endless(bytes.into()));
        self
    }

    /// Keeps the connection open after the body so far.
    #[must_use]
    pub fn hang(mut self) -> Self {
        self.pieces.push(Piece::Hang);
        self
    }

    /// Closes the connection after the body so far, without ending the answer.
    #[must_use]
    pub fn break_off(mut self) -> Self {
        self.pieces.push(Piece::BreakOff);
        self
    }

    /// Goes on with the body once `notify` rings.
    #[must_use]
    pub fn until(mut self, notify: Arc<Notify>) -> Self {
        self.pieces.push(Piece::Until(notify));
        self
    }

    /// Goes on with the body once the bell at `position` rings.
    #[must_use]
    pub fn until_one_of(mut self, bells: Arc<[Notify]>, position: usize) -> Self {
        self.pieces.push(Piece::UntilOneOf(bells, position));
        self
    }
}

type Respond = dyn Fn(&HttpRequest) -> HttpAnswer + Send + Sync;

/// A running server. Dropping it closes its port and its connections.
#[derive(Debug)]
pub struct HttpPeer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<HttpRequest>>>,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl HttpPeer {
    /// Serves on a free port of this machine; `respond` decides every answer.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub async fn start(respond: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let accepting = accept(listener, Arc::new(respond), requests.clone(), connections.clone());
        Ok(Self { address, requests, connections, accepting: tokio::spawn(accepting) })
    }

    /// `http://127.0.0.1:PORT` and this path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many connections clients have opened so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Everything that was asked so far.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for HttpPeer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    respond: Arc<Respond>,
    requests: Arc<Mutex<Vec<HttpRequest>>>,
    count: Arc<AtomicUsize>,
) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        count.fetch_add(1, Ordering::Relaxed);
        // An answer is written in pieces, which must not wait for each other's acknowledgement.
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let (respond, requests) = (respond.clone(), requests.clone());
        connections.spawn(async move {
            // A client that leaves in the middle is part of many tests.
            drop(serve(stream, &*respond, &requests).await);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, respond: &Respond, requests: &Mutex<Vec<HttpRequest>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(mut request) = read_request(&mut stream).await? {
        let answer = {
            let mut seen = requests.lock().unwrap_or_else(PoisonError::into_inner);
            request.number = seen.len();
            seen.push(request.clone());
            drop(seen);
            respond(&request)
        };
        write_answer(&mut stream, answer).await?;
    }
    Ok(())
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<HttpRequest>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(ToOwned::to_owned);
    let mut request = HttpRequest {
        method: words.next().unwrap_or_default(),
        target: words.next().unwrap_or_default(),
        ..HttpRequest::default()
    };
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}

/// Bodies are chunked, so that their length need not be known and the connection can be used again.
async fn write_answer(stream: &mut BufReader<TcpStream>, answer: HttpAnswer) -> std::io::Result<()> {
    if answer.status == 0 {
        let breaks_off = answer.pieces.iter().any(|piece| matches!(piece, Piece::BreakOff));
        return if breaks_off {
            Err(std::io::ErrorKind::ConnectionAborted.into())
        } else {
            std::future::pending().await
        };
    }
    let mut head = format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    for piece in answer.pieces {
        match piece {
            Piece::Bytes(bytes) => write_chunk(stream, &bytes).await?,
            Piece::Endless(bytes) => loop {
                write_chunk(stream, &bytes).await?;
                tokio::task::yield_now().await;
            },
            Piece::Hang => std::future::pending().await,
            Piece::BreakOff => return Err(std::io::ErrorKind::ConnectionAborted.into()),
            Piece::Until(notify) => notify.notified().await,
            Piece::UntilOneOf(bells, position) => match bells.get(position) {
                Some(bell) => bell.notified().await,
                None => std::future::pending().await,
            },
        }
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.flush().await
}

async fn write_chunk(stream: &mut BufReader<TcpStream>, bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
    stream.write_all(bytes).await?;
    stream.write_all(b"\r\n").await?;
    stream.flush().await
}
