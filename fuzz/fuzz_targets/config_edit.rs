//! An edit of any text either refuses it or leaves a file that has the added server and every server it had before.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use mcp_config::{Edit, FileFormat, Host, Layer, NewServer, Scope, Source};

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else { return };
    let (format, host, name) = match choice % 4 {
        0 => (FileFormat::McpServers, Host::Toolkit, "mcp.json"),
        1 => (FileFormat::VsCode, Host::VsCode, "mcp.json"),
        2 => (FileFormat::Codex, Host::Codex, "config.toml"),
        _ => (FileFormat::FreeCode, Host::FreeCode, "config.json"),
    };
    let Ok(directory) = tempfile::tempdir() else { return };
    let path = directory.path().join(name);
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let names = |bytes: &[u8]| -> BTreeSet<String> {
        let (layer, _) = Layer::parse(Source::new(host, Scope::User), name, bytes);
        layer.names().map(str::to_owned).collect()
    };
    let mut expected = names(bytes);
    let Ok(mut edit) = Edit::open(&path, format) else { return };
    if edit.add("added by the fuzzer", &NewServer::stdio("x", ["y"])).is_err() || edit.save().is_err() {
        assert_eq!(std::fs::read(&path).ok().as_deref(), Some(bytes), "a refused edit has written");
        return;
    }
    let after = std::fs::read(&path).unwrap_or_default();
    expected.insert("added by the fuzzer".to_owned());
    assert_eq!(names(&after), expected);
});
