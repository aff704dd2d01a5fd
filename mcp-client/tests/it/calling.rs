//! From a reference and arguments to what the server is sent.

use std::pin::Pin;
use std::sync::Arc;

use mcp_client::provider::tool_array;
use mcp_client::registry::Answer as Reply;
use mcp_client::{Approve, Call, Error, Question, Remedy};
use serde_json::{Value, json};

use crate::stage::{Stage, reads, writes};

fn note() -> Value {
    json!({
        "type": "object",
        "properties": {"title": {"type": "string"}, "stars": {"type": "integer"}},
        "required": ["title"],
        "additionalProperties": false,
    })
}

#[tokio::test]
async fn references_mean_one_tool_or_none() {
    let stage = Stage::new()
        .with_server("one", json!([reads("look", &note()), reads("only", &note())]))
        .await
        .with_server("two", json!([reads("look", &note())]))
        .await;
    let client = stage.client().await;
    for reference in ["mcp__one__look", "one.look", "only", "two.look"] {
        client.call(reference, json!({"title": reference})).await.unwrap();
    }
    let ambiguous = client.call("look", json!({"title": ""})).await.unwrap_err();
    let Error::AmbiguousTool { candidates, .. } = ambiguous else { panic!("{ambiguous:?}") };
    assert_eq!(candidates, ["mcp__one__look", "mcp__two__look"]);
    let unknown = client.call("mcp__one__lok", json!({"title": ""})).await.unwrap_err();
    let Error::UnknownTool { nearest, .. } = unknown else { panic!("{unknown:?}") };
    assert_eq!(nearest.first().map(String::as_str), Some("mcp__one__look"));
    assert_eq!(stage.calls().len(), 4, "what is not understood is not sent");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_not_sent() {
    let stage = Stage::new().with_server("one", json!([reads("look", &note())])).await;
    let client = stage.client().await;
    for arguments in [json!({}), json!({"title": 7}), json!({"title": "a", "colour": "red"}), json!([])] {
        let error = client.call("look", arguments.clone()).await.unwrap_err();
        assert!(matches!(error, Error::Arguments { .. }) && error.is_usage(), "{arguments}: {error:?}");
    }
    assert_eq!(stage.calls(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_model_s_arguments_are_sent_in_the_tool_s_own_words() {
    let stage = Stage::new().with_server("one", json!([reads("look", &note())])).await;
    let client = stage.client().await;
    let offers = client.convert("openai-strict").unwrap().into_iter().map(|converted| converted.offer).collect();
    let function = tool_array("openai-strict", offers)[0]["function"].clone();
    assert_eq!(function["parameters"]["required"], json!(["title", "stars"]), "strict mode makes every field required");

    let call = Call::new("mcp__one__look", json!({"title": "a", "stars": null})).for_profile("openai-strict");
    client.call_with(call).await.unwrap();
    assert_eq!(stage.calls(), [json!({"title": "a"})], "a null sent for want of an optional field is no argument");
}

#[tokio::test]
async fn a_null_for_an_optional_parameter_is_no_argument() {
    let nullable =
        json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b/~": {"type": "string"}}});
    let tools = json!([reads("look", &note()), reads("nullable", &nullable)]);
    let stage = Stage::new().with_server("one", tools).await;
    let client = stage.client().await;
    client.call("look", json!({"title": "a", "stars": null})).await.unwrap();
    client.call("nullable", json!({"a": null, "b/~": null})).await.unwrap();
    assert_eq!(stage.calls(), [json!({"title": "a"}), json!({"a": null})], "a null that is accepted is a value");
    for refused in [json!({"title": null}), json!({"title": 7, "stars": null}), json!({"title": "a", "colour": null})] {
        let sent = client.call("look", refused.clone()).await;
        assert!(matches!(sent, Err(Error::Arguments { .. })), "{refused}: {sent:?}");
    }
}

/// Says yes or no, and keeps what was asked.
struct Person {
    says: Reply,
    asked: std::sync::Mutex<Vec<String>>,
}

impl Approve for Person {
    fn approve<'a>(&'a self, question: &'a Question) -> Pin<Box<dyn Future<Output = Reply> + Send + 'a>> {
        self.asked.lock().unwrap().push(format!("{}.{} {}", question.server, question.tool, question.arguments));
        Box::pin(std::future::ready(self.says))
    }
}

#[tokio::test]
async fn what_may_change_something_is_asked_about_first() {
    let stage = Stage::new().with_server("one", json!([reads("look", &note()), writes("write", &note())])).await;
    for (says, sent) in [(Reply::Deny, 0), (Reply::Once, 1)] {
        let person = Arc::new(Person { says, asked: std::sync::Mutex::default() });
        let client = stage.builder().approver(person.clone()).build();
        client.start().await;
        client.call("look", json!({"title": "free"})).await.unwrap();
        let written = client.call("write", json!({"title": "asked"})).await;
        assert_eq!(written.is_ok(), says == Reply::Once, "{written:?}");
        assert_eq!(*person.asked.lock().unwrap(), [r#"one.write {"title":"asked"}"#]);
        let writes = stage.calls().into_iter().filter(|arguments| arguments["title"] == "asked").count();
        assert_eq!(writes, sent);
    }
}

#[tokio::test]
async fn with_nobody_to_ask_it_is_denied_with_the_step_that_allows_it() {
    let stage = Stage::new().with_server("one", json!([writes("write", &note())])).await;
    let error = stage.client().await.call("write", json!({"title": "a"})).await.unwrap_err();
    assert!(error.is_denied(), "{error:?}");
    assert_eq!(error.remedies(), [Remedy::Allow { rule: "mcp__one__write".into() }], "{error:?}");
    assert_eq!(stage.calls(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_schema_nobody_can_read_is_left_to_its_server() {
    let unreadable = json!({"$schema": "https://example.com/no-such-dialect", "type": "object"});
    let stage = Stage::new().with_server("one", json!([reads("odd", &unreadable)])).await;
    let client = stage.client().await;
    let converted = client.convert("openai").unwrap();
    assert!(!converted[0].report.is_lossless());
    client.call("odd", json!({"anything": 1})).await.unwrap();
    assert_eq!(stage.calls(), [json!({"anything": 1})]);
}
