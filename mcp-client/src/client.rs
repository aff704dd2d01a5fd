//! The client: every configured server, and what can be asked of them together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use mcp_config::{Environment, Preset, Problem, Resolved};
use mcp_oauth::StorePreference;
use mcp_registry::{
    Drift, Event, MemoryPins, Mode, NameStyle, OutputLimits, OutputStore, Registered, Rules, Snapshot, ToolName,
};
use mcp_schema::{Conversion, Parameter, Profile};
use mcp_transport::{EraMemory, Handler};
use serde_json::Value;
use tokio::sync::broadcast;

use crate::audit::Audit;
use crate::builder::{ClientBuilder, name_style};
use crate::call::Approve;
use crate::configuration::Configuration;
use crate::embed::{DenseLeg, NOT_CONFIGURED};
use crate::error::Error;
use crate::logins::{LoginOptions, Logins};
use crate::pins::{Pins, Policies};
use crate::provider::Offer;
use crate::proxies::Proxies;
use crate::secrets::{Secrets, Wanted};
use crate::server::{Opened, Server};
use crate::status::ServerStatus;
use crate::tools::Tools;
use crate::watching::watch;

/// Events that a slow listener may fall behind before it misses some.
const EVENT_BACKLOG: usize = 256;

/// Every configured server behind one handle; cheap to clone.
///
/// A server is connected by [`start`](Self::start) or [`start_server`](Self::start_server), and lives until
/// [`stop`](Self::stop) or until the last clone is dropped; its processes end with it.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) configuration: Configuration,
    pub(crate) preset: Preset,
    pub(crate) mode: Mode,
    pub(crate) rules: Mutex<Rules>,
    pub(crate) rule_problems: Vec<mcp_registry::Problem>,
    /// Whether the configuration is all that the user has, and not some files of it.
    pub(crate) is_whole: bool,
    pub(crate) approver: Option<Arc<dyn Approve>>,
    pub(crate) handler: Option<Arc<dyn Handler>>,
    /// Sorted by name.
    pub(crate) servers: Vec<Server>,
    pub(crate) pins: Pins,
    pub(crate) outputs: Mutex<OutputStore>,
    pub(crate) logins: Arc<Logins>,
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) audit: Option<Audit>,
    pub(crate) eras: Option<Arc<dyn EraMemory>>,
    /// How many conversations were begun.
    pub(crate) conversations: AtomicU64,
    /// The leg that searches by meaning, or why there is none.
    pub(crate) dense: Result<DenseLeg, String>,
    /// The folder with the vectors that models gave.
    pub(crate) vectors: Option<PathBuf>,
    pub(crate) tools: Mutex<Tools>,
    pub(crate) events: broadcast::Sender<Event>,
}

impl Shared {
    pub(crate) fn new(configuration: Configuration, style: NameStyle) -> Self {
        let mut servers: Vec<Server> = configuration.merged.servers.iter().cloned().map(Server::new).collect();
        servers.sort_by(|a, b| a.name().cmp(b.name()));
        Self {
            configuration,
            preset: Preset::default(),
            mode: Mode::default(),
            rules: Mutex::default(),
            rule_problems: Vec::new(),
            is_whole: true,
            approver: None,
            handler: None,
            servers,
            pins: Pins::new(Box::new(MemoryPins::default()), Policies::default()),
            logins: Arc::new(Logins::new(None, LoginOptions::default(), Proxies::default())),
            secrets: Arc::new(Secrets::new(None, StorePreference::Memory)),
            outputs: Mutex::new(OutputStore::new(OutputLimits::default())),
            audit: None,
            eras: None,
            conversations: AtomicU64::new(0),
            dense: Err(NOT_CONFIGURED.to_owned()),
            vectors: None,
            tools: Mutex::new(Tools::new(style)),
            events: broadcast::Sender::new(EVENT_BACKLOG),
        }
    }
}

/// A tool converted for a provider, and what the conversion could not keep.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Converted {
    /// What is offered to the model.
    pub offer: Offer,
    /// What changed on the way.
    pub report: mcp_schema::Report,
}

