//! Everything that is wrong with a configuration: what a start would find out, without starting anything.

use std::sync::Arc;

use mcp_config::{Activated, Problem, ProblemKind, Resolved, ServerConfig, Severity, ThisMachine, Trusted, diagnose};

use crate::client::Client;
use crate::endpoint::endpoint;
use crate::error::chain;
use crate::logins::Reread;

impl Client {
    /// Everything that is wrong with the configuration, and what mends it. Nothing is started and nobody is asked; it blocks for
    /// as long as a keyring takes.
    ///
    /// Every server that may run goes through the functions that a start would take it through, up to where a program would be
    /// started or a request sent: what keeps it from getting there is in the list.
    pub fn diagnose(&self) -> Vec<Problem> {
        let configuration = self.configuration();
        let machine = ThisMachine::new(&configuration.environment);
        let activate = |server: &Resolved, trusted: &Trusted<ServerConfig>| {
            self.shared.secrets.activate(server, trusted, &configuration.environment)
        };
        let mut problems = diagnose(&configuration.found, &configuration.merged, &machine, &activate);
        for server in configuration.merged.servers.iter().filter(|server| server.enabled()) {
            let Ok(trusted) = server.trusted() else { continue };
            // Why a server does not start is said once.
            if !is_told(&problems, server) {
                let checked = activate(server, &trusted).and_then(|activated| self.check(server, &activated));
                problems.extend(checked.err());
            }
        }
        problems.extend(configuration.own_problems().cloned());
        problems
    }

    /// Lets the transport look at what it would be given.
    fn check(&self, server: &Resolved, activated: &Activated) -> Result<(), Problem> {
        let problem = |error: &dyn std::error::Error, field: &str| {
            let origin = server.origin();
            Problem::new(Severity::Error, ProblemKind::Shape, chain(error))
                .with_path(&origin.path)
                .at(origin.line, origin.column)
                .with_pointer(format!("{}{field}", origin.pointer))
                .with_server(server.name())
        };
        // Nothing is read again here, and nothing is sent.
        let nothing: Reread = Arc::new(|| None);
        self.shared.logins.check(activated, &nothing).map_err(|error| problem(&error, "/oauth"))?;
        let authorize = self.shared.logins.authorize(server.name(), activated, &nothing);
        let endpoint = endpoint(activated, &self.shared.configuration.environment, authorize);
        endpoint.check().map_err(|error| problem(&error, ""))
    }
}

/// Whether it is known already why the server does not start.
fn is_told(problems: &[Problem], server: &Resolved) -> bool {
    let is_about = |problem: &Problem| problem.server.as_deref() == Some(server.name());
    problems.iter().any(|problem| problem.severity == Severity::Error && is_about(problem))
}
