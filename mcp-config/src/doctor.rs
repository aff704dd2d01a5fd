//! Says everything that is wrong with a configuration, and what mends it.

mod machine;
mod package;

pub use machine::{Machine, ThisMachine};

use std::collections::BTreeMap;
use std::path::Path;

use crate::discovery::Found;
use crate::mask;
use crate::merge::Merged;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::remedy::Remedy;
use crate::resolved::{Resolved, Trust};
use crate::secret::Secret;
use crate::server::{LaunchTemplate, ServerConfig, StdioTemplate};
use crate::source::Scope;
use crate::template::Template;
use crate::trusted::{Activated, Launch, Trusted};

/// What a start makes of a definition; see [`diagnose`].
pub type Activate<'a> = dyn Fn(&Resolved, &Trusted<ServerConfig>) -> Result<Activated, Problem> + 'a;

/// Examines a configuration. The answer depends on the arguments alone.
///
/// `activate` is whatever a start activates with, [`Trusted::activate_with`] with the answers that a start has: what keeps a
/// server from starting is then found here by the very function that will find it.
///
/// It holds, in this order:
///
/// 1. what is wrong with the files, as [`Discovery::load`](crate::Discovery::load) found it;
/// 2. for every server, by name: whether it waits for approval or import, or is refused; what keeps its definition from being
///    activated; a program or a directory that is not there; a package that is not pinned to a version; a secret in clear in a file that others
///    can read, or in a project's file; a secret sent without encryption;
/// 3. overlays that are not applied, and servers that are the same under two names.
///
/// Notes are for information; a configuration is sound when nothing in the list is worse than that.
///
/// ```
/// use mcp_config::{Discovery, Environment, Merged, ThisMachine, diagnose};
///
/// let environment = Environment::new("/nonexistent");
/// let found = Discovery::new(&environment).load();
/// let machine = ThisMachine::new(&environment);
/// let problems = diagnose(&found, &Merged::default(), &machine, &|_, trusted| trusted.activate(&environment));
/// assert_eq!(problems, []);
/// ```
pub fn diagnose(found: &Found, merged: &Merged, machine: &dyn Machine, activate: &Activate<'_>) -> Vec<Problem> {
    let mut problems = found.problems.clone();
    problems.extend(merged.problems.iter().cloned());
    for server in &merged.servers {
        let mut examination = Examination { server, machine, problems: &mut problems };
        examination.trust();
        if server.enabled() {
            examination.start(activate);
        }
        examination.package();
        examination.secrets();
    }
    for withheld in &merged.withheld {
        let problem = Problem::new(
            Severity::Note,
            ProblemKind::Approval,
            format!("an overlay is not applied: {}", withheld.reason),
        );
        problems.push(place(problem, &withheld.name, &withheld.origin));
    }
    problems.extend(twins(merged));
    problems
}

/// One server under examination.
struct Examination<'a> {
    server: &'a Resolved,
    machine: &'a dyn Machine,
    problems: &'a mut Vec<Problem>,
}

