//! An embedding model in a folder, run in the process.

mod files;
mod nesting;
mod network;
mod wordpiece;

use std::error::Error as StdError;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Weak};

use mcp_search::Embed;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use self::files::Files;
use self::network::Network;
use self::wordpiece::WordPiece;
use super::failure::Failure;

/// A sentence-transformers model of BERT's kind, such as `all-MiniLM-L6-v2`, that runs on the processor.
///
/// The folder holds what sentence-transformers puts there:
///
/// 1. `model.onnx`, also in `onnx/`: from `input_ids`, `attention_mask` and, if it wants them, `token_type_ids` to a vector a
///    token;
/// 2. `vocab.txt` (with `do_lower_case` of a `tokenizer_config.json`) or else `tokenizer.json`: the pieces of `WordPiece`;
/// 3. if they are there, `sentence_bert_config.json` with the most tokens of a text that are read (256 otherwise, 512 at most)
///    and `1_Pooling/config.json`, which must say that the mean of a text's vectors is its vector.
///
/// Nothing is downloaded, and the folder is not read again. A text is embedded by itself, whatever else was asked for with it.
///
/// A model is a program: one made in bad faith can use memory and time without bound. That is why only the user's own settings
/// name one, and a project's once they are approved.
///
/// # Cancel safety
///
/// The work is done on a thread for blocking work, one request at a time. Dropping the future of [`Embed::embed`] gives up
/// waiting; the thread ends after the text that it is at.
///
/// ```no_run
/// use mcp_client::embed::{DenseLeg, EmbeddingModel};
///
/// let model = EmbeddingModel::load("models/all-minilm-l6-v2".as_ref())?;
/// let leg = DenseLeg::of_model(model);
/// # drop(leg);
/// # Ok::<(), mcp_client::embed::Failure>(())
/// ```
pub struct EmbeddingModel {
    name: String,
    encoder: Arc<Encoder>,
    /// One request at a time: more would only take the processor from each other, and from the host.
    turn: Arc<Semaphore>,
}

/// What turns a text into a vector.
struct Encoder {
    tokenizer: WordPiece,
    most_tokens: usize,
    network: Network,
}

impl EmbeddingModel {
    /// Reads and checks the model in this folder, which takes a tenth of a second for one of 20 MB.
    ///
    /// # Errors
    ///
    /// [`Failure::Model`] names the file that is missing, damaged, too large or of another kind of model.
    pub fn load(folder: &Path) -> Result<Self, Failure> {
        let files = Files::read(folder)?;
        let name = name(&files);
        let network = Network::load(&files.weights_path, files.weights)?;
        let encoder = Encoder { tokenizer: files.tokenizer, most_tokens: files.most_tokens, network };
        encoder.try_out()?;
        Ok(Self { name, encoder: Arc::new(encoder), turn: Arc::new(Semaphore::new(1)) })
    }

    async fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        let turn = Arc::clone(&self.turn).acquire_owned().await?;
        let (encoder, texts) = (Arc::clone(&self.encoder), texts.to_vec());
        // Lives as long as this future: whoever stops waiting takes it along.
        let asked = Arc::new(());
        let asking = Arc::downgrade(&asked);
        let work = tokio::task::spawn_blocking(move || {
            let vectors = encoder.encode(&texts, &asking);
            drop(turn);
            vectors
        });
        let vectors = work.await?;
        drop(asked);
        Ok(vectors?)
    }
}

impl Embed for EmbeddingModel {
    fn model(&self) -> &str {
        &self.name
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Box<dyn StdError + Send + Sync>> {
        self.vectors(texts).await
    }
}

impl fmt::Debug for EmbeddingModel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("EmbeddingModel").field(&self.name).finish()
    }
}

impl Encoder {
    /// Embeds as many texts as somebody waits for.
    fn encode(&self, texts: &[String], asking: &Weak<()>) -> Result<Vec<Vec<f32>>, Failure> {
        let waited_for = texts.iter().take_while(|_| asking.strong_count() > 0);
        waited_for.map(|text| self.network.run(&self.tokenizer.tokens(text, self.most_tokens))).collect()
    }

    /// Runs the longest text there can be, of the vocabulary's last piece: what does not fit together shows now, and not
    /// with one tool in a thousand.
    fn try_out(&self) -> Result<(), Failure> {
        let longest = vec![self.tokenizer.last_piece(); self.most_tokens];
        self.network.run(&longest).map(drop)
    }
}

/// Names what the vectors depend on: the weights, the pieces, and how much of a text is read.
fn name(files: &Files) -> String {
    let mut hash = Sha256::new();
    for bytes in [&files.weights, &files.vocabulary] {
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    }
    hash.update([u8::from(files.tokenizer.lowers_case())]);
    hash.update(files.most_tokens.to_le_bytes());
    let hash = hash.finalize();
    // Half of it still tells any two models apart.
    let beginning = hash.first_chunk().copied().map(u128::from_be_bytes).unwrap_or_default();
    format!("embedding model {beginning:032x}")
}
