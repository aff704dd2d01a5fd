//! What a command line offers: diagnosis, import, the registry, changes, settings.

use expect_test::expect;
use mcp_config::{
    Changes, Edit, FileFormat, FoundSettings, Host, ImportState, NotApprovable, Preset, RegistryServer, ThisMachine,
    diagnose, imports, merge,
};

use crate::support::{World, at};

fn diagnosis(world: &World) -> Vec<String> {
    let found = world.found(Preset::Toolkit);
    let merged = merge(&found.layers, &world.trust, &world.environment);
    let machine = ThisMachine::new(&world.environment);
    world.texts(&diagnose(&found, &merged, &machine, &|_, trusted| trusted.activate(&world.environment)))
}

#[test]
fn a_sound_configuration_has_nothing_to_report() {
    let world = World::new()
        .home(
            ".agents/mcp.json",
            r#"{"mcpServers": {"a": {"url": "https://a.example/mcp", "headers": {"A": "${T}"}}}}"#,
        )
        .vars([("T", "x")]);
    assert_eq!(diagnosis(&world), [] as [String; 0]);
}

#[test]
fn everything_that_is_wrong_comes_with_what_mends_it() {
    let world = World::new()
        .home(".agents/mcp.json", r#"{"mcpServers": {
            "unset": {"url": "https://u.example", "headers": {"A": "${NOT_SET}"}},
            "lost": {"command": "no-such-program"},
            "npx": {"command": "npx", "args": ["-y", "@scope/server@latest", "dir"], "disabled": true},
            "uvx": {"command": "uvx", "args": ["--from", "package", "tool"], "disabled": true},
            "pinned": {"command": "npx", "args": ["-y", "@scope/server@1.2.3"], "disabled": true},
            "image": {"command": "docker", "args": ["run", "-i", "--rm", "-e", "A", "ghcr.io/x/y"], "disabled": true},
            "clear": {"url": "http://remote.example/mcp", "headers": {"Authorization": "Bearer hunter2"}},
            "local": {"url": "http://localhost:3000/mcp", "headers": {"X": "y"}},
            "twin": {"url": "http://localhost:3000/mcp", "headers": {"X": "y"}},
            "off": {"command": "no-such-program", "args": ["${NOT_SET}"], "disabled": true}
        }}"#)
        .home(".cursor/mcp.json", r#"{"mcpServers": {"theirs": {"url": "https://c.example"}}}"#)
        .project(".mcp.json", r#"{"mcpServers": {"project": {"command": "x", "env": {"API_KEY": "hunter2"}}, "off": {"enabled": true}, "gone": {"enabled": false}}}"#)
        .vars([("PATH", "/nonexistent")]);
    let report = diagnosis(&world).join("\n");
    assert!(!report.contains("hunter2"));
    expect![[r#"
        warning: ~/.agents/mcp.json:8:13 /mcpServers/clear: server `clear`: `headers.Authorization` holds a secret in clear, and others can read the file (fix: run ["chmod", "600", "~/.agents/mcp.json"])
        warning: ~/.agents/mcp.json:8:13 /mcpServers/clear: server `clear`: headers are sent without encryption (fix: use an https:// URL)
        note: ~/.agents/mcp.json:7:13 /mcpServers/image: server `image`: `ghcr.io/x/y` runs whatever version is newest at each start (fix: name a tag or a digest: `ghcr.io/x/y:1.2.3`)
        error: ~/.agents/mcp.json:3:13 /mcpServers/lost: server `lost`: the program `no-such-program` is not there (fix: install it, or write its full path)
        note: ~/.agents/mcp.json:4:13 /mcpServers/npx: server `npx`: `@scope/server@latest` runs whatever version is newest at each start (fix: name a version: `@scope/server@1.2.3`)
        warning: ./.mcp.json:1:17 /mcpServers/project: server `project`: it does not start before it is approved (fix: approve `project`)
        warning: ./.mcp.json:1:17 /mcpServers/project: server `project`: `env.API_KEY` holds a secret in clear in a file of the project (fix: put the value in a variable and write `${NAME}`)
        note: ~/.cursor/mcp.json:1:17 /mcpServers/theirs: server `theirs`: it belongs to cursor and does not start here (fix: import from cursor)
        error: ~/.agents/mcp.json:2:13 /mcpServers/unset/headers/A: server `unset`: `headers.A` needs the variable NOT_SET, which is not set and has no default (fix: set the variable NOT_SET)
        note: ~/.agents/mcp.json:5:13 /mcpServers/uvx: server `uvx`: `package` runs whatever version is newest at each start (fix: name a version: `package==1.2.3`)
        note: ./.mcp.json:1:77 /mcpServers/off: server `off`: an overlay is not applied: it stands in a project that has not been approved, and would let the server do more
        note: ./.mcp.json:1:103 /mcpServers/gone: server `gone`: an overlay is not applied: no file of lower precedence defines a server of that name
        note: ~/.agents/mcp.json:10:13 /mcpServers/twin: server `twin`: it is the same server as `local`, from ~/.agents/mcp.json:9:13 (fix: remove one of the two)"#]].assert_eq(&report);
}

#[test]
fn imports_say_what_differs_and_keep_everything() {
    let world = World::new()
        .home(".codex/config.toml", include_str!("../fixtures/codex.toml"))
        .home(".cursor/mcp.json", include_str!("../fixtures/cursor.json"))
        .home(
            ".agents/mcp.json",
            r#"{"mcpServers": {
            "remote": {"url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            "docs": {"command": "npx", "args": ["-y", "docs@2.0.0"], "env": {"KEY": "value"}}
        }}"#,
        );
    let layers = world.found(Preset::Toolkit).layers;
    let found = imports(&layers, None);
    let states: Vec<_> =
        found.iter().map(|import| (import.name.as_str(), import.origin.source.host, &import.state)).collect();
    let fields = ["args", "timeout", "env.LOCAL_TOKEN", "env.OTHER", "startupTimeout", "includeTools", "excludeTools"];
    let differs = ImportState::Differs { fields: fields.map(str::to_owned).to_vec() };
    assert_eq!(
        states,
        [
            ("program", Host::Cursor, &ImportState::New),
            ("remote", Host::Cursor, &ImportState::Same),
            ("oauth", Host::Cursor, &ImportState::New),
            ("mixed-up", Host::Cursor, &ImportState::New),
            ("docs", Host::Codex, &differs),
            ("figma", Host::Codex, &ImportState::New),
            ("approved", Host::Codex, &ImportState::New),
        ]
    );
    assert_eq!(imports(&layers, Some(Host::Cursor)).len(), 4);
    let left_out: Vec<_> = found.iter().map(|import| (import.name.as_str(), import.left_out.join("; "))).collect();
    assert_eq!(
        left_out
            .iter()
            .filter(|(_, what)| !what.is_empty())
            .map(|(name, what)| (*name, what.as_str()))
            .collect::<Vec<_>>(),
        [
            (
                "mixed-up",
                "`${TOKEN}` in `headers.Authorization` as a variable: to its host it is mere text, and it stays that"
            ),
            ("figma", "whether a program must not go on without it; whether calls may run in parallel"),
            ("approved", "which tools are called without asking"),
        ]
    );

    let path = world.environment.user_file().unwrap();
    let mut edit = Edit::open(&path, FileFormat::McpServers).unwrap();
    for import in &found {
        edit.import(import).unwrap();
    }
    edit.save().unwrap();
    expect_test::expect_file!["../expected/imported.json"].assert_eq(&std::fs::read_to_string(&path).unwrap());
    let after = world.found(Preset::Toolkit).layers;
    assert!(imports(&after, None).iter().all(|import| import.state == ImportState::Same));
    assert!(!format!("{found:?}").contains("value\""), "a literal value is shown");
}

#[test]
fn a_projects_entries_are_approved_and_not_imported() {
    let world = World::new().project(".cursor/mcp.json", r#"{"mcpServers": {"x": {"command": "x"}}}"#);
    assert!(imports(&world.found(Preset::Toolkit).layers, None).is_empty());
}

#[test]
fn a_registry_package_becomes_a_pinned_server() {
    let entry = RegistryServer::parse(include_str!("../fixtures/server.json")).unwrap();
    assert_eq!((entry.name.as_str(), entry.description.as_deref()), ("weather", Some("Forecasts")));
    let needs: Vec<_> = entry.needs.iter().map(|need| (need.reference.as_str(), need.is_secret)).collect();
    assert_eq!(
        needs,
        [
            ("${MCP_IO_GITHUB_ADA_WEATHER_DATA_DIR}", false),
            ("${keyring:io.github.ada/weather.API_KEY}", true),
            ("${REGION:-eu}", false),
            ("${MCP_IO_GITHUB_ADA_WEATHER_HOST}", false)
        ]
    );
    let world = World::new();
    let mut edit = Edit::open(world.home.join("new.json"), FileFormat::McpServers).unwrap();
    edit.add(&entry.name, &entry.server).unwrap();
    expect![[r#"
        {
          "mcpServers": {
            "weather": {
              "type": "stdio",
              "command": "npx",
              "args": ["-y", "--node-options", "--no-warnings", "@ada/weather@1.2.3", "serve", "--city", "Paris", "${MCP_IO_GITHUB_ADA_WEATHER_DATA_DIR}"],
              "env": {
                "API_KEY": "${keyring:io.github.ada/weather.API_KEY}",
                "REGION": "${REGION:-eu}",
                "ENDPOINT": "https://${MCP_IO_GITHUB_ADA_WEATHER_HOST}/v1"
              }
            }
          }
        }
    "#]].assert_eq(edit.text());
}

#[test]
fn registry_documents_of_every_kind() {
    let document =
        |body: &str| format!(r#"{{"name": "io.example/x", "description": "d", "version": "1.0.0", {body}}}"#);
    let package = |kind: &str, identifier: &str, version: &str| {
        document(&format!(
            r#""packages": [{{"registryType": {kind:?}, "identifier": {identifier:?}, "version": {version:?}, "transport": {{"type": "stdio"}}}}]"#
        ))
    };
    let shown = |text: &str| match RegistryServer::parse(text) {
        Ok(entry) => {
            let world = World::new();
            let mut edit = Edit::open(world.home.join("new.json"), FileFormat::HoocodeSingle).unwrap();
            edit.add("x", &entry.server).unwrap();
            edit.save().unwrap();
            let json: serde_json::Value = serde_json::from_str(edit.text()).unwrap();
            format!("{} {}", json["command"], json["args"]) + json["url"].as_str().unwrap_or_default()
        }
        Err(error) => error.to_string(),
    };
    let cases = [
        (package("pypi", "x-server", "1.0.0"), r#""uvx" ["x-server==1.0.0"]"#),
        (package("nuget", "X.Server", "1.0.0"), r#""dnx" ["--yes","X.Server@1.0.0"]"#),
        (package("oci", "ghcr.io/x/y", "1.0.0"), r#""docker" ["run","-i","--rm","ghcr.io/x/y:1.0.0"]"#),
        (package("oci", "ghcr.io/x/y:2.0.0", ""), r#""docker" ["run","-i","--rm","ghcr.io/x/y:2.0.0"]"#),
        (package("npm", "x", "latest"), "`io.example/x` cannot be added: npm x: it names no exact version"),
        (package("npm", "x", "^1.0.0"), "`io.example/x` cannot be added: npm x: it names no exact version"),
        (
            package("mcpb", "https://x/y.mcpb", "1"),
            "`io.example/x` cannot be added: mcpb https://x/y.mcpb: packages of type \"mcpb\" cannot be run here",
        ),
        (
            document(
                r#""remotes": [{"type": "sse", "url": "https://x.example/{tenant}", "variables": {"tenant": {"isRequired": true}}}]"#,
            ),
            "null nullhttps://x.example/${MCP_IO_EXAMPLE_X_TENANT}",
        ),
        (document(r#""remotes": []"#), "`io.example/x` cannot be added: it names neither a package nor a remote"),
        ("[]".to_owned(), "`server.json` cannot be added: line 1 column 2 is not what the schema expects"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&text), expected, "{text}");
    }
}

#[test]
fn changes_are_found_and_named() {
    let mut world = World::new()
        .home(
            ".agents/mcp.json",
            r#"{"mcpServers": {"same": {"command": "s"}, "gone": {"command": "g"}, "edited": {"command": "1"}}}"#,
        )
        .project(".mcp.json", r#"{"mcpServers": {"approved": {"command": "a"}}}"#);
    let (before, fingerprint) = (world.merged(), world.discovery().fingerprint());
    assert_eq!(world.discovery().fingerprint(), fingerprint, "nothing has changed");
    assert!(Changes::between(&before, &world.merged()).is_empty());

    world.approve("approved");
    let world = world.home(".agents/mcp.json", "\n\n{\"mcpServers\": {\"new\": {\"command\": \"n\"}, \"edited\": {\"command\": \"2\"}, \"same\": {\"command\": \"s\"}}}");
    let after = world.discovery().fingerprint();
    let paths: Vec<String> = after.changed_since(&fingerprint).iter().map(|path| world.text(&path.display())).collect();
    assert_eq!(paths, ["~/.agents/mcp.json"]);
    let changes = Changes::between(&before, &world.merged());
    assert_eq!(
        (changes.added, changes.removed, changes.changed),
        (vec!["new".to_owned()], vec!["gone".to_owned()], vec!["approved".to_owned(), "edited".to_owned()],)
    );
    // One kind of change is enough.
    let one = || vec!["x".to_owned()];
    let kinds: [fn(&mut Changes) -> &mut Vec<String>; 3] =
        [|changes| &mut changes.added, |changes| &mut changes.removed, |changes| &mut changes.changed];
    for kind in kinds {
        let mut changes = Changes::default();
        *kind(&mut changes) = one();
        assert!(!changes.is_empty(), "{changes:?}");
    }
}

#[test]
fn a_file_that_appears_or_is_replaced_by_one_of_the_same_length_is_noticed() {
    let world = World::new().home(".agents/mcp.json", r#"{"mcpServers": {"a": {"command": "1"}}}"#);
    let before = world.discovery().fingerprint();
    let replacement = world.home.join("replacement");
    std::fs::write(&replacement, r#"{"mcpServers": {"a": {"command": "2"}}}"#).unwrap();
    let path = world.home.join(".agents/mcp.json");
    let times = std::fs::FileTimes::new().set_modified(std::fs::metadata(&path).unwrap().modified().unwrap());
    std::fs::File::options().write(true).open(&replacement).unwrap().set_times(times).unwrap();
    std::fs::rename(&replacement, &path).unwrap();
    let replaced = world.discovery().fingerprint();
    assert_eq!(replaced != before, cfg!(unix), "the inode tells");
    let world = world.project(".mcp.json", "{}");
    assert_ne!(world.discovery().fingerprint(), replaced);
}

#[test]
fn settings_report_what_is_wrong_with_them() {
    let world = World::new()
        .home(
            ".config/mcp-toolkit/settings.json",
            r#"{"permissions": {"allow": "x", "deny": [1]}, "imports": ["nobody"], "kept": true}"#,
        )
        .project(".agents/settings.json", "{");
    let found = FoundSettings::load(&world.environment);
    assert_eq!(found.user.other["kept"], true);
    expect![[r#"
        error: ~/.config/mcp-toolkit/settings.json:1:27 /permissions/allow: expected an array of strings
        error: ~/.config/mcp-toolkit/settings.json:1:41 /permissions/deny/0: expected a string
        error: ~/.config/mcp-toolkit/settings.json:1:57 /imports: `nobody` is not a host; expected one of toolkit, claude-code, claude-desktop, vscode, cursor, windsurf, codex, gemini, opencode, copilot, zed, cline, roo, goose, continue, inspector, freecode, hoocode
        error: ./.agents/settings.json:1:1: not valid JSON: unterminated object"#]].assert_eq(&world.texts(&found.problems).join("\n"));
}

#[test]
fn an_approval_can_be_given_for_what_is_hidden_by_the_users_own() {
    let mut world = World::new()
        .home(".agents/mcp.json", r#"{"mcpServers": {"x": {"command": "mine"}}}"#)
        .project(".mcp.json", r#"{"mcpServers": {"x": {"command": "theirs"}}}"#);
    let merged = world.merged();
    let mine = merged.server("x").unwrap();
    let plan = mine.plan(&world.environment);
    assert_eq!(world.trust.approve(&plan, at(1)), Err(NotApprovable::NotNeeded), "the user's own needs none");
    assert_eq!(
        world.texts(&merged.problems),
        [
            "note: ./.mcp.json:1:17 /mcpServers/x: server `x`: it waits for approval, and until then the entry at ~/.agents/mcp.json:1:17 is used (fix: approve `x`)"
        ]
    );
    let waiting: Vec<_> = merged.awaiting("x").collect();
    assert_eq!(waiting, [&merged.shadowed[0].server]);
    world.trust.approve(&waiting[0].plan(&world.environment), at(1)).unwrap();
    let after = world.merged();
    assert_eq!((after.awaiting("x").count(), after.problems.len()), (0, 0));
    assert_eq!(after.server("x").unwrap().preview().to_string(), "theirs");
    assert!(world.trust.revoke(after.server("x").unwrap()));
    assert_eq!(world.merged().server("x").unwrap().preview().to_string(), "mine");
}

#[test]
fn the_users_settings_have_the_last_word() {
    let mut world = World::new()
        .home(
            ".config/mcp-toolkit/settings.json",
            r#"{"servers": {"x": {"enabled": false, "excludeTools": ["rm"]}, "y": {"command": "y"}}}"#,
        )
        .project(".mcp.json", r#"{"mcpServers": {"x": {"command": "x"}}}"#)
        .project(".agents/settings.json", r#"{"servers": {"x": {"enabled": true, "timeout": 9000}}}"#);
    world.approve("x");
    let withheld = world.merged().withheld;
    world.trust.approve_loosening(withheld[0].loosening.as_ref().unwrap(), at(1));
    let merged = world.merged();
    let server = merged.server("x").unwrap();
    assert!(!server.enabled() && server.preview().tools.deny == ["rm"]);
    assert_eq!(server.overridden_by().len(), 2);
    assert_eq!(
        world.problems(),
        [
            "error: ~/.config/mcp-toolkit/settings.json:1:68 /servers/y: server `y`: settings change servers and do not define them (fix: move the entry to `mcpServers` in `.agents/mcp.json`)"
        ]
    );
}

#[test]
fn a_prompts_default_is_used_when_nobody_is_asked() {
    let world = World::new().home(".config/Code/User/mcp.json", r#"{
        "inputs": [{"id": "with", "type": "promptString", "default": "d"}, {"id": "without", "type": "promptString"}],
        "servers": {"a": {"command": "a", "args": ["${input:with}"]}, "b": {"command": "b", "args": ["${input:without}"]}}
    }"#);
    let merged = world.merged_as(Preset::Only(Host::VsCode));
    let start = |name: &str| merged.server(name).unwrap().trusted().unwrap().activate(&world.environment);
    assert!(matches!(start("a").unwrap().launch, mcp_config::Launch::Stdio { args, .. } if args == ["d"]));
    assert!(start("b").unwrap_err().message.contains("needs an answer to the prompt without"));
    assert_eq!(merged.server("b").unwrap().prompts()[0].id, "without");
}

#[test]
fn listings_in_json_name_the_source() {
    let world = World::new()
        .home(".agents/mcp.json", r#"{"mcpServers": {"x": {"command": "x", "args": ["${A:-b}"], "env": {"K": "v"}}}}"#);
    let json = serde_json::to_value(&world.merged().servers[0]).unwrap();
    assert_eq!(json["origin"]["scope"], "user");
    assert_eq!(json["origin"]["host"], "toolkit");
    assert_eq!(json["origin"]["pointer"], "/mcpServers/x");
    assert_eq!(json["trust"]["state"], "trusted");
    assert_eq!(json["trust"]["why"], "user-file");
    assert_eq!(json["args"][0], "${A:-b}");
    assert_eq!(json["env"]["K"], "[redacted]");
}
