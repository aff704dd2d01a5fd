//! One configured server and its connection.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_config::{Activated, Environment, NotTrusted, Problem, Resolved, ServerConfig, Trusted};
use mcp_registry::{Drift, Event, ServerTools, Standing};
use mcp_transport::{Attempts, Changes, ClientInfo, ConnectOptions, Connection, Timeouts};
use tokio::task::spawn_blocking;

use crate::client::Shared;
use crate::endpoint::endpoint;
use crate::error::Error;
use crate::left_out;
use crate::logins::Reread;
use crate::offered::Offered;
use crate::permissions;
use crate::pins::{Checked, Subject};
use crate::remedy::Remedy;
use crate::secrets::{Secrets, Wanted};
use crate::status::{Cause, CauseKind, Drifted, RejectedTool, ServerState, ServerStatus};
use crate::watching::Watch;

/// A configured server, and what became of it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) resolved: Resolved,
    state: Mutex<State>,
    /// Two callers who want the same server share one process, or the failure to start it.
    pub(crate) starting: Attempts<Error>,
    /// What was last said to be left out of it.
    told: Mutex<Vec<String>>,
    /// Hears what changes, while connected.
    watch: Mutex<Option<Watch>>,
}

#[derive(Debug, Clone)]
enum State {
    Idle,
    Connected(Link),
    /// With what would mend it, where the definition itself says so.
    Failed(Cause, Option<Remedy>),
}

/// A live connection and what the server listed on it.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) connection: Connection,
    /// How the server differs from what was approved.
    pub(crate) drift: Drift,
    /// Why that is not known, or not kept.
    pin_trouble: Option<String>,
    tools: usize,
    rejected: Vec<RejectedTool>,
    left_out: Vec<String>,
    filter: mcp_config::ToolFilter,
    /// What the configuration says about withholding the tools' schemas.
    pub(crate) always_load: Option<bool>,
}

/// A server that has just been connected to.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) link: Link,
    pub(crate) tools: ServerTools,
    /// What it says of changes, from before its tools were listed.
    pub(crate) changes: Changes,
}

impl Server {
    pub(crate) fn new(resolved: Resolved) -> Self {
        Self {
            resolved,
            state: Mutex::new(State::Idle),
            starting: Attempts::default(),
            told: Mutex::default(),
            watch: Mutex::new(None),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.resolved.name()
    }

    /// Whether it may be connected to: switched on, and trusted.
    pub(crate) fn is_startable(&self) -> bool {
        self.resolved.enabled() && self.resolved.trust().is_trusted()
    }

    /// Whether somebody is connecting to it at this moment.
    pub(crate) fn is_connecting(&self) -> bool {
        self.starting.is_under_way() && self.link().is_none()
    }

    /// The connection, while it lives.
    pub(crate) fn link(&self) -> Option<Link> {
        match &*self.state() {
            State::Connected(link) if !link.connection.is_closed() => Some(link.clone()),
            _ => None,
        }
    }

    /// The connection, or that there is none.
    pub(crate) fn living_link(&self) -> Result<Link, Error> {
        self.link().ok_or_else(|| Error::NotConnected { server: self.name().to_owned() })
    }

    pub(crate) fn connected(&self, link: Link) {
        *self.state() = State::Connected(link);
    }

    pub(crate) fn watched_by(&self, watch: Option<Watch>) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = watch;
    }

    pub(crate) fn failed(&self, error: &Error) {
        let is_lacking = matches!(error, Error::Definition { .. });
        let fix = is_lacking.then(|| error.remedies().into_iter().next()).flatten();
        *self.state() = State::Failed(Cause::of(error), fix);
    }

    /// Takes the connection away, for the caller to shut down.
    pub(crate) fn take_connection(&self) -> Option<Connection> {
        self.watched_by(None);
        match std::mem::replace(&mut *self.state(), State::Idle) {
            State::Connected(link) => Some(link.connection),
            State::Idle | State::Failed(..) => None,
        }
    }

    /// Connects, lists the tools, and compares them with what was approved.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends what it started, the child process included.
    pub(crate) async fn open(&self, shared: &Shared) -> Result<Opened, Error> {
        let environment = &shared.configuration.environment;
        let name = self.name();
        let activated = self.defined(self.with_secrets(shared, Secrets::activate).await?)?;
        let options = self.connect_options(&activated, shared);
        let authorize = shared.logins.authorize(name, &activated, &self.reread(shared));
        let connection = mcp_transport::connect(endpoint(&activated, environment, authorize), options)
            .await
            .map_err(|source| Error::Connect { server: name.to_owned(), source })?;
        // Heard from before the list is asked for: what changes while it is on its way is not missed.
        let changes = connection.changes();
        let offered = match Offered::list(&connection, &activated.tools).await {
            Ok(offered) => offered,
            Err(source) => {
                connection.shutdown().await;
                return Err(Error::Connect { server: name.to_owned(), source });
            }
        };
        let Checked { drift, trouble } = shared.pins.check(&self.subject(&offered, &connection));
        let tools = self.registrable(&offered, &drift, shared);
        left_out::keep(&shared.configuration, &self.resolved, &offered.left_out);
        let link = Link {
            connection,
            pin_trouble: trouble.map(|cause| crate::error::chain(&*cause)),
            tools: offered_count(&offered, &drift),
            drift,
            rejected: offered.rejected,
            left_out: offered.left_out,
            filter: activated.tools,
            always_load: activated.hints.always_load,
        };
        Ok(Opened { link, tools, changes })
    }

