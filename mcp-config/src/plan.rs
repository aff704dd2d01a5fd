//! What would run: the one thing that is shown, approved, and compared again when something starts.

mod files;
mod make;
mod manifests;
mod secrets;
mod show;
mod start;
mod text;
mod values;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use self::files::WorkspaceFile;
use self::text::Text;
pub(crate) use self::text::problem;
use crate::facts::Facts;
use crate::login::{LoginSecrets, OauthHints};
use crate::problem::{Problem, ProblemKind};
use crate::secret::Secret;
use crate::server::{AutoApprove, Hints, Inherit, Input, RemoteTransport, Timeouts, ToolFilter};
use crate::source::Origin;
use crate::trust::Identity;

/// Everything that starting one server would do, in one environment.
///
/// Its [`facts`](Self::facts) are what a person is shown, and the [`digest`](Facts::digest) of those facts is what
/// [`TrustStore::approve`](crate::TrustStore::approve) records. [`Trusted::activate`](crate::Trusted::activate) makes the
/// plan again, compares it with what was approved, and starts what the plan says and nothing else.
///
/// What a repository or a server can change asks again: the text of the definition, the files of the workspace that decide
/// what runs. What the user changes on their own machine does not: the value of a variable, the program that a bare name
/// finds, a file elsewhere.
///
/// `Debug` shows no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    name: String,
    origin: Origin,
    is_changed: bool,
    identity: Option<Identity>,
    content: Content,
}

/// What the plan says. [`show`] and [`start`] take it apart field by field: a field that one of them does not know is an error
/// of the compiler.
#[derive(Debug, Clone, PartialEq)]
struct Content {
    enabled: bool,
    launch: PlannedLaunch,
    oauth: OauthHints,
    login_secrets: LoginSecrets<Text>,
    inherit: Inheritance,
    inputs: Vec<Arc<Input>>,
    timeouts: Timeouts,
    tools: ToolFilter,
    auto_approve: AutoApprove,
    hints: Hints,
    files: Vec<WorkspaceFile>,
    wants: BTreeSet<String>,
    obstacles: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq)]
enum PlannedLaunch {
    Stdio(Box<PlannedProgram>),
    Remote(PlannedRemote),
}

#[derive(Debug, Clone, PartialEq)]
struct PlannedProgram {
    command: Text,
    /// The file that the command names here, if there is one.
    program: Option<PathBuf>,
    args: Vec<Text>,
    cwd: Option<Text>,
    /// Where the program runs.
    directory: PathBuf,
    /// The variables that are passed on, and what they hold now.
    forward: IndexMap<String, Option<Secret>>,
    env_file: Option<PlannedEnvFile>,
    env: IndexMap<String, Text>,
}

#[derive(Debug, Clone, PartialEq)]
struct PlannedEnvFile {
    path: Text,
    /// Its variables in order; why they are not known.
    variables: Result<Vec<(String, Secret)>, Box<Problem>>,
    /// Whether it is the repository's, so that what it holds is part of what is approved.
    is_own: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct PlannedRemote {
    transport: RemoteTransport,
    url: Text,
    headers: IndexMap<String, Text>,
}

/// Which of the person's own variables a program sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Inheritance {
    /// As its definition says.
    wanted: Inherit,
    /// As the person has agreed: a repository never has them all unless that was confirmed by name.
    granted: Inherit,
}

impl Plan {
    /// Returns the server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns where it is defined.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Tells whether it was approved before and has changed since.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Returns everything a person should know before they agree, in order.
    pub fn facts(&self) -> Facts {
        show::facts(&self.content)
    }

    /// Returns what a project's server wants beyond its project, each in the form in which it is confirmed: `keyring:NAME`
    /// for a secret, `file:PATH` for a file outside the workspace, `environment` for every variable of the person's.
    ///
    /// Other servers may have what they want, and have an empty list.
    pub fn wants(&self) -> impl ExactSizeIterator<Item = &str> {
        self.content.wants.iter().map(String::as_str)
    }

    /// Returns why nobody can approve it as it stands: something of it cannot be resolved here, or is more than is looked at.
    pub fn obstacles(&self) -> &[Problem] {
        &self.content.obstacles
    }

    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }
}

impl PlannedProgram {
    /// The value of a variable among those that the definition gives the program; the later of two wins.
    fn variable(&self, name: &str) -> Option<&str> {
        let declared = self.env.get(name).map(Text::here);
        let in_file = || {
            let file = self.env_file.as_ref()?.variables.as_ref().ok()?;
            file.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.expose())
        };
        declared.or_else(in_file).or_else(|| self.forward.get(name)?.as_ref().map(Secret::expose))
    }
}

impl Content {
    /// Why the file that variables come from cannot be read.
    fn env_file_obstacle(&self) -> Option<Problem> {
        let PlannedLaunch::Stdio(program) = &self.launch else { return None };
        let file = program.env_file.as_ref()?;
        let problem = file.variables.as_ref().err()?;
        // What waits for a confirmation may be given one with this very approval; what cannot be expanded is told as such.
        let is_told = problem.kind == ProblemKind::Approval || file.path.value().is_err();
        (!is_told).then(|| problem.as_ref().clone())
    }

    /// Every string with variables in it.
    fn texts(&self) -> impl Iterator<Item = &Text> {
        self.launch_texts().chain(self.login_secrets.iter().map(|(_, secret)| secret))
    }

    /// Those of them that go to the server.
    fn launch_texts(&self) -> impl Iterator<Item = &Text> {
        let mut texts: Vec<&Text> = Vec::new();
        match &self.launch {
            PlannedLaunch::Stdio(program) => {
                texts.extend(&program.cwd);
                texts.push(&program.command);
                texts.extend(&program.args);
                texts.extend(program.env_file.iter().map(|file| &file.path));
                texts.extend(program.env.values());
            }
            PlannedLaunch::Remote(PlannedRemote { transport: _, url, headers }) => {
                texts.push(url);
                texts.extend(headers.values());
            }
        }
        texts.into_iter()
    }
}
