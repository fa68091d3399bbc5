"""The guides for organizers: does in a browser what they say, and finds the labels that they name. With a folder, takes their pictures.

usage: guides.py BASE_URL DATA_FOLDER PROFILE_FOLDER [PICTURES_FOLDER]

CI gives no folder: nothing is written, but each picture that would be taken is one of content/images, and the other way round. By hand, for
a new server with demo data, so that nothing but the guides' event is in the pictures:

    target/debug/muster --data-dir /tmp/guides --http-addr 127.0.0.1:8080
    python .ci/browser/guides.py http://127.0.0.1:8080 /tmp/guides /tmp/guides-profile content/images

Python has .ci/browser/requirements.txt. The list in website/src/images.rs names the pictures.
"""

import base64
import datetime
import pathlib
import re
import sys

from chromium import browser
from mailbox import Mailbox
from organizer import Organizer
from pages import Site
from people import press, set_value
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

CONTENT = pathlib.Path(__file__).resolve().parents[2] / "content"
GUIDES = ("publish-an-event", "invite-people", "approve-registrations", "check-people-in", "change-or-cancel-an-event")

# Little wider than the text of a guide, so that what is in the picture can be read.
WIDTH, HEIGHT = 720, 500
# With two columns.
WIDE = 900
MAX_BYTES, MAX_SUM_BYTES = 45_000, 500_000
QUALITY = 75
PATIENCE_SECONDS = 60

ORGANIZER = "demo@muster.example"
TITLE = "Bread from scratch"
# Some weeks ahead, so that nothing in the pictures is long ago, and a Saturday.
TODAY = datetime.date.today()
DAY = TODAY + datetime.timedelta(days=42 + (5 - TODAY.weekday()) % 7)

LABELS = "a, button, label > :first-child, label, legend, summary, h1, h2, th, option, .badge, .hint"

# What only this server has: its address, and the focus of whoever fills a form.
TIDY = """
const [base, shown] = arguments;
document.activeElement.blur();
for (const field of document.querySelectorAll("input[readonly]")) field.value = field.value.replace(base, shown);
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(base, shown);
for (const image of document.images) image.loading = "eager";
"""
SHOWN_ADDRESS = "https://muster.example"


