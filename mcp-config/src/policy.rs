//! What an administrator allows to run: <https://code.claude.com/docs/en/managed-mcp>.
//!
//! `deniedMcpServers` and `allowedMcpServers` name servers by name, command line or URL, and denying wins:
//!
//! 1. A server that any denying rule matches is refused.
//! 2. If there is a list of what is allowed, a program must match one of its command lines, or one of its names if it holds no
//!    command line; a remote server one of its URLs, or one of its names if it holds no URL.
//! 3. A rule or a list that is not understood allows nothing, and denies everything where it was to deny.
//!
//! A command line is matched word by word, variables expanded on both sides. A denying rule whose program is a bare name also
//! means every file of that name. What a program starts in turn (`env npx …`, `sh -c …`) is not looked at: a list of what is
//! allowed holds against that, a list of what is denied does not.

use std::path::{Path, PathBuf};

use crate::document::Node;
use crate::environment::Environment;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::server::wildcard;
use crate::template::{Syntax, Template, Values, expand};

/// The rules of this machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Policy {
    settings: PathBuf,
    denied: Vec<Rule>,
    allowed: Option<Vec<Rule>>,
    /// Whether something that was to deny is not understood: it might have denied anything.
    is_broken: bool,
}

/// One rule, its variables expanded.
#[derive(Debug, Clone, PartialEq)]
enum Rule {
    Name(String),
    Command(Vec<String>),
    Url(String),
}

/// What is about to start, as far as it is known.
#[derive(Debug, Clone)]
pub(crate) enum Launched {
    /// A program: the words as they are once variables are expanded, and the file that the first of them names.
    Program { words: Vec<String>, file: Option<PathBuf> },
    /// A remote server.
    Remote { url: String },
    /// A program whose words are not known before it starts.
    UnknownProgram,
    /// A remote server whose URL is not known before it is connected to.
    UnknownRemote,
}

impl Policy {
    /// The policy of settings that cannot be read: nothing runs.
    pub(crate) fn unreadable(settings: &Path) -> Self {
        Self { settings: settings.to_path_buf(), is_broken: true, ..Self::default() }
    }

    /// Reads the rules in a settings document.
    pub(crate) fn parse(settings: &Path, document: &Node, values: &dyn Values) -> (Self, Vec<Problem>) {
        let mut reader = Reader { settings, values, problems: Vec::new() };
        let mut policy = Self { settings: settings.to_path_buf(), ..Self::default() };
        let Some(members) = document.members() else {
            reader.report(document, "", "expected an object at the top; nothing is allowed");
            policy.is_broken = true;
            return (policy, reader.problems);
        };
        for member in members {
            let list = match member.key.as_str() {
                "deniedMcpServers" | "allowedMcpServers" => reader.rules(&member.node, &member.key),
                _ => continue,
            };
            if member.key == "deniedMcpServers" {
                policy.is_broken |= list.iter().any(Option::is_none);
                policy.denied.extend(list.into_iter().flatten());
            } else {
                // Of two lists none is the one that is meant, but both are.
                let allowed: Vec<Rule> = list.into_iter().flatten().collect();
                policy.allowed = Some(match policy.allowed.take() {
                    Some(earlier) => earlier.into_iter().filter(|rule| allowed.contains(rule)).collect(),
                    None => allowed,
                });
            }
        }
        (policy, reader.problems)
    }

    /// Says why the server of that name may not run; `None` if it may, or if that cannot be told yet.
    pub(crate) fn refusal(&self, name: &str, launched: &Launched) -> Option<String> {
        let settings = self.settings.display();
        if self.is_broken {
            return Some(format!("{settings} is not understood, and may deny it"));
        }
        if self.denied.iter().any(|rule| rule.denies(name, launched)) {
            return Some(format!("{settings} denies it"));
        }
        let is_allowed = self.allowed.as_ref().is_none_or(|allowed| is_allowed(allowed, name, launched));
        (!is_allowed).then(|| format!("{settings} does not allow it"))
    }
}

fn is_allowed(rules: &[Rule], name: &str, launched: &Launched) -> bool {
    let is_of_kind = |rule: &&Rule| match launched {
        Launched::Program { .. } | Launched::UnknownProgram => matches!(rule, Rule::Command(_)),
        Launched::Remote { .. } | Launched::UnknownRemote => matches!(rule, Rule::Url(_)),
    };
    if rules.iter().any(|rule| is_of_kind(&rule)) {
        return rules.iter().filter(is_of_kind).any(|rule| match (rule, launched) {
            (Rule::Command(wanted), Launched::Program { words, .. }) => wanted == words,
            (Rule::Url(pattern), Launched::Remote { url }) => url_matches(pattern, url),
            (Rule::Command(_) | Rule::Url(_), Launched::UnknownProgram | Launched::UnknownRemote) => true,
            _ => false,
        });
    }
    rules.iter().any(|rule| matches!(rule, Rule::Name(wanted) if wanted == name))
}

