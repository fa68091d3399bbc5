"""Stands between the conformance suite and a server: puts in the API key, which the suite can't be told, and our names for its
fixtures. Everything else goes through as it is.

    proxy.py PORT TARGET_PORT KEY
"""

import json
import sys
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from fixtures import Fixtures

port, target, key = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
fixtures = Fixtures(f"http://127.0.0.1:{target}/api/v1", key)
HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


def parsed(body):
    """A message, if that is what it is: the suite sends broken ones too."""
    try:
        message = json.loads(body or b"")
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length) if length else None
        headers = [pair for pair in self.headers.items() if pair[0].lower() not in HOP | {"authorization"}]
        headers.append(("Authorization", f"Bearer {key}"))
        message = parsed(body)
        asked = message and fixtures.ask(message)
        if asked:
            fixture, ours = asked
            body = json.dumps(message).encode()
            headers = [(name, ours if value == fixture else value) for name, value in headers]
        status, answered, content = self.send(headers, body)
        if asked and (message := parsed(content)):
            fixtures.answer(fixture, message)
            content = json.dumps(message).encode()
        self.send_response_only(status)
        for name, value in answered:
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def send(self, headers, body):
        upstream = HTTPConnection("127.0.0.1", target, timeout=60)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            upstream.putheader(name, value)
        if body is not None:
            upstream.putheader("Content-Length", str(len(body)))
        upstream.endheaders(body)
        answer = upstream.getresponse()
        content = answer.read()
        upstream.close()
        return answer.status, answer.getheaders(), content

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = forward

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Proxy).serve_forever()
