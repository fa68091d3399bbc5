"""Authlib, which knows nothing of MCP: gets tokens, calls the API and tools, refreshes, asks for more, and revokes.

usage: by_authlib.py BASE_URL DATA_FOLDER
"""

import json
import os
import re
import sys
import time
import urllib.request

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

from person import Person
from tools import EVENT, REVISIONS, call

base, data = sys.argv[1:]
REDIRECT = "http://127.0.0.1:33421/callback"
# The server of this test speaks plain HTTP.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def read(url, body=None):
    headers = {"Content-Type": "application/json"} if body else {}
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def connected(server, client_id, scope):
    """A session for these scopes, to which the person has agreed."""
    session = OAuth2Session(
        client_id, token_endpoint_auth_method="none", redirect_uri=REDIRECT, scope=scope, code_challenge_method="S256",
    )
    verifier = generate_token(48)
    url, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    led = Person(data).connect(url)
    token = session.fetch_token(
        server["token_endpoint"], authorization_response=led, state=state, code_verifier=verifier
    )
    assert set(token["scope"].split()) == set(scope.split()), token["scope"]
    return session, token


def main():
    server = read(f"{base}/.well-known/oauth-authorization-server")
    client = read(server["registration_endpoint"], {"client_name": "Authlib", "redirect_uris": [REDIRECT]})
    session, token = connected(server, client["client_id"], "account:read")
    me = f"{base}/api/v1/me"
    assert session.get(me).json()["email"] == "demo@muster.example"
    again = session.refresh_token(server["token_endpoint"], token["refresh_token"])
    assert again["access_token"] != token["access_token"]
    for revision in REVISIONS:
        answer = call(session.post, base, revision, "get_account")
        assert answer.json()["result"]["structuredContent"]["email"] == "demo@muster.example", answer.text
        refused = call(session.post, base, revision, "create_event", EVENT)
        assert refused.status_code == 403, refused.text

    # What it asks for then is what the challenge says.
    scope = re.search('scope="([^"]*)"', refused.headers["WWW-Authenticate"])[1]
    wider, more = connected(server, client["client_id"], scope)
    for revision in REVISIONS:
        answer = call(wider.post, base, revision, "create_event", EVENT)
        assert answer.json()["result"]["structuredContent"]["id"], answer.text

    for one, token in ((session, again), (wider, more)):
        revoked = one.revoke_token(server["revocation_endpoint"], token["refresh_token"])
        assert revoked.status_code == 200, revoked.text
    # Cores remember a token for a moment.
    time.sleep(5)
    for one in (session, wider):
        assert one.get(me, withhold_token=False).status_code == 401
    print("  Authlib: got tokens, called tools, refreshed, stepped up, revoked")


main()
