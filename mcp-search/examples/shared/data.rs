//! Sets of tools and queries on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use mcp_search::Document;
use serde::Deserialize;
use serde_json::{Value, json};

/// The ids of the tools found for one query, best first.
pub(crate) type Ranking = Vec<String>;

/// Tools, and queries with the tools that answer them.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) tools: Vec<Document>,
    pub(crate) queries: Vec<Query>,
}

/// A query and the ids of the tools that answer it.
#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    pub(crate) id: Value,
    #[serde(rename = "query")]
    pub(crate) text: String,
    pub(crate) relevant: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Tool {
    id: String,
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    server: String,
    #[serde(default)]
    schema: Value,
}

impl From<Tool> for Document {
    fn from(tool: Tool) -> Self {
        let properties = tool.schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let described = properties.map(|(name, property)| {
            let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
            (name.clone(), description.to_owned())
        });
        Self {
            parameters: described.collect(),
            description: tool.description.unwrap_or_default(),
            id: tool.id,
            name: tool.name,
            server: tool.server,
            title: None,
        }
    }
}

/// Reads every set below `directory`, in the order of their names.
pub(crate) fn load(directory: &Path) -> Result<Vec<Set>, Box<dyn Error>> {
    let entries = fs::read_dir(directory).map_err(|error| format!("cannot read {}: {error}", directory.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.retain(|path| path.join("queries.jsonl").is_file());
    paths.sort();
    let sets = paths.iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let tools = lines::<Tool>(&path.join("tools.jsonl"))?.into_iter().map(Document::from).collect();
        Ok(Set { name, tools, queries: lines(&path.join("queries.jsonl"))? })
    });
    let sets = sets.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    if sets.is_empty() {
        return Err(format!("{} holds no folder with queries.jsonl", directory.display()).into());
    }
    Ok(sets)
}

fn lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1).into())
    };
    text.lines().enumerate().map(parse).collect()
}

/// Writes rankings as lines of `{"set", "id", "ranked"}`.
pub(crate) fn dump(sets: &[Set], rankings: &[Vec<Ranking>]) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for (set, rankings) in sets.iter().zip(rankings) {
        for (query, ranking) in set.queries.iter().zip(rankings) {
            text += &serde_json::to_string(&json!({"set": set.name, "id": query.id, "ranked": ranking}))?;
            text.push('\n');
        }
    }
    Ok(text)
}

/// Reads what [`dump`] wrote, by set and query.
pub(crate) fn load_dump(path: &Path) -> Result<BTreeMap<(String, String), Ranking>, Box<dyn Error>> {
    #[derive(Deserialize)]
    struct Line {
        set: String,
        id: Value,
        ranked: Ranking,
    }
    let lines = lines::<Line>(path)?;
    Ok(lines.into_iter().map(|line| ((line.set, line.id.to_string()), line.ranked)).collect())
}
