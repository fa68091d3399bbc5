"""Frameworks for agents list Muster's tools and call some: fastmcp and pydantic-ai.

by_agents.py MCP_URL KEY
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.test import TestModel

DRAFT = {
    "description": "An agent wrote this.",
    "location": "127.0.0.1",
    "start_date": "2031-05-14T19:00",
    "timezone": "Europe/Berlin",
}
EXPECTED = {"list_public_events", "create_event", "update_event", "cancel_event", "get_account"}


async def by_fastmcp(url, headers):
    async with Client(StreamableHttpTransport(url, headers=headers)) as client:
        assert EXPECTED <= {tool.name for tool in await client.list_tools()}
        created = await client.call_tool("create_event", {"title": "Made by fastmcp", **DRAFT})
        event = created.structured_content["id"]
        changed = await client.call_tool("update_event", {"id": event, "location": "::1"})
        assert changed.structured_content["registrants_notified"] == 0, changed
        refused = await client.call_tool("create_event", {"title": "x", **DRAFT}, raise_on_error=False)
        assert refused.is_error and "title must be" in refused.content[0].text, refused
    print("fastmcp: listed tools, created, changed, read a refusal")


async def by_pydantic_ai(url, headers):
    # A model that calls these tools and answers with what they said.
    model = TestModel(call_tools=["get_account", "list_public_events"])
    agent = Agent(model, toolsets=[MCPToolset(StreamableHttpTransport(url, headers=headers))])
    async with agent:
        answer = json.loads((await agent.run("Who am I?")).output)
    offered = {tool.name for tool in model.last_model_request_parameters.function_tools}
    assert EXPECTED <= offered, offered
    assert "demo@muster.example" in str(answer["get_account"]), answer
    assert answer["list_public_events"], answer
    print("pydantic-ai: listed tools, read")


async def main(url, key):
    headers = {"Authorization": f"Bearer {key}"}
    await by_fastmcp(url, headers)
    await by_pydantic_ai(url, headers)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
