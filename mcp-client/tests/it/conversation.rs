//! A scripted model that asks for tools, and what its next request then holds.

use std::sync::Arc;

use mcp_client::registry::{Mode, RuleLayer, Source, Tier};
use mcp_client::search::{Deferral, DeferralReason};
use mcp_client::{Client, Conversation, ConversationOptions, Error, Outcome, Reply, ToolList, Withholding};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::stage::{Stage, reads, writes};

fn issue() -> Value {
    json!({
        "type": "object",
        "properties": {"title": {"type": "string", "description": "What the issue is called."}},
        "required": ["title"],
        "additionalProperties": false,
    })
}

fn described(mut tool: Value, description: &str) -> Value {
    tool["description"] = json!(description);
    tool
}

/// Two servers that share the name of one tool.
async fn stage() -> Stage {
    let github = json!([
        described(reads("create_issue", &issue()), "Open a new issue in a repository."),
        described(reads("list_labels", &json!({"type": "object"})), "List the labels of a repository."),
        described(reads("search", &issue()), "Search code."),
    ]);
    let mail = json!([
        described(reads("send", &issue()), "Send an e-mail to somebody."),
        described(reads("search", &issue()), "Search the mailbox."),
    ]);
    Stage::new().with_server("github", github).await.with_server("mail", mail).await
}

fn withheld() -> ConversationOptions {
    let mut withholding = Withholding::default();
    withholding.deferral = Some(Deferral::Always);
    ConversationOptions::default().with_withholding(withholding)
}

fn begin(client: &Client) -> Conversation {
    client.conversation("anthropic", withheld()).unwrap()
}

/// What a model sees of the tools: their names in order.
fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The model uses the resolver.
async fn resolve(conversation: &mut Conversation, arguments: Value) -> Reply {
    conversation.answer("ResolveMcpTools", arguments).await
}

#[tokio::test]
async fn a_tool_asked_for_is_there_in_the_next_request_of_the_turn() {
    let cases = [
        ("its name", json!({"names": ["create_issue"]})),
        ("its id", json!({"names": ["mcp__github__create_issue"]})),
        ("another spelling", json!({"names": "createIssue"})),
        ("what it does", json!({"query": "file a bug as an issue", "limit": 1})),
    ];
    for (by, arguments) in cases {
        let stage = stage().await;
        let mut conversation = begin(&stage.client().await);

        let first = conversation.tools();
        assert_eq!(names(&first), ["ResolveMcpTools"], "{by}");
        let reply = resolve(&mut conversation, arguments).await;
        assert!(!reply.is_error && reply.text.contains("mcp__github__create_issue"), "{by}: {reply:?}");
        assert!(!reply.text.contains("inputSchema"), "a host that adds tools needs no schema in the answer");

        let second = conversation.tools();
        assert_eq!(names(&second), ["ResolveMcpTools", "mcp__github__create_issue"], "{by}");
        assert_eq!(second[0], first[0], "what was sent before is sent again byte for byte");
        assert_eq!(second[1]["input_schema"]["required"], json!(["title"]));

        let answer = conversation.answer("mcp__github__create_issue", json!({"title": by})).await;
        assert!(matches!(answer.outcome, Outcome::Called(_)) && !answer.is_error, "{by}: {answer:?}");
        assert_eq!(stage.calls(), [json!({"title": by})]);
    }
}

#[tokio::test]
async fn resolved_tools_stay_in_the_order_in_which_they_were_found() {
    let stage = stage().await;
    let mut conversation = begin(&stage.client().await);
    resolve(&mut conversation, json!({"names": ["send", "create_issue"]})).await;
    let before = conversation.tools().to_string();
    resolve(&mut conversation, json!({"names": ["create_issue"], "query": "labels", "limit": 1})).await;
    let after = conversation.tools();
    let expected = ["ResolveMcpTools", "mcp__mail__send", "mcp__github__create_issue", "mcp__github__list_labels"];
    assert_eq!(names(&after), expected);
    assert!(after.to_string().starts_with(before.trim_end_matches(']')), "the list only grows at its end");
    assert_eq!(conversation.resolved(), &expected[1..]);
}

#[tokio::test]
async fn an_unknown_name_gets_the_most_similar_ones() {
    let stage = stage().await;
    let mut conversation = begin(&stage.client().await);
    let reply = resolve(&mut conversation, json!({"names": ["create_isue"]})).await;
    assert!(reply.is_error && reply.text.contains("mcp__github__create_issue"), "{reply:?}");
    assert_eq!(names(&conversation.tools()), ["ResolveMcpTools"], "nothing is guessed at");
    let call = conversation.answer("mcp__github__create_isue", json!({"title": "x"})).await;
    assert!(call.is_error && call.text.contains("mcp__github__create_issue"), "{call:?}");
    assert_eq!(stage.calls(), Vec::<Value>::new());
}

