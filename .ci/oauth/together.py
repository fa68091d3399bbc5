"""Eight processes that share the tokens of one app, as agents that run several times do, refresh them at the same moment.

usage: together.py BASE_URL DATA_FOLDER WHETHER_THERE_IS_A_GRACE

With a grace all of them go on. Without one, which is the negative control, the token of those who come late counts as stolen, and the
connection ends for all.
"""

import base64
import hashlib
import json
import multiprocessing
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

from person import Person

PROCESSES = 8
REDIRECT = "http://127.0.0.1:33425/callback"


def post(url, body, media_type="application/x-www-form-urlencoded"):
    request = urllib.request.Request(url, body.encode(), {"Content-Type": media_type})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        return json.load(refused)


class App:
    def __init__(self, base):
        self.base = base
        metadata = {"client_name": "Eight processes", "redirect_uris": [REDIRECT]}
        self.client = post(f"{base}/oauth/register", json.dumps(metadata), "application/json")["client_id"]

    def token(self, **fields):
        return post(f"{self.base}/oauth/token", urllib.parse.urlencode({"client_id": self.client} | fields))

    def refresh(self, tokens):
        return self.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"])

    def connected(self, person):
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        led = person.connect(f"{self.base}/oauth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": self.client, "redirect_uri": REDIRECT, "scope": "account:read",
            "code_challenge": challenge, "code_challenge_method": "S256",
        }))
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(led).query))["code"]
        return self.token(grant_type="authorization_code", code=code, redirect_uri=REDIRECT, code_verifier=verifier)

    def status(self, tokens):
        headers = {"Authorization": f"Bearer {tokens['access_token']}"}
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.base}/api/v1/me", headers=headers)) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            return refused.code


def process(app, tokens, together, answers):
    together.wait()
    answers.put(app.refresh(tokens))


def refresh_together(app, tokens):
    together, answers = multiprocessing.Barrier(PROCESSES), multiprocessing.Queue()
    running = [multiprocessing.Process(target=process, args=(app, tokens, together, answers)) for _ in range(PROCESSES)]
    for one in running:
        one.start()
    got = [answers.get(timeout=30) for _ in running]
    for one in running:
        one.join()
    return got


def main():
    base, data, grace = sys.argv[1:]
    app, person = App(base), Person(data)
    shared = app.connected(person)
    first = refresh_together(app, shared)
    if grace == "yes":
        assert all(app.status(one) == 200 for one in first), first
    shared = app.connected(person)
    fastest = app.refresh(app.refresh(shared))
    late = refresh_together(app, shared)
    if grace == "yes":
        assert all(app.status(one) == 200 for one in late), late
        assert app.status(app.refresh(fastest)) == 200
        print(f"  {PROCESSES} processes refresh one token at once, and all of them go on")
    else:
        assert all(one.get("error") == "invalid_grant" for one in late), late
        assert app.refresh(fastest)["error"] == "invalid_grant"
        print("  without a grace, the connection ends for all of them")


if __name__ == "__main__":
    main()
