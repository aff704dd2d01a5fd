//! A model's tools over a conversation: withheld until they are needed, and then there to stay.
//!
//! A host that can change the tools of every request makes a [`Conversation`] and goes by three of its methods:
//! [`tools`](Conversation::tools) gives the next request's array, [`answer`](Conversation::answer) what a call of the model
//! comes to, and [`decision`](Conversation::decision) says whether schemas are withheld at all.

mod answering;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use mcp_registry::Registered;
use mcp_schema::Profile;
use mcp_search::{Catalog, CatalogOptions, DeferralDecision, ToolResolver};
use serde_json::{Value, json};

pub use self::answering::{Outcome, Reply};

use crate::client::{Client, profile};
use crate::error::Error;
use crate::provider::{self, DeferredTools, Offer};
use crate::withholding::Withholding;

/// How a model is told of tools that were resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolList {
    /// They are in the tools of the next request: the host can change the array between two requests of one turn.
    #[default]
    Grows,
    /// They are in the resolver's answer, and are called through [`Conversation::CALL_TOOL`]: the host, or the MCP client
    /// behind it, keeps the list it has.
    Fixed,
}

/// What a conversation works with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConversationOptions {
    /// How resolved tools reach the model.
    pub tool_list: ToolList,
    /// Whether schemas are withheld.
    pub withholding: Withholding,
    /// How the list of withheld tools is written.
    pub catalog: CatalogOptions,
}

impl ConversationOptions {
    /// Says how resolved tools reach the model.
    #[must_use]
    pub fn with_tool_list(mut self, tool_list: ToolList) -> Self {
        self.tool_list = tool_list;
        self
    }

    /// Says what the decision to withhold schemas is made for.
    #[must_use]
    pub fn with_withholding(mut self, withholding: Withholding) -> Self {
        self.withholding = withholding;
        self
    }

    /// Says how the list of withheld tools is written.
    #[must_use]
    pub fn with_catalog(mut self, catalog: CatalogOptions) -> Self {
        self.catalog = catalog;
        self
    }
}

/// The tools of one conversation with one model.
///
/// What goes into a prompt never changes, so that the provider's prompt cache stays valid; it only grows at its end:
///
/// 1. the resolver, if schemas are withheld, with the catalogue as it was when the conversation began;
/// 2. [`CALL_TOOL`](Self::CALL_TOOL), if the list is [`Fixed`](ToolList::Fixed);
/// 3. the tools that are never withheld, by id, or every tool if none is;
/// 4. the tools that were resolved, in the order in which they were; without withholding, those of servers that connected
///    later; among them, once an output was [shortened](Client::shorten), the [tool](Client::OUTPUT_TOOL) that reads on.
///    With a fixed list that tool is there from the beginning.
///
/// A tool that goes, or changes, stays in the list as it was: a call is checked against what it is now, and the model is told.
/// [`outdated`](Self::outdated) names such tools, and [`refresh`](Self::refresh) begins the list anew.
///
/// ```no_run
/// use mcp_client::{Client, ConversationOptions, process_environment};
///
/// # async fn example(ask: impl AsyncFn(&serde_json::Value) -> Vec<(String, serde_json::Value)>) -> Result<(), mcp_client::Error> {
/// let client = Client::builder(process_environment()?).build();
/// client.start().await;
/// let mut conversation = client.conversation("anthropic", ConversationOptions::default())?;
/// loop {
///     let tool_uses = ask(&conversation.tools()).await;
///     for (name, input) in &tool_uses {
///         let reply = conversation.answer(name, input.clone()).await;
///         println!("{}", reply.text);
///     }
///     if tool_uses.is_empty() {
///         return Ok(());
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Conversation {
    client: Client,
    /// Under which name its long outputs are kept.
    session: String,
    profile_id: String,
    profile: Profile,
    options: ConversationOptions,
    decision: DeferralDecision,
    resolver: ToolResolver,
    /// The tools by which others are reached; sealed when the conversation begins.
    entrance: Vec<Offer>,
    offered: Vec<Offer>,
    /// The ids in `offered`.
    known: BTreeSet<String>,
}

impl Client {
    /// Begins a conversation with a model that takes tools in the dialect of this profile.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProfile`] or [`Error::Setting`].
    pub fn conversation(&self, profile: &str, options: ConversationOptions) -> Result<Conversation, Error> {
        let mut conversation = Conversation {
            decision: self.deferral(profile, &options.withholding)?,
            client: self.clone(),
            session: format!("conversation-{}", self.shared.conversations.fetch_add(1, Ordering::Relaxed)),
            profile_id: profile.to_owned(),
            profile: self::profile(profile)?,
            options,
            resolver: ToolResolver::new(),
            entrance: Vec::new(),
            offered: Vec::new(),
            known: BTreeSet::new(),
        };
        conversation.begin();
        Ok(conversation)
    }
}

impl Conversation {
    /// The name of the tool by which a model with a [`Fixed`](ToolList::Fixed) list calls what it resolved.
    pub const CALL_TOOL: &'static str = "CallMcpTool";

    /// Whether schemas are withheld, why, and the numbers behind it.
    pub fn decision(&self) -> DeferralDecision {
        self.decision
    }

    /// The ids of the tools resolved so far, in the order in which they were.
    pub fn resolved(&self) -> &[String] {
        self.resolver.resolved()
    }

    /// The value of the next request's `tools`, in the envelope of the conversation's profile.
    pub fn tools(&mut self) -> Value {
        self.adopt_newcomers();
        let all = self.entrance.iter().chain(&self.offered).cloned().collect();
        provider::tool_array(&self.profile_id, all)
    }

