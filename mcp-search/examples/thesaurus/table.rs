//! The layout of the table; `src/thesaurus.rs` describes and reads it.

use std::num::TryFromIntError;

/// That one stem is related to another.
pub(crate) struct Relation {
    /// The other stem's number.
    pub(crate) stem: usize,
    /// From 0, not at all, to 1, the same.
    pub(crate) similarity: f32,
}

pub(crate) fn encode(stems: &[&str], relations: &[Vec<Relation>]) -> Result<Vec<u8>, TryFromIntError> {
    let mut bytes = Vec::new();
    push(&mut bytes, stems.len())?;
    push_starts(&mut bytes, stems.iter().map(|stem| stem.len()))?;
    push_starts(&mut bytes, relations.iter().map(Vec::len))?;
    bytes.extend_from_slice(stems.concat().as_bytes());
    for relation in relations.iter().flatten() {
        bytes.extend_from_slice(&u16::try_from(relation.stem)?.to_le_bytes());
        bytes.push(byte(relation.similarity));
    }
    Ok(bytes)
}

fn push_starts(bytes: &mut Vec<u8>, lengths: impl Iterator<Item = usize>) -> Result<(), TryFromIntError> {
    let mut start = 0;
    push(bytes, start)?;
    for length in lengths {
        start += length;
        push(bytes, start)?;
    }
    Ok(())
}

fn push(bytes: &mut Vec<u8>, number: usize) -> Result<(), TryFromIntError> {
    bytes.extend_from_slice(&u32::try_from(number)?.to_le_bytes());
    Ok(())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number lies between 1 and 255")]
fn byte(similarity: f32) -> u8 {
    (similarity * 255.0).round().clamp(1.0, 255.0) as u8
}
