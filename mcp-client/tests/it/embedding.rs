//! An embedding model that runs in the process: a made-up one against arithmetic, damaged ones, and a real one if there is one.
//!
//! The folder of a real one, `all-MiniLM-L6-v2`, is named by `MCP_EMBEDDING_MODEL`; without it the test says that it is
//! skipped, and with `CI` set that is a failure. `cargo xtask test` installs one.

mod bert;
mod onnx;

use std::io::Write as _;
use std::path::Path;

use mcp_client::embed::{DenseLeg, EmbeddingModel};
use mcp_client::search::{Embed as _, Leg, LegState};
use serde_json::json;
use tempfile::TempDir;

use self::bert::{Bert, POSITIONS, dot};
use crate::stage::{Stage, reads};

const SEED: u64 = 0x5EED;

/// A folder with the made-up model.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    lay(folder.path());
    folder
}

/// Writes the made-up model as sentence-transformers lays one out.
fn lay(folder: &Path) {
    write_at(folder, "model.onnx", &Bert::new(SEED).file());
    write_at(folder, "vocab.txt", (bert::pieces().join("\n") + "\n").as_bytes());
    write_at(folder, "sentence_bert_config.json", json!({"max_seq_length": POSITIONS}).to_string().as_bytes());
}

fn write(folder: &TempDir, name: &str, content: &[u8]) {
    write_at(folder.path(), name, content);
}

fn write_at(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

async fn vectors(model: &EmbeddingModel, texts: &[&str]) -> Vec<Vec<f32>> {
    model.embed(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).await.unwrap()
}

fn tokens(pieces: &str) -> Vec<i32> {
    let known = bert::pieces();
    let number = |piece: &str| known.iter().position(|known| *known == piece).unwrap();
    pieces.split(' ').map(|piece| i32::try_from(number(piece)).unwrap()).collect()
}

#[tokio::test]
async fn texts_become_the_vectors_that_arithmetic_gives() {
    let folder = folder();
    let model = EmbeddingModel::load(folder.path()).unwrap();
    let long = "look around and ".repeat(9);
    let table = [
        ("Open the FILE!", "[CLS] open the file ! [SEP]"),
        ("notes: sending", "[CLS] note ##s : send ##ing [SEP]"),
        ("", "[CLS] [SEP]"),
        ("unheard of", "[CLS] [UNK] of [SEP]"),
        (long.as_str(), "[CLS] look around and look around and look around and look around and look around [SEP]"),
    ];
    let together = vectors(&model, &table.map(|(text, _)| text)).await;
    for ((text, pieces), vector) in table.into_iter().zip(&together) {
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5, "{text:?} is not of length one");
        let expected = Bert::new(SEED).vector(&tokens(pieces));
        let furthest = vector.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
        assert!(furthest.fold(0.0, f32::max) < 1e-4, "{text:?}: {vector:?}, expected {expected:?}");
        assert_eq!(vectors(&model, &[text]).await, vec![vector.clone()], "{text:?} by itself");
    }
    assert!(vectors(&model, &[]).await.is_empty());
}