impl Client {
    /// Starts to choose what the client works with.
    pub fn builder(environment: Environment) -> ClientBuilder {
        ClientBuilder::new(environment)
    }

    /// The configured servers, by name, started or not.
    pub fn servers(&self) -> impl ExactSizeIterator<Item = &Resolved> {
        self.shared.servers.iter().map(|server| &server.resolved)
    }

    /// The configured server that an id names by its beginning, connected or not; whether it has such a tool is another question.
    pub fn server_of_id(&self, id: &str) -> Option<&str> {
        let style = name_style(self.shared.preset);
        let beginning = |server: &&Server| ToolName::beginning(style, server.name());
        let named = self.shared.servers.iter().filter(|server| id.starts_with(&beginning(server)));
        named.max_by_key(|server| beginning(server).len()).map(Server::name)
    }

    /// What the client was built from.
    pub fn configuration(&self) -> &Configuration {
        &self.shared.configuration
    }

    /// What is wrong with the configuration, file by file.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.shared.configuration.problems()
    }

    /// What is wrong with the permission rules of the settings files; such a rule denies or asks for more than was written.
    pub fn rule_problems(&self) -> &[mcp_registry::Problem] {
        &self.shared.rule_problems
    }

    /// Why calls are missing in the audit log, or the next one would be; `None` when all is well, or there is no log.
    ///
    /// Calls are made all the same: a log that cannot be written must not stop every tool.
    pub fn audit_problem(&self) -> Option<String> {
        self.shared.audit.as_ref()?.problem()
    }

    /// The permission rules, with what was granted in this session.
    pub fn rules(&self) -> MutexGuard<'_, Rules> {
        self.shared.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The owner of a remote server's login, to log in, to log out and to tell how it stands.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`], [`Error::NotTrusted`], [`Error::Definition`], [`Error::NoLogin`] for a child process, or
    /// [`Error::Login`] when the store of logins cannot be opened.
    ///
    /// # Cancel safety
    ///
    /// Nothing is changed. Another program that opens the same store is waited for, 30 s at most.
    pub async fn login_session(&self, server: &str) -> Result<Arc<mcp_oauth::Session>, Error> {
        let server = self.server(server)?;
        let activated = server.activated(&self.shared)?;
        let name = || server.name().to_owned();
        let session = self.shared.logins.session(server.name(), &activated, &server.reread(&self.shared)).await;
        session
            .map_err(|source| Error::Login { server: name(), source })?
            .ok_or_else(|| Error::NoLogin { server: name() })
    }

    /// Why logins are less protected than they could be, once their store has been opened and if it is so.
    pub fn login_store_notice(&self) -> Option<String> {
        self.shared.logins.notice()
    }

    /// The secrets that definitions name and the answers to their prompts, as this user keeps them.
    pub fn secrets(&self) -> &Secrets {
        &self.shared.secrets
    }

    /// What a start of this server would look for among the [`secrets`](Self::secrets) and not find, in the order of the
    /// definition. Whoever has a person at hand asks for it, keeps the answers, and looks again: a definition says what else
    /// it wants once it has what it wants first.
    ///
    /// A prompt with a default is among them, since the default is what to suggest to a person; without an answer the server
    /// starts with the default.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`], [`Error::NotTrusted`] or [`Error::Disabled`]; or [`Error::Definition`] when an answer would
    /// not help.
    ///
    /// # Cancel safety
    ///
    /// Nothing is changed.
    pub async fn unanswered(&self, server: &str) -> Result<Vec<Wanted>, Error> {
        self.server(server)?.unanswered(&self.shared).await
    }

    /// How a connected server's tools, prompts and instructions differ from what was approved; `None` for one that is not
    /// connected.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`].
    pub fn drift(&self, server: &str) -> Result<Option<Drift>, Error> {
        Ok(self.server(server)?.link().map(|link| link.drift))
    }

    /// Hears what happens to servers and tools from now on. A listener that falls behind is told how much it missed.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.shared.events.subscribe()
    }

    /// Connects every server that may be started, all at once, and returns when each has answered or failed.
    ///
    /// One that fails harms no other; [`status`](Self::status) says why it did. No server takes longer than its own
    /// time limit for starting (30 s unless configured).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the connections that are being made; those already made stay.
    pub async fn start(&self) {
        self.start_until(|_| false).await;
    }

    /// Connects as [`start`](Self::start) does, but returns as soon as the tools known so far are `enough`.
    ///
    /// # Cancel safety
    ///
    /// As for [`start`](Self::start); returning early ends what was still connecting.
    pub async fn start_until(&self, enough: impl Fn(&Snapshot) -> bool) {
        let startable = self.shared.servers.iter().filter(|server| server.is_startable());
        let mut starting: FuturesUnordered<_> = startable.map(|server| self.start_one(server)).collect();
        while starting.next().await.is_some() {
            if enough(&self.tools()) {
                break;
            }
        }
    }

    /// Connects one server, unless it is connected already. Callers that ask at the same time share one attempt, and its failure.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`], [`Error::NotTrusted`], [`Error::Disabled`], [`Error::Definition`] or [`Error::Connect`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the connection that is being made; somebody else who waits for it makes another.
    pub async fn start_server(&self, name: &str) -> Result<(), Error> {
        self.start_one(self.server(name)?).await
    }

    /// Connects a server, or waits for whoever does: a server that is silent costs all who want it one time limit.
    async fn start_one(&self, server: &Server) -> Result<(), Error> {
        let there = || server.link().map(drop);
        server.starting.share(there, Error::shared, Box::pin(self.connect(server))).await
    }

    async fn connect(&self, server: &Server) -> Result<(), Error> {
        match server.open(&self.shared).await {
            Ok(Opened { link, tools, changes }) => {
                server.connected(link);
                self.announce(|known| known.replace_server(tools));
                let heard_by = Arc::downgrade(&self.shared);
                server.watched_by(Some(watch(heard_by, server.name().to_owned(), changes)));
                server.tell_left_out(&self.shared);
                Ok(())
            }
            Err(error) => {
                server.failed(&error);
                self.announce(|known| known.fail_server(server.name(), &crate::error::chain(&error)));
                Err(error)
            }
        }
    }

    /// Lists a connected server's tools anew, as it is done by itself when the server says that they changed.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`], [`Error::NotConnected`], [`Error::Connect`] or [`Error::Pins`]; then the tools stay as they
    /// were.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing, or all.
    pub async fn refresh(&self, server: &str) -> Result<(), Error> {
        let server = self.server(server)?;
        let link = server.living_link()?;
        let tools = server.relist(&link, &self.shared).await?;
        self.announce(|known| known.replace_server(tools));
        Ok(())
    }

    /// Lets the renewals of logins that are under way come to their end, 45 s at most, whether or not the client is still there
    /// then: a program that ends in between loses the login, as its refresh token has been used. [`stop`](Self::stop) does so too.
    pub fn settled(&self) -> impl Future<Output = ()> + Send + 'static {
        let logins = Arc::clone(&self.shared.logins);
        async move { logins.settle().await }
    }

    /// Disconnects every server and ends its processes; each has a few seconds to go by itself. Logins that are being renewed
    /// are kept.
    pub async fn stop(&self) {
        let connections = self.shared.servers.iter().filter_map(|server| {
            self.announce(|known| known.remove_server(server.name()));
            server.take_connection()
        });
        let closing: FuturesUnordered<_> =
            connections.map(|connection| async move { connection.shutdown().await }).collect();
        closing.collect::<()>().await;
        self.settled().await;
    }

    /// How every configured server is, by name; connected ones are asked to answer, all at once.
    pub async fn status(&self) -> Vec<ServerStatus> {
        futures_util::future::join_all(self.shared.servers.iter().map(Server::status)).await
    }

    /// How every configured server is, by name, as far as is known without asking it.
    pub fn glance(&self) -> Vec<ServerStatus> {
        self.shared.servers.iter().map(Server::glance).collect()
    }

    /// How one server is.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownServer`].
    pub async fn server_status(&self, name: &str) -> Result<ServerStatus, Error> {
        Ok(self.server(name)?.status().await)
    }

    /// The servers that are being connected at this moment, by name: their tools may yet come.
    pub fn connecting(&self) -> Vec<String> {
        let connecting = self.shared.servers.iter().filter(|server| server.is_connecting());
        connecting.map(|server| server.name().to_owned()).collect()
    }

    /// What the connected servers say about themselves, by name: their own text, as it was approved.
    pub fn instructions(&self) -> BTreeMap<String, String> {
        let instructions = |server: &Server| {
            let link = server.link()?;
            let spoken = link.drift.instructions.spoken(link.connection.instructions())?;
            Some((server.name().to_owned(), spoken.to_owned()))
        };
        self.shared.servers.iter().filter_map(instructions).collect()
    }

    /// The tools of the connected servers, by id, as they are now.
    pub fn tools(&self) -> Snapshot {
        self.known().snapshot()
    }

    /// A tool's parameters, references resolved; none for an unknown id or an unusable schema.
    pub fn parameters(&self, id: &str) -> Vec<Parameter> {
        self.known().schema(id).map(|schema| schema.parameters()).unwrap_or_default()
    }

    /// Whether a tool's schema takes this value for one of its parameters.
    ///
    /// `None` when there is no telling: the tool or its schema is unknown or unusable.
    pub fn accepts(&self, id: &str, parameter: &str, value: &Value) -> Option<bool> {
        let schema = self.known().schema(id)?;
        let object = Value::Object([(parameter.to_owned(), value.clone())].into_iter().collect());
        let place = pointer(parameter);
        Some(match schema.validator()?.validate(&object) {
            Ok(()) => true,
            Err(violations) => !violations.iter().any(|violation| violation.path.starts_with(&place)),
        })
    }

    /// Finds tools by what they do, or by name.
    pub fn search(&self, query: &str, limit: usize) -> mcp_search::Answer {
        self.known().index().search(query, limit, &|_| true)
    }

    /// Converts the tools' schemas for a provider, tools by id. A tool whose schema cannot be read is offered without
    /// constraints, and its report says so.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProfile`].
    pub fn convert(&self, profile: &str) -> Result<Vec<Converted>, Error> {
        let profile = self::profile(profile)?;
        let snapshot = self.tools();
        Ok(snapshot.tools().filter_map(|registered| self.convert_one(registered, &profile)).collect())
    }

    pub(crate) fn convert_one(&self, registered: &Registered, profile: &Profile) -> Option<Converted> {
        let schema = self.known().schema(registered.id.as_str())?;
        let Conversion { schema, report, .. } = schema.convert(profile);
        let offer = Offer {
            id: registered.id.as_str().to_owned(),
            description: registered.tool.description.clone().unwrap_or_default(),
            schema,
        };
        Some(Converted { offer, report })
    }

    pub(crate) fn server(&self, name: &str) -> Result<&Server, Error> {
        let servers = &self.shared.servers;
        match servers.binary_search_by(|server| server.name().cmp(name)) {
            Ok(position) => Ok(&servers[position]),
            Err(_) => Err(Error::UnknownServer {
                server: name.to_owned(),
                known: servers.iter().map(|server| server.name().to_owned()).collect(),
            }),
        }
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, Tools> {
        self.shared.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn announce(&self, change: impl FnOnce(&mut Tools) -> Vec<Event>) {
        let events = change(&mut self.known());
        for event in events {
            // An error here only says that nobody listens.
            self.shared.events.send(event).ok();
        }
    }
}

/// The JSON pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) of a member of the root.
pub(crate) fn pointer(member: &str) -> String {
    format!("/{}", member.replace('~', "~0").replace('/', "~1"))
}

/// The built-in schema profile with this id.
pub(crate) fn profile(id: &str) -> Result<Profile, Error> {
    Profile::builtin(id).ok_or_else(|| Error::UnknownProfile {
        profile: id.to_owned(),
        known: Profile::builtin_ids().iter().map(|id| (*id).to_owned()).collect(),
    })
}
