//! Laws of consent, for every dialect: a change that decides what starts changes the prompt and what is approved.
//!
//! What starts is judged without the plan: by what an activated definition would hand to a program, and by the content of the
//! files of the workspace that any word of it names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcp_config::{Activated, Answers, Facts, Launch, Merged, Preset, Secret, merge};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{World, at, write};

/// How a dialect writes one server, and a variable with or without a default.
#[derive(Clone, Copy)]
struct Dialect {
    file: &'static str,
    container: &'static str,
    variable: fn(&str) -> String,
    keys: Keys,
}

#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Common,
    OpenCode,
    HoocodeSingle,
    Codex,
}

const DIALECTS: [Dialect; 13] = [
    dialect(".mcp.json", "mcpServers", dollar_default),
    dialect(".agents/mcp.json", "mcpServers", dollar_default),
    dialect(".vscode/mcp.json", "servers", input),
    dialect(".cursor/mcp.json", "mcpServers", workspace),
    dialect(".roo/mcp.json", "mcpServers", plain),
    dialect(".gemini/settings.json", "mcpServers", dollar_default),
    dialect(".zed/settings.json", "context_servers", plain),
    dialect(".github/mcp.json", "mcpServers", dollar_default),
    dialect(".continue/mcpServers/k.json", "mcpServers", plain),
    dialect("plugin", "mcpServers", plugin),
    Dialect { keys: Keys::OpenCode, ..dialect("opencode.json", "mcp", plain) },
    Dialect { keys: Keys::HoocodeSingle, ..dialect(".hoocode/mcp-servers/x.json", "", plain) },
    Dialect { keys: Keys::Codex, ..dialect(".codex/config.toml", "mcp_servers", plain) },
];

const fn dialect(file: &'static str, container: &'static str, variable: fn(&str) -> String) -> Dialect {
    Dialect { file, container, variable, keys: Keys::Common }
}

fn dollar_default(text: &str) -> String {
    format!("${{UNSET:-{text}}}")
}

fn input(_: &str) -> String {
    "${input:answer}".to_owned()
}

fn workspace(text: &str) -> String {
    format!("${{workspaceFolder}}/{text}")
}

fn plugin(text: &str) -> String {
    format!("${{CLAUDE_PLUGIN_ROOT}}/../{text}")
}

fn plain(text: &str) -> String {
    text.to_owned()
}

const FILES: [&str; 6] = ["run.sh", "server.js", "lib/hook.js", "lib/run.sh", ".env", "link.sh"];
const WORDS: [&str; 8] =
    ["run.sh", "./run.sh", "server.js", "lib/hook.js", "./link.sh", "--flag", "-c", "sh lib/run.sh"];

/// A server, in the words of no dialect.
#[derive(Debug, Clone)]
struct Server {
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    env_file: bool,
    url: Option<String>,
    /// Which argument is written with a variable.
    variable: Option<usize>,
    /// The default of the prompt that a variable may refer to.
    default: String,
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned)
}

fn server() -> impl Strategy<Value = Server> {
    let env = prop::collection::btree_map("(A_TOKEN|PATH_TO|NODE_OPTIONS|MODE)", word(), 0..3);
    let url =
        prop::option::weighted(0.2, prop::sample::select(vec!["https://a.example/mcp", "https://b.example/?k=v"]));
    let parts =
        (word(), prop::collection::vec(word(), 0..3), env, any::<bool>(), url, prop::option::of(0..3_usize), word());
    parts.prop_map(|(command, args, env, env_file, url, variable, default)| Server {
        command,
        args,
        env,
        env_file,
        url: url.map(str::to_owned),
        variable,
        default,
    })
}

impl Server {
    fn write(&self, dialect: Dialect, world: &World) {
        let text = if dialect.keys == Keys::Codex { self.toml() } else { self.document(dialect).to_string() };
        let file = if dialect.file == "plugin" { "plugin/.claude-plugin/plugin.json" } else { dialect.file };
        write(&world.project.join(file), text);
    }

    fn args(&self, dialect: Dialect) -> Vec<String> {
        let args = self.args.iter().enumerate();
        args.map(|(index, word)| if Some(index) == self.variable { (dialect.variable)(word) } else { word.clone() })
            .collect()
    }

