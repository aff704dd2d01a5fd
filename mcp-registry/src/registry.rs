//! The tools of every connected server, and of the host itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::effect::Effect;
use crate::error::{Error, Problem};
use crate::event::{Change, Event};
use crate::name::{NameStyle, ToolName};
use crate::pin::Standing;
use crate::server_tools::ServerTools;
use crate::snapshot::{HeldTool, Offer, Origin, Registered, Snapshot, State};
use crate::tool::Tool;

/// The tools of every connected server, and of the host itself, under ids that never collide.
///
/// The registry has one owner, who changes it; everybody else works on [`Snapshot`]s, which never change. Each operation
/// touches one server only and returns what it changed, with the events to broadcast.
///
/// ```
/// use mcp_registry::{NameStyle, Registry, Resolution, ServerTools, Tool};
///
/// let raw = serde_json::value::to_raw_value(&serde_json::json!({"name": "echo", "inputSchema": {"type": "object"}}))?;
/// let (echo, _) = Tool::parse(raw)?;
///
/// let mut registry = Registry::new(NameStyle::default());
/// let change = registry.replace_server(ServerTools::new("demo", "sha256:1", vec![echo]));
/// assert_eq!(change.added, ["mcp__demo__echo"]);
///
/// let snapshot = registry.snapshot();
/// for reference in ["mcp__demo__echo", "demo.echo", "demo echo", "echo"] {
///     let Resolution::Exact(tool) = snapshot.resolve(reference) else { panic!("{reference}") };
///     assert_eq!((&*tool.server, tool.tool.name.as_str()), ("demo", "echo"));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Registry {
    state: Arc<State>,
}

impl Registry {
    /// Returns a registry without tools.
    pub fn new(style: NameStyle) -> Self {
        Self { state: Arc::new(State::new(style)) }
    }

    /// Returns the tools as they are now. This copies a pointer.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(Arc::clone(&self.state))
    }

    /// Registers a tool of the host itself, under its own name as the id.
    ///
    /// Where a reference could mean a built-in and a server's tool, it means the built-in.
    ///
    /// # Errors
    /// [`Error::BuiltInName`] for a name that providers refuse or that starts with `mcp_`, [`Error::BuiltInTwice`] for one
    /// that is taken.
    pub fn register_built_in(&mut self, tool: Tool, effect: Effect) -> Result<Change, Error> {
        let id = ToolName::built_in(&tool.name)?;
        if self.state.built_ins.contains_key(&id) {
            return Err(Error::BuiltInTwice { name: tool.name });
        }
        let registered = Registered {
            id: id.clone(),
            server: "".into(),
            definition: "".into(),
            tool: Arc::new(tool),
            effect,
            standing: Standing::Approved,
            origin: Origin::Host,
        };
        let mut state = self.state.successor();
        state.built_ins.insert(id.clone(), Arc::new(registered));
        Ok(self.advance(state, "", Delta { added: vec![id], prefix_changed: true, ..Delta::default() }))
    }

    /// Puts these tools in the place of all the server had, at once.
    ///
    /// Call it after every connect and every list change. Nothing changes, not even the revision, when the tools are those
    /// that are registered already. Under another definition the server counts as stopped and started.
    pub fn replace_server(&mut self, server_tools: ServerTools) -> Change {
        let name = server_tools.server.clone();
        let (offer, problems) = build_offer(self.state.style, server_tools);
        let previous = self.state.servers.get(name.as_str());
        let restarted = previous.is_none_or(|previous| previous.definition != offer.definition);
        let stopped = restarted && previous.is_some();
        let delta = Delta::between(previous.map_or(&[], |offer| &offer.tools), &offer.tools);
        let unapproved = unapproved(previous.map(AsRef::as_ref), &offer, &name);
        if !restarted && delta.is_empty() && unapproved.is_none() {
            return Change { revision: self.state.revision, problems, ..Change::default() };
        }
        let tool_count = offer.tools.len();
        let mut state = self.state.successor();
        state.servers.insert(name.as_str().into(), Arc::new(offer));
        let mut change = self.advance(state, &name, delta);
        change.problems = problems;
        change.events.extend(unapproved);
        if restarted {
            change.events.insert(0, Event::ServerStarted { server: name.clone(), tool_count });
        }
        if stopped {
            let reason = Some("its definition changed".to_owned());
            change.events.insert(0, Event::ServerStopped { server: name, reason });
        }
        change
    }

    /// Takes away the tools of a server that was stopped. A server that is not registered changes nothing.
    pub fn remove_server(&mut self, name: &str) -> Change {
        self.take_away(name, |server| Event::ServerStopped { server, reason: None })
    }

    /// Takes away the tools of a server that was lost or never came up, and reports the error in any case.
    pub fn fail_server(&mut self, name: &str, error: &str) -> Change {
        let event = Event::ServerError { server: name.to_owned(), error: error.to_owned() };
        if self.state.servers.contains_key(name) {
            return self.take_away(name, |_| event);
        }
        Change { revision: self.state.revision, events: vec![event], ..Change::default() }
    }

    fn take_away(&mut self, name: &str, event: impl FnOnce(String) -> Event) -> Change {
        let mut state = self.state.successor();
        let Some(offer) = state.servers.remove(name) else {
            return Change { revision: self.state.revision, ..Change::default() };
        };
        let delta = Delta::between(&offer.tools, &[]);
        let mut change = self.advance(state, name, delta);
        change.events.push(event(name.to_owned()));
        change
    }

    fn advance(&mut self, state: State, server: &str, delta: Delta) -> Change {
        let revision = state.revision;
        self.state = Arc::new(state);
        let Delta { added, removed, changed, prefix_changed } = delta;
        let mut change = Change { revision, added, removed, changed, prefix_changed, ..Change::default() };
        if !change.is_empty() {
            change.events.push(Event::ToolsChanged {
                server: server.to_owned(),
                added: change.added.clone(),
                removed: change.removed.clone(),
                changed: change.changed.clone(),
                prefix_changed,
            });
        }
        change
    }
}

