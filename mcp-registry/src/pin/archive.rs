//! Definitions as they were approved, compressed: nobody reads them before there is a difference to show.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// How many characters an archive may take in any case, and for each of its definitions. Ordinary definitions take half of
/// that; those that do not compress are not kept, and a difference then shows only what is there now.
const LEAST_ROOM: usize = 16 * 1024;
const ROOM_EACH: usize = 192;

/// The largest definitions that are compressed, in bytes, and so the largest that come out again.
const LARGEST: usize = 16 * 1024 * 1024;

/// The definitions of tools, without the words that are kept elsewhere, and of prompts; each by name.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Definitions {
    pub(super) tools: BTreeMap<String, Box<RawValue>>,
    pub(super) prompts: BTreeMap<String, Box<RawValue>>,
}

/// Compressed [`Definitions`], in base64; empty where there was no room for them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Archive(String);

impl Archive {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn pack(definitions: &Definitions) -> Self {
        let count = definitions.tools.len() + definitions.prompts.len();
        if count == 0 {
            return Self::default();
        }
        let room = LEAST_ROOM.max(count * ROOM_EACH);
        Self(compressed(definitions).filter(|text| text.len() <= room).unwrap_or_default())
    }

    /// Returns what is kept: nothing, if it was damaged.
    pub(super) fn open(&self) -> Definitions {
        let open = || {
            let bytes = STANDARD_NO_PAD.decode(&self.0).ok()?;
            let mut text = String::new();
            DeflateDecoder::new(&*bytes).take(LARGEST as u64).read_to_string(&mut text).ok()?;
            serde_json::from_str(&text).ok()
        };
        open().unwrap_or_default()
    }
}

fn compressed(definitions: &Definitions) -> Option<String> {
    let text = serde_json::to_vec(definitions).ok().filter(|text| text.len() <= LARGEST)?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&text).ok()?;
    encoder.finish().ok().map(|bytes| STANDARD_NO_PAD.encode(bytes))
}
