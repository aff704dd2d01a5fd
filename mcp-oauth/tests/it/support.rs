//! A world to log in to.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};

use http::{HeaderMap, Method, Request, Response};
use mcp_oauth::{
    BoxFuture, Clock, Credential, Error, Exchange, HttpsClient, Interaction, LoginRequest, MemoryStore, Prompt, Reach,
    Secret, Session, SessionOptions, Timestamp, TokenStore, Verdict, Web,
};
use mcp_testkit::{AuthorizationServer, Quirk};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

/// An authorization server, a store, and a clock that stands still.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) server: Arc<AuthorizationServer>,
    pub(crate) store: Arc<dyn TokenStore>,
    now: Arc<AtomicU64>,
}

impl World {
    pub(crate) async fn new(quirks: impl IntoIterator<Item = Quirk>) -> Self {
        watch_logs();
        let server = Arc::new(AuthorizationServer::start(quirks).await.unwrap());
        Self { server, store: Arc::new(MemoryStore::new()), now: Arc::new(AtomicU64::new(1_000_000)) }
    }

    /// Another world at the same authorization server, and its time.
    pub(crate) fn sharing_its_server(&self) -> Self {
        Self { server: Arc::clone(&self.server), store: Arc::clone(&self.store), now: Arc::clone(&self.now) }
    }

    pub(crate) fn url(&self) -> Url {
        Url::parse(&self.server.server_url()).unwrap()
    }

    pub(crate) fn clock(&self) -> Clock {
        let now = Arc::clone(&self.now);
        Clock::new(move || Timestamp::from_seconds(now.load(Ordering::SeqCst)))
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.now.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn options(&self) -> SessionOptions {
        let mut options = SessionOptions::new(self.url(), Arc::clone(&self.store), web());
        options.clock = self.clock();
        options
    }

    pub(crate) fn session(&self) -> Session {
        Session::new(self.options())
    }

    pub(crate) fn session_with(&self, change: impl FnOnce(&mut SessionOptions)) -> Session {
        let mut options = self.options();
        change(&mut options);
        Session::new(options)
    }

    pub(crate) fn person(&self) -> Person {
        Person::new(&self.server)
    }

    /// A session that is logged in.
    pub(crate) async fn logged_in(&self) -> Session {
        let session = self.session();
        session.login(&LoginRequest::default(), &self.person()).await.unwrap();
        session
    }

    /// The only stored credential.
    pub(crate) fn stored(&self) -> Credential {
        let (found, problems) = self.store.list().unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let [credential] = <[Credential; 1]>::try_from(found).unwrap();
        credential
    }
}

/// The client of this test: each test has a thread of its own, and making one reads every certificate of the system.
pub(crate) fn web() -> Arc<dyn Web> {
    thread_local! {
        static WEB: Arc<dyn Web> = Arc::new(HttpsClient::new(Reach::Loopback).unwrap());
    }
    WEB.with(Arc::clone)
}

/// Sends one request to the protected endpoint as a transport does: signs it, shows the answer, and sends it again as
/// long as that is the verdict. Returns the status.
pub(crate) async fn call(session: &Session, url: &Url) -> Result<u16, Error> {
    for _ in 0..4 {
        let (headers, answer) = send(session, url).await?;
        match session.answer(&Exchange::new(url, &headers, answer.status(), answer.headers())).await? {
            Verdict::Retry => {}
            _ => return Ok(answer.status().as_u16()),
        }
    }
    panic!("a request was to be sent for ever");
}

async fn send(session: &Session, url: &Url) -> Result<(HeaderMap, Response<Vec<u8>>), Error> {
    let mut headers = HeaderMap::new();
    session.authorize(&Method::POST, url, &mut headers).await?;
    let mut request = Request::post(url.as_str()).body(Vec::new()).unwrap();
    request.headers_mut().clone_from(&headers);
    Ok((headers, web().send(request).await?))
}

/// The error of a failed call, checked for leaks.
pub(crate) fn failure(result: Result<u16, Error>) -> Error {
    clean(result.unwrap_err())
}

/// Checks that an error, down to its last cause, shows nothing secret.
pub(crate) fn clean(error: Error) -> Error {
    let mut shown = format!("{error:?} {error}");
    let mut cause = std::error::Error::source(&error);
    while let Some(source) = cause {
        write!(shown, " {source}").unwrap();
        cause = source.source();
    }
    assert!(!shown.contains("canary"), "{shown}");
    error
}

/// Somebody who logs in and consents at once.
#[derive(Debug)]
pub(crate) struct Person {
    server: Arc<AuthorizationServer>,
    /// Pastes the address, because the browser runs elsewhere.
    pub(crate) pastes: bool,
    /// Never answers.
    pub(crate) absent: bool,
    pub(crate) prompts: Mutex<Vec<Prompt>>,
    pages: Arc<Mutex<Vec<String>>>,
    pasted: tokio::sync::Mutex<tokio::sync::mpsc::UnboundedReceiver<String>>,
    clipboard: tokio::sync::mpsc::UnboundedSender<String>,
}

impl Person {
    pub(crate) fn new(server: &Arc<AuthorizationServer>) -> Self {
        let (clipboard, pasted) = tokio::sync::mpsc::unbounded_channel();
        Self {
            server: Arc::clone(server),
            pastes: false,
            absent: false,
            prompts: Mutex::default(),
            pages: Arc::default(),
            pasted: tokio::sync::Mutex::new(pasted),
            clipboard,
        }
    }

