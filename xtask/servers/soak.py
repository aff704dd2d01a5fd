"""A small server on the Python SDK, for `cargo xtask soak` and the tests of mcp-transport.

`python soak.py stdio`, or `python soak.py http PORT`. Its tools: `echo`, `change` (adds a tool or takes it away, and
announces it to clients of either era) and `ask` (a question to the person at the client; of older clients only, as the
newer protocol has no requests from the server).
"""

import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("soak-python")


class Name(BaseModel):
    name: str


def extra() -> str:
    """Comes and goes."""
    return "extra"


present = False


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def echo(message: str) -> str:
    """Says what it is told."""
    return message


@server.tool()
async def change(ctx: Context) -> str:
    """Adds a tool, or takes it away."""
    global present
    if present:
        server.remove_tool("extra")
    else:
        server.add_tool(extra)
    present = not present
    await ctx.notify_tools_changed()
    if ctx.request_context.protocol_version < "2026":
        await ctx.session.send_tool_list_changed()
    return "added" if present else "removed"


@server.tool()
async def ask(ctx: Context) -> str:
    """Asks for a name."""
    answer = await ctx.elicit("Who are you?", Name)
    return f"{answer.action} {answer.data.name if answer.action == 'accept' else ''}"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
