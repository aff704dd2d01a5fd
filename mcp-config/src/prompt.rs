//! What a person is shown before agreeing that a server may run.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::mask;
use crate::resolved::{Resolved, Trust};
use crate::server::{AutoApprove, LaunchTemplate, RemoteTemplate, StdioTemplate};
use crate::source::Origin;
use crate::template::{Template, Variable};

/// Everything that approving a server agrees to, exact and in full.
///
/// Unlike a [`Preview`](crate::Preview) it hides nothing that decides what happens: the command line and the URL are shown
/// letter by letter, and so are the values of variables such as `LD_PRELOAD`, which decide as much as the command does.
/// Only the values of variables and headers whose name announces a secret are hidden. It is for a person's eyes at that
/// moment, so it has no `Serialize`; `Display` writes one fact a line and escapes what a terminal would act on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The server.
    pub name: String,
    /// Where it is defined.
    pub origin: Origin,
    /// Whether it was approved before and has changed since.
    pub changed: bool,
    /// The program and its arguments, exact; empty for a remote server.
    pub command_line: Vec<String>,
    /// The directory the program runs in.
    pub directory: Option<PathBuf>,
    /// The endpoint, exact; `None` for a program.
    pub url: Option<String>,
    /// The variables a program is given, or the headers sent to the endpoint, with what they hold.
    pub values: Vec<(String, String)>,
    /// Every variable that leaves, and where it goes.
    pub variables: Vec<VariableUse>,
    /// The files of the workspace it runs; changing one asks again.
    pub scripts: Vec<PathBuf>,
    /// What it asks for beyond its project, each to be confirmed by name; see [`Resolved::reaches`].
    pub reaches: Vec<String>,
    /// The tools it wants called without asking.
    pub auto_approve: AutoApprove,
}

/// A variable, and where its value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariableUse {
    /// The variable, such as `$AWS_SECRET` or `${keyring:github}`.
    pub variable: String,
    /// Where the value goes: the endpoint, or the program.
    pub destination: String,
    /// The field that holds it, such as `headers.Authorization`.
    pub field: String,
}

impl Resolved {
    /// Returns what a person should see before approving the server.
    pub fn prompt(&self) -> Prompt {
        let mut prompt = Prompt {
            name: self.name.clone(),
            origin: self.origin.clone(),
            changed: self.trust == Trust::NeedsApproval { changed: true },
            command_line: Vec::new(),
            directory: None,
            url: None,
            values: Vec::new(),
            variables: Vec::new(),
            scripts: self.context.scripts.iter().map(|script| script.path.clone()).collect(),
            reaches: self.reaches(),
            auto_approve: self.config.auto_approve.clone(),
        };
        match &self.config.launch {
            LaunchTemplate::Stdio(stdio) => self.show_program(stdio, &mut prompt),
            LaunchTemplate::Remote(remote) => show_endpoint(remote, &mut prompt),
        }
        prompt.variables = self.variables();
        prompt
    }

    fn show_program(&self, stdio: &StdioTemplate, prompt: &mut Prompt) {
        prompt.command_line =
            std::iter::once(&stdio.command).chain(&stdio.args).map(|word| word.raw().to_owned()).collect();
        prompt.directory = Some(match &stdio.cwd {
            Some(cwd) => self.context.default_cwd.join(cwd.raw()),
            None => self.context.default_cwd.clone(),
        });
        prompt.values = stdio.env.iter().map(|(name, value)| shown(name, value)).collect();
        prompt.values.extend(stdio.env_file.iter().map(|file| ("envFile".to_owned(), file.raw().to_owned())));
    }

    /// Returns what a project's server asks for beyond its project, each in the form in which it is confirmed:
    /// `keyring:NAME` for a secret, `file:PATH` for a file outside the workspace.
    ///
    /// Other servers may have what they ask for, and have an empty list.
    pub fn reaches(&self) -> Vec<String> {
        if !self.context.confined {
            return Vec::new();
        }
        let mut reaches = Vec::new();
        for (field, template) in self.config.templates() {
            if field == "envFile" {
                reaches.extend(self.file_reach(template.raw(), template.references().is_empty()));
            }
            for reference in template.references() {
                match reference.variable {
                    Variable::Keyring(name) => reaches.push(format!("keyring:{name}")),
                    Variable::File(path) => reaches.extend(self.file_reach(&path, true)),
                    _ => {}
                }
            }
        }
        reaches.sort();
        reaches.dedup();
        reaches
    }

