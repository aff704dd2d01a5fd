//! The files of a model, read with a limit each.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::wordpiece::WordPiece;
use crate::embed::failure::Failure;

/// The largest weights that are read; those of `all-MiniLM-L6-v2` take 90 MB as 32-bit numbers.
const MOST_WEIGHTS: u64 = 512 << 20;
/// The largest vocabulary that is read; BERT's has half a megabyte.
const MOST_VOCABULARY: u64 = 16 << 20;
/// The largest configuration that is read.
const MOST_CONFIGURATION: u64 = 1 << 20;
/// How many tokens of a text are read where the model does not say; what `all-MiniLM-L6-v2` says.
const TOKENS: usize = 256;
/// As many positions as BERT has.
const MOST_TOKENS: usize = 512;
/// A beginning, a piece and an end.
const FEWEST_TOKENS: usize = 3;

/// What was found in the folder.
pub(super) struct Files {
    pub(super) weights_path: PathBuf,
    pub(super) weights: Vec<u8>,
    /// The file that the tokenizer was made from.
    pub(super) vocabulary: Vec<u8>,
    pub(super) tokenizer: WordPiece,
    pub(super) most_tokens: usize,
}

#[derive(Default, Deserialize)]
struct SentenceConfiguration {
    max_seq_length: Option<usize>,
}

/// A pooling that takes something else than the mean. Files name all ways there are, and say which is taken.
#[derive(Deserialize)]
struct Pooling {
    #[serde(default = "yes")]
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize)]
struct TokenizerConfiguration {
    #[serde(default = "yes")]
    do_lower_case: bool,
}

impl Files {
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let (weights_path, weights) = weights(folder)?;
        let pooling_path = folder.join("1_Pooling").join("config.json");
        if !configuration::<Pooling>(&pooling_path)?.is_none_or(|pooling| pooling.pooling_mode_mean_tokens) {
            let reason = "expected a model that takes the mean of the vectors of a text's tokens; use one that does";
            return Err(Failure::model(pooling_path, reason));
        }
        let sentence: SentenceConfiguration =
            configuration(&folder.join("sentence_bert_config.json"))?.unwrap_or_default();
        let most_tokens = sentence.max_seq_length.unwrap_or(TOKENS).clamp(FEWEST_TOKENS, MOST_TOKENS);
        let (vocabulary, tokenizer) = tokenizer(folder)?;
        Ok(Self { weights_path, weights, vocabulary, tokenizer, most_tokens })
    }
}

fn weights(folder: &Path) -> Result<(PathBuf, Vec<u8>), Failure> {
    for path in [folder.join("model.onnx"), folder.join("onnx").join("model.onnx")] {
        if let Some(weights) = read(&path, MOST_WEIGHTS)? {
            return Ok((path, weights));
        }
    }
    let reason = "there is no such file; name the folder of a sentence-transformers model exported as ONNX";
    Err(Failure::model(folder.join("model.onnx"), reason))
}

fn tokenizer(folder: &Path) -> Result<(Vec<u8>, WordPiece), Failure> {
    let path = folder.join("vocab.txt");
    if let Some(vocabulary) = read(&path, MOST_VOCABULARY)? {
        let config: Option<TokenizerConfiguration> = configuration(&folder.join("tokenizer_config.json"))?;
        let lower_case = config.is_none_or(|config| config.do_lower_case);
        let tokenizer = WordPiece::of_lines(&vocabulary, lower_case).map_err(|reason| Failure::model(path, &reason))?;
        return Ok((vocabulary, tokenizer));
    }
    let json_path = folder.join("tokenizer.json");
    let Some(json) = read(&json_path, MOST_VOCABULARY)? else {
        return Err(Failure::model(path, "there is no such file, and no `tokenizer.json`; one belongs to every model"));
    };
    let tokenizer = WordPiece::of_json(&json).map_err(|reason| Failure::model(json_path, &reason))?;
    Ok((json, tokenizer))
}

/// What a configuration says, if it is there.
fn configuration<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Failure> {
    let Some(bytes) = read(path, MOST_CONFIGURATION)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|source| {
        let reason = "expected the JSON that sentence-transformers writes there".to_owned();
        Failure::Model { path: path.to_owned(), reason, source: Some(source.into()) }
    })
}

/// A file of at most `limit` bytes; `None` if it is not there.
fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Failure> {
    let unreadable = |source: std::io::Error| Failure::Model {
        path: path.to_owned(),
        reason: "it cannot be read".to_owned(),
        source: Some(source.into()),
    };
    let metadata = match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        metadata => metadata.map_err(unreadable)?,
    };
    // A pipe or a device could be read for ever.
    if !metadata.is_file() {
        return Err(Failure::model(path, "expected a file"));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        Ok(Some(bytes))
    } else {
        Err(Failure::model(path, &format!("expected at most {} MiB", limit >> 20)))
    }
}

fn yes() -> bool {
    true
}
