//! One activation, and what was looked for in vain.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use mcp_config::{Activated, Answers, Environment, Problem, ProblemKind, Resolved, ServerConfig, Severity, Trusted};
use mcp_oauth::SecretName;

use super::{OpenError, Secrets, Wanted};
use crate::error::chain;

/// Stands for an answer that nobody has given yet: a URL, so that it fits where one is expected.
const STAND_IN: &str = "https://answer.invalid";

impl Secrets {
    /// Activates a definition with what is kept. A start and a login come here, and `doctor`, so that they see the same.
    pub(crate) fn activate(
        &self,
        server: &Resolved,
        trusted: &Trusted<ServerConfig>,
        environment: &Environment,
    ) -> Result<Activated, Problem> {
        Lookup::new(self, server).activate(trusted, environment).0
    }

    /// What a person could give, for the definition to be activated or to be activated as they want. When answers alone
    /// would not do, the error says what else is wrong: nobody gives a secret to a server that does not start.
    pub(crate) fn unanswered(
        &self,
        server: &Resolved,
        trusted: &Trusted<ServerConfig>,
        environment: &Environment,
    ) -> Result<Vec<Wanted>, Problem> {
        let (outcome, missing) = Lookup::new(self, server).activate(trusted, environment);
        match outcome {
            Ok(_) => Ok(missing),
            Err(problem) if problem.kind != ProblemKind::Unset || missing.is_empty() => Err(problem),
            Err(_) => match Lookup::new(self, server).standing_in().activate(trusted, environment) {
                // No more than that is wrong with what stands in: it may be no URL, file or header that is expected.
                (Err(Problem { kind: ProblemKind::Shape | ProblemKind::Unreadable, .. }) | Ok(_), missing) => {
                    Ok(missing)
                }
                (Err(problem), _) => Err(problem),
            },
        }
    }
}

fn unreadable(trusted: &Trusted<ServerConfig>, error: &OpenError) -> Problem {
    let origin = trusted.origin();
    let message = format!("what is stored for it cannot be read: {}", chain(error));
    Problem::new(Severity::Error, ProblemKind::Unreadable, message)
        .with_path(&origin.path)
        .at(origin.line, origin.column)
        .with_pointer(origin.pointer.as_str())
        .with_server(trusted.name())
}

/// Answers one activation.
struct Lookup<'a> {
    secrets: &'a Secrets,
    /// Everything the definition refers to.
    wanted: Vec<Wanted>,
    /// What is answered where nothing is kept.
    stand_in: Option<&'static str>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// Indices of what is wanted.
    missing: BTreeSet<usize>,
    failure: Option<OpenError>,
}

impl<'a> Lookup<'a> {
    fn new(secrets: &'a Secrets, server: &Resolved) -> Self {
        Self { secrets, wanted: Wanted::by(server), stand_in: None, found: Mutex::default() }
    }

    /// Goes on behind what is missing.
    fn standing_in(mut self) -> Self {
        self.stand_in = Some(STAND_IN);
        self
    }

    /// Activates, and tells what was looked for in vain.
    fn activate(
        self,
        trusted: &Trusted<ServerConfig>,
        environment: &Environment,
    ) -> (Result<Activated, Problem>, Vec<Wanted>) {
        let outcome = trusted.activate_with(environment, &self);
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        match found.failure {
            // Whatever was looked for may be there; going on as if it were not would end in the wrong question.
            Some(error) => (Err(unreadable(trusted, &error)), Vec::new()),
            None => (outcome, found.missing.iter().filter_map(|index| self.wanted.get(*index).cloned()).collect()),
        }
    }

    fn answer(&self, is_meant: impl Fn(&Wanted) -> bool) -> Option<mcp_config::Secret> {
        let index = self.wanted.iter().position(is_meant)?;
        let wanted = self.wanted.get(index)?;
        let answer = self.secrets.get(&wanted.name);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(Some(secret)) => return Some(mcp_config::Secret::new(secret.expose())),
            Ok(None) => {
                found.missing.insert(index);
            }
            Err(error) => found.failure = Some(error),
        }
        self.stand_in.map(mcp_config::Secret::new)
    }
}

impl Answers for Lookup<'_> {
    fn input(&self, id: &str) -> Option<mcp_config::Secret> {
        self.answer(|wanted| wanted.prompt.as_ref().is_some_and(|prompt| prompt.id == id))
    }

    fn keyring(&self, name: &str) -> Option<mcp_config::Secret> {
        self.answer(|wanted| wanted.prompt.is_none() && wanted.name == SecretName::shared(name))
    }
}