    /// Every tool, told apart by whether it is withheld, for providers that withhold schemas themselves:
    /// [`provider::anthropic`] and [`provider::openai`].
    ///
    /// These are the tools as they are now: make them once a conversation and keep them, as the prompt cache wants. The
    /// resolver's [`Resolution`](mcp_search::Resolution) becomes the provider's answer by
    /// [`provider::anthropic::references`] and [`provider::openai::search_output`].
    pub fn deferred_tools(&self) -> DeferredTools {
        let snapshot = self.client.tools();
        let resolver = self.entrance.iter().find(|offer| offer.id == ToolResolver::NAME).cloned();
        let mut tools = DeferredTools { resolver, ..DeferredTools::default() };
        for registered in snapshot.tools().filter(|tool| self.client.is_offered(tool)) {
            let Some(converted) = self.client.convert_one(registered, &self.profile) else { continue };
            if self.is_withheld(registered) {
                tools.deferred.entry(registered.server.to_string()).or_default().push(converted.offer);
            } else {
                tools.loaded.push(converted.offer);
            }
        }
        tools
    }

    /// The ids of the tools in the list that are gone, or are no longer what the model was offered.
    pub fn outdated(&self) -> Vec<String> {
        let snapshot = self.client.tools();
        let is_current = |offer: &&Offer| {
            if offer.id == Client::OUTPUT_TOOL {
                return true;
            }
            let registered = snapshot.tool(&offer.id).filter(|tool| self.client.is_offered(tool));
            registered.and_then(|tool| self.convert(tool)).is_some_and(|now| now == **offer)
        };
        self.offered.iter().filter(|offer| !is_current(offer)).map(|offer| offer.id.clone()).collect()
    }

    /// Begins the list anew with the tools as they are now, which invalidates the provider's prompt cache. What was resolved
    /// stays resolved if it is still there; whether schemas are withheld stays decided.
    pub fn refresh(&mut self) {
        let reads_outputs = self.known.contains(Client::OUTPUT_TOOL);
        self.entrance.clear();
        self.offered.clear();
        self.known.clear();
        self.begin();
        if reads_outputs {
            self.offer_outputs();
        }
        if self.options.tool_list == ToolList::Grows {
            for id in self.resolver.resolved().to_vec() {
                self.load(&id);
            }
        }
    }

    fn begin(&mut self) {
        if self.decision.defer {
            let catalog = self.catalog();
            self.entrance.push(resolver_offer(&catalog));
            if self.options.tool_list == ToolList::Fixed {
                self.entrance.push(call_offer());
            }
        }
        if self.options.tool_list == ToolList::Fixed {
            self.entrance.push(Client::output_tool());
        }
        self.adopt_newcomers();
    }

    /// Lists what is withheld. What is loaded anyway needs no place in it.
    fn catalog(&self) -> Catalog {
        let snapshot = self.client.tools();
        let withheld: BTreeSet<&str> = snapshot
            .tools()
            .filter(|tool| self.client.is_offered(tool) && self.is_withheld(tool))
            .map(|tool| tool.id.as_str())
            .collect();
        let instructions = self.client.instructions();
        let mut known = self.client.known();
        Catalog::new(known.index(), &|id| withheld.contains(id), &instructions, &self.options.catalog)
    }

    /// Appends the tools that are not withheld and not in the list yet, by id.
    fn adopt_newcomers(&mut self) {
        let snapshot = self.client.tools();
        let newcomers = snapshot.tools().filter(|tool| {
            !self.known.contains(tool.id.as_str()) && !self.is_withheld(tool) && self.client.is_offered(tool)
        });
        let offers: Vec<Offer> = newcomers.filter_map(|tool| self.convert(tool)).collect();
        for offer in offers {
            self.push(offer);
        }
    }

    /// Appends a tool, unless it is in the list or gone.
    fn load(&mut self, id: &str) {
        if self.known.contains(id) {
            return;
        }
        let snapshot = self.client.tools();
        if let Some(offer) = snapshot.tool(id).and_then(|tool| self.convert(tool)) {
            self.push(offer);
        }
    }

    /// Offers the tool that reads shortened outputs, unless it is offered.
    fn offer_outputs(&mut self) {
        if self.options.tool_list == ToolList::Grows && !self.known.contains(Client::OUTPUT_TOOL) {
            self.push(Client::output_tool());
        }
    }

    fn push(&mut self, offer: Offer) {
        self.known.insert(offer.id.clone());
        self.offered.push(offer);
    }

    fn convert(&self, registered: &Registered) -> Option<Offer> {
        Some(self.client.convert_one(registered, &self.profile)?.offer)
    }

    fn is_withheld(&self, registered: &Registered) -> bool {
        self.decision.defer && !self.client.is_always_loaded(registered, &self.options.withholding)
    }
}

fn resolver_offer(catalog: &Catalog) -> Offer {
    Offer {
        id: ToolResolver::NAME.to_owned(),
        description: ToolResolver::description(catalog),
        schema: serde_json::from_str(ToolResolver::INPUT_SCHEMA).expect("it is a literal of valid JSON"),
    }
}

fn call_offer() -> Offer {
    Offer {
        id: Conversation::CALL_TOOL.to_owned(),
        description: format!("Calls an MCP tool whose definition {} has loaded.", ToolResolver::NAME),
        schema: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The tool's name, as in its definition."},
                "arguments": {"type": "object", "description": "Its arguments, as its definition asks for them."},
            },
            "required": ["name"],
            "additionalProperties": false,
        }),
    }
}
