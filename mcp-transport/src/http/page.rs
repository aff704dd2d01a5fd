//! Web pages where a message was due.

/// A title longer than this says no more.
const TITLE: usize = 80;

/// What to say of a body that is a web page; `None` for anything else.
pub(super) fn described(body: &str) -> Option<String> {
    let begin = body.trim_start();
    let lower: String = begin.chars().take(4_096).collect::<String>().to_ascii_lowercase();
    if !(lower.starts_with("<!doctype html") || lower.starts_with("<html")) {
        return None;
    }
    let title = lower.find("<title>").zip(lower.find("</title>")).and_then(|(from, to)| begin.get(from + 7..to));
    let title = title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
    let title = title.filter(|title| !title.is_empty()).map(|title| title.chars().take(TITLE).collect::<String>());
    let titled = title.map(|title| format!(" titled `{title}`")).unwrap_or_default();
    Some(format!("a web page{titled}, where an MCP server was expected; check the URL"))
}

#[cfg(test)]
mod tests;
