//! Searching by meaning, and backends that hang, crash and lie.

use std::error::Error as StdError;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::Client;
use mcp_client::config::Secret;
use mcp_client::embed::{DenseLeg, EmbeddingEndpoint};
use mcp_client::search::{Answer, Embed, Leg, LegState};
use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest};
use serde_json::{Value, json};

use crate::stage::{Stage, reads};

/// Shares no word with the tool that it means.
const QUESTION: &str = "write a letter";

async fn stage() -> Stage {
    let object = json!({"type": "object"});
    let mut tools = [("send", "Dispatch an e-mail."), ("open", "File an issue."), ("look", "Look around.")].map(
        |(name, description)| {
            let mut tool = reads(name, &object);
            tool["description"] = json!(description);
            tool
        },
    );
    tools.sort_by_key(|tool| tool["name"].to_string());
    Stage::new().with_server("desk", json!(tools)).await
}

async fn client(stage: &Stage, leg: DenseLeg) -> Client {
    let client = stage.builder().dense(leg).build();
    client.start().await;
    client
}

/// What the dense leg did: how many tools it matched, or why it was off.
fn dense(answer: &Answer) -> Result<usize, String> {
    let report = answer.legs.iter().find(|report| report.leg == Leg::Dense).unwrap();
    match &report.state {
        LegState::Answered { matched } => Ok(*matched),
        LegState::Off { reason } => Err(reason.clone()),
    }
}

fn first(answer: &Answer) -> Option<&str> {
    answer.hits.first().map(|hit| hit.id.as_str())
}

/// Vectors of two directions: what is about letters, and everything else.
fn vector(text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    if text.contains("e-mail") || text.contains("letter") { vec![1.0, 0.1] } else { vec![0.1, 1.0] }
}

/// A model of the host's own.
#[derive(Clone, Default)]
struct Own {
    asked: Arc<Mutex<Vec<usize>>>,
}

