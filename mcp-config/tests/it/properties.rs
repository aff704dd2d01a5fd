//! Laws that hold for every input.

use std::collections::BTreeMap;

use mcp_config::{
    Edit, Environment, FileFormat, Host, Layer, Merged, NewServer, Preset, Scope, Source, TrustStore, merge,
};
use proptest::prelude::*;

use crate::support::World;

const FORMATS: [FileFormat; 5] =
    [FileFormat::McpServers, FileFormat::VsCode, FileFormat::Codex, FileFormat::FreeCode, FileFormat::HoocodeSingle];

/// A layer of some scope that defines some of five servers.
fn layer() -> impl Strategy<Value = Layer> {
    let scope =
        prop::sample::select(vec![Scope::Plugin, Scope::Imported, Scope::User, Scope::Project, Scope::Explicit]);
    let servers = prop::collection::vec(("[a-e]", "[x-z]"), 0..4);
    (scope, servers, 0..3_u8).prop_map(|(scope, servers, file)| {
        let entries: BTreeMap<String, String> = servers.into_iter().collect();
        let entries: Vec<String> =
            entries.iter().map(|(name, command)| format!("{name:?}: {{\"command\": {command:?}}}")).collect();
        let content = format!("{{\"mcpServers\": {{{}}}}}", entries.join(","));
        let source = Source::new(Host::Toolkit, scope);
        Layer::parse(source, format!("/nonexistent/{file}.json"), content.as_bytes()).0
    })
}

fn layers() -> impl Strategy<Value = Vec<Layer>> {
    prop::collection::vec(layer(), 0..4)
}

/// What each name means.
fn winners(merged: &Merged) -> BTreeMap<String, (String, bool)> {
    let row = |server: &mcp_config::Resolved| (server.preview().to_string(), server.trust().is_trusted());
    merged.servers.iter().map(|server| (server.name().to_owned(), row(server))).collect()
}

/// Puts one merged configuration over another, by the rule in the documentation of `merge`.
fn over(lower: &Merged, higher: &Merged) -> BTreeMap<String, (String, bool)> {
    let mut result = winners(lower);
    for (name, (command, trusted)) in winners(higher) {
        let lower_is_trusted = result.get(&name).is_some_and(|(_, trusted)| *trusted);
        if trusted || !lower_is_trusted {
            result.insert(name, (command, trusted));
        }
    }
    result
}

