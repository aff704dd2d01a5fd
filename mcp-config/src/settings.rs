//! This toolkit's own settings: the user's, and what a project adds to them.

mod loosen;
mod read;

pub(crate) use loosen::allow_key;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::budget::{Budget, MAX_PROJECT};
use crate::disk;
use crate::document::{self, Node, Notation};
use crate::environment::Environment;
use crate::loosening::Loosening;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::source::Host;
use crate::trust::TrustStore;
use crate::workspace::Workspace;

/// Rules about tools, as text; what a rule means is for whoever decides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Permissions {
    /// What runs without asking.
    pub allow: Vec<String>,
    /// What asks first.
    pub ask: Vec<String>,
    /// What never runs.
    pub deny: Vec<String>,
}

/// One file of settings.
///
/// ```json
/// {
///   "permissions": {"allow": [], "ask": [], "deny": ["mcp__github__delete_repo"]},
///   "imports": ["cursor"],
///   "servers": {"github": {"enabled": false}}
/// }
/// ```
///
/// `servers` holds overlays, which are read as a [`Layer`](crate::Layer) of their own. Everything else is kept in
/// [`other`](Self::other) for whoever knows it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Rules about tools.
    pub permissions: Permissions,
    /// The hosts whose user-level servers may start without being imported.
    pub imports: BTreeSet<Host>,
    /// The other keys, in the order of the file.
    pub other: Map<String, Json>,
}

/// A project's settings.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProjectSettings {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub settings: Settings,
    /// Each thing it would loosen, in the order of the file; nothing of that applies until a person has approved it.
    pub loosenings: Vec<Loosening>,
}

/// What a person has approved as it is.
fn approved<'a>(loosenings: &'a [Loosening], trust: &TrustStore) -> BTreeSet<&'a str> {
    loosenings.iter().filter(|loosening| trust.has_approved(loosening)).map(Loosening::key).collect()
}

/// The settings of the user and of the project.
///
/// A repository may only tighten: see [`effective`](Self::effective).
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct FoundSettings {
    /// The user's: `mcp-toolkit/settings.json` below [`Environment::config_home`].
    pub user: Settings,
    /// The project's `.agents/settings.json`, outermost directory first.
    pub projects: Vec<ProjectSettings>,
    /// The same files as JSON, the user's first, for whoever reads more of them than this crate does.
    pub documents: Vec<SettingsDocument>,
    /// What is wrong with them.
    pub problems: Vec<Problem>,
}

/// One file of settings as JSON.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SettingsDocument {
    /// The file.
    pub path: PathBuf,
    /// Its JSON, comments taken out and repeated keys kept; the text as it is when it cannot be understood, so that whoever
    /// decides by it can fail closed.
    pub json: String,
    /// For a project's file, what it would loosen.
    loosenings: Option<Vec<Loosening>>,
}

impl SettingsDocument {
    /// Tells whether it is the user's own.
    pub fn is_users(&self) -> bool {
        self.loosenings.is_none()
    }

    /// Returns the allow rules in it that count, as they are written: `None` is each of them, as in the user's own; of a
    /// project's file those that a person approved, with the definitions they are bound to.
    pub fn allowed(&self, trust: &TrustStore) -> Option<BTreeSet<String>> {
        let approved = approved(self.loosenings.as_ref()?, trust);
        Some(approved.into_iter().filter_map(loosen::allowed_rule).map(str::to_owned).collect())
    }
}

impl Environment {
    /// Returns the file of the user's settings: `mcp-toolkit/settings.json` below [`config_home`](Self::config_home).
    pub fn settings_file(&self) -> Option<PathBuf> {
        self.config_home().map(|directory| directory.join("mcp-toolkit/settings.json"))
    }
}

