//! What a bug report can be tried on: this crate, or the naive reader that most reports are about.

use std::path::Path;
use std::time::UNIX_EPOCH;

use mcp_config::{Edit, FileFormat, Launch, NewServer, Preset, ThisMachine, diagnose, merge};

use crate::support::World;

/// A listed server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) shadows: usize,
}

/// What would be started.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Start {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) values: Vec<(String, String)>,
    pub(crate) cwd: String,
}

/// Something that reads, starts, shows and edits.
pub(crate) trait System {
    /// Lists what is configured.
    fn list(&self, world: &World) -> Result<Vec<Row>, String>;
    /// Says everything that is wrong.
    fn problems(&self, world: &World) -> Vec<String>;
    /// Says what would be started.
    fn start(&self, world: &World, name: &str) -> Result<Start, String>;
    /// Returns everything that is printed or logged about the configuration.
    fn show(&self, world: &World) -> String;
    /// Approves what the project defines now under a name.
    fn approve(&self, world: &mut World, name: &str);
    /// Adds two programs, each edit begun before the other is finished.
    fn add(&self, path: &Path, names: &[&str]) -> Result<(), String>;
}

/// This crate.
pub(crate) struct Toolkit;

impl System for Toolkit {
    fn list(&self, world: &World) -> Result<Vec<Row>, String> {
        let row = |server: &mcp_config::Resolved| Row {
            name: server.name().to_owned(),
            path: world.text(&server.origin().path.display()),
            shadows: server.shadows().len(),
        };
        Ok(world.merged().servers.iter().map(row).collect())
    }

    fn problems(&self, world: &World) -> Vec<String> {
        let found = world.found(Preset::Toolkit);
        let merged = merge(&found.layers, &world.trust, &world.environment);
        let machine = ThisMachine::new(&world.environment);
        world.texts(&diagnose(&found, &merged, &machine, &|_, trusted| trusted.activate(&world.environment)))
    }

    fn start(&self, world: &World, name: &str) -> Result<Start, String> {
        let merged = world.merged();
        let server = merged.server(name).ok_or("there is no such server")?;
        let trusted = server.trusted().map_err(|error| error.to_string())?;
        let activated = trusted.activate(&world.environment).map_err(|problem| problem.to_string())?;
        let values = |values: indexmap::IndexMap<String, mcp_config::Secret>| {
            values.into_iter().map(|(name, value)| (name, value.expose().to_owned())).collect()
        };
        Ok(match activated.launch {
            Launch::Stdio { command, args, env, cwd } => {
                Start { command, args, values: values(env), cwd: world.text(&cwd.display()) }
            }
            Launch::Http { url, headers } | Launch::Sse { url, headers } | Launch::HttpAuto { url, headers } => {
                Start { command: url, values: values(headers), ..Start::default() }
            }
        })
    }

    fn show(&self, world: &World) -> String {
        let found = world.found(Preset::Toolkit);
        let merged = merge(&found.layers, &world.trust, &world.environment);
        let json = serde_json::to_string(&merged).unwrap();
        let previews: Vec<String> = merged.servers.iter().map(|server| server.preview().to_string()).collect();
        let activated: Vec<String> = merged
            .servers
            .iter()
            .filter_map(|server| server.trusted().ok())
            .map(|trusted| format!("{:?} {trusted:?}", trusted.activate(&world.environment)))
            .collect();
        let problems = self.problems(world);
        format!("{json} {previews:?} {activated:?} {problems:?} {found:?} {merged:?} {:?}", world.environment)
    }

    fn approve(&self, world: &mut World, name: &str) {
        let merged = world.merged();
        let server = merged.server(name).unwrap();
        world.trust.approve(&server.plan(&world.environment), UNIX_EPOCH).unwrap();
    }

    fn add(&self, path: &Path, names: &[&str]) -> Result<(), String> {
        let format = if path.extension().is_some_and(|extension| extension == "toml") {
            FileFormat::Codex
        } else if path.parent().is_some_and(|parent| parent.ends_with(".vscode")) {
            FileFormat::VsCode
        } else {
            FileFormat::McpServers
        };
        let mut edits = Vec::new();
        for name in names {
            let mut edit = Edit::open(path, format).map_err(|error| error.to_string())?;
            edit.add(name, &NewServer::stdio("added", ["x"])).map_err(|error| error.to_string())?;
            edits.push(edit);
        }
        edits.iter_mut().try_for_each(|edit| edit.save().map_err(|error| error.to_string()))
    }
}
