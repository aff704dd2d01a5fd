//! Which servers and tools the permission rules can be about.

use mcp_registry::{Known, StrayRules};

use crate::client::Client;
use crate::server::Server;

impl Client {
    /// The servers there are, with the tools of those that are connected or were before: what a rule can be about. Nothing is
    /// started.
    ///
    /// A server of another project counts once it was approved, as the user's rules hold there too.
    pub fn known_names(&self) -> Known {
        self.known_with_tools(|_| true)
    }

    /// The rules of the settings files that are about nothing that is known, as far as it is known now.
    ///
    /// None where the configuration is only a part of what the user has: files that were named, or one host's.
    pub fn stray_rules(&self) -> StrayRules {
        if !self.shared.is_whole {
            return StrayRules::default();
        }
        // Remembered tools may be megabytes, and most rules depend on few of them.
        let names = self.shared.servers.iter().map(Server::name);
        let wanted: Vec<&str> = {
            let rules = self.rules();
            names.filter(|name| rules.depend_on_tools_of(name)).collect()
        };
        let known = self.known_with_tools(|name| wanted.contains(&name));
        self.rules().strays(&known)
    }

    /// What is known, with the tools of those servers of which they are wanted.
    fn known_with_tools(&self, are_wanted: impl Fn(&str) -> bool) -> Known {
        let configuration = self.configuration();
        let mut known = Known::of(&self.tools());
        configuration.definitions().for_each(|server| known.add_server(server.name()));
        configuration.trust.server_names().for_each(|name| known.add_server(name));
        for server in self.shared.servers.iter().filter(|server| are_wanted(server.name())) {
            let remembered = self.shared.pins.tools(&server.resolved.state_key(), server.resolved.definition_hash());
            if let Some(tools) = remembered {
                known.add_tools(server.name(), tools);
            }
        }
        known
    }
}
