"""Authlib, which knows nothing of MCP: gets tokens for REST, refreshes and revokes.

usage: by_authlib.py BASE_URL DATA_FOLDER
"""

import json
import os
import sys
import time
import urllib.request

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

from person import Person

base, data = sys.argv[1:]
REDIRECT = "http://127.0.0.1:33421/callback"
# The server of this test speaks plain HTTP.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


def read(url, body=None):
    headers = {"Content-Type": "application/json"} if body else {}
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def main():
    server = read(f"{base}/.well-known/oauth-authorization-server")
    client = read(server["registration_endpoint"], {"client_name": "Authlib", "redirect_uris": [REDIRECT]})
    session = OAuth2Session(
        client["client_id"], token_endpoint_auth_method="none", redirect_uri=REDIRECT, scope="account:read",
        code_challenge_method="S256",
    )
    verifier = generate_token(48)
    url, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
    led = Person(data).connect(url)
    token = session.fetch_token(
        server["token_endpoint"], authorization_response=led, state=state, code_verifier=verifier
    )
    assert token["scope"] == "account:read", token["scope"]
    me = f"{base}/api/v1/me"
    assert session.get(me).json()["email"] == "demo@muster.example"
    again = session.refresh_token(server["token_endpoint"], token["refresh_token"])
    assert again["access_token"] != token["access_token"]
    assert session.get(me).status_code == 200
    revoked = session.revoke_token(server["revocation_endpoint"], again["refresh_token"])
    assert revoked.status_code == 200, revoked.text
    time.sleep(5)
    assert session.get(me, withhold_token=False).status_code == 401
    print("  Authlib: got tokens, refreshed, revoked")


main()
