"""The site in a browser: people find an event, register and cancel, with and without scripts, by keyboard, on phones, in light and
dark; axe finds no barrier on any page, and nothing leaves this machine.

usage: site.py BASE_URL DATA_FOLDER AXE_SCRIPT PROFILE_FOLDER [SCREENSHOTS_FOLDER]
"""

import base64
import email
import email.policy
import json
import pathlib
import re
import sys
import time
import urllib.request

from chromium import browser
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE_SECONDS = 60
WIDTHS = (360, 768, 1440)
SCHEMES = ("light", "dark")
HEIGHT = 900

RTL_TITLE = "أمسية الخط العربي للمبتدئين"
QUESTIONS = [
    {"label": "Diet", "field_type": "text", "required": True},
    {"label": "Size", "field_type": "select", "options": ["S", "M", "L"]},
    {"label": "Days", "field_type": "multi_select", "required": True, "options": ["Friday", "Saturday"]},
    {"label": "I agree to the rules", "field_type": "checkbox", "required": True},
]


class Api:
    """What the pages show, made by an organizer."""

    def __init__(self, base, data):
        self.base, self.data = base, data
        self.key = (data / "demo.key").read_text().strip()

    def publish(self, **fields):
        event = {
            "title": "Letterpress for beginners",
            "description": "We print **by hand**.\n\n## Bring\n\n- an apron\n- https://print.example",
            "location": "The old print shop, Mill Lane 3",
            "city": "Leeds",
            "start_date": "2035-05-14T19:00",
            "end_date": "2035-05-14T22:00",
            "timezone": "Europe/London",
            "is_public": True,
            **fields,
        }
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base}/api/v1/events", json.dumps(event).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["slug"]

    def private_path(self, address):
        """The private page in the first mail to somebody."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for file in sorted((self.data / "mail").glob("*.eml")):
                message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                if address not in message["To"]:
                    continue
                text = message.get_body(("plain",)).get_content()
                return re.search(r"/registrations/\w+", text)[0]
            time.sleep(0.1)
        raise AssertionError(f"no mail to {address}")


class Site:
    def __init__(self, driver, base, axe, shots):
        self.driver, self.base, self.axe, self.shots = driver, base, axe, shots
        self.checked = 0

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def look(self, width=1440, scheme="light", scale=1):
        """Sets the window, in CSS pixels, and the colours."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=scale, mobile=width < 500)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, allowed):
        self.cdp("Emulation.setScriptExecutionDisabled", value=not allowed)

    def open(self, path):
        self.driver.get(self.base + path)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self):
        return self.find("body").text

    def path(self):
        return self.driver.current_url.removeprefix(self.base)

    def send(self, selector="main form button[type=submit]"):
        """Sends a form, and waits for the page that answers."""
        old = self.find("html")
        self.find(selector).click()
        self.follow(old)

    def follow(self, old):
        def is_gone(_driver):
            try:
                return not old.is_displayed()
            except Exception:  # The element is of the page that is gone.
                return True

        WebDriverWait(self.driver, PATIENCE_SECONDS).until(is_gone)

    def assert_fits(self, path, width):
        wide = self.driver.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} pixels wide in a window of {width}"

    def check(self, path, name):
        """A page at every width in both schemes: no barrier, nothing wider than the window."""
        for scheme in SCHEMES:
            for width in WIDTHS:
                self.look(width, scheme)
                self.open(path)
                self.assert_fits(path, width)
                self.assert_accessible(path, f"{width} pixels, {scheme}")
                self.shoot(f"{name}-{width}-{scheme}")
        # A desktop at 200 and 400 %.
        for width in (640, 320):
            self.look(width, scale=2)
            self.open(path)
            self.assert_fits(path, width)
        self.look()
        self.checked += 1

    def assert_accessible(self, path, where):
        self.driver.execute_script(self.axe)
        found = self.driver.execute_async_script(
            "axe.run({resultTypes: ['violations']}).then(found => arguments[0](found.violations.map("
            "one => one.id + ': ' + one.nodes.map(node => node.target.join(' ')).join(', '))))"
        )
        assert not found, f"{path} ({where}): {found}"

    def shoot(self, name):
        if not self.shots:
            return
        self.driver.execute_async_script(
            "const done = arguments[0]; document.querySelectorAll('img').forEach(image => { image.loading = 'eager'; });"
            "Promise.all([...document.images].map(image => image.decode().catch(() => {}))).then(() => done())"
        )
        height = self.driver.execute_script("return document.documentElement.scrollHeight")
        width = self.driver.execute_script("return innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 2400), "scale": 1}
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        (self.shots / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))


def register_without_scripts(site, api, slug):
    """From the home page to a cancelled registration, on a phone whose browser runs no scripts."""
    site.look(360)
    site.scripts(False)
    site.open("/events")
    site.open(f"/events/{slug}")
    site.find(".seat-card .button").click()
    assert site.path() == f"/events/{slug}/register", site.path()
    site.find("#name").send_keys("Grace Hopper")
    site.find("#email").send_keys("grace@")
    site.find("#q1").send_keys("no nuts\nno milk")
    site.find("input[value=Saturday]").click()
    site.send()
    text = site.text()
    assert "Please correct" in text and site.find("#email-wrong").is_displayed(), text
    assert site.find("#name").get_attribute("value") == "Grace Hopper"
    assert site.find("#q1").get_attribute("value") == "no nuts\nno milk"
    assert site.find("input[value=Saturday]").is_selected()
    site.find("#email").clear()
    site.find("#email").send_keys("grace@example.org")
    site.send()
    # Now only core's rules are left.
    assert "must have an answer" in site.find("#q4-wrong").text, site.text()
    site.find("#q4").click()
    site.send()
    assert site.path() == f"/events/{slug}/registered" and "Check your mail" in site.text()
    private = api.private_path("grace@example.org")
    site.open(private)
    assert "You have a seat" in site.text() and site.find(".qr svg").is_displayed()
    site.scripts(True)
    return private


