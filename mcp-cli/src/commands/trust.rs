//! `mcpctl trust`: see exactly what a found server would run, and approve it.

use std::time::SystemTime;

use mcp_client::Configuration;
use mcp_client::config::{AutoApprove, Prompt, Resolved, Trust};

use crate::arguments::Trust as Arguments;
use crate::confirm::confirmed;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::terminal::{Line, Tone};

pub(crate) fn run(context: &Context<'_>, arguments: &Arguments) -> Result<Exit, Failure> {
    let mut configuration = context.configuration()?;
    if arguments.names.is_empty() && !arguments.settings {
        return Ok(show_waiting(context, &configuration));
    }
    let mut approved = Vec::new();
    for name in &arguments.names {
        let server = configuration
            .merged
            .awaiting(name)
            .next()
            .or_else(|| configuration.merged.server(name))
            .ok_or_else(|| Failure::usage(format!("no server `{name}` is configured")).with_hint("mcpctl list"))?;
        if let Some(confirmed) = ask(context, server, arguments)? {
            approved.push((server.clone(), confirmed));
        }
    }
    for (server, confirmed) in &approved {
        configuration.trust.approve_with(server, confirmed.iter().map(String::as_str), SystemTime::now());
    }
    if arguments.settings {
        approve_settings(context, &mut configuration, arguments.yes)?;
    }
    configuration.trust.save()?;
    for (server, _) in &approved {
        context.terminal.talk(format!("approved `{}`; any change to its definition asks again", server.name()));
    }
    Ok(Exit::Ok)
}

fn show_waiting(context: &Context<'_>, configuration: &Configuration) -> Exit {
    let terminal = context.terminal;
    let waiting: Vec<&Resolved> = configuration.waiting().collect();
    for server in &waiting {
        terminal.data_lines(description(&server.prompt()));
        terminal.hint(format!("mcpctl trust {}", server.name()));
    }
    let loosening = loosening(configuration);
    if !loosening.is_empty() {
        terminal.data_lines(loosening);
        terminal.hint("mcpctl trust --settings");
    } else if waiting.is_empty() {
        terminal.talk("Nothing waits for approval.");
    }
    Exit::Ok
}

/// What the person confirmed by name, if they approve the server; `None` when there is nothing to approve.
fn ask(context: &Context<'_>, server: &Resolved, arguments: &Arguments) -> Result<Option<Vec<String>>, Failure> {
    let name = server.name();
    match server.trusted() {
        Ok(_) => {
            context.terminal.talk(format!("`{name}` is trusted already"));
            return Ok(None);
        }
        Err(refusal) if !matches!(server.trust(), Trust::NeedsApproval { .. }) => {
            return Err(Failure::new(Exit::Denied, refusal.to_string()));
        }
        Err(_) => {}
    }
    let prompt = server.prompt();
    for line in description(&prompt) {
        context.terminal.talk(line);
    }
    if !arguments.yes && !confirmed(context.terminal, "Let it run?", &format!("mcpctl trust {name} --yes"))? {
        return Err(Failure::new(Exit::Denied, format!("`{name}` is not approved")));
    }
    let mut granted = Vec::new();
    for reach in prompt.reaches {
        // A secret, or a file beyond the project, is never granted by a sweeping yes.
        let instead = format!("mcpctl trust {name} --yes --confirm {reach}");
        let named = arguments.confirm.contains(&reach);
        if named || (!arguments.yes && confirmed(context.terminal, &format!("Let it have {reach}?"), &instead)?) {
            granted.push(reach);
        } else {
            context.terminal.talk(format!("`{name}` does not get {reach}"));
            context.terminal.hint(instead);
        }
    }
    Ok(Some(granted))
}

fn approve_settings(context: &Context<'_>, configuration: &mut Configuration, yes: bool) -> Result<(), Failure> {
    let lines = loosening(configuration);
    if lines.is_empty() {
        context.terminal.talk("The project's settings loosen nothing.");
        return Ok(());
    }
    for line in lines {
        context.terminal.talk(line);
    }
    if !yes && !confirmed(context.terminal, "Let these apply?", "mcpctl trust --settings --yes")? {
        return Err(Failure::new(Exit::Denied, "the project's settings are not approved"));
    }
    for project in &configuration.settings.projects {
        configuration.trust.approve_settings(project, SystemTime::now());
    }
    for overlay in &configuration.merged.withheld {
        configuration.trust.approve_overlay(overlay, SystemTime::now());
    }
    Ok(())
}

/// What the project's settings would loosen, and so has no effect until a person approves it.
fn loosening(configuration: &Configuration) -> Vec<Line> {
    let mut lines = Vec::new();
    for project in &configuration.settings.projects {
        for rule in &project.settings.permissions.allow {
            let place = format!("  {}", project.path.display());
            lines.push(Line::from("allow rule ").with(Tone::Strong, rule).with(Tone::Dim, place));
        }
    }
    for overlay in &configuration.merged.withheld {
        let place = format!("  {}", overlay.origin);
        lines.push(
            Line::from("changes ")
                .with(Tone::Strong, &overlay.name)
                .plain(format!(": {}", overlay.reason))
                .with(Tone::Dim, place),
        );
    }
    lines
}

/// What would run or be reached, in full, with every variable beside where its value would go.
fn description(prompt: &Prompt) -> Vec<Line> {
    let changed = if prompt.changed { "  changed since it was approved" } else { "" };
    let title = Line::new()
        .with(Tone::Strong, &prompt.name)
        .with(Tone::Dim, format!("  {}", prompt.origin))
        .with(Tone::Warning, changed);
    let fields = fields(prompt).into_iter();
    let fields = fields.map(|(name, value)| Line::from("  ").with(Tone::Dim, format!("{name:<9}")).plain(value));
    std::iter::once(title).chain(fields).collect()
}

fn fields(prompt: &Prompt) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if let Some((program, arguments)) = prompt.command_line.split_first() {
        fields.push(("runs", program.clone()));
        fields.extend(arguments.iter().map(|argument| ("with", argument.clone())));
    }
    fields.extend(prompt.directory.iter().map(|folder| ("in", folder.display().to_string())));
    fields.extend(prompt.url.iter().map(|url| ("connects", url.clone())));
    let values = if prompt.url.is_some() { "header" } else { "env" };
    fields.extend(prompt.values.iter().map(|(name, value)| (values, format!("{name}: {value}"))));
    let variables = prompt.variables.iter();
    fields.extend(variables.map(|used| ("sends", format!("{} → {}", used.variable, used.destination))));
    fields.extend(prompt.scripts.iter().map(|script| ("script", script.display().to_string())));
    fields.extend(prompt.reaches.iter().map(|reach| ("wants", format!("{reach}  (confirmed by name)"))));
    match &prompt.auto_approve {
        AutoApprove::Everything => fields.push(("unasked", "every tool".to_owned())),
        AutoApprove::Tools(tools) if !tools.is_empty() => fields.push(("unasked", tools.join(", "))),
        _ => {}
    }
    fields
}
