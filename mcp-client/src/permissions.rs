//! Permission rules from files, and back into them.

use std::path::PathBuf;

use mcp_config::{Environment, OwnFile, Preset};
use mcp_registry::{
    Authority, Effect, Problem, RuleLayer, Rules, Scope, SettingsRule, Source, Surroundings, forget_rule,
    parse_settings, write_rule,
};
use serde_json::Value;

use crate::configuration::Configuration;
use crate::error::Error;

/// The rules of a configuration, and what is wrong with them. In the order in which a decision names them:
///
/// 1. the user's `mcp-toolkit/settings.json`;
/// 2. the project's `.agents/settings.json`, outermost directory first; until a person approves such a file, its rules only
///    tighten;
/// 3. under the preset `freecode`, that system's `settings.json`: the user's, then the project's, which only tightens.
pub fn rules(configuration: &Configuration, preset: Preset) -> (Rules, Vec<Problem>) {
    let mut layers = Vec::new();
    let mut problems = Vec::new();
    let mut add = |(layer, found): (RuleLayer, Vec<Problem>)| {
        layers.push(layer);
        problems.extend(found);
    };
    for document in &configuration.settings.documents {
        let path = document.path.display().to_string();
        let source = if document.is_users() {
            Source::user(path)
        } else {
            Source::project(path, authority(document.is_trusted(&configuration.trust)))
        };
        add(parse_settings(source, &document.json));
    }
    if preset == Preset::Freecode {
        freecode(&configuration.environment).into_iter().for_each(add);
    }
    (Rules::new(layers).in_surroundings(&surroundings(&configuration.environment)), problems)
}

/// Where the paths of a call's arguments start.
pub(crate) fn surroundings(environment: &Environment) -> Surroundings {
    let text = |path: &PathBuf| path.to_str().map(str::to_owned);
    Surroundings { home: environment.home.as_ref().and_then(text), directory: text(&environment.cwd) }
}

fn authority(is_trusted: bool) -> Authority {
    if is_trusted { Authority::Full } else { Authority::Tighten }
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
pub fn settings_file(environment: &Environment, scope: Scope) -> Result<OwnFile, Error> {
    let path = match scope {
        Scope::User => environment.settings_file(),
        Scope::Project => Some(environment.cwd.join(".agents").join("settings.json")),
        Scope::Session | Scope::Foreign => None,
    };
    path.map(OwnFile::new).ok_or(Error::NoSettings { scope: scope.as_str() })
}

/// Writes a rule into the settings file of its scope, in the place of the same rule in another list; all else stays.
///
/// # Errors
///
/// [`Error::NoSettings`], or [`Error::Settings`] when the file cannot be changed; then it stays as it is.
pub fn write(environment: &Environment, rule: &SettingsRule) -> Result<OwnFile, Error> {
    let file = settings_file(environment, rule.scope)?;
    change(&file, |text| write_rule(text, rule))?;
    Ok(file)
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
    let mut changed = Vec::new();
    for document in configuration.settings.documents.iter().filter(|document| document.is_users() == users) {
        let file = OwnFile::new(&document.path);
        let read = || file.read().map_err(|source| Error::OwnFile { source });
        let before = read()?;
        change(&file, |text| forget_rule(text, rule))?;
        if read()? != before {
            changed.push(document.path.clone());
        }
    }
    Ok(changed)
}

fn change(file: &OwnFile, change: impl FnOnce(&str) -> Result<String, mcp_registry::Error>) -> Result<(), Error> {
    file.rewrite(change)
        .map_err(|source| Error::OwnFile { source })?
        .map_err(|source| Error::Settings { path: file.path().to_path_buf(), source })
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
