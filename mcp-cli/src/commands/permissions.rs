//! `mcpctl allow`, `ask`, `deny` and `permissions`: the rules, as a person handles them.

use mcp_client::permissions;
use mcp_client::registry::{
    Aim, Binding, Error as RegistryError, Explanation, ListedRule, Rule, RuleUse, Scope, SettingsRule, StrayRule, Tier,
};
use mcp_client::{Client, Configuration, Remedy};
use serde_json::{Value, json};

use crate::arguments::{PermissionsCommand, RuleArguments, RuleScope};
use crate::commands::call;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::{Hint, mcpctl};
use crate::terminal::{Line, Tone, aligned};

/// Writes a rule into the settings of a scope.
pub(crate) fn write(context: &Context<'_>, tier: Tier, arguments: &RuleArguments) -> Result<Exit, Failure> {
    let client = context.client()?;
    let rule = meant(context, &client, tier, arguments)?;
    let bindings = match tier {
        // No definition of a server has to do with a tool of the host.
        Tier::Allow if rule.is_bare() => vec![None],
        Tier::Allow => bindings(client.configuration(), &rule),
        Tier::Ask | Tier::Deny => vec![None],
    };
    if bindings.is_empty() {
        let message = format!("no configured server is meant by `{}`", rule.as_str());
        return Err(Failure::usage(message).with_hint(
            Hint::from(mcpctl(["list"])).with_advice("an allow rule holds for servers as they are defined now"),
        ));
    }
    let mut path = None;
    for binding in bindings {
        let rule = SettingsRule { scope: scope(arguments.scope), tier, rule: rule.as_str().to_owned(), binding };
        path = Some(permissions::write(&context.environment, &rule)?);
    }
    if tier == Tier::Allow && arguments.scope == RuleScope::Project {
        approve_rule(context, rule.as_str())?;
    }
    if let Some(file) = path {
        context.terminal.talk(format!("{} `{}` in {}", tier.as_str(), rule.as_str(), file.display()));
    }
    Ok(Exit::Ok)
}

/// The rule that the person means. One that is about nothing is written only if they insist.
fn meant(context: &Context<'_>, client: &Client, tier: Tier, arguments: &RuleArguments) -> Result<Rule, Failure> {
    if arguments.anyway {
        return Rule::parse(&arguments.rule).map_err(|error| Failure::usage(mcp_client::chain(&error)));
    }
    let known = client.known_names();
    let rule = Rule::meant(&arguments.rule, tier, &known).map_err(|error| unclear(&error))?;
    if known.aim(&rule, tier) == Aim::Possible {
        let nobody = format!("nobody has seen a tool yet that `{}` is about", rule.as_str());
        context.terminal.talk(Line::new().with(Tone::Warning, nobody));
    }
    Ok(rule)
}

fn unclear(error: &RegistryError) -> Failure {
    let failure = Failure::usage(mcp_client::chain(error));
    match error {
        RegistryError::RuleAboutNothing { nearest, .. } => {
            let anyway = Hint::advice("add --anyway to write it all the same, for what is yet to come");
            let nearest = (!nearest.is_empty()).then(|| Hint::advice(format!("nearest: {}", nearest.join(", "))));
            nearest.into_iter().chain([anyway]).fold(failure, Failure::with_hint)
        }
        RegistryError::RuleAmbiguous { candidates, .. } => {
            failure.with_hint(Hint::advice(format!("say which: {}", candidates.join(", "))))
        }
        _ => failure,
    }
}

/// The definitions that an allow rule is made for: every configured server it may concern, as it is now.
fn bindings(configuration: &Configuration, rule: &Rule) -> Vec<Option<Binding>> {
    let servers = configuration.merged.servers.iter().filter(|server| rule.may_concern(server.name()));
    servers
        .map(|server| {
            Some(Binding { server: server.name().to_owned(), definition: server.definition_hash().to_owned() })
        })
        .collect()
}

/// Whoever writes a rule here has approved it, and nothing that others wrote beside it.
fn approve_rule(context: &Context<'_>, rule: &str) -> Result<(), Failure> {
    let mut configuration = context.silent_configuration();
    let file = permissions::settings_file(&context.environment, Scope::Project)?;
    let projects = configuration.settings.projects.iter().filter(|project| project.path == file);
    let written = projects.flat_map(|project| &project.loosenings).filter(|loosening| loosening.is_rule(rule));
    for loosening in written {
        configuration.trust.approve_loosening(loosening, std::time::SystemTime::now());
    }
    Ok(configuration.trust.save()?)
}

fn scope(scope: RuleScope) -> Scope {
    match scope {
        RuleScope::User => Scope::User,
        RuleScope::Project => Scope::Project,
    }
}

