//! Names for properties whose own names a provider refuses.

use crate::{naming::Names, profile::KeyRules};

/// Gives each name the name it is sent under: itself where the rules accept it, else a readable alias that no other
/// property has.
pub(super) fn aliases<'a>(names: &[&'a str], rules: Option<&KeyRules>) -> Vec<(&'a str, String)> {
    let Some(rules) = rules else { return names.iter().map(|name| (*name, (*name).to_owned())).collect() };
    let mut taken = Names::default();
    for name in names.iter().filter(|name| rules.accepts(name)) {
        taken.reserve(*name);
    }
    let sent = |name: &&'a str| {
        let is_fine = rules.accepts(name);
        let sent = if is_fine { (*name).to_owned() } else { taken.unique(&readable(name, rules), rules.longest) };
        (*name, sent)
    };
    names.iter().map(sent).collect()
}

/// The name with everything that is refused replaced.
fn readable(name: &str, rules: &KeyRules) -> String {
    let plain: String =
        name.chars().map(|character| if rules.accepts_character(character) { character } else { '_' }).collect();
    let is_empty = !plain.chars().any(|character| character.is_ascii_alphanumeric());
    let starts_well = plain.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    match (is_empty, starts_well || !rules.starts_with_letter) {
        (true, _) => "property".to_owned(),
        (false, true) => plain,
        (false, false) => format!("_{plain}"),
    }
}