#[tokio::test]
async fn a_model_is_named_by_its_content() {
    let name = |folder: &TempDir| EmbeddingModel::load(folder.path()).unwrap().model().to_owned();
    let one = folder();
    assert_eq!(name(&one), name(&folder()), "wherever it lies");
    let mut names = vec![name(&one)];
    write(&one, "model.onnx", &Bert::new(SEED + 1).file());
    names.push(name(&one));
    write(&one, "sentence_bert_config.json", br#"{"max_seq_length": 8}"#);
    names.push(name(&one));
    write(&one, "tokenizer_config.json", br#"{"do_lower_case": false}"#);
    names.push(name(&one));
    write(&one, "vocab.txt", (bert::pieces().join("\n").replace("issue", "matter")).as_bytes());
    names.push(name(&one));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 5, "vectors that differ have models of different names");
}

#[tokio::test]
async fn a_tokenizer_in_json_cuts_alike() {
    let (lines, json) = (folder(), folder());
    let numbered = bert::pieces().into_iter().zip(0..).collect::<std::collections::BTreeMap<_, i32>>();
    let model = json!({"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": numbered});
    let tokenizer = json!({"normalizer": {"type": "BertNormalizer", "lowercase": true}, "model": model});
    std::fs::remove_file(json.path().join("vocab.txt")).unwrap();
    write(&json, "tokenizer.json", tokenizer.to_string().as_bytes());
    let [lines, json] = [lines, json].map(|folder| EmbeddingModel::load(folder.path()).unwrap());
    let texts = ["Sending notes", "look around!"];
    assert_eq!(vectors(&lines, &texts).await, vectors(&json, &texts).await);
}

/// What loading says once `change` has been at the folder; it must name `file`.
fn refusal(file: &str, change: impl FnOnce(&TempDir)) -> String {
    let folder = folder();
    change(&folder);
    let failure = EmbeddingModel::load(folder.path()).unwrap_err();
    let mut text = failure.to_string();
    let mut cause = std::error::Error::source(&failure);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    assert!(text.contains(file), "{text}");
    text
}

fn remove(folder: &TempDir, name: &str) {
    std::fs::remove_file(folder.path().join(name)).unwrap();
}

#[test]
fn files_that_are_missing_damaged_or_foreign_are_named() {
    type Change = fn(&TempDir);
    let table: [(&str, Change, &str); 13] = [
        ("model.onnx", |at| remove(at, "model.onnx"), "there is no such file; name the folder"),
        ("model.onnx", |at| write(at, "model.onnx", b""), "expected an ONNX graph"),
        ("model.onnx", |at| write(at, "model.onnx", b"\x80not a model"), "cut off or damaged"),
        ("model.onnx", |at| write(at, "model.onnx", &foreign("Sin", &["input_ids"])), "expected an ONNX graph"),
        ("model.onnx", |at| write(at, "model.onnx", &foreign("Identity", &["pixels"])), "no input but `input_ids`"),
        ("model.onnx", |at| write(at, "model.onnx", &foreign("Identity", &["attention_mask"])), "an input `input_ids`"),
        ("model.onnx", |at| write(at, "model.onnx", &foreign("Identity", &["input_ids"])), "a vector a token"),
        ("vocab.txt", |at| remove(at, "vocab.txt"), "there is no such file, and no `tokenizer.json`"),
        ("vocab.txt", |at| write(at, "vocab.txt", b"a\nb\n"), "the vocabulary of a BERT, which has `[CLS]`"),
        ("vocab.txt", |at| write(at, "vocab.txt", &vec![b'a'; (16 << 20) + 1]), "at most 16 MiB"),
        (
            "model.onnx",
            |at| write(at, "vocab.txt", (bert::pieces().join("\n") + "\nmore").as_bytes()),
            "takes any text of its vocabulary",
        ),
        (
            "sentence_bert_config.json",
            |at| write(at, "sentence_bert_config.json", b"{\"max_seq_length\": \"all\"}"),
            "expected the JSON that sentence-transformers writes there",
        ),
        (
            "config.json",
            |at| write(at, "1_Pooling/config.json", br#"{"pooling_mode_mean_tokens": false}"#),
            "takes the mean of the vectors",
        ),
    ];
    for (file, change, expected) in table {
        let text = refusal(file, change);
        assert!(text.contains(expected), "expected {expected:?}: {text}");
    }
    let text = refusal("model.onnx", |at| write(at, "sentence_bert_config.json", b"{\"max_seq_length\": 17}"));
    assert!(text.contains("takes any text"), "more tokens than the model has positions: {text}");
    let text = refusal("model.onnx", |at| {
        remove(at, "model.onnx");
        std::fs::create_dir(at.path().join("model.onnx")).unwrap();
    });
    assert!(text.contains("expected a file"), "{text}");
}

/// A graph that is no BERT.
fn foreign(operator: &str, inputs: &[&str]) -> Vec<u8> {
    let mut graph = onnx::Graph::default();
    let output = graph.node(operator, inputs, &[]);
    graph.file(inputs, &output)
}

#[test]
fn a_model_cut_off_anywhere_or_with_any_byte_changed_is_refused_or_runs() {
    let whole = Bert::new(SEED).file();
    let load = |bytes: &[u8]| {
        let folder = folder();
        write(&folder, "model.onnx", bytes);
        EmbeddingModel::load(folder.path())
    };
    for length in (0..whole.len()).step_by(whole.len() / 20) {
        assert!(load(&whole[..length]).is_err(), "cut off after {length} bytes");
    }
    // The nodes come first: there a changed byte makes another graph, not only other weights.
    for place in (0..4_000).step_by(61).chain((4_000..whole.len()).step_by(9_973)) {
        let mut changed = whole.clone();
        changed[place] ^= 0x15;
        drop(load(&changed));
    }
}

async fn stage() -> Stage {
    let object = json!({"type": "object"});
    let tools = [("look", "Look around."), ("open", "Open an issue."), ("send", "Dispatch mail.")].map(
        |(name, description)| {
            let mut tool = reads(name, &object);
            tool["description"] = json!(description);
            tool
        },
    );
    Stage::new().with_server("desk", json!(tools)).await
}

/// Shares no word with the tool that it means.
const QUESTION: &str = "post the letter";

fn off(answer: &mcp_client::search::Answer) -> Option<&str> {
    answer.legs.iter().find_map(|report| match &report.state {
        LegState::Off { reason } if report.leg == Leg::Dense => Some(reason.as_str()),
        _ => None,
    })
}

#[tokio::test]
async fn a_client_finds_by_meaning_what_shares_no_word() {
    let stage = stage().await;
    lay(&stage.path("model"));
    for setting in [json!(stage.path("model")), json!("../model"), json!("~/../model")] {
        stage.write_settings(&json!({"denseSearch": {"model": setting, "embsearch": false}}));
        let client = stage.builder().configured_dense().build();
        client.start().await;
        assert_eq!(client.search(QUESTION, 1).hits.len(), 0, "words alone find nothing");
        let answer = client.search_by_meaning(QUESTION, 1).await;
        assert_eq!(answer.hits.first().map(|hit| hit.id.as_str()), Some("mcp__desk__send"), "{answer:?}");
        assert_eq!(off(&answer), None);
    }
}

#[tokio::test]
async fn a_folder_without_a_model_is_told_of_and_words_answer() {
    let (folder, stage) = (folder(), stage().await);
    remove(&folder, "vocab.txt");
    let client = stage.builder().dense(DenseLeg::of_folder(folder.path())).build();
    client.start().await;
    let answer = client.search_by_meaning("open an issue", 1).await;
    assert!(off(&answer).is_some_and(|reason| reason.contains("vocab.txt")), "{answer:?}");
    assert_eq!(answer.hits.first().map(|hit| hit.id.as_str()), Some("mcp__desk__open"));
}

#[tokio::test]
async fn whoever_gives_up_does_not_keep_the_next_one_waiting() {
    let folder = folder();
    let model = EmbeddingModel::load(folder.path()).unwrap();
    let many = vec!["look around".to_owned(); 100_000];
    for _ in 0..2 {
        let asked = tokio::time::timeout(std::time::Duration::ZERO, model.embed(&many)).await;
        assert!(asked.is_err(), "it cannot be done yet");
    }
    // In a minute, and not after all of the texts that nobody waits for.
    let soon = tokio::time::timeout(std::time::Duration::from_mins(1), vectors(&model, &["look"])).await;
    assert_eq!(soon.unwrap().len(), 1);
}

/// The real model's vectors of three texts, made by another runtime and kept as 8-bit numbers.
#[tokio::test]
async fn a_real_model_gives_the_vectors_that_others_get_from_it() {
    let Some(folder) = real_model() else { return };
    let model = EmbeddingModel::load(Path::new(&folder)).unwrap();
    let long = "Send the log of the failed build to everybody on the team. ".repeat(40);
    let texts = [
        "Find a file by its name.",
        "Die Rechnung für März liegt im naïve Café – 中文, emoji 🙂 and snake_case_names.",
        long.as_str(),
    ];
    let expected = include_str!("embedding/minilm.txt").lines().map(stored);
    for (vector, expected) in vectors(&model, &texts).await.iter().zip(expected) {
        let cosine = dot(vector, &expected) / dot(&expected, &expected).sqrt();
        assert!(cosine >= 0.999, "{cosine}");
    }
}

fn stored(digits: &str) -> Vec<f32> {
    let (pairs, _) = digits.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.iter().map(|pair| f32::from(byte(pair).cast_signed())).collect()
}

fn real_model() -> Option<std::ffi::OsString> {
    let variable = |name: &str| std::env::vars_os().find(|(key, _)| key == name).map(|(_, value)| value);
    let folder = variable("MCP_EMBEDDING_MODEL");
    if folder.is_none() {
        assert!(variable("CI").is_none(), "the real embedding model is not installed");
        let mut out = std::io::stderr().lock();
        writeln!(out, "SKIPPED: no real embedding model (MCP_EMBEDDING_MODEL)").unwrap();
    }
    folder
}
