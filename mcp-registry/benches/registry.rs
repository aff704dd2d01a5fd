//! The figures the crate promises: registering 100 servers of 100 tools within 50 ms, a decision among 1,000 rules within
//! 2 µs.

use divan::Bencher;
use mcp_registry::{
    Authority, Baseline, Effect, Mode, NameStyle, Origin, PinPolicy, Registry, Request, RuleLayer, Rules, ServerTools,
    Source, Standing, Surface, Tier, Tool, parse_settings,
};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

fn tools(count: usize) -> Vec<Tool> {
    let definition = |tool| {
        json!({
            "name": format!("tool_{tool}"), "description": "Does one thing, and says so in a sentence or two.",
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
            "annotations": {"readOnlyHint": tool % 2 == 0},
        })
    };
    let raw = |tool| serde_json::value::to_raw_value(&definition(tool)).expect("a literal serialises");
    (0..count).map(|tool| Tool::parse(raw(tool)).expect("the definition has a name").0).collect()
}

fn servers() -> Vec<ServerTools> {
    let server = |server| ServerTools::new(format!("server-{server}"), "sha256:1", tools(100)).trusting_annotations();
    (0..100).map(server).collect()
}

fn register(servers: Vec<ServerTools>) -> Registry {
    let mut registry = Registry::new(NameStyle::default());
    for server in servers {
        registry.replace_server(server);
    }
    registry
}

/// Registers all servers, then shows all tools in order.
#[divan::bench]
fn register_100_servers_of_100_tools(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(servers).bench_values(|servers| register(servers).snapshot().len());
}

/// Registers all servers and takes a snapshot after each, as a host does whose servers arrive one by one.
#[divan::bench]
fn register_with_a_snapshot_after_each(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(servers).bench_values(|servers| {
        let mut registry = Registry::new(NameStyle::default());
        servers.into_iter().map(|server| (registry.replace_server(server), registry.snapshot().len()).1).sum::<usize>()
    });
}

/// Writes the provider-facing definitions of all tools.
#[divan::bench]
fn definitions_of_10_000_tools(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| register(servers()).snapshot()).bench_values(|snapshot| snapshot.definitions().len());
}

/// Returns a thousand rules as a careful user might write them: whole servers, single tools, globs, conditions.
fn thousand_rules() -> Rules {
    let list = |rule: &dyn Fn(usize) -> String| (0..250).map(rule).collect::<Vec<_>>();
    let allow = list(&|number| format!("mcp__server-{}__tool_{number}", number % 100));
    let definitions: serde_json::Map<String, Value> = allow
        .iter()
        .enumerate()
        .map(|(number, rule)| (rule.clone(), json!({ format!("server-{}", number % 100): "sha256:1" })))
        .collect();
    let mut deny = list(&|number| format!("mcp__server-{}__delete_{number}", number % 100));
    deny.extend(list(&|number| format!("mcp__server-{}__write_{number}(path=secrets/**)", number % 100)));
    let ask = list(&|number| format!("mcp__server-{}__put_{number}_*", number % 100));
    let settings = json!({"permissions": {"deny": deny, "ask": ask, "allow": allow, "definitions": definitions}});
    let (layer, problems) = parse_settings(Source::user("settings.json"), &settings.to_string());
    assert_eq!((layer.rules().len(), problems.len()), (1_000, 0));
    Rules::new([layer])
}

/// Returns a thousand globs over the tools of one server, the worst case of the index.
fn thousand_globs() -> Rules {
    let layer = (0..1_000).fold(RuleLayer::new(Source::user("settings.json")), |layer, number| {
        layer.with(Tier::Deny, &format!("mcp__server-1__delete_{number}_*")).expect("a valid rule")
    });
    Rules::new([layer])
}

fn request<'a>(tool: &'a str, arguments: &'a Value) -> Request<'a> {
    Request {
        server: "server-1",
        definition: "sha256:1",
        tool,
        effect: Effect::Mutating,
        arguments,
        standing: Standing::Approved,
        origin: Origin::Server,
    }
}

/// Decides calls that a rule allows, that a rule denies and that no rule is about.
#[divan::bench(args = ["tool_1", "delete_1", "write_1", "other"])]
fn decide_among_1_000_rules(bencher: Bencher<'_, '_>, tool: &str) {
    let rules = thousand_rules();
    let arguments = json!({"path": "src/lib.rs"});
    bencher.bench_local(|| rules.decide(&request(tool, &arguments), Mode::Build));
}

/// Decides a call among a thousand rules of a dialect that ignores case.
#[divan::bench]
fn decide_among_1_000_rules_that_ignore_case(bencher: Bencher<'_, '_>) {
    let source = Source::freecode("settings.json", Authority::Full);
    let layer = (0..1_000).fold(RuleLayer::new(source), |layer, number| {
        layer.with(Tier::Deny, &format!("mcp__server-{}__delete_{number}", number % 100)).expect("a valid rule")
    });
    let rules = Rules::new([layer]);
    bencher.bench_local(|| rules.decide(&request("tool_1", &Value::Null), Mode::Build));
}

/// Decides a call of a server about which there are a thousand globs.
#[divan::bench]
fn decide_among_1_000_globs_over_one_server(bencher: Bencher<'_, '_>) {
    let rules = thousand_globs();
    bencher.bench_local(|| rules.decide(&request("tool_1", &Value::Null), Mode::Build));
}

/// Decides a call about which there are a thousand conditions, with the longest argument that is compared.
#[divan::bench(sample_count = 5, args = ["a", "/", "../", "%2f", "\u{200b}", "http://x/"])]
fn decide_by_1_000_conditions_on_a_long_argument(bencher: Bencher<'_, '_>, piece: &str) {
    let layer = (0..1_000).fold(RuleLayer::new(Source::user("settings.json")), |layer, number| {
        layer.with(Tier::Deny, &format!("mcp__server-1__write(path=secrets-{number}/**)")).expect("a valid rule")
    });
    let rules = Rules::new([layer]);
    let arguments = json!({ "path": piece.repeat(60_000 / piece.len()) });
    bencher.bench_local(|| rules.decide(&request("write", &arguments), Mode::Build));
}

/// What a start does to know whether a server is as it was approved: reads its baseline, and compares every tool.
#[divan::bench(args = [200, 5_000], sample_count = 20)]
fn check_the_baseline_of_a_server(bencher: Bencher<'_, '_>, count: usize) {
    let tools = tools(count);
    let surface = Surface { tools: &tools, ..Surface::default() };
    let kept = serde_json::to_vec(&Baseline::take("sha256:1", surface)).expect("a baseline serialises");
    bencher.bench_local(|| {
        let baseline: Baseline = serde_json::from_slice(&kept).expect("it was written a moment ago");
        baseline.compare("sha256:1", surface, PinPolicy::Hold).is_empty()
    });
}

/// What the rest of a start takes at least, without a connection: reads the definitions and registers them.
#[divan::bench(args = [200, 5_000], sample_count = 20)]
fn read_and_register_a_server(bencher: Bencher<'_, '_>, count: usize) {
    bencher.bench_local(|| register(vec![ServerTools::new("server", "sha256:1", tools(count))]).snapshot().len());
}
