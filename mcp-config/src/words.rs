//! Servers from the words of a command line.

use serde_json::{Map, Value as Json};

use crate::dialect;
use crate::error::Error;
use crate::new_server::{NewLaunch, NewServer};
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

    /// Sets how a remote server is logged in to, in the words of `oauth` in this toolkit's own files: one `(key, value)` a
    /// member, and one an item for the keys that are lists. A dot leads into an object. A program has no login, and ignores
    /// it.
    ///
    /// ```
    /// use mcp_config::{NewServer, RemoteTransport};
    ///
    /// let server = NewServer::remote("https://mcp.example.com/mcp", RemoteTransport::Http);
    /// let login = [("clientId", "abc"), ("clientSecret", "${SECRET}"), ("flow", "client-credentials")];
    /// assert!(server.clone().with_oauth(login).is_ok());
    /// let error = server.with_oauth([("clientid", "abc")]).unwrap_err().to_string();
    /// assert_eq!(error, "oauth.clientid: unknown key `clientid` has no effect here; did you mean `clientId`?");
    /// ```
    ///
    /// # Errors
    /// A reader of the file would complain: of an unknown key, a word that is none, a flow that lacks something.
    pub fn with_oauth<'a>(mut self, members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, Error> {
        let mut oauth = Map::new();
        for (key, value) in members {
            let (outer, inner) = key.split_once('.').unwrap_or(("", key));
            match outer {
                "" => put(&mut oauth, inner, value),
                _ => match oauth.entry(outer).or_insert_with(|| Map::new().into()) {
                    Json::Object(object) => put(object, inner, value),
                    _ => return Err(arguments(format!("`{outer}` is given twice, once as an object"))),
                },
            }
        }
        if oauth.is_empty() || matches!(self.launch, NewLaunch::Stdio { .. }) {
            return Ok(self);
        }
        if let Some(reason) = dialect::wrong_with_login(&oauth) {
            return Err(arguments(reason));
        }
        self.more.insert("oauth".to_owned(), Json::Object(oauth));
        Ok(self)
    }
}

/// Puts a member into an object, as the type that its key has in the file.
fn put(object: &mut Map<String, Json>, key: &str, value: &str) {
    let text = Json::from(value);
    let typed = match key {
        "callbackPort" => value.parse().map_or(text, |port: u16| port.into()),
        "legacyEndpoints" | "enabled" => value.parse().map_or(text, |flag: bool| flag.into()),
        "resource" if value == "false" => false.into(),
        "exceptions" | "issuerAliases" => {
            if let Some(items) = object.entry(key).or_insert_with(|| Vec::<Json>::new().into()).as_array_mut() {
                items.push(text);
            }
            return;
        }
        _ => text,
    };
    object.insert(key.to_owned(), typed);
}

fn arguments(reason: impl Into<String>) -> Error {
    Error::Arguments { reason: reason.into() }
}
