//! What of a server's tools a person would look for in vain, and why: told while connected, and kept for `doctor`, which
//! connects to nothing.

use std::collections::HashSet;

use mcp_config::{OwnFile, Problem, ProblemKind, Resolved, Severity, ToolFilter};
use mcp_transport::{Listing, Tool};

use crate::client::Client;
use crate::configuration::Configuration;
use crate::status::RejectedTool;

/// The folder of the state directory that it is kept in.
const FOLDER: &str = "left-out";

/// So much is told of one server. The rest is counted.
const MOST: usize = 20;

/// The largest file that is written here and read again.
const LARGEST: u64 = 256 * 1024;

/// Longer words of a server's are cut.
const LONGEST: usize = 400;

/// What is missing of a listing, or was passed over in it: pages that did not come, names that came twice, patterns of the
/// configuration that are about no tool.
pub(crate) fn of(listing: &Listing<Tool>, filter: &ToolFilter) -> Vec<String> {
    let mut told: Vec<String> =
        listing.incomplete.iter().map(|reason| format!("its tools are not all listed: {reason}")).collect();
    let mut seen = HashSet::new();
    let twice = listing.items.iter().filter(|tool| !seen.insert(tool.name.as_str()));
    told.extend(twice.map(|tool| format!("`{}` is listed twice; the first is used", tool.name)));
    let is_unmatched = |pattern: &&String| {
        let only = ToolFilter::default().with_allow([pattern.as_str()]);
        !listing.items.iter().any(|tool| only.permits(&tool.name))
    };
    let unmatched = filter.allow.iter().flatten().filter(is_unmatched);
    told.extend(unmatched.map(|pattern| format!("`{pattern}` in its `includeTools` is none of its tools")));
    let more = told.len().saturating_sub(MOST);
    told.truncate(MOST);
    told.extend((more > 0).then(|| format!("{more} more of the kind")));
    told.into_iter().map(|text| text.chars().take(LONGEST).collect()).collect()
}

/// What is said of prompts that are not all there.
pub(crate) fn of_prompts(reason: &str) -> String {
    format!("its prompts are not all listed: {reason}").chars().take(LONGEST).collect()
}

/// What is said of a tool that cannot be read.
pub(crate) fn rejected(tool: &RejectedTool) -> String {
    let RejectedTool { tool, reason } = tool;
    let name = tool.as_ref().map_or_else(|| "a tool without a name".to_owned(), |tool| format!("`{tool}`"));
    format!("{name} cannot be used: {reason}").chars().take(LONGEST).collect()
}

/// Keeps what was left out of a server, in the place of what was before. That it cannot be kept stops nothing.
pub(crate) fn keep(configuration: &Configuration, server: &Resolved, told: &[String]) {
    let Some(file) = file(configuration, server) else { return };
    let kept = if told.is_empty() {
        std::fs::remove_file(file.path()).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error.to_string()),
        })
    } else {
        let bytes = serde_json::to_vec(told).map_err(|error| error.to_string());
        bytes.and_then(|bytes| file.replace(&bytes).map_err(|error| error.to_string()))
    };
    if let Err(error) = kept {
        tracing::debug!(server = server.name(), error, "what is left out of it is not kept");
    }
}

fn file(configuration: &Configuration, server: &Resolved) -> Option<OwnFile> {
    let folder = configuration.kept(FOLDER)?;
    Some(OwnFile::new(folder.join(server.state_key()).with_extension("json")))
}

impl Client {
    /// What was left out of the servers' tools when they were last connected, as far as their definitions are the same. Nothing
    /// is started.
    pub fn left_out(&self) -> Vec<Problem> {
        let configuration = self.configuration();
        let servers = configuration.merged.servers.iter().filter(|server| server.enabled());
        let told = servers.flat_map(|server| {
            let bytes = file(configuration, server).and_then(|file| file.read_bytes(LARGEST).ok()).unwrap_or_default();
            let told: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_default();
            let origin = server.origin();
            told.into_iter().map(move |text| {
                Problem::new(Severity::Warning, ProblemKind::Shape, format!("when it was last connected: {text}"))
                    .with_path(&origin.path)
                    .at(origin.line, origin.column)
                    .with_server(server.name())
            })
        });
        told.collect()
    }
}
