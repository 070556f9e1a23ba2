"""A server of the official library for Python: `python server.py PORT`."""

import sys

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

server = MCPServer("wiki")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True, openWorldHint=False))
def search(query: str) -> dict[str, str]:
    """Finds pages of the wiki."""
    return {"page": f"All about {query}"}


@server.tool()
def fail(reason: str) -> str:
    """Fails."""
    raise ToolError(reason)


server.run(transport="streamable-http", port=int(sys.argv[1]))
