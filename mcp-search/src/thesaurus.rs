//! Related words: `delete` and `remove`, `picture` and `photo`.
//!
//! The table is generated (`cargo run -p mcp-search --example thesaurus`, see there for its source and licence) and
//! compiled in; looking a stem up is a binary search in it and allocates nothing. Its layout, all numbers
//! little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | the number of stems, *n* |
//! | 4 (*n* + 1) | where each stem's letters start, counted from the first letter |
//! | 4 (*n* + 1) | where each stem's relations start, counted in relations from the first |
//! | | the letters of all stems, sorted |
//! | 3 each | the relations: the other stem's number (2), their similarity in 255ths (1), most similar first |

/// The generated table.
const TABLE: &[u8] = include_bytes!("thesaurus.bin");

/// The stems related to `stem` and how similar each is, between 0 and 1, most similar first.
pub(crate) fn related(stem: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let place = find(stem);
    let relations = place.and_then(|place| Some((relation_start(place)?, relation_start(place + 1)?)));
    let (start, end) = relations.unwrap_or_default();
    (start..end).filter_map(relation)
}

/// Whether the table knows the stem, which then is no misspelling.
pub(crate) fn is_word(stem: &str) -> bool {
    find(stem).is_some()
}

fn find(stem: &str) -> Option<usize> {
    let (mut low, mut high) = (0, count());
    while low < high {
        let middle = low.midpoint(high);
        match letters(middle)?.cmp(stem.as_bytes()) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}

fn count() -> usize {
    number(0).unwrap_or_default()
}

fn letters_start() -> usize {
    4 + 8 * (count() + 1)
}

fn letters(place: usize) -> Option<&'static [u8]> {
    let (start, end) = (number(4 + 4 * place)?, number(8 + 4 * place)?);
    TABLE.get(letters_start() + start..letters_start() + end)
}

fn relation_start(place: usize) -> Option<usize> {
    number(4 + 4 * (count() + 1) + 4 * place)
}

fn relation(place: usize) -> Option<(&'static str, f32)> {
    let first = letters_start() + number(4 + 4 * count())? + 3 * place;
    let [low, high, similarity] = *TABLE.get(first..first + 3)? else { return None };
    let stem = letters(usize::from(u16::from_le_bytes([low, high])))?;
    Some((std::str::from_utf8(stem).ok()?, f32::from(similarity) / 255.0))
}

fn number(at: usize) -> Option<usize> {
    let bytes: [u8; 4] = TABLE.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

#[cfg(test)]
mod tests;