    fn document(&self, dialect: Dialect) -> Value {
        let mut entry = Map::new();
        let args = self.args(dialect);
        match (&self.url, dialect.keys) {
            (Some(url), Keys::OpenCode) => {
                entry.extend([("type".to_owned(), json!("remote")), ("url".to_owned(), json!(url))]);
            }
            (Some(url), _) => entry.extend([("url".to_owned(), json!(url)), ("headers".to_owned(), json!(self.env))]),
            (None, Keys::OpenCode) => {
                let line: Vec<&String> = std::iter::once(&self.command).chain(&args).collect();
                entry.extend([("type".to_owned(), json!("local")), ("command".to_owned(), json!(line))]);
                entry.insert("environment".to_owned(), json!(self.env));
            }
            (None, _) => {
                entry.extend([("command".to_owned(), json!(self.command)), ("args".to_owned(), json!(args))]);
                entry.insert("env".to_owned(), json!(self.env));
                if self.env_file {
                    entry.insert("envFile".to_owned(), json!(".env"));
                }
            }
        }
        if dialect.keys == Keys::HoocodeSingle {
            entry.insert("name".to_owned(), json!("x"));
            return Value::Object(entry);
        }
        let inputs = json!([{"id": "answer", "type": "promptString", "default": self.default}]);
        json!({dialect.container: {"x": entry}, "inputs": inputs})
    }

    fn toml(&self) -> String {
        let env: Vec<String> = self.env.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
        match &self.url {
            Some(url) => format!("[mcp_servers.x]\nurl = {url:?}\nhttp_headers = {{{}}}\n", env.join(", ")),
            None => format!(
                "[mcp_servers.x]\ncommand = {:?}\nargs = {:?}\nenv = {{{}}}\n",
                self.command,
                self.args,
                env.join(", ")
            ),
        }
    }
}

/// One thing that a repository does.
#[derive(Debug, Clone)]
enum Change {
    Content(usize),
    Remove(usize),
    Link(usize, usize),
    Command(String),
    Argument(usize, String),
    Variable(String, String),
    Default(String),
    EnvFile,
    Url,
}

fn change() -> impl Strategy<Value = Change> {
    let file = 0..FILES.len();
    prop_oneof![
        4 => file.clone().prop_map(Change::Content),
        1 => file.clone().prop_map(Change::Remove),
        2 => (file.clone(), file).prop_map(|(from, to)| Change::Link(from, to)),
        1 => word().prop_map(Change::Command),
        1 => (0..3_usize, word()).prop_map(|(index, word)| Change::Argument(index, word)),
        1 => ("(A_TOKEN|PATH_TO|MODE)", word()).prop_map(|(name, word)| Change::Variable(name, word)),
        2 => word().prop_map(Change::Default),
        1 => Just(Change::EnvFile),
        1 => Just(Change::Url),
    ]
}

impl Change {
    fn make(&self, server: &mut Server, dialect: Dialect, world: &World) {
        let path = |index: usize| world.project.join(FILES[index]);
        match self {
            Self::Content(index) => write(&path(*index), "MODE=changed # second"),
            Self::Remove(index) => std::fs::remove_file(path(*index)).unwrap(),
            Self::Link(from, to) => link(&path(*from), &path(*to)),
            Self::Command(word) => server.command.clone_from(word),
            Self::Argument(index, word) => {
                if let Some(argument) = server.args.get_mut(*index) {
                    argument.clone_from(word);
                }
            }
            Self::Variable(name, word) => drop(server.env.insert(name.clone(), word.clone())),
            Self::Default(word) => server.default.clone_from(word),
            Self::EnvFile => server.env_file = !server.env_file,
            Self::Url => server.url = server.url.as_ref().map(|url| format!("{url}x")),
        }
        server.write(dialect, world);
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    if from != to {
        std::fs::remove_file(from).unwrap();
        std::os::unix::fs::symlink(to, from).unwrap();
    }
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) {
    std::fs::copy(to, from).unwrap();
}

/// Nobody answers, and nothing is in the keyring: a prompt's default is used.
struct Silent;

impl Answers for Silent {
    fn input(&self, _: &str) -> Option<Secret> {
        None
    }

