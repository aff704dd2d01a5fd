//! Makes a plan of a definition: expands its variables, resolves its program, and finds the files it runs.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use super::files::{Search, WorkspaceFile};
use super::text::{Expander, Text};
use super::values::{Scoped, WHOLE_ENVIRONMENT};
use super::{Content, Inheritance, Plan, PlannedEnvFile, PlannedLaunch, PlannedProgram, PlannedRemote};
use crate::disk;
use crate::document;
use crate::env_file;
use crate::environment::Environment;
use crate::login::{LoginSecrets, OauthHints};
use crate::problem::{Problem, ProblemKind};
use crate::programs::Programs;
use crate::resolved::{LaunchContext, Resolved, Trust};
use crate::secret::Secret;
use crate::server::{Inherit, LaunchTemplate, RemoteTemplate, ServerConfig, StdioTemplate};
use crate::source::Origin;
use crate::template::{Template, Variable};
use crate::trusted::{Answers, Trusted};

impl Resolved {
    /// Returns what starting the server would do in this environment. It is no permission to do so.
    ///
    /// It is that of the definition alone. What overlays change of it, whether it runs, its time-outs and its tools, is
    /// approved by itself where a project says so ([`Loosening`](crate::Loosening)), and else is the person's own.
    ///
    /// For a project's server it reads the files of the workspace that decide what runs, 64 MiB at most.
    pub fn plan(&self, environment: &Environment) -> Plan {
        let confirmed = self.approval.as_ref().map(|approval| approval.confirmed.clone()).unwrap_or_default();
        let draft = Draft {
            name: &self.name,
            origin: &self.origin,
            config: &self.defined,
            context: &self.context,
            confirmed: &confirmed,
        };
        Plan {
            is_changed: self.trust == Trust::NeedsApproval { changed: true },
            identity: self.identity.clone(),
            ..draft.plan(environment, &())
        }
    }
}

impl Trusted<ServerConfig> {
    /// Returns what starting the server does, with what the person has answered.
    pub(crate) fn plan(&self, environment: &Environment, answers: &dyn Answers) -> Plan {
        let draft = Draft {
            name: &self.name,
            origin: &self.origin,
            config: &self.defined,
            context: &self.context,
            confirmed: &self.confirmed,
        };
        draft.plan(environment, answers)
    }
}

/// A definition of which a plan is made.
pub(crate) struct Draft<'a> {
    pub(crate) name: &'a str,
    pub(crate) origin: &'a Origin,
    pub(crate) config: &'a ServerConfig,
    pub(crate) context: &'a LaunchContext,
    pub(crate) confirmed: &'a BTreeSet<String>,
}

impl Draft<'_> {
    pub(crate) fn plan(&self, environment: &Environment, answers: &dyn Answers) -> Plan {
        let values = Scoped {
            environment,
            answers,
            context: self.context,
            confirmed: self.confirmed,
            inputs: &self.config.inputs,
        };
        let planner = Planner { draft: self, expander: Expander { name: self.name, origin: self.origin, values } };
        Plan {
            name: self.name.to_owned(),
            origin: self.origin.clone(),
            is_changed: false,
            identity: None,
            content: planner.content(),
        }
    }
}

/// Makes the parts of one plan.
struct Planner<'a> {
    draft: &'a Draft<'a>,
    expander: Expander<'a>,
}

