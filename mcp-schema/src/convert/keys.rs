//! Names for properties whose own names a provider refuses.

use std::collections::BTreeSet;

use crate::profile::KeyRules;

/// Gives each name the name it is sent under: itself where the rules accept it, else a readable alias that no other
/// property has.
pub(super) fn aliases<'a>(names: &[&'a str], rules: Option<&KeyRules>) -> Vec<(&'a str, String)> {
    let accepts = |name: &str| rules.is_none_or(|rules| rules.accepts(name));
    let mut taken: BTreeSet<String> =
        names.iter().filter(|name| accepts(name)).map(|name| (*name).to_owned()).collect();
    let mut pairs = Vec::with_capacity(names.len());
    for name in names {
        let sent = match rules {
            Some(rules) if !rules.accepts(name) => alias(name, rules, &mut taken),
            _ => (*name).to_owned(),
        };
        pairs.push((*name, sent));
    }
    pairs
}

fn alias(name: &str, rules: &KeyRules, taken: &mut BTreeSet<String>) -> String {
    let plain: String =
        name.chars().map(|character| if rules.accepts_character(character) { character } else { '_' }).collect();
    let is_empty = !plain.chars().any(|character| character.is_ascii_alphanumeric());
    let starts_well = plain.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    let readable = match (is_empty, starts_well || !rules.starts_with_letter) {
        (true, _) => "property".to_owned(),
        (false, true) => plain,
        (false, false) => format!("_{plain}"),
    };
    let unique = (1..=usize::MAX).map(|count| {
        let suffix = if count == 1 { String::new() } else { format!("_{count}") };
        let room = rules.longest.saturating_sub(suffix.len());
        readable.chars().take(room).collect::<String>() + &suffix
    });
    let chosen = unique.into_iter().find(|candidate| !taken.contains(candidate)).unwrap_or_default();
    taken.insert(chosen.clone());
    chosen
}
