//! `mcpctl doctor`: everything that is wrong with the configuration, and what mends it.

use mcp_client::config::{Problem, ProblemKind, Severity};
use mcp_client::registry::Problem as RuleProblem;
use mcp_client::{Client, Remedy, pin_problems};
use serde_json::{Value, json};

use crate::arguments::Doctor;
use crate::context::{AUDIT, Context};
use crate::exit::Exit;
use crate::terminal::{Line, Terminal, Tone};

pub(crate) fn run(context: &Context<'_>, arguments: &Doctor) -> Exit {
    let client = context.silent_client();
    let mut problems = client.diagnose();
    problems.extend(pin_problems(client.configuration()));
    problems.extend(client.left_out());
    problems.extend(rule_problems(&client));
    problems.extend(
        client
            .audit_problem()
            .map(|problem| Problem::new(Severity::Warning, ProblemKind::Unreadable, format!("{AUDIT}{problem}"))),
    );
    let is_wrong = problems.iter().any(|problem| problem.severity > Severity::Note);
    if arguments.json {
        context
            .terminal
            .json(&problems.into_iter().map(|problem| row(context.terminal, problem)).collect::<Vec<Value>>());
    } else if problems.is_empty() {
        context.terminal.talk("Nothing is wrong.");
    } else {
        for problem in &problems {
            print(context, problem);
        }
    }
    if is_wrong { Exit::Usage } else { Exit::Ok }
}

/// What is wrong with the permission rules.
fn rule_problems(client: &Client) -> Vec<Problem> {
    let strays = client.stray_rules();
    let stray = strays.rules.iter().map(|stray| (ProblemKind::Unused, stray.problem()));
    let unreadable = client.rule_problems().iter().map(|problem| (ProblemKind::Shape, problem.clone()));
    let placed = |(kind, found): (ProblemKind, RuleProblem)| {
        let problem = Problem::new(Severity::Warning, kind, format!("permission rule: {}", found.message));
        match found.place.rsplit_once(":/permissions") {
            Some((path, rest)) => problem.with_path(path).with_pointer(format!("/permissions{rest}")),
            None => problem.with_path(found.place.trim_end_matches(':')),
        }
    };
    let cut = "there are too many permission rules to tell which of them are about nothing";
    let cut = strays.is_cut.then(|| Problem::new(Severity::Warning, ProblemKind::Unused, cut));
    unreadable.chain(stray).map(placed).chain(cut).collect()
}

/// The problem as a program reads it, with what mends it as commands of ours.
fn row(terminal: &Terminal, mut problem: Problem) -> Value {
    let fix = problem.fix.take().map(|fix| terminal.shown(&Remedy::from(fix)));
    let mut row = json!(problem);
    if let (Some(row), Some(fix)) = (row.as_object_mut(), fix) {
        row.insert("fix".to_owned(), fix.json());
    }
    row
}

fn print(context: &Context<'_>, problem: &Problem) {
    let tone = match problem.severity {
        Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Dim,
    };
    let mut problem = problem.clone();
    // The fix has a line of its own.
    let fix = problem.fix.take();
    context.terminal.data(Line::new().with(tone, problem.to_string()));
    if let Some(fix) = fix {
        context.terminal.data(
            Line::from("    ").with(Tone::Dim, "fix: ").plain(context.terminal.shown(&Remedy::from(fix)).to_string()),
        );
    }
}
