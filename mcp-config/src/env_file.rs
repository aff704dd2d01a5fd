//! Files of `NAME=value` lines, as `envFile` names them.

use crate::secret::Secret;

/// Parses a file: blank lines and lines that begin with `#` are skipped, `export` is allowed, and a value may stand in
/// single quotes (as it is) or double quotes (with `\n`, `\"` and `\\`). Nothing is expanded.
///
/// # Errors
/// Returns the number of the first line that is none of these; its content may be a secret.
pub(crate) fn parse(text: &str) -> Result<Vec<(String, Secret)>, usize> {
    let mut variables = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or(index + 1)?;
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) || name.contains('\0') {
            return Err(index + 1);
        }
        variables.push((name.to_owned(), Secret::new(unquote(value.trim()).ok_or(index + 1)?)));
    }
    Ok(variables)
}

fn unquote(value: &str) -> Option<String> {
    if let Some(rest) = value.strip_prefix('\'') {
        return rest.split_once('\'').map(|(inside, _)| inside.to_owned());
    }
    let Some(rest) = value.strip_prefix('"') else {
        // A comment after a bare value needs a space before it.
        return Some(value.split(" #").next().unwrap_or_default().trim_end().to_owned());
    };
    let mut text = String::new();
    let mut characters = rest.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => return Some(text),
            '\\' => match characters.next()? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    None
}
