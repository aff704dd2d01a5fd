//! `mcpctl schema`: what a provider makes of a schema, for whoever writes tools. Connects to nothing.

use std::io::Read as _;

use mcp_client::schema::{Conversion, Finding, Limits, Profile, Report, Schema, convert, lint};
use serde_json::{Value, json};

use crate::arguments::{SchemaCommand, SchemaInput};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::hint::Hint;
use crate::terminal::{Line, Tone};

pub(crate) fn run(context: &Context<'_>, command: SchemaCommand) -> Result<Exit, Failure> {
    match command {
        SchemaCommand::Lint(input) => run_lint(context, &input),
        SchemaCommand::Convert { input, lossless } => run_convert(context, &input, lossless),
        SchemaCommand::Explain(input) => run_explain(context, &input),
        SchemaCommand::Decode { input, arguments } => run_decode(context, &input, &arguments),
    }
}

/// A schema, and the name of the tool it belongs to.
struct Named {
    name: String,
    schema: Value,
}

fn run_lint(context: &Context<'_>, input: &SchemaInput) -> Result<Exit, Failure> {
    let profile = profile(&input.profile)?;
    let linted: Vec<(String, Vec<Finding>)> =
        read(input)?.into_iter().map(|named| (named.name, lint(&named.schema, &profile))).collect();
    let clean = linted.iter().all(|(_, findings)| findings.is_empty());
    if input.json {
        let rows: Vec<Value> =
            linted.iter().map(|(name, findings)| json!({"tool": name, "findings": findings})).collect();
        context.terminal.json(&rows);
    } else {
        for (name, findings) in &linted {
            for finding in findings {
                context.terminal.data(finding_line(name, finding));
                if let Some(error) = &finding.provider_error {
                    context
                        .terminal
                        .data(Line::from("    ").with(Tone::Dim, format!("{} answers: ", profile.id)).plain(error));
                }
            }
        }
        if clean {
            context.terminal.talk(format!("{} accepts this", profile.title));
        }
    }
    Ok(if clean { Exit::Ok } else { Exit::Usage })
}

fn finding_line(name: &str, finding: &Finding) -> Line {
    let place = if finding.pointer.is_empty() { "/" } else { &finding.pointer };
    Line::new()
        .with(Tone::Strong, format!("{name} "))
        .plain(format!("{place}: {} ", finding.message))
        .with(Tone::Dim, format!("[{}]", finding.rule))
}

fn run_convert(context: &Context<'_>, input: &SchemaInput, lossless: bool) -> Result<Exit, Failure> {
    let profile = profile(&input.profile)?;
    let converted = converted(read(input)?, &profile)?;
    let kept = converted.iter().all(|(_, conversion)| conversion.report.is_lossless());
    match converted.as_slice() {
        [(_, conversion)] => context.terminal.json(&conversion.schema),
        many => {
            let rows: Vec<Value> =
                many.iter().map(|(name, conversion)| json!({"tool": name, "schema": conversion.schema})).collect();
            context.terminal.json(&rows);
        }
    }
    for (name, conversion) in &converted {
        for line in losses(name, &conversion.report) {
            context.terminal.talk(line);
        }
    }
    Ok(if lossless && !kept { Exit::Usage } else { Exit::Ok })
}

fn run_explain(context: &Context<'_>, input: &SchemaInput) -> Result<Exit, Failure> {
    let profile = profile(&input.profile)?;
    let converted = converted(read(input)?, &profile)?;
    if input.json {
        let rows: Vec<Value> =
            converted.iter().map(|(name, conversion)| json!({"tool": name, "report": conversion.report})).collect();
        context.terminal.json(&rows);
        return Ok(Exit::Ok);
    }
    let terminal = context.terminal;
    terminal.data(Line::new().with(Tone::Strong, &profile.title).with(Tone::Dim, format!("  as of {}", profile.dated)));
    terminal.data_lines(profile.sources.iter().map(|source| Line::from("  ").with(Tone::Dim, source)));
    for (name, conversion) in &converted {
        if conversion.report.is_lossless() {
            terminal.data(Line::new().with(Tone::Strong, name).with(Tone::Good, "  nothing is lost"));
        }
        terminal.data_lines(losses(name, &conversion.report));
    }
    Ok(Exit::Ok)
}

fn losses(name: &str, report: &Report) -> Vec<Line> {
    let line = |loss: &mcp_client::schema::Loss| {
        let place = if loss.pointer.is_empty() { "/" } else { &loss.pointer };
        Line::new()
            .with(Tone::Strong, format!("{name} "))
            .with(Tone::Warning, format!("{:?} ", loss.kind).to_lowercase())
            .plain(format!("{place} {}: {}", loss.keyword, loss.reason))
    };
    report.losses.iter().map(line).collect()
}

fn run_decode(context: &Context<'_>, input: &SchemaInput, arguments: &str) -> Result<Exit, Failure> {
    let profile = profile(&input.profile)?;
    let converted = converted(read(input)?, &profile)?;
    let [(_, conversion)] = converted.as_slice() else {
        return Err(Failure::usage("decoding needs one schema, not a list of tools"));
    };
    let arguments = serde_json::from_str(arguments)
        .map_err(|error| Failure::usage(format!("the arguments are no JSON: {error}")))?;
    context.terminal.json(&conversion.codec.decode(arguments));
    Ok(Exit::Ok)
}

fn converted(schemas: Vec<Named>, profile: &Profile) -> Result<Vec<(String, Conversion)>, Failure> {
    let convert_one = |Named { name, schema }: Named| match Schema::parse(schema, Limits::default()) {
        Ok(schema) => Ok((name, convert(&schema, profile))),
        Err(error) => Err(Failure::usage(format!("{name}: {}", mcp_client::chain(&error)))),
    };
    schemas.into_iter().map(convert_one).collect()
}

fn profile(id: &str) -> Result<Profile, Failure> {
    Profile::builtin(id).ok_or_else(|| {
        Failure::usage(format!("no provider profile `{id}`"))
            .with_hint(Hint::advice(format!("choose one of: {}", Profile::builtin_ids().join(", "))))
    })
}

/// Reads a schema, a tool, or a list of tools as `tools/list` gives them.
fn read(input: &SchemaInput) -> Result<Vec<Named>, Failure> {
    let name = input.file.as_ref().map_or_else(|| "stdin".to_owned(), |file| file.display().to_string());
    let text = match &input.file {
        Some(file) if file.as_os_str() != "-" => std::fs::read_to_string(file),
        _ => read_stdin(),
    };
    let text = text.map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| Failure::usage(format!("{name} is no JSON: {error}")))?;
    Ok(schemas(name, value))
}

fn read_stdin() -> std::io::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

fn schemas(name: String, mut value: Value) -> Vec<Named> {
    let tools = match &mut value {
        Value::Array(tools) => Some(std::mem::take(tools)),
        Value::Object(list) => list.get_mut("tools").and_then(Value::as_array_mut).map(std::mem::take),
        _ => None,
    };
    match tools {
        Some(tools) => {
            tools.into_iter().enumerate().map(|(index, tool)| of_tool(format!("tool {index}"), tool)).collect()
        }
        None => vec![of_tool(name, value)],
    }
}

/// The input schema of a tool; anything that is no tool is a schema itself.
fn of_tool(fallback: String, mut value: Value) -> Named {
    let name = value.get("name").and_then(Value::as_str).map_or(fallback, str::to_owned);
    match value.get_mut("inputSchema").map(Value::take) {
        Some(schema) => Named { name, schema },
        None => Named { name, schema: value },
    }
}
