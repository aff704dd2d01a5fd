//! Which calls are made, which ask first and which are refused.

use std::sync::Arc;

use crate::effect::Effect;
use crate::name::{NameStyle, ToolName};
use crate::pin::Standing;
use crate::snapshot::Origin;

mod arguments;
mod condition;
mod decision;
mod edits;
mod explain;
mod grant;
mod index;
mod known;
mod listing;
mod meaning;
mod number;
mod remedy;
mod request;
mod rule;
mod settings;
mod source;
mod spelling;
mod stray;
mod subject;

use self::arguments::Arguments;
use self::grant::OnceGrants;
use self::index::Index;
use self::subject::{Reach, Target};

pub use self::decision::{Answer, Because, Decision, RuleUse, Verdict};
pub use self::edits::{SettingsEdit, forget_rule, write_rule};
pub use self::explain::{Bearing, Considered, Explanation};
pub use self::grant::SettingsRule;
pub use self::known::{Aim, Known};
pub use self::listing::ListedRule;
pub use self::remedy::Remedy;
pub use self::request::{Mode, Request};
pub use self::rule::Rule;
pub use self::settings::parse_settings;
pub use self::source::{Authority, Binding, Dialect, RuleLayer, Scope, Source, Tier, Unbound};
pub use self::spelling::Surroundings;
pub use self::stray::{StrayRule, StrayRules};

/// The permission rules of all sources.
///
/// A call is decided by the first of these that speaks:
///
/// 1. **Deny rules**, of any source, whatever the server's definition; and a tool that is held back until it is approved.
/// 2. **A grant for this once**, given by a person for these arguments.
/// 3. **Ask rules**, of any source.
/// 4. **Allow rules** and session grants, if they were made for the server's present definition. If the only ones that
///    match were made for another definition, the call asks, unless the mode refuses it. A tool that changed and is to be
///    approved again asks even if a rule allows it.
/// 5. **The mode**: plan, review and explore refuse mutating calls.
/// 6. **The default**: a read-only call is made, a mutating call asks.
///
/// Where the answer is to ask and the mode (explore, unattended) has nobody to ask, the call is refused.
///
/// A rule that cannot be read is never dropped: if it denies or asks, it covers all it may have been written for; if it
/// allows, it covers nothing. Within a step, the rule that comes first is named: sources in the order in which they were
/// added, then the order within the source.
///
/// ```
/// use mcp_registry::{Binding, Effect, Mode, Origin, Request, RuleLayer, Rules, Source, Standing, Tier, Verdict};
///
/// let user = RuleLayer::new(Source::user("~/.agents/settings.json"))
///     .with(Tier::Deny, "mcp__fs__write_file(path=secrets/**)")?
///     .with_allowed("mcp__fs", Binding { server: "fs".into(), definition: "sha256:1".into() })?;
/// let rules = Rules::new([user]);
///
/// let decide = |definition, path| {
///     let arguments = serde_json::json!({ "path": path });
///     let request = Request {
///         server: "fs", definition, tool: "write_file", effect: Effect::Mutating, arguments: &arguments,
///         standing: Standing::Approved, origin: Origin::Server,
///     };
///     rules.decide(&request, Mode::Build).verdict
/// };
/// assert_eq!(decide("sha256:1", "src/lib.rs"), Verdict::Allow);
/// assert_eq!(decide("sha256:1", "secrets/key"), Verdict::Deny);
/// assert_eq!(decide("sha256:2", "src/lib.rs"), Verdict::Ask, "another server took the name");
/// # Ok::<(), mcp_registry::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    layers: Vec<RuleLayer>,
    /// Every rule, sorted by tier, then by source, then by its place there.
    stored: Vec<Stored>,
    index: Index,
    /// The rules that ignore case, by what they are about in lower case.
    folded: Index,
    surroundings: Surroundings,
    once: OnceGrants,
}

/// A rule as a decision looks at it.
#[derive(Clone, Debug)]
struct Stored {
    tier: Tier,
    rule: Rule,
    /// The rule by which calls are compared, where the source ignores case.
    lowered: Option<Rule>,
    fault: Option<crate::error::RuleFault>,
    bindings: Vec<Binding>,
    source: Arc<str>,
    scope: Scope,
    pointer: Arc<str>,
    authority: Authority,
    unbound: Unbound,
}

impl Stored {
    fn rule_use(&self) -> RuleUse {
        RuleUse {
            tier: self.tier,
            rule: self.rule.shared_text(),
            source: Arc::clone(&self.source),
            scope: self.scope,
            pointer: Arc::clone(&self.pointer),
        }
    }

    fn because(&self) -> Because {
        match self.fault {
            Some(fault) => Because::Unreadable(self.rule_use(), fault),
            None => Because::Rule(self.rule_use()),
        }
    }

