//! `mcpctl trust`: see exactly what a found server would run, and approve it.

use std::collections::BTreeSet;
use std::time::SystemTime;

use mcp_client::config::{Facts, Loosening, Plan, Resolved, Topic, Trust, Why};
use mcp_client::{Configuration, Remedy};

use crate::arguments::Trust as Arguments;
use crate::confirm::confirmed;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::mcpctl;
use crate::terminal::{Line, Tone};

pub(crate) fn run(context: &Context<'_>, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut configuration = context.configuration()?;
    if arguments.names.is_empty() && !arguments.settings {
        return Ok(show_waiting(context, &configuration));
    }
    let mut approved = Vec::new();
    for name in &arguments.names {
        let server =
            configuration.merged.awaiting(name).next().or_else(|| configuration.merged.server(name)).ok_or_else(
                || Failure::usage(format!("no server `{name}` is configured")).with_hint(mcpctl(["list"])),
            )?;
        approved.extend(ask(context, &configuration, server, arguments)?);
    }
    // What was shown is what is approved: the plan is not made a second time.
    for (plan, granted) in &approved {
        let granted = granted.iter().map(String::as_str);
        configuration
            .trust
            .approve_with(plan, granted, SystemTime::now())
            .map_err(|error| Failure::usage(format!("`{}` cannot be approved: {error}", plan.name())))?;
    }
    if arguments.settings {
        approve_loosenings(context, &mut configuration, arguments.yes)?;
    }
    configuration.trust.save()?;
    for (plan, _) in &approved {
        context.terminal.talk(format!("approved `{}`; any change to what it runs asks again", plan.name()));
    }
    Ok(Exit::Ok)
}

fn show_waiting(context: &Context<'_>, configuration: &Configuration) -> Exit {
    let terminal = context.terminal;
    let mut waits = false;
    for server in configuration.waiting() {
        waits = true;
        terminal.data_lines(description(&server.plan(&context.environment)));
        terminal.hint(mcpctl(["trust"]).operand(server.name()));
    }
    let loosenings: Vec<&Loosening> = configuration.loosenings().collect();
    if !loosenings.is_empty() {
        terminal.data_lines(loosenings.into_iter().flat_map(loosened));
        terminal.hint(&Remedy::TrustSettings);
    } else if !waits {
        terminal.talk("Nothing waits for approval.");
    }
    Exit::Ok
}

/// The plan the person approves, and what they confirm by name; `None` when there is nothing to approve.
fn ask(
    context: &Context<'_>,
    configuration: &Configuration,
    server: &Resolved,
    arguments: &Arguments,
) -> Result<Option<(Plan, BTreeSet<String>)>, Failure> {
    let name = server.name();
    let plan = server.plan(&context.environment);
    match (server.trusted(), server.trust()) {
        (Ok(_), Trust::Trusted { why: Why::Approved }) if !arguments.confirm.is_empty() => {
            let mut granted = configuration.trust.confirmed(server);
            granted.extend(plan.wants().filter(|want| named(arguments, want)).map(str::to_owned));
            return Ok(Some((plan, granted)));
        }
        (Ok(_), _) => {
            context.terminal.talk(format!("`{name}` is trusted already"));
            return Ok(None);
        }
        (Err(_), Trust::NeedsApproval { .. }) => {}
        (Err(refusal), _) => return Err(mcp_client::Error::NotTrusted(refusal).into()),
    }
    for line in description(&plan) {
        context.terminal.talk(line);
    }
    if let [problem, ..] = plan.obstacles() {
        let failure = Failure::usage(format!("`{name}` cannot be approved: {}", problem.message));
        return Err(match &problem.fix {
            Some(fix) => failure.with_hint(&Remedy::from(fix.clone())),
            None => failure,
        });
    }
    if !arguments.yes && !confirmed(context.terminal, "Let it run?", mcpctl(["trust", "--yes"]).operand(name))? {
        return Err(Failure::new(Exit::Denied, format!("`{name}` is not approved")));
    }
    let granted = confirm_wants(context, &plan, arguments)?;
    Ok(Some((plan, granted)))
}

/// What a server wants beyond its project is never granted by a sweeping yes.
fn confirm_wants(context: &Context<'_>, plan: &Plan, arguments: &Arguments) -> Result<BTreeSet<String>, Failure> {
    let name = plan.name();
    let mut granted = BTreeSet::new();
    for want in plan.wants() {
        let instead = mcpctl(["trust", "--yes"]).option("--confirm", want).operand(name);
        let question = format!("Let it have {want}?");
        if named(arguments, want) || (!arguments.yes && confirmed(context.terminal, &question, instead.clone())?) {
            granted.insert(want.to_owned());
        } else {
            context.terminal.talk(format!("`{name}` does not get {want}"));
            context.terminal.hint(instead);
        }
    }
    Ok(granted)
}

fn named(arguments: &Arguments, want: &str) -> bool {
    arguments.confirm.iter().any(|named| named == want)
}

fn approve_loosenings(context: &Context<'_>, configuration: &mut Configuration, yes: bool) -> Result<(), Failure> {
    let loosenings: Vec<Loosening> = configuration.loosenings().cloned().collect();
    if loosenings.is_empty() {
        context.terminal.talk("The project's settings loosen nothing.");
        return Ok(());
    }
    for line in loosenings.iter().flat_map(loosened) {
        context.terminal.talk(line);
    }
    if !yes && !confirmed(context.terminal, "Let these apply?", mcpctl(["trust", "--settings", "--yes"]))? {
        return Err(Failure::new(Exit::Denied, "the project's settings are not approved"));
    }
    for loosening in &loosenings {
        configuration.trust.approve_loosening(loosening, SystemTime::now());
    }
    context.terminal.talk("approved the project's settings; any change to one of these asks again");
    Ok(())
}

/// What a project's file would loosen, in full.
fn loosened(loosening: &Loosening) -> Vec<Line> {
    let mut lines = fact_lines(loosening.facts());
    if let Some(last) = lines.last_mut() {
        *last = std::mem::take(last).with(Tone::Dim, format!("  {}", loosening.path.display()));
    }
    lines
}

/// What would run or be reached, in full, with every variable beside where its value would go.
fn description(plan: &Plan) -> Vec<Line> {
    let changed = if plan.is_changed() { "  changed since it was approved" } else { "" };
    let title = Line::new()
        .with(Tone::Strong, plan.name())
        .with(Tone::Dim, format!("  {}", plan.origin()))
        .with(Tone::Warning, changed);
    std::iter::once(title).chain(fact_lines(&plan.facts())).collect()
}

/// One line a fact; these are all there are, and their digest is what is approved.
fn fact_lines(facts: &Facts) -> Vec<Line> {
    let line = |fact: &mcp_client::config::Fact| {
        let between = if fact.topic == Topic::Sends { " → " } else { ": " };
        let words = match (&fact.name, fact.text.as_str()) {
            (Some(name), "") => name.clone(),
            (Some(name), text) => format!("{name}{between}{text}"),
            (None, text) => text.to_owned(),
        };
        let by_name = if fact.topic == Topic::Wants { "  (confirmed by name)" } else { "" };
        let digest = fact.shown_digest().map(|digest| format!("  sha256 {digest}")).unwrap_or_default();
        let label = format!("{:<9}", fact.topic.label());
        Line::from("  ").with(Tone::Dim, label).plain(words).with(Tone::Dim, format!("{by_name}{digest}"))
    };
    facts.iter().map(line).collect()
}
