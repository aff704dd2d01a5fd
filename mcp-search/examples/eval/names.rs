//! How often a name is found first, in other spellings and with typing mistakes.

use mcp_search::{Document, Index};

use crate::data::Set;
use crate::metrics::real;

type Spell = fn(&Document) -> String;

const SPELLINGS: [(&str, Spell); 7] = [
    ("id", |tool| tool.id.clone()),
    ("bare", |tool| tool.name.clone()),
    ("mcp__server__tool", |tool| format!("mcp__{}__{}", tool.server, tool.name)),
    ("camelCase", camel),
    ("kebab-case", |tool| words(&tool.name).join("-")),
    ("words", |tool| words(&tool.name).join(" ")),
    ("one typo a word", |tool| words(&tool.name).iter().enumerate().map(mistype).collect::<Vec<_>>().join(" ")),
];

/// Prints the share of tools that come first for their own name. A tool that shares its name with others counts when
/// one of them comes first.
pub(crate) fn report(set: &Set, index: &Index) {
    let shares = SPELLINGS.map(|(label, spell)| format!("{label} {:.1}", 100.0 * share(set, index, spell)));
    println!("{}: own name first, in %: {}", set.name, shares.join(", "));
}

fn share(set: &Set, index: &Index, spell: Spell) -> f64 {
    let first = set.tools.iter().filter(|tool| {
        let answer = index.search(&spell(tool), 1, &|_| true);
        let hit = answer.hits.first().and_then(|hit| index.document(&hit.id));
        hit.is_some_and(|hit| fold(&hit.name) == fold(&tool.name))
    });
    real(first.count()) / real(set.tools.len().max(1))
}

fn camel(tool: &Document) -> String {
    let mut words = words(&tool.name).into_iter();
    let first = words.next().unwrap_or_default();
    let capitalized = words.map(|word| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    });
    first + &capitalized.collect::<String>()
}

/// One letter of the word is dropped, doubled, changed or swapped with the next, by turns.
fn mistype((turn, word): (usize, &String)) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.len() < 3 {
        return word.clone();
    }
    let place = 1 + (turn + letters.len()) % (letters.len() - 2);
    match (turn + word.len()) % 4 {
        0 => drop(letters.remove(place)),
        1 => letters.insert(place, letters[place]),
        2 => letters[place] = if letters[place] == 'x' { 'z' } else { 'x' },
        _ => letters.swap(place, place + 1),
    }
    letters.into_iter().collect()
}

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let hump = before.is_lowercase() && character.is_uppercase();
        if (hump || !character.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn fold(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
