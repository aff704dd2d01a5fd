//! What a person's answer to a question leads to.

use crate::digest::arguments_digest;
use crate::rules::Rules;
use crate::rules::decision::Answer;
use crate::rules::remedy::rule_for;
use crate::rules::request::Request;
use crate::rules::rule::Rule;
use crate::rules::source::{Binding, RuleLayer, Scope, Source, Tier};
use crate::snapshot::Origin;

/// A rule to be written into a settings file: [`crate::write_rule`] does that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SettingsRule {
    /// Which settings.
    pub scope: Scope,
    /// What the rule does.
    pub tier: Tier,
    /// The rule.
    pub rule: String,
    /// The server definition an allow rule is made for; none for rules about the host's own tools.
    pub binding: Option<Binding>,
}

/// The name of the source that holds session grants.
const GRANTS: &str = "granted in this session";

/// How many unspent grants are kept; the oldest is dropped first.
const MOST_ONCE_GRANTS: usize = 256;

/// Calls that a person allowed once and that were not made yet.
#[derive(Clone, Debug, Default)]
pub(super) struct OnceGrants(Vec<OnceGrant>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct OnceGrant {
    origin: Origin,
    server: String,
    definition: String,
    tool: String,
    arguments: String,
}

impl OnceGrant {
    fn new(request: &Request<'_>) -> Self {
        Self {
            origin: request.origin,
            server: request.server.to_owned(),
            definition: request.definition.to_owned(),
            tool: request.tool.to_owned(),
            arguments: arguments_digest(request.arguments),
        }
    }
}

impl OnceGrants {
    pub(super) fn holds(&self, request: &Request<'_>) -> bool {
        !self.0.is_empty() && self.0.contains(&OnceGrant::new(request))
    }

    fn add(&mut self, request: &Request<'_>) {
        if self.0.len() == MOST_ONCE_GRANTS {
            self.0.remove(0);
        }
        self.0.push(OnceGrant::new(request));
    }

    fn spend(&mut self, request: &Request<'_>) -> bool {
        let grant = OnceGrant::new(request);
        let position = self.0.iter().position(|held| *held == grant);
        position.map(|position| self.0.remove(position)).is_some()
    }
}

impl Rules {
    /// Takes a person's answer to the question about a call.
    ///
    /// [`Answer::Once`] holds for these very arguments until [`Rules::spend_grant`]. The longer answers allow the tool from now
    /// on, under the server's present definition; [`Answer::Project`] and [`Answer::Always`] return the rule to write so that
    /// it is still allowed tomorrow. Only those of [`crate::Decision::answers`] settle the question.
    pub fn answer(&mut self, request: &Request<'_>, answer: Answer) -> Option<SettingsRule> {
        let scope = match answer {
            Answer::Deny => return None,
            Answer::Once => {
                self.once.add(request);
                return None;
            }
            Answer::Session => Scope::Session,
            Answer::Project => Scope::Project,
            Answer::Always => Scope::User,
        };
        let binding = Binding { server: request.server.to_owned(), definition: request.definition.to_owned() };
        let rule = rule_for(request);
        let binding = (request.origin == Origin::Server).then_some(binding);
        self.grant_for_session(&rule, binding.clone());
        (scope != Scope::Session).then_some(SettingsRule { scope, tier: Tier::Allow, rule, binding })
    }

    /// Uses up a grant for once, when its call is made; false when there is none.
    pub fn spend_grant(&mut self, request: &Request<'_>) -> bool {
        self.once.spend(request)
    }

    fn grant_for_session(&mut self, rule: &str, binding: Option<Binding>) {
        let mut layer = self
            .layers
            .iter()
            .find(|layer| layer.source.name == GRANTS)
            .cloned()
            .unwrap_or_else(|| RuleLayer::new(Source { name: GRANTS.to_owned(), ..Source::session() }));
        let (rule, fault) = Rule::parse_widening(rule);
        if fault.is_none() {
            layer.push(Tier::Allow, rule, binding.into_iter().collect());
            self.replace_layer(layer);
        }
    }
}
