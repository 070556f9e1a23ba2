"""Uses a session's tools by the official client for Python, and prints what it got."""

import asyncio
import json
import sys

from mcp import Client, MCPError
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main(url: str, key: str) -> None:
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    async with Client(streamable_http_client(url, http_client=http)) as client:
        tools = (await client.list_tools()).tools
        created = await client.call_tool("project__create_object", {"name": "Tooth"})
        found = await client.call_tool("project__get_tree", {"q": "tooth"})
        refused = await client.call_tool("project__get_object", {})
        try:
            await client.call_tool("project__none", {})
            unknown = None
        except MCPError as error:
            unknown = error.code
        print(json.dumps({
            "server": client.server_info.name,
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "created": created.structured_content["object"]["name"],
            "found": [node["name"] for node in found.structured_content["tree"]],
            "refused": [refused.is_error, refused.content[0].text],
            "unknown": unknown,
        }))


asyncio.run(main(*sys.argv[1:]))
