"""The MCP inspector on the command line, without a key, in both revisions: registers, has a person agree, calls tools, refreshes, asks for
more, revokes and connects anew.

usage: by_inspector.py NODE INSPECTOR BASE_URL DATA_FOLDER
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.request

from person import Person
from tools import EVENT

node, inspector, base, data = sys.argv[1:]
PATIENCE_SECONDS = 60
ASKS = "Please navigate to: "


class Inspector:
    """What it keeps stays in a folder of its own, and what it would open is not opened."""

    def __init__(self, era, callback):
        self.era, self.callback, self.asked = era, callback, 0
        self.home = pathlib.Path(data) / f"inspector-{era}"
        self.home.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "BROWSER": "true", "MCP_AUTO_OPEN_ENABLED": "true",
            "MCP_INSPECTOR_SECRET_STORE": "file", "MCP_STORAGE_DIR": str(self.home),
        }

    def run(self, tool, arguments=None, options=(), without=()):
        """What a tool answers. Whatever the inspector asks for is agreed to."""
        command = [
            node, inspector, "--cli", f"{base}/mcp", "--protocol-era", self.era, "--callback-url", self.callback,
            "--format", "json", "--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments or {}), *options,
        ]
        run = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment,
        )
        run.stdin.write("y\n")
        run.stdin.flush()
        said = []
        for line in run.stderr:
            said.append(line)
            if ASKS in line:
                self.asked += 1
                led = Person(data).connect(line.split(ASKS)[1].strip(), without)
                urllib.request.urlopen(led).read()
        answer = run.stdout.read()
        status = run.wait(PATIENCE_SECONDS)
        assert status == 0, (status, answer, "".join(said))
        return json.loads(answer)["result"]["structuredContent"]

    def kept(self):
        """The files in which it keeps tokens, as texts."""
        texts = {file: file.read_text() for file in self.home.rglob("*.json")}
        return {file: text for file, text in texts.items() if "mus_at_" in text}

    def tokens(self):
        return set(re.findall(r"mus_[ar]t_\w+", "".join(self.kept().values())))

    def client_id(self):
        texts = "".join(file.read_text() for file in self.home.rglob("*.json"))
        (found,) = set(re.findall(r'"client_id"\s*:\s*"([^"]+)"', texts))
        return found

    def forget_access_token(self):
        for file, text in self.kept().items():
            file.write_text(re.sub(r"mus_at_\w+", "mus_at_not_any_more", text))


def refused(token):
    request = urllib.request.Request(f"{base}/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    try:
        urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        return error.code
    return None


def session(era, callback):
    app = Inspector(era, callback)
    account = app.run("get_account", without=["events:write"])["email"]
    assert account == "demo@muster.example", account
    assert app.asked == 1, app.asked
    first = app.tokens()
    assert len(first) == 2, len(first)

    # A token that is refused is refreshed, without a person.
    app.forget_access_token()
    assert app.run("get_account", options=["--stored-auth-only"])["email"] == account
    assert app.asked == 1 and not first & app.tokens()

    # It asks for what is missing, if it is told as which app: this version takes a refresh for an answer otherwise.
    assert app.run("create_event", EVENT, options=["--client-id", app.client_id()])["id"]
    assert app.asked == 2, app.asked

    # Whoever signs in anew there, revokes what was before.
    before = app.tokens()
    assert app.run("get_account", options=["--relogin"])["email"] == account
    assert app.asked == 3 and not before & app.tokens(), app.asked
    assert all(refused(token) == 401 for token in before)
    print(f"  inspector, {era}: connected, refreshed, stepped up, revoked, connected again")


session("modern", "http://127.0.0.1:33423/callback")
session("legacy", "http://127.0.0.1:33424/callback")
