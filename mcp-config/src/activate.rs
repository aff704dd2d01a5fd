//! Expands a definition into something that can be started.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use indexmap::IndexMap;

use crate::disk;
use crate::document::{self, pointer_join};
use crate::env_file;
use crate::environment::Environment;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::resolved::LaunchContext;
use crate::secret::Secret;
use crate::server::{Input, LaunchTemplate, RemoteTemplate, RemoteTransport, ServerConfig, StdioTemplate};
use crate::template::{Syntax, Template, Unresolved, Values, Variable, expand};
use crate::trusted::{Activated, Answers, Launch, Trusted};

pub(crate) fn activate(
    trusted: &Trusted<ServerConfig>,
    environment: &Environment,
    answers: &dyn Answers,
) -> Result<Activated, Problem> {
    let activation = Activation { trusted, environment, answers };
    activation.check_scripts()?;
    let config = &trusted.value;
    let launch = match &config.launch {
        LaunchTemplate::Stdio(stdio) => activation.stdio(stdio)?,
        LaunchTemplate::Remote(remote) => activation.remote(remote)?,
    };
    let client_secret = config.oauth.client_secret.as_ref();
    let client_secret = client_secret.map(|secret| activation.expand("oauth.clientSecret", secret)).transpose()?;
    Ok(Activated {
        launch,
        timeouts: config.timeouts,
        tools: config.tools.clone(),
        inherit: config.inherit,
        auto_approve: config.auto_approve.clone(),
        oauth: config.oauth.clone(),
        client_secret: client_secret.map(Secret::new),
        hints: config.hints.clone(),
    })
}

struct Activation<'a> {
    trusted: &'a Trusted<ServerConfig>,
    environment: &'a Environment,
    answers: &'a dyn Answers,
}

impl Activation<'_> {
    /// A script that was approved and then changed is not the script that was approved.
    fn check_scripts(&self) -> Result<(), Problem> {
        for script in &self.trusted.context.scripts {
            if script.content.is_none() || disk::digest(&script.path) != script.content {
                let message = format!("`{}` has changed since the server was approved", script.path.display());
                return Err(self
                    .problem(ProblemKind::Approval, message, "")
                    .with_fix(format!("look at the file, then: mcpctl trust {}", self.trusted.name)));
            }
        }
        Ok(())
    }

    fn stdio(&self, stdio: &StdioTemplate) -> Result<Launch, Problem> {
        let base = &self.trusted.context.default_cwd;
        let cwd = match &stdio.cwd {
            Some(cwd) => self.path(base, &self.expand("cwd", cwd)?),
            None => base.clone(),
        };
        let command = self.expand("command", &stdio.command)?;
        let command = if command.contains(['/', '\\']) {
            self.path(&cwd, &command).to_string_lossy().into_owned()
        } else {
            command
        };
        let mut args = Vec::with_capacity(stdio.args.len());
        for (index, argument) in stdio.args.iter().enumerate() {
            args.push(self.expand(&format!("args[{index}]"), argument)?);
        }
        let mut env = IndexMap::new();
        for name in &stdio.forward {
            env.extend(self.environment.var(name).map(|value| (name.clone(), Secret::new(value))));
        }
        if let Some(file) = &stdio.env_file {
            env.extend(self.env_file(file)?);
        }
        for (name, value) in &stdio.env {
            env.insert(name.clone(), Secret::new(self.expand(&format!("env.{name}"), value)?));
        }
        Ok(Launch::Stdio { command, args, env, cwd })
    }

    fn remote(&self, remote: &RemoteTemplate) -> Result<Launch, Problem> {
        let url = self.expand("url", &remote.url)?.trim().to_owned();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let message = "expected `url` to begin with https:// or http:// once its variables have values".to_owned();
            return Err(self.problem(ProblemKind::Shape, message, "url"));
        }
        let mut headers = IndexMap::new();
        for (name, value) in &remote.headers {
            let field = format!("headers.{name}");
            let value = self.expand(&field, value)?;
            if value.chars().any(|character| character.is_control() && character != '\t') {
                let message = format!("`{field}` holds a control character once its variables have values");
                return Err(self.problem(ProblemKind::Shape, message, &field));
            }
            headers.insert(name.clone(), Secret::new(value));
        }
        Ok(match remote.transport {
            RemoteTransport::Http => Launch::Http { url, headers },
            RemoteTransport::Sse => Launch::Sse { url, headers },
            RemoteTransport::HttpAuto => Launch::HttpAuto { url, headers },
        })
    }

    fn path(&self, base: &Path, path: &str) -> PathBuf {
        let path = Path::new(path);
        match (path.strip_prefix("~"), &self.environment.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            // `./x` below `/p` is `/p/x`: some programs take the dot for part of the name.
            _ => base.join(path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>()),
        }
    }

    fn env_file(&self, file: &Template) -> Result<Vec<(String, Secret)>, Problem> {
        let failed = |message: String| self.problem(ProblemKind::Unreadable, message, "envFile");
        let path = self.path(&self.trusted.context.default_cwd, &self.expand("envFile", file)?);
        let values = self.values();
        values.check_reach(&format!("file:{}", file.raw()), Some(&path)).map_err(&failed)?;
        let bytes = disk::read(&path, disk::MAX_FILE)?
            .ok_or_else(|| failed(format!("expected the file `{}`, found none", path.display())))?;
        let text = document::decode(&bytes).map_err(|problem| problem.with_path(&path))?;
        env_file::parse(&text.content)
            .map_err(|line| failed(format!("expected `NAME=value` on line {line} of `{}`", path.display())))
    }

    fn expand(&self, field: &str, template: &Template) -> Result<String, Problem> {
        let is_word = field == "command" || field.starts_with("args");
        let strict = template.syntax() != Syntax::None || !is_word;
        expand(template, &self.values(), strict).map_err(|unresolved| self.unresolved(field, template, unresolved))
    }

    fn unresolved(&self, field: &str, template: &Template, unresolved: Unresolved) -> Problem {
        match unresolved {
            Unresolved::Unset { text, variable } => {
                let (message, fix) = match variable {
                    Variable::Environment(name) => (
                        format!("`{field}` needs the variable {name}, which is not set and has no default"),
                        format!("export {name}=…"),
                    ),
                    Variable::Input(id) => {
                        (format!("`{field}` needs an answer to the prompt {id}"), format!("give a value for {text}"))
                    }
                    Variable::Keyring(name) => (
                        format!("`{field}` needs the secret {name}, which the keyring does not hold"),
                        format!("store the secret {name} in the keyring"),
                    ),
                    _ => (
                        format!("`{field}` needs {text}, which has no value here"),
                        format!("write the value for {text}"),
                    ),
                };
                self.problem(ProblemKind::Unset, message, field).with_fix(fix)
            }
            Unresolved::Foreign { text } => {
                let shown = text.split(":-").next().unwrap_or_default();
                let syntax = template.syntax().describe();
                let message = format!(
                    "`{field}` holds `{shown}`, which would be sent as it is: this file's host expands {syntax}"
                );
                self.problem(ProblemKind::ForeignSyntax, message, field)
            }
            Unresolved::Withheld { text, reason } => self
                .problem(ProblemKind::Approval, format!("`{field}` may not have {text}: {reason}"), field)
                .with_fix(format!("mcpctl trust {}", self.trusted.name)),
        }
    }

    fn problem(&self, kind: ProblemKind, message: String, field: &str) -> Problem {
        let origin = &self.trusted.origin;
        let pointer = field.split(['.', '[']).map(|part| part.trim_end_matches(']')).filter(|part| !part.is_empty());
        let pointer = pointer.fold(origin.pointer.clone(), |pointer, part| pointer_join(&pointer, part));
        Problem::new(Severity::Error, kind, message)
            .with_path(&origin.path)
            .at(origin.line, origin.column)
            .with_pointer(pointer)
            .with_server(self.trusted.name.as_str())
    }

    fn values(&self) -> Scoped<'_> {
        Scoped {
            environment: self.environment,
            answers: self.answers,
            context: &self.trusted.context,
            confirmed: &self.trusted.confirmed,
            inputs: &self.trusted.value.inputs,
        }
    }
}

