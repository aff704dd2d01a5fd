//! Text that a server sent, made fit for a line of a prompt.

/// Returns the first line of `text` that says something, cut to so many characters and free of characters that cannot
/// be seen.
pub(crate) fn first_line(text: &str, characters: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    one_line(line, characters)
}

/// Returns `text` as one line, cut to so many characters.
///
/// White space becomes single spaces. Control characters, and those that only steer how others are shown (bidirectional
/// marks, zero-width characters, tags), are left out: a prompt must say what a person would see.
pub(crate) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split(char::is_whitespace) {
        let word: String = word.chars().filter(|character| is_shown(*character)).take(characters + 1).collect();
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
            count += 1;
        }
        count += word.chars().count();
        line += &word;
        if count > characters {
            return line.chars().take(characters.saturating_sub(1)).collect::<String>().trim_end().to_owned() + "…";
        }
    }
    line
}

fn is_shown(character: char) -> bool {
    let steers = matches!(u32::from(character),
        0xAD | 0x61C | 0x180E | 0xFEFF
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F
        | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF);
    !character.is_control() && !steers
}

#[cfg(test)]
mod tests {
    use super::{first_line, one_line};

    #[test]
    fn only_the_first_line_counts() {
        assert_eq!(first_line("\n  Reads a file. \nAnd more.", 80), "Reads a file.");
        assert_eq!(first_line("", 80), "");
    }

    #[test]
    fn long_text_is_cut_with_a_mark() {
        assert_eq!(one_line("one two three", 13), "one two three");
        assert_eq!(one_line("one two three", 12), "one two thr…");
        assert_eq!(one_line("one two three", 5), "one…");
        assert_eq!(one_line(&"x".repeat(1_000_000), 4), "xxx…");
    }

    #[test]
    fn what_cannot_be_seen_is_left_out() {
        assert_eq!(one_line("a\u{1b}[31mb\u{202e}c\u{200b}d\u{e0041}\r\n\te", 80), "a[31mbcd e");
    }
}