#[tokio::test]
async fn an_ambiguous_name_is_asked_back() {
    let stage = stage().await;
    let mut conversation = begin(&stage.client().await);
    let reply = resolve(&mut conversation, json!({"names": ["search"]})).await;
    assert!(reply.text.contains("mcp__github__search") && reply.text.contains("mcp__mail__search"), "{reply:?}");
    assert!(!reply.is_error, "a question back is no failure");
    assert_eq!(names(&conversation.tools()), ["ResolveMcpTools"]);
}

#[tokio::test]
async fn a_server_still_connecting_is_pending_and_not_missing() {
    let bell = Arc::new(Notify::new());
    let stage = stage().await.with_late_server("chat", json!([reads("post", &issue())]), bell.clone()).await;
    let client = stage.builder().build();
    client.start_server("github").await.unwrap();
    let mut conversation = begin(&client);
    let (_started, ()) = tokio::join!(client.start_server("chat"), async {
        let reply = resolve(&mut conversation, json!({"names": ["post"]})).await;
        assert!(reply.text.contains("Still connecting") && reply.text.contains("chat"), "{reply:?}");
        assert!(!reply.is_error, "it may yet come");
        bell.notify_one();
    });
    let reply = resolve(&mut conversation, json!({"names": ["post"]})).await;
    assert!(matches!(&reply.outcome, Outcome::Resolved(resolution) if resolution.pending.is_empty()), "{reply:?}");
    assert_eq!(names(&conversation.tools()), ["ResolveMcpTools", "mcp__chat__post"]);
}