impl Embed for Own {
    fn model(&self) -> &'static str {
        "own"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        self.asked.lock().unwrap().push(texts.len());
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

#[tokio::test]
async fn meaning_finds_what_shares_no_word() {
    let stage = stage().await;
    let own = Own::default();
    let client = client(&stage, DenseLeg::of_model(own.clone())).await;
    assert_eq!(client.search(QUESTION, 1).hits.len(), 0, "words alone find nothing");
    let answer = client.search_by_meaning(QUESTION, 1).await;
    assert_eq!(first(&answer), Some("mcp__desk__send"), "{answer:?}");
    assert!(dense(&answer).is_ok_and(|matched| matched > 0), "{answer:?}");
    client.search_by_meaning(QUESTION, 1).await;
    assert_eq!(*own.asked.lock().unwrap(), [2, 3, 1], "a tool is read once as long as it does not change");

    let mut conversation = client.conversation("anthropic", mcp_client::ConversationOptions::default()).unwrap();
    let reply = conversation.answer("ResolveMcpTools", json!({"query": QUESTION, "limit": 1})).await;
    assert!(reply.text.contains("mcp__desk__send") && reply.text.contains("dense"), "{reply:?}");
}

#[tokio::test]
async fn without_time_it_says_how_far_it_came() {
    let stage = stage().await;
    let client = client(&stage, DenseLeg::of_model(Own::default()).with_budget(Duration::ZERO)).await;
    let answer = client.search_by_meaning("file an issue", 1).await;
    assert_eq!(dense(&answer), Err("0 of 3 tools have been read so far".to_owned()));
    assert_eq!(first(&answer), Some("mcp__desk__open"), "words answer all the same");
}

/// An endpoint as it should be.
fn embeddings(request: &HttpRequest) -> HttpAnswer {
    let body = request.json();
    let texts = body["input"].as_array().unwrap().iter().map(|text| vector(text.as_str().unwrap()));
    let mut data: Vec<Value> =
        texts.enumerate().map(|(index, vector)| json!({"index": index, "embedding": vector})).collect();
    data.reverse();
    HttpAnswer::json(&json!({"object": "list", "data": data, "model": body["model"]}))
}

async fn endpoint(respond: impl Fn(&HttpRequest) -> HttpAnswer + Send + Sync + 'static) -> (HttpPeer, DenseLeg) {
    let peer = HttpPeer::start(respond).await.unwrap();
    let endpoint = EmbeddingEndpoint::new(&peer.url("/v1/"), "small").unwrap();
    let endpoint = endpoint.with_key(Secret::new("sk-hidden")).unwrap();
    (peer, DenseLeg::of_model(endpoint).with_answer_limit(Duration::from_millis(500)))
}

#[tokio::test]
async fn an_endpoint_is_asked_as_it_wants_to_be() {
    let (peer, leg) = endpoint(embeddings).await;
    let stage = stage().await;
    let client = client(&stage, leg).await;
    let answer = client.search_by_meaning(QUESTION, 1).await;
    assert_eq!(first(&answer), Some("mcp__desk__send"), "{answer:?}");
    let requests = peer.requests();
    assert_eq!(requests.len(), 2, "one for the tools, one for the query");
    for request in &requests {
        assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1/embeddings"));
        assert_eq!(request.header("authorization"), Some("Bearer sk-hidden"));
        assert_eq!(request.json()["model"], "small");
    }
    assert!(!format!("{client:?}").contains("sk-hidden"), "a key is shown to nobody");
}

#[tokio::test]
async fn an_endpoint_that_fails_is_left_alone_and_words_answer() {
    type Respond = fn(&HttpRequest) -> HttpAnswer;
    let table: [(&str, Respond, &str); 7] = [
        ("says no", |_| HttpAnswer::new(401).body("bad key"), "refused: 401 Unauthorized bad key"),
        ("talks", |_| HttpAnswer::new(200).body("hello"), "something else than one embedding a text"),
        ("gives too few", |_| HttpAnswer::json(&json!({"data": []})), "something else than one embedding a text"),
        (
            "repeats itself",
            |request| {
                let one = json!({"index": 0, "embedding": [1.0]});
                let texts = request.json()["input"].as_array().unwrap().len();
                HttpAnswer::json(&json!({"data": vec![one; texts]}))
            },
            "something else than one embedding a text",
        ),
        (
            "points nowhere",
            |request| {
                let texts = request.json()["input"].as_array().unwrap().len();
                let data: Vec<Value> =
                    (0..texts).map(|index| json!({"index": index, "embedding": [0.0, 0.0]})).collect();
                HttpAnswer::json(&json!({ "data": data }))
            },
            "a vector that has no direction",
        ),
        ("hangs", |_| HttpAnswer::new(0), "did not answer within 0.5 s"),
        ("leads elsewhere", |_| HttpAnswer::new(302).header("location", "http://127.0.0.1:1/"), "refused: 302"),
    ];
    let stage = stage().await;
    for (what, respond, expected) in table {
        let (peer, leg) = endpoint(respond).await;
        let client = client(&stage, leg).await;
        let answer = client.search_by_meaning("file an issue", 1).await;
        let reason = dense(&answer).expect_err(what);
        assert!(reason.contains(expected) && !reason.contains("sk-hidden"), "{what}: {reason}");
        assert_eq!(first(&answer), Some("mcp__desk__open"), "{what}: words answer");
        let again = client.search_by_meaning("file an issue", 1).await;
        assert_eq!(dense(&again), Err(reason), "{what}");
        assert_eq!(peer.requests().len(), 1, "{what}: who failed is not asked again at once");
    }
}

#[tokio::test]
async fn a_flood_is_cut() {
    let (_peer, leg) = endpoint(|_| HttpAnswer::new(200).endless(vec![b' '; 1 << 20])).await;
    let stage = stage().await;
    let client = client(&stage, leg.with_answer_limit(Duration::from_mins(1))).await;
    let reason = dense(&client.search_by_meaning(QUESTION, 1).await).unwrap_err();
    assert!(reason.contains("with more than 16777216 bytes"), "{reason}");
}

#[test]
fn an_address_that_cannot_be_used_is_refused_at_once() {
    for (address, why) in [
        ("nonsense", "relative URL"),
        ("ftp://example.com", "expected http or https"),
        ("https://me:secret@example.com/v1", "would end up in logs"),
        ("data:text/plain,x", "expected http or https"),
    ] {
        let error = EmbeddingEndpoint::new(address, "m").unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("secret"), "{address}: {error}");
    }
    let plain = EmbeddingEndpoint::new("http://example.com/v1", "m").unwrap();
    let error = plain.with_key(Secret::new("k")).unwrap_err().to_string();
    assert!(error.contains("https only"), "{error}");
}

