"""A person with a browser that runs no scripts: signs in by the code from the mail, and connects apps.

usage: person.py DATA_FOLDER AUTHORIZATION_URL [SCOPE_TO_LEAVE_OUT...]

Prints where the browser is led in the end.
"""

import html.parser
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import MozillaCookieJar

# Before the standard library, which has a module of the same name.
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "browser"))
from mailbox import Mailbox  # noqa: E402

EMAIL = "demo@muster.example"
MOST_PAGES = 10


class Form(html.parser.HTMLParser):
    """The main form of a page, as a browser would send it unchanged."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.is_in = None, [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        if tag == "form" and has.get("id") == "form":
            self.action, self.is_in = has["action"], True
        if not self.is_in or tag != "input" or "name" not in has:
            return
        if has.get("type") not in ("checkbox", "radio") or "checked" in has:
            self.fields.append((has["name"], has.get("value", "")))

    def handle_endtag(self, tag):
        self.is_in = self.is_in and tag != "form"


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


class Stay(urllib.request.HTTPRedirectHandler):
    """Redirects are followed by hand: the last one leads to an app."""

    def redirect_request(self, *_arguments):
        return None


class Person:
    def __init__(self, data):
        self.data = pathlib.Path(data)
        self.mails = Mailbox(self.data)
        # Kept for the next app, since codes are mailed a few times an hour only.
        self.jar = MozillaCookieJar(str(self.data / "person.cookies"))
        if pathlib.Path(self.jar.filename).exists():
            self.jar.load(ignore_discard=True)
        cookies = urllib.request.HTTPCookieProcessor(self.jar)
        self.browser = urllib.request.build_opener(Stay, cookies)

    def ask(self, url, fields=None):
        """(status, where it leads, the page)"""
        body = None if fields is None else urllib.parse.urlencode(fields).encode()
        headers = {"Accept": "text/html"} | ({} if body is None else {"Origin": origin(url)})
        request = urllib.request.Request(url, body, headers)
        try:
            answer = self.browser.open(request)
        except urllib.error.HTTPError as refused:
            answer = refused
        return answer.status, answer.headers.get("Location"), answer.read().decode()

    def connect(self, url, without=()):
        """Where the browser is led once the app is connected."""
        fields, ours = None, origin(url)
        for _ in range(MOST_PAGES):
            status, location, page = self.ask(url, fields)
            fields = None
            if location is not None:
                url = urllib.parse.urljoin(url, location)
                if origin(url) != ours:
                    self.jar.save(ignore_discard=True)
                    return url
                continue
            assert status == 200, (status, url.split("?")[0], page)
            form = Form(page)
            assert form.action, page
            url, fields = urllib.parse.urljoin(url, form.action), self.filled(form, without)
        raise AssertionError(f"there is no end to the pages: {url}")

    def filled(self, form, without):
        names = {name for name, _ in form.fields}
        if "email" in names:
            # Codes of earlier sign-ins are not meant.
            self.mails.read.update(file for file, _ in self.mails.texts(EMAIL))
            return [(name, EMAIL if name == "email" else value) for name, value in form.fields]
        if "code" in names:
            code = self.mails.code(EMAIL)
            return [(name, code if name == "code" else value) for name, value in form.fields]
        kept = [field for field in form.fields if field[0] != "scopes" or field[1] not in without]
        return [*kept, ("action", "connect")]


def main():
    data, url, *without = sys.argv[1:]
    print(Person(data).connect(url, without))


if __name__ == "__main__":
    main()
