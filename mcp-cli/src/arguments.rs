//! What a person may type.

mod secret;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use mcp_client::config::{Host, Preset};

use crate::demo::DemoServer;
use crate::exit;

pub(crate) use self::secret::{SecretCommand, SecretList, SecretRemove, SecretSet};

/// Talks to every MCP server you have configured.
#[derive(Debug, Parser)]
#[command(name = "mcpctl", version, max_term_width = 100, after_help = exit::HELP)]
pub(crate) struct Arguments {
    /// Read this configuration file instead of the ones found; naming it approves what is in it.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Whose configuration to use: toolkit, hoocode, freecode, or one host's alone, such as cursor.
    #[arg(long, global = true, value_name = "WHOSE", default_value = "toolkit", value_parser = preset)]
    pub(crate) preset: Preset,
    /// Whose login to use at servers that ask for one.
    #[arg(long, global = true, value_name = "LABEL")]
    pub(crate) account: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows the whole pipeline on built-in servers; needs no configuration and no network.
    Demo(Demo),
    /// Lists the configured servers; connects to none.
    List(Listing),
    /// Adds a server to your configuration or the project's.
    Add(Add),
    /// Removes a server from your configuration or the project's.
    Remove(Remove),
    /// Shows one server: its definition, where it stands, and what it shadows.
    Get(Get),
    /// Switches a server on.
    Enable(Switch),
    /// Switches a server off.
    Disable(Switch),
    /// Takes servers over from another host's configuration into yours.
    Import(Import),
    /// Shows exactly what a found server would run, and approves it.
    Trust(Trust),
    /// Takes an approval back.
    Untrust(Untrust),
    /// Says everything that is wrong with the configuration, and what mends it.
    Doctor(Doctor),
    /// Connects and prints the tools as calls that can be pasted, or as a provider's tool array.
    Tools(Tools),
    /// Connects and finds tools by what they do.
    Search(Search),
    /// Calls a tool and prints the content of its answer.
    Call(Call),
    /// Connects and says how each server is, or why it is not.
    #[command(alias = "start")]
    Status(Status),
    /// Logs in to a server that asks for it.
    Login(Login),
    /// Forgets the login of a server.
    Logout(Logout),
    /// Tells how logins stand.
    Auth {
        #[command(subcommand)]
        command: AuthCommand,
    },
    /// Stores the secrets that servers name, and the answers to their prompts.
    Secret {
        #[command(subcommand)]
        command: SecretCommand,
    },
    /// Lets tools be called without asking.
    Allow(RuleArguments),
    /// Asks before tools are called.
    Ask(RuleArguments),
    /// Keeps tools from being called.
    Deny(RuleArguments),
    /// Lists the permission rules, explains which one decides a call, or takes one away.
    Permissions {
        #[command(subcommand)]
        command: Option<PermissionsCommand>,
    },
    /// Shows how a server's tools differ from what was approved, and approves them as they are. Until then a model is told
    /// what was approved, or nothing.
    Approve(Approve),
    /// Says what a provider makes of a tool's schema; connects to nothing.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Serves one of the demo's servers on stdin and stdout.
    #[command(hide = true)]
    DemoServer {
        /// Which one.
        server: DemoServer,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Print one JSON record per step, one per line.
    #[arg(long)]
    pub(crate) json: bool,
    /// A text to send through a child process and back.
    #[arg(long, value_name = "TEXT", default_value = "hello")]
    pub(crate) nonce: String,
}

#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// Also list the definitions that others shadow, and the places that were looked at.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print a JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Yours, in every project: `~/.agents/mcp.json`.
    User,
    /// This project's, to share with others: `./.mcp.json`.
    Project,
    /// This project's, for VS Code: `./.vscode/mcp.json`.
    Vscode,
    /// This project's, for Codex: `./.codex/config.toml`.
    Codex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    /// Streamable HTTP.
    Http,
    /// The older HTTP+SSE.
    Sse,
    /// Streamable HTTP, and HTTP+SSE when the server refuses it.
    Auto,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "mcpctl add [OPTIONS] NAME URL\n       mcpctl add [OPTIONS] NAME -- COMMAND [ARGUMENT]...\n       mcpctl add [OPTIONS] NAME local|remote COMMAND|URL\n       mcpctl add [OPTIONS] --from-registry FILE [NAME]"
)]
pub(crate) struct Add {
    /// What to call the server.
    #[arg(required_unless_present = "from_registry")]
    pub(crate) name: Option<String>,
    /// A URL; or `local` and a command, or `remote` and a URL.
    #[arg(value_name = "URL", conflicts_with = "from_registry")]
    pub(crate) target: Vec<String>,
    /// The command and its arguments.
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["from_registry", "target"])]
    pub(crate) command: Vec<String>,
    /// Add the server that a registry's `server.json` describes, at its exact version.
    #[arg(long, value_name = "FILE")]
    pub(crate) from_registry: Option<PathBuf>,
    /// Which file to write.
    #[arg(long, value_enum, default_value_t = Scope::User)]
    pub(crate) scope: Scope,
    /// A variable for the command's environment; repeat for more.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "from_registry")]
    pub(crate) env: Vec<String>,
    /// A header for every request; repeat for more. `${VAR}` in it is filled in when connecting.
    #[arg(long, value_name = "NAME: VALUE", conflicts_with = "from_registry")]
    pub(crate) header: Vec<String>,
    /// How to talk to a URL; Streamable HTTP when left out.
    #[arg(long, value_enum, conflicts_with = "from_registry")]
    pub(crate) transport: Option<Transport>,
    /// How to log in to a URL, as `oauth` in the file says it: `clientId=abc`, `scopes=a b`, `issuer=https://…`,
    /// `flow=device`; repeat for more. `${keyring:NAME}` keeps a secret out of the file.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "from_registry")]
    pub(crate) oauth: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The server to remove.
    pub(crate) name: String,
    /// Which file to write; the one that has the server when left out.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
}

