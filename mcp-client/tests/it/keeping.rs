//! Vectors that outlive the process: whom the next client still asks, and what a damaged file costs.

use std::error::Error as StdError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use mcp_client::config::Environment;
use mcp_client::embed::DenseLeg;
use mcp_client::search::{Embed, Leg, LegState};
use mcp_client::{Client, ClientBuilder};
use serde_json::{Value, json};

use crate::stage::{Stage, reads};

const QUESTION: &str = "write a letter";

/// A model that counts how many texts it was asked for at once.
#[derive(Clone)]
struct Counting {
    name: &'static str,
    /// Other models turn texts into other vectors.
    turned: bool,
    asked: Arc<Mutex<Vec<usize>>>,
}

const ONE: (&str, bool) = ("one", false);

impl Embed for Counting {
    fn model(&self) -> &str {
        self.name
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        self.asked.lock().unwrap().push(texts.len());
        let vector = |text: &String| {
            let about_letters = text.contains("e-mail") || text.contains("letter");
            if about_letters == self.turned { vec![0.1, 1.0] } else { vec![1.0, 0.1] }
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn tools(second: &str) -> Value {
    let object = json!({"type": "object"});
    let described = [("look", "Look around."), ("open", second), ("send", "Dispatch an e-mail.")];
    let tools = described.map(|(name, description)| {
        let mut tool = reads(name, &object);
        tool["description"] = json!(description);
        tool
    });
    json!(tools)
}

async fn stage() -> Stage {
    Stage::new().with_server("desk", tools("File an issue.")).await
}

/// Searches in a new client, and returns how many texts the model was asked for, request by request.
async fn asked(builder: ClientBuilder, (name, turned): (&'static str, bool)) -> Vec<usize> {
    let model = Counting { name, turned, asked: Arc::default() };
    let client = builder.dense(DenseLeg::of_model(model.clone())).build();
    client.start().await;
    let answer = client.search_by_meaning(QUESTION, 1).await;
    assert_eq!(answer.hits.first().map(|hit| hit.id.as_str()), Some("mcp__desk__send"), "{answer:?}");
    let dense = answer.legs.iter().find(|report| report.leg == Leg::Dense).unwrap();
    assert!(matches!(dense.state, LegState::Answered { .. }), "{answer:?}");
    let asked = model.asked.lock().unwrap();
    asked.clone()
}

/// The files that are kept.
fn files(stage: &Stage) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(stage.path("home/.local/state/mcp-toolkit/vectors"));
    let paths = folder.into_iter().flatten().flatten().map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "vectors")).collect()
}

/// The query and the sentence that tells models apart, and then three tools.
const EVERYTHING: [usize; 2] = [2, 3];
/// The query and that sentence.
const QUERY_ALONE: [usize; 1] = [2];

#[tokio::test]
async fn the_next_client_asks_for_the_query_alone() {
    let stage = stage().await;
    assert_eq!(asked(stage.builder(), ONE).await, EVERYTHING);
    assert_eq!(asked(stage.builder(), ONE).await, QUERY_ALONE);
    let [file] = files(&stage).try_into().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600,
            "readable by its owner alone"
        );
    }
    let before = std::fs::metadata(&file).unwrap().modified().unwrap();
    assert_eq!(asked(stage.builder(), ONE).await, QUERY_ALONE);
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), before, "nothing new is nothing to write");
}

#[tokio::test]
async fn a_tool_that_changed_is_asked_for_and_those_of_other_projects_are_kept() {
    let stage = stage().await;
    assert_eq!(asked(stage.builder(), ONE).await, EVERYTHING);
    let changed = stage.with_server("desk", tools("Report a bug.")).await;
    assert_eq!(asked(changed.builder(), ONE).await, [2, 1]);
    let back = changed.with_server("desk", tools("File an issue.")).await;
    assert_eq!(asked(back.builder(), ONE).await, QUERY_ALONE);
}

#[tokio::test]
async fn a_file_that_is_damaged_or_foreign_is_replaced() {
    let (stage, other) = (stage().await, stage().await);
    asked(stage.builder(), ONE).await;
    asked(other.builder(), ("two", true)).await;
    let [file] = files(&stage).try_into().unwrap();
    let [foreign] = files(&other).try_into().unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut changed = whole.clone();
    changed[200] ^= 1;
    for (what, content) in [
        ("cut off", whole[..100].to_vec()),
        ("changed", changed),
        ("empty", Vec::new()),
        ("another model's", std::fs::read(foreign).unwrap()),
        ("no vectors", b"hello".repeat(1_000)),
        ("huge", vec![0; (32 << 20) + 1]),
    ] {
        std::fs::write(&file, content).unwrap();
        assert_eq!(asked(stage.builder(), ONE).await, EVERYTHING, "{what}");
        assert_eq!(asked(stage.builder(), ONE).await, QUERY_ALONE, "{what}: replaced");
    }
}

#[tokio::test]
async fn a_model_that_answers_otherwise_is_another_model_even_under_the_same_name() {
    let stage = stage().await;
    assert_eq!(asked(stage.builder(), ONE).await, EVERYTHING);
    assert_eq!(asked(stage.builder(), ("one", true)).await, EVERYTHING);
    assert_eq!(asked(stage.builder(), ("one", true)).await, QUERY_ALONE);
    assert_eq!(files(&stage).len(), 1);
    assert_eq!(asked(stage.builder(), ("two", true)).await, EVERYTHING, "another name");
    assert_eq!(files(&stage).len(), 2);
}

#[tokio::test]
async fn without_a_place_to_keep_them_vectors_are_asked_for_each_time() {
    let stage = stage().await;
    let homeless = || {
        drop(stage.builder());
        Client::builder(Environment::new(stage.path("project"))).config(stage.path("project/servers.json"))
    };
    for _ in 0..2 {
        assert_eq!(asked(homeless(), ONE).await, [1, 3], "no home, and no sentence to tell models apart");
    }
    stage.write("home/.local/state/mcp-toolkit/vectors", "a file where the folder should be");
    for _ in 0..2 {
        assert_eq!(asked(stage.builder(), ONE).await, EVERYTHING);
    }
}
