//! The vectors that a model gave, in a file, so that the next process need not ask for them.
//!
//! One file a model, named after it. Its bytes:
//!
//! | bytes | hold |
//! |---|---|
//! | 22 | `mcp-toolkit vectors 1` and a line feed |
//! | 4 | how many numbers a vector has, *n* |
//! | 4 *n* | the witness: the model's vector of a fixed sentence |
//! | 64 + 4 *n* each | the vectors: the key in hexadecimal digits, and the numbers; what was needed last comes first |
//! | 32 | the SHA-256 of the model's name, a zero byte and all of the above |
//!
//! Numbers are little-endian, of 32 bits. A file that is not like that is as good as none, and is replaced.

use std::collections::BTreeSet;
use std::path::Path;

use mcp_config::OwnFile;
use mcp_search::ContentKey;
use sha2::{Digest as _, Sha256};

/// What a file begins with; another layout gets another number.
const BEGINNING: &[u8] = b"mcp-toolkit vectors 1\n";
/// How much a file holds: ten thousand tools with 768 numbers each.
const ROOM: Room = Room { bytes: 32 << 20, vectors: 16_384 };
/// How many models are remembered; the file that was written longest ago gives way.
const MOST_FILES: usize = 4;
/// How files are called, after the dot.
const EXTENSION: &str = "vectors";
/// The digits of a key.
const KEY: usize = 64;
/// The cosine from which two vectors of one text are of one model. Rounding differs between machines in the fifth digit.
const SAME: f32 = 0.99;

type Entry = (ContentKey, Vec<f32>);

/// The file of one model.
#[derive(Debug, Clone)]
pub(super) struct VectorFile {
    file: OwnFile,
    model: String,
}

/// What there is room for.
struct Room {
    bytes: usize,
    vectors: usize,
}

struct Content {
    witness: Vec<f32>,
    entries: Vec<Entry>,
}

impl VectorFile {
    /// The file of the model of this name in this folder, neither of which need exist.
    pub(super) fn of(folder: &Path, model: &str) -> Self {
        let path = folder.join(ContentKey::of(model, "").to_string()).with_extension(EXTENSION);
        Self { file: OwnFile::new(path), model: model.to_owned() }
    }

    /// The vectors in the file, if it is whole and of a model that gives this witness. Blocks.
    pub(super) fn read(&self, witness: &[f32]) -> Vec<Entry> {
        let limit = u64::try_from(ROOM.bytes).unwrap_or(u64::MAX);
        let content = self.file.read_bytes(limit).ok().and_then(|bytes| self.decode(&bytes));
        content.filter(|content| is_same(&content.witness, witness)).map(|content| content.entries).unwrap_or_default()
    }

    /// Puts these vectors before those that are there, as many as there is room for. Blocks.
    ///
    /// # Errors
    ///
    /// The file cannot be written; then it is as it was.
    pub(super) fn write(&self, witness: &[f32], mut entries: Vec<Entry>) -> Result<(), mcp_config::Error> {
        let own: BTreeSet<ContentKey> = entries.iter().map(|(key, _)| *key).collect();
        entries.extend(self.read(witness).into_iter().filter(|(key, _)| !own.contains(key)));
        entries.retain(|(_, vector)| vector.len() == witness.len());
        self.file.replace(&self.encode(witness, &entries, &ROOM))?;
        self.forget_others();
        Ok(())
    }

    fn encode(&self, witness: &[f32], entries: &[Entry], room: &Room) -> Vec<u8> {
        let mut bytes = BEGINNING.to_vec();
        bytes.extend(u32::try_from(witness.len()).unwrap_or(u32::MAX).to_le_bytes());
        push(&mut bytes, witness);
        let left = room.bytes.saturating_sub(bytes.len() + Sha256::output_size());
        let most = room.vectors.min(left / (KEY + 4 * witness.len()));
        for (key, vector) in entries.iter().take(most) {
            bytes.extend(key.to_string().bytes());
            push(&mut bytes, vector);
        }
        let seal = self.seal(&bytes);
        bytes.extend(seal);
        bytes
    }

    fn decode(&self, bytes: &[u8]) -> Option<Content> {
        let (bytes, seal) = bytes.split_last_chunk::<32>()?;
        if self.seal(bytes) != *seal {
            return None;
        }
        let (length, rest) = bytes.strip_prefix(BEGINNING)?.split_first_chunk()?;
        let width = usize::try_from(u32::from_le_bytes(*length)).ok()?.checked_mul(4)?;
        let (witness, rest) = rest.split_at_checked(width)?;
        let records = rest.chunks_exact(KEY.checked_add(width)?);
        let entries = records.map(|record| {
            let (key, vector) = record.split_at_checked(KEY)?;
            Some((std::str::from_utf8(key).ok()?.parse().ok()?, numbers(vector)))
        });
        Some(Content { witness: numbers(witness), entries: entries.collect::<Option<_>>()? })
    }

    fn seal(&self, bytes: &[u8]) -> [u8; 32] {
        Sha256::new().chain_update(&self.model).chain_update([0]).chain_update(bytes).finalize().into()
    }

    /// Removes the files of models that were not asked for longest. One that stays costs disk space, nothing else.
    fn forget_others(&self) {
        let Some(entries) = self.file.path().parent().and_then(|folder| std::fs::read_dir(folder).ok()) else { return };
        let paths = entries.flatten().map(|entry| entry.path());
        let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        let mut dated: Vec<_> =
            paths.filter_map(|path| Some((std::fs::metadata(&path).ok()?.modified().ok()?, path))).collect();
        dated.sort();
        for (_, path) in dated.iter().rev().skip(MOST_FILES) {
            if let Err(error) = std::fs::remove_file(path) {
                tracing::debug!(%error, "a file of vectors could not be removed");
            }
        }
    }
}

