// A small server on the TypeScript SDK, for `cargo xtask soak` and the tests of mcp-transport.
//
// `node soak.mjs stdio`, or `node soak.mjs http PORT [KEEP_ALIVE_MS]`. Its tools: `echo`, `change` (adds a tool or takes
// it away, which the SDK announces), `ask` (a question to the person at the client) and, over HTTP, `forget`: the server
// forgets every session, and answers requests of forgotten ones with the given status.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const sessions = new Map();
let forgotten = 404;

function build() {
  const server = new McpServer({ name: "soak-typescript", version: "1.0.0" });
  const readOnly = { readOnlyHint: true };
  let extra;
  server.registerTool("echo", { inputSchema: { message: z.string() }, annotations: readOnly }, ({ message }) => text(message));
  server.registerTool("change", { inputSchema: {} }, () => {
    if (extra) {
      extra.remove();
      extra = undefined;
    } else {
      extra = server.registerTool("extra", { inputSchema: {} }, () => text("extra"));
    }
    return text(extra ? "added" : "removed");
  });
  server.registerTool("ask", { inputSchema: {} }, async () => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const answer = await server.server.elicitInput({ message: "Who are you?", requestedSchema });
    return text(`${answer.action} ${answer.content?.name ?? ""}`);
  });
  server.registerTool("forget", { inputSchema: { status: z.number() } }, ({ status }) => {
    forgotten = status;
    setImmediate(() => sessions.clear());
    return text("forgotten");
  });
  return server;
}

async function serve(request, response, keepAliveMs) {
  const id = request.headers["mcp-session-id"];
  let transport = sessions.get(id);
  if (id && !transport) {
    const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
    response.writeHead(forgotten, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
    return;
  }
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      keepAliveMs,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => sessions.set(session, transport),
    });
    await build().connect(transport);
  }
  await transport.handleRequest(request, response);
}

const [mode, port, keepAlive] = process.argv.slice(2);
if (mode === "stdio") {
  await build().connect(new StdioServerTransport());
} else {
  const http = createServer((request, response) => serve(request, response, Number(keepAlive ?? 15000)));
  http.listen(Number(port), "127.0.0.1", () => console.error(`listening on ${port}`));
}