def wait_and_cancel(site, api, slug, private):
    """The next one waits, and gets the seat when the first cancels."""
    site.open(f"/events/{slug}")
    assert "Join the waitlist" in site.text(), site.text()
    fill(site, slug, "Ada Lovelace", "ada@example.org")
    second = api.private_path("ada@example.org")
    site.open(second)
    assert "Place 1 on the waitlist" in site.text(), site.text()
    site.open(private)
    site.driver.find_element(By.LINK_TEXT, "Cancel my registration").click()
    assert site.path() == f"{private}/cancel" and "Cancel your registration?" in site.text()
    site.send()
    assert site.path() == private and "Your registration is cancelled" in site.text()
    site.open(second)
    assert "You have a seat" in site.text(), site.text()
    return second


def fill(site, slug, name, address):
    site.open(f"/events/{slug}/register")
    site.find("#name").send_keys(name)
    site.find("#email").send_keys(address)
    site.find("#q1").send_keys("anything")
    site.find("input[value=Friday]").click()
    site.find("#q4").click()
    site.send()
    assert "Check your mail" in site.text(), site.text()


def by_keyboard(site, slug):
    """From the top of the event's page into the form and through it, with the keyboard alone."""

    def focused():
        return site.driver.switch_to.active_element

    def tab_to(is_there, most=40):
        for _ in range(most):
            focused().send_keys(Keys.TAB)
            outline = site.driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
            if is_there(focused()):
                assert outline != "none", "the focus can be seen"
                return
        raise AssertionError("the keyboard does not get there")

    site.look(1440)
    site.open(f"/events/{slug}")
    tab_to(lambda element: element.text == "Skip to content", most=1)
    focused().send_keys(Keys.ENTER)
    assert site.driver.execute_script("return document.activeElement.id") == "main"
    tab_to(lambda element: (element.get_attribute("href") or "").endswith("/register"))
    old = site.find("html")
    focused().send_keys(Keys.ENTER)
    site.follow(old)
    for field, keys in (("name", "Linus"), ("email", "linus@example.org"), ("q1", "fish"), ("q2", "M")):
        tab_to(lambda element: element.get_attribute("id") == field)
        focused().send_keys(keys)
    tab_to(lambda element: element.get_attribute("value") == "Friday")
    focused().send_keys(Keys.SPACE)
    tab_to(lambda element: element.get_attribute("id") == "q4")
    focused().send_keys(Keys.SPACE)
    tab_to(lambda element: element.get_attribute("type") == "submit")
    old = site.find("html")
    focused().send_keys(Keys.ENTER)
    site.follow(old)
    assert "Check your mail" in site.text(), site.text()


def right_to_left(site, slug):
    site.open(f"/events/{slug}")
    heading = site.find("h1")
    assert heading.text == RTL_TITLE and heading.value_of_css_property("direction") == "rtl"


def assert_at_home(site):
    """Nothing was asked of another host, and the policy refused nothing."""
    outside = set()
    for entry in site.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if url.startswith("http") and not url.startswith(site.base + "/"):
                outside.add(url)
    assert not outside, f"pages asked others: {outside}"
    complaints = [entry["message"] for entry in site.driver.get_log("browser") if entry["level"] == "SEVERE"]
    # Refusals of input and unknown pages are meant.
    complaints = [text for text in complaints if not re.search(r"status of (400|404)", text)]
    assert not complaints, f"pages complain: {complaints}"


def main():
    base, data, axe, profile, *shots = sys.argv[1:]
    api = Api(base, pathlib.Path(data))
    shots = pathlib.Path(shots[0]) if shots else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    one_seat = api.publish(max_capacity=1, custom_fields=QUESTIONS, image_query="letterpress", organizer_name="Print Leeds", contact_email="hello@print.example")
    open_one = api.publish(title="Printing for everybody", custom_fields=QUESTIONS)
    arabic = api.publish(title=RTL_TITLE, location="https://meet.example/calligraphy", description="أهلا وسهلا")
    driver = browser(profile)
    try:
        site = Site(driver, base, pathlib.Path(axe).read_text(), shots)
        private = register_without_scripts(site, api, one_seat)
        second = wait_and_cancel(site, api, one_seat, private)
        by_keyboard(site, open_one)
        right_to_left(site, arabic)
        site.open(second)
        code = site.find(".code").text
        guide = "/guides/publish-your-first-event"
        for name, path in {
            "home": "/",
            "events": "/events",
            "event": f"/events/{open_one}",
            "event-full": f"/events/{one_seat}",
            "event-rtl": f"/events/{arabic}",
            "register": f"/events/{open_one}/register",
            "registered": f"/events/{open_one}/registered",
            "private": second,
            "private-cancelled": private,
            "private-cancel": f"{second}/cancel",
            "check-in": f"/check-in/{code}",
            "use-cases": "/use-cases",
            "guides": "/guides",
            "guide": guide,
            "nothing": "/nothing",
            "embed": f"/events/{open_one}/embed",
        }.items():
            site.check(path, name)
        assert_at_home(site)
    finally:
        driver.quit()
    print(f"browser: {site.checked} pages at {len(WIDTHS)} widths in {len(SCHEMES)} schemes, registering with and without scripts")


main()