impl FoundSettings {
    /// Reads the settings of the user and of the project that the environment's working directory is in.
    pub fn load(environment: &Environment) -> Self {
        let mut found = Self::default();
        let workspace = Workspace::of(environment);
        let (own, budget) = (Budget::new(disk::MAX_FILE), Budget::new(MAX_PROJECT));
        if let Some(path) = environment.settings_file() {
            // A user's file inside the workspace is the project's file, whatever it is called.
            let is_projects = workspace.owns(&path);
            found.add(&path, is_projects.then_some(workspace.root()), if is_projects { &budget } else { &own });
        }
        for directory in workspace.directories() {
            found.add(&directory.join(".agents/settings.json"), Some(workspace.root()), &budget);
        }
        found
    }

    /// Returns the settings that apply:
    ///
    /// 1. everything the user's file says;
    /// 2. of every project file, the `ask` and `deny` rules;
    /// 3. of a project file each `allow` rule, and each other key, that a person approved exactly as it is. Which hosts are
    ///    imported is for the user alone to say.
    #[must_use]
    pub fn effective(&self, trust: &TrustStore) -> Settings {
        let mut effective = self.user.clone();
        for project in &self.projects {
            let Settings { permissions, imports: _, other } = &project.settings;
            effective.permissions.ask.extend(permissions.ask.iter().cloned());
            effective.permissions.deny.extend(permissions.deny.iter().cloned());
            let approved = approved(&project.loosenings, trust);
            let allowed = permissions.allow.iter().filter(|rule| approved.contains(&*allow_key(rule)));
            effective.permissions.allow.extend(allowed.cloned());
            let other = other.iter().filter(|(key, _)| approved.contains(key.as_str()));
            effective.other.extend(other.map(|(key, value)| (key.clone(), value.clone())));
        }
        effective
    }

    /// Reads a file of the user's, or of a workspace.
    fn add(&mut self, path: &Path, workspace: Option<&Path>, budget: &Budget) {
        let bytes = match budget.read(path, disk::MAX_FILE) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(problem) => {
                self.problems.push(problem.with_path(path));
                return self.documents.push(SettingsDocument {
                    path: path.to_path_buf(),
                    json: String::from("unreadable"),
                    loosenings: workspace.map(|_| Vec::new()),
                });
            }
        };
        let parsed = document::decode(&bytes).and_then(|text| document::parse(&text.content, Notation::Jsonc));
        let json = match &parsed {
            Ok(Some(document)) => json_text(document),
            Ok(None) => String::new(),
            Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
        };
        let loosenings = workspace.map(|workspace| match &parsed {
            Ok(Some(document)) => self.loosenings(document, workspace, path),
            Ok(None) | Err(_) => Vec::new(),
        });
        self.documents.push(SettingsDocument { path: path.to_path_buf(), json, loosenings: loosenings.clone() });
        match parsed {
            Ok(Some(document)) => {
                let (settings, problems) = read::settings(&document, path);
                self.problems.extend(problems.into_list(path, usize::MAX));
                match loosenings {
                    Some(loosenings) => {
                        self.projects.push(ProjectSettings { path: path.to_path_buf(), settings, loosenings });
                    }
                    None => self.user = settings,
                }
            }
            Ok(None) => {}
            Err(problem) => self.problems.push(problem.with_path(path)),
        }
    }

    fn loosenings(&mut self, document: &Node, workspace: &Path, path: &Path) -> Vec<Loosening> {
        let (loosenings, unlisted) = loosen::loosenings(document, workspace, path);
        if unlisted > 0 {
            let most = loosen::MAX_LOOSENINGS;
            let message =
                format!("expected at most {most} keys and allow rules, found {unlisted} more, which have no effect");
            self.problems.push(Problem::new(Severity::Error, ProblemKind::Refused, message).with_path(path));
        }
        loosenings
    }
}

/// Writes a document as JSON, every member of an object in its place, also one whose key is repeated: whoever reads rules
/// must see all of them.
fn json_text(node: &Node) -> String {
    if let Some(members) = node.members() {
        let members: Vec<String> = members
            .iter()
            .map(|member| format!("{}:{}", Json::from(member.key.as_str()), json_text(&member.node)))
            .collect();
        return format!("{{{}}}", members.join(","));
    }
    match node.items() {
        Some(items) => format!("[{}]", items.iter().map(json_text).collect::<Vec<_>>().join(",")),
        None => node.to_json().to_string(),
    }
}
