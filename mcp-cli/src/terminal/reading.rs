//! What a person types.

use std::io::{IsTerminal as _, Result};

use console::Term;

use super::Terminal;

impl Terminal {
    /// Whether a person can be asked: what is said is seen, and what is typed arrives.
    pub(crate) fn is_attended() -> bool {
        std::io::stdin().is_terminal() && Self::is_watched()
    }

    /// Reads a line; `None` when nothing more will be typed.
    pub(crate) async fn read_line() -> Result<Option<String>> {
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            let length = std::io::stdin().read_line(&mut line)?;
            Ok((length > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
        });
        read.await.unwrap_or(Ok(None))
    }

    /// Reads a line that is not shown while it is typed.
    ///
    /// Dropped half-way, as by an interruption, it leaves the terminal showing again what is typed.
    pub(crate) async fn read_hidden_line() -> Result<Option<String>> {
        #[cfg(unix)]
        let _shown_again = echo::Echo::now();
        let read = tokio::task::spawn_blocking(|| Term::stderr().read_secure_line().map(Some));
        read.await.unwrap_or(Ok(None))
    }
}

/// A read cannot be called off, so whoever reads cannot put the terminal back when a question ends early.
#[cfg(unix)]
mod echo {
    use rustix::stdio::stdin;
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

    /// How the terminal is now; it is so again when this is dropped.
    pub(super) struct Echo(Option<Termios>);

    impl Echo {
        pub(super) fn now() -> Self {
            Self(tcgetattr(stdin()).ok())
        }
    }

    impl Drop for Echo {
        fn drop(&mut self) {
            if let Some(before) = &self.0 {
                // A terminal that went away needs nothing.
                tcsetattr(stdin(), OptionalActions::Now, before).ok();
            }
        }
    }
}
