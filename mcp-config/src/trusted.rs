//! A value whose use a person has agreed to, and what it becomes when it is used.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::environment::Environment;
use crate::login::{LoginSecrets, OauthHints};
use crate::mask;
use crate::plan::problem;
use crate::preview::{self, LaunchPreview};
use crate::problem::{Problem, ProblemKind};
use crate::remedy::Remedy;
use crate::resolved::{LaunchContext, Resolved, Trust};
use crate::secret::{REDACTED, Secret};
use crate::server::{AutoApprove, Hints, Inherit, ServerConfig, Timeouts, ToolFilter};
use crate::source::Origin;

/// Proof that a value may be used: only [`Resolved::trusted`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Trusted<T> {
    /// As its file says.
    pub(crate) defined: Arc<T>,
    /// With what overlays change of it.
    in_force: Arc<T>,
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) context: LaunchContext,
    pub(crate) confirmed: BTreeSet<String>,
    /// What was approved, if that is why it is trusted.
    approved: Option<String>,
    trust: Trust,
}

/// Where activation finds what is in neither the file nor the environment.
///
/// `()` finds nothing.
pub trait Answers {
    /// Returns the answer to the prompt `${input:id}`.
    fn input(&self, id: &str) -> Option<Secret>;
    /// Returns the secret `${keyring:name}`.
    fn keyring(&self, name: &str) -> Option<Secret>;
}

impl Answers for () {
    fn input(&self, _: &str) -> Option<Secret> {
        None
    }

    fn keyring(&self, _: &str) -> Option<Secret> {
        None
    }
}

impl Trusted<ServerConfig> {
    pub(crate) fn new(server: &Resolved) -> Self {
        Self {
            defined: server.defined.clone(),
            in_force: server.config.clone(),
            name: server.name.clone(),
            origin: server.origin.clone(),
            context: server.context.clone(),
            confirmed: server.approval.as_ref().map(|approval| approval.confirmed.clone()).unwrap_or_default(),
            approved: server.approval.as_ref().map(|approval| approval.plan.clone()),
            trust: server.trust.clone(),
        }
    }

    /// Returns the server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns where it is defined.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns why it is trusted.
    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Puts the environment's values in the place of variables, once: a value that looks like a variable stays as it is.
    ///
    /// The paths that come out are absolute, and a program named by a path is looked for below `cwd`.
    ///
    /// # Errors
    /// A variable has no value and no default, or is written in another host's syntax; the server wants something outside
    /// its project that nobody confirmed; or what would run is not what was approved. The problem names the field.
    pub fn activate(&self, environment: &Environment) -> Result<Activated, Problem> {
        self.activate_with(environment, &())
    }

    /// Activates with answers to prompts and secrets from a keyring.
    ///
    /// # Errors
    /// Like [`activate`](Self::activate).
    pub fn activate_with(&self, environment: &Environment, answers: &dyn Answers) -> Result<Activated, Problem> {
        let plan = self.plan(environment, answers);
        let failed = |kind, message| problem(&self.name, &self.origin, kind, message, "");
        if self.approved.as_ref().is_some_and(|approved| plan.facts().digest() != *approved) {
            let problem = failed(ProblemKind::Approval, "it has changed since it was approved".to_owned());
            return Err(problem.with_fix(Remedy::trust(&*self.name)));
        }
        if let Some(reason) = self.context.policy.as_ref().and_then(|policy| plan.refusal(policy)) {
            return Err(failed(ProblemKind::Refused, format!("it is refused: {reason}")));
        }
        // Overlays were judged by themselves, so that the person's own switch asks nobody again.
        let ServerConfig { timeouts, tools, .. } = &*self.in_force;
        Ok(Activated {
            timeouts: *timeouts,
            tools: tools.clone(),
            ..plan.start(preview::launch(&self.defined.launch))?
        })
    }
}

/// Everything one needs to start or reach a server, with its variables expanded.
///
/// Do not write it down or send it anywhere but to the server: it holds secrets. Its `Debug` redacts them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Activated {
    /// How it is reached.
    pub launch: Launch,
    /// What may be said of [`launch`](Self::launch): the definition's own words, with the variables as they are written. The
    /// expanded command, folder, path and URL belong in no error, listing or log.
    pub shown: LaunchPreview,
    /// Every value that must be in no words, not even where the server repeats it: what the person's variables, answers,
    /// keyring and files put in, headers, and what is spelt out and looks like a secret.
    pub secrets: Vec<Secret>,
    /// How long to wait.
    pub timeouts: Timeouts,
    /// Which of its tools are offered.
    pub tools: ToolFilter,
    /// Which variables of the host's own environment a child process inherits.
    pub inherit: Inherit,
    /// The tools its definition says to call without asking.
    pub auto_approve: AutoApprove,
    /// What its definition says about logging in.
    pub oauth: OauthHints,
    /// What a login presents.
    pub login_secrets: LoginSecrets<Secret>,
    /// What a program may act on.
    pub hints: Hints,
}

/// How a server is reached.
#[derive(Clone, PartialEq)]
pub enum Launch {
    /// A child process that speaks on its standard input and output.
    Stdio {
        /// The program: an absolute path, or a bare name to be looked for in the child's `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The variables it is given beside those of [`Activated::inherit`], in the order of the file.
        env: IndexMap<String, Secret>,
        /// The directory it runs in, absolute.
        cwd: PathBuf,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint.
        url: String,
        /// Headers of every request, in the order of the file.
        headers: IndexMap<String, Secret>,
    },
    /// HTTP+SSE of 2024-11-05.
    Sse {
        /// The endpoint.
        url: String,
        /// Headers of every request, in the order of the file.
        headers: IndexMap<String, Secret>,
    },
    /// Streamable HTTP, and HTTP+SSE when the server refuses it.
    HttpAuto {
        /// The endpoint.
        url: String,
        /// Headers of every request, in the order of the file.
        headers: IndexMap<String, Secret>,
    },
}

impl fmt::Debug for Launch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, url, headers) = match self {
            Self::Stdio { command: _, args, env, cwd: _ } => {
                return formatter
                    .debug_struct("Stdio")
                    .field("command", &REDACTED)
                    // Which words came from variables is no longer known: none is shown.
                    .field("args", &args.iter().map(|_| REDACTED).collect::<Vec<_>>())
                    .field("env", env)
                    .field("cwd", &REDACTED)
                    .finish();
            }
            Self::Http { url, headers } => ("Http", url, headers),
            Self::Sse { url, headers } => ("Sse", url, headers),
            Self::HttpAuto { url, headers } => ("HttpAuto", url, headers),
        };
        formatter.debug_struct(name).field("url", &mask::origin_of(url)).field("headers", headers).finish()
    }
}
