//! `embsearch serve`: a program that embeds texts and keeps the vectors to itself.
//!
//! It is used where it is found, and never downloaded. It speaks a line of JSON a message on its standard streams, strictly in
//! turn: <https://github.com/kolisachint/embeddingsearchtools>.

mod daemon;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcp_config::{Environment, Programs};
use mcp_search::{ContentKey, Document, Similarities};
use serde_json::{Value, json};
use tokio::time::Instant;

use self::daemon::Daemon;
use super::failure::Failure;
use super::leg::{Limits, Reading};
use crate::client::Client;

/// Variables that name the program, the first that is set counting. The second is hoocode's.
const VARIABLES: [&str; 2] = ["MCP_TOOLKIT_EMBSEARCH", "HOOCODE_EMBSEARCH_BINARY"];
/// What the program is called.
const NAME: &str = "embsearch";
/// The variables that the program is given, so that it finds its home and its libraries and no secret of the host.
const INHERITED: [&str; 6] = ["HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TMPDIR"];
/// How many texts it is given at once.
const BATCH: usize = 32;
/// How much of a description it reads, in characters; models read little more.
const DESCRIPTION_CHARACTERS: usize = 400;

/// The program, and the process of it that runs.
///
/// The process is started by the first search, ends with the client, and holds the vectors in memory: nothing is written.
#[derive(Debug)]
pub struct Embsearch {
    program: PathBuf,
    variables: BTreeMap<String, String>,
    /// A folder that does not exist: the program makes one only when told to save.
    store: PathBuf,
    running: tokio::sync::Mutex<Option<Running>>,
}

/// A process, and what it was told.
#[derive(Debug)]
struct Running {
    daemon: Daemon,
    told: BTreeMap<String, ContentKey>,
}

impl Embsearch {
    /// Finds the program, in this order: the file that `MCP_TOOLKIT_EMBSEARCH` names, the one that
    /// `HOOCODE_EMBSEARCH_BINARY` names, `embsearch` on the `PATH`. A file that does not exist is passed over, and so is a
    /// relative path: it would be a file of the folder that happens to be current.
    pub fn find(environment: &Environment) -> Option<Self> {
        let mut named = VARIABLES.iter().filter_map(|name| environment.var(name)).map(PathBuf::from);
        let named = named.find(|file| file.is_absolute() && file.is_file());
        let program = named.or_else(|| Programs::new(environment).find(NAME))?;
        Some(Self::new(program, environment))
    }

    /// Uses this program.
    pub fn new(program: impl Into<PathBuf>, environment: &Environment) -> Self {
        let handed_on = |name: &str| match name {
            "PATH" => Programs::new(environment).search_path(),
            _ => environment.vars.get(name).cloned(),
        };
        let inherited = INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), handed_on(name)?)));
        let folder = environment.state_home().unwrap_or_else(|| environment.cwd.clone());
        Self {
            program: program.into(),
            variables: inherited.collect(),
            store: folder.join("mcp-toolkit").join("embsearch-in-memory"),
            running: tokio::sync::Mutex::default(),
        }
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Tells the process about the tools that changed, and asks for those that are similar to the query.
    pub(super) async fn read(&self, client: &Client, query: &str, limits: Limits) -> Result<Reading, Failure> {
        let phrases = mcp_search::phrases(query);
        if phrases.is_empty() {
            return Ok(Reading::Similar(Similarities::default()));
        }
        let mut slot = self.running.lock().await;
        // Taken out while it is spoken to: a process that was left in the middle of an answer is ended, not asked again.
        let mut running = match slot.take() {
            Some(running) => running,
            None => self.start(limits).await?,
        };
        let texts: BTreeMap<String, String> = {
            let mut known = client.known();
            known.index().documents().map(|document| (document.id.clone(), text(document))).collect()
        };
        let reading = match running.catch_up(&texts, limits).await? {
            read if read < texts.len() => Reading::Unfinished { read, tools: texts.len() },
            _ => Reading::Similar(running.similar(&phrases, texts.len(), limits).await?),
        };
        *slot = Some(running);
        Ok(reading)
    }

    async fn start(&self, limits: Limits) -> Result<Running, Failure> {
        daemon::check_version(&self.program, &self.variables, limits.answer).await?;
        let mut daemon = Daemon::start(&self.program, &self.store, &self.variables)?;
        let info = daemon.ask(&json!({"op": "info"}), limits.answer).await?;
        match info["model_id"].as_str() {
            Some(model) if model.starts_with("mock-") => Err(Failure::Mock { backend: daemon.name().to_owned() }),
            Some(_) => Ok(Running { daemon, told: BTreeMap::new() }),
            None => Err(daemon.nonsense("its model")),
        }
    }
}

impl Running {
    /// Takes back the tools that are gone and tells of those that are new, until time is up; returns how many it knows then.
    async fn catch_up(&mut self, texts: &BTreeMap<String, String>, limits: Limits) -> Result<usize, Failure> {
        let gone: Vec<String> = self.told.keys().filter(|id| !texts.contains_key(*id)).cloned().collect();
        for id in gone {
            self.daemon.ask(&json!({"op": "remove", "id": id}), limits.answer).await?;
            self.told.remove(&id);
        }
        let key = |text: &str| ContentKey::of(NAME, text);
        let is_new = |(id, text): &(&String, &String)| self.told.get(*id) != Some(&key(text));
        let changed: Vec<(&String, &String)> = texts.iter().filter(is_new).collect();
        for batch in changed.chunks(BATCH) {
            if Instant::now() >= limits.deadline {
                break;
            }
            let items: Vec<Value> = batch.iter().map(|(id, text)| json!({"id": id, "text": text})).collect();
            self.daemon.ask(&json!({"op": "bulk", "items": items}), limits.answer).await?;
            self.told.extend(batch.iter().map(|(id, text)| ((*id).clone(), key(text))));
        }
        let known = texts.iter().filter(|(id, text)| self.told.get(*id) == Some(&key(text)));
        Ok(known.count())
    }

    async fn similar(&mut self, phrases: &[String], tools: usize, limits: Limits) -> Result<Similarities, Failure> {
        let mut similarities = Similarities::default();
        for phrase in phrases {
            let query = json!({"op": "query", "text": phrase, "k": tools});
            let answer = self.daemon.ask(&query, limits.answer).await?;
            let results = answer["results"].as_array().ok_or_else(|| self.daemon.nonsense("results"))?;
            let mut figures = Vec::with_capacity(results.len().min(tools));
            for result in results {
                let (Some(id), Some(score)) = (result["id"].as_str(), result["score"].as_f64()) else {
                    return Err(self.daemon.nonsense("an id and a score a result"));
                };
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "what is too large becomes infinite, and is left out"
                )]
                figures.push((id.to_owned(), score as f32));
            }
            similarities.push(figures);
        }
        Ok(similarities)
    }
}

/// The text by which the program knows a tool, in hoocode's form: name and description.
fn text(document: &Document) -> String {
    let description: String = document.description.chars().take(DESCRIPTION_CHARACTERS).collect();
    format!("{}. {description}", document.name)
}
