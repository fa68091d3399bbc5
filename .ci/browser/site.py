"""The site in a browser: people find an event, register and cancel, with and without scripts, by keyboard, on phones, in light and
dark; axe finds no barrier on any page, and nothing leaves this machine.

usage: site.py BASE_URL BASE_URL_WITHOUT_CORE DATA_FOLDER AXE_SCRIPT PROFILE_FOLDER [SCREENSHOTS_FOLDER]
"""

import pathlib
import sys
import urllib.error
import urllib.request

from chromium import browser
from organizer import Organizer
from pages import SCHEMES, WIDTHS, Site
from selenium.webdriver.common.keys import Keys

RTL_TITLE = "أمسية الخط العربي للمبتدئين"
LONG_TITLE = "An evening of very long readings from novels whose titles are longer than most short stories, with a break in the middle"
QUESTIONS = [
    {"label": "Diet", "field_type": "text", "required": True},
    {"label": "Size", "field_type": "select", "options": ["S", "M", "L"]},
    {"label": "Days", "field_type": "multi_select", "required": True, "options": ["Friday", "Saturday"]},
    {"label": "How often have you printed?", "field_type": "integer"},
    {"label": "I agree to the rules", "field_type": "checkbox", "required": True},
]


MANY_QUESTIONS = [f"What should we know about you ({number} of 10)?" for number in range(1, 11)]


class Events:
    """What the organizer has published."""

    def __init__(self, organizer):
        self.one_seat = organizer.publish(
            max_capacity=1, custom_fields=QUESTIONS, image_query="letterpress", organizer_name="Print Leeds", contact_email="hello@print.example"
        )
        self.open = organizer.publish(title="Printing for everyone", custom_fields=QUESTIONS)
        self.plain = organizer.publish(title=LONG_TITLE, image_query="books")
        self.arabic = organizer.publish(title=RTL_TITLE, location="https://meet.example/calligraphy", description="أهلا وسهلا")
        self.asking = organizer.publish(title="Studio tour", requires_approval=True)
        self.confirming = organizer.publish(title="Paper making", confirm_by_email=True)
        self.cancelled = organizer.publish(title="Bookbinding in the park", image_query="park")
        self.curious = organizer.publish(
            title="Printing with many questions",
            custom_fields=[{"label": label, "field_type": "text"} for label in MANY_QUESTIONS],
            attendee_info="Ring at **Meyer**.\n\n" * 40,
        )


def find_and_register_without_scripts(site, organizer, events):
    """From the home page to the private page, on a phone whose browser runs no scripts."""
    event = events.one_seat
    site.look(360)
    site.scripts(False)
    site.open("/")
    site.find("#q").send_keys("letterp")
    site.find(".filters > summary").click()
    site.find("#city").send_keys("leeds")
    site.send()
    assert site.path().startswith("/events?q=letterp&city=leeds"), site.path()
    assert "1 event" in site.text(), site.text()
    site.follow(event["title"])
    assert not site.has("[data-copy]"), "what needs a script is not shown without"
    site.send(".seat-card .button")
    path = f"/events/{event['slug']}"
    assert site.path() == f"{path}/register", site.path()
    site.find("#name").send_keys("Grace Hopper")
    site.find("#email").send_keys("grace@")
    site.find("#q1").send_keys("no nuts\nno milk")
    site.find("input[value=Saturday]").click()
    site.send()
    text = site.text()
    assert "Please correct" in text and site.has("#email-wrong"), text
    assert "Please check this box." in site.find("#q5-wrong").text, text
    assert site.find("#name").get_attribute("value") == "Grace Hopper"
    assert site.find("#q1").get_attribute("value") == "no nuts\nno milk"
    assert site.find("input[value=Saturday]").is_selected()
    site.find("#email").clear()
    site.find("#email").send_keys("grace@example.org")
    site.find("#q5").click()
    site.send()
    assert site.path() == f"{path}/registered" and "Check your inbox" in site.text()
    private = organizer.private_path("grace@example.org", event)
    site.open(private)
    assert "You’re in" in site.text() and site.has(".qr svg")
    site.scripts(True)
    site.open(path)
    assert site.has("[data-copy]"), "with scripts there is more"
    return private


