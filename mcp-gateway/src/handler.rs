//! Answers an MCP peer from a [`Client`].

use mcp_client::registry::Registered;
use mcp_client::{Call, Client, chain};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

/// One peer's view of the client.
pub(crate) struct Handler {
    client: Client,
}

impl Handler {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("mcp-gateway", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.client.tools().tools().filter_map(definition).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = match self.client.call_with(Call::new(request.name, arguments)).await {
            Ok(answer) => serde_json::from_str(answer.raw.get())
                .unwrap_or_else(|_| CallToolResult::success(vec![ContentBlock::text(answer.text())])),
            // The model is told why, and can go on another way.
            Err(error) => CallToolResult::error(vec![ContentBlock::text(chain(&error))]),
        };
        Ok(CallToolResponse::Complete(result))
    }
}

/// The server's own definition of a tool, under the id it has here.
fn definition(registered: &Registered) -> Option<Tool> {
    let mut tool: Tool = serde_json::from_str(registered.tool.raw.get()).ok()?;
    tool.name = registered.id.as_str().to_owned().into();
    Some(tool)
}
