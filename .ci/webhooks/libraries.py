"""Starts the guide's receivers in Python and JavaScript, and lets a running Muster deliver to them. Runs its other code with real messages, too.

    libraries.py BASE DATA MUSTER FOLDER    the folder is for the receivers; the packages of npm are beside it
"""

import base64
import contextlib
import http.server
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

GUIDE = pathlib.Path("content/guides/receive-webhooks.md")
PATH = "/hooks/muster"
# Far above what a start or a delivery takes on a busy machine.
TIMEOUT_SECONDS = 60

base, data, muster, folder = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
key_file = data / "demo.key"
key = key_file.read_text().strip()


def snippet(language, words):
    """The guide's code in a language that has these words."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)
    found = [code for code in found if words in code]
    assert len(found) == 1, f"the guide has {len(found)} times '{words}' in {language}"
    return found[0]


def call(method, path, body=None):
    """The answer of the API."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{base}/api/v1{path}", content, headers, method=method)
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        return json.load(answer)


def status_of(url, headers, body):
    """The status of a post to a receiver."""
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def until(what, find):
    """What `find` finds, as soon as it finds something."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if found := find():
            return found
        time.sleep(0.05)
    sys.exit(f"no {what} within {TIMEOUT_SECONDS} s")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def running(command, **options):
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        finally:
            process.terminate()


def receiver(language, port):
    """What starts the guide's receiver, as the guide says."""
    name = {"python": "receiver.py", "js": "receiver.mjs"}[language]
    (folder / name).write_text(snippet(language, "/hooks/muster"))
    flask = [sys.executable, "-B", "-m", "flask", "--app", "receiver", "run", "--port", str(port)]
    return {"python": flask, "js": ["node", name]}[language]


def change():
    """One message: an event is created."""
    event = {"title": "Zoë's \"night\"", "description": "Signed.", "location": "Mill Lane 3", "start_date": "2031-05-14T19:00:00Z"}
    return call("POST", "/events", event)["id"]


def delivered(webhook, event):
    """The delivery of the message about an event, once the receiver took it."""

    def find():
        for delivery in call("GET", f"/me/webhooks/{webhook}/deliveries")["items"]:
            if delivery["attempts"] and delivery["event_id"] == event:
                return delivery
        return None

    delivery = until("delivery", find)
    assert (delivery["state"], delivery["last_status"]) == ("delivered", 204), delivery


def refuses_forgeries(url):
    """A receiver refuses what is signed with another secret, late, or not at all."""
    body = b'{"type": "event.created", "timestamp": "2030-05-10T08:00:00Z", "data": {}}'
    now = str(int(time.time()))
    forged = "v1," + base64.b64encode(bytes(32)).decode()
    headers = {"Content-Type": "application/json", "webhook-id": "1", "webhook-timestamp": now, "webhook-signature": forged}
    for wrong in ({}, {"webhook-timestamp": "1"}, {"webhook-signature": ""}, {"webhook-signature": forged.replace("v1,", "v1a,")}):
        status = status_of(url, headers | wrong, body)
        assert status == 400, (wrong, status)


def forwards(url, secret):
    """What `muster webhook listen` forwards is verified with the secret that it was given."""
    command = [muster, "webhook", "listen", "--url", base, "--forward", url]
    environment = {**os.environ, "MUSTER_API_KEY_FILE": str(key_file), "MUSTER_WEBHOOK_SECRET": secret}
    with running(command, env=environment, stdout=subprocess.PIPE) as listener:
        for line in listener.stdout:
            if "Ctrl-C" in line:
                change()
            if "→" in line:
                assert "→ 204 in " in line, line
                return
    sys.exit("muster webhook listen ended")


