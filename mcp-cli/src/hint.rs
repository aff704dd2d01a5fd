//! What to do next. The only place that makes command lines, and the only one that quotes them.
//!
//! A name from a configuration file, a server or a repository may be `docs; rm -r x` or `--settings`. It stays one argument
//! on its way to the terminal, because a [`Hint`] holds argument vectors, and nothing prints a command but a hint.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use mcp_client::config::{Preset, Problem};
use mcp_client::{Remedy, printable_line};
use serde_json::{Value, json};

/// What a person calls this program.
const PROGRAM: &str = "mcpctl";

/// Advice in words, commands to paste, or words and the commands they lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hint {
    advice: String,
    commands: Vec<Vec<String>>,
}

impl Hint {
    /// A sentence that is no command.
    pub(crate) fn advice(text: impl Into<String>) -> Self {
        Self { advice: text.into(), commands: Vec::new() }
    }

    /// `WORDS: --name value`, which is to be added to the command just typed.
    pub(crate) fn added(words: &str, name: &str, value: &str) -> Self {
        Self { advice: words.to_owned(), commands: vec![option(name, value)] }
    }

    /// Puts words before the commands: `WORDS: COMMAND`.
    #[must_use]
    pub(crate) fn with_advice(mut self, text: impl Into<String>) -> Self {
        self.advice = text.into();
        self
    }

    /// The steps of the library, as commands where they are some; none for no steps.
    pub(crate) fn of(remedies: &[Remedy]) -> Option<Self> {
        remedies.iter().map(Self::from).reduce(|mut all, next| {
            all.commands.extend(next.commands);
            all.advice =
                [all.advice, next.advice].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
            all
        })
    }

    /// A problem's words, and the commands that mend it. Advice stays among the words.
    pub(crate) fn beside(problem: &Problem) -> (String, Option<Self>) {
        let hint = problem.fix.clone().map(|fix| Self::from(&Remedy::from(fix)));
        let hint = hint.filter(|hint| !hint.commands.is_empty());
        let mut problem = problem.clone();
        if hint.is_some() {
            problem.fix = None;
        }
        (problem.to_string(), hint)
    }

    /// Whether a shell makes of what is shown what is meant.
    pub(crate) fn can_be_pasted(&self) -> bool {
        self.commands.iter().all(|command| quoted(command).is_ok())
    }
}

/// Whose configuration a command was about, as options: what its hints propose is about the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Whose {
    options: Vec<String>,
}

impl Whose {
    pub(crate) fn of(files: &[PathBuf], preset: Preset) -> Self {
        let files = files.iter().flat_map(|file| option("--config", &file.to_string_lossy()));
        let preset = (preset != Preset::default()).then(|| option("--preset", preset.name()));
        Self { options: files.chain(preset.into_iter().flatten()).collect() }
    }

    /// The hint as it may be shown: each command of this program is about that configuration.
    pub(crate) fn show(&self, hint: impl Into<Hint>) -> Shown {
        let mut hint = hint.into();
        for command in hint.commands.iter_mut().filter(|command| command.first().is_some_and(|word| word == PROGRAM)) {
            command.splice(1..1, self.options.iter().cloned());
        }
        Shown(hint)
    }
}

/// A hint for a person or a program to read.
#[derive(Debug)]
pub(crate) struct Shown(Hint);

