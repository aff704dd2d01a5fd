//! What may be shown of a value that may hold a secret.
//!
//! Masking errs on the side of hiding: a listing that hides too much is a nuisance, one that shows too much is a leak.

#[cfg(test)]
mod tests;

use crate::secret::REDACTED;
use crate::template::{Piece, Template};

/// Words before a secret in a header that say nothing about the secret.
const SCHEMES: [&str; 6] = ["Bearer", "bearer", "Basic", "basic", "Token", "token"];

/// Parts of a name that say its value is a secret.
const SECRET_WORDS: [&str; 12] = [
    "token",
    "secret",
    "pass",
    "pwd",
    "apikey",
    "api-key",
    "api_key",
    "auth",
    "credential",
    "private",
    "access-key",
    "access_key",
];

/// Beginnings of well-known tokens.
const SECRET_PREFIXES: [&str; 14] = [
    "sk-",
    "sk_",
    "pk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xox",
    "AKIA",
    "ASIA",
    "eyJ",
    "AIza",
];

/// From this length on a run of letters and digits mixed is taken for a secret.
const LONG_RUN: usize = 24;

/// Shows the variables of a value and hides everything it spells out; `Bearer ${TOKEN}` stays readable.
pub(crate) fn value(template: &Template) -> String {
    template.pieces().iter().map(piece).collect()
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Variable(reference) if reference.default.is_none() => reference.text.clone(),
        // A default may be the secret itself.
        Piece::Variable(reference) => {
            format!("{}:-{REDACTED}}}", reference.text.split(":-").next().unwrap_or_default())
        }
        Piece::Foreign { text, certain: true, .. } if !text.contains(":-") => text.clone(),
        Piece::Literal(text) if is_plain(text) => text.clone(),
        Piece::Literal(_) | Piece::Foreign { .. } => REDACTED.to_owned(),
    }
}

fn is_plain(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || SCHEMES.contains(&text)
}

/// Ends of names whose value says which program or file is used, whatever else the name says.
const PROGRAM_NAMES: [&str; 12] = [
    "_provider",
    "_helper",
    "_command",
    "_cmd",
    "_program",
    "_executable",
    "_exe",
    "_bin",
    "_path",
    "_file",
    "_askpass",
    "_hook",
];

/// Tells whether a value decides which program or file is used: it is then part of what would run, and no secret. `GOAUTH` is
/// a command, see <https://pkg.go.dev/cmd/go#hdr-GOAUTH_environment_variable>.
pub(crate) fn names_a_program(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_program = name == "goauth" || PROGRAM_NAMES.iter().any(|end| name.ends_with(end));
    is_program || value.contains('/') || value.contains('\\')
}

/// Tells whether a name announces a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word)) || name.ends_with("key")
}

/// Hides what a list of arguments gives away: `--token x`, `--api-key=x`, `-H "Authorization: x"`, and what looks like a
/// token by itself.
pub(crate) fn arguments<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut hide_next = false;
    arguments
        .into_iter()
        .map(|argument| {
            let hidden = std::mem::replace(&mut hide_next, announces_secret(argument));
            if hidden && !is_variable(argument) { REDACTED.to_owned() } else { self::argument(argument) }
        })
        .collect()
}

fn announces_secret(argument: &str) -> bool {
    argument.starts_with('-')
        && !argument.contains(['=', ' ', '$'])
        && (is_secret_name(argument) || matches!(argument, "-H" | "--header" | "-e" | "--env" | "-p" | "-u" | "--user"))
}

/// Tells whether a text is one variable without a default.
fn is_variable(text: &str) -> bool {
    let inside = text.strip_prefix("${").or_else(|| text.strip_prefix("{env:")).and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|inside| !inside.contains(['{', '}']) && !inside.contains(":-"))
}

/// Tells whether a header's value spells nothing out but a scheme: `Bearer ${TOKEN}`.
fn is_variable_of_scheme(value: &str) -> bool {
    let credential = value.split_once(' ').filter(|(scheme, _)| SCHEMES.contains(scheme)).map(|(_, rest)| rest);
    is_variable(credential.unwrap_or(value))
}

/// Hides what one argument gives away.
pub(crate) fn argument(argument: &str) -> String {
    if argument.contains("://") {
        return url(argument);
    }
    if let Some(option) = with_attached_secret(argument) {
        return format!("{option}{REDACTED}");
    }
    if let Some((name, value)) = argument.split_once('=')
        && (is_secret_name(name) || looks_secret(value))
        && !is_variable(value)
    {
        return format!("{name}={REDACTED}");
    }
    if let Some((name, value)) = argument.split_once(": ")
        && (is_secret_name(name) || looks_secret(value))
        && !is_variable_of_scheme(value)
    {
        return format!("{name}: {REDACTED}");
    }
    if looks_secret(argument) { REDACTED.to_owned() } else { argument.to_owned() }
}

