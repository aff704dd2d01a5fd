//! What a start costs: finding, reading and merging twenty files that define five hundred servers.
#![expect(clippy::unwrap_used, reason = "a benchmark whose files cannot be made has nothing to measure")]

use std::fmt::Write as _;
use std::path::Path;

use mcp_config::{Discovery, Environment, Platform, TrustStore, merge};

const FILES: [(&str, &str); 20] = [
    (".agents/mcp.json", "mcpServers"),
    (".claude.json", "mcpServers"),
    (".config/Claude/claude_desktop_config.json", "mcpServers"),
    (".config/claude/mcp.json", "mcpServers"),
    (".config/Code/User/mcp.json", "servers"),
    (".config/VSCodium/User/mcp.json", "servers"),
    (".cursor/mcp.json", "mcpServers"),
    (".codeium/windsurf/mcp_config.json", "mcpServers"),
    (".codeium/mcp_config.json", "mcpServers"),
    (".gemini/settings.json", "mcpServers"),
    (".copilot/mcp-config.json", "mcpServers"),
    (".config/zed/settings.json", "context_servers"),
    (".cline/data/settings/cline_mcp_settings.json", "mcpServers"),
    (".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "mcpServers"),
    (".mcp-inspector/mcp.json", "mcpServers"),
    ("project/.mcp.json", "mcpServers"),
    ("project/.agents/mcp.json", "mcpServers"),
    ("project/.cursor/mcp.json", "mcpServers"),
    ("project/.vscode/mcp.json", "servers"),
    ("project/.roo/mcp.json", "mcpServers"),
];

const SERVERS_PER_FILE: usize = 25;

fn main() {
    divan::main();
}

/// Half programs, half remote servers, with arguments, variables and headers; every fourth name is in every file.
fn file(index: usize, container: &str) -> String {
    let mut text = format!("{{\n  // generated\n  \"{container}\": {{\n");
    for server in 0..SERVERS_PER_FILE {
        let name = if server % 4 == 0 { format!("shared-{server}") } else { format!("server-{index}-{server}") };
        let entry = if server % 2 == 0 {
            r#"{"command": "npx", "args": ["-y", "@scope/server@1.2.3", "--verbose"], "env": {"TOKEN": "${env:TOKEN}", "LEVEL": "debug"}}"#
        } else {
            r#"{"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}"#
        };
        let comma = if server + 1 < SERVERS_PER_FILE { "," } else { "" };
        writeln!(text, "    {name:?}: {entry}{comma}").unwrap();
    }
    text + "  }\n}\n"
}

fn environment(root: &Path) -> Environment {
    for (index, (path, container)) in FILES.iter().enumerate() {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file(index, container)).unwrap();
    }
    std::fs::create_dir_all(root.join("project/.git")).unwrap();
    Environment::new(root.join("project")).with_home(root).with_platform(Platform::Linux)
}

#[divan::bench]
fn discover_and_merge_500_servers_in_20_files(bencher: divan::Bencher<'_, '_>) {
    let directory = tempfile::tempdir().unwrap();
    let environment = environment(directory.path());
    let trust = TrustStore::default();
    let found = Discovery::new(&environment).load();
    assert_eq!((found.layers.len(), found.layers.iter().map(mcp_config::Layer::len).sum::<usize>()), (20, 500));
    bencher.bench(|| merge(&Discovery::new(&environment).load().layers, &trust, &environment));
}

#[divan::bench]
fn fingerprint(bencher: divan::Bencher<'_, '_>) {
    let directory = tempfile::tempdir().unwrap();
    let discovery = Discovery::new(&environment(directory.path()));
    bencher.bench(|| discovery.fingerprint());
}