impl Shown {
    /// The hint as a program reads it: a command is an array of strings, the program first; advice is a string.
    pub(crate) fn json(&self) -> Value {
        match self.0.commands.as_slice() {
            [command] if self.0.advice.is_empty() => json!(command),
            _ => json!(self.to_string()),
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hint { advice, commands } = &self.0;
        formatter.write_str(advice)?;
        if commands.is_empty() {
            return Ok(());
        }
        if !advice.is_empty() {
            formatter.write_str(": ")?;
        }
        match commands.iter().map(|command| quoted(command)).collect::<Result<Vec<String>, &str>>() {
            Ok(commands) => formatter.write_str(&commands.join(" && ")),
            Err(word) => write!(
                formatter,
                "there is no command to paste, because `{}` holds characters that act on a terminal or hide",
                printable_line(word)
            ),
        }
    }
}

/// The command as a POSIX shell reads it back, or the word that cannot be shown as it is.
fn quoted(command: &[String]) -> Result<String, &str> {
    let words: Result<Vec<_>, &str> = command.iter().map(|word| quoted_word(word).ok_or(word.as_str())).collect();
    Ok(words?.join(" "))
}

fn quoted_word(word: &str) -> Option<Cow<'_, str>> {
    // What the terminal would show as an escape would be pasted as the escape.
    if matches!(printable_line(word), Cow::Owned(_)) {
        return None;
    }
    // Quotes around every `key=value` would be right too, and hard to read.
    let plain = |character: char| character.is_ascii_alphanumeric() || "_+-./:@=,".contains(character);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        return Some(Cow::Borrowed(word));
    }
    shlex::try_quote(word).ok()
}

/// A command of this program: its words and options first, then what it is about, after `--` where that could be taken for an
/// option.
#[derive(Debug, Clone)]
pub(crate) struct Own {
    words: Vec<String>,
    operands: Vec<String>,
}

/// `mcpctl WORD…`. The words are ours; whatever is not goes through [`Own::option`] and [`Own::operand`].
pub(crate) fn mcpctl<const N: usize>(words: [&'static str; N]) -> Own {
    Own { words: std::iter::once(PROGRAM).chain(words).map(str::to_owned).collect(), operands: Vec::new() }
}

/// An option with its value, as one word where the value could be taken for an option.
fn option(name: &str, value: &str) -> Vec<String> {
    if value.starts_with('-') { vec![format!("{name}={value}")] } else { vec![name.to_owned(), value.to_owned()] }
}

impl Own {
    /// Adds `--name value`, as one word where the value could be taken for an option.
    #[must_use]
    pub(crate) fn option(mut self, name: &'static str, value: &str) -> Self {
        self.words.extend(option(name, value));
        self
    }

    /// Adds an operand, such as a server's name.
    #[must_use]
    pub(crate) fn operand(mut self, operand: impl Into<String>) -> Self {
        self.operands.push(operand.into());
        self
    }
}

impl From<Own> for Hint {
    fn from(Own { mut words, operands }: Own) -> Self {
        if operands.iter().any(|operand| operand.starts_with('-')) {
            words.push("--".to_owned());
        }
        words.extend(operands);
        Self { advice: String::new(), commands: vec![words] }
    }
}

impl From<&Remedy> for Hint {
    fn from(remedy: &Remedy) -> Self {
        let own = match remedy {
            Remedy::Add => mcpctl(["add", "NAME", "--", "COMMAND"]),
            Remedy::Trust { server } => mcpctl(["trust"]).operand(&**server),
            Remedy::TrustSettings => mcpctl(["trust", "--settings"]),
            Remedy::Import { host } => mcpctl(["import"]).operand(host.to_string()),
            Remedy::Enable { server } => mcpctl(["enable"]).operand(&**server),
            Remedy::StoreSecret { name } => mcpctl(["secret", "set"]).operand(&**name),
            Remedy::Answer { server, prompt } => {
                mcpctl(["secret", "set"]).option("--server", server).operand(&**prompt)
            }
            Remedy::Login { server } => mcpctl(["login"]).operand(&**server),
            Remedy::Approve { server, tool } => {
                tool.iter().fold(mcpctl(["approve"]).operand(&**server), |own, tool| own.operand(&**tool))
            }
            Remedy::Allow { rule } => mcpctl(["allow", "--scope", "user"]).operand(&**rule),
            Remedy::Deny { rule } => mcpctl(["deny", "--scope", "user"]).operand(&**rule),
            Remedy::Forget { rule, scope } => mcpctl(["permissions", "forget", "--scope", scope]).operand(&**rule),
            Remedy::Run { command } => {
                let command = command.iter().map(ToString::to_string).collect();
                return Self { advice: String::new(), commands: vec![command] };
            }
            other => return Self::advice(other.to_string()),
        };
        own.into()
    }
}
