//! Servers from the words of a command line.

use crate::error::Error;
use crate::new_server::NewServer;
use crate::server::RemoteTransport;

impl NewServer {
    /// Reads what follows `add NAME` in `FreeCode`'s form: `local COMMAND…` or `remote URL`.
    ///
    /// A command given as one word is split as a shell would, so that quoted paths with spaces stay whole; several words are
    /// taken as they are.
    ///
    /// ```
    /// use mcp_config::NewServer;
    ///
    /// let one = NewServer::from_words("local", &["npx -y 'my server'"])?;
    /// assert_eq!(one, NewServer::stdio("npx", ["-y", "my server"]));
    /// let many = NewServer::from_words("local", &["npx", "-y", "my server"])?;
    /// assert_eq!(one, many);
    /// # Ok::<(), mcp_config::Error>(())
    /// ```
    ///
    /// # Errors
    /// The kind is another word, the command is empty or has an open quote, or the URL is not one.
    pub fn from_words<S: AsRef<str>>(kind: &str, words: &[S]) -> Result<Self, Error> {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        match (kind, words.as_slice()) {
            ("local", [line]) => {
                let split =
                    shlex::split(line).ok_or_else(|| arguments("the command has a quote that is not closed"))?;
                Self::from_argv(&split)
            }
            ("local", words) => Self::from_argv(words),
            ("remote", [url]) => Self::from_url(url, RemoteTransport::HttpAuto),
            ("remote", _) => Err(arguments("expected one URL after `remote`")),
            (other, _) => Err(arguments(format!("expected `local` or `remote`, found `{other}`"))),
        }
    }

    /// Reads a program and its arguments.
    ///
    /// # Errors
    /// There is no word, or the first is empty.
    pub fn from_argv<S: AsRef<str>>(words: &[S]) -> Result<Self, Error> {
        match words {
            [program, arguments @ ..] if !program.as_ref().trim().is_empty() => {
                Ok(Self::stdio(program.as_ref(), arguments.iter().map(|word| word.as_ref().to_owned())))
            }
            _ => Err(arguments("expected a program to run")),
        }
    }

    /// Reads the endpoint of a remote server.
    ///
    /// # Errors
    /// It does not begin with `https://` or `http://`, or has no host. Variables are allowed anywhere after that, and instead
    /// of it.
    pub fn from_url(url: &str, transport: RemoteTransport) -> Result<Self, Error> {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let has_host = rest.is_some_and(|rest| !rest.starts_with(['/', '?', '#', ':']) && !rest.is_empty());
        if (has_host || url.starts_with("${")) && !url.contains(char::is_whitespace) {
            return Ok(Self::remote(url, transport));
        }
        // The URL itself may hold a secret, so the message does not repeat it.
        Err(arguments("expected a URL that begins with https:// or http://"))
    }
}

fn arguments(reason: impl Into<String>) -> Error {
    Error::Arguments { reason: reason.into() }
}
