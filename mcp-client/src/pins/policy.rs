//! What becomes of tools that changed, server by server, as the settings say.

use std::path::Path;

use mcp_config::{FoundSettings, Problem, ProblemKind, Severity};
use mcp_registry::PinPolicy;
use serde_json::Value;

use crate::configuration::Configuration;

/// The key of the settings: one policy for all servers, or an object with one for each, by name, and under `*` for the others.
const SETTING: &str = "pins";

/// Stands for every server that is not named.
const ANY: &str = "*";

/// The policies of all servers. For each it is, in this order:
///
/// 1. what the user's settings say of the server;
/// 2. what they say of all;
/// 3. the host's default, which is [`PinPolicy::Hold`] unless the host chose another;
///
/// or what the project's settings say, if that protects more: a repository may not loosen it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policies {
    default: PinPolicy,
    user: Option<Value>,
    projects: Vec<Value>,
}

impl Policies {
    pub(crate) fn new(configuration: &Configuration, default: PinPolicy) -> Self {
        let mut documents = documents(&configuration.settings);
        let user = documents.next().and_then(|(_, value)| value).cloned();
        Self { default, user, projects: documents.filter_map(|(_, value)| value).cloned().collect() }
    }

    pub(crate) fn of(&self, server: &str) -> PinPolicy {
        let user = self.user.as_ref().and_then(|setting| policy(setting, server)).unwrap_or(self.default);
        let projects = self.projects.iter().filter_map(|setting| policy(setting, server));
        projects.fold(user, PinPolicy::max)
    }
}

/// What one file says of a server. What nobody can read protects most.
fn policy(setting: &Value, server: &str) -> Option<PinPolicy> {
    let value = match setting {
        Value::Object(servers) => servers.get(server).or_else(|| servers.get(ANY))?,
        for_all => for_all,
    };
    Some(parse(value).unwrap_or_default())
}

fn parse(value: &Value) -> Option<PinPolicy> {
    value.as_str()?.parse().ok()
}

/// What every file of settings says, the user's first.
fn documents(settings: &FoundSettings) -> impl Iterator<Item = (Option<&Path>, Option<&Value>)> {
    let projects = settings.projects.iter().map(|project| (Some(&*project.path), project.settings.other.get(SETTING)));
    std::iter::once((None, settings.user.other.get(SETTING))).chain(projects)
}

/// What is wrong with the policies in the settings.
pub(crate) fn problems(settings: &FoundSettings, user: Option<&Path>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, setting) in documents(settings) {
        let Some(path) = path.or(user) else { continue };
        let mut check = |value: &Value, pointer: String| {
            if parse(value).is_none() {
                let message = format!("expected note, ask or hold, found {value}; taken for hold");
                let problem = Problem::new(Severity::Error, ProblemKind::Shape, message);
                problems.push(problem.with_path(path).with_pointer(pointer));
            }
        };
        match setting {
            None => {}
            Some(Value::Object(servers)) => {
                for (server, value) in servers {
                    check(value, format!("/{SETTING}{}", crate::client::pointer(server)));
                }
            }
            Some(for_all) => check(for_all, format!("/{SETTING}")),
        }
    }
    problems
}
