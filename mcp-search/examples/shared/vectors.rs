//! Vectors that another program made.

use std::error::Error;
use std::fs;
use std::path::Path;

/// Reads so many vectors of one length, one after the other, of 32-bit little-endian numbers.
pub(crate) fn read(path: &Path, count: usize) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let length = bytes.len() / 4 / count.max(1);
    if length == 0 || bytes.len() != 4 * length * count {
        return Err(format!("{} has {} bytes, which are not {count} vectors", path.display(), bytes.len()).into());
    }
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
    Ok(numbers.chunks(length).map(<[f32]>::to_vec).collect())
}
