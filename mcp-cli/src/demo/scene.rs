//! The demo's project: a temporary folder with one configuration file, and a home that nobody lives in.

use std::path::PathBuf;

use mcp_client::Client;
use mcp_client::config::Environment;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::exit::Failure;

/// The servers of the configuration, in order.
const SERVERS: [&str; 5] = ["library", "ledger", "catalogue", "crasher", "clumsy"];

pub(super) struct Scene {
    folder: TempDir,
}

impl Scene {
    pub(super) fn set() -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::usage(format!("cannot set the demo's scene: {error}"));
        let folder = tempfile::Builder::new().prefix("mcpctl-demo-").tempdir().map_err(failed)?;
        let binary = std::env::current_exe().map_err(failed)?;
        let servers: serde_json::Map<String, Value> = SERVERS
            .into_iter()
            .map(|name| (name.to_owned(), json!({"command": binary, "args": ["demo-server", name]})))
            .collect();
        let scene = Self { folder };
        std::fs::create_dir(scene.project()).map_err(failed)?;
        std::fs::write(scene.file(), format!("{:#}\n", json!({ "mcpServers": servers }))).map_err(failed)?;
        Ok(scene)
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(super) fn file(&self) -> PathBuf {
        self.project().join(".mcp.json")
    }

    /// As a person who stands in the project and has approved nothing.
    pub(super) fn stranger(&self) -> Client {
        Client::builder(self.environment()).build()
    }

    /// As a person who names the file.
    pub(super) fn client(&self) -> Client {
        Client::builder(self.environment()).config(self.file()).build()
    }

    fn environment(&self) -> Environment {
        Environment::new(self.project()).with_home(self.folder.path().join("home"))
    }
}
