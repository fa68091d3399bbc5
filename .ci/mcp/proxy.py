"""Puts the API key into requests, for clients that cannot be told one; everything else goes through as it is.

    proxy.py PORT TARGET_PORT KEY
"""

import sys
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, target, key = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
HOP = {"connection", "keep-alive", "transfer-encoding", "authorization"}


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length) if length else None
        upstream = HTTPConnection("127.0.0.1", target, timeout=60)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in HOP:
                upstream.putheader(name, value)
        upstream.putheader("Authorization", f"Bearer {key}")
        upstream.endheaders(body)
        answer = upstream.getresponse()
        content = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP | {"content-length"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        upstream.close()

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = do_HEAD = forward

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Proxy).serve_forever()
