//! `mcpctl allow`, `ask`, `deny` and `permissions`: the rules, as a person handles them.

use mcp_client::permissions;
use mcp_client::registry::{Binding, Explanation, ListedRule, Rule, Scope, SettingsRule, Tier};
use mcp_client::{Client, Configuration};
use serde_json::{Value, json};

use crate::arguments::{PermissionsCommand, RuleArguments, RuleScope};
use crate::commands::call;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Tone, aligned};

/// Writes a rule into the settings of a scope.
pub(crate) fn write(context: &Context<'_>, tier: Tier, arguments: &RuleArguments) -> Result<Exit, Failure> {
    let rule = Rule::parse(&arguments.rule).map_err(|error| Failure::usage(mcp_client::chain(&error)))?;
    let configuration = context.configuration()?;
    let bindings = match tier {
        Tier::Allow => bindings(&configuration, &rule),
        Tier::Ask | Tier::Deny => vec![None],
    };
    if bindings.is_empty() {
        let message = format!("no configured server is meant by `{}`", rule.as_str());
        return Err(
            Failure::usage(message).with_hint("an allow rule holds for servers as they are defined now: mcpctl list")
        );
    }
    let was_trusted = is_trusted(&configuration, arguments.scope);
    let mut path = None;
    for binding in bindings {
        let rule = SettingsRule { scope: scope(arguments.scope), tier, rule: rule.as_str().to_owned(), binding };
        path = Some(permissions::write(&context.environment, &rule)?);
    }
    keep_trust(context, arguments.scope, was_trusted)?;
    if let Some(file) = path {
        context.terminal.talk(format!("{} `{}` in {}", tier.as_str(), rule.as_str(), file.display()));
    }
    Ok(Exit::Ok)
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

/// Whether everything in the scope's settings counts. A file that is not there holds nothing that would not.
fn is_trusted(configuration: &Configuration, scope: RuleScope) -> bool {
    let file = permissions::settings_file(&configuration.environment, self::scope(scope));
    let Ok(file) = file else { return false };
    let mut documents = configuration.settings.documents.iter();
    documents.find(|document| document.path == file).is_none_or(|found| found.is_trusted(&configuration.trust))
}

/// Whoever writes a rule here has approved it; what others wrote beside it is only approved if it was before.
fn keep_trust(context: &Context<'_>, scope: RuleScope, was_trusted: bool) -> Result<(), Failure> {
    if scope == RuleScope::User {
        return Ok(());
    }
    let mut configuration = context.silent_configuration();
    let file = permissions::settings_file(&context.environment, self::scope(scope))?;
    if !was_trusted {
        context.terminal.talk("the project's settings are not approved, so that its allow rules have no effect");
        context.terminal.hint("mcpctl trust --settings");
        return Ok(());
    }
    for project in configuration.settings.projects.iter().filter(|project| project.path == file) {
        configuration.trust.approve_settings(project, std::time::SystemTime::now());
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
    if as_json {
        let rows: Vec<Value> = rules.iter().map(row).collect();
        context.terminal.json(&rows);
        return Ok(Exit::Ok);
    }
    if rules.is_empty() {
        context.terminal.talk("There are no rules: what reads is allowed, what may change something asks.");
    }
    context.terminal.data_lines(aligned(&rules.iter().map(cells).collect::<Vec<_>>()));
    Ok(Exit::Ok)
}

fn row(rule: &ListedRule) -> Value {
    json!({
        "rule": &*rule.rule.rule,
        "tier": rule.rule.tier.as_str(),
        "scope": rule.rule.scope.as_str(),
        "place": rule.rule.place(),
        "fault": rule.fault.as_ref().map(ToString::to_string),
    })
}

fn cells(rule: &ListedRule) -> Vec<Line> {
    let tone = match rule.rule.tier {
        Tier::Allow => Tone::Good,
        Tier::Ask => Tone::Warning,
        Tier::Deny => Tone::Bad,
    };
    let fault = rule.fault.as_ref().map(|fault| format!("cannot be read: {fault}")).unwrap_or_default();
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
    client.stop().await;
    for line in explanation.to_string().lines() {
        context.terminal.data(line);
    }
    if let Some(remedy) = &explanation.decision.remedy {
        context.terminal.hint(remedy);
    }
    Ok(Exit::Ok)
}

fn forget(context: &Context<'_>, rule: &str, scope: RuleScope) -> Result<Exit, Failure> {
    let configuration = context.configuration()?;
    let was_trusted = is_trusted(&configuration, scope);
    let changed = permissions::forget(&configuration, self::scope(scope), rule)?;
    if changed.is_empty() {
        return Err(Failure::usage(format!("there is no rule `{rule}`")).with_hint("mcpctl permissions list"));
    }
    keep_trust(context, scope, was_trusted)?;
    for path in changed {
        context.terminal.talk(format!("forgot `{rule}` in {}", path.display()));
    }
    Ok(Exit::Ok)
}
