//! Logins of remote servers: where `mcp-oauth`'s sessions meet `mcp-transport`'s requests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use mcp_config::{Activated, Launch};
use mcp_oauth::{
    Account, ChosenStore, HttpsClient, Interaction, Reach, Session, SessionOptions, Settings, StoreKeys,
    StorePreference, TokenStore, open_store,
};
use mcp_transport::{Authorize, BoxFuture, Cause, RequestHead, ResponseHead, Verdict};
use tokio::task::spawn_blocking;
use url::Url;

pub(crate) use self::own_header::HeaderRefused;
use self::own_header::OwnHeader;
pub(crate) use self::settings::Reread;
use self::settings::settings;
pub use self::sign_in::SignIn;
use crate::proxies::Proxies;

mod own_header;
mod settings;
mod sign_in;

/// Why a session cannot be had; every later request fails for the same reason.
type OpenError = Arc<mcp_oauth::Error>;

/// How a client logs in to its servers.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LoginOptions {
    /// Where logins are kept, and the secrets that definitions name.
    pub store: StorePreference,
    /// Whose logins they are; the default account when `None`.
    pub account: Option<Account>,
    /// The person to ask when only a login helps; nobody by default, and then such a request fails at once.
    pub interaction: Option<Arc<dyn Interaction>>,
    /// What is set for every server besides what its definition says.
    pub settings: Settings,
}

/// The sessions of a client's servers, and the one store behind them.
///
/// Nothing is opened until a login is needed or an earlier one may be there: most servers want none, and a keyring may ask
/// its user for a password.
#[derive(Debug)]
pub(crate) struct Logins {
    directory: Option<PathBuf>,
    options: LoginOptions,
    proxies: Proxies,
    store: OnceLock<Result<ChosenStore, OpenError>>,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
}

impl Logins {
    /// Logins kept in this folder; in memory when there is none.
    pub(crate) fn new(directory: Option<PathBuf>, options: LoginOptions, proxies: Proxies) -> Self {
        Self { directory, options, proxies, store: OnceLock::new(), sessions: Mutex::default() }
    }

    /// What signs a server's requests in; `None` for a child process, and for a server whose definition switches logins off.
    /// A header from the definition never starts a login.
    ///
    /// What the definition vouches with is `reread` for every token: a platform's statement is good for minutes.
    pub(crate) fn authorize(
        self: &Arc<Self>,
        server: &str,
        activated: &Activated,
        reread: &Reread,
    ) -> Option<Arc<dyn Authorize>> {
        let url = remote(activated)?;
        if activated.oauth.disabled {
            return None;
        }
        if OwnHeader::is_in(activated) {
            return Some(Arc::new(OwnHeader));
        }
        let settings = settings(&self.options.settings, activated, reread).map_err(Arc::new);
        Some(Arc::new(Lazily { logins: Arc::clone(self), server: server.to_owned(), url, settings }))
    }

    /// Looks at what the definition says about logging in; no store is opened.
    ///
    /// # Errors
    ///
    /// The definition's key or an address in it is none.
    pub(crate) fn check(&self, activated: &Activated, reread: &Reread) -> Result<(), mcp_oauth::Error> {
        settings(&self.options.settings, activated, reread).map(drop)
    }

    /// The session of a server, for logging in and out.
    ///
    /// # Errors
    ///
    /// The server is no remote one, the definition's key is none, or the store cannot be opened.
    pub(crate) async fn session(
        self: &Arc<Self>,
        server: &str,
        activated: &Activated,
        reread: &Reread,
    ) -> Result<Option<Arc<Session>>, OpenError> {
        let Some(url) = remote(activated) else { return Ok(None) };
        let settings = settings(&self.options.settings, activated, reread)?;
        self.open(server, &url, &settings).await.map(Some)
    }

    /// Lets the renewals that are under way come to their end, so that what they bring is kept.
    pub(crate) async fn settle(&self) {
        let sessions: Vec<_> = self.sessions().values().cloned().collect();
        futures_util::future::join_all(sessions.iter().map(|session| session.settle())).await;
    }

    /// Why logins are less protected than they could be, once the store has been opened.
    pub(crate) fn notice(&self) -> Option<String> {
        let chosen = self.store.get()?.as_ref().ok()?;
        chosen.weaker.as_ref().map(|error| crate::error::chain(error))
    }

    /// Whether an earlier login may be there.
    fn has_any(&self) -> bool {
        self.store.get().is_some() || self.directory.as_ref().is_some_and(|directory| directory.exists())
    }