    /// What the browser showed at the end.
    pub(crate) async fn page(&self) -> String {
        loop {
            if let Some(page) = self.pages.lock().unwrap().first() {
                return page.clone();
            }
            tokio::task::yield_now().await;
        }
    }

    /// How often a page was to be opened.
    pub(crate) fn logins(&self) -> usize {
        self.prompts.lock().unwrap().iter().filter(|prompt| matches!(prompt, Prompt::Open { .. })).count()
    }

    /// The value of a parameter of the last page that was to be opened.
    pub(crate) fn asked(&self, name: &str) -> Option<String> {
        let prompts = self.prompts.lock().unwrap();
        let Some(Prompt::Open { url, .. }) = prompts.last() else { panic!("{prompts:?}") };
        url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }
}

impl Interaction for Person {
    fn present(&self, prompt: Prompt) -> BoxFuture<'_, Result<(), Error>> {
        self.prompts.lock().unwrap().push(prompt.clone());
        let Prompt::Open { url, .. } = prompt else { return Box::pin(async { Ok(()) }) };
        let end = self.server.log_in(url.as_str()).filter(|_| !self.absent);
        match end {
            Some(end) if self.pastes => self.clipboard.send(end).unwrap(),
            Some(end) => {
                let pages = Arc::clone(&self.pages);
                tokio::spawn(async move {
                    let page = browse(&end).await;
                    pages.lock().unwrap().push(page);
                });
            }
            None => {}
        }
        Box::pin(async { Ok(()) })
    }

    fn pasted(&self) -> BoxFuture<'_, String> {
        Box::pin(async { self.pasted.lock().await.recv().await.unwrap() })
    }
}

/// What a browser gets at `url`.
pub(crate) async fn browse(url: &str) -> String {
    let url = Url::parse(url).unwrap();
    let address = (url.host_str().unwrap().trim_matches(['[', ']']).to_owned(), url.port().unwrap());
    let mut stream = TcpStream::connect(address).await.unwrap();
    let target = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await.unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).await.unwrap();
    page
}

/// Lets every event of every library be formatted, and ends the test at the first one that shows a secret.
fn watch_logs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Watch).unwrap());
}

struct Watch;

impl tracing::Subscriber for Watch {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut text = Text::default();
        span.record(&mut text);
        text.check();
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        let mut text = Text::default();
        values.record(&mut text);
        text.check();
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        text.check();
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[derive(Default)]
struct Text(String);

impl Text {
    /// A panic could be swallowed by the task that logs; the end of the process cannot.
    fn check(&self) {
        if self.0.contains("canary") {
            drop(std::io::stderr().write_all(format!("a secret was logged: {}\n", self.0).as_bytes()));
            std::process::abort();
        }
    }
}

impl tracing::field::Visit for Text {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

/// The text of a secret, for comparisons.
pub(crate) fn text(secret: &Secret) -> &str {
    secret.expose()
}
