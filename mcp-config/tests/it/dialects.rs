//! Each host's fixture, read as that host's own world: what its servers become, and what is reported.

use std::fmt::Write as _;

use expect_test::{ExpectFile, expect_file};
use mcp_config::{Activated, Answers, Discovery, Host, Launch, Merged, Preset, Secret, merge};

use crate::support::World;

/// Answers every prompt and every keyring entry with its own name.
struct Echo;

impl Answers for Echo {
    fn input(&self, id: &str) -> Option<Secret> {
        Some(Secret::new(format!("<{id}>")))
    }

    fn keyring(&self, name: &str) -> Option<Secret> {
        Some(Secret::new(format!("<{name}>")))
    }
}

fn world() -> World {
    World::new().vars([
        ("TOKEN", "t0k3n"),
        ("KEY", "k3y"),
        ("A", "a"),
        ("HOME", "/home/ada"),
        ("DIR", "/dir"),
        ("SECRET", "s3cret"),
        ("LOCAL_TOKEN", "l0cal"),
        ("FIGMA_TOKEN", "f1gma"),
        ("GITHUB_TOKEN", "g1thub"),
    ])
}

/// Reads one file in one host's world and compares everything that comes out.
fn check(world: &World, host: Host, expected: ExpectFile) {
    check_preset(world, Preset::Only(host), expected);
}

fn check_preset(world: &World, preset: Preset, expected: ExpectFile) {
    let found = world.found(preset);
    let mut text = describe(world, &merge(&found.layers, &world.trust, &world.environment));
    for problem in world.texts(&found.problems) {
        writeln!(text, "{problem}").unwrap();
    }
    if let Some(interval) = found.poll_interval {
        writeln!(text, "looks again every {interval:?}").unwrap();
    }
    expected.assert_eq(&text);
}

fn describe(world: &World, merged: &Merged) -> String {
    let mut text = String::new();
    for server in &merged.servers {
        let (name, trust) = (server.name(), server.trust());
        writeln!(text, "{name}: {trust}, {}, {}", server.origin().source, world.text(server.origin())).unwrap();
        writeln!(text, "    {}", serde_json::to_string(&server.preview()).unwrap()).unwrap();
        if let Ok(trusted) = server.trusted() {
            match trusted.activate_with(&world.environment, &Echo) {
                Ok(activated) => writeln!(text, "    {}", world.text(&exposed(&activated))).unwrap(),
                Err(problem) => writeln!(text, "    {}", world.text(&problem)).unwrap(),
            }
        }
        text.push('\n');
    }
    text
}

/// Everything a server is started with, secrets included.
fn exposed(activated: &Activated) -> String {
    let values = |values: &indexmap::IndexMap<String, Secret>| {
        let values: Vec<String> = values.iter().map(|(name, value)| format!(" {name}={:?}", value.expose())).collect();
        values.concat()
    };
    let mut text = match &activated.launch {
        Launch::Stdio { command, args, env, cwd } => format!("{command} {args:?} in {}{}", cwd.display(), values(env)),
        Launch::Http { url, headers } => format!("http {url}{}", values(headers)),
        Launch::Sse { url, headers } => format!("sse {url}{}", values(headers)),
        Launch::HttpAuto { url, headers } => format!("http or sse {url}{}", values(headers)),
    };
    if activated.oauth != mcp_config::OauthHints::default() {
        write!(text, " {}", serde_json::to_string(&activated.oauth).unwrap()).unwrap();
    }
    if let Some(secret) = &activated.login_secrets.client_secret {
        write!(text, " client secret {:?}", secret.expose()).unwrap();
    }
    text
}

#[test]
fn toolkit() {
    let world = world().home(".agents/mcp.json", include_str!("../fixtures/toolkit.mcp.json"));
    check(&world, Host::Toolkit, expect_file!["../expected/toolkit.txt"]);
}

