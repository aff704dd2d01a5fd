//! What a model may be offered, what that costs, and whether it is worth withholding.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use mcp_config::{Host, Preset};
use mcp_registry::{Bearing, Because, Registered, Tier, Verdict};
use mcp_search::{Deferral, DeferralDecision, Situation, ToolCost, estimate_tokens};
use serde::Deserialize as _;
use serde_json::Value;

use crate::client::{Client, profile};
use crate::error::Error;
use crate::provider;

/// The key of the settings that says whether schemas are withheld.
const SETTING: &str = "deferMcpSchemas";

/// The `_meta` key by which a tool asks never to be withheld, as Claude Code reads it:
/// <https://code.claude.com/docs/en/agent-sdk/tool-search>.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// What a decision to withhold schemas is made for.
#[derive(Clone)]
#[non_exhaustive]
pub struct Withholding {
    /// `true`, `false` or `auto`; `None` asks, in this order:
    ///
    /// 1. `deferMcpSchemas` of the settings that apply;
    /// 2. the preset: always under `hoocode`;
    /// 3. nobody, and then it is `auto`.
    pub deferral: Option<Deferral>,
    /// The size of the model's context window, in tokens. Default: 200,000.
    pub context_tokens: u64,
    /// Whether the conversation is that of a sub-agent, which gets every tool at once. Default: no.
    pub sub_agent: bool,
    /// The ids of tools that are never withheld, whatever their configuration says. Default: none.
    pub always_load: BTreeSet<String>,
    /// Counts the tokens of a definition, given as JSON. Default: [`estimate_tokens`], a quarter of the characters.
    pub count_tokens: Arc<dyn Fn(&str) -> u64 + Send + Sync>,
}

impl Default for Withholding {
    fn default() -> Self {
        Self {
            deferral: None,
            context_tokens: 200_000,
            sub_agent: false,
            always_load: BTreeSet::new(),
            count_tokens: Arc::new(estimate_tokens),
        }
    }
}

impl fmt::Debug for Withholding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { deferral, context_tokens, sub_agent, always_load, count_tokens: _ } = self;
        formatter
            .debug_struct("Withholding")
            .field("deferral", deferral)
            .field("context_tokens", context_tokens)
            .field("sub_agent", sub_agent)
            .field("always_load", always_load)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// What the definition of each tool takes of a model's context when offered under this profile, by id.
    ///
    /// Tools that the rules never let be called are left out: no model is offered them.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProfile`].
    pub fn tool_costs(&self, profile: &str, withholding: &Withholding) -> Result<Vec<ToolCost>, Error> {
        let converter = self::profile(profile)?;
        let snapshot = self.tools();
        let offered = snapshot.tools().filter(|tool| self.is_offered(tool));
        let cost = |tool: &Registered| {
            let offer = self.convert_one(tool, &converter)?.offer;
            let definition = provider::definition(profile, offer).to_string();
            Some(ToolCost {
                id: tool.id.as_str().to_owned(),
                server: tool.server.to_string(),
                tokens: (withholding.count_tokens)(&definition),
                always_load: self.is_always_loaded(tool, withholding),
            })
        };
        Ok(offered.filter_map(cost).collect())
    }

    /// Whether schemas are withheld from a model of this profile, why, and the numbers behind it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownProfile`], or [`Error::Setting`] when the setting asked is none that there is.
    pub fn deferral(&self, profile: &str, withholding: &Withholding) -> Result<DeferralDecision, Error> {
        let tools = self.tool_costs(profile, withholding)?;
        let setting = match withholding.deferral {
            Some(deferral) => deferral,
            None => self.configured_deferral()?,
        };
        let Withholding { context_tokens, sub_agent, .. } = *withholding;
        Ok(setting.decide(&Situation { tools: &tools, context_tokens, sub_agent }))
    }

    fn configured_deferral(&self) -> Result<Deferral, Error> {
        let configuration = &self.shared.configuration;
        let settings = configuration.settings.effective(&configuration.trust);
        match settings.other.get(SETTING) {
            Some(value) => {
                Deferral::deserialize(value).map_err(|source| Error::Setting { key: SETTING.to_owned(), source })
            }
            None => Ok(preset_deferral(self.shared.preset)),
        }
    }

    /// Whether there is a call of the tool that the rules and the mode would let pass, be it after a question.
    ///
    /// A tool for which there is none is not offered to a model, listed, counted or found.
    pub fn is_offered(&self, tool: &Registered) -> bool {
        let request = tool.request(&Value::Null);
        let rules = self.rules();
        if rules.hides(&request) {
            return false;
        }
        let decision = rules.decide(&request, self.shared.mode);
        let refused_by_mode = matches!(decision.because, Because::Mode(_) | Because::NobodyToAsk(..));
        if decision.verdict != Verdict::Deny || !refused_by_mode {
            return true;
        }
        // The mode refuses what no rule allows; one may allow other arguments.
        let considered = rules.explain(&request, self.shared.mode).considered;
        considered.iter().any(|rule| rule.rule.tier == Tier::Allow && rule.bearing == Bearing::OtherArguments)
    }

    /// The ids of the tools that [may be offered](Self::is_offered).
    pub(crate) fn offered_ids(&self) -> BTreeSet<String> {
        let snapshot = self.tools();
        snapshot.tools().filter(|tool| self.is_offered(tool)).map(|tool| tool.id.as_str().to_owned()).collect()
    }

    /// Whether a tool's definition is never withheld. Who says so first decides:
    ///
    /// 1. [`Withholding::always_load`], if it names the tool;
    /// 2. `alwaysLoad` of the server's configuration, if it says anything;
    /// 3. the tool's own `_meta`.
    pub(crate) fn is_always_loaded(&self, tool: &Registered, withholding: &Withholding) -> bool {
        let configured = || self.server(&tool.server).ok()?.link()?.always_load;
        withholding.always_load.contains(tool.id.as_str()) || configured().unwrap_or_else(|| asks_to_be_loaded(tool))
    }
}

fn preset_deferral(preset: Preset) -> Deferral {
    match preset {
        Preset::Hoocode | Preset::Only(Host::Hoocode) => Deferral::Always,
        _ => Deferral::Auto,
    }
}

fn asks_to_be_loaded(tool: &Registered) -> bool {
    let Ok(definition) = serde_json::from_str::<Value>(tool.tool.raw.get()) else { return false };
    definition["_meta"][ALWAYS_LOAD] == Value::Bool(true)
}
