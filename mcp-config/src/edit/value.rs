//! A new server in the words of each file.

use serde_json::{Map, Value as Json, json};

use crate::new_server::{NewLaunch, NewServer};
use crate::secret::Secret;
use crate::server::RemoteTransport;

/// The common form: `type`, `command`, `args`, `env` or `type`, `url`, `headers`.
pub(super) fn mcp_servers(server: &NewServer) -> Json {
    let mut entry = Map::new();
    match &server.launch {
        NewLaunch::Stdio { command, args, env, cwd } => {
            entry.insert("type".into(), json!("stdio"));
            entry.insert("command".into(), json!(command));
            entry.insert("args".into(), strings(args));
            insert_map(&mut entry, "env", env);
            if let Some(cwd) = cwd {
                entry.insert("cwd".into(), json!(cwd));
            }
        }
        NewLaunch::Remote { url, transport, headers } => {
            match transport {
                RemoteTransport::Http => entry.insert("type".into(), json!("http")),
                RemoteTransport::Sse => entry.insert("type".into(), json!("sse")),
                // No `type` is what says "try both".
                RemoteTransport::HttpAuto => None,
            };
            entry.insert("url".into(), json!(url.expose()));
            insert_map(&mut entry, "headers", headers);
        }
    }
    if let Some(timeout) = server.timeout {
        entry.insert("timeout".into(), json!(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)));
    }
    if !server.enabled {
        entry.insert("disabled".into(), json!(true));
    }
    Json::Object(entry)
}

pub(super) fn strings(values: &[Secret]) -> Json {
    Json::Array(values.iter().map(|value| json!(value.expose())).collect())
}

pub(super) fn insert_map(entry: &mut Map<String, Json>, key: &str, values: &indexmap::IndexMap<String, Secret>) {
    if !values.is_empty() {
        let map = values.iter().map(|(name, value)| (name.clone(), json!(value.expose()))).collect();
        entry.insert(key.to_owned(), Json::Object(map));
    }
}
