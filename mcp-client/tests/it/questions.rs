//! What servers ask in the middle of a call, and who answers.

use std::sync::{Arc, Mutex};

use mcp_client::transport::{BoxFuture, Elicitation, ElicitationAnswer, Features, Handler};
use mcp_client::{Answer, Call, Client, Error, form_defaults};
use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, modern_http};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::stage::Stage;

/// Answers a form with its defaults, and keeps who asked.
#[derive(Default)]
struct Person {
    asked: Mutex<Vec<String>>,
}

impl Handler for Person {
    fn features(&self) -> Features {
        Features { elicitation_form: true, ..Features::default() }
    }

    fn elicit<'a>(&'a self, server: &'a str, question: Elicitation) -> BoxFuture<'a, ElicitationAnswer> {
        let Elicitation::Form { message, schema } = question else {
            return Box::pin(std::future::ready(ElicitationAnswer::Decline));
        };
        self.asked.lock().unwrap().push(format!("{server}: {message}"));
        let content = to_raw_value(&form_defaults(&schema)).unwrap();
        Box::pin(std::future::ready(ElicitationAnswer::Accept(Some(content))))
    }
}

/// A server of 2026-07-28 whose tool asks for a name before it answers with what it was told.
fn asks(request: &HttpRequest) -> HttpAnswer {
    if request.rpc_method() != "tools/call" {
        return modern_http(request);
    }
    let message = request.json();
    let form = json!({"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}});
    let question = json!({"mode": "form", "message": "Who?", "requestedSchema": form});
    let result = match &message["params"]["inputResponses"] {
        Value::Null => json!({
            "resultType": "input_required",
            "inputRequests": {"who": {"method": "elicitation/create", "params": question}},
            "requestState": "halfway",
        }),
        answers => json!({"content": [{"type": "text", "text": answers["who"].to_string()}]}),
    };
    HttpAnswer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

/// A stage with that server under the name `library`.
async fn library() -> (Stage, HttpPeer) {
    let peer = HttpPeer::start(asks).await.unwrap();
    (Stage::new().with_entry("library", json!({"type": "http", "url": peer.url("/mcp")})), peer)
}

async fn call(client: &Client) -> Result<Answer, Error> {
    client.start().await;
    client.call_with(Call::new("echo", json!({})).with_consent()).await
}

/// What the client says it can do, in the last call that reached the server.
fn capabilities(peer: &HttpPeer) -> Value {
    let last = peer.requests().into_iter().rfind(|request| request.rpc_method() == "tools/call").unwrap();
    last.json()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone()
}

#[tokio::test]
async fn the_handler_answers_and_learns_which_server_asks() {
    let (stage, peer) = library().await;
    let person = Arc::new(Person::default());
    let answer = call(&stage.builder().handler(person.clone()).build()).await.unwrap();
    let told: Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!(told, json!({"action": "accept", "content": {"name": "Ada"}}));
    assert_eq!(*person.asked.lock().unwrap(), ["library: Who?"]);
    assert_eq!(capabilities(&peer)["elicitation"], json!({"form": {}}));
}

#[tokio::test]
async fn with_nobody_to_answer_no_server_is_told_that_it_may_ask() {
    let (stage, peer) = library().await;
    let error = call(&stage.builder().build()).await.unwrap_err();
    assert!(matches!(&error, Error::Call { .. }), "{error:?}");
    assert_eq!(capabilities(&peer).get("elicitation"), None);
}