#[tokio::test]
async fn what_is_denied_is_not_listed_found_named_or_called() {
    let stage = stage().await;
    let denied = RuleLayer::new(Source::session()).with(Tier::Deny, "mcp__github__create_issue").unwrap();
    let client = stage.builder().rules(denied).build();
    client.start().await;
    let mut conversation = begin(&client);
    let asked = [
        json!({"names": ["mcp__github__create_issue"]}),
        json!({"names": ["create_isue"]}),
        json!({"query": "create a new issue in a repository"}),
    ];
    for arguments in asked {
        let reply = resolve(&mut conversation, arguments.clone()).await;
        let Outcome::Resolved(resolution) = &reply.outcome else { panic!("{reply:?}") };
        assert!(resolution.tools.iter().all(|tool| tool.id != "mcp__github__create_issue"), "{arguments}: {reply:?}");
        assert!(
            resolution.unknown.iter().all(|unknown| unknown.nearest.is_empty()
                || !unknown.nearest.contains(&"mcp__github__create_issue".to_owned())),
            "{arguments}: {reply:?}"
        );
    }
    assert!(!conversation.tools().to_string().contains("create_issue"), "the catalogue does not list it");
    let misspelled = conversation.answer("mcp__github__create_isue", json!({"title": "x"})).await;
    assert!(!misspelled.text.contains("create_issue"), "{misspelled:?}");
    let called = conversation.answer("mcp__github__create_issue", json!({"title": "x"})).await;
    assert!(matches!(&called.outcome, Outcome::Failed(error) if error.is_denied()), "{called:?}");
    assert_eq!(stage.calls(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_mode_hides_what_it_refuses_unless_a_rule_may_allow_it() {
    let stage = Stage::new().with_server("s", json!([reads("look", &issue()), writes("write", &issue())])).await;
    let table: [(&str, &[&str]); 3] = [
        ("", &["mcp__s__look"]),
        ("mcp__s__write", &["mcp__s__look", "mcp__s__write"]),
        ("mcp__s__write(title=draft*)", &["mcp__s__look", "mcp__s__write"]),
    ];
    for (allowed, offered) in table {
        let mut layer = RuleLayer::new(Source::session());
        if !allowed.is_empty() {
            layer = layer.with(Tier::Allow, allowed).unwrap();
        }
        let client = stage.builder().mode(Mode::Plan).rules(layer).build();
        client.start().await;
        let mut conversation = client.conversation("portable", ConversationOptions::default()).unwrap();
        assert_eq!(names(&conversation.tools()), offered, "{allowed}");
    }
}

#[tokio::test]
async fn a_call_of_a_tool_never_seen_gets_its_definition() {
    let stage = stage().await;
    let mut conversation = begin(&stage.client().await);
    let reply = conversation.answer("mcp__mail__send", json!({"subject": "x"})).await;
    assert!(reply.is_error && reply.text.contains("definition is loaded"), "{reply:?}");
    assert_eq!(names(&conversation.tools()), ["ResolveMcpTools", "mcp__mail__send"]);
    let again = conversation.answer("mcp__mail__send", json!({"subject": "x"})).await;
    assert!(again.is_error && !again.text.contains("definition is loaded"), "{again:?}");
}

#[tokio::test]
async fn what_makes_no_sense_is_answered_and_not_guessed_at() {
    let stage = stage().await;
    let mut conversation = begin(&stage.client().await);
    for arguments in
        [json!({}), json!({"names": []}), json!({"query": "  "}), json!({"name": "send"}), json!([]), json!(7)]
    {
        let reply = resolve(&mut conversation, arguments.clone()).await;
        assert!(reply.is_error && matches!(reply.outcome, Outcome::Failed(_)), "{arguments}: {reply:?}");
    }
    assert_eq!(names(&conversation.tools()), ["ResolveMcpTools"]);
}

#[tokio::test]
async fn a_client_with_a_fixed_list_gets_definitions_and_calls_through_one_tool() {
    let stage = stage().await;
    let client = stage.client().await;
    let mut conversation = client.conversation("portable", withheld().with_tool_list(ToolList::Fixed)).unwrap();
    let list = conversation.tools();
    assert_eq!(names(&list), ["ResolveMcpTools", "CallMcpTool", "output"]);
    let reply = resolve(&mut conversation, json!({"query": "send an e-mail", "limit": 1})).await;
    let definition = reply.text.lines().find(|line| line.starts_with('{')).unwrap();
    let definition: Value = serde_json::from_str(definition).unwrap();
    assert_eq!(definition["name"], "mcp__mail__send");
    assert_eq!(definition["inputSchema"]["required"], json!(["title"]));
    assert_eq!(conversation.tools(), list, "the list is fixed");
    let call = json!({"name": "mcp__mail__send", "arguments": {"title": "hello"}});
    let answer = conversation.answer(Conversation::CALL_TOOL, call).await;
    assert!(matches!(answer.outcome, Outcome::Called(_)), "{answer:?}");
    assert_eq!(stage.calls(), [json!({"title": "hello"})]);
    let wrong = conversation.answer(Conversation::CALL_TOOL, json!({"name": "mcp__mail__send"})).await;
    assert!(wrong.is_error && wrong.text.contains("Its definition: {"), "{wrong:?}");
    let senseless = conversation.answer(Conversation::CALL_TOOL, json!({"tool": "x"})).await;
    assert!(matches!(senseless.outcome, Outcome::Failed(Error::Request { .. })), "{senseless:?}");
}

#[tokio::test]
async fn who_asks_never_to_be_withheld_is_not() {
    let eager = {
        let mut tool = reads("eager", &issue());
        tool["_meta"] = json!({"anthropic/alwaysLoad": true});
        tool
    };
    let tools = || json!([eager.clone(), reads("lazy", &issue())]);
    let stage = Stage::new().with_server("plain", tools()).await.with_server("said_no", tools()).await;
    let stage = stage.with_server("said_yes", tools()).await;
    let stage = stage.with_changed_entry("said_yes", |entry| entry["alwaysLoad"] = json!(true));
    let stage = stage.with_changed_entry("said_no", |entry| entry["alwaysLoad"] = json!(false));
    let mut options = withheld();
    options.withholding.always_load.insert("mcp__said_no__lazy".to_owned());
    let mut conversation = stage.client().await.conversation("anthropic", options).unwrap();
    let loaded = ["mcp__plain__eager", "mcp__said_no__lazy", "mcp__said_yes__eager", "mcp__said_yes__lazy"];
    assert_eq!(names(&conversation.tools())[1..], loaded);
    assert_eq!(conversation.decision().tools, 2, "what is loaded in any case does not count");
}

#[tokio::test]
async fn the_decision_has_its_reasons() {
    let many: Vec<Value> = (0..11).map(|number| reads(&format!("tool_{number}"), &issue())).collect();
    let few = stage().await.client().await;
    let many = Stage::new().with_server("many", json!(many)).await;
    let plenty = many.client().await;
    let mut options = Withholding::default();
    let decide = |client: &Client, options: &Withholding| client.deferral("anthropic", options).unwrap();
    assert_eq!(decide(&few, &options).reason, DeferralReason::FewTools);
    assert_eq!(decide(&plenty, &options).reason, DeferralReason::SmallShare);
    options.context_tokens = 1_000;
    let decision = decide(&plenty, &options);
    assert_eq!((decision.defer, decision.reason, decision.tools), (true, DeferralReason::WorthIt, 11));
    options.count_tokens = Arc::new(|_definition| 1);
    assert_eq!(decide(&plenty, &options).tokens, 11, "a better count than the estimate is taken");
    options.count_tokens = Withholding::default().count_tokens;
    options.sub_agent = true;
    assert_eq!(decide(&plenty, &options).reason, DeferralReason::SubAgent);
    assert_eq!(names(&plenty.conversation("anthropic", ConversationOptions::default()).unwrap().tools()).len(), 11);
}

#[tokio::test]
async fn settings_and_the_preset_decide_where_nobody_else_does() {
    let stage = stage().await;
    let decide = |client: &Client| client.deferral("anthropic", &Withholding::default());
    stage.write_settings(&json!({"deferMcpSchemas": true}));
    assert_eq!(decide(&stage.client().await).unwrap().reason, DeferralReason::Setting);
    stage.write_settings(&json!({"deferMcpSchemas": "sometimes"}));
    let error = decide(&stage.client().await).unwrap_err();
    assert!(matches!(&error, Error::Setting { key, .. } if key == "deferMcpSchemas") && error.is_usage(), "{error:?}");
    stage.write_settings(&json!({}));
    let hoocode = stage.builder().preset(mcp_client::config::Preset::Hoocode).build();
    hoocode.start().await;
    let decision = decide(&hoocode).unwrap();
    assert_eq!((decision.defer, decision.reason), (true, DeferralReason::Setting));
}

#[tokio::test]
async fn a_tool_that_goes_is_named_and_the_list_stays() {
    let stage = stage().await;
    let client = stage.client().await;
    let mut conversation = begin(&client);
    resolve(&mut conversation, json!({"names": ["send"]})).await;
    let before = conversation.tools();
    assert_eq!(conversation.outdated(), Vec::<String>::new());
    client.stop().await;
    assert_eq!(conversation.tools(), before);
    assert_eq!(conversation.outdated(), ["mcp__mail__send"]);
    let call = conversation.answer("mcp__mail__send", json!({"title": "x"})).await;
    assert!(call.is_error, "{call:?}");
    conversation.refresh();
    assert_eq!(names(&conversation.tools()), ["ResolveMcpTools"]);
}

#[tokio::test]
async fn native_withholding_sends_all_and_refers_to_what_was_found() {
    use mcp_client::provider::{anthropic, openai};

    let stage = stage().await;
    let mut conversation = begin(&stage.client().await);
    let deferred = conversation.deferred_tools();
    let array = anthropic::tools(deferred.clone(), anthropic::Search::Own).unwrap();
    assert_eq!(names(&array).len(), 6, "the resolver and five tools");
    let reply = resolve(&mut conversation, json!({"names": ["send"]})).await;
    let Outcome::Resolved(resolution) = &reply.outcome else { panic!("{reply:?}") };
    let found = || resolution.tools.iter().map(|tool| tool.id.as_str());
    let content = anthropic::references(found(), &reply.text, &array).unwrap();
    assert_eq!(content, json!([{"type": "tool_reference", "tool_name": "mcp__mail__send"}]));
    let output = openai::search_output("call", found(), &deferred).unwrap();
    assert_eq!(output["tools"][0]["tools"][0]["name"], "mcp__mail__send");
}

#[tokio::test]
async fn a_long_output_is_shortened_and_the_model_reads_on() {
    let stage = stage().await;
    let client = stage.client().await;
    let (mut conversation, mut other) = (begin(&client), begin(&client));
    resolve(&mut conversation, json!({"names": ["send"]})).await;
    let before = conversation.tools();
    let long = json!({"title": "x".repeat(100_000)});
    let reply = conversation.answer("mcp__mail__send", long).await;
    assert!(!reply.is_error && reply.text.len() < 50_000, "{} bytes", reply.text.len());
    let after = conversation.tools();
    assert_eq!(names(&after), ["ResolveMcpTools", "mcp__mail__send", "output"]);
    assert!(after.to_string().starts_with(before.to_string().trim_end_matches(']')), "the list only grows at its end");
    let id = reply.text.split('"').find(|word| word.starts_with("out-")).unwrap().to_owned();
    let read = conversation.answer("output", json!({"id": id, "offset": 1})).await;
    assert!(matches!(read.outcome, Outcome::Read) && !read.is_error && !read.text.is_empty(), "{read:?}");
    let foreign = other.answer("output", json!({"id": id, "offset": 1})).await;
    assert!(foreign.is_error, "another conversation's outputs are not for this one: {foreign:?}");
    assert_eq!(conversation.outdated(), Vec::<String>::new());
}