def wait_and_cancel(site, organizer, events, private):
    """The next one waits, and gets the seat when the first cancels."""
    event = events.one_seat
    site.open(f"/events/{event['slug']}")
    assert "Join the waitlist" in site.text(), site.text()
    fill(site, event, "Ada Lovelace", "ada@example.org")
    second = organizer.private_path("ada@example.org", event)
    site.check(second, "private-waitlisted", "You are on the waitlist")
    site.open(second)
    assert "Place 1 on the waitlist" in site.text(), site.text()
    site.open(private)
    site.follow("Cancel my registration")
    assert site.path() == f"{private}/cancel" and "Cancel your registration?" in site.text()
    site.send()
    assert site.path() == private and "Your registration is cancelled" in site.text()
    site.open(second)
    assert "You’re in" in site.text(), site.text()
    return second


def fill(site, event, name, address):
    site.open(f"/events/{event['slug']}/register")
    site.find("#name").send_keys(name)
    site.find("#email").send_keys(address)
    site.find("#q1").send_keys("anything")
    site.find("input[value=Friday]").click()
    site.find("#q5").click()
    site.send()
    assert "Check your inbox" in site.text(), site.text()


def by_keyboard(site, events):
    """From the top of the event's page into the form and through it, with the keyboard alone."""
    site.open(f"/events/{events.open['slug']}")
    site.tab_to(lambda element: element.text == "Skip to content", most=1)
    site.focused().send_keys(Keys.ENTER)
    assert site.driver.execute_script("return document.activeElement.id") == "main"
    link = site.tab_to(lambda element: (element.get_attribute("href") or "").endswith("/register"))
    site.leave(lambda: link.send_keys(Keys.ENTER))
    for field, keys in (("name", "Linus"), ("email", "linus@example.org"), ("q1", "fish"), ("q2", "M")):
        site.tab_to(lambda element: element.get_attribute("id") == field).send_keys(keys)
    site.tab_to(lambda element: element.get_attribute("value") == "Friday").send_keys(Keys.SPACE)
    site.tab_to(lambda element: element.get_attribute("id") == "q5").send_keys(Keys.SPACE)
    button = site.tab_to(lambda element: element.get_attribute("type") == "submit")
    site.leave(lambda: button.send_keys(Keys.ENTER))
    assert "Check your inbox" in site.text(), site.text()


def right_to_left(site, events):
    site.open(f"/events/{events.arabic['slug']}")
    heading = site.find("h1")
    assert heading.text == RTL_TITLE and heading.value_of_css_property("direction") == "rtl"


def check_refused_form(site, path):
    """The form with what is wrong beside each field."""

    def reach():
        site.open(path)
        site.find("#email").send_keys("grace@")
        site.find("#q4").send_keys("often")
        site.send()
        assert site.has("#email-wrong")

    site.check_reached("register-refused", reach, "Please correct")


def check_too_many(site):
    """A client that guesses private links is refused for a while."""
    unknown = f"/registrations/{0:032}"

    def is_refused():
        try:
            urllib.request.urlopen(site.base + unknown)
        except urllib.error.HTTPError as error:
            return error.code == 429
        return False

    def reach():
        # A guess a second is free, so on a slow machine it takes several times.
        for _ in range(20):
            while not is_refused():
                pass
            site.open(unknown)
            if "Too many requests" in site.text():
                return

    site.check_reached("too-many", reach, "Too many requests")


def check_private_pages(site, organizer, events):
    """Each status of a registration, and how its page is printed."""
    check_in = organizer.register(events.plain, "Barbara Liskov")
    site.check(check_in, "private", "Show this code at the entrance")
    site.check(f"{check_in}/cancel", "private-cancel", "Cancel your registration?")
    site.shoot_print(check_in, "private-print")
    answers = [(label, "I print on paper that others throw away. " * 8) for label in MANY_QUESTIONS]
    site.shoot_print(organizer.register(events.curious, "Adele Goldberg", answers), "private-print-long")
    code = site.find(".code").text
    site.check(f"/check-in/{code}", "ticket", "This ticket is valid")
    organizer.check_in(events.plain)
    site.check(check_in, "private-checked-in", "You’re checked in")
    site.check(organizer.register(events.asking, "Frances Allen"), "private-pending", "Waiting for approval")
    confirming = organizer.register(events.confirming, "Karen Jones")
    site.check(confirming, "private-unconfirmed", "Please confirm")
    site.open(confirming)
    site.send()
    assert "Your registration is confirmed" in site.text(), site.text()
    cancelled = organizer.register(events.cancelled, "Radia Perlman")
    organizer.cancel(events.cancelled, "The park is closed after the storm.\nWe are looking for another place.")
    site.check(cancelled, "private-event-cancelled", "The park is closed after the storm.")


