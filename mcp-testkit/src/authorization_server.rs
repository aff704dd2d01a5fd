//! An authorization server and the MCP server it protects, in the test's own process.

mod documents;
mod proof;
mod quirk;
mod resource;
mod tokens;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use url::form_urlencoded;

pub use self::quirk::{Fault, Quirk};
use crate::{HttpAnswer, HttpPeer, HttpRequest};

/// A running authorization server with a protected MCP endpoint at `/mcp`.
///
/// It registers clients, sends browsers back with a code, rotates refresh tokens, ends a login whose used refresh token
/// comes again, and takes tokens back. A [`Quirk`] makes it differ from that for good, a [`Fault`] for one token request.
/// Everything secret that it hands out contains the word `canary`, so that a test can search for leaks.
///
/// Tokens do not end by the clock: [`expire_access_tokens`](Self::expire_access_tokens) ends them when the test says so.
#[derive(Debug)]
pub struct AuthorizationServer {
    peer: HttpPeer,
    state: Arc<Mutex<State>>,
}

/// What the server knows.
#[derive(Debug, Default)]
struct State {
    base: String,
    quirks: BTreeSet<Quirk>,
    faults: VecDeque<Fault>,
    /// The lifetime that token responses name, in seconds.
    lifetime: u64,
    /// The scopes that the protected endpoint demands.
    demanded: String,
    /// The issuer that the protected resource names instead of this one.
    moved_to: Option<String>,
    clients: BTreeMap<String, Client>,
    codes: BTreeMap<String, Code>,
    devices: BTreeMap<String, Device>,
    refresh_tokens: BTreeMap<String, Login>,
    used: BTreeMap<String, u64>,
    access_tokens: BTreeMap<String, Login>,
    proofs: BTreeSet<String>,
    next: u64,
}

#[derive(Debug, Clone)]
struct Client {
    secret: Option<String>,
    method: &'static str,
    redirect_uris: Vec<String>,
}

#[derive(Debug, Clone)]
struct Code {
    client: String,
    redirect_uri: String,
    challenge: String,
    resource: Option<String>,
    scope: String,
}

#[derive(Debug, Clone)]
struct Device {
    client: String,
    scope: String,
    approved: Option<bool>,
}

/// What one person's login has given, through however many refreshes.
#[derive(Debug, Clone)]
struct Login {
    family: u64,
    client: String,
    scope: String,
    /// The thumbprint of the key that the tokens are bound to.
    key: Option<String>,
}