#[tokio::test]
async fn the_settings_choose_an_endpoint() {
    let (peer, _leg) = endpoint(embeddings).await;
    let stage = stage().await;
    let chosen = |setting: Value| {
        stage.write_settings(&json!({ "denseSearch": setting }));
        stage.builder().configured_dense().build()
    };
    let client = chosen(json!({"endpoint": {"url": peer.url("/v1"), "model": "small"}}));
    client.start().await;
    let answer = client.search_by_meaning(QUESTION, 1).await;
    assert_eq!(first(&answer), Some("mcp__desk__send"), "{answer:?}");
    let off = [
        (json!({"endpoint": {"url": "x", "model": "small"}}), "no address of an embeddings endpoint"),
        (
            json!({"endpoint": {"url": peer.url("/v1"), "model": "small", "keyVariable": "NOT_SET"}}),
            "the variable `NOT_SET` with its key is not set",
        ),
        #[cfg(not(feature = "embedding-model"))]
        (json!({"model": "x"}), "build it with the feature `embedding-model`"),
        (json!({"embsearch": false}), "the settings switch it off"),
        #[cfg(feature = "embsearch")]
        (json!({"embsearch": "./embsearch"}), "is a relative path"),
        (json!({"embsearch": 7}), "`embsearch` is `true`, `false` or a path"),
        (json!({"ensearch": true}), "unknown field `ensearch`"),
        (json!({}), "no embedding model is configured"),
    ];
    for (setting, expected) in off {
        let answer = chosen(setting.clone()).search_by_meaning(QUESTION, 1).await;
        let reason = dense(&answer).unwrap_err();
        assert!(reason.contains(expected), "{setting}: {reason}");
    }
}

#[tokio::test]
async fn an_endpoint_is_reached_as_the_environment_says_and_as_servers_are() {
    let stage = stage().await;
    stage.write_settings(&json!({"denseSearch": {"endpoint": {"url": "http://far.invalid/v1", "model": "small"}}}));
    let proxy = HttpPeer::start(embeddings).await.unwrap();
    for (variable, exempt, is_led) in [
        ("HTTP_PROXY", "", true),
        ("http_proxy", "near.invalid", true),
        ("HTTP_PROXY", ".invalid", false),
        ("HTTPS_PROXY", "", false),
    ] {
        let before = proxy.requests().len();
        let client =
            stage.builder_with(&[(variable, &proxy.url("/")), ("NO_PROXY", exempt)]).configured_dense().build();
        client.start().await;
        let answer = client.search_by_meaning(QUESTION, 1).await;
        assert_eq!(dense(&answer).is_ok(), is_led, "{variable}, {exempt}: {answer:?}");
        let asked = proxy.requests().split_off(before);
        let is_asked = asked.iter().any(|request| request.target == "http://far.invalid/v1/embeddings");
        assert_eq!(is_asked, is_led, "{variable}, {exempt}");
    }
}

