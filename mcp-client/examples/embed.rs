//! Embeds texts with a model in a folder.
//!
//! ```text
//! cargo run --release -p mcp-client --features embedding-model --example embed -- MODEL TEXTS FOLDER
//! ```
//!
//! `TEXTS` holds JSON strings, one a line. Their vectors, in the same order, one after the other as 32-bit little-endian numbers,
//! are kept in a file of `FOLDER` that is named after the model and the texts, and made unless it is there. The output is the
//! file's path.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program says where its result is, and how far it is")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use mcp_client::embed::EmbeddingModel;
use mcp_client::search::{ContentKey, Embed as _};

/// How many texts are asked for at once.
const BATCH: usize = 32;
/// After how many batches a person hears how far it is.
const NEWS: usize = 32;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, texts, folder] = arguments.as_slice() else {
        return Err("expected the folder of a model, a file of texts and a folder for vectors".into());
    };
    let model = EmbeddingModel::load(Path::new(model))?;
    let texts = fs::read_to_string(texts)?;
    let path = Path::new(folder).join(format!("{}.f32", ContentKey::of(model.model(), &texts)));
    if !path.exists() {
        let texts = texts.lines().map(serde_json::from_str).collect::<Result<Vec<String>, _>>()?;
        let vectors = embed(&model, &texts).await?;
        fs::create_dir_all(folder)?;
        // Written in one step, so that an interrupted run leaves nothing behind that looks whole.
        let unfinished = path.with_extension("unfinished");
        fs::write(&unfinished, vectors)?;
        fs::rename(unfinished, &path)?;
    }
    println!("{}", path.display());
    Ok(())
}

async fn embed(model: &EmbeddingModel, texts: &[String]) -> Result<Vec<u8>, Failure> {
    let started = Instant::now();
    let mut bytes = Vec::new();
    for (batch, texts_of_batch) in texts.chunks(BATCH).enumerate() {
        if batch % NEWS == 0 && batch > 0 {
            eprintln!("{} of {} texts embedded", batch * BATCH, texts.len());
        }
        let vectors = model.embed(texts_of_batch).await?;
        bytes.extend(vectors.iter().flatten().flat_map(|number| number.to_le_bytes()));
    }
    eprintln!("{} texts embedded in {:.1} s", texts.len(), started.elapsed().as_secs_f64());
    Ok(bytes)
}