    /// A file inside the workspace is the project's own.
    fn file_reach(&self, path: &str, is_known: bool) -> Option<String> {
        let absolute = crate::disk::canonical(&self.context.default_cwd.join(path));
        let inside = is_known && !path.starts_with('~') && absolute.starts_with(&self.context.workspace);
        (!inside).then(|| format!("file:{path}"))
    }

    fn variables(&self) -> Vec<VariableUse> {
        let destination = match &self.config.launch {
            LaunchTemplate::Stdio(stdio) => stdio.command.raw().to_owned(),
            LaunchTemplate::Remote(remote) => remote.url.raw().to_owned(),
        };
        let uses = |(field, template): (String, &Template)| {
            let destination = destination.clone();
            let variables = template.references().into_iter().filter_map(|reference| match reference.variable {
                Variable::Environment(name) => Some(format!("${name}")),
                Variable::Input(_) | Variable::Keyring(_) | Variable::File(_) => Some(reference.text),
                _ => None,
            });
            variables
                .map(|variable| VariableUse { variable, destination: destination.clone(), field: field.clone() })
                .collect::<Vec<_>>()
        };
        let mut variables: Vec<VariableUse> = self.config.templates().into_iter().flat_map(uses).collect();
        if let LaunchTemplate::Stdio(stdio) = &self.config.launch {
            variables.extend(stdio.forward.iter().map(|name| VariableUse {
                variable: format!("${name}"),
                destination: destination.clone(),
                field: format!("env.{name}"),
            }));
        }
        variables
    }
}

fn show_endpoint(remote: &RemoteTemplate, prompt: &mut Prompt) {
    prompt.url = Some(remote.url.raw().to_owned());
    prompt.values = remote.headers.iter().map(|(name, value)| shown(name, value)).collect();
}

fn shown(name: &str, value: &Template) -> (String, String) {
    let value = if mask::is_secret_name(name) { mask::value(value) } else { value.raw().to_owned() };
    (name.to_owned(), value)
}

/// `{:?}` escapes control characters, and every character that is not shown or changes the direction of text.
impl fmt::Display for Prompt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.changed { "has changed, and wants to" } else { "wants to" };
        writeln!(
            formatter,
            "server {:?} from {:?} line {} {verb}",
            self.name,
            text(&self.origin.path),
            self.origin.line
        )?;
        if let Some(url) = &self.url {
            writeln!(formatter, "  connect to {url:?}")?;
        } else {
            let words: Vec<String> = self.command_line.iter().map(|word| format!("{word:?}")).collect();
            writeln!(formatter, "  run        {}", words.join(" "))?;
        }
        if let Some(directory) = &self.directory {
            writeln!(formatter, "  in         {:?}", text(directory))?;
        }
        for (name, value) in &self.values {
            writeln!(formatter, "  with       {name:?} = {value:?}")?;
        }
        for VariableUse { variable, destination, field } in &self.variables {
            writeln!(formatter, "  sending    {} → {destination:?} ({field:?})", variable.escape_debug())?;
        }
        for script in &self.scripts {
            writeln!(formatter, "  executing  {:?}", text(script))?;
        }
        for reach in &self.reaches {
            writeln!(formatter, "  reaching   {reach:?}")?;
        }
        match &self.auto_approve {
            AutoApprove::Nothing => Ok(()),
            AutoApprove::Everything => writeln!(formatter, "  and to have all its tools called without asking"),
            AutoApprove::Tools(tools) => writeln!(formatter, "  and to have {tools:?} called without asking"),
        }
    }
}

/// A path as text; what is not Unicode in it is replaced, and nothing is lost that a person could read.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
