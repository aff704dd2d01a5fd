//! Embeds texts with a model in a folder.
//!
//! ```text
//! cargo run --release -p mcp-client --features embedding-model --example embed -- MODEL TEXTS VECTORS
//! ```
//!
//! `TEXTS` holds JSON strings, one a line. `VECTORS` is made: the vectors in the same order, one after the other, as 32-bit
//! little-endian numbers.
#![expect(clippy::print_stderr, reason = "a program tells what it has done")]

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use mcp_client::embed::EmbeddingModel;
use mcp_client::search::Embed as _;

/// How many texts are asked for at once.
const BATCH: usize = 32;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, texts, vectors] = arguments.as_slice() else {
        return Err("expected the folder of a model, a file of texts and a file for vectors".into());
    };
    let started = Instant::now();
    let model = EmbeddingModel::load(Path::new(model))?;
    eprintln!("{} loaded in {:.0} ms", model.model(), started.elapsed().as_secs_f64() * 1e3);
    let texts = fs::read_to_string(texts)?.lines().map(serde_json::from_str).collect::<Result<Vec<String>, _>>()?;
    let mut out = BufWriter::new(File::create(vectors)?);
    let started = Instant::now();
    for batch in texts.chunks(BATCH) {
        for number in model.embed(batch).await?.into_iter().flatten() {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    out.flush()?;
    eprintln!("{} texts embedded in {:.1} s", texts.len(), started.elapsed().as_secs_f64());
    Ok(())
}
