//! Questions to the person at the terminal.

use std::io::{BufRead as _, IsTerminal as _};

use crate::exit::{Exit, Failure};
use crate::hint::Hint;
use crate::terminal::{Line, Terminal, Tone};

/// Asks, and returns whether the answer was yes.
///
/// # Errors
///
/// Nobody is at the terminal: then nothing is assumed, and `instead` is the command that needs no answer.
pub(crate) fn confirmed(terminal: &Terminal, question: &str, instead: impl Into<Hint>) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(
            Failure::new(Exit::Denied, "this needs an answer, and nobody is at the terminal").with_hint(instead)
        );
    }
    terminal.talk(Line::new().with(Tone::Strong, format!("{question} [y/N]")));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
