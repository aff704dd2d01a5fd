//! The reader most programs begin with: one serde struct, the last file wins, variables expanded while reading.
//!
//! It is kept to show that the checks beside it are real: most of them fail on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::system::{Row, Start, System};
use crate::support::World;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct File {
    #[serde(rename = "mcpServers", default)]
    servers: BTreeMap<String, Server>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Server {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(flatten)]
    program: Option<Program>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Program {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

pub(crate) struct Naive;

impl Naive {
    fn paths(world: &World) -> [PathBuf; 2] {
        [world.home.join(".agents/mcp.json"), world.project.join(".mcp.json")]
    }

    fn read(path: &Path, world: Option<&World>) -> Result<File, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let text = world.map_or_else(|| text.clone(), |world| expand(&text, world));
        let file: File = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let broken = file.servers.values().any(|server| server.url.is_none() && server.program.is_none());
        if broken { Err("missing field `command`".to_owned()) } else { Ok(file) }
    }

    fn servers(world: &World) -> Result<BTreeMap<String, (PathBuf, Server)>, String> {
        let mut servers = BTreeMap::new();
        for path in Self::paths(world).into_iter().filter(|path| path.exists()) {
            for (name, server) in Self::read(&path, Some(world))?.servers {
                servers.insert(name, (path.clone(), server));
            }
        }
        Ok(servers)
    }
}

fn expand(text: &str, world: &World) -> String {
    let vars = world.environment.vars.iter();
    vars.fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

impl System for Naive {
    fn list(&self, world: &World) -> Result<Vec<Row>, String> {
        let servers = Self::servers(world)?.into_iter();
        Ok(servers.map(|(name, (path, _))| Row { name, path: world.text(&path.display()), shadows: 0 }).collect())
    }

    fn problems(&self, world: &World) -> Vec<String> {
        Self::servers(world).err().into_iter().collect()
    }

    fn start(&self, world: &World, name: &str) -> Result<Start, String> {
        let (_, server) = Self::servers(world)?.remove(name).ok_or("there is no such server")?;
        Ok(match server.program {
            Some(Program { command, args, env }) => {
                Start { command, args, values: env.into_iter().collect(), cwd: String::new() }
            }
            None => Start {
                command: server.url.unwrap_or_default(),
                values: server.headers.into_iter().collect(),
                ..Start::default()
            },
        })
    }

    fn show(&self, world: &World) -> String {
        format!("{:?}", Self::servers(world))
    }

    fn approve(&self, _: &mut World, _: &str) {}

    fn add(&self, path: &Path, names: &[&str]) -> Result<(), String> {
        let files: Vec<File> = names.iter().map(|_| Self::read(path, None).unwrap_or_default()).collect();
        for (name, mut file) in names.iter().zip(files) {
            let program = Program { command: "added".to_owned(), args: vec!["x".to_owned()], env: BTreeMap::new() };
            let server = Server { url: None, headers: BTreeMap::new(), program: Some(program) };
            file.servers.insert((*name).to_owned(), server);
            let text = serde_json::to_string_pretty(&file).map_err(|error| error.to_string())?;
            std::fs::write(path, text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