/// The values one server may have.
struct Scoped<'a> {
    environment: &'a Environment,
    answers: &'a dyn Answers,
    context: &'a LaunchContext,
    confirmed: &'a BTreeSet<String>,
    inputs: &'a [Input],
}

impl Scoped<'_> {
    /// A project's server has what lies inside its workspace, and beyond that what was confirmed by name.
    fn check_reach(&self, reach: &str, path: Option<&Path>) -> Result<(), String> {
        let inside = path.is_some_and(|path| disk::canonical(path).starts_with(&self.context.workspace));
        if !self.context.confined || inside || self.confirmed.contains(reach) {
            return Ok(());
        }
        Err(format!("a project's server gets `{reach}` only after it was confirmed by name"))
    }
}

impl Values for Scoped<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        if name == "CLAUDE_PROJECT_DIR" && self.environment.var(name).is_none() {
            return Some(self.context.workspace.to_string_lossy().into_owned());
        }
        self.environment.var(name).map(str::to_owned)
    }

    fn input(&self, id: &str) -> Option<String> {
        let suggested = || self.inputs.iter().find(|input| input.id == id)?.default.clone();
        self.answers.input(id).map(|secret| secret.expose().to_owned()).or_else(suggested)
    }

    fn keyring(&self, name: &str) -> Result<Option<String>, String> {
        self.check_reach(&format!("keyring:{name}"), None)?;
        Ok(self.answers.keyring(name).map(|secret| secret.expose().to_owned()))
    }

    fn file(&self, path: &str) -> Result<Option<String>, String> {
        let absolute = match (Path::new(path).strip_prefix("~"), &self.environment.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.context.default_cwd.join(path),
        };
        self.check_reach(&format!("file:{path}"), Some(&absolute))?;
        let bytes = disk::read(&absolute, disk::MAX_FILE).map_err(|problem| problem.message.into_string())?;
        let Some(bytes) = bytes else { return Ok(None) };
        let text = document::decode(&bytes).map_err(|problem| problem.message.into_string())?;
        Ok(Some(text.content.trim_end().to_owned()))
    }

    fn workspace(&self) -> &Path {
        &self.context.workspace
    }

    fn home(&self) -> Option<&Path> {
        self.environment.home.as_deref()
    }

    fn plugin(&self) -> Option<(&Path, &Path)> {
        self.context.plugin.as_ref().map(|plugin| (plugin.root.as_path(), plugin.data.as_path()))
    }
}
