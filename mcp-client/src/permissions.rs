//! Permission rules from files, and back into them.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};

use mcp_config::{Edit, Environment, FileFormat, OwnFile, Preset, Workspace};
use mcp_registry::{
    Authority, Effect, Problem, RuleLayer, Rules, Scope, SettingsEdit, SettingsRule, Source, Surroundings, forget_rule,
    parse_settings, write_rule,
};
use serde_json::Value;

use crate::configuration::Configuration;
use crate::error::Error;

/// The rules of a configuration, and what is wrong with them. In the order in which a decision names them:
///
/// 1. the user's `mcp-toolkit/settings.json`;
/// 2. the project's `.agents/settings.json`, outermost directory first; its allow rules count once a person has approved them;
/// 3. under the preset `freecode`, that system's `settings.json`: the user's, then the project's, which only tightens.
pub fn rules(configuration: &Configuration, preset: Preset) -> (Rules, Vec<Problem>) {
    let mut layers = Vec::new();
    let mut problems = Vec::new();
    for document in &configuration.settings.documents {
        let path = document.path.display().to_string();
        let users = document.is_users();
        let source = if users { Source::user(path) } else { Source::project(path, Authority::Full) };
        let (layer, found) = parse_settings(source, &document.json);
        problems.extend(found);
        match document.allowed(&configuration.trust) {
            None => layers.push(layer),
            Some(allowed) => layers.extend(<[_; 2]>::from(layer.withholding(|rule| allowed.contains(rule)))),
        }
    }
    if preset == Preset::Freecode {
        for (layer, found) in freecode(&configuration.environment) {
            layers.push(layer);
            problems.extend(found);
        }
    }
    (Rules::new(layers).in_surroundings(&surroundings(&configuration.environment)), problems)
}

/// Where the paths of a call's arguments start.
pub(crate) fn surroundings(environment: &Environment) -> Surroundings {
    let text = |path: &PathBuf| path.to_str().map(str::to_owned);
    Surroundings { home: environment.home.as_ref().and_then(text), directory: text(&environment.cwd) }
}

fn freecode(environment: &Environment) -> Vec<(RuleLayer, Vec<Problem>)> {
    let below = |folder: &PathBuf| OwnFile::new(folder.join(".freecode").join("settings.json"));
    let user = environment.home.as_ref().map(|home| (below(home), Authority::Full));
    let project = (below(&environment.cwd), Authority::Tighten);
    user.into_iter()
        .chain([project])
        .map(|(file, authority)| {
            let source = Source::freecode(file.path().display().to_string(), authority);
            // A file that cannot be read is no JSON, and so asks before everything.
            parse_settings(source, &file.read().unwrap_or_else(|_| "unreadable".to_owned()))
        })
        .collect()
}

/// The settings file that holds the rules of a scope: the user's, or that of the project in the working directory.
///
/// # Errors
///
/// [`Error::NoSettings`] for a scope without a file, or a user without a home.
pub fn settings_file(environment: &Environment, scope: Scope) -> Result<PathBuf, Error> {
    let path = match scope {
        Scope::User => environment.settings_file(),
        Scope::Project => Some(environment.cwd.join(".agents").join("settings.json")),
        Scope::Session | Scope::Foreign => None,
    };
    path.ok_or(Error::NoSettings { scope: scope.as_str() })
}

/// Writes a rule into the settings file of its scope, in the place of the same rule in another list; all else stays, comments
/// included. Returns the file.
///
/// # Errors
///
/// [`Error::NoSettings`], or [`Error::Settings`] when the file cannot be changed; then it stays as it is.
pub fn write(environment: &Environment, rule: &SettingsRule) -> Result<PathBuf, Error> {
    let path = settings_file(environment, rule.scope)?;
    let steps = write_rule(rule).map_err(|source| unwritten(&path, source))?;
    let workspace = (rule.scope == Scope::Project).then(|| Workspace::of(environment));
    change(&path, workspace, &steps).map_err(|source| unwritten(&path, source))?;
    Ok(path)
}

/// Takes a rule out of the settings of a scope, from whichever list it stands in; of the project's files, out of every one
/// that has it. Returns the files that were changed.
///
/// # Errors
///
/// As for [`write()`].
pub fn forget(configuration: &Configuration, scope: Scope, rule: &str) -> Result<Vec<PathBuf>, Error> {
    let users = match scope {
        Scope::User => true,
        Scope::Project => false,
        Scope::Session | Scope::Foreign => return Err(Error::NoSettings { scope: scope.as_str() }),
    };
    let steps = forget_rule(rule);
    let mut changed = Vec::new();
    for document in configuration.settings.documents.iter().filter(|document| document.is_users() == users) {
        let workspace = (!users).then(|| Workspace::of(&configuration.environment));
        if change(&document.path, workspace, &steps).map_err(|source| unwritten(&document.path, source))? {
            changed.push(document.path.clone());
        }
    }
    Ok(changed)
}

fn unwritten(path: &Path, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    Error::Settings { path: path.to_path_buf(), source: source.into() }
}

/// Takes the steps in a file, all or none; tells whether they changed it. A project's file must be in the project.
fn change(path: &Path, project: Option<Workspace>, steps: &[SettingsEdit]) -> Result<bool, mcp_config::Error> {
    let mut edit = match project {
        Some(workspace) => Edit::open_in(workspace, path, FileFormat::Settings)?,
        None => Edit::open(path, FileFormat::Settings)?,
    };
    let mut changed = false;
    for step in steps {
        changed |= match step {
            SettingsEdit::Include { list, item } => edit.include(&keys(list), item),
            SettingsEdit::Exclude { list, item } => edit.exclude(&keys(list), item),
            SettingsEdit::Set { member, text } => edit.set_member(&keys(member), Value::from(text.as_str())),
            SettingsEdit::Unset { member } => edit.remove_member(&keys(member)),
        }?;
    }
    edit.save()?;
    Ok(changed)
}

fn keys(keys: &[String]) -> Vec<&str> {
    keys.iter().map(String::as_str).collect()
}

/// The effects that the settings give a server's tools, whatever the server says:
/// `"effects": {"SERVER": {"TOOL": "read-only" | "mutating"}}`. A project's settings count once they are approved.
pub(crate) fn effects(configuration: &Configuration, server: &str) -> Vec<(String, Effect)> {
    let settings = configuration.settings.effective(&configuration.trust);
    let tools = settings.other.get("effects").and_then(|effects| effects.get(server)).and_then(Value::as_object);
    let effect = |value: &Value| match value.as_str()? {
        "read-only" => Some(Effect::ReadOnly),
        "mutating" => Some(Effect::Mutating),
        _ => None,
    };
    tools.into_iter().flatten().filter_map(|(tool, value)| Some((tool.clone(), effect(value)?))).collect()
}
