//! The configuration files that are ours to write, and how each is chosen.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mcp_client::config::{Edit, FileFormat, Preset, Resolved};

use crate::arguments::Scope;
use crate::context::Context;
use crate::exit::Failure;

/// Opens the file of a scope, as the preset in force has it.
///
/// | | `user` | `project` | `vscode` | `codex` |
/// |---|---|---|---|---|
/// | hoocode | `~/.hoocode/mcp-servers/NAME.json` | `./.hoocode/mcp-servers/NAME.json` | | |
/// | freecode | `~/.freecode/config.json` | | | |
/// | otherwise | `~/.agents/mcp.json` | `./.mcp.json` | `./.vscode/mcp.json` | `./.codex/config.toml` |
pub(crate) fn open(context: &Context<'_>, scope: Scope, name: &str) -> Result<Edit, Failure> {
    let (path, format) = place(context, scope, name)?;
    Ok(Edit::open(path, format)?)
}

/// Opens the one file that has the server: that of the scope, or whichever it is.
///
/// # Errors
///
/// No file of ours has it, or more than one does and the scope does not say which.
pub(crate) fn open_with(context: &Context<'_>, scope: Option<Scope>, name: &str) -> Result<Edit, Failure> {
    let scopes = scope.map_or_else(|| scopes(context.preset), |scope| vec![scope]);
    let mut having = Vec::new();
    for scope in scopes {
        let edit = open(context, scope, name)?;
        if edit.contains(name) {
            having.push(edit);
        }
    }
    match (having.pop(), having.is_empty()) {
        (None, _) => Err(absent(context, name)),
        (Some(edit), true) => Ok(edit),
        (Some(_), false) => {
            Err(Failure::usage(format!("`{name}` is defined in more than one file"))
                .with_hint("say which with --scope"))
        }
    }
}

/// Opens the user's settings, whose overlays change servers that other files define.
pub(crate) fn open_settings(context: &Context<'_>) -> Result<Edit, Failure> {
    let path = context.environment.settings_file().ok_or_else(|| Failure::usage("there is no home directory"))?;
    Ok(Edit::open(path, FileFormat::Settings)?)
}

/// Approves the entry of a file as it stands: nobody asks what one has just typed.
pub(crate) fn approve(context: &Context<'_>, path: &Path, name: &str) -> Result<(), Failure> {
    let mut configuration = context.silent_configuration();
    let waiting = configuration.waiting().find(|server| is_entry(server, path, name)).cloned();
    if let Some(server) = waiting {
        let reaches = server.reaches();
        configuration.trust.approve_with(&server, reaches.iter().map(String::as_str), SystemTime::now());
        configuration.trust.save()?;
    }
    Ok(())
}

/// Whether the entry of a file may run.
pub(crate) fn is_approved(context: &Context<'_>, path: &Path, name: &str) -> bool {
    let configuration = context.silent_configuration();
    configuration.definitions().any(|server| is_entry(server, path, name) && server.trust().is_trusted())
}

fn is_entry(server: &Resolved, path: &Path, name: &str) -> bool {
    let is_file =
        |a: &Path, b: &Path| a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    server.name() == name && is_file(&server.origin().path, path)
}

fn absent(context: &Context<'_>, name: &str) -> Failure {
    let failure = Failure::usage(format!("no server `{name}` in the files that are ours to write"));
    match context.silent_configuration().merged.server(name) {
        Some(server) => failure.with_hint(format!("it is defined at {}", server.origin())),
        None => failure.with_hint("mcpctl list"),
    }
}

fn scopes(preset: Preset) -> Vec<Scope> {
    match preset {
        Preset::Freecode => vec![Scope::User],
        Preset::Hoocode => vec![Scope::User, Scope::Project],
        _ => vec![Scope::Project, Scope::Vscode, Scope::Codex, Scope::User],
    }
}

fn place(context: &Context<'_>, scope: Scope, name: &str) -> Result<(PathBuf, FileFormat), Failure> {
    let environment = &context.environment;
    let nowhere = || Failure::usage("there is no home directory").with_hint("use --scope project");
    let in_home = |path: PathBuf| environment.home.as_ref().map(|home| home.join(path)).ok_or_else(nowhere);
    let hoocode = PathBuf::from(".hoocode").join("mcp-servers").join(format!("{}.json", file_name(name)?));
    Ok(match (context.preset, scope) {
        (Preset::Freecode, Scope::User) => (in_home(PathBuf::from(".freecode/config.json"))?, FileFormat::FreeCode),
        (Preset::Hoocode, Scope::User) => (in_home(hoocode)?, FileFormat::HoocodeSingle),
        (Preset::Hoocode, Scope::Project) => (environment.cwd.join(hoocode), FileFormat::HoocodeSingle),
        (Preset::Freecode | Preset::Hoocode, _) => {
            return Err(Failure::usage("this preset's system has no such file").with_hint("use --scope user"));
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