pub(crate) async fn run(context: &Context<'_>, command: Option<PermissionsCommand>) -> Result<Exit, Failure> {
    match command {
        None => list(context, false),
        Some(PermissionsCommand::List { json }) => list(context, json),
        Some(PermissionsCommand::Explain { words }) => explain(context, &words).await,
        Some(PermissionsCommand::Forget { rule, scope }) => forget(context, &rule, scope),
    }
}

fn list(context: &Context<'_>, as_json: bool) -> Result<Exit, Failure> {
    let client = context.client()?;
    let rules: Vec<ListedRule> = client.rules().list().collect();
    let strays = client.stray_rules().rules;
    let stray = |rule: &RuleUse| strays.iter().find(|stray| stray.rule == *rule);
    if as_json {
        let rows: Vec<Value> = rules.iter().map(|rule| row(rule, stray(&rule.rule))).collect();
        context.terminal.json(&rows);
        return Ok(Exit::Ok);
    }
    if rules.is_empty() {
        context.terminal.talk("There are no rules: what reads is allowed, what may change something asks.");
    }
    context.terminal.data_lines(aligned(&rules.iter().map(|rule| cells(rule, stray(&rule.rule))).collect::<Vec<_>>()));
    Ok(Exit::Ok)
}

fn row(rule: &ListedRule, stray: Option<&StrayRule>) -> Value {
    json!({
        "rule": &*rule.rule.rule,
        "tier": rule.rule.tier.as_str(),
        "scope": rule.rule.scope.as_str(),
        "place": rule.rule.place(),
        "fault": rule.fault.as_ref().map(ToString::to_string),
        "stray": stray.is_some(),
        "nearest": stray.map(|stray| &stray.nearest),
    })
}

fn cells(rule: &ListedRule, stray: Option<&StrayRule>) -> Vec<Line> {
    let tone = match rule.rule.tier {
        Tier::Allow => Tone::Good,
        Tier::Ask => Tone::Warning,
        Tier::Deny => Tone::Bad,
    };
    let unreadable = rule.fault.as_ref().map(|fault| format!("cannot be read: {fault}"));
    let fault = unreadable.or_else(|| stray.map(StrayRule::consequence)).unwrap_or_default();
    vec![
        Line::new().with(tone, rule.rule.tier.as_str()),
        Line::new().with(Tone::Strong, &*rule.rule.rule),
        Line::new().with(Tone::Dim, rule.rule.place()),
        Line::new().with(Tone::Bad, fault),
    ]
}

async fn explain(context: &Context<'_>, words: &[String]) -> Result<Exit, Failure> {
    let client: Client = context.client()?;
    let call = call::understood(context, &client, words, None).await?;
    let explanation: Explanation = client.explain(&call)?;
    // A rule that was meant for this tool and misses it is worth knowing now that its tools are known.
    let strays = client.stray_rules().rules;
    client.stop().await;
    for line in explanation.to_string().lines() {
        context.terminal.data(line);
    }
    for stray in &strays {
        context.terminal.data(Line::new().with(Tone::Bad, format!("  {stray}")));
    }
    let remedies: Vec<Remedy> = explanation.decision.remedies.into_iter().map(Remedy::from).collect();
    if let Some(hint) = Hint::of(&remedies) {
        context.terminal.data(context.terminal.shown(hint.with_advice("to allow it")).to_string());
    }
    if let Some(refusal) = explanation.refusal {
        let hint = Hint::from(&Remedy::from(refusal)).with_advice("to refuse it");
        context.terminal.data(context.terminal.shown(hint).to_string());
    }
    Ok(Exit::Ok)
}

fn forget(context: &Context<'_>, rule: &str, scope: RuleScope) -> Result<Exit, Failure> {
    let client = context.client()?;
    let mut changed = Vec::new();
    for written in written_for(&client, rule) {
        changed = permissions::forget(client.configuration(), self::scope(scope), &written)?;
        if !changed.is_empty() {
            break;
        }
    }
    if changed.is_empty() {
        return Err(Failure::usage(format!("there is no rule `{rule}`")).with_hint(mcpctl(["permissions", "list"])));
    }
    for path in changed {
        context.terminal.talk(format!("forgot `{rule}` in {}", path.display()));
    }
    Ok(Exit::Ok)
}

/// What may stand in the settings for a rule as a person types it: that, or what it meant when it was written.
fn written_for(client: &Client, rule: &str) -> Vec<String> {
    let known = client.known_names();
    let meant = Tier::ALL.into_iter().filter_map(|tier| Rule::meant(rule, tier, &known).ok());
    std::iter::once(rule.to_owned()).chain(meant.map(|meant| meant.as_str().to_owned())).collect()
}
