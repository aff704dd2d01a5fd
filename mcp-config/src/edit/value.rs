//! A new server in the words of each file.

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::FileFormat;
use crate::error::Error;
use crate::new_server::{NewLaunch, NewServer};
use crate::secret::Secret;
use crate::server::RemoteTransport;

/// The common form: `type`, `command`, `args`, `env` or `type`, `url`, `headers`.
pub(super) fn mcp_servers(server: &NewServer) -> Json {
    let mut entry = common(server, "http");
    if let Some(timeout) = milliseconds(server) {
        entry.insert("timeout".to_owned(), timeout);
    }
    if !server.enabled {
        entry.insert("disabled".to_owned(), json!(true));
    }
    for (key, value) in &server.more {
        entry.insert(key.clone(), value.clone());
    }
    Json::Object(entry)
}

/// VS Code has the common form, and no words for a time-out or for being switched off.
pub(super) fn vscode(server: &NewServer) -> Result<Json, Error> {
    refuse(FileFormat::VsCode, server.timeout.is_some(), "a time-out")?;
    refuse(FileFormat::VsCode, !server.enabled, "a server that is switched off")?;
    refuse(FileFormat::VsCode, !server.more.is_empty(), "everything this server needs")?;
    Ok(Json::Object(common(server, "http")))
}

/// hoocode's file is the common form with the name in it.
pub(super) fn hoocode(name: &str, server: &NewServer) -> Result<Json, Error> {
    let format = FileFormat::HoocodeSingle;
    refuse(format, server.timeout.is_some(), "a time-out")?;
    refuse(format, !server.enabled, "a server that is switched off")?;
    refuse(format, !server.more.is_empty(), "everything this server needs")?;
    refuse(format, has_cwd(server), "a working directory")?;
    let mut entry = Map::from_iter([("name".to_owned(), json!(name))]);
    entry.extend(common(server, "http"));
    Ok(Json::Object(entry))
}

/// `FreeCode`'s array holds the name, one array for the command line, and `enabled` and `timeout` in full, as its own `add`
/// writes them.
pub(super) fn freecode(name: &str, server: &NewServer) -> Result<Json, Error> {
    let format = FileFormat::FreeCode;
    refuse(format, !server.more.is_empty(), "everything this server needs")?;
    refuse(format, has_cwd(server), "a working directory")?;
    let mut entry = Map::from_iter([("name".to_owned(), json!(name))]);
    match &server.launch {
        NewLaunch::Stdio { command, args, env, .. } => {
            let mut words = vec![json!(command)];
            words.extend(args.iter().map(|argument| json!(argument.expose())));
            entry.insert("type".to_owned(), json!("local"));
            entry.insert("command".to_owned(), Json::Array(words));
            insert_map(&mut entry, "env", env);
        }
        NewLaunch::Remote { url, transport, headers } => {
            refuse(format, *transport == RemoteTransport::Sse, "the SSE transport")?;
            entry.insert("type".to_owned(), json!("remote"));
            entry.insert("url".to_owned(), json!(url.expose()));
            insert_map(&mut entry, "headers", headers);
        }
    }
    entry.insert("enabled".to_owned(), json!(server.enabled));
    entry.insert("timeout".to_owned(), milliseconds(server).unwrap_or_else(|| json!(5000)));
    Ok(Json::Object(entry))
}

/// Codex's table: no `type`, `http_headers`, times in seconds.
pub(super) fn codex(server: &NewServer) -> Result<Map<String, Json>, Error> {
    let format = FileFormat::Codex;
    refuse(format, !server.more.is_empty(), "everything this server needs")?;
    let mut entry = Map::new();
    match &server.launch {
        NewLaunch::Stdio { command, args, env, cwd } => {
            entry.insert("command".to_owned(), json!(command));
            entry.insert("args".to_owned(), strings(args));
            insert_map(&mut entry, "env", env);
            entry.extend(cwd.as_ref().map(|cwd| ("cwd".to_owned(), json!(cwd))));
        }
        NewLaunch::Remote { url, transport, headers } => {
            refuse(format, *transport == RemoteTransport::Sse, "the SSE transport")?;
            entry.insert("url".to_owned(), json!(url.expose()));
            insert_map(&mut entry, "http_headers", headers);
        }
    }
    if let Some(timeout) = server.timeout {
        entry.insert("tool_timeout_sec".to_owned(), json!(timeout.as_secs_f64()));
    }
    if !server.enabled {
        entry.insert("enabled".to_owned(), json!(false));
    }
    Ok(entry)
}

fn common(server: &NewServer, http: &str) -> Map<String, Json> {
    let mut entry = Map::new();
    match &server.launch {
        NewLaunch::Stdio { command, args, env, cwd } => {
            entry.insert("type".to_owned(), json!("stdio"));
            entry.insert("command".to_owned(), json!(command));
            entry.insert("args".to_owned(), strings(args));
            insert_map(&mut entry, "env", env);
            entry.extend(cwd.as_ref().map(|cwd| ("cwd".to_owned(), json!(cwd))));
        }
        NewLaunch::Remote { url, transport, headers } => {
            match transport {
                RemoteTransport::Http => entry.insert("type".to_owned(), json!(http)),
                RemoteTransport::Sse => entry.insert("type".to_owned(), json!("sse")),
                // No `type` is what says "try both".
                RemoteTransport::HttpAuto => None,
            };
            entry.insert("url".to_owned(), json!(url.expose()));
            insert_map(&mut entry, "headers", headers);
        }
    }
    entry
}

fn has_cwd(server: &NewServer) -> bool {
    matches!(&server.launch, NewLaunch::Stdio { cwd: Some(_), .. })
}

fn milliseconds(server: &NewServer) -> Option<Json> {
    server.timeout.map(|timeout| json!(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)))
}

fn refuse(format: FileFormat, wanted: bool, what: &'static str) -> Result<(), Error> {
    if wanted { Err(Error::Inexpressible { format: format.name(), what }) } else { Ok(()) }
}

fn strings(values: &[Secret]) -> Json {
    Json::Array(values.iter().map(|value| json!(value.expose())).collect())
}

fn insert_map(entry: &mut Map<String, Json>, key: &str, values: &IndexMap<String, Secret>) {
    if !values.is_empty() {
        let map = values.iter().map(|(name, value)| (name.clone(), json!(value.expose()))).collect();
        entry.insert(key.to_owned(), Json::Object(map));
    }
}