def check(language, library):
    port = free_port()
    url = f"http://127.0.0.1:{port}{PATH}"
    made = call("POST", "/me/webhooks", {"url": url, "types": ["event.created"]})
    webhook, secret = made["id"], made["secret"]
    environment = {**os.environ, "MUSTER_WEBHOOK_SECRET": secret, "PORT": str(port)}
    log = folder / f"{language}.log"
    with log.open("w") as output, running(receiver(language, port), cwd=folder, env=environment, stdout=output, stderr=output):
        until(f"receiver in {language}; see {log}", lambda: accepts(port))
        refuses_forgeries(url)
        delivered(webhook, change())
        ping = call("POST", f"/me/webhooks/{webhook}/ping")
        assert ping["status"] == 204, ping
        # It still has the former secret, which signs for a day.
        call("POST", f"/me/webhooks/{webhook}/rotate-secret")
        delivered(webhook, change())
        forwards(url, secret)
    call("DELETE", f"/me/webhooks/{webhook}")
    print(f"{library}: verified a delivery, a ping, a rotation and what `muster webhook listen` forwards; refused forgeries")


def handles_once():
    """Of messages that come twice and in another order, the guide's code handles each once, and none that something later came before."""
    webhook = call("POST", "/me/webhooks", {"description": "Only pulled"})["id"]
    cursor = call("GET", "/me/webhook-messages?cursor=latest")["next_cursor"]
    event = change()
    for title in ("Second", "Third"):
        call("PATCH", f"/me/events/{event}", {"title": title})
    pulled = call("GET", f"/me/webhook-messages?cursor={cursor}")["items"]
    call("DELETE", f"/me/webhooks/{webhook}")
    one, two, three = [(message["id"], message["body"]) for message in pulled if message["body"]["data"]["event_id"] == event]
    code, handled = {}, []
    exec(snippet("python", "def handle_once"), code)
    store = code["opened"](":memory:")
    with contextlib.suppress(ZeroDivisionError):
        code["handle_once"](store, *one, lambda _: 1 / 0)
    for message in (one, one, three, two, three, one):
        code["handle_once"](store, *message, handled.append)
    assert handled == [one[1], three[1]], handled
    print("the guide's code leaves out messages that came before, and those that are overtaken")


def captured():
    """A message as it is posted: the secret, the headers and the body."""
    came = []

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            came.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made = call("POST", "/me/webhooks", {"url": f"http://127.0.0.1:{server.server_port}{PATH}"})
        call("POST", f"/me/webhooks/{made['id']}/ping")
        call("DELETE", f"/me/webhooks/{made['id']}")
        server.shutdown()
    return made["secret"], *came[0]


# What n8n gives to the code of its Code node.
N8N = """
const { headers, body, secret, code } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const AsyncFunction = (async () => {}).constructor;
const helpers = { getBinaryDataBuffer: async () => Buffer.from(body, 'base64') };
const run = new AsyncFunction('require', '$input', '$env', code);
run.call({ helpers }, require, { first: () => ({ json: { headers } }) }, { MUSTER_WEBHOOK_SECRET: secret })
  .then((items) => console.log(JSON.stringify(items)), (error) => console.log(error.message));
"""


def verifies_in_n8n():
    """The guide's code for n8n takes what Muster posts, and nothing else."""
    secret, headers, body = captured()
    code = snippet("js", "getBinaryDataBuffer")

    def answer(headers, body):
        given = {"headers": headers, "body": base64.b64encode(body).decode(), "secret": secret, "code": code}
        node = subprocess.run(["node", "-e", N8N], input=json.dumps(given), text=True, capture_output=True, check=True)
        return node.stdout.strip()

    taken = json.loads(answer(headers, body))
    assert taken[0]["json"]["type"] == "webhook.ping" and taken[0]["json"]["id"] == headers["webhook-id"], taken
    late = {**headers, "webhook-timestamp": "1"}
    for forged in ((headers, body + b" "), (late, body), ({**headers, "webhook-signature": "v1"}, body)):
        assert answer(*forged) == "not a message of Muster", forged
    print("the guide's code for n8n verified a delivery and refused forgeries")


check("python", "standardwebhooks of PyPI")
check("js", "standardwebhooks of npm")
handles_once()
verifies_in_n8n()
