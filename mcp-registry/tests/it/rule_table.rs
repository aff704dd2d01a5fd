//! Rules × tools × modes × definitions → verdict, each verdict written by hand.
//!
//! A row reads: the rules, the call, the mode, what comes of it.
//!
//! - Rules are separated by `;`. `@fs=1` binds an allow rule to definition 1 of the server `fs`. A rule is the user's, unless
//!   its source stands before it: `repo:` (not trusted), `project:` (trusted), `session:`, `freecode:`.
//! - A call is a server (`-` for the host), a tool, `r` (read-only) or `w` (mutating) with the number of the server's
//!   definition, the arguments if any, and the tool's standing if it is not approved.

use mcp_registry::{
    Authority, Binding, Effect, Mode, Origin, Remedy, Request, RuleLayer, Rules, Scope, SettingsRule, Source, Standing,
    Tier, Verdict, forget_rule, parse_settings, write_rule,
};
use serde_json::{Value, json};

use crate::support::settings_after;

#[rustfmt::skip]
const TABLE: &[(&str, &str, &str, &str)] = &[
    // The default: reads are made, writes ask, whatever the server's definition.
    ("", "fs read r1", "build", "allow"),
    ("", "fs write w1", "build", "ask"),
    ("", "fs read r2", "build", "allow"),
    ("", "- read_file r", "build", "allow"),
    ("", "- write_file w", "build", "ask"),

    // The mode decides where no rule speaks.
    ("", "fs read r1", "plan", "allow"),
    ("", "fs read r1", "review", "allow"),
    ("", "fs read r1", "explore", "allow"),
    ("", "fs read r1", "unattended", "allow"),
    ("", "fs write w1", "plan", "deny"),
    ("", "fs write w1", "review", "deny"),
    ("", "fs write w1", "explore", "deny"),
    ("", "fs write w1", "unattended", "deny"),

    // One tool.
    ("allow mcp__fs__write @fs=1", "fs write w1", "build", "allow"),
    ("allow mcp__fs__write @fs=1", "fs remove w1", "build", "ask"),
    ("allow mcp__fs__write @fs=1", "db write w1", "build", "ask"),
    ("ask mcp__fs__read", "fs read r1", "build", "ask"),
    ("ask mcp__fs__read", "fs list r1", "build", "allow"),
    ("deny mcp__fs__write", "fs write w1", "build", "deny"),
    ("deny mcp__fs__write", "fs write_all w1", "build", "ask"),

    // A whole server.
    ("allow mcp__fs @fs=1", "fs write w1", "build", "allow"),
    ("allow mcp__fs @fs=1", "fs2 write w1", "build", "ask"),
    ("ask mcp__fs", "fs read r1", "build", "ask"),
    ("deny mcp__fs", "fs read r1", "build", "deny"),
    ("deny mcp__fs", "fs2 read r1", "build", "allow"),

    // Globs over tools, over servers, over everything.
    ("allow mcp__github__create_* @github=1", "github create_issue w1", "build", "allow"),
    ("allow mcp__github__create_* @github=1", "github delete_issue w1", "build", "ask"),
    ("deny mcp__github__*", "github create_issue w1", "build", "deny"),
    ("deny mcp__*__delete_*", "github delete_issue w1", "build", "deny"),
    ("deny mcp__*__delete_*", "github create_issue w1", "build", "ask"),
    ("deny mcp__*", "github get r1", "build", "deny"),
    ("deny mcp__*", "- read_file r", "build", "allow"),
    ("deny *", "- read_file r", "build", "deny"),
    ("deny *", "github get r1", "build", "deny"),
    ("ask mcp__git*", "github get r1", "build", "ask"),
    ("ask mcp__git*", "jira get r1", "build", "allow"),
    ("allow mcp__* @fs=1 @db=1", "db write w1", "build", "allow"),
    ("allow mcp__* @fs=1 @db=1", "github write w1", "build", "ask"),

    // Names are compared as they are: case, underscores, dots.
    ("deny mcp__GitHub", "github get r1", "build", "allow"),
    ("deny mcp__my.server__files/read", "my.server files/read r1", "build", "deny"),
    ("deny mcp__my.server__files/read", "my_server files_read r1", "build", "allow"),
    ("allow mcp__a @a=1 @a__b=1", "a__b write w1", "build", "ask"),
    ("deny mcp__a", "a__b read r1", "build", "allow"),
    ("deny mcp__a__b", "a b r1", "build", "deny"),
    ("deny mcp__a__b", "a__b read r1", "build", "deny"),
    ("allow mcp__a__b @a=1 @a__b=1", "a b w1", "build", "allow"),
    ("allow mcp__a__b @a=1 @a__b=1", "a__b read w1", "build", "ask"),
    (r"allow mcp__a\_\_b @a=1 @a__b=1", "a__b read w1", "build", "allow"),
    (r"deny mcp__a\_\_b", "a b r1", "build", "allow"),
    (r"deny mcp__fs__get\*", "fs get* r1", "build", "deny"),
    (r"deny mcp__fs__get\*", "fs get_x r1", "build", "allow"),
    ("deny mcp_fs_read", "fs read r1", "build", "deny"),
    ("deny mcp_fs", "fs read r1", "build", "deny"),

    // Deny before ask before allow, whatever the source and the order.
    ("allow mcp__fs @fs=1; deny mcp__fs__write", "fs write w1", "build", "deny"),
    ("deny mcp__fs__write; allow mcp__fs__write @fs=1", "fs write w1", "build", "deny"),
    ("allow mcp__fs @fs=1; ask mcp__fs__write", "fs write w1", "build", "ask"),
    ("ask mcp__fs; deny mcp__fs__write", "fs write w1", "build", "deny"),
    ("session: allow mcp__fs; deny mcp__fs", "fs write w1", "build", "deny"),
    ("session: allow mcp__fs; ask mcp__fs", "fs write w1", "build", "ask"),
    ("session: deny mcp__fs; allow mcp__fs @fs=1", "fs read r1", "build", "deny"),

    // Rules before the mode; a question where nobody answers is a refusal.
    ("allow mcp__fs__write @fs=1", "fs write w1", "plan", "allow"),
    ("allow mcp__fs__write @fs=1", "fs write w1", "explore", "allow"),
    ("allow mcp__fs__write @fs=1", "fs write w1", "unattended", "allow"),
    ("ask mcp__fs__write", "fs write w1", "plan", "ask"),
    ("ask mcp__fs__write", "fs write w1", "review", "ask"),
    ("ask mcp__fs__read", "fs read r1", "explore", "deny"),
    ("ask mcp__fs__read", "fs read r1", "unattended", "deny"),
    ("deny mcp__fs__read", "fs read r1", "unattended", "deny"),

    // An allow rule is bound to the definition it was made for; a deny rule is not.
    ("allow mcp__fs @fs=1", "fs write w2", "build", "ask"),
    ("allow mcp__fs @fs=1", "fs read r2", "build", "ask"),
    ("allow mcp__fs @fs=1", "fs write w2", "plan", "deny"),
    ("allow mcp__fs @fs=1", "fs write w2", "unattended", "deny"),
    ("allow mcp__fs @fs=1 @fs=2", "fs write w2", "build", "allow"),
    ("allow mcp__fs @fs=1; allow mcp__fs__write @fs=2", "fs write w2", "build", "allow"),
    ("allow mcp__fs", "fs write w1", "build", "ask"),
    ("allow mcp__fs", "fs read r1", "build", "allow"),
    ("session: allow mcp__fs", "fs write w1", "build", "allow"),
    ("deny mcp__fs", "fs read r2", "build", "deny"),

    // A repository only tightens until it is trusted.
    ("repo: allow mcp__fs @fs=1", "fs write w1", "build", "ask"),
    ("project: allow mcp__fs @fs=1", "fs write w1", "build", "allow"),
    ("repo: deny mcp__fs", "fs read r1", "build", "deny"),
    ("repo: ask mcp__fs; allow mcp__fs @fs=1", "fs write w1", "build", "ask"),

    // Conditions on arguments.
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"src/a/b.rs"}"#, "build", "allow"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"./src/a.rs"}"#, "build", "allow"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"test/a.rs"}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"src/../etc/passwd"}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"src/..\\..\\x"}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"src/%2e%2E/x"}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":"src/a\u0000.txt"}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":["src/a","etc/b"]}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":["src/a","src/b"]}"#, "build", "allow"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":[]}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", r#"fs write w1 {"path":{"x":"src/a"}}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**) @fs=1", "fs write w1", "build", "ask"),
    ("allow mcp__fs__write(path=src/*) @fs=1", r#"fs write w1 {"path":"src/a/b.rs"}"#, "build", "ask"),
    ("allow mcp__fs__write(path=src/**,force=false) @fs=1", r#"fs write w1 {"path":"src/a","force":false}"#, "build", "allow"),
    ("allow mcp__fs__write(path=src/**,force=false) @fs=1", r#"fs write w1 {"path":"src/a","force":true}"#, "build", "ask"),
    (r"allow mcp__fs__write(path={src\,test}/**) @fs=1", r#"fs write w1 {"path":"test/a"}"#, "build", "allow"),
    (r"allow mcp__fs__write(path={src\,test}/**) @fs=1", r#"fs write w1 {"path":"docs/a"}"#, "build", "ask"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":"secrets/key"}"#, "build", "deny"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":"src/../secrets/key"}"#, "build", "deny"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":".//secrets/./key"}"#, "build", "deny"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":["src/a","secrets/key"]}"#, "build", "deny"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":{"to":"secrets/key"}}"#, "build", "deny"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":"src/a"}"#, "build", "allow"),
    ("deny mcp__fs__read(path=secrets/**)", "fs read r1", "build", "allow"),
    ("deny mcp__fs__read(path=secrets/**)", r#"fs read r1 {"path":" secrets/key"}"#, "build", "deny"),
    ("deny mcp__fs__read(path=**/secrets/**)", r#"fs read r1 {"path":"/repo/secrets/key"}"#, "build", "deny"),
    ("deny mcp__fs__read(path=**/secrets/**)", r#"fs read r1 {"path":"secrets/key"}"#, "build", "deny"),
    ("deny mcp__db__query(limit=0)", r#"db query r1 {"limit":0}"#, "build", "deny"),
    ("deny mcp__fs(*)", "fs read r1", "build", "deny"),

    // A tool that changed since it was approved.
    ("allow mcp__fs @fs=1", "fs write w1 changed", "build", "ask"),
    ("allow mcp__fs @fs=1", "fs write w1 changed", "unattended", "deny"),
    ("allow mcp__fs @fs=1", "fs write w1 changed", "plan", "ask"),
    ("", "fs write w1 changed", "plan", "deny"),
    ("", "fs read r1 changed", "build", "ask"),
    ("allow mcp__fs @fs=1", "fs write w1 held", "build", "deny"),
    ("allow mcp__fs @fs=1", "fs write w1 reworded", "build", "allow"),
    ("", "fs read r1 noted", "build", "allow"),

    // FreeCode ignores case; here only rules that tighten do.
    ("freecode: deny mcp__GitHub", "github get r1", "build", "deny"),
    ("freecode: ask MCP__github__GET", "github get r1", "build", "ask"),
    ("freecode: deny mcp__github__get", "GitHub GET r1", "build", "deny"),
    ("freecode: deny mcp__github__get", "GitLab GET r1", "build", "allow"),
    ("freecode: deny mcp__github__get", "GitHub PUT w1", "build", "ask"),
    ("freecode: allow mcp__github", "github write w1", "build", "allow"),
    ("freecode: allow mcp__GitHub", "github write w1", "build", "ask"),

    // Rules about the host's own tools.
    ("allow write_file", "- write_file w", "build", "allow"),
    ("allow write_file", "fs write_file w1", "build", "ask"),
    ("deny write_*", "- write_file w", "build", "deny"),

    // A rule that denies or asks means what a person means by a name alone: a server, or a tool of any.
    ("deny web", "web echo r1", "build", "deny"),
    ("deny web", "webs echo r1", "build", "allow"),
    ("deny web", "fs web r1", "build", "deny"),
    ("ask web", "web echo r1", "build", "ask"),
    ("deny web*", "webs echo r1", "build", "deny"),
    ("deny write_file", "fs write_file w1", "build", "deny"),
    ("deny write_file", "fs write_files w1", "build", "ask"),
    ("deny delete_*", "fs delete_all w1", "build", "deny"),
    ("deny delete_*", "fs undelete_all w1", "build", "ask"),
    ("ask write_file(path=/etc/**)", r#"fs write_file w1 {"path":"/etc/x"}"#, "unattended", "deny"),
    ("deny write_file(path=/etc/**)", r#"fs write_file w1 {"path":"/srv/x"}"#, "build", "ask"),
    ("allow web", "web echo w1", "build", "ask"),
    ("allow web @web=1", "web echo w1", "build", "ask"),
    ("deny web.echo", "web echo r1", "build", "deny"),
    ("deny web.echo", "web echoes r1", "build", "allow"),
    ("deny web.*", "web echo r1", "build", "deny"),
    ("deny my.server.x", "my.server x r1", "build", "deny"),
    ("deny my.server.x", "my server.x r1", "build", "deny"),
    ("deny my.server.x", "my x r1", "build", "allow"),
    ("deny my.server", "my.server x r1", "build", "deny"),
    ("deny *.delete_all", "fs delete_all r1", "build", "deny"),
    ("allow web.echo @web=1", "web echo w1", "build", "allow"),
    ("allow web.echo @web=1", "web other w1", "build", "ask"),
    ("allow my.server.x @my=1 @my.server=1", "my server.x w1", "build", "allow"),
    ("allow my.server.x @my=1 @my.server=1", "my.server x w1", "build", "ask"),
    ("deny fs__write_file", "fs write_file w1", "build", "deny"),
    ("deny fs__write_file", "fs__write_file x r1", "build", "deny"),
    ("deny fs__*", "fs write_file w1", "build", "deny"),
    ("allow fs__write_file @fs=1", "fs write_file w1", "build", "ask"),
    ("freecode: deny write_file", "fs write_file w1", "build", "ask"),
    ("freecode: deny Write_File", "- write_file w", "build", "deny"),
    ("freecode: deny fs.write_file", "fs write_file w1", "build", "deny"),

    // A glob that denies or asks is also one over ids.
    ("deny mcp__linear_*", "linear create w1", "build", "deny"),
    ("deny mcp__linear_c*", "linear create w1", "build", "ask"),
    ("deny mcp__my_server__*", "my.server x r1", "build", "deny"),
    (r"deny mcp__my\_server\_\_*", "my_server x r1", "build", "allow"),
    ("deny mcp_linear_*", "linear create w1", "build", "deny"),
    ("ask mcp__lin*ear_*", "linear get r1", "build", "ask"),
    ("allow mcp__linear_* @linear=1", "linear create w1", "build", "ask"),
    ("allow mcp__my_server__* @my.server=1", "my.server x w1", "build", "ask"),

    ("ask write_file(path=/etc/**)", r#"- write_file w {"path":"/etc/passwd"}"#, "build", "ask"),
];

/// The documents a row's rules stand in, and the rules the host itself set.
struct Row {
    documents: Vec<(Source, String)>,
    session: RuleLayer,
}

impl Row {
    /// Puts each rule into a document of its own.
    fn new(text: &str) -> Self {
        let mut row = Self { documents: Vec::new(), session: RuleLayer::new(Source::session()) };
        for (position, rule) in text.split(';').map(str::trim).filter(|rule| !rule.is_empty()).enumerate() {
            let (source, rule) = rule.split_once(": ").unwrap_or(("user", rule));
            let (tier, rule) = rule.split_once(' ').expect("a tier and a rule");
            let mut words = rule.split(' ');
            let rule = words.next().expect("a rule");
            let definitions: serde_json::Map<String, Value> = words
                .map(|word| word.strip_prefix('@').and_then(|word| word.split_once('=')).expect("a binding"))
                .map(|(server, definition)| (server.to_owned(), json!(definition)))
                .collect();
            let name = format!("{position}.json");
            let source = match source {
                "user" => Source::user(name),
                "repo" => Source::project(name, Authority::Tighten),
                "project" => Source::project(name, Authority::Full),
                "freecode" => Source::freecode(name, Authority::Full),
                "session" => {
                    let tier = Tier::ALL.into_iter().find(|known| known.as_str() == tier).expect("a tier");
                    row.session = row.session.with(tier, rule).expect("a valid rule");
                    continue;
                }
                other => unreachable!("no source is called {other}"),
            };
            let definitions = if definitions.is_empty() { json!({}) } else { json!({ rule: definitions }) };
            row.documents
                .push((source, json!({"permissions": {tier: [rule], "definitions": definitions}}).to_string()));
        }
        row
    }

    fn rules(&self) -> Rules {
        let parsed = self.documents.iter().map(|(source, text)| {
            let (layer, problems) = parse_settings(source.clone(), text);
            assert_eq!(problems, [], "{text}");
            layer
        });
        Rules::new(parsed.chain([self.session.clone()]))
    }

    /// Does what the steps say; returns what was approved.
    fn follow(&mut self, steps: &[Remedy], request: &Request<'_>) -> Option<String> {
        let mut approved = None;
        for step in steps {
            match step {
                Remedy::Approve { server } => approved = Some((**server).to_owned()),
                Remedy::Forget { rule, scope } => {
                    for (_, text) in self.documents.iter_mut().filter(|(source, _)| source.scope == *scope) {
                        *text = settings_after(text, &forget_rule(rule));
                    }
                }
                Remedy::Allow { rule } => {
                    let binding = Binding { server: request.server.into(), definition: request.definition.into() };
                    let binding = (request.origin == Origin::Server).then_some(binding);
                    let rule = SettingsRule { scope: Scope::User, tier: Tier::Allow, rule: (**rule).into(), binding };
                    let text = settings_after("", &write_rule(&rule).expect("the rule can be written"));
                    self.documents.push((Source::user("new.json"), text));
                }
                other => unreachable!("{other:?} allows nothing"),
            }
        }
        approved
    }
}

/// Asks a row's question of whatever needs it.
fn with_request<T>(call: &str, ask: impl FnOnce(&Request<'_>) -> T) -> T {
    let mut words = call.splitn(4, ' ');
    let server = words.next().expect("a server");
    let tool = words.next().expect("a tool");
    let effect = words.next().expect("an effect");
    let rest = words.next().unwrap_or_default();
    let (arguments, standing) = if rest.starts_with('{') { (rest, "") } else { ("null", rest) };
    let arguments: Value = serde_json::from_str(arguments).expect("valid arguments");
    let host = server == "-";
    ask(&Request {
        server: if host { "" } else { server },
        definition: effect.get(1..).expect("a definition"),
        tool,
        effect: if effect.starts_with('r') { Effect::ReadOnly } else { Effect::Mutating },
        arguments: &arguments,
        standing: match standing {
            "" => Standing::Approved,
            "noted" => Standing::Noted,
            "reworded" => Standing::Reworded,
            "changed" => Standing::AskAgain,
            "held" => Standing::Held,
            other => unreachable!("no standing is called {other}"),
        },
        origin: if host { Origin::Host } else { Origin::Server },
    })
}

#[test]
fn the_table_holds() {
    let wrong: Vec<String> = TABLE
        .iter()
        .filter_map(|(rules, call, mode, expected)| {
            let known = Mode::parse(mode).expect("a mode");
            let explained = with_request(call, |request| Row::new(rules).rules().explain(request, known));
            let decision = with_request(call, |request| Row::new(rules).rules().decide(request, known));
            assert_eq!(explained.decision, decision, "an explanation is of the decision");
            let wrong = decision.verdict.as_str() != *expected;
            wrong.then(|| format!("[{rules}] {call} in {mode}: expected {expected}, got {decision}"))
        })
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn the_steps_of_a_refusal_let_the_call_through() {
    let (mut followed, mut without) = (0, Vec::new());
    for (rules, call, mode, _) in TABLE {
        let mode = Mode::parse(mode).expect("a mode");
        with_request(call, |request| {
            let mut row = Row::new(rules);
            let decision = row.rules().decide(request, mode);
            if decision.verdict == Verdict::Allow {
                assert_eq!(decision.remedies, [], "[{rules}] {call}");
                return;
            }
            if decision.remedies.is_empty() {
                without.push(*rules);
                return;
            }
            let approved = row.follow(&decision.remedies, request);
            let standing =
                if approved.as_deref() == Some(request.server) { Standing::Approved } else { request.standing };
            let retried = row.rules().decide(&Request { standing, ..*request }, mode);
            assert_eq!(retried.verdict, Verdict::Allow, "[{rules}] {call}: {:?}\n{retried}", decision.remedies);
            followed += 1;
        });
    }
    // Only what another program or the host itself forbids has no steps.
    assert!(without.iter().all(|rules| rules.contains("freecode: ") || rules.contains("session: ")), "{without:?}");
    assert!(followed >= 60 && without.len() <= 6, "{followed} followed, without: {without:?}");
}

#[test]
fn the_table_is_long_enough_and_has_no_row_twice() {
    let rows: std::collections::BTreeSet<_> = TABLE.iter().map(|(rules, call, mode, _)| (rules, call, mode)).collect();
    assert_eq!(rows.len(), TABLE.len());
    assert!(TABLE.len() >= 80, "{}", TABLE.len());
}