    fn keyring(&self, _: &str) -> Option<Secret> {
        None
    }
}

fn merged(world: &World) -> Merged {
    let found = world.discovery().with_plugin(world.project.join("plugin")).with_preset(Preset::Toolkit).load();
    merge(&found.layers, &world.trust, &world.environment)
}

/// What is shown, and what would start; `None` when nothing would.
fn state(world: &mut World) -> Option<(Facts, String)> {
    let plan = merged(world).server("x")?.plan(&world.environment);
    world.trust.approve(&plan, at(1)).ok()?;
    let trusted = merged(world).server("x")?.trusted().ok()?;
    let activated = trusted.activate_with(&world.environment, &Silent).ok()?;
    Some((plan.facts(), oracle(&activated, &world.project)))
}

/// Everything that decides what starts, as text.
fn oracle(activated: &Activated, workspace: &Path) -> String {
    let mut said = format!("{:?} {:?} {:?}", activated.inherit, activated.auto_approve, activated.oauth);
    let mut words: Vec<String> = Vec::new();
    let base = match &activated.launch {
        Launch::Stdio { command, args, env, cwd } => {
            words.push(command.clone());
            words.extend(args.iter().cloned());
            words.extend(env.iter().map(|(name, value)| format!("{name}={}", value.expose())));
            cwd.clone()
        }
        Launch::Http { url, headers } | Launch::Sse { url, headers } | Launch::HttpAuto { url, headers } => {
            words.push(url.clone());
            words.extend(headers.iter().map(|(name, value)| format!("{name}: {}", value.expose())));
            PathBuf::from("/nonexistent")
        }
    };
    for word in &words {
        said.push_str(word);
        for path in word.split([' ', '=']).map(|part| base.join(part)) {
            let Ok(real) = path.canonicalize() else { continue };
            if real.starts_with(workspace) && real.is_file() {
                said.push_str(&real.to_string_lossy());
                said.push_str(&std::fs::read_to_string(&real).unwrap());
            }
        }
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_change_that_decides_what_starts_asks_again(
        server in server(),
        change in change(),
        dialect in prop::sample::select((0..DIALECTS.len()).collect::<Vec<_>>()),
    ) {
        let dialect = DIALECTS[dialect];
        let mut world = World::new();
        for file in FILES {
            write(&world.project.join(file), "MODE=first");
        }
        let mut server = server;
        server.write(dialect, &world);
        let Some((shown, starts)) = state(&mut world) else { return Ok(()) };
        let approved = world.trust.clone();
        change.make(&mut server, dialect, &world);
        let is_still_approved = {
            world.trust = approved;
            merged(&world).server("x").is_some_and(|server| server.trusted().is_ok())
        };
        let Some((shown_now, starts_now)) = state(&mut world) else { return Ok(()) };
        if starts != starts_now {
            prop_assert!(!is_still_approved, "{} runs\n{starts_now}\nin the place of\n{starts}", dialect.file);
            prop_assert_ne!(shown.to_string(), shown_now.to_string());
        }
        // The prompt and the approval are one: neither changes without the other.
        let binding = |facts: &Facts| -> Vec<String> {
            facts.iter().filter(|fact| fact.is_binding).map(ToString::to_string).collect()
        };
        prop_assert_eq!(shown.digest() == shown_now.digest(), binding(&shown) == binding(&shown_now));
        prop_assert_eq!(is_still_approved, shown.digest() == shown_now.digest());
    }

    #[test]
    fn a_plan_holds_nothing_that_the_prompt_does_not(left in server(), right in server(), dialect in 0..DIALECTS.len()) {
        let dialect = DIALECTS[dialect];
        let states = [left, right].map(|server| {
            let mut world = World::new();
            for file in FILES {
                write(&world.project.join(file), "MODE=first");
            }
            server.write(dialect, &world);
            let place = world.project.display().to_string();
            state(&mut world).map(|(facts, starts)| (facts.to_string().replace(&place, "."), starts.replace(&place, ".")))
        });
        if let [Some((shown, starts)), Some((other, others))] = states && shown == other {
            prop_assert_eq!(starts, others);
        }
    }
}