/// Returns the option in front of a value that is written without a space: `-pSECRET`, `-uUSER:SECRET`, `-HNAME: SECRET`.
fn with_attached_secret(argument: &str) -> Option<&str> {
    let (option, value) = argument.split_at_checked(2)?;
    let may_be_secret = match option {
        "-p" => !value.is_empty(),
        "-u" | "-H" => value.contains(':'),
        _ => false,
    };
    (may_be_secret && !is_variable(value)).then_some(option)
}

/// Hides the user information, the query's values, the fragment and the secret-looking segments of a URL.
pub(crate) fn url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return argument_without_scheme(url) };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let host = match authority.rsplit_once('@') {
        Some((user, host)) if is_variable(user) => format!("{user}@{host}"),
        Some((_, host)) => format!("{REDACTED}@{host}"),
        None => authority.to_owned(),
    };
    let tail = tail.split_once('#').map_or(tail, |(before, _)| before);
    let (path, query) = match tail.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (tail, None),
    };
    let path: Vec<String> = path.split('/').map(argument_without_scheme).collect();
    let query = query.map(|query| {
        let pairs: Vec<String> = query.split('&').map(query_pair).collect();
        format!("?{}", pairs.join("&"))
    });
    format!("{scheme}://{host}{}{}", path.join("/"), query.unwrap_or_default())
}

fn query_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) if is_variable(value) || value.is_empty() => format!("{name}={value}"),
        Some((name, _)) => format!("{name}={REDACTED}"),
        None => argument_without_scheme(pair),
    }
}

fn argument_without_scheme(text: &str) -> String {
    if looks_secret(text) { REDACTED.to_owned() } else { text.to_owned() }
}

/// Tells whether a text, or what stands between its variables and in their defaults, looks like a token.
fn looks_secret(text: &str) -> bool {
    let Some(begin) = text.find("${").or_else(|| text.find("{env:")) else { return looks_like_token(text, 8) };
    let (before, rest) = text.split_at(begin);
    let (variable, after) = rest.split_once('}').unwrap_or((rest, ""));
    let default = variable.split_once(":-").map_or("", |(_, default)| default);
    // A variable goes on with what the literal begins.
    looks_like_token(before, 1) || looks_like_token(default, 8) || looks_secret(after)
}

/// Tells whether a text has the beginning of a well-known token and at least `more` characters after it, or a long run of
/// letters and digits.
fn looks_like_token(text: &str, more: usize) -> bool {
    if SECRET_PREFIXES.iter().any(|prefix| text.starts_with(prefix) && text.len() >= prefix.len() + more) {
        return true;
    }
    text.split(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '+')).any(|run| {
        run.len() >= LONG_RUN
            && run.contains(|character: char| character.is_ascii_digit())
            && run.contains(|character: char| character.is_ascii_alphabetic())
    })
}

/// Tells whether a named value is a secret rather than the name of a program or a file.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    (is_secret_name(name) && !names_a_program(name, value)) || looks_secret(value)
}

/// Returns what of an argument is not in what is shown of it.
pub(crate) fn hidden_in_argument<'a>(argument: &'a str, shown: &str) -> impl Iterator<Item = &'a str> {
    let is_hidden = argument != shown;
    let values = [argument.split_once('=').map(|(_, value)| value), argument.split_once(": ").map(|(_, value)| value)];
    let whole = (!argument.contains("://")).then_some(argument);
    let attached = with_attached_secret(argument).and_then(|option| argument.strip_prefix(option));
    let in_part = values.into_iter().flatten().chain(attached).chain(hidden_in_url(argument));
    whole.into_iter().chain(in_part).filter(move |_| is_hidden)
}

/// Returns the user information, the query's values and the secret-looking segments of a URL.
pub(crate) fn hidden_in_url(url: &str) -> impl Iterator<Item = &str> {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = before.split_once('/').unwrap_or((before, ""));
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    let password = user.and_then(|user| user.split_once(':')).map(|(_, password)| password);
    let values = query.split(['&', '#']).filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
    let segments = path.split('/').filter(|segment| looks_secret(segment));
    user.into_iter().chain(password).chain(values).chain(segments)
}

/// Shows no more of an expanded URL than whom it talks to.
pub(crate) fn origin_of(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return REDACTED.to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}/{REDACTED}")
}