impl Examination<'_> {
    fn report(&mut self, severity: Severity, kind: ProblemKind, message: String, fix: Option<Remedy>) {
        let problem = place(Problem::new(severity, kind, message), &self.server.name, &self.server.origin);
        self.problems.push(match fix {
            Some(fix) => problem.with_fix(fix),
            None => problem,
        });
    }

    fn trust(&mut self) {
        let name = &self.server.name;
        let host = self.server.origin.source.host;
        let (severity, message, fix) = match &self.server.trust {
            Trust::Trusted { .. } => return,
            Trust::NeedsApproval { changed: false } => {
                (Severity::Warning, "it does not start before it is approved".to_owned(), Remedy::trust(name.as_str()))
            }
            Trust::NeedsApproval { changed: true } => {
                (Severity::Warning, "it has changed since it was approved".to_owned(), Remedy::trust(name.as_str()))
            }
            Trust::Imported => {
                (Severity::Note, format!("it belongs to {host} and does not start here"), Remedy::import(host))
            }
            Trust::Denied { reason } => {
                let message = format!("it is refused: {reason}");
                return self.report(Severity::Warning, ProblemKind::Refused, message, None);
            }
        };
        self.report(severity, ProblemKind::Approval, message, Some(fix));
    }

    /// Does what a start does before it starts anything.
    fn start(&mut self, activate: &Activate<'_>) {
        let Ok(trusted) = self.server.trusted() else { return };
        match activate(self.server, &trusted) {
            Ok(Activated { launch: Launch::Stdio { command, env, cwd, .. }, .. }) => {
                let path = env.get("PATH").map(Secret::expose);
                self.program(&command, path, &cwd);
            }
            Ok(_) => {}
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Looks for the program, and for the directory it starts in. What is shown of them is what is written: what variables put in
    /// may be a secret.
    fn program(&mut self, program: &str, path: Option<&str>, directory: &Path) {
        let Some(stdio) = self.stdio() else { return };
        let written = mask::argument(stdio.command.raw());
        let fix = package::install_hint(stdio.command.raw());
        if !self.machine.has_directory(directory) {
            let message = match &stdio.cwd {
                Some(cwd) => format!("`cwd` is no directory that is there: `{}`", mask::argument(cwd.raw())),
                None => format!("the directory it starts in is not there: `{}`", directory.display()),
            };
            self.report(Severity::Error, ProblemKind::Unreadable, message, None);
        } else if !self.machine.has_program(program, path, directory) {
            let message = format!("the program `{written}` is not there");
            self.report(Severity::Error, ProblemKind::MissingProgram, message, Some(fix.into()));
        }
    }

    fn package(&mut self) {
        let Some(stdio) = self.stdio() else { return };
        let words: Vec<&str> = std::iter::once(&stdio.command).chain(&stdio.args).map(Template::raw).collect();
        if let Some(unpinned) = package::unpinned(&words) {
            let message =
                format!("`{}` runs whatever version is newest at each start", mask::argument(&unpinned.package));
            self.report(Severity::Note, ProblemKind::Unsafe, message, Some(unpinned.fix.into()));
        }
    }

    fn secrets(&mut self) {
        let literals = self.literal_secrets();
        let path = self.server.origin.path.clone();
        if let Some(field) = literals.first() {
            let (kind, fix) = (ProblemKind::Unsafe, Some("put the value in a variable and write `${NAME}`".into()));
            if self.server.origin.source.scope == Scope::Project && path.starts_with(&self.server.context.workspace) {
                let message = format!("`{field}` holds a secret in clear in a file of the project");
                self.report(Severity::Warning, kind, message, fix);
            } else if self.machine.mode(&path).is_some_and(|mode| mode & 0o077 != 0) {
                let message = format!("`{field}` holds a secret in clear, and others can read the file");
                self.report(Severity::Warning, kind, message, Some(Remedy::chmod("600", &path)));
            }
        }
        if let LaunchTemplate::Remote(remote) = &self.server.config.launch
            && !remote.headers.is_empty()
            && is_unencrypted(remote.url.raw())
        {
            let message = "headers are sent without encryption".to_owned();
            self.report(Severity::Warning, ProblemKind::Unsafe, message, Some("use an https:// URL".into()));
        }
    }

    /// Returns the fields whose name announces a secret and whose value is spelt out.
    fn literal_secrets(&self) -> Vec<String> {
        let templates = self.server.config.templates();
        let is_literal = |template: &Template| template.references().is_empty() && !template.raw().is_empty();
        let announces = |field: &str| field.split_once('.').is_some_and(|(_, name)| mask::is_secret_name(name));
        templates
            .into_iter()
            .filter(|(field, template)| announces(field) && is_literal(template))
            .map(|(field, _)| field)
            .collect()
    }

    fn stdio(&self) -> Option<&StdioTemplate> {
        match &self.server.config.launch {
            LaunchTemplate::Stdio(stdio) => Some(stdio),
            LaunchTemplate::Remote(_) => None,
        }
    }
}

fn place(problem: Problem, server: &str, origin: &crate::source::Origin) -> Problem {
    problem
        .with_path(&origin.path)
        .at(origin.line, origin.column)
        .with_pointer(origin.pointer.as_str())
        .with_server(server)
}

/// Loopback needs no encryption.
fn is_unencrypted(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let is_loopback = ["localhost", "127.", "[::1]"].iter().any(|loopback| host.starts_with(loopback));
    !is_loopback && !host.starts_with("${")
}

/// Servers that start the same thing under two names.
fn twins(merged: &Merged) -> Vec<Problem> {
    let mut known: BTreeMap<Vec<&str>, &Resolved> = BTreeMap::new();
    let mut problems = Vec::new();
    for server in merged.servers.iter().filter(|server| server.enabled()) {
        let key = match &server.config.launch {
            LaunchTemplate::Stdio(stdio) => {
                let values = stdio.env.iter().flat_map(|(name, value)| [name.as_str(), value.raw()]);
                std::iter::once(stdio.command.raw()).chain(stdio.args.iter().map(Template::raw)).chain(values).collect()
            }
            LaunchTemplate::Remote(remote) => {
                let values = remote.headers.iter().flat_map(|(name, value)| [name.as_str(), value.raw()]);
                std::iter::once(remote.url.raw()).chain(values).collect()
            }
        };
        match known.get(&key) {
            Some(twin) => {
                let message = format!("it is the same server as `{}`, from {}", twin.name, twin.origin);
                let problem = Problem::new(Severity::Note, ProblemKind::Conflict, message);
                problems.push(place(problem, &server.name, &server.origin).with_fix("remove one of the two"));
            }
            None => drop(known.insert(key, server)),
        }
    }
    problems
}
