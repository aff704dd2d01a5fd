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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_variables_comments_or_blank() {
        let cases: [(&str, &[(&str, &str)]); 7] = [
            ("", &[]),
            ("# A=1\n\n  \t\nA=1", &[("A", "1")]),
            ("export A=1\nB = 2 ", &[("A", "1"), ("B", "2")]),
            ("A=\nB=a=b", &[("A", ""), ("B", "a=b")]),
            ("A=a#b #c", &[("A", "a#b")]),
            ("A='$B #c' d", &[("A", "$B #c")]),
            (r#"A="a\n\r\t\"\\\x" b"#, &[("A", "a\n\r\t\"\\x")]),
        ];
        for (text, expected) in cases {
            let variables = parse(text).expect(text);
            let found: Vec<_> = variables.iter().map(|(name, value)| (&**name, value.expose())).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_that_is_none_of_these_is_counted() {
        for line in ["B", "=1", "A B=1", "A\0=1", "B='1", "B=\"1", "B=\"1\\"] {
            assert_eq!(parse(&format!("A=1\n\n{line}")), Err(3), "{line:?}");
        }
    }
}
