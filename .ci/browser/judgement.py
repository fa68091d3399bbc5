"""The check of pages, checked: planted defects must be found before anyone believes that real pages have none.

usage: judgement.py AXE_SCRIPT PROFILE_FOLDER
"""

import http.server
import pathlib
import sys
import threading

from chromium import browser
from pages import SCHEMES, WIDTHS, Site

# In both schemes, as real pages.
STYLE = "<style>:root{color-scheme:light dark} body{margin:0;background:light-dark(#fff,#111);color:light-dark(#111,#eee)} main{padding:1rem} %s</style>"
FRAME = """<!doctype html><html lang="en"><head><title>Planted</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">%s</head><body><main id="main"><h1>Planted</h1><p><a href="/">Home</a> <a href="#main">Up</a></p>%s</main></body></html>"""


def page(content="", css=""):
    return FRAME % (STYLE % css, content)


PAGES = {
    "/": page(),
    "/nameless-image": page("<img src='data:,' width='9' height='9'>"),
    "/faint": page("<p style='color:light-dark(#ddd,#eee)'>Faint on paper</p>"),
    "/faint-in-the-dark": page("<p style='color:light-dark(#111,#333)'>Faint at night</p>"),
    "/wide-on-phones": page("<p style='inline-size:400px'>Wide</p>"),
    "/wide-when-zoomed": page("<p style='inline-size:340px'>Wide</p>"),
    "/never-dark": page(css=":root{color-scheme:only light}"),
    "/dead-link": page("<a href='/nowhere'>Nowhere</a>"),
    "/dead-anchor": page("<a href='#nowhere'>Nowhere</a>"),
    "/asks-others": page("<img src='http://elsewhere.example/' alt='Elsewhere'>"),
    "/complains": page("<script>throw new Error('planted')</script>"),
    "/focus-unseen": page("<a href='/' id='unseen'>Unseen</a>", css="#unseen:focus{outline:none}"),
}

# What the check of each says. Those that are not here are found in another way.
FOUND = {
    "/nameless-image": "image-alt",
    "/faint": "color-contrast",
    "/faint-in-the-dark": "color-contrast",
    "/wide-on-phones": "pixels wide",
    "/wide-when-zoomed": "(zoomed)",
    "/never-dark": "never-dark: {",
    "/dead-link": "/nowhere: 404",
    "/dead-anchor": "#nowhere",
}


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = PAGES.get(self.path)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write((found or page("Nothing")).encode())

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def finds(words, judge, *arguments):
    try:
        judge(*arguments)
    except AssertionError as found:
        assert words in str(found), f"{words} was not found, but: {found}"
        return
    raise SystemExit(f"{arguments}: the check finds nothing where {words} is planted")


def judge(site):
    site.check("/", "sound", "Planted")
    finds("sound: ", site.check, "/", "sound", "Words that are not there")
    for path, words in FOUND.items():
        finds(words, site.check, path, path.strip("/"), "Planted")
    site.open("/focus-unseen")
    finds("the focus cannot be seen", site.tab_to, lambda element: element.get_attribute("id") == "unseen")
    # What came until now is planted.
    site.driver.get_log("performance")
    site.driver.get_log("browser")
    site.assert_at_home(meant=())
    for path, words in (("/asks-others", "elsewhere.example"), ("/complains", "planted"), ("/nowhere", "404")):
        site.open(path)
        finds(words, site.assert_at_home, ())
    site.open("/nowhere")
    site.assert_at_home(meant=(404,))


def main():
    axe, profile = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    driver = browser(profile)
    try:
        judge(Site(driver, f"http://127.0.0.1:{server.server_port}", pathlib.Path(axe).read_text(), None))
    finally:
        driver.quit()
    print(f"browser: what is planted in {len(PAGES) - 1} pages is found at {len(WIDTHS)} widths in {len(SCHEMES)} schemes")


main()