    fn reach(&self) -> Reach {
        Reach::of(self.tier)
    }

    /// Whether the rule is about the tool; `folded` is the target in lower case, there if any rule ignores case.
    fn covers(&self, exact: Target<'_>, folded: Option<Target<'_>>) -> bool {
        match (&self.lowered, folded) {
            (Some(lowered), Some(folded)) => lowered.covers(folded, self.reach()),
            (Some(_), None) | (None, _) => self.rule.covers(exact, self.reach()),
        }
    }

    /// Returns what a rule that covers the tool has to say about a call.
    fn bearing(&self, request: &Request<'_>, arguments: &Arguments<'_>) -> Bearing {
        let for_server = |binding: &&Binding| binding.server == request.server;
        let mut bindings = self.bindings.iter().filter(for_server).peekable();
        if !self.rule.accepts(arguments, self.reach()) {
            Bearing::OtherArguments
        } else if self.tier != Tier::Allow {
            Bearing::Speaks
        } else if self.fault.is_some() {
            Bearing::Unreadable
        } else if self.authority == Authority::Tighten {
            Bearing::Untrusted
        } else if request.origin == Origin::Host {
            Bearing::Speaks
        } else if bindings.peek().is_some() {
            let bound_here = bindings.any(|binding| binding.definition == request.definition);
            if bound_here { Bearing::Speaks } else { Bearing::OtherDefinition }
        } else if self.bindings.is_empty() && self.unbound == Unbound::Apply {
            Bearing::Speaks
        } else {
            Bearing::Unbound
        }
    }
}

/// What the rules that cover a call say.
#[derive(Default)]
struct Findings<'a> {
    deny: Vec<&'a Stored>,
    ask: Vec<&'a Stored>,
    allow: Option<&'a Stored>,
    other_definition: Option<&'a Stored>,
}

impl Rules {
    /// Returns the rules of these sources, the one to be named first in front.
    pub fn new(layers: impl IntoIterator<Item = RuleLayer>) -> Self {
        let mut rules = Self { layers: layers.into_iter().collect(), ..Self::default() };
        rules.rebuild();
        rules
    }

    /// Says where the paths in arguments start, so that rules that deny or ask know a file by its other paths too.
    #[must_use]
    pub fn in_surroundings(mut self, surroundings: &Surroundings) -> Self {
        self.surroundings = surroundings.settled();
        self
    }

    /// Adds a source behind the others, or puts it in the place of the one that has its name.
    pub fn replace_layer(&mut self, layer: RuleLayer) {
        match self.layers.iter_mut().find(|known| known.source.name == layer.source.name) {
            Some(known) => *known = layer,
            None => self.layers.push(layer),
        }
        self.rebuild();
    }

    /// Returns the sources in the order in which their rules are named.
    pub fn layers(&self) -> &[RuleLayer] {
        &self.layers
    }

    /// Decides a call. The order is documented at [`Rules`].
    pub fn decide(&self, request: &Request<'_>, mode: Mode) -> Decision {
        let findings = self.findings(request);
        let (mut verdict, mut because) = self.judge(&findings, request, mode);
        if verdict == Verdict::Ask && mode.refuses_questions() {
            verdict = Verdict::Deny;
            because = Because::NobodyToAsk(mode, Box::new(because));
        }
        let remedies = if verdict == Verdict::Allow { Vec::new() } else { remedy::steps(&findings, request) };
        let answers = self.answers(verdict, &because);
        Decision { verdict, because, remedies, answers }
    }

    /// Whether a rule denies the tool whatever the arguments, so that there is no point in offering it.
    pub fn hides(&self, request: &Request<'_>) -> bool {
        let unconditional = |stored: &&Stored| stored.tier == Tier::Deny && !stored.rule.has_conditions();
        let spoken = self.bearings(request);
        request.standing == Standing::Held
            || spoken.iter().any(|(stored, bearing)| *bearing == Bearing::Speaks && unconditional(stored))
    }

    fn judge(&self, findings: &Findings<'_>, request: &Request<'_>, mode: Mode) -> (Verdict, Because) {
        if let Some(rule) = findings.deny.first() {
            return (Verdict::Deny, rule.because());
        }
        if request.standing == Standing::Held {
            return (Verdict::Deny, Because::Standing(request.standing));
        }
        if self.once.holds(request) {
            return (Verdict::Allow, Because::Once);
        }
        if let Some(rule) = findings.ask.first() {
            return (Verdict::Ask, rule.because());
        }
        match Self::judge_without_questions(findings, request, mode) {
            // A changed tool is no way around a mode that refuses it.
            (Verdict::Allow | Verdict::Ask, _) if request.standing == Standing::AskAgain => {
                (Verdict::Ask, Because::Standing(request.standing))
            }
            judged => judged,
        }
    }

