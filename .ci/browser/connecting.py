"""A program on this computer is connected in a browser, with a real way back to it."""

import http.server
import json
import secrets
import threading
import urllib.parse
import urllib.request

from people import press
from selenium.webdriver.common.by import By

# The pair of RFC 7636, appendix B.
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
NAME = "Letterpress <b>Assistant</b>"


class Program:
    """A program that waits for the browser to come back."""

    def __init__(self, base):
        self.base, self.came = base, []
        program = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path, _, query = self.path.partition("?")
                if path == "/callback":
                    program.came.append((dict(urllib.parse.parse_qsl(query)), self.headers.get("Referer")))
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>Done</title><p>You can close this window.")

            def log_message(self, *_arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        metadata = {"client_name": NAME, "redirect_uris": [f"{self.origin}/callback"]}
        self.client = self.post("/oauth/register", json.dumps(metadata), "application/json")["client_id"]

    def post(self, path, body, media_type="application/x-www-form-urlencoded"):
        request = urllib.request.Request(self.base + path, body.encode(), {"Content-Type": media_type})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def request(self):
        self.state = secrets.token_urlsafe()
        return "/oauth/authorize?" + urllib.parse.urlencode({
            "response_type": "code", "client_id": self.client, "redirect_uri": f"{self.origin}/callback",
            "state": self.state, "code_challenge": CHALLENGE, "code_challenge_method": "S256",
        })

    def answer(self):
        """What the browser brought last. It says nothing of where it was."""
        brought, referrer = self.came[-1]
        assert brought["state"] == self.state and brought["iss"] == self.base, brought
        assert referrer is None, referrer
        return brought

    def tokens(self):
        fields = {
            "grant_type": "authorization_code", "code": self.answer()["code"], "client_id": self.client,
            "redirect_uri": f"{self.origin}/callback", "code_verifier": VERIFIER,
        }
        return self.post("/oauth/token", urllib.parse.urlencode(fields))

    def stop(self):
        self.server.shutdown()


def connect_an_app(people, address):
    """Signs in on the way, leaves out a scope, comes back; refuses without scripts; disconnects."""
    program = Program(people.base)
    site = people.browser()
    site.apps = (program.origin,)
    site.open(program.request())
    assert site.path().startswith("/sign-in?"), site.path()
    site.find("#email").send_keys(address)
    site.send()
    site.find("#code").send_keys(people.mails.code(address))
    site.send()
    consent = site.path()
    assert consent.startswith("/oauth/authorize/") and "?" not in consent, consent
    site.check(consent, "consent", "Any program there can give itself this name")
    assert NAME in site.text(), site.text()
    site.find("form details summary").click()
    site.find("[name=scopes][value='registrations:read']").click()
    press(site, "Only what is checked")
    assert site.driver.current_url.startswith(f"{program.origin}/callback?"), site.driver.current_url
    tokens = program.tokens()
    assert "events:read" in tokens["scope"] and "registrations:read" not in tokens["scope"], tokens["scope"]
    request = urllib.request.Request(f"{people.base}/api/v1/me", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["email"] == address
    site.check(consent, "consent-closed", "no longer open")

    site.scripts(False)
    site.open(program.request())
    assert "granted before" in site.text(), site.text()
    press(site, "Cancel")
    assert program.answer()["error"] == "access_denied", program.came
    site.scripts(True)

    site.open(program.request())
    site.scripts(False)
    site.find("form details summary").click()
    for box in site.driver.find_elements(By.CSS_SELECTOR, "[name=scopes]"):
        box.click()
    press(site, "Only what is checked")
    assert site.has("#scopes-wrong"), site.text()
    site.scripts(True)
    site.check("/oauth/authorize?client_id=nobody", "oauth-problem", "What to do")

    site.check("/dashboard/apps", "apps", NAME)
    press(site, "Disconnect")
    assert "The app is disconnected." in site.text(), site.text()
    site.check("/dashboard/apps", "apps-none", "No apps yet")
    program.stop()
