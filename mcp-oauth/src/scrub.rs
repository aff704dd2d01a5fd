//! What a server says, made safe to repeat.

use crate::secret::Secret;

/// Replaces every occurrence of one of `secrets` in `text`, and anything a terminal could act on.
///
/// What a server says about a refused request may repeat the request: a token it quotes must not reach an error.
pub(crate) fn scrub(text: &str, secrets: &[&Secret]) -> String {
    const LONGEST: usize = 300;
    let mut clean = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.expose().len() >= 4) {
        clean = clean.replace(secret.expose(), "[redacted]");
    }
    let mut clean: String =
        clean.chars().map(|character| if character.is_control() { ' ' } else { character }).take(LONGEST).collect();
    clean.truncate(clean.trim_end().len());
    clean
}

#[cfg(test)]
mod tests;
