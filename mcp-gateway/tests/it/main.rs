//! The gateway as an MCP client meets it: rmcp on one side, a scripted server on the other.
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its stage has failed")]

use mcp_client::Client;
use mcp_client::config::Environment;
use mcp_testkit::{HttpAnswer, HttpPeer, HttpRequest, well_behaved};
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::json;
use tempfile::TempDir;

fn answer(request: &HttpRequest) -> HttpAnswer {
    let tools = json!([
        {
            "name": "look",
            "description": "Looks.",
            "inputSchema": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
            "annotations": {"readOnlyHint": true},
        },
        {"name": "write", "inputSchema": {"type": "object"}},
    ]);
    well_behaved(
        request,
        &tools,
        |params| json!({"content": [{"type": "text", "text": params["arguments"]["at"]}], "isError": false}),
    )
}

/// A peer that talks to the gateway, and what it needs to keep alive.
struct Stage {
    peer: RunningService<RoleClient, ()>,
    _upstream: HttpPeer,
    _folder: TempDir,
}

async fn stage() -> Stage {
    let upstream = HttpPeer::start(answer).await.unwrap();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("servers.json");
    std::fs::write(&file, json!({"mcpServers": {"up": {"type": "http", "url": upstream.url("/mcp")}}}).to_string())
        .unwrap();
    let client = Client::builder(Environment::new(folder.path())).config(file).build();
    client.start().await;
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(ours);
    tokio::spawn(mcp_gateway::serve(client, input, output));
    Stage { peer: ().serve(theirs).await.unwrap(), _upstream: upstream, _folder: folder }
}

fn text(result: &rmcp::model::CallToolResult) -> String {
    result.content[0].as_text().unwrap().text.clone()
}

#[tokio::test]
async fn tools_are_listed_under_their_ids_and_called() {
    let stage = stage().await;
    let tools = stage.peer.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["mcp__up__look", "mcp__up__write"]);
    assert_eq!(tools[0].input_schema["required"], json!(["at"]));

    let call = CallToolRequestParams::new("mcp__up__look").with_arguments(rmcp::object!({"at": "the sky"}));
    let result = stage.peer.call_tool(call).await.unwrap();
    assert_eq!((text(&result).as_str(), result.is_error), ("the sky", Some(false)));
}

#[tokio::test]
async fn what_is_denied_or_wrong_is_told_to_the_model() {
    let stage = stage().await;
    for (tool, arguments, told) in [
        ("mcp__up__write", rmcp::object!({}), "may not be called"),
        ("mcp__up__look", rmcp::object!({}), "does not accept these arguments"),
        ("mcp__up__nothing", rmcp::object!({}), "no tool"),
    ] {
        let result = stage.peer.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{tool}");
        assert!(text(&result).contains(told), "{tool}: {}", text(&result));
    }
}

#[tokio::test]
async fn serving_ends_when_the_peer_hangs_up() {
    let client = Client::builder(Environment::new(std::env::temp_dir())).config("/nonexistent/servers.json").build();
    let (ours, theirs) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(ours);
    let serving = tokio::spawn(mcp_gateway::serve(client, input, output));
    let peer = ().serve(theirs).await.unwrap();
    peer.cancel().await.unwrap();
    serving.await.unwrap().unwrap();
}
