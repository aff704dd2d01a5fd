//! The configuration files that are ours to write, and how each is chosen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::ValueEnum as _;
use mcp_client::Configuration;
use mcp_client::config::{Edit, Facts, FileFormat, Host, Preset, Resolved, Topic, Trust, Why, Workspace};

use crate::arguments::Scope;
use crate::context::Context;
use crate::exit::Failure;
use crate::hint::{Hint, mcpctl};

/// Opens the file of a scope, as the preset in force has it.
///
/// | | `user` | `project` | `vscode` | `codex` |
/// |---|---|---|---|---|
/// | hoocode | `~/.hoocode/mcp-servers/NAME.json` | `./.hoocode/mcp-servers/NAME.json` | | |
/// | freecode | `~/.freecode/config.json` | | | |
/// | otherwise | `~/.agents/mcp.json` | `./.mcp.json` | `./.vscode/mcp.json` | `./.codex/config.toml` |
///
/// # Errors
///
/// The preset does not read that file, so that what is written there would have no effect; or the file cannot be edited.
pub(crate) fn open(context: &Context<'_>, scope: Scope, name: &str) -> Result<Edit, Failure> {
    let (path, format) = place(context, scope, name)?;
    if !context.discovery().reads(&path) {
        return Err(unread(context, &path, name));
    }
    Ok(match scope {
        Scope::User => Edit::open(path, format)?,
        Scope::Project | Scope::Vscode | Scope::Codex => {
            Edit::open_in(Workspace::of(&context.environment), path, format)?
        }
    })
}