fn push(bytes: &mut Vec<u8>, vector: &[f32]) {
    bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().copied().map(f32::from_le_bytes).collect()
}

fn is_same(left: &[f32], right: &[f32]) -> bool {
    let dot = |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(left, right)| left * right).sum::<f32>();
    left.len() == right.len() && dot(left, right) >= SAME * (dot(left, left) * dot(right, right)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITNESS: [f32; 2] = [0.6, 0.8];

    fn entry(text: &str, vector: [f32; 2]) -> Entry {
        (ContentKey::of("m", text), vector.to_vec())
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn what_was_written_is_read_by_the_same_model_only() {
        let folder = folder();
        let file = VectorFile::of(folder.path(), "m");
        assert!(file.read(&WITNESS).is_empty());
        file.write(&WITNESS, vec![entry("a", [1.0, 0.0])]).unwrap();
        file.write(&WITNESS, vec![entry("b", [0.0, 1.0]), entry("a", [0.0, 2.0])]).unwrap();
        let expected = vec![entry("b", [0.0, 1.0]), entry("a", [0.0, 2.0])];
        assert_eq!(file.read(&[0.601, 0.799]), expected, "a little rounding is no other model");
        assert!(file.read(&[0.8, 0.6]).is_empty(), "another witness");
        assert!(file.read(&[0.6, 0.8, 0.0]).is_empty(), "longer vectors");
        assert!(file.read(&[f32::NAN, 0.8]).is_empty());
        assert!(VectorFile::of(folder.path(), "n").read(&WITNESS).is_empty(), "another name");
        file.write(&[0.8, 0.6], vec![entry("c", [1.0, 0.0])]).unwrap();
        assert_eq!(
            file.read(&[0.8, 0.6]),
            [entry("c", [1.0, 0.0])],
            "another model's vectors are not kept beside ours"
        );
    }

    #[test]
    fn a_file_that_is_not_whole_or_of_another_model_is_as_good_as_none() {
        let folder = folder();
        let file = VectorFile::of(folder.path(), "m");
        file.write(&WITNESS, vec![entry("a", [1.0, 0.0])]).unwrap();
        let whole = std::fs::read(file.file.path()).unwrap();
        for length in 0..whole.len() {
            assert!(file.decode(&whole[..length]).is_none(), "cut off after {length}");
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            assert!(file.decode(&changed).is_none(), "byte {place} changed");
        }
        assert!(VectorFile::of(folder.path(), "n").decode(&whole).is_none(), "a copy under another name");
        let sealed = |bytes: &[u8]| [bytes, &file.seal(bytes)].concat();
        assert!(file.decode(&sealed(b"")).is_none());
        assert!(file.decode(&sealed(&[BEGINNING, &[0xff; 4]].concat())).is_none(), "vectors longer than any file");
        let empty = file.decode(&sealed(&[BEGINNING, &[0; 4]].concat())).unwrap();
        assert!(empty.witness.is_empty() && empty.entries.is_empty());
    }

    #[test]
    fn a_file_is_bounded_and_what_comes_first_stays() {
        let folder = folder();
        let file = VectorFile::of(folder.path(), "m");
        let entries: Vec<Entry> = (0..100).map(|number| entry(&number.to_string(), [1.0, 0.0])).collect();
        for (bytes, vectors, expected) in
            [(1 << 20, 7, 7), (1 << 20, 1_000, 100), (1_000, 1_000, 12), (66, 9, 0), (0, 9, 0)]
        {
            let encoded = file.encode(&WITNESS, &entries, &Room { bytes, vectors });
            let kept = file.decode(&encoded).unwrap().entries;
            assert_eq!(kept, entries[..expected], "{vectors} vectors in {bytes} bytes");
            assert!(encoded.len() <= bytes.max(66), "the frame alone takes 66 bytes");
        }
    }

    #[test]
    fn few_models_are_remembered() {
        let folder = folder();
        for number in 0..2 * MOST_FILES {
            let file = VectorFile::of(folder.path(), &number.to_string());
            file.write(&WITNESS, vec![entry("a", [1.0, 0.0])]).unwrap();
            let date =
                std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(number).unwrap());
            std::fs::File::options().append(true).open(file.file.path()).unwrap().set_modified(date).unwrap();
        }
        let last = VectorFile::of(folder.path(), "last");
        last.write(&WITNESS, vec![entry("a", [1.0, 0.0])]).unwrap();
        let count = std::fs::read_dir(folder.path()).unwrap().flatten();
        assert_eq!(
            count.filter(|entry| entry.path().extension().is_some_and(|found| found == EXTENSION)).count(),
            MOST_FILES
        );
        assert_eq!(last.read(&WITNESS).len(), 1);
    }

    #[test]
    fn whoever_reads_while_others_write_sees_a_whole_file() {
        let folder = folder();
        let file = VectorFile::of(folder.path(), "m");
        file.write(&WITNESS, vec![entry("first", [1.0, 0.0])]).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    for number in 0..10 {
                        file.write(&WITNESS, vec![entry(&format!("{writer} {number}"), [0.0, 1.0])]).unwrap();
                        assert!(!file.read(&WITNESS).is_empty());
                    }
                });
            }
        });
    }
}