/// JSON with comments, trailing commas, marks and endings of every kind, and sometimes servers.
fn document() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        Just(r#"{"command": "x"}"#.to_owned()),
        Just(r#"{ /* c */ "url" : "https://x.example",}"#.to_owned()),
        Just("7".to_owned()),
    ];
    let entries = prop::collection::btree_map("[a-z]{1,3}", entry, 0..4);
    let space = prop::sample::select(vec!["", " ", "\n", "\r\n", "\t", "// c\n", "/* c */", "\n\n    "]);
    (entries, prop::collection::vec(space, 8), any::<bool>(), any::<bool>()).prop_map(
        |(entries, space, mark, comma)| {
            let entries: Vec<String> = entries
                .iter()
                .map(|(name, entry)| format!("{}\"{name}\":{}{entry}{}", space[0], space[1], space[2]))
                .collect();
            let body = entries.join(",");
            let comma = if comma && !entries.is_empty() { "," } else { "" };
            let mark = if mark { "\u{feff}" } else { "" };
            format!(
                "{mark}{}{{{}\"kept\":1,{}\"mcpServers\":{}{{{body}{comma}{}}}{}}}{}",
                space[3], space[4], space[5], space[6], space[7], space[0], space[1]
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn merging_is_deterministic(layers in layers()) {
        let trust = TrustStore::default();
        prop_assert_eq!(merge(&layers, &trust, &nowhere()), merge(&layers, &trust, &nowhere()));
    }

    #[test]
    fn merging_is_associative(low in layers(), middle in layers(), high in layers()) {
        let trust = TrustStore::default();
        let merged = |parts: &[&Vec<Layer>]| {
            let layers: Vec<Layer> = parts.iter().flat_map(|part| part.iter().cloned()).collect();
            merge(&layers, &trust, &nowhere())
        };
        let all = winners(&merged(&[&low, &middle, &high]));
        prop_assert_eq!(&all, &over(&merged(&[&low, &middle]), &merged(&[&high])));
        prop_assert_eq!(&all, &over(&merged(&[&low]), &merged(&[&middle, &high])));
    }

    #[test]
    fn every_definition_is_accounted_for(layers in layers()) {
        let merged = merge(&layers, &TrustStore::default(), &nowhere());
        let defined: usize = layers.iter().map(Layer::len).sum();
        prop_assert_eq!(merged.servers.len() + merged.shadowed.len(), defined);
        prop_assert!(merged.servers.is_sorted_by(|left, right| left.name() < right.name()));
    }

    #[test]
    fn an_edit_of_nothing_is_the_same_bytes(document in document()) {
        let world = World::new().home("file", &document);
        let path = world.home.join("file");
        let mut edit = Edit::open(&path, FileFormat::McpServers).unwrap();
        edit.remove("no such server").unwrap();
        edit.save().unwrap();
        prop_assert_eq!(std::fs::read(&path).unwrap(), document.as_bytes());
    }

    #[test]
    fn adding_and_removing_changes_nothing_else(document in document()) {
        let source = Source::new(Host::Toolkit, Scope::User);
        let read = |text: &str| {
            let (layer, _) = Layer::parse(source, "/x/mcp.json", text.as_bytes());
            winners(&merge(&[layer], &TrustStore::default(), &nowhere()))
        };
        let world = World::new().home("file", &document);
        let path = world.home.join("file");
        let mut edit = Edit::open(&path, FileFormat::McpServers).unwrap();
        edit.add("added", &NewServer::stdio("new", ["x"])).unwrap();
        edit.save().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut expected = read(&document);
        expected.insert("added".to_owned(), ("new x".to_owned(), true));
        prop_assert_eq!(read(&text), expected);
        prop_assert_eq!(text.matches("c */").count(), document.matches("c */").count());
        prop_assert_eq!(text.starts_with('\u{feff}'), document.starts_with('\u{feff}'));
        edit.remove("added").unwrap();
        edit.save().unwrap();
        prop_assert_eq!(read(&std::fs::read_to_string(&path).unwrap()), read(&document));
    }

    #[test]
    fn no_bytes_make_any_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), host in prop::sample::select(Host::ALL.to_vec())) {
        let source = Source::new(host, Scope::User);
        for name in ["mcp.json", "settings.json", "config.toml", "config.yaml", "mcp-servers/x.json"] {
            let (layer, problems) = Layer::parse(source, name, &bytes);
            prop_assert!(layer.is_empty() || !bytes.is_empty());
            prop_assert!(problems.iter().all(|problem| problem.path.is_some()));
        }
    }

    #[test]
    fn no_values_make_any_reader_panic(value in json(4), host in prop::sample::select(Host::ALL.to_vec())) {
        let text = format!(
            r#"{{"mcpServers": {{"s": {value}}}, "servers": {{"s": {value}}}, "context_servers": {{"s": {value}}},
                "mcp": {{"servers": {value}, "s": {value}}}, "inputs": {value}, "projects": {value}, "extensions": {value}, "name": {value}}}"#
        );
        for name in ["mcp.json", "settings.json", "mcp-servers/x.json"] {
            let (layer, _) = Layer::parse(Source::new(host, Scope::User), name, text.as_bytes());
            for server in merge(&[layer], &TrustStore::default(), &nowhere()).servers {
                prop_assert!(serde_json::to_string(&server).is_ok());
                prop_assert!(!server.plan(&nowhere()).facts().to_string().is_empty());
            }
        }
    }

    #[test]
    fn adding_to_any_file_keeps_what_is_read_from_it(value in json(3), other in json(2), format in 0..4_usize) {
        let (format, host, name) = [
            (FileFormat::McpServers, Host::Toolkit, "mcp.json"),
            (FileFormat::VsCode, Host::VsCode, "mcp.json"),
            (FileFormat::FreeCode, Host::FreeCode, "config.json"),
            (FileFormat::McpServers, Host::Toolkit, "mcp.json"),
        ][format];
        let names = |bytes: &[u8]| -> std::collections::BTreeSet<String> {
            let (layer, _) = Layer::parse(Source::new(host, Scope::User), name, bytes);
            layer.names().map(str::to_owned).collect()
        };
        let shapes = [
            format!(r#"{{"mcpServers": {{"a": {value}, "b": {other}, "a": {other}}}}}"#),
            format!(r#"{{"servers": {{"a": {value}, "b": {other}}}}}"#),
            format!(r#"{{"mcp": {{"servers": [{value}, {{"name": "n", "type": "local", "command": ["x"]}}, {other}]}}}}"#),
            format!(r#"{{"a": {value}, "b": {other}}}"#),
            value.clone(),
        ];
        for text in shapes {
            let world = World::new().home(name, &text);
            let path = world.home.join(name);
            let Ok(mut edit) = Edit::open(&path, format) else { continue };
            let mut expected = names(text.as_bytes());
            edit.add("added", &NewServer::stdio("x", ["y"])).unwrap();
            edit.save().unwrap();
            expected.insert("added".to_owned());
            prop_assert_eq!(names(&std::fs::read(&path).unwrap()), expected, "{}", text);
            edit.add("a", &NewServer::stdio("replaced", ["y"])).unwrap();
            edit.save().unwrap();
            let (layer, _) = Layer::parse(Source::new(host, Scope::User), name, &std::fs::read(&path).unwrap());
            let merged = merge(&[layer], &TrustStore::default(), &nowhere());
            prop_assert_eq!(merged.server("a").map(|server| server.preview().to_string()), Some("replaced y".to_owned()));
            edit.set_enabled("a", false).map_or(Ok(()), |known| if known { edit.save() } else { Ok(()) }).unwrap();
            edit.remove("added").unwrap();
            edit.save().unwrap();
            prop_assert!(!names(&std::fs::read(&path).unwrap()).contains("added"));
        }
    }

    #[test]
    fn no_text_makes_any_editor_panic(text in "[\\[\\]{}\",:a/*= \n']{0,60}", format in prop::sample::select(FORMATS.to_vec())) {
        let world = World::new().home("file", &text);
        let path = world.home.join("file");
        if let Ok(mut edit) = Edit::open(&path, format) {
            let added = edit.add("x", &NewServer::stdio("x", ["y"]));
            prop_assert!(added.is_err() || edit.contains("x"), "{:?}", edit.text());
            if added.is_ok() {
                edit.save().unwrap();
            }
        }
        let _found = world.found(Preset::Toolkit);
    }

    #[test]
    fn what_is_hidden_is_nowhere(secret in "[A-Za-z0-9]{12,30}", name in "(TOKEN|API_KEY|X-Auth)") {
        let world = World::new().home(".agents/mcp.json", format!(
            r#"{{"mcpServers": {{
                "a": {{"command": "x", "args": ["--{name}", "{secret}", "--{name}={secret}", "{name}={secret}"], "env": {{"{name}": "{secret}"}}}},
                "b": {{"url": "https://u:{secret}@x.example/mcp?k={secret}", "headers": {{"{name}": "Bearer {secret}"}}}}
            }}}}"#
        ));
        let merged = world.merged();
        let texts = [
            serde_json::to_string(&merged).unwrap(),
            format!("{merged:?}"),
            format!("{:?}", merged.servers.iter().map(|server| server.preview().to_string()).collect::<Vec<_>>()),
            format!("{:?}", merged.servers.iter().map(|server| server.trusted().unwrap().activate(&nowhere())).collect::<Vec<_>>()),
        ];
        for text in texts {
            prop_assert!(!text.contains(&secret), "{}", text);
        }
    }
}

fn json(depth: u32) -> impl Strategy<Value = String> {
    let keys = prop::sample::select(vec![
        "command",
        "args",
        "env",
        "url",
        "headers",
        "type",
        "timeout",
        "enabled",
        "disabled",
        "oauth",
        "name",
        "cwd",
        "tools",
        "settings",
        "mcpServers",
        "path",
        "requestOptions",
        "id",
        "alwaysAllow",
        "envFile",
        "scopes",
        "",
    ]);
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        Just("1e999".to_owned()),
        Just("-0.0".to_owned()),
        "[a${}:%/é-]{0,12}".prop_map(|text| format!("{text:?}")),
        prop::sample::select(vec!["\"stdio\"", "\"http\"", "\"local\"", "\"https://x.example\""])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(depth, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((keys.clone(), inner), 0..6).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("{key:?}: {value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// An environment without anything in it.
fn nowhere() -> Environment {
    Environment::new("/nonexistent")
}
