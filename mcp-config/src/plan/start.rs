//! From a plan to what can be started: nothing is looked up here that the plan does not say.

use indexmap::IndexMap;

use super::text::{Text, problem};
use super::{Content, Inheritance, Plan, PlannedEnvFile, PlannedLaunch, PlannedProgram, PlannedRemote};
use crate::policy::{Launched, Policy};
use crate::preview::LaunchPreview;
use crate::problem::{Problem, ProblemKind};
use crate::secret::Secret;
use crate::server::RemoteTransport;
use crate::trusted::{Activated, Launch};

impl Plan {
    /// Returns what the plan starts; `shown` is what may be said of it.
    ///
    /// # Errors
    /// Something of it has no value here, waits for a person, or is nothing that can be sent.
    pub(crate) fn start(self, shown: LaunchPreview) -> Result<Activated, Problem> {
        let secrets = self.content.secrets();
        let Self { name, origin, is_changed: _, identity: _, content } = self;
        let Content {
            enabled: _, // Whether to start is the caller's decision; it is part of what is approved.
            launch,
            oauth,
            login_secrets,
            inherit: Inheritance { wanted: _, granted },
            inputs: _, // Their answers stand in the texts.
            timeouts,
            tools,
            auto_approve,
            hints,
            files: _,     // They are compared, and read by the program.
            wants: _,     // What was not confirmed is no value of a text.
            obstacles: _, // Each is an error of a text as well, or keeps the plan from being approved.
        } = content;
        let failed = |kind, message: String, field: &str| problem(&name, &origin, kind, message, field);
        let launch = match launch {
            PlannedLaunch::Stdio(program) => self::program(*program)?,
            PlannedLaunch::Remote(endpoint) => remote(endpoint, failed)?,
        };
        let login_secrets = login_secrets.map(|_, text| secret(text))?;
        Ok(Activated {
            launch,
            shown,
            secrets,
            timeouts,
            tools,
            inherit: granted,
            auto_approve,
            oauth,
            login_secrets,
            hints,
        })
    }
}

impl Plan {
    /// Says why an administrator's rules refuse what would start. What cannot start is not judged.
    pub(crate) fn refusal(&self, policy: &Policy) -> Option<String> {
        let launched = match &self.content.launch {
            PlannedLaunch::Stdio(program) => {
                let words = std::iter::once(&program.command).chain(&program.args).map(Text::value);
                let words = words.map(|word| word.map(str::to_owned)).collect::<Result<_, _>>().ok()?;
                Launched::Program { words, file: program.program.clone() }
            }
            PlannedLaunch::Remote(remote) => Launched::Remote { url: remote.url.value().ok()?.trim().to_owned() },
        };
        policy.refusal(&self.name, &launched)
    }
}

fn program(program: PlannedProgram) -> Result<Launch, Problem> {
    let PlannedProgram { command, program, args, cwd, directory, forward, env_file, env } = program;
    // The directory is what this says, if it can be said.
    cwd.as_ref().map(Text::value).transpose()?;
    let command = command.value()?;
    let command = program.map_or_else(|| command.to_owned(), |program| program.to_string_lossy().into_owned());
    let args = args.iter().map(|argument| argument.value().map(str::to_owned)).collect::<Result<_, _>>()?;
    let mut variables = IndexMap::new();
    variables.extend(forward.into_iter().filter_map(|(name, value)| Some((name, value?))));
    if let Some(PlannedEnvFile { path: _, variables: in_file, is_own: _ }) = env_file {
        variables.extend(in_file.map_err(|problem| *problem)?);
    }
    for (name, value) in &env {
        variables.insert(name.clone(), secret(value)?);
    }
    Ok(Launch::Stdio { command, args, env: variables, cwd: directory })
}

fn remote(remote: PlannedRemote, failed: impl Fn(ProblemKind, String, &str) -> Problem) -> Result<Launch, Problem> {
    let PlannedRemote { transport, url, headers } = remote;
    let url = url.value()?.trim().to_owned();
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let message = "expected `url` to begin with https:// or http:// once its variables have values".to_owned();
        return Err(failed(ProblemKind::Shape, message, "url"));
    }
    let mut sent = IndexMap::new();
    for (name, value) in &headers {
        let value = secret(value)?;
        if value.expose().chars().any(|character| character.is_control() && character != '\t') {
            let field = format!("headers.{name}");
            let message = format!("`{field}` holds a control character once its variables have values");
            return Err(failed(ProblemKind::Shape, message, &field));
        }
        sent.insert(name.clone(), value);
    }
    let headers = sent;
    Ok(match transport {
        RemoteTransport::Http => Launch::Http { url, headers },
        RemoteTransport::Sse => Launch::Sse { url, headers },
        RemoteTransport::HttpAuto => Launch::HttpAuto { url, headers },
    })
}

fn secret(text: &Text) -> Result<Secret, Problem> {
    text.value().map(Secret::new)
}