/// Names each tool, decides its effect and leaves out what cannot be offered.
fn build_offer(style: NameStyle, mut server_tools: ServerTools) -> (Offer, Vec<Problem>) {
    let server: Arc<str> = server_tools.server.as_str().into();
    let definition: Arc<str> = server_tools.definition.as_str().into();
    let mut problems = Vec::new();
    let mut tools: BTreeMap<String, Arc<Registered>> = BTreeMap::new();
    let mut held: BTreeMap<String, HeldTool> = BTreeMap::new();
    for tool in std::mem::take(&mut server_tools.tools) {
        if !server_tools.filter.admits(&tool.name) {
            continue;
        }
        if tools.contains_key(&tool.name) || held.contains_key(&tool.name) {
            let place = format!("{server}.{}", tool.name);
            problems.push(Problem::new(place, "listed twice: expected one tool of a name, took the first"));
            continue;
        }
        let (id, name) = (ToolName::new(style, &server, &tool.name), tool.name.clone());
        let (standing, Some(tool)) = server_tools.admitted(tool) else {
            held.insert(name.clone(), HeldTool { id, server: Arc::clone(&server), name });
            continue;
        };
        let registered = Registered {
            id,
            server: Arc::clone(&server),
            definition: Arc::clone(&definition),
            effect: server_tools.effect_of(&tool),
            standing,
            origin: Origin::Server,
            tool: Arc::new(tool),
        };
        tools.insert(name, Arc::new(registered));
    }
    let instructions_held = server_tools.instructions_held;
    (
        Offer {
            definition,
            tools: tools.into_values().collect(),
            held: held.into_values().collect(),
            instructions_held,
        },
        problems,
    )
}

/// Returns what of a server waits for approval, if that is not what was said before.
fn unapproved(previous: Option<&Offer>, offer: &Offer, server: &str) -> Option<Event> {
    let waiting = |offer: &Offer| {
        let reworded = offer.tools.iter().filter(|tool| tool.standing == Standing::Reworded);
        let asking = offer.tools.iter().filter(|tool| tool.standing == Standing::AskAgain);
        Event::Unapproved {
            server: server.to_owned(),
            held: offer.held.iter().map(|tool| tool.id.clone()).collect(),
            reworded: reworded.map(|tool| tool.id.clone()).collect(),
            asking: asking.map(|tool| tool.id.clone()).collect(),
            instructions: offer.instructions_held,
        }
    };
    let event = waiting(offer);
    (event != waiting(previous.unwrap_or(&Offer::default()))).then_some(event)
}

/// How the tools of one server differ from those it had.
#[derive(Default)]
struct Delta {
    added: Vec<ToolName>,
    removed: Vec<ToolName>,
    changed: Vec<ToolName>,
    prefix_changed: bool,
}

impl Delta {
    fn between(before: &[Arc<Registered>], after: &[Arc<Registered>]) -> Self {
        let find = |tools: &[Arc<Registered>], wanted: &Registered| {
            let position = tools.binary_search_by(|tool| tool.tool.name.cmp(&wanted.tool.name)).ok()?;
            tools.get(position).map(Arc::clone)
        };
        let mut delta = Self::default();
        for tool in after {
            match find(before, tool) {
                None => delta.added.push(tool.id.clone()),
                Some(old) if old == *tool => {}
                Some(old) => {
                    delta.prefix_changed |= !old.tool.reads_alike(&tool.tool);
                    delta.changed.push(tool.id.clone());
                }
            }
        }
        delta.removed = before.iter().filter(|tool| find(after, tool).is_none()).map(|tool| tool.id.clone()).collect();
        delta.prefix_changed |= !delta.added.is_empty() || !delta.removed.is_empty();
        delta.added.sort();
        delta.removed.sort();
        delta.changed.sort();
        delta
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}
