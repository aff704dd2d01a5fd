//! Tools of real servers, where a collection of them is at hand beside the repository.

use std::collections::BTreeSet;
use std::path::Path;

use mcp_registry::{Mode, NameStyle, Registry, Rule, RuleLayer, Rules, ServerTools, Source, Tier, Tool, Verdict};
use serde_json::Value;

/// Returns the tools of each collection, which stands for a server; none where there are no collections.
#[expect(clippy::print_stderr, reason = "a test that checks nothing has to say so")]
fn collections() -> Option<Vec<ServerTools>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/tool-schemas");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: no collections of tools in {}", folder.display());
        return None;
    };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    let server = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).expect("the file can be read");
        let mut seen = BTreeSet::new();
        let tools = text
            .lines()
            .map(|line| Tool::parse(serde_json::from_str(line).expect("a line is JSON")).expect("a tool has a name").0)
            .filter(|tool| seen.insert(tool.name.clone()))
            .collect();
        ServerTools::new(file.file_stem().expect("a file name").to_string_lossy(), "sha256:1", tools)
    };
    Some(files.iter().map(server).collect())
}

#[test]
fn real_tools_keep_their_names_and_each_has_a_rule_of_its_own() {
    let Some(servers) = collections() else { return };
    let mut registry = Registry::new(NameStyle::default());
    for server in servers {
        assert_eq!(registry.replace_server(server).problems, []);
    }
    let snapshot = registry.snapshot();
    assert!(snapshot.len() > 500, "{}", snapshot.len());
    assert_eq!(snapshot.problems(), []);
    let plain = snapshot.tools().filter(|tool| tool.id.as_str().ends_with(&format!("__{}", tool.tool.name))).count();
    assert!(plain * 100 >= snapshot.len() * 95, "{plain} of {} ids are the plain names", snapshot.len());
    for tool in snapshot.tools().step_by(40) {
        let rule = Rule::for_tool(&tool.server, &tool.tool.name);
        let rules = Rules::new([RuleLayer::new(Source::session()).with(Tier::Deny, &rule).expect("a valid rule")]);
        let denied: Vec<_> = snapshot
            .tools()
            .filter(|other| rules.decide(&other.request(&Value::Null), Mode::Build).verdict == Verdict::Deny)
            .collect();
        assert_eq!(denied, [tool]);
    }
}