impl Rule {
    fn denies(&self, server: &str, launched: &Launched) -> bool {
        match (self, launched) {
            (Self::Name(name), _) => name == server,
            (Self::Command(wanted), Launched::Program { words, file }) => {
                let (Some((program, rest)), Some((word, arguments))) = (wanted.split_first(), words.split_first())
                else {
                    return false;
                };
                rest == arguments && is_program(program, word, file.as_deref())
            }
            (Self::Url(pattern), Launched::Remote { url }) => url_matches(pattern, url) || wildcard(pattern, url),
            _ => false,
        }
    }
}

/// Tells whether a rule's program is the one of a command line: the word itself, the file it names, or a file of that name.
fn is_program(wanted: &str, word: &str, file: Option<&Path>) -> bool {
    let names = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_bare = matches!(extension.as_str(), "cmd" | "exe" | "bat" | "com");
        name == wanted || (is_bare && stem == wanted) || path == Path::new(wanted)
    };
    // A path of Windows is one everywhere.
    let written = PathBuf::from(word.replace('\\', "/"));
    wanted == word || names(&written) || file.is_some_and(names)
}

/// Matches a URL part by part, so that a `*` in the host ends with the host. Host and scheme are compared without regard to
/// case, a host's last dot does not count, and a pattern without a path matches any.
fn url_matches(pattern: &str, url: &str) -> bool {
    let (Some(pattern), Some(url)) = (parts(pattern), parts(url)) else { return pattern == "*" };
    wildcard(&pattern.scheme, &url.scheme)
        && wildcard(&pattern.host, &url.host)
        && (pattern.path.is_empty() || wildcard(pattern.path, url.path))
}

struct Parts<'a> {
    scheme: String,
    host: String,
    path: &'a str,
}

fn parts(url: &str) -> Option<Parts<'_>> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    // What is a slash to a URL parser ends the host here too.
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    // An IPv6 address is torn apart too, and put together again below.
    let (host, port) = host.rsplit_once(':').map_or((host.as_str(), None), |(host, port)| (host, Some(port)));
    let default = match scheme.as_str() {
        "https" => "443",
        "http" => "80",
        _ => "",
    };
    let host = host.trim_end_matches('.');
    let port = port.filter(|port| !port.is_empty() && *port != default);
    Some(Parts { scheme, host: port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")), path })
}

/// Reads rules, and says of each that is not understood.
struct Reader<'a> {
    settings: &'a Path,
    values: &'a dyn Values,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// Reads a list; what is not understood is `None`.
    fn rules(&mut self, node: &Node, key: &str) -> Vec<Option<Rule>> {
        let Some(items) = node.items() else {
            self.report(node, key, "expected a list of rules; nothing is allowed");
            return vec![None];
        };
        items.iter().map(|item| self.rule(item, key)).collect()
    }

    fn rule(&mut self, node: &Node, key: &str) -> Option<Rule> {
        let rule = match node.members() {
            Some([member]) => match member.key.as_str() {
                "serverName" => {
                    member.node.as_str().filter(|name| !name.is_empty()).map(|name| Rule::Name(name.to_owned()))
                }
                "serverUrl" => {
                    member.node.as_str().filter(|url| !url.is_empty()).and_then(|url| self.text(url)).map(Rule::Url)
                }
                "serverCommand" => self.words(&member.node).map(Rule::Command),
                _ => None,
            },
            _ => None,
        };
        if rule.is_none() {
            let expected = "expected one of `serverName`, `serverUrl` (texts) and `serverCommand` (a list of texts), whose \
                variables have values";
            let effect = if key == "deniedMcpServers" { "nothing is allowed" } else { "it allows nothing" };
            self.report(node, key, &format!("{expected}; {effect}"));
        }
        rule
    }

    fn words(&self, node: &Node) -> Option<Vec<String>> {
        let words = node.items().filter(|words| !words.is_empty())?;
        words.iter().map(|word| self.text(word.as_str()?)).collect()
    }

    fn text(&self, text: &str) -> Option<String> {
        expand(&Template::new(text, Syntax::Claude), self.values, false).ok()
    }

    fn report(&mut self, node: &Node, key: &str, message: &str) {
        let problem = Problem::new(Severity::Error, ProblemKind::Refused, message).with_path(self.settings);
        self.problems.push(problem.with_pointer(format!("/{key}")).at_position(node.position));
    }
}

/// The values that are known before anybody is asked: what the environment holds, and where the workspace is.
pub(crate) struct Known<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) workspace: &'a Path,
}

impl Values for Known<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        self.environment.var(name).map(str::to_owned)
    }

    fn input(&self, _: &str) -> Option<String> {
        None
    }

    fn keyring(&self, _: &str) -> Result<Option<String>, String> {
        Err("it is not known yet".to_owned())
    }

    fn file(&self, _: &str) -> Result<Option<String>, String> {
        Err("it is not known yet".to_owned())
    }

    fn workspace(&self) -> &Path {
        self.workspace
    }

    fn home(&self) -> Option<&Path> {
        self.environment.home.as_deref()
    }

    fn plugin(&self) -> Option<(&Path, &Path)> {
        None
    }
}
