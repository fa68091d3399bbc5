"""LangChain lists Muster's tools by its MCP adapters and calls some. It has not moved to the MCP SDK's second version yet, so it has packages of its
own.

by_langchain.py MCP_URL KEY
"""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient

DRAFT = {
    "title": "Made by LangChain",
    "description": "An agent wrote this.",
    "location": "127.0.0.1",
    "start_date": "2031-05-14T19:00",
}


async def main(url, key):
    headers = {"Authorization": f"Bearer {key}"}
    server = {"transport": "streamable_http", "url": url, "headers": headers}
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"muster": server}).get_tools()}
    assert {"list_public_events", "create_event", "update_event", "cancel_event"} <= tools.keys()
    [created] = await tools["create_event"].ainvoke(DRAFT)
    event = json.loads(created["text"])["id"]
    found = await tools["get_my_event"].ainvoke({"id": event})
    assert DRAFT["title"] in str(found), found
    print("LangChain: listed tools, created, read")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