    /// The session of a server. Opening the store blocks, on a keyring or on another program that opens it, so a thread does
    /// that whom nobody needs to wait for.
    async fn open(self: &Arc<Self>, server: &str, url: &Url, settings: &Settings) -> Result<Arc<Session>, OpenError> {
        if let Some(session) = self.sessions().get(server) {
            return Ok(Arc::clone(session));
        }
        let (logins, server, url, settings) = (Arc::clone(self), server.to_owned(), url.clone(), settings.clone());
        let opened = spawn_blocking(move || logins.open_blocking(server, &url, &settings)).await;
        opened.unwrap_or_else(|_| Err(Arc::new(mcp_oauth::Error::Interrupted { what: "opening the store of logins" })))
    }

    fn open_blocking(&self, server: String, url: &Url, settings: &Settings) -> Result<Arc<Session>, OpenError> {
        let store = self.opened()?;
        let web = Arc::new(self.web(settings.reach(url)).map_err(Arc::new)?);
        let mut options = SessionOptions::new(url.clone(), store, web);
        options.settings = settings.clone();
        options.interaction.clone_from(&self.options.interaction);
        if let Some(account) = &self.options.account {
            options.account = account.clone();
        }
        let session = Arc::new(Session::new(options));
        // Of two that were made at the same time one is the owner of the login.
        Ok(Arc::clone(self.sessions().entry(server).or_insert(session)))
    }

    /// The store. That another program keeps it may pass, any other failure is the same next time.
    fn opened(&self) -> Result<Arc<dyn TokenStore>, OpenError> {
        let opened = match self.store.get() {
            Some(opened) => opened,
            None => match self.open_store().map_err(Arc::new) {
                Err(error) if error.is_transient() => return Err(error),
                opened => self.store.get_or_init(|| opened),
            },
        };
        opened.as_ref().map(|chosen| Arc::clone(&chosen.store)).map_err(Arc::clone)
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What logins ask with; it takes the way that requests take.
    fn web(&self, reach: Reach) -> Result<HttpsClient, mcp_oauth::Error> {
        let proxies = self.proxies.clone();
        HttpsClient::through(reach, move |url| proxies.lead_to(url).cloned())
    }

    fn open_store(&self) -> Result<ChosenStore, mcp_oauth::Error> {
        let Some(directory) = &self.directory else {
            return open_store("".as_ref(), StorePreference::Memory, &StoreKeys::default());
        };
        open_store(directory, self.options.store, &keys())
    }
}

/// The keyring of this system, where it may be asked.
#[cfg(feature = "keyring")]
pub(crate) fn keys() -> StoreKeys {
    use mcp_oauth::{Keyring, KeyringOpener};
    let keyring = KeyringOpener::new(|| Keyring::system("mcp-toolkit", Keyring::UNATTENDED));
    StoreKeys { keyring: Some(keyring) }
}

#[cfg(not(feature = "keyring"))]
pub(crate) fn keys() -> StoreKeys {
    StoreKeys::default()
}

fn remote(activated: &Activated) -> Option<Url> {
    match &activated.launch {
        Launch::Stdio { .. } => None,
        Launch::Http { url, .. } | Launch::Sse { url, .. } | Launch::HttpAuto { url, .. } => Url::parse(url).ok(),
    }
}

/// Signs one server's requests in, by a session that is opened when it is first needed.
struct Lazily {
    logins: Arc<Logins>,
    server: String,
    url: Url,
    settings: Result<Settings, OpenError>,
}

impl Lazily {
    async fn sign_in(&self) -> Result<SignIn, OpenError> {
        let settings = self.settings.as_ref().map_err(Arc::clone)?;
        Ok(SignIn::new(self.logins.open(&self.server, &self.url, settings).await?))
    }
}

impl Authorize for Lazily {
    fn prepare<'a>(&'a self, request: &'a mut RequestHead) -> BoxFuture<'a, Result<(), Cause>> {
        Box::pin(async move {
            if !self.logins.has_any() {
                return Ok(());
            }
            self.sign_in().await?.prepare(request).await
        })
    }

    fn inspect<'a>(
        &'a self,
        request: &'a RequestHead,
        response: &'a ResponseHead,
    ) -> BoxFuture<'a, Result<Verdict, Cause>> {
        Box::pin(async move {
            let refused = matches!(response.status.as_u16(), 401 | 403);
            if !refused && !self.logins.has_any() {
                return Ok(Verdict::Accept);
            }
            self.sign_in().await?.inspect(request, response).await
        })
    }
}