class Walk:
    """Someone who follows the guides, with the labels that they saw and the pictures that they took."""

    def __init__(self, site, folder):
        self.site, self.folder = site, folder
        self.labels, self.taken = set(), {}

    def read(self):
        texts = self.site.driver.execute_script("return [...document.querySelectorAll(arguments[0])].map(element => element.textContent)", LABELS)
        self.labels |= {" ".join(text.split()) for text in texts}

    def open(self, path):
        self.site.open(path)
        self.read()

    def press(self, words):
        press(self.site, words)
        self.read()

    def leave(self, act):
        self.site.leave(act)
        self.read()

    def type(self, selector, text):
        field = self.site.find(selector)
        field.clear()
        field.send_keys(text)

    def tick(self, selector, most=1):
        for box in self.site.driver.find_elements(By.CSS_SELECTOR, selector)[:most]:
            # Away from the bar at the foot of long forms.
            self.site.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
            box.click()

    def look(self, width=WIDTH):
        self.site.cdp("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def take(self, name, at=None, width=WIDTH):
        """Takes a picture of the page, from one of its parts on, which the page has even if no picture is taken."""
        assert name not in self.taken, name
        self.taken[name] = 0
        start = at and self.site.find(at)
        if not self.folder:
            return
        driver = self.site.driver
        self.look(width)
        driver.execute_script(TIDY, self.site.base, SHOWN_ADDRESS)
        WebDriverWait(driver, PATIENCE_SECONDS).until(lambda driver: driver.execute_script("return [...document.images].every(image => image.complete)"))
        driver.execute_script("scrollTo(0, arguments[0] ? arguments[0].getBoundingClientRect().top + scrollY - 16 : 0)", start)
        picture = base64.b64decode(self.site.cdp("Page.captureScreenshot", format="webp", quality=QUALITY)["data"])
        assert len(picture) <= MAX_BYTES, f"{name} has {len(picture)} bytes"
        (self.folder / f"{name}.webp").write_bytes(picture)
        self.taken[name] = len(picture)
        self.look()


def publish(walk, mails):
    site = walk.site
    walk.open("/sign-in?next=/dashboard")
    walk.type("#email", ORGANIZER)
    walk.press("Send me a code")
    walk.type("#code", mails.code(ORGANIZER))
    walk.press("Sign in")
    walk.press("New event")
    for field, text in {
        "title": TITLE,
        "description": "Sourdough, from flour to loaf. You take home your own starter.\n\nNo experience needed.",
        "image_query": "bread",
        "location": "The old bakery, Mill Lane 8",
        "city": "Bristol",
        "timezone": "Europe/London",
        "max_capacity": "4",
        "organizer_name": "Mill Lane Bakers",
        "contact_email": "hello@bakers.example",
    }.items():
        walk.type(f"#{field}", text)
    set_value(site, "#start_date", f"{DAY}T10:00")
    set_value(site, "#end_date", f"{DAY}T14:00")
    walk.take("new-event", "label[for=title]")
    walk.press("Save as a draft")
    # The address for questions is to be proven first, which has time.
    event = site.path().split("?")[0].removesuffix("/contact")
    walk.open(event)
    walk.press("Publish…")
    walk.take("publish", "h1")
    walk.press("Publish")
    walk.take("share-link", ".flash")
    walk.open("/dashboard/account")
    walk.type("#handle", "mill-lane-bakers")
    walk.press("Save the account")
    walk.open("/o/mill-lane-bakers")
    return event


def invite(walk, event):
    site = walk.site
    walk.open(event)
    walk.press("Open the page")
    page = site.path()
    walk.take("event-page", width=WIDE)
    walk.open(f"{event}/registrations")
    walk.press("Add a guest")
    walk.type("#name", "Rosalind Franklin")
    walk.type("#email", "rosalind@example.org")
    walk.take("register-someone", "h1")
    walk.press("Add and email")
    walk.open("/dashboard/members")
    walk.type("#email", "sam@example.org")
    walk.tick("[name=role][value=door]")
    walk.take("invite-member", "#invite")
    walk.press("Send the invitation")
    return page


def approve(walk, event, organizer, page):
    site = walk.site
    walk.open(event)
    walk.press("Edit")
    walk.tick("#requires_approval")
    Select(site.find("#confirm_by_email")).select_by_visible_text("No")
    walk.take("approval", "label:has(#requires_approval)")
    walk.press("Save")
    slug = page.split("/")[2]
    for name in ("Dorothy Hodgkin", "Mary Anning", "Ada Lovelace", "Jane Goodall", "Max Planck"):
        organizer.register({"slug": slug, "title": TITLE}, name)
    walk.open(event)
    walk.press("Registrations")
    walk.tick("[name=registration_ids]", most=4)
    walk.take("approve", "tbody tr:nth-child(2)")
    walk.press("Approve selected")
    walk.take("waitlist", ".people")
    walk.press("Max Planck")
    walk.press("Decline…")
    walk.type("#reason", "The oven is small. We will bake again in spring.")
    walk.press("Decline and email Max Planck")
    walk.open("/dashboard/account/mails")


def check_in(walk, event, mails):
    site = walk.site
    walk.open(event)
    walk.press("Check-in")
    walk.leave(lambda: site.find("#q").send_keys("dor", Keys.ENTER))
    walk.press("Check in")
    assert "Checked in, " in site.text(), site.text()
    walk.take("door", ".door-top")
    walk.press("Undo")
    assert "Check-in undone" in site.text(), site.text()
    walk.open(mails.path("mary@example.org", r"/registrations/\w+"))
    walk.take("ticket", ".ticket-code")
    walk.open(f"/check-in/{site.find('.code').text}")
    walk.take("ticket-staff")
    walk.press("Check in")
    assert "Checked in, " in site.text(), site.text()
    walk.press("Undo")


def change_and_cancel(walk, event, mails):
    site = walk.site
    walk.open(event)
    walk.press("Edit")
    walk.type("#location", "The new bakery, Mill Lane 12")
    walk.press("Save")
    walk.take("new-place", "h1")
    walk.press("Save and email")
    assert "The emails go out" in site.text(), site.text()
    walk.open(f"{event}/repeat")
    walk.type("#count", "3")
    walk.press("Show the dates")
    assert "Repeat on these 3 dates?" in site.text(), site.text()
    walk.open(event)
    walk.press("Cancel the event…")
    walk.type("#reason", "Our oven is broken. We are sorry, and bake again in spring.")
    walk.take("cancel-reason", "h1")
    walk.press("Continue")
    walk.take("cancel-review", "h1")
    walk.press("Cancel the event and email")
    assert "This event is cancelled." in site.text(), site.text()
    mails.has("mary@example.org", "Our oven is broken.")


def assert_guides_are_true(walk):
    """The guides name labels that were seen, and show every picture that was taken."""
    shown = set()
    for guide in GUIDES:
        text = (CONTENT / "guides" / f"{guide}.md").read_text()
        shown |= set(re.findall(r"\]\(/images/([\w-]+)\.webp\)", text))
        for named in re.findall(r"\*\*(.+?)\*\*", text, re.DOTALL):
            named = " ".join(named.split())
            is_seen = any(label == named or label.startswith((f"{named} ", f"{named}…")) for label in walk.labels)
            assert is_seen, f"{guide} names {named!r}, which no page has"
    files = {file.stem for file in (walk.folder or CONTENT / "images").glob("*.webp")}
    assert shown == files == set(walk.taken), f"shown: {sorted(shown)}, files: {sorted(files)}, taken: {sorted(walk.taken)}"


def main(base, data, profile, folder=None):
    data, folder = pathlib.Path(data), folder and pathlib.Path(folder)
    mails = Mailbox(data)
    driver = browser(profile)
    try:
        site = Site(driver, base, axe="", shots=None)
        site.look()
        site.cdp("Emulation.setScrollbarsHidden", hidden=True)
        walk = Walk(site, folder)
        walk.look()
        event = publish(walk, mails)
        page = invite(walk, event)
        approve(walk, event, Organizer(base, data), page)
        check_in(walk, event, mails)
        change_and_cancel(walk, event, mails)
        site.assert_at_home(meant=())
    finally:
        driver.quit()
    assert_guides_are_true(walk)
    size = sum(walk.taken.values())
    assert size <= MAX_SUM_BYTES, f"the pictures have {size} bytes, more than {MAX_SUM_BYTES}"
    print(f"guides: {len(GUIDES)} guides do what they say, with {len(walk.taken)} pictures")


main(*sys.argv[1:])
