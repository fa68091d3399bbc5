"""An agent's session with the official Python SDK: over HTTP and over standard input, in both revisions, with a client that can
show forms and with one that can't. What it is told has to agree with REST.

    by_mcp.py HTTP_ADDRESS GRPC_ADDRESS KEY MCP_BRIDGE
"""

import asyncio
import json
import sys
import urllib.request
import uuid

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import ElicitResult, TextContent

http, grpc, key, bridge = sys.argv[1:]
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def rest(path):
    """What REST answers."""
    request = urllib.request.Request(
        f"http://{http}/api/v1{path}", headers={"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def over_http():
    client = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    return streamable_http_client(f"http://{http}/mcp", http_client=client)


def over_stdio():
    arguments = ["--stdio", "--core-url", f"http://{grpc}", "--log", "error"]
    return StdioServerParameters(command=bridge, args=arguments, env={"MUSTER_API_KEY": key})


def without_nulls(value):
    """An answer as it is structured."""
    if isinstance(value, dict):
        return {name: without_nulls(field) for name, field in value.items() if field is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


async def call(client, tool, **arguments):
    """The answer of the text, which the structured one repeats without what is null."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    [block] = result.content
    assert isinstance(block, TextContent)
    answer = json.loads(block.text)
    assert without_nulls(answer) == result.structured_content
    return answer


async def refused(client, tool, **arguments):
    """The text of a refusal."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error and result.structured_content is None, result
    return result.content[0].text


async def session(server, mode, asked=None, can_be_asked=False):
    """One agent's session. With `asked`, the client shows forms and notes those about cancelling there; it answers the first of these with no.
    `can_be_asked` says whether the forms reach it."""

    async def elicit(_context, params):
        if not params.message.startswith("Cancel"):
            return ElicitResult(action="accept", content={"confirm": True})
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": len(asked) > 1})

    callback = None if asked is None else elicit
    async with Client(server, mode=mode, elicitation_callback=callback) as client:
        assert client.protocol_version == MODES[mode], client.protocol_version
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"list_public_events", "create_event", "cancel_event", "get_account"} <= tools
        resources = (await client.list_resources()).resources
        guide = await client.read_resource(resources[0].uri)
        assert guide.contents[0].text.startswith("# ")
        prompt = await client.get_prompt("plan_event", {"topic": "Rust"})
        assert "Topic: Rust" in prompt.messages[0].content.text

        found = await call(client, "list_public_events", limit=3)
        assert found == rest("/events?limit=3")
        slug = found["items"][0]["slug"]
        assert await call(client, "get_public_event", slug=slug) == rest(f"/events/{slug}")
        assert (await call(client, "list_guides"))["items"] == rest("/guides")

        refusal = await refused(client, "create_event", title="x")
        assert "title must be 3 to 200 characters long, is 1" in refusal, refusal
        created = await call(
            client,
            "create_event",
            title="Letterpress for beginners",
            description="We set a page by hand and print it.",
            location="Mill Lane 3",
            start_date="2031-05-14T19:00",
            timezone="Europe/London",
            is_public=True,
        )
        event = created["id"]
        # Each session has a guest of its own, since one address can't be registered at any pace.
        email = f"{uuid.uuid4().hex}@example.org"
        guest = await call(client, "register_attendee", id=event, name="Grace", email=email, confirm=True)
        assert guest["status"] == "Confirmed", guest
        path = f"/me/events/{event}"
        assert await call(client, "get_my_event", id=event) == rest(path)
        assert await call(client, "list_my_events") == rest("/me/events")
        listed = await call(client, "list_registrations", id=event)
        assert listed == rest(f"{path}/registrations")
        assert listed["items"][0]["email"] == email
        assert await call(client, "get_account") == rest("/me")

        # The model's word counts only where no form can be shown.
        word = {"confirm": True} if can_be_asked else {}
        said = await refused(client, "cancel_event", id=event, reason="Flooded.", **word)
        assert not rest(path)["is_cancelled"]
        if not can_be_asked:
            assert "Registrants who get an email: 1" in said and "confirm: true" in said, said
            done = await call(client, "cancel_event", id=event, reason="Flooded.", confirm=True)
        else:
            assert "did not confirm" in said and "Registrants who get an email: 1" in asked[0], (said, asked)
            done = await call(client, "cancel_event", id=event, reason="Flooded.", **word)
        assert done["registrants_notified"] == 1, done
        assert rest(path)["is_cancelled"]


async def main():
    for name, server in [("HTTP", over_http), ("stdio", over_stdio)]:
        for mode, revision in MODES.items():
            await session(server(), mode)
            asked = []
            # Without a session there is no way to ask a client of the older revision.
            can_be_asked = (name, mode) != ("HTTP", "legacy")
            await session(server(), mode, asked, can_be_asked)
            assert len(asked) == (2 if can_be_asked else 0), asked
            print(f"  session over {name}, {revision}, without and with forms ({len(asked)} shown)")


asyncio.run(main())
