//! A small server on rmcp, for `cargo xtask soak` and the tests: `rmcp_server stdio`, or `rmcp_server http PORT`.
//!
//! Its tools are those of `xtask/servers/soak.mjs`, but for `forget`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper_util::rt::TokioIo;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::json;
use tokio::sync::broadcast;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    match &arguments[..] {
        [mode] if mode == "stdio" => runtime.block_on(async {
            let served = Server::default().serve(rmcp::transport::stdio()).await.expect("a client");
            served.waiting().await.map(drop).expect("an orderly end");
        }),
        [mode, port] if mode == "http" => runtime.block_on(serve(port.parse().expect("a port"))),
        _ => {}
    }
}

async fn serve(port: u16) {
    let server = Server::default();
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("a free port");
    while let Ok((stream, _)) = listener.accept().await {
        let service = service.clone();
        let answer = hyper::service::service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) }
        });
        let serving = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
        // A client that leaves in the middle is part of many tests.
        tokio::spawn(async move { serving.await.unwrap_or_default() });
    }
}

/// All sessions share the one tool that comes and goes.
#[derive(Clone)]
struct Server {
    extra: Arc<AtomicBool>,
    changed: broadcast::Sender<()>,
}

impl Default for Server {
    fn default() -> Self {
        Self { extra: Arc::default(), changed: broadcast::Sender::new(16) }
    }
}

fn tool(name: &'static str, properties: &serde_json::Value) -> Tool {
    let schema = json!({"type": "object", "properties": properties});
    Tool::new(name, name, schema.as_object().cloned().unwrap_or_default())
}

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResponse::Complete(CallToolResult::success(vec![ContentBlock::text(text)]))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = vec![tool("echo", &json!({"message": {"type": "string"}})), tool("change", &json!({}))];
        if self.extra.load(Ordering::SeqCst) {
            tools.push(tool("extra", &json!({})));
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        match &*request.name {
            "echo" => Ok(text(arguments.get("message").and_then(|message| message.as_str()).unwrap_or_default())),
            "change" => {
                let present = !self.extra.fetch_xor(true, Ordering::SeqCst);
                // Clients of the newer protocol hear it on what they listen to, others by themselves.
                if self.changed.send(()).is_err() && context.peer.notify_tool_list_changed().await.is_err() {
                    return Err(ErrorData::internal_error("nobody was told", None));
                }
                Ok(text(if present { "added" } else { "removed" }))
            }
            other => Err(ErrorData::invalid_params(format!("no tool `{other}`"), None)),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changed = self.changed.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                _change = changed.recv() => {
                    if context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
