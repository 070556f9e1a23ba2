"""Uses the service without a session by the official client for Python, and prints what it got."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main(url: str, key: str) -> None:
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    async with Client(streamable_http_client(url, http_client=http)) as client:

        async def call(name: str, arguments: dict) -> dict:
            return (await client.call_tool(name, arguments)).structured_content

        tools = (await client.list_tools()).tools
        project = (await call("create_project", {"name": "Gear"}))["id"]
        card = (await call("create_card", {"projectId": project, "name": "Grind"}))["card"]
        made = (await call("create_object", {"projectId": project, "name": "Tooth"}))["object"]
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        read = await client.read_resource(f"atelier://projects/{project}/objects/{made['id']}")
        prompts = (await client.list_prompts()).prompts
        goal = {"projectId": project, "goal": "A quieter gear"}
        prompt = await client.get_prompt("plan_work", goal)
        print(json.dumps({
            "tools": [tool.name for tool in tools],
            "card": card["name"],
            "isListed": any(str(one.uri) == f"atelier://projects/{project}" for one in resources),
            "templates": len(templates),
            "read": json.loads(read.contents[0].text)["object"]["name"],
            "prompts": [one.name for one in prompts],
            "message": prompt.messages[0].content.text,
        }))


asyncio.run(main(*sys.argv[1:]))