    fn judge_without_questions(findings: &Findings<'_>, request: &Request<'_>, mode: Mode) -> (Verdict, Because) {
        let mutating = request.effect == Effect::Mutating;
        if let Some(rule) = findings.allow {
            return (Verdict::Allow, rule.because());
        }
        if mutating && mode.refuses_mutations() {
            return (Verdict::Deny, Because::Mode(mode));
        }
        if let Some(rule) = findings.other_definition {
            return (Verdict::Ask, Because::OtherDefinition(rule.rule_use()));
        }
        (if mutating { Verdict::Ask } else { Verdict::Allow }, Because::Default(request.effect))
    }

    /// Returns the answers that can settle a question.
    fn answers(&self, verdict: Verdict, because: &Because) -> &'static [Answer] {
        let lasting = matches!(because, Because::Default(_) | Because::OtherDefinition(_));
        let tightens = |source: &Source| source.scope == Scope::Project && source.authority == Authority::Tighten;
        let untrusted = self.layers.iter().any(|layer| tightens(&layer.source));
        match verdict {
            Verdict::Allow | Verdict::Deny => &[],
            Verdict::Ask if !lasting => &[Answer::Deny, Answer::Once],
            Verdict::Ask if untrusted => &[Answer::Deny, Answer::Once, Answer::Session, Answer::Always],
            Verdict::Ask => &[Answer::Deny, Answer::Once, Answer::Session, Answer::Project, Answer::Always],
        }
    }

    fn findings(&self, request: &Request<'_>) -> Findings<'_> {
        let mut findings = Findings::default();
        for (stored, bearing) in self.bearings(request) {
            match (bearing, stored.tier) {
                (Bearing::Speaks, Tier::Deny) => findings.deny.push(stored),
                (Bearing::Speaks, Tier::Ask) => findings.ask.push(stored),
                (Bearing::Speaks, Tier::Allow) => findings.allow = findings.allow.or(Some(stored)),
                (Bearing::OtherDefinition, _) => {
                    findings.other_definition = findings.other_definition.or(Some(stored));
                }
                _ => {}
            }
        }
        findings
    }

    /// Returns the rules that are about the tool, in the order in which they are named, with what each has to say.
    fn bearings(&self, request: &Request<'_>) -> Vec<(&Stored, Bearing)> {
        let named = self.index.names_ids() || self.folded.names_ids();
        let ids = if named && request.origin == Origin::Server {
            NameStyle::ALL.map(|style| ToolName::new(style, request.server, request.tool)).to_vec()
        } else {
            Vec::new()
        };
        let exact = Target { server: request.server, tool: request.tool, origin: request.origin, ids: &ids };
        let folded = (!self.folded.is_empty()).then(|| (request.server.to_lowercase(), request.tool.to_lowercase()));
        let folded = folded.as_ref().map(|(server, tool)| Target { server, tool, ..exact });
        let mut candidates = Vec::new();
        self.index.collect(exact, &mut candidates);
        if let Some(folded) = folded {
            self.folded.collect(folded, &mut candidates);
        }
        candidates.sort_unstable();
        candidates.dedup();
        let arguments = Arguments::new(request.arguments, &self.surroundings);
        let candidates = candidates.into_iter().filter_map(|position| self.stored.get(position));
        candidates
            .filter(|stored| stored.covers(exact, folded))
            .map(|stored| (stored, stored.bearing(request, &arguments)))
            .collect()
    }

    fn rebuild(&mut self) {
        self.stored = self.layers.iter().flat_map(stored_rules).collect();
        self.stored.sort_by_key(|stored| stored.tier);
        self.index = Index::default();
        self.folded = Index::default();
        for (position, stored) in self.stored.iter().enumerate() {
            match &stored.lowered {
                Some(lowered) => self.folded.insert(position, lowered, stored.reach()),
                None => self.index.insert(position, &stored.rule, stored.reach()),
            }
        }
    }
}

fn stored_rules(layer: &RuleLayer) -> impl Iterator<Item = Stored> + '_ {
    let name: Arc<str> = layer.source.name.as_str().into();
    layer.entries.iter().map(move |entry| Stored {
        tier: entry.tier,
        lowered: (layer.source.dialect == Dialect::FreeCode && entry.tier != Tier::Allow)
            .then(|| entry.rule.lower_case()),
        rule: entry.rule.clone(),
        fault: entry.fault,
        bindings: entry.bindings.clone(),
        source: Arc::clone(&name),
        scope: layer.source.scope,
        pointer: Arc::clone(&entry.pointer),
        authority: layer.source.authority,
        unbound: layer.source.unbound,
    })
}
