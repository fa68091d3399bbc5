"""The official Python SDK as a client without a key, in both revisions: finds the server, registers, has a person agree, calls tools,
refreshes, asks for more, and begins anew once its grant was revoked.

usage: by_python.py BASE_URL DATA_FOLDER
"""

import asyncio
import sys
import urllib.parse
import urllib.request

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from person import Person

base, data = sys.argv[1:]
REDIRECT = "http://127.0.0.1:33418/callback"
REVISIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


class Memory:
    """What an app keeps."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class App:
    def __init__(self, url):
        self.url, self.memory = url, Memory()
        self.person, self.without, self.asked = Person(data), [], 0
        metadata = OAuthClientMetadata(client_name="Python SDK", redirect_uris=[REDIRECT])
        self.provider = OAuthClientProvider(url, metadata, self.memory, self.open, self.come_back)

    async def open(self, url):
        self.asked += 1
        led = await asyncio.to_thread(self.person.connect, url, self.without)
        self.led = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(led).query))

    async def come_back(self):
        return AuthorizationCodeResult(**{name: self.led.get(name) for name in ("code", "state", "iss")})

    def server(self):
        return streamable_http_client(self.url, http_client=create_mcp_http_client(auth=self.provider))


def revoke(app):
    fields = {"token": app.memory.tokens.refresh_token, "client_id": app.memory.client.client_id}
    body = urllib.parse.urlencode(fields).encode()
    with urllib.request.urlopen(f"{base}/oauth/revoke", body) as answer:
        assert answer.status == 200


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result.structured_content


async def session(mode, url):
    app = App(url)
    app.without = ["events:write"]
    async with Client(app.server(), mode=mode) as client:
        assert client.protocol_version == REVISIONS[mode], client.protocol_version
        assert app.asked == 1, app.asked
        account = await call(client, "get_account")
        assert account["email"] == "demo@muster.example", account
        assert "events:write" not in app.memory.tokens.scope.split(), app.memory.tokens.scope

        first = app.memory.tokens
        app.provider.context.token_expiry_time = 1
        assert await call(client, "get_account") == account
        assert app.memory.tokens.access_token != first.access_token and app.asked == 1

        # It asks for what is missing, beside what it has.
        app.without = []
        created = await call(
            client, "create_event", title="Letterpress", description="By hand.", location="Mill Lane 3",
            start_date="2031-05-14T19:00", timezone="Europe/London",
        )
        assert created["id"] and app.asked == 2, (created, app.asked)
        assert {"events:write", "account:read"} <= set(app.memory.tokens.scope.split())

        revoke(app)
        # Cores remember a token for a moment.
        await asyncio.sleep(5)
        again = await call(client, "get_account")
        assert again["email"] == account["email"] and app.asked == 3, (again, app.asked)
    print(f"  Python SDK at {url}, {REVISIONS[mode]}: connected, refreshed, stepped up, revoked, connected again")


async def main():
    port = urllib.parse.urlsplit(base).port
    await session("auto", f"{base}/mcp")
    await session("legacy", f"{base}/mcp")
    # Another name of this machine than the one in the public URL.
    await session("auto", f"http://localhost:{port}/mcp")


asyncio.run(main())
