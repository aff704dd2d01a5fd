//! The crate graph is a star: leaves know nothing of each other, and a foreign API has few homes.

use crate::workspace::{LEAVES, Package};

/// Who may name which foreign crate. Everything else about such a crate is free to change without a ripple.
const HOMES: [(&[&str], &[&str]); 6] = [
    (&["rmcp"], &["mcp-gateway", "mcp-transport"]),
    (&["oauth2", "keyring", "keyring-core"], &["mcp-oauth"]),
    (&["clap"], &["mcp-cli"]),
    (&["jsonschema", "referencing"], &["mcp-schema"]),
    (&["bm25"], &["mcp-search"]),
    (&["rten"], &["mcp-client"]),
];

/// Crates that read files, sockets, clocks or the environment may be tested against scripted peers.
const TESTKIT_USERS: [&str; 6] = ["mcp-transport", "mcp-oauth", "mcp-client", "mcp-gateway", "mcp-agent", "mcp-cli"];

/// Every edge that the design does not allow.
pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages {
        for dependency in &package.dependencies {
            let ours = packages.iter().any(|other| other.name == dependency.name);
            if ours && !edge_allowed(&package.name, &dependency.name, dependency.dev) {
                findings.push(format!("{}: must not depend on `{}`", package.name, dependency.name));
            }
            for (crates, homes) in HOMES {
                if crates.contains(&dependency.name.as_str()) && !homes.contains(&package.name.as_str()) {
                    findings.push(format!("{}: `{}` belongs to {homes:?} alone", package.name, dependency.name));
                }
            }
        }
    }
    findings
}

fn edge_allowed(from: &str, to: &str, dev: bool) -> bool {
    if to == "mcp-testkit" {
        return dev && TESTKIT_USERS.contains(&from);
    }
    match from {
        "mcp-client" => LEAVES.contains(&to),
        "mcp-gateway" | "mcp-agent" => to == "mcp-client",
        "mcp-cli" => ["mcp-client", "mcp-gateway", "mcp-agent"].contains(&to),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::workspace::Dependency;

    fn package(name: &str, dependencies: &[(&str, bool)]) -> Package {
        let dependencies =
            dependencies.iter().map(|(name, dev)| Dependency { name: (*name).to_owned(), dev: *dev }).collect();
        Package { name: name.to_owned(), folder: PathBuf::new(), dependencies }
    }

    #[test]
    fn edges() {
        let table = [
            ("mcp-config", "mcp-schema", false, 1),
            ("mcp-config", "mcp-schema", true, 1),
            ("mcp-client", "mcp-schema", false, 0),
            ("mcp-cli", "mcp-schema", false, 1),
            ("mcp-cli", "mcp-client", false, 0),
            ("mcp-client", "mcp-cli", false, 1),
            ("mcp-transport", "mcp-testkit", true, 0),
            ("mcp-transport", "mcp-testkit", false, 1),
            ("mcp-schema", "mcp-testkit", true, 1),
            ("xtask", "mcp-client", false, 1),
            ("mcp-schema", "rmcp", false, 1),
            ("mcp-transport", "rmcp", false, 0),
            ("mcp-client", "clap", false, 1),
        ];
        for (from, to, dev, expected) in table {
            let packages = [package(from, &[(to, dev)]), package(to, &[])];
            // A foreign crate is not a member of the workspace.
            let members = if to.starts_with("mcp-") { &packages[..] } else { &packages[..1] };
            assert_eq!(check(members).len(), expected, "{from} → {to} (dev: {dev})");
        }
    }
}