    fn connect_options(&self, activated: &Activated, shared: &Shared) -> ConnectOptions {
        let mut options = ConnectOptions::default()
            .with_label(self.name())
            .with_client(ClientInfo::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
            .with_timeouts(timeouts(activated))
            .with_secrets(activated.secrets.iter().map(|secret| secret.expose().to_owned()));
        if let Some(eras) = &shared.eras {
            options = options.with_eras(Arc::clone(eras));
        }
        match &shared.handler {
            Some(handler) => options.with_handler(handler.clone()),
            None => options,
        }
    }

    /// The definition, trusted and with its variables expanded. It blocks for as long as a keyring takes.
    pub(crate) fn activated(&self, shared: &Shared) -> Result<Activated, Error> {
        let trusted = self.resolved.trusted()?;
        let environment = &shared.configuration.environment;
        self.defined(shared.secrets.activate(&self.resolved, &trusted, environment))
    }

    /// What reads the definition's secrets again, for as long as it stays approved.
    pub(crate) fn reread(&self, shared: &Shared) -> Reread {
        let (server, secrets) = (self.resolved.clone(), Arc::clone(&shared.secrets));
        let environment = shared.configuration.environment.clone();
        Arc::new(move || Some(secrets.activate(&server, &server.trusted().ok()?, &environment).ok()?.login_secrets))
    }

    /// What a person could give before the server is started.
    pub(crate) async fn unanswered(&self, shared: &Shared) -> Result<Vec<Wanted>, Error> {
        self.defined(self.with_secrets(shared, Secrets::unanswered).await?)
    }

    /// Does with the definition, if it may be started, what a keyring may block.
    async fn with_secrets<T: Send + 'static>(
        &self,
        shared: &Shared,
        work: impl FnOnce(&Secrets, &Resolved, &Trusted<ServerConfig>, &Environment) -> T + Send + 'static,
    ) -> Result<T, Error> {
        if !self.resolved.enabled() {
            let place = self.resolved.origin().to_string();
            return Err(Error::Disabled { server: self.name().to_owned(), place });
        }
        let trusted = self.resolved.trusted()?;
        let (server, environment) = (self.resolved.clone(), shared.configuration.environment.clone());
        let secrets = Arc::clone(&shared.secrets);
        let done = spawn_blocking(move || work(&secrets, &server, &trusted, &environment)).await;
        let interrupted = mcp_oauth::Error::Interrupted { what: "reading what is stored" };
        done.map_err(|_ended| Error::Secrets { source: Arc::new(interrupted) })
    }

    fn defined<T>(&self, outcome: Result<T, Problem>) -> Result<T, Error> {
        outcome.map_err(|problem| Error::Definition { server: self.name().to_owned(), source: Box::new(problem) })
    }

    /// Lists the tools again over a connection, and compares them with what was approved.
    pub(crate) async fn relist(&self, link: &Link, shared: &Shared) -> Result<ServerTools, Error> {
        let offered = self.listed(link).await?;
        Ok(self.settle(link, &offered, shared))
    }

    pub(crate) async fn listed(&self, link: &Link) -> Result<Offered, Error> {
        let offered = Offered::list(&link.connection, &link.filter).await;
        offered.map_err(|source| Error::Connect { server: self.name().to_owned(), source })
    }