def check_clocks(site, events):
    """Hours are shown as the viewer's clocks show them, on the site and in frames of others."""
    path = f"/events/{events.plain['slug']}"
    for locale, hours in (("en-US", "7:00 PM"), ("de-DE", "19:00")):
        site.cdp("Emulation.setLocaleOverride", locale=locale)
        for page in (path, f"{path}/register", f"{path}/embed"):
            site.open(page)
            assert hours in site.text(), f"{page} in {locale}: {site.text()}"
    site.cdp("Emulation.setLocaleOverride")


def check_public_pages(site, organizer, events):
    of = {name: f"/events/{event['slug']}" for name, event in vars(events).items()}
    for name, path, words in (
        ("home", "/", "Find your next event"),
        ("events", "/events", "events"),
        ("events-found", "/events?q=print&city=leeds", "6 events"),
        ("events-nothing", "/events?q=nothing-like-this", "Nothing matches"),
        ("events-wrong", "/events?from=soon", "Enter a date."),
        ("event", of["one_seat"], "Join the waitlist"),
        ("event-questions", of["open"], "Register"),
        ("event-long-title", of["plain"], LONG_TITLE),
        ("event-rtl-online", of["arabic"], "Online"),
        ("event-approval", of["asking"], "Request to join"),
        ("event-cancelled", of["cancelled"], "This event is cancelled"),
        ("event-ended", f"/events/{organizer.ended()}", "This event is over"),
        ("register", f"{of['open']}/register", "The organizer sees your name"),
        ("registered", f"{of['open']}/registered", "Check your inbox"),
        ("use-cases", "/use-cases", "Use cases"),
        ("guides", "/guides", "Publish an event"),
        ("guide-pictures", "/guides/check-people-in", "Scan tickets"),
        ("guide", "/guides/publish-your-first-event", "From nothing to a public event"),
        ("developers", "/docs", "Search operations"),
        ("developers-found", "/docs?q=seats_left", "Get a public event"),
        ("developers-nothing", "/docs?q=nothing-like-this", "Nothing has these words"),
        ("reference-group", "/docs/registrations", "Approve a registration"),
        ("reference", "/docs/create-event", "Idempotency-Key"),
        ("concept", "/docs/errors", "INVALID_REQUEST"),
        ("guide-long", "/guides/run-it-in-containers", "Which container does what"),
        ("nothing", "/nothing", "Page not found"),
        ("embed", f"{of['plain']}/embed", "Muster"),
    ):
        site.check(path, name, words)


def read_the_reference(site):
    """Without scripts, a developer finds an operation by a name; with them, its lines can be copied. No page has a barrier."""
    site.look(360)
    site.scripts(False)
    site.open("/docs")
    site.find("#q").send_keys("create_event")
    site.send()
    site.follow("Create an event")
    text = site.text()
    for line in (f'curl "{site.base}/api/v1/events"', "requests.post(", "await fetch(", "grpcurl", "IDEMPOTENCY_KEY_REUSED"):
        assert line in text, f"{line} is not in {text}"
    assert not site.has(".copy"), "what needs a script is not shown without"
    site.scripts(True)
    site.open("/docs/create-event")
    assert site.has(".copy"), "with scripts there is more"
    site.open("/docs")
    pages = {link for link in site.driver.execute_script("return [...document.links].map(link => link.href)") if "/docs/" in link}
    assert len(pages) > 50, pages
    for page in sorted(pages):
        site.open(page)
        site.assert_accessible(page)


def main():
    base, without_core, data, axe, profile, *shots = sys.argv[1:]
    organizer = Organizer(base, pathlib.Path(data))
    shots = pathlib.Path(shots[0]) if shots else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    events = Events(organizer)
    driver = browser(profile)
    try:
        site = Site(driver, base, pathlib.Path(axe).read_text(), shots)
        private = find_and_register_without_scripts(site, organizer, events)
        second = wait_and_cancel(site, organizer, events, private)
        by_keyboard(site, events)
        right_to_left(site, events)
        site.check(second, "private-answers", "You’re in")
        site.check(private, "private-cancelled", "Your registration is cancelled")
        check_refused_form(site, f"/events/{events.open['slug']}/register")
        check_private_pages(site, organizer, events)
        check_public_pages(site, organizer, events)
        check_clocks(site, events)
        read_the_reference(site)
        check_too_many(site)
        site.assert_at_home(meant=(400, 404, 429))
        away = Site(driver, without_core, site.axe, shots, is_up=False)
        away.check("/", "away", "Muster is not available")
        away.assert_at_home(meant=(503,))
    finally:
        driver.quit()
    pages = site.checked + away.checked
    print(f"browser: {pages} pages at {len(WIDTHS)} widths in {len(SCHEMES)} schemes, registering with and without scripts")


main()