/// Opens the one file that has the server: that of the scope, or whichever it is.
///
/// # Errors
///
/// No file of ours has it, or more than one does and the scope does not say which.
pub(crate) fn open_with(context: &Context<'_>, scope: Option<Scope>, name: &str) -> Result<Edit, Failure> {
    let scopes = scope.map_or_else(|| scopes(context, name), |scope| vec![scope]);
    let mut having = Vec::new();
    let mut failed = None;
    for scope in scopes {
        match open(context, scope, name) {
            Ok(edit) if edit.contains(name) => having.push(edit),
            Ok(_) => {}
            // It is no reason to leave the file alone that does have the server.
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    match (having.pop(), having.is_empty()) {
        (None, _) => Err(failed.unwrap_or_else(|| absent(context, name))),
        (Some(edit), true) => Ok(edit),
        (Some(_), false) => Err(Failure::usage(format!("`{name}` is defined in more than one file"))
            .with_hint(Hint::advice("say which with --scope"))),
    }
}

/// Opens the user's settings, whose overlays change servers that other files define.
///
/// # Errors
///
/// The preset does not read them.
pub(crate) fn open_settings(context: &Context<'_>, name: &str) -> Result<Edit, Failure> {
    let path = context.environment.settings_file().ok_or_else(|| Failure::usage("there is no home directory"))?;
    if !context.discovery().reads(&path) {
        return Err(absent(context, name).with_hint(Hint::advice(format!(
            "the toolkit's settings, which could change it, are not read under {}",
            context.whose()
        ))));
    }
    Ok(Edit::open(path, FileFormat::Settings)?)
}

/// Approves the entry of a file that a person has just typed, with all that they typed: nobody asks them again. What cannot be
/// approved yet is said.
pub(crate) fn approve_typed(context: &Context<'_>, path: &Path, name: &str) -> Result<(), Failure> {
    let mut configuration = context.silent_configuration();
    let Some(server) = waiting(&configuration, path, name) else { return Ok(()) };
    let plan = server.plan(&context.environment);
    match configuration.trust.approve_with(&plan, plan.wants(), SystemTime::now()) {
        Ok(()) => Ok(configuration.trust.save()?),
        Err(error) => {
            context.terminal.talk(format!("it is not approved yet: {error}"));
            context.terminal.hint(mcpctl(["trust"]).operand(name));
            Ok(())
        }
    }
}

/// An entry that was approved before it was edited here.
pub(crate) struct Approved {
    facts: Facts,
    confirmed: BTreeSet<String>,
}

impl Approved {
    /// The approved entry of a file; `None` when it is not, or needs no approval.
    pub(crate) fn find(context: &Context<'_>, path: &Path, name: &str) -> Option<Self> {
        let configuration = context.silent_configuration();
        let mut definitions = configuration.definitions();
        let server = definitions
            .find(|server| is_entry(server, path, name) && *server.trust() == Trust::Trusted { why: Why::Approved })?;
        let facts = server.plan(&context.environment).facts();
        Some(Self { facts, confirmed: configuration.trust.confirmed(server) })
    }

    /// Approves the entry again after it was switched on or off: who flips the switch has approved the rest before. What was
    /// confirmed by name stays so, and nothing is added; and whatever else has changed meanwhile asks.
    pub(crate) fn renew(&self, context: &Context<'_>, path: &Path, name: &str) -> Result<(), Failure> {
        let mut configuration = context.silent_configuration();
        let Some(server) = waiting(&configuration, path, name) else { return Ok(()) };
        let plan = server.plan(&context.environment);
        if !plan.facts().differ_only_in(Topic::Off, &self.facts) {
            return Ok(());
        }
        let confirmed = self.confirmed.iter().map(String::as_str);
        // A plan that was approved a moment ago has no obstacle; if it has one now, it waits for the person.
        match configuration.trust.approve_with(&plan, confirmed, SystemTime::now()) {
            Ok(()) => Ok(configuration.trust.save()?),
            Err(_) => Ok(()),
        }
    }
}

fn waiting(configuration: &Configuration, path: &Path, name: &str) -> Option<Resolved> {
    configuration.waiting().find(|server| is_entry(server, path, name)).cloned()
}

/// Whether a definition is that of a name in a file.
pub(crate) fn is_entry(server: &Resolved, path: &Path, name: &str) -> bool {
    let is_file =
        |a: &Path, b: &Path| a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    server.name() == name && is_file(&server.origin().path, path)
}

fn absent(context: &Context<'_>, name: &str) -> Failure {
    let failure = Failure::usage(format!("no server `{name}` in the files that are ours to write"));
    match context.silent_configuration().merged.server(name) {
        Some(server) => failure.with_hint(Hint::advice(format!("it is defined at {}", server.origin()))),
        None => failure.with_hint(mcpctl(["list"])),
    }
}

/// The scopes whose files are read.
fn scopes(context: &Context<'_>, name: &str) -> Vec<Scope> {
    let discovery = context.discovery();
    let is_read = |scope: &Scope| place(context, *scope, name).is_ok_and(|(path, _)| discovery.reads(&path));
    [Scope::Project, Scope::Vscode, Scope::Codex, Scope::User].into_iter().filter(is_read).collect()
}

fn unread(context: &Context<'_>, path: &Path, name: &str) -> Failure {
    let whose = context.whose();
    let failure = Failure::usage(format!("`{}` is not read under {whose}", path.display()));
    let failure = match context.preset {
        Preset::Only(host) if host != Host::Toolkit => {
            failure.with_hint(Hint::advice(format!("the user's own files of {host} are for {host} to write")))
        }
        _ => failure,
    };
    let scopes = scopes(context, name).into_iter().filter_map(|scope| scope.to_possible_value());
    let scopes: Vec<String> = scopes.map(|scope| format!("--scope {}", scope.get_name())).collect();
    if scopes.is_empty() {
        failure.with_hint(Hint::advice(format!("leave {whose} out")))
    } else {
        failure.with_hint(Hint::advice(format!("use {}", scopes.join(" or "))))
    }
}

fn place(context: &Context<'_>, scope: Scope, name: &str) -> Result<(PathBuf, FileFormat), Failure> {
    let environment = &context.environment;
    let nowhere = || Failure::usage("there is no home directory").with_hint(Hint::advice("use --scope project"));
    let in_home = |path: PathBuf| environment.home.as_ref().map(|home| home.join(path)).ok_or_else(nowhere);
    let hoocode = PathBuf::from(".hoocode").join("mcp-servers").join(format!("{}.json", file_name(name)?));
    let preset = match context.preset {
        Preset::Only(Host::Hoocode) => Preset::Hoocode,
        Preset::Only(Host::FreeCode) => Preset::Freecode,
        preset => preset,
    };
    Ok(match (preset, scope) {
        (Preset::Freecode, Scope::User) => (in_home(PathBuf::from(".freecode/config.json"))?, FileFormat::FreeCode),
        (Preset::Hoocode, Scope::User) => (in_home(hoocode)?, FileFormat::HoocodeSingle),
        (Preset::Hoocode, Scope::Project) => (environment.cwd.join(hoocode), FileFormat::HoocodeSingle),
        (Preset::Freecode | Preset::Hoocode, _) => {
            return Err(
                Failure::usage("this preset's system has no such file").with_hint(Hint::advice("use --scope user"))
            );
        }
        (_, Scope::User) => (environment.user_file().ok_or_else(nowhere)?, FileFormat::McpServers),
        (_, Scope::Project) => (environment.project_file(), FileFormat::McpServers),
        (_, Scope::Vscode) => (environment.cwd.join(".vscode").join("mcp.json"), FileFormat::VsCode),
        (_, Scope::Codex) => (environment.cwd.join(".codex").join("config.toml"), FileFormat::Codex),
    })
}

/// A server's name that becomes a file's must not name another folder's file.
fn file_name(name: &str) -> Result<&str, Failure> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', ':', '\0']) {
        return Err(Failure::usage(format!("`{name}` cannot be a server's name: it must be a plain file name")));
    }
    Ok(name)
}