impl Planner<'_> {
    fn content(&self) -> Content {
        // A field that is not looked at here would be neither shown nor approved.
        let ServerConfig {
            launch,
            enabled,
            timeouts,
            tools,
            auto_approve,
            oauth,
            inherit,
            hints,
            inputs,
            refusal: _, // Such a server never runs.
            skipped: _, // These keys are another host's,
            unknown: _, // and these have no meaning at all.
        } = self.draft.config;
        let launch = match launch {
            LaunchTemplate::Stdio(stdio) => PlannedLaunch::Stdio(Box::new(self.program(stdio))),
            LaunchTemplate::Remote(remote) => PlannedLaunch::Remote(self.remote(remote)),
        };
        let mut content = Content {
            enabled: *enabled,
            launch,
            login_secrets: self.login_secrets(oauth),
            oauth: oauth.clone(),
            inherit: self.inheritance(*inherit),
            inputs: inputs.clone(),
            timeouts: *timeouts,
            tools: tools.clone(),
            auto_approve: auto_approve.clone(),
            hints: hints.clone(),
            files: Vec::new(),
            wants: BTreeSet::new(),
            obstacles: Vec::new(),
        };
        if self.draft.context.confined {
            let (files, excess) = self.files(&content);
            content.obstacles = content.texts().filter_map(|text| text.obstacle().cloned()).collect();
            content.obstacles.extend(content.env_file_obstacle());
            let excess = excess.map(|excess| self.expander.problem(ProblemKind::Refused, excess, ""));
            content.obstacles.extend(excess);
            content.wants = self.wants(&content);
            content.files = files;
        }
        content
    }

    fn login_secrets(&self, oauth: &OauthHints) -> LoginSecrets<Text> {
        let made: Result<_, Infallible> =
            oauth.secrets.map(|place, secret| Ok(self.expander.text(place.field, secret)));
        match made {
            Ok(secrets) => secrets,
        }
    }

    fn program(&self, stdio: &StdioTemplate) -> PlannedProgram {
        let StdioTemplate { command, args, env, forward, env_file, cwd } = stdio;
        let base = &self.draft.context.default_cwd;
        let cwd = cwd.as_ref().map(|cwd| self.expander.text("cwd", cwd));
        let directory = cwd.as_ref().map_or_else(|| base.clone(), |cwd| self.below(base, cwd.here()));
        let command = self.expander.text("command", command);
        let args = args.iter().enumerate();
        let args = args.map(|(index, argument)| self.expander.text(&format!("args[{index}]"), argument)).collect();
        let var = |name: &String| self.expander.values.environment.var(name).map(Secret::new);
        let forward = forward.iter().map(|name| (name.clone(), var(name))).collect();
        let env_file = env_file.as_ref().map(|file| self.env_file(file));
        let env = env.iter().map(|(name, value)| (name.clone(), self.expander.text(&format!("env.{name}"), value)));
        let mut program =
            PlannedProgram { command, program: None, args, cwd, directory, forward, env_file, env: env.collect() };
        program.program = self.file_of(&program);
        program
    }

    /// The file that a command names: a path is looked for below the directory it runs in, a bare name on the `PATH` the child
    /// will get.
    fn file_of(&self, program: &PlannedProgram) -> Option<PathBuf> {
        let command = program.command.here();
        if command.contains(['/', '\\']) {
            let path = self.below(&program.directory, command);
            // On Windows a file may be found by its name without the extension.
            return Programs::new(self.expander.values.environment).find(&path.to_string_lossy()).or(Some(path));
        }
        let programs = Programs::new(self.expander.values.environment);
        program.variable("PATH").map_or(programs, |path| programs.with_path(path)).find(command)
    }

    fn remote(&self, remote: &RemoteTemplate) -> PlannedRemote {
        let RemoteTemplate { transport, url, headers } = remote;
        let headers = headers.iter();
        let headers =
            headers.map(|(name, value)| (name.clone(), self.expander.text(&format!("headers.{name}"), value)));
        PlannedRemote { transport: *transport, url: self.expander.text("url", url), headers: headers.collect() }
    }

    fn env_file(&self, file: &Template) -> PlannedEnvFile {
        let path = self.expander.text("envFile", file);
        let place = self.below(&self.draft.context.default_cwd, path.here());
        let variables = match path.value() {
            Ok(_) => self.read_env_file(&path, &place).map_err(Box::new),
            Err(problem) => Err(Box::new(problem)),
        };
        PlannedEnvFile { path, variables, is_own: self.draft.context.holds(&place) }
    }

    fn read_env_file(&self, written: &Text, path: &Path) -> Result<Vec<(String, Secret)>, Problem> {
        let failed = |kind, message: String| self.expander.problem(kind, message, "envFile");
        self.expander
            .values
            .check_reach(&format!("file:{}", written.written.raw()), Some(path))
            .map_err(|message| failed(ProblemKind::Approval, message))?;
        // Where variables led may be a secret.
        let is_shown = written.is_foreign();
        let shown = if is_shown { path.display().to_string() } else { written.written.raw().to_owned() };
        let unreadable = |problem: Problem| {
            if is_shown {
                return problem.with_path(path);
            }
            failed(problem.kind, format!("`{shown}`: {}", problem.message))
        };
        let bytes = disk::read(path, disk::MAX_FILE).map_err(unreadable)?;
        let missing = || failed(ProblemKind::Unreadable, format!("expected the file `{shown}`, found none"));
        let text = document::decode(&bytes.ok_or_else(missing)?).map_err(unreadable)?;
        env_file::parse(&text.content).map_err(|line| {
            failed(ProblemKind::Unreadable, format!("expected `NAME=value` on line {line} of `{shown}`"))
        })
    }

    fn inheritance(&self, wanted: Inherit) -> Inheritance {
        let confined = self.draft.context.confined && !self.draft.confirmed.contains(WHOLE_ENVIRONMENT);
        Inheritance { wanted, granted: if confined { Inherit::Safe } else { wanted } }
    }

    /// The files of the workspace that decide what starts, and what is not among them.
    ///
    /// They do not depend on what a person answers or confirms, or nobody could agree to anything before they had.
    fn files(&self, content: &Content) -> (Vec<WorkspaceFile>, Option<String>) {
        let context = self.draft.context;
        let base = &context.default_cwd;
        let directory = match &content.launch {
            PlannedLaunch::Stdio(program) => program.cwd.as_ref().map(|cwd| self.below(base, &cwd.known)),
            PlannedLaunch::Remote(_) => None,
        };
        let mut search = Search::new(&context.workspace, directory.as_ref().unwrap_or(base));
        if let PlannedLaunch::Stdio(program) = &content.launch {
            let command_line: Vec<&str> =
                std::iter::once(&program.command).chain(&program.args).map(|text| text.known.as_str()).collect();
            for word in &command_line {
                search.words(word);
            }
            search.manifests(&command_line);
            program.env.values().for_each(|value| search.words(&value.known));
            program.forward.values().flatten().for_each(|value| search.words(value.expose()));
            if let Some(file) = program.env_file.as_ref().filter(|file| file.is_own) {
                search.path(&self.below(base, &file.path.known));
                file.variables.iter().flatten().for_each(|(_, value)| search.words(value.expose()));
            }
            if program.command.depends_on_no_answer() {
                program.program.iter().for_each(|program| search.path(program));
            }
        }
        for reference in content.texts().flat_map(Text::references) {
            if let Variable::File(path) = reference.variable {
                search.path(&self.expander.values.file_path(&path));
            }
        }
        search.finish()
    }

    fn wants(&self, content: &Content) -> BTreeSet<String> {
        let mut wants = BTreeSet::new();
        for reference in content.texts().flat_map(Text::references) {
            match reference.variable {
                Variable::Keyring(name) => drop(wants.insert(format!("keyring:{name}"))),
                Variable::File(path) if !self.draft.context.holds(&self.expander.values.file_path(&path)) => {
                    wants.insert(format!("file:{path}"));
                }
                _ => {}
            }
        }
        if let PlannedLaunch::Stdio(program) = &content.launch {
            let outside = program.env_file.iter().filter(|file| !file.is_own);
            wants.extend(outside.map(|file| format!("file:{}", file.path.written.raw())));
            if content.inherit.wanted == Inherit::All {
                wants.insert(WHOLE_ENVIRONMENT.to_owned());
            }
        }
        wants
    }

    fn below(&self, base: &Path, path: &str) -> PathBuf {
        self.expander.values.environment.below(base, Path::new(path))
    }
}