    /// What is compared with what was approved, or approved.
    pub(crate) fn subject<'a>(&'a self, offered: &'a Offered, connection: &'a Connection) -> Subject<'a> {
        Subject {
            server: self.name(),
            key: self.resolved.state_key(),
            definition: self.resolved.definition_hash(),
            surface: offered.surface(connection),
        }
    }

    /// Compares what was listed anew with what was approved, keeps it beside the connection, and returns it for the registry.
    pub(crate) fn settle(&self, link: &Link, offered: &Offered, shared: &Shared) -> ServerTools {
        let Checked { drift, trouble } = shared.pins.check(&self.subject(offered, &link.connection));
        let tools = self.registrable(offered, &drift, shared);
        left_out::keep(&shared.configuration, &self.resolved, &offered.left_out);
        self.connected(Link {
            pin_trouble: trouble.map(|cause| crate::error::chain(&*cause)),
            tools: offered_count(offered, &drift),
            drift,
            rejected: offered.rejected.clone(),
            left_out: offered.left_out.clone(),
            ..link.clone()
        });
        self.tell_left_out(shared);
        tools
    }

    /// Tells whoever listens what is left out of the connected server, if that is something else than before.
    pub(crate) fn tell_left_out(&self, shared: &Shared) {
        let Some(link) = self.link() else { return };
        let rejected = link.rejected.iter().map(left_out::rejected);
        let now: Vec<String> = link.left_out.iter().cloned().chain(rejected).collect();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told != now {
            told.clone_from(&now);
            // An error here only says that nobody listens.
            shared.events.send(Event::LeftOut { server: self.name().to_owned(), told: now }).ok();
        }
    }

    fn registrable(&self, offered: &Offered, drift: &Drift, shared: &Shared) -> ServerTools {
        // Whoever may start a server is trusted with its annotations: both are the same decision of the same person.
        let tools = ServerTools::new(self.name(), self.resolved.definition_hash(), offered.tools.clone())
            .trusting_annotations()
            .with_drift(drift);
        let effects = permissions::effects(&shared.configuration, self.name()).into_iter();
        effects.fold(tools, |tools, (tool, effect)| tools.with_effect(tool, effect))
    }

    /// How the server is, a connected one being asked to answer.
    pub(crate) async fn status(&self) -> ServerStatus {
        let mut status = self.glance();
        if let Some(link) = self.link() {
            match link.connection.health().await {
                Ok(round_trip) => status.round_trip = Some(round_trip),
                Err(source) => {
                    self.blame(&mut status, Cause::of(&Error::Connect { server: self.name().to_owned(), source }));
                }
            }
        }
        status
    }

    /// How the server is as far as is known without asking it.
    pub(crate) fn glance(&self) -> ServerStatus {
        let origin = self.resolved.origin();
        let mut status = ServerStatus::idle(self.name(), &origin.path, origin.line);
        match self.state().clone() {
            State::Connected(link) if link.connection.is_closed() => {
                self.blame(&mut status, Cause::closed(&link.connection));
            }
            State::Connected(link) => {
                status.state = ServerState::Connected;
                status.transport = Some(link.connection.transport());
                status.protocol_version = Some(link.connection.protocol_version().to_owned());
                status.tools = Some(link.tools);
                status.rejected = link.rejected;
                status.left_out = link.left_out;
                status.noise = link.connection.unread().map(|first| (link.connection.noise(), first).into());
                status.pin_trouble = link.pin_trouble;
                status.drift = link.drift.entries.iter().map(Drifted::from).collect();
                if !link.drift.is_empty() {
                    status.fix = Some(Remedy::Approve { server: self.name().into(), tool: None });
                }
                status.process_id = link.connection.process_id();
            }
            State::Failed(cause, fix) => {
                self.blame(&mut status, cause);
                status.fix = fix.or(status.fix);
            }
            State::Idle => self.explain_idle(&mut status),
        }
        status
    }

    fn blame(&self, status: &mut ServerStatus, cause: Cause) {
        status.state = match cause.kind {
            CauseKind::LoginNeeded => ServerState::NeedsLogin,
            _ => ServerState::Failed,
        };
        status.fix = Some(self.fix(&cause));
        status.cause = Some(cause);
    }

    fn explain_idle(&self, status: &mut ServerStatus) {
        match self.resolved.trusted() {
            Err(refusal) => {
                status.state = match refusal {
                    NotTrusted::NeedsApproval { .. } | NotTrusted::Changed { .. } => ServerState::NeedsApproval,
                    _ => ServerState::Refused,
                };
                status.fix = refusal.remedy().map(Remedy::from);
                status.cause = Some(Cause::of(&Error::NotTrusted(refusal)));
            }
            Ok(_) if !self.resolved.enabled() => {
                status.state = ServerState::Disabled;
                status.fix = Some(Remedy::Enable { server: self.name().into() });
            }
            Ok(_) => {}
        }
    }

    fn fix(&self, cause: &Cause) -> Remedy {
        let place = self.resolved.origin();
        let advice = match cause.kind {
            CauseKind::LoginNeeded => return Remedy::Login { server: self.name().into() },
            CauseKind::Timeout => format!("give it more time, or check its command at {place}"),
            CauseKind::Misconfigured => format!("correct its entry at {place}"),
            CauseKind::Denied => return Remedy::Trust { server: self.name().into() },
            CauseKind::Unreachable if cause.exit_status.is_some() || cause.signal.is_some() => {
                format!("mend what its last lines say, or correct its entry at {place}")
            }
            CauseKind::Unreachable => format!("correct its command or URL at {place}"),
        };
        Remedy::advice(advice)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<mcp_transport::Rejected> for RejectedTool {
    fn from(rejected: mcp_transport::Rejected) -> Self {
        Self { tool: rejected.name, reason: rejected.reason }
    }
}

/// How many tools are on offer: all but those that are held back.
fn offered_count(offered: &Offered, drift: &Drift) -> usize {
    offered.tools.len().saturating_sub(drift.tools_that_are(Standing::Held).count())
}

fn timeouts(activated: &Activated) -> Timeouts {
    let mut timeouts = Timeouts::default();
    if let Some(startup) = activated.timeouts.startup {
        timeouts = timeouts.with_connect(startup).with_list(startup);
    }
    if let Some(call) = activated.timeouts.call {
        timeouts = timeouts.with_call(call);
    }
    timeouts
}
