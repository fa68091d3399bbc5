"""Runs the public suite's checks of authorization servers; a script is the person at the browser.

usage: conformance.py NODE SUITE BASE_URL DATA_FOLDER CALLBACK_PORT
"""

import json
import subprocess
import sys
import urllib.request

from person import Person

node, suite, base, data, port = sys.argv[1:]
PATIENCE_SECONDS = 120


def register():
    metadata = {"client_name": "Conformance", "redirect_uris": [f"http://127.0.0.1:{port}/callback"]}
    request = urllib.request.Request(
        f"{base}/oauth/register", json.dumps(metadata).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["client_id"]


def main():
    command = [
        node, suite, "authorization", "--url", base, "--client-id", register(), "--resource", f"{base}/mcp", "--port", port,
    ]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    person, said = Person(data), []
    for line in run.stdout:
        said.append(line)
        if line.startswith(f"{base}/oauth/authorize?"):
            urllib.request.urlopen(person.connect(line.strip())).read()
    status = run.wait(PATIENCE_SECONDS)
    text = "".join(said)
    assert status == 0, text
    assert "authorization-code-grant" in text, text
    print("  conformance suite: the authorization server passes")


main()
