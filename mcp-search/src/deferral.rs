//! Whether schemas are worth withholding.
//!
//! Withholding saves the tokens of schemas that a conversation never uses, and costs a call of the resolver for those
//! it does. Adding tools in the middle of a conversation also invalidates the provider's prompt cache from the tools
//! on, so that with few tools, or a context they hardly fill, everything is better sent at once.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};

/// How many characters of JSON make a token, on average: the usual rule of thumb.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Estimates the tokens of a tool's definition from its JSON: a quarter of its characters, rounded up.
pub fn estimate_tokens(definition: &str) -> u64 {
    u64::try_from(definition.chars().count().div_ceil(CHARACTERS_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// The setting `deferMcpSchemas`: `true`, `false` or `"auto"`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Deferral {
    /// `true`: always.
    Always,
    /// `false`: never.
    Never,
    /// `"auto"`: when there are more than 10 tools and their definitions take more than 10 % of the context window.
    #[default]
    Auto,
}

impl Deferral {
    /// More tools than these are needed for [`Deferral::Auto`].
    pub const TOOLS: usize = 10;
    /// The definitions must take more than this part of the context window for [`Deferral::Auto`]: one in ten.
    pub const CONTEXT_PART: u64 = 10;

    /// Decides for a catalogue of tools, in this order:
    ///
    /// 1. A sub-agent gets every tool at once: it lives too briefly to search.
    /// 2. The setting, if it is not `auto`.
    /// 3. With no more than [`Deferral::TOOLS`] tools, or when no more than one in [`Deferral::CONTEXT_PART`] tokens of the
    ///    context window goes to them, nothing is withheld. Tools that are always loaded do not count.
    ///
    /// Tools marked [`ToolCost::always_load`] are loaded in any case.
    pub fn decide(self, situation: &Situation<'_>) -> DeferralDecision {
        let deferrable = situation.tools.iter().filter(|tool| !tool.always_load);
        let tools = deferrable.clone().count();
        let tokens = deferrable.map(|tool| tool.tokens).fold(0, u64::saturating_add);
        let reason = match self {
            _ if situation.sub_agent => DeferralReason::SubAgent,
            Self::Always | Self::Never => DeferralReason::Setting,
            Self::Auto if tools <= Self::TOOLS => DeferralReason::FewTools,
            Self::Auto if tokens <= situation.context_tokens / Self::CONTEXT_PART => DeferralReason::SmallShare,
            Self::Auto => DeferralReason::WorthIt,
        };
        let defer = match reason {
            DeferralReason::Setting => self == Self::Always && tools > 0,
            DeferralReason::WorthIt => true,
            DeferralReason::SubAgent | DeferralReason::FewTools | DeferralReason::SmallShare => false,
        };
        DeferralDecision { defer, reason, tools, tokens, context_tokens: situation.context_tokens }
    }
}

impl<'de> Deserialize<'de> for Deferral {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "`deferMcpSchemas` is `true`, `false` or `\"auto\"`")]
        enum Setting {
            Fixed(bool),
            Named(Name),
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Name {
            Auto,
        }
        Ok(match Setting::deserialize(deserializer)? {
            Setting::Fixed(true) => Self::Always,
            Setting::Fixed(false) => Self::Never,
            Setting::Named(Name::Auto) => Self::Auto,
        })
    }
}

/// What one tool's definition takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolCost {
    /// The tool's id.
    pub id: String,
    /// Its server.
    pub server: String,
    /// The tokens of its definition, by [`estimate_tokens`] or a better count.
    pub tokens: u64,
    /// Whether its definition is never withheld: by configuration, or because the tool's `_meta` asks for it.
    pub always_load: bool,
}

/// What a decision is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Situation<'a> {
    /// All tools that may be used.
    pub tools: &'a [ToolCost],
    /// The size of the model's context window, in tokens.
    pub context_tokens: u64,
    /// Whether the conversation is that of a sub-agent.
    pub sub_agent: bool,
}

/// Whether schemas are withheld, why, and the numbers behind it; [`Display`](fmt::Display) says it in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeferralDecision {
    /// Whether schemas are withheld.
    pub defer: bool,
    /// Why.
    pub reason: DeferralReason,
    /// How many tools could be withheld.
    pub tools: usize,
    /// The estimated tokens of their definitions.
    pub tokens: u64,
    /// The size of the context window.
    pub context_tokens: u64,
}

/// Why schemas are withheld or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeferralReason {
    /// A sub-agent gets all tools.
    SubAgent,
    /// The setting says so.
    Setting,
    /// There are too few tools.
    FewTools,
    /// They take too little of the context window.
    SmallShare,
    /// They are many and take much.
    WorthIt,
}

impl fmt::Display for DeferralDecision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.defer { "withheld" } else { "sent at once" };
        let reason = match self.reason {
            DeferralReason::SubAgent => "a sub-agent gets every tool".to_owned(),
            DeferralReason::Setting => "as `deferMcpSchemas` says".to_owned(),
            DeferralReason::FewTools => format!("no more than {} tools", Deferral::TOOLS),
            DeferralReason::SmallShare => "no more than 10 % of the context window".to_owned(),
            DeferralReason::WorthIt => format!("more than {} tools and 10 % of the context window", Deferral::TOOLS),
        };
        let Self { tools, tokens, context_tokens, .. } = self;
        write!(formatter, "schemas are {verb}: {reason} ({tools} tools, about {tokens} of {context_tokens} tokens)")
    }
}

/// The tokens of each server's tools, largest first, then by name.
pub fn tokens_by_server(tools: &[ToolCost]) -> Vec<(String, u64)> {
    let mut servers: BTreeMap<&str, u64> = BTreeMap::new();
    for tool in tools {
        let tokens = servers.entry(&tool.server).or_default();
        *tokens = tokens.saturating_add(tool.tokens);
    }
    let mut servers: Vec<(String, u64)> =
        servers.into_iter().map(|(server, tokens)| (server.to_owned(), tokens)).collect();
    servers.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    servers
}

/// What a provider charges for input, per token in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CachePrices {
    /// Writing a token to the prompt cache.
    pub write: f64,
    /// Reading a token from it.
    pub read: f64,
}

/// How many requests must come before the first resolution for withholding to pay, where adding tools rewrites the
/// cached prompt: `prefix × (write − read) ÷ (deferred × read)`.
///
/// Returns `None` where there is no such number: nothing is withheld, or reading costs nothing. With a provider that
/// adds deferred tools without touching the cache there is nothing to break even with.
#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^53")]
pub fn break_even_requests(prefix_tokens: u64, deferred_tokens: u64, prices: CachePrices) -> Option<f64> {
    let saved = deferred_tokens as f64 * prices.read;
    let requests = prefix_tokens as f64 * (prices.write - prices.read) / saved;
    (saved > 0.0 && requests.is_finite()).then_some(requests.max(0.0))
}

#[cfg(test)]
mod tests;