#[derive(Debug, Args)]
pub(crate) struct Get {
    /// The server to show.
    pub(crate) name: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Switch {
    /// The server to switch.
    pub(crate) name: String,
    /// Which file to write; the one that has the server when left out.
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The host to import from, such as cursor; all of them when left out.
    pub(crate) host: Option<Host>,
    /// Only these servers, also in the place of yours of the same name; repeat for more.
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Vec<String>,
    /// Also replace those of yours that differ; without it only new servers are imported.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Import without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Print what could be imported as a JSON array, and import nothing.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Untrust {
    /// The server whose approval is taken back.
    #[arg(required_unless_present = "settings")]
    pub(crate) name: Option<String>,
    /// Take back what was approved of the project's settings.
    #[arg(long)]
    pub(crate) settings: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print a JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The servers to approve; with none, shows what waits for approval.
    pub(crate) names: Vec<String>,
    /// Approve what the project's settings loosen, exactly as it is shown: allow rules, changes to servers, other keys.
    #[arg(long)]
    pub(crate) settings: bool,
    /// Let an approved server have this, which it asks for beyond its project; repeat for more.
    #[arg(long, value_name = "keyring:NAME | file:PATH | environment")]
    pub(crate) confirm: Vec<String>,
    /// Approve without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Only this server's tools.
    pub(crate) server: Option<String>,
    /// Print the tool array of a provider, schemas converted for it.
    #[arg(long = "for", value_name = "PROVIDER")]
    pub(crate) profile: Option<String>,
    /// Print the tokens that each definition takes of a model's context, largest first, and those of each server.
    #[arg(long)]
    pub(crate) cost: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What the tool should do, or its name.
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many hits to print.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub(crate) limit: usize,
    /// Print a JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "mcpctl call [OPTIONS] TOOL [ARGUMENT]...\n       mcpctl call [OPTIONS] SERVER TOOL [ARGUMENT]...\n       mcpctl call [OPTIONS] SERVER.TOOL [ARGUMENT]...",
    after_help = "Arguments:\n  key=value   typed by the tool's schema\n  key:=JSON   any JSON value\n  key=@FILE   the text of a file\n  -           a JSON object from stdin"
)]
pub(crate) struct Call {
    /// The tool, and its arguments.
    #[arg(required = true, value_name = "TOOL | ARGUMENT")]
    pub(crate) words: Vec<String>,
    /// The arguments as one JSON object.
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
    /// Print the server's whole answer as JSON.
    #[arg(long, conflicts_with = "raw")]
    pub(crate) json: bool,
    /// Print the content exactly as the server sent it, control characters and all.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Give up when connecting and the call take more than this many seconds together.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Say yes where a rule asks first; denials hold.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Only this server.
    pub(crate) server: Option<String>,
    /// Print a JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|error| format!("expected a number of seconds: {error}"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected more than zero seconds".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Login {
    /// The server.
    pub(crate) name: String,
    /// Only print the address of the page; without a terminal, `--finish` then ends the login.
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Show a code to enter on another device.
    #[arg(long, conflicts_with = "no_browser")]
    pub(crate) device: bool,
    /// A scope to ask for besides those that the server wants; again for more.
    #[arg(long, value_name = "SCOPE", num_args = 1.., value_delimiter = ' ')]
    pub(crate) scope: Vec<String>,
    /// Register anew with the authorization server.
    #[arg(long)]
    pub(crate) new_client: bool,
    /// Finish an earlier login with the address at which the browser ended.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["no_browser", "device", "new_client", "scope"])]
    pub(crate) finish: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Logout {
    /// The server.
    pub(crate) name: String,
    /// Also ask the authorization server to end the tokens.
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Who is logged in where, with which scopes, until when, and where that is kept.
    Status(AuthStatus),
}

#[derive(Debug, Args)]
pub(crate) struct AuthStatus {
    /// Print a JSON array.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleScope {
    /// Yours: `mcp-toolkit/settings.json` in your configuration folder.
    User,
    /// This project's: `./.agents/settings.json`.
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct RuleArguments {
    /// A server, a tool or a pattern, with conditions on arguments: `fs`, `fs.write_file`, `mcp__fs__write_*(path=src/**)`.
    pub(crate) rule: String,
    /// Write the rule even if it is about no configured server and no known tool.
    #[arg(long)]
    pub(crate) anyway: bool,
    /// Which settings to write.
    #[arg(long, value_enum, default_value_t = RuleScope::User)]
    pub(crate) scope: RuleScope,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsCommand {
    /// Lists every rule, where it stands, and what is wrong with it.
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Says which rule decides a call, and what would change that; calls nothing.
    #[command(override_usage = "mcpctl permissions explain TOOL [ARGUMENT]...")]
    Explain {
        /// The tool, and arguments as for `call`.
        #[arg(required = true, value_name = "TOOL | ARGUMENT")]
        words: Vec<String>,
    },
    /// Takes a rule away.
    Forget {
        /// The rule as it is written.
        rule: String,
        /// Which settings to write.
        #[arg(long, value_enum, default_value_t = RuleScope::User)]
        scope: RuleScope,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// The server.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) name: Option<String>,
    /// Only these of its tools, by the server's names for them; everything it says when left out.
    #[arg(value_name = "TOOL")]
    pub(crate) tools: Vec<String>,
    /// Every server that can be connected to.
    #[arg(long)]
    pub(crate) all: bool,
    /// Approve without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// Predicts what the provider would refuse; exit 2 if anything.
    Lint(SchemaInput),
    /// Prints the schema in the provider's dialect.
    Convert {
        #[command(flatten)]
        input: SchemaInput,
        /// Exit 2 if the provider's dialect cannot say everything.
        #[arg(long)]
        lossless: bool,
    },
    /// Says what the provider's dialect cannot say, and by which sources.
    Explain(SchemaInput),
    /// Translates a model's arguments back into the words of the schema.
    Decode {
        #[command(flatten)]
        input: SchemaInput,
        /// The arguments, as JSON.
        #[arg(long, value_name = "JSON")]
        arguments: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SchemaInput {
    /// A file with a schema, a tool, or a list of tools; stdin when left out or `-`.
    pub(crate) file: Option<PathBuf>,
    /// The provider.
    #[arg(long = "for", value_name = "PROVIDER")]
    pub(crate) profile: String,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn preset(name: &str) -> Result<Preset, String> {
    match name {
        "toolkit" => Ok(Preset::Toolkit),
        "hoocode" => Ok(Preset::Hoocode),
        "freecode" => Ok(Preset::Freecode),
        host => match host.parse() {
            Ok(host) => Ok(Preset::Only(host)),
            Err(unknown) => Err(format!("expected toolkit, hoocode, freecode or a host: {unknown}")),
        },
    }
}