#[cfg(unix)]
mod embsearch {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use mcp_client::config::Environment;
    use mcp_client::embed::Embsearch;
    use mcp_testkit::{children_named, example_binary};

    use super::*;

    /// A script that calls itself `embsearch` and behaves in this manner.
    fn program(stage: &Stage, manner: &str) -> PathBuf {
        let double = example_binary("embsearch_double");
        let script = format!("#!/bin/sh\nexec '{}' {manner} \"$@\"\n", double.display());
        let file = stage.write("bin/embsearch", &script);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        file
    }

    fn environment(stage: &Stage) -> Environment {
        let path = format!("{}:/usr/bin:/bin", stage.path("bin").display());
        Environment::new(stage.path("")).with_home(stage.path("home")).with_vars([("PATH", path)])
    }

    async fn with_double(stage: &Stage, manner: &str) -> Client {
        program(stage, manner);
        let found = Embsearch::find(&environment(stage)).unwrap();
        client(stage, DenseLeg::of_embsearch(found).with_answer_limit(Duration::from_secs(2))).await
    }

    /// Waits until no process of the stage is left; a killed one takes the system a moment.
    fn none_left(stage: &Stage) {
        let home = stage.path("home").display().to_string();
        let begun = std::time::Instant::now();
        while !children_named(&home).is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(5), "left behind: {:?}", children_named(&home));
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn the_program_on_the_path_is_used_and_ends_with_the_client() {
        let stage = stage().await;
        let client = with_double(&stage, "good").await;
        for _ in 0..2 {
            let answer = client.search_by_meaning(QUESTION, 1).await;
            assert_eq!(first(&answer), Some("mcp__desk__send"), "{answer:?}");
        }
        let store = stage.path("home").display().to_string();
        assert_eq!(children_named(&store).len(), usize::from(cfg!(target_os = "linux")), "one process for both");
        client.stop().await;
        client.start().await;
        assert!(dense(&client.search_by_meaning(QUESTION, 1).await).is_ok(), "tools may go and come back");
        drop(client);
        none_left(&stage);
        assert!(!stage.path("home/.local/state/mcp-toolkit/embsearch-in-memory").exists(), "nothing is written");
    }

    #[tokio::test]
    async fn one_that_misbehaves_is_left_alone_and_words_answer() {
        let table = [
            ("mock", "uses its mock embedder"),
            ("future", "is version `embsearch 2.0.0`"),
            ("hang", "did not answer within 2 s"),
            ("crash", "ended"),
            ("lie", "an id and a score a result"),
            ("babble", "something else than a line of JSON"),
            ("flood", "with more than 16777216 bytes"),
        ];
        let stage = stage().await;
        for (manner, expected) in table {
            let client = with_double(&stage, manner).await;
            let answer = client.search_by_meaning("file an issue", 1).await;
            let reason = dense(&answer).expect_err(manner);
            assert!(reason.contains(expected), "{manner}: {reason}");
            assert_eq!(first(&answer), Some("mcp__desk__open"), "{manner}: words answer");
        }
        none_left(&stage);
    }

    #[tokio::test]
    async fn what_is_not_there_is_not_found() {
        let stage = stage().await;
        let nowhere = Environment::new(stage.path("")).with_vars([("PATH", "/nonexistent")]);
        assert!(Embsearch::find(&nowhere).is_none());
        let file = program(&stage, "good");
        let named = nowhere.with_vars([("MCP_TOOLKIT_EMBSEARCH", file.display().to_string())]);
        assert_eq!(Embsearch::find(&named).unwrap().program(), file);
        let gone = Embsearch::new(stage.path("bin/gone"), &environment(&stage));
        let client = client(&stage, DenseLeg::of_embsearch(gone)).await;
        let reason = dense(&client.search_by_meaning(QUESTION, 1).await).unwrap_err();
        assert!(reason.contains("cannot start") && reason.contains("bin/gone"), "{reason}");
    }
}
