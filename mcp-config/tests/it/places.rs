//! Which files are looked at, on which platform, in which order.

use expect_test::{Expect, expect};
use mcp_config::{
    Discovery, Environment, Host, Layer, LookedState, Platform, Preset, Scope, Source, Trust, TrustStore, Why, merge,
};

use crate::support::{World, at};

/// Lists the places of a preset, highest precedence first.
fn check(platform: Platform, preset: Preset, expected: Expect) {
    let mut world = World::new().vars([("APPDATA", "/appdata"), ("LOCALAPPDATA", "/localappdata")]);
    world.environment = world.environment.with_platform(platform).with_system_root("/system");
    let places = world.found(preset).places;
    let lines: Vec<String> = places
        .iter()
        .rev()
        .map(|looked| format!("{:<22} {}", looked.source, world.text(&looked.path.display())))
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn hoocodes_five_sources_in_its_order() {
    check(
        Platform::Linux,
        Preset::Hoocode,
        expect![[r#"
        hoocode user           ~/.agents/mcp.json
        hoocode project        ./.agents/mcp.json
        hoocode user           ~/.config/claude/mcp.json
        hoocode user           ~/.hoocode/mcp-servers
        hoocode project        ./.hoocode/mcp-servers"#]],
    );
}

#[test]
fn hoocode_lets_the_first_win() {
    let mut world = World::new()
        .home(".agents/mcp.json", r#"{"mcpServers": {"a": {"command": "1"}}}"#)
        .project(".agents/mcp.json", r#"{"mcpServers": {"a": {"command": "2"}, "b": {"command": "2"}}}"#)
        .home(".config/claude/mcp.json", r#"{"mcpServers": {"b": {"command": "3"}, "c": {"command": "3"}}}"#)
        .home(".hoocode/mcp-servers/x.json", r#"{"name": "c", "command": "4"}"#)
        .home(".hoocode/mcp-servers/a.json", r#"{"name": "d", "command": "first"}"#)
        .home(".hoocode/mcp-servers/b.json", r#"{"name": "d", "command": "second"}"#)
        .project(".hoocode/mcp-servers/y.json", r#"{"name": "d", "command": "5"}"#)
        .project(".hoocode/mcp-servers/z.json", r#"{"name": "e", "command": "5"}"#)
        .home("plugin/.claude-plugin/plugin.json", r#"{"mcpServers": {"e": {"command": "6"}, "f": {"command": "6"}}}"#);
    let plugin = world.home.join("plugin");
    let found = world.discovery().with_preset(Preset::Hoocode).with_plugin(&plugin).load();
    for server in merge(&found.layers, &world.trust, &world.environment).servers {
        let plan = server.plan(&world.environment);
        world.trust.approve(&plan, at(1)).ok();
    }
    for shadowed in merge(&found.layers, &world.trust, &world.environment).shadowed {
        let plan = shadowed.server.plan(&world.environment);
        world.trust.approve(&plan, at(1)).ok();
    }
    let merged = merge(&found.layers, &world.trust, &world.environment);
    let commands: Vec<String> =
        merged.servers.iter().map(|server| format!("{}={}", server.name(), server.preview())).collect();
    assert_eq!(commands, ["a=1", "b=2", "c=3", "d=first", "e=5", "f=6"]);
    assert!(merged.servers.iter().all(|server| server.trusted().is_ok()));
}

/// A plugin is the user's where it belongs to the host that is spoken for, and another program's everywhere else.
#[test]
fn another_hosts_plugin_waits_as_everything_imported_does() {
    let world = World::new();
    let text = br#"{"mcpServers": {"x": {"command": "x"}}}"#;
    for (host, allowed, expected) in [
        (Host::Toolkit, None, Trust::Trusted { why: Why::Plugin }),
        (Host::ClaudeCode, None, Trust::Imported),
        (Host::ClaudeCode, Some(Host::Cursor), Trust::Imported),
        (Host::ClaudeCode, Some(Host::ClaudeCode), Trust::Trusted { why: Why::AllowedImport }),
    ] {
        let (layer, problems) = Layer::parse(Source::new(host, Scope::Plugin), world.home.join("mcp.json"), text);
        assert_eq!((problems, layer.len(), layer.is_empty()), (Vec::new(), 1, false));
        let trust = TrustStore::default().with_allowed_imports(allowed);
        let merged = merge(&[layer], &trust, &world.environment);
        assert_eq!(*merged.server("x").unwrap().trust(), expected, "{host:?}, {allowed:?} allowed");
    }
}

#[test]
fn freecode_reads_one_file() {
    check(Platform::Linux, Preset::Freecode, expect!["freecode user          ~/.freecode/config.json"]);
}

#[cfg(feature = "yaml")]
#[test]
fn the_toolkit_on_linux() {
    check(
        Platform::Linux,
        Preset::Toolkit,
        expect![[r#"
            toolkit project        ./.agents/settings.json
            toolkit project        ./.mcp.json
            toolkit project        ./.agents/mcp.json
            claude-code project    ~/.claude.json
            vscode project         ./.vscode/mcp.json
            vscode project         ./.vscode/settings.json
            cursor project         ./.cursor/mcp.json
            codex project          ./.codex/config.toml
            gemini project         ./.gemini/settings.json
            opencode project       ./.opencode/opencode.jsonc
            opencode project       ./.opencode/opencode.json
            opencode project       ./opencode.jsonc
            opencode project       ./opencode.json
            copilot project        ./.github/mcp.json
            zed project            ./.zed/settings.json
            roo project            ./.roo/mcp.json
            continue project       ./.continue/mcpServers
            hoocode project        ./.hoocode/mcp-servers
            toolkit user           ~/.config/mcp-toolkit/settings.json
            toolkit user           ~/.agents/mcp.json
            claude-code imported   ~/.claude.json
            claude-desktop imported ~/.config/Claude/claude_desktop_config.json
            claude-desktop imported ~/.config/claude/mcp.json
            vscode imported        ~/.config/Code/User/mcp.json
            vscode imported        ~/.config/Code/User/profiles
            vscode imported        ~/.config/Code/User/settings.json
            vscode imported        ~/.config/Code - Insiders/User/mcp.json
            vscode imported        ~/.config/Code - Insiders/User/profiles
            vscode imported        ~/.config/Code - Insiders/User/settings.json
            vscode imported        ~/.config/VSCodium/User/mcp.json
            vscode imported        ~/.config/VSCodium/User/profiles
            vscode imported        ~/.config/VSCodium/User/settings.json
            cursor imported        ~/.cursor/mcp.json
            windsurf imported      ~/.codeium/windsurf/mcp_config.json
            windsurf imported      ~/.codeium/windsurf-next/mcp_config.json
            windsurf imported      ~/.codeium/mcp_config.json
            codex imported         ~/.codex/config.toml
            gemini imported        ~/.gemini/settings.json
            opencode imported      ~/.config/opencode/opencode.jsonc
            opencode imported      ~/.config/opencode/opencode.json
            copilot imported       ~/.copilot/mcp-config.json
            zed imported           ~/.config/zed/settings.json
            cline imported         ~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json
            cline imported         ~/.cline/data/settings/cline_mcp_settings.json
            roo imported           ~/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json
            goose imported         ~/.config/goose/config.yaml
            continue imported      ~/.continue/mcpServers
            continue imported      ~/.continue/config.yaml
            continue imported      ~/.continue/config.yml
            inspector imported     ~/.mcp-inspector/mcp.json
            freecode imported      ~/.freecode/config.json
            hoocode imported       ~/.hoocode/mcp-servers"#]],
    );
}

#[test]
fn the_toolkit_on_macos() {
    check(
        Platform::MacOs,
        Preset::Only(Host::ClaudeDesktop),
        expect![[r#"
        claude-desktop user    ~/Library/Application Support/Claude/claude_desktop_config.json
        claude-desktop user    ~/.config/claude/mcp.json"#]],
    );
    check(
        Platform::MacOs,
        Preset::Only(Host::VsCode),
        expect![[r#"
        vscode project         ./.vscode/mcp.json
        vscode project         ./.vscode/settings.json
        vscode user            ~/Library/Application Support/Code/User/mcp.json
        vscode user            ~/Library/Application Support/Code/User/profiles
        vscode user            ~/Library/Application Support/Code/User/settings.json
        vscode user            ~/Library/Application Support/Code - Insiders/User/mcp.json
        vscode user            ~/Library/Application Support/Code - Insiders/User/profiles
        vscode user            ~/Library/Application Support/Code - Insiders/User/settings.json
        vscode user            ~/Library/Application Support/VSCodium/User/mcp.json
        vscode user            ~/Library/Application Support/VSCodium/User/profiles
        vscode user            ~/Library/Application Support/VSCodium/User/settings.json"#]],
    );
    check(
        Platform::MacOs,
        Preset::Only(Host::ClaudeCode),
        expect![[r#"
        claude-code user       /system/Library/Application Support/ClaudeCode/managed-mcp.json
        claude-code project    ~/.claude.json
        claude-code project    ./.mcp.json
        claude-code user       ~/.claude.json"#]],
    );
    check(
        Platform::MacOs,
        Preset::Only(Host::Zed),
        expect![[r#"
        zed project            ./.zed/settings.json
        zed user               ~/.config/zed/settings.json"#]],
    );
}

#[test]
fn windows() {
    check(
        Platform::Windows,
        Preset::Only(Host::ClaudeDesktop),
        expect![[r#"
        claude-desktop user    /appdata/Claude/claude_desktop_config.json
        claude-desktop user    /localappdata/Packages
        claude-desktop user    ~/.config/claude/mcp.json"#]],
    );
    check(
        Platform::Windows,
        Preset::Only(Host::VsCode),
        expect![[r#"
        vscode project         ./.vscode/mcp.json
        vscode project         ./.vscode/settings.json
        vscode user            /appdata/Code/User/mcp.json
        vscode user            /appdata/Code/User/profiles
        vscode user            /appdata/Code/User/settings.json
        vscode user            /appdata/Code - Insiders/User/mcp.json
        vscode user            /appdata/Code - Insiders/User/profiles
        vscode user            /appdata/Code - Insiders/User/settings.json
        vscode user            /appdata/VSCodium/User/mcp.json
        vscode user            /appdata/VSCodium/User/profiles
        vscode user            /appdata/VSCodium/User/settings.json"#]],
    );
    check(
        Platform::Windows,
        Preset::Only(Host::Codex),
        expect![[r#"
        codex project          ./.codex/config.toml
        codex user             ~/.codex/config.toml
        codex user             /system/ProgramData/OpenAI/Codex/config.toml"#]],
    );
    check(
        Platform::Windows,
        Preset::Only(Host::Gemini),
        expect![[r#"
        gemini user            /system/ProgramData/gemini-cli/settings.json
        gemini project         ./.gemini/settings.json
        gemini user            ~/.gemini/settings.json"#]],
    );
    check(
        Platform::Windows,
        Preset::Only(Host::Zed),
        expect![[r#"
        zed project            ./.zed/settings.json
        zed user               /appdata/Zed/settings.json"#]],
    );
}

#[test]
fn a_nearer_directory_wins_and_the_walk_ends_at_the_repository() {
    let mut world = World::new()
        .project(".mcp.json", r#"{"mcpServers": {"a": {"command": "root"}, "b": {"command": "root"}}}"#)
        .project("sub/.mcp.json", r#"{"mcpServers": {"a": {"command": "near"}}}"#);
    crate::support::write(&world.home.join("../.mcp.json"), r#"{"mcpServers": {"outside": {"command": "x"}}}"#);
    world.environment.cwd = world.project.join("sub/deep");
    std::fs::create_dir_all(&world.environment.cwd).unwrap();
    let merged = world.merged();
    let shown: Vec<String> =
        merged.servers.iter().map(|server| format!("{}={}", server.name(), server.preview())).collect();
    assert_eq!(shown, ["a=near", "b=root"]);
}

#[test]
fn nothing_but_the_working_directory_counts_outside_a_repository() {
    let mut world = World::new();
    let outside = world.home.join("../plain/sub");
    crate::support::write(&outside.join("../.mcp.json"), r#"{"mcpServers": {"above": {"command": "x"}}}"#);
    crate::support::write(&outside.join(".mcp.json"), r#"{"mcpServers": {"here": {"command": "x"}}}"#);
    world.environment.cwd = outside;
    let merged = world.merged();
    assert_eq!(merged.servers.iter().map(mcp_config::Resolved::name).collect::<Vec<_>>(), ["here"]);
}

#[test]
fn variables_move_the_files() {
    let world = World::new()
        .home("c/.claude.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#)
        .home("x/config.toml", "[mcp_servers.b]\ncommand = 'x'\n")
        .home("xdg/mcp-toolkit/settings.json", r#"{"servers": {"a": {"enabled": false}}, "imports": ["claude-code"]}"#);
    let home = world.home.display().to_string();
    let world = world.vars([
        ("CLAUDE_CONFIG_DIR", format!("{home}/c").as_str()),
        ("CODEX_HOME", format!("{home}/x").as_str()),
        ("XDG_CONFIG_HOME", format!("{home}/xdg").as_str()),
        ("COPILOT_HOME", "relative/paths/are/ignored"),
    ]);
    let settings = mcp_config::FoundSettings::load(&world.environment).effective(&world.trust);
    let trust = world.trust.clone().with_allowed_imports(settings.imports);
    let merged = merge(&world.found(Preset::Toolkit).layers, &trust, &world.environment);
    assert_eq!(merged.servers.len(), 2);
    assert!(!merged.server("a").unwrap().enabled() && merged.server("a").unwrap().trusted().is_ok());
    assert_eq!(world.environment.settings_file().unwrap(), world.home.join("xdg/mcp-toolkit/settings.json"));
}

#[test]
fn what_was_looked_at_is_listed() {
    let world =
        World::new().home(".agents/mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#).project(".mcp.json", "{");
    let places = world.found(Preset::Toolkit).places;
    let state = |path: &str| places.iter().find(|looked| world.text(&looked.path.display()) == path).unwrap().state;
    assert_eq!(state("~/.agents/mcp.json"), LookedState::Read { servers: 1 });
    assert_eq!(state("./.mcp.json"), LookedState::Failed);
    assert_eq!(state("~/.claude.json"), LookedState::Missing);
}

#[test]
fn the_toolkits_own_paths() {
    let environment = Environment::new("/p").with_home("/h").with_platform(Platform::Linux);
    assert_eq!(environment.trust_file().unwrap().display().to_string(), "/h/.local/state/mcp-toolkit/trust.json");
    assert_eq!(environment.user_file().unwrap().display().to_string(), "/h/.agents/mcp.json");
    assert_eq!(environment.project_file().display().to_string(), "/p/.mcp.json");
    assert!(Environment::new("/p").trust_file().is_none());
    assert!(Discovery::new(&Environment::new("/nonexistent")).load().layers.is_empty());
}