impl AuthorizationServer {
    /// Serves on a free port of this machine, with these quirks.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub async fn start(quirks: impl IntoIterator<Item = Quirk>) -> std::io::Result<Self> {
        let initial = State {
            quirks: quirks.into_iter().collect(),
            lifetime: 3600,
            demanded: "mcp:basic".to_owned(),
            ..State::default()
        };
        let state = Arc::new(Mutex::new(initial));
        let answering = Arc::clone(&state);
        let peer = HttpPeer::start(move |request| lock(&answering).respond(request)).await?;
        lock(&state).base = peer.url("");
        Ok(Self { peer, state })
    }

    /// The URL of the protected MCP endpoint.
    pub fn server_url(&self) -> String {
        self.peer.url("/mcp")
    }

    /// The issuer, as the metadata has it.
    pub fn issuer(&self) -> String {
        lock(&self.state).issuer()
    }

    /// Everything that was asked so far.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.peer.requests()
    }

    /// The forms of the token requests with this grant type; the long names count by their last part.
    pub fn token_requests(&self, grant: &str) -> Vec<BTreeMap<String, String>> {
        let to_token = |request: &HttpRequest| request.method == "POST" && request.target == "/token";
        let forms = self.requests().into_iter().filter(to_token).map(|request| form(&request.body));
        forms.filter(|form| form.get("grant_type").is_some_and(|kind| kind.ends_with(grant))).collect()
    }

    /// How many requests went to this path.
    pub fn count(&self, path: &str) -> usize {
        let at_path = |request: &HttpRequest| request.target.split('?').next() == Some(path);
        self.requests().iter().filter(|request| at_path(request)).count()
    }

    /// Adds a quirk.
    pub fn add(&self, quirk: Quirk) {
        lock(&self.state).quirks.insert(quirk);
    }

    /// Takes a quirk away.
    pub fn remove(&self, quirk: Quirk) {
        lock(&self.state).quirks.remove(&quirk);
    }

    /// Makes the next token request that has no earlier fault fail.
    pub fn fail_next(&self, fault: Fault) {
        lock(&self.state).faults.push_back(fault);
    }

    /// Sets the lifetime that token responses name, in seconds.
    pub fn set_lifetime(&self, seconds: u64) {
        lock(&self.state).lifetime = seconds;
    }

    /// Sets the scopes that the protected endpoint demands, separated by spaces.
    pub fn demand(&self, scopes: &str) {
        scopes.clone_into(&mut lock(&self.state).demanded);
    }

    /// Makes the protected resource name another authorization server.
    pub fn move_to(&self, issuer: &str) {
        lock(&self.state).moved_to = Some(issuer.to_owned());
    }

    /// Lets the protected resource accept the tokens that `other` has given so far.
    pub fn trust_tokens_of(&self, other: &Self) {
        let tokens = lock(&other.state).access_tokens.clone();
        lock(&self.state).access_tokens.extend(tokens);
    }

    /// Registers a client by hand.
    pub fn register(&self, id: &str, secret: Option<&str>, method: &'static str) {
        let client = Client { secret: secret.map(str::to_owned), method, redirect_uris: Vec::new() };
        lock(&self.state).clients.insert(id.to_owned(), client);
    }

    /// Forgets every client, as servers do that clean up registrations.
    pub fn purge_clients(&self) {
        lock(&self.state).clients.clear();
    }

    /// Ends every access token; refresh tokens stay good.
    pub fn expire_access_tokens(&self) {
        lock(&self.state).access_tokens.clear();
    }

    /// Ends every login.
    pub fn end_logins(&self) {
        let mut state = lock(&self.state);
        state.access_tokens.clear();
        state.refresh_tokens.clear();
    }

    /// Whether the protected endpoint accepts this token.
    pub fn accepts(&self, token: &str) -> bool {
        lock(&self.state).access_tokens.contains_key(token)
    }

    /// How many logins can still be renewed.
    pub fn renewable_logins(&self) -> usize {
        lock(&self.state).refresh_tokens.len()
    }

    /// What a person does who logs in and consents: follows the URL, and returns where the browser ends. `None` means
    /// that it ends here, at an error page.
    pub fn log_in(&self, authorization_url: &str) -> Option<String> {
        let (_, query) = authorization_url.split_once('?')?;
        lock(&self.state).authorize(&form(query)).ok()
    }

    /// What a person does who enters a device's code, and consents or does not.
    pub fn answer_device(&self, user_code: &str, consent: bool) {
        if let Some(device) = lock(&self.state).devices.get_mut(&format!("canary-device-{user_code}")) {
            device.approved = Some(consent);
        }
    }
}

impl State {
    fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// A name that has not been used before.
    fn fresh(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("canary-{kind}-{}", self.next)
    }

    fn respond(&mut self, request: &HttpRequest) -> HttpAnswer {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        match (request.method.as_str(), path) {
            ("GET", path) if path.starts_with("/.well-known/") => self.document(path),
            ("GET", "/authorize") => match self.authorize(&form(query)) {
                Ok(location) => HttpAnswer::new(302).header("location", location),
                Err(page) => html(400, page),
            },
            ("POST", "/register") => self.register_client(request),
            ("DELETE", path) if path.starts_with("/register/") => self.unregister_client(request, path),
            ("POST", path) if path == self.token_path() => self.token(request),
            ("POST", "/revoke") => self.revoke(request),
            ("POST", "/device") => self.start_device(request),
            (_, "/mcp") => self.protected(request),
            _ => html(404, "nothing here"),
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pairs of a form or a query; the last of a name counts.
fn form(text: &str) -> BTreeMap<String, String> {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

fn html(status: u16, text: &str) -> HttpAnswer {
    HttpAnswer::new(status).header("content-type", "text/html").body(format!("<!doctype html><p>{text}"))
}

fn json(status: u16, value: &serde_json::Value) -> HttpAnswer {
    HttpAnswer::new(status).header("content-type", "application/json").body(value.to_string())
}