#[test]
fn a_bare_map_is_read_and_a_foreign_container_is_named() {
    let world = World::new()
        .home(".agents/mcp.json", r#"{"a": {"command": "a"}, "b": {"type": "local", "command": "b"}}"#)
        .project(".mcp.json", r#"{"servers": {"c": {"command": "c"}}}"#);
    check(&world, Host::Toolkit, expect_file!["../expected/toolkit-bare.txt"]);
}

#[test]
fn claude_code() {
    let world = world();
    let project = world.project.display().to_string();
    let fixture = include_str!("../fixtures/claude-code.json").replace("@PROJECT@", &project.replace('\\', "\\\\"));
    let world =
        world.home(".claude.json", fixture).project(".mcp.json", r#"{"mcpServers": {"shared": {"command": "s"}}}"#);
    check(&world, Host::ClaudeCode, expect_file!["../expected/claude-code.txt"]);
}

#[test]
fn claude_desktop() {
    let fixture = include_str!("../fixtures/claude-desktop.json");
    let world = world().home(".config/Claude/claude_desktop_config.json", fixture);
    check(&world, Host::ClaudeDesktop, expect_file!["../expected/claude-desktop.txt"]);
}

#[test]
fn vscode() {
    let settings = r#"{"mcp": {"servers": {"of-old": {"command": "old"}}}}"#;
    let world = world()
        .home(".config/Code/User/settings.json", settings)
        .home(".config/Code/User/profiles/abc/mcp.json", r#"{"servers": {"profile": {"command": "p"}}}"#)
        .home(".config/Code/User/mcp.json", include_str!("../fixtures/vscode.json"))
        .home("nothing", "")
        .project(".env", "FROM_FILE='f1le'\n");
    check(&world, Host::VsCode, expect_file!["../expected/vscode.txt"]);
}

#[test]
fn cursor() {
    let world = world()
        .home(".cursor/mcp.json", include_str!("../fixtures/cursor.json"))
        .home(".env", "# comment\nexport FROM_FILE=\"a \\\"b\\\"\"\n")
        .project(".cursor/mcp.json", r#"{"mcpServers": {"project": {"command": "p"}}}"#);
    check(&world, Host::Cursor, expect_file!["../expected/cursor.txt"]);
}

#[test]
fn windsurf() {
    let world = world().home(".codeium/windsurf/mcp_config.json", include_str!("../fixtures/windsurf.json"));
    check(&world, Host::Windsurf, expect_file!["../expected/windsurf.txt"]);
}

#[test]
fn codex() {
    let world = world().home(".codex/config.toml", include_str!("../fixtures/codex.toml"));
    check(&world, Host::Codex, expect_file!["../expected/codex.txt"]);
}

#[test]
fn gemini() {
    let world = world().home(".gemini/settings.json", include_str!("../fixtures/gemini.json"));
    check(&world, Host::Gemini, expect_file!["../expected/gemini.txt"]);
}

#[test]
fn opencode_in_both_versions() {
    let world = world()
        .home(".token", "f1le\n")
        .home(".config/opencode/opencode.json", include_str!("../fixtures/opencode-v1.json"))
        .project("opencode.jsonc", include_str!("../fixtures/opencode-v2.json"));
    check(&world, Host::OpenCode, expect_file!["../expected/opencode.txt"]);
}

#[test]
fn copilot() {
    let world = world()
        .home(".copilot/mcp-config.json", include_str!("../fixtures/copilot.json"))
        .project(".github/mcp.json", r#"{"mcpServers": {"project": {"type": "local", "command": "p"}}}"#);
    check(&world, Host::Copilot, expect_file!["../expected/copilot.txt"]);
}

#[test]
fn zed() {
    let world = world().home(".config/zed/settings.json", include_str!("../fixtures/zed.json"));
    check(&world, Host::Zed, expect_file!["../expected/zed.txt"]);
}

#[test]
fn cline() {
    let path = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    let world = world().home(path, include_str!("../fixtures/cline.json"));
    check(&world, Host::Cline, expect_file!["../expected/cline.txt"]);
}

#[test]
fn roo() {
    let path = ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json";
    let world = world()
        .home(path, include_str!("../fixtures/roo.json"))
        .project(".roo/mcp.json", r#"{"mcpServers": {"program": {"command": "project"}}}"#);
    check(&world, Host::Roo, expect_file!["../expected/roo.txt"]);
}

#[cfg(feature = "yaml")]
#[test]
fn goose() {
    let world = world().home(".config/goose/config.yaml", include_str!("../fixtures/goose.yaml"));
    check(&world, Host::Goose, expect_file!["../expected/goose.txt"]);
}

#[cfg(feature = "yaml")]
#[test]
fn continue_in_yaml() {
    let world = world().home(".continue/config.yaml", include_str!("../fixtures/continue.yaml"));
    check(&world, Host::Continue, expect_file!["../expected/continue-yaml.txt"]);
}

#[test]
fn continue_in_json() {
    let world = world().home(".continue/mcpServers/copied.json", include_str!("../fixtures/continue.json"));
    check(&world, Host::Continue, expect_file!["../expected/continue-json.txt"]);
}

#[test]
fn inspector() {
    let world = world().home(".mcp-inspector/mcp.json", include_str!("../fixtures/inspector.json"));
    check(&world, Host::Inspector, expect_file!["../expected/inspector.txt"]);
}

#[test]
fn freecode() {
    let world = world().home(".freecode/config.json", include_str!("../fixtures/freecode.json"));
    check_preset(&world, Preset::Freecode, expect_file!["../expected/freecode.txt"]);
}

#[test]
fn hoocode() {
    let world = world()
        .home(".hoocode/mcp-servers/any.json", include_str!("../fixtures/hoocode.json"))
        .home(".hoocode/mcp-servers/nameless.json", r#"{"command": "x"}"#);
    check_preset(&world, Preset::Hoocode, expect_file!["../expected/hoocode.txt"]);
}

#[test]
fn a_plugin_is_read_where_it_is_installed() {
    let world = world();
    let plugin = world.home.join("plugins/my-plugin");
    let installed = format!(
        r#"{{"version": 2, "plugins": {{"my-plugin@m": [{{"scope": "user", "installPath": "{}"}}], "off@m": []}}}}"#,
        plugin.display().to_string().replace('\\', "\\\\")
    );
    let world = world
        .home("plugins/my-plugin/.claude-plugin/plugin.json", include_str!("../fixtures/plugin.json"))
        .home(".claude/plugins/installed_plugins.json", installed)
        .home(".claude/settings.json", r#"{"enabledPlugins": {"my-plugin@m": true}}"#);
    check(&world, Host::ClaudeCode, expect_file!["../expected/plugin.txt"]);
    let found = Discovery::new(&world.environment).with_preset(Preset::Hoocode).with_plugin(&plugin).load();
    assert_eq!(merge(&found.layers, &world.trust, &world.environment).servers.len(), 2);
}
