"""The dashboard in browsers: people sign up, publish, approve, check in, cancel, invite, make keys and connect apps, with and without scripts, by
keyboard, on phones, in light and dark; axe finds no barrier on any page, and nothing leaves this machine.

usage: dashboard.py BASE_URL DATA_FOLDER AXE_SCRIPT PROFILES_FOLDER [SCREENSHOTS_FOLDER]
"""

import json
import pathlib
import shlex
import subprocess
import sys
from datetime import datetime, timedelta

from connecting import connect_an_app
from door import scan_at_the_door
from organizer import Organizer
from pages import SCHEMES, WIDTHS
from people import People, press, set_value
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

DEMO = "demo@muster.example"
NEW_PERSON = "mary@example.org"
PHONE = 390
START = "2035-06-01T19:00"


def sign_up_without_scripts(people):
    """From the front page to a published event, on a phone whose browser runs no scripts."""
    site = people.browser()
    site.look(PHONE)
    site.scripts(False)
    site.open("/")
    site.follow("Create an event")
    assert site.path().startswith("/sign-in?next="), site.path()
    site.find("#email").send_keys("mary@")
    site.send()
    assert site.has("#email-wrong"), site.text()
    site.find("#email").clear()
    site.find("#email").send_keys(NEW_PERSON)
    site.send()
    site.find("#code").send_keys("1234 5678")
    site.send()
    assert site.has("#code-wrong"), site.text()
    site.find("#code").clear()
    site.find("#code").send_keys(people.mails.code(NEW_PERSON))
    site.send()
    assert site.path() == "/dashboard/welcome", site.path()
    for name, keys in (("person_name", "Mary Somerville"), ("account_name", "Stars of Leith")):
        site.find(f"#{name}").clear()
        site.find(f"#{name}").send_keys(keys)
    site.send()
    assert site.path() == "/dashboard/events/new", site.path()
    site.find("#title").send_keys("S")
    press(site, "Add a question")
    assert site.find("#title").get_attribute("value") == "S"
    site.find("[name='custom_fields[0].label']").send_keys("Which telescope?")
    kind, options = "[name='custom_fields[0].field_type']", "[name='custom_fields[0].options']"
    assert not site.has(options), "a text has no options"
    Select(site.find(kind)).select_by_value("select")
    assert site.has(options), "options are asked for where there are some"
    Select(site.find(kind)).select_by_value("text")
    site.find("#title").send_keys("tars over the harbour")
    site.find("#description").send_keys("We look at **Saturn**.")
    site.find("#location").send_keys("The old pier")
    site.find("#city").send_keys("Leith")
    site.find("#timezone").send_keys("Europe/London")
    site.scripts(True)
    set_value(site, "#start_date", START)
    site.scripts(False)
    press(site, "Publish now")
    assert "Your event is published." in site.text(), site.text()
    press(site, "Open the page")
    assert "Stars over the harbour" in site.text() and "1 June 2035" in site.text(), site.text()
    site.open("/dashboard")
    assert "Stars over the harbour" in site.text(), site.text()
    site.scripts(True)
    return site


def create_by_keyboard(people):
    """Signing in and a first draft, with the keyboard alone."""
    site = people.browser()
    address = "caroline@example.org"
    site.open("/sign-in")
    site.tab_to(lambda element: element.get_attribute("id") == "email").send_keys(address, Keys.ENTER)
    people.mails.wait(lambda: site.path() == "/sign-in/code", "the page for the code")
    field = site.tab_to(lambda element: element.get_attribute("id") == "code")
    site.leave(lambda: field.send_keys(people.mails.code(address), Keys.ENTER))
    assert site.path() == "/dashboard/welcome", site.path()
    field = site.tab_to(lambda element: element.get_attribute("id") == "person_name")
    site.leave(lambda: field.send_keys(Keys.ENTER))
    for name, keys in (("title", "Comet night"), ("description", "Bring a coat."), ("image_query", "")):
        site.tab_to(lambda element: element.get_attribute("id") == name).send_keys(keys)
    # The parts of a date differ between languages: the keyboard gets there, and that is enough.
    site.tab_to(lambda element: element.get_attribute("id") == "start_date")
    set_value(site, "#start_date", START)
    site.driver.execute_script("arguments[0].dispatchEvent(new Event('change'))", site.find("#start_date"))
    end = site.find("#end_date").get_attribute("value")
    assert datetime.fromisoformat(end) - datetime.fromisoformat(START) == timedelta(hours=2), end
    zone = site.tab_to(lambda element: element.get_attribute("id") == "timezone")
    assert zone.get_attribute("value"), "the zone of the browser is suggested"
    place = site.tab_to(lambda element: element.get_attribute("id") == "location")
    site.leave(lambda: place.send_keys("The roof", Keys.ENTER))
    assert "Your draft is saved" in site.text(), site.text()
    menu = site.tab_to(lambda element: element.tag_name == "summary")
    menu.send_keys(Keys.ENTER)
    site.tab_to(lambda element: element.text == "Sign out").send_keys(Keys.ESCAPE)
    assert not site.find(".menu").get_attribute("open"), "Esc closes the menu"
    # The focus is on the menu's name again.
    site.focused().send_keys(Keys.ENTER)
    button = site.tab_to(lambda element: element.text == "Sign out")
    site.leave(lambda: button.send_keys(Keys.ENTER))
    assert "You are signed out." in site.text(), site.text()


def approve_and_decline(people, owner, organizer):
    """Three people ask for a seat in other browsers; one is approved, one declined, and one waits."""
    event = organizer.publish(title="Studio tour with the printers", requires_approval=True, custom_fields=[{"label": "Diet", "field_type": "text"}])
    guest = people.browser()
    for name in ("Ada Lovelace", "Grace Hopper", "Linus <b>"):
        guest.open(f"/events/{event['slug']}/register")
        guest.find("#name").send_keys(name)
        guest.find("#email").send_keys(f"{name.split()[0].lower()}@guests.example")
        guest.send()
        assert "Check your inbox" in guest.text(), guest.text()
    path = f"/dashboard/events/{event['id']}"
    owner.check(f"{path}/registrations", "registrations-waiting", "Needs approval")
    owner.open(f"{path}/registrations?q=ada")
    owner.find("[name=registration_ids]").click()
    press(owner, "Approve")
    assert "They get an email." in owner.text(), owner.text()
    people.mails.has("ada@guests.example", "Your registration is approved")
    owner.open(f"{path}/registrations?q=grace")
    owner.find("[name=registration_ids]").click()
    press(owner, "Decline")
    owner.check(owner.path(), "decline", "Decline Grace Hopper?")
    owner.find("#reason").send_keys("The studio is small.")
    press(owner, "Decline and email Grace Hopper")
    people.mails.has("grace@guests.example", "The studio is small.")
    owner.open(f"{path}/registrations")
    press(owner, "Ada Lovelace")
    owner.check(owner.path(), "registration", "Confirmed")
    owner.check(f"{path}/registrations/new", "registration-new", "Add a guest")
    return event


def check_in_at_the_door(people, owner, event):
    """On a phone: by three letters and a press, by the code at once, once however often the page is loaded."""
    path = f"/dashboard/events/{event['id']}/check-in"
    owner.check(path, "door", "A code or a complete email address checks in right away")
    owner.look(PHONE)
    owner.open(path)
    owner.leave(lambda: owner.find("#q").send_keys("ada", Keys.ENTER))
    press(owner, "Check in")
    assert "Checked in, " in owner.text(), owner.text()
    owner.driver.refresh()
    assert "hecked in, " in owner.text(), owner.text()
    owner.check(owner.path(), "door-checked-in", "hecked in, ")
    owner.look(PHONE)
    press(owner, "Undo")
    assert "Check-in undone" in owner.text(), owner.text()
    private = people.mails.path("ada@guests.example", r"/registrations/\w+")
    guest = people.browser()
    guest.look(PHONE)
    guest.open(private)
    ticket = f"/check-in/{guest.find('.code').text}"
    owner.check(ticket, "ticket-staff", "Check in")
    owner.look(PHONE)
    owner.open(ticket)
    press(owner, "Check in")
    assert "Checked in, " in owner.text(), owner.text()
    owner.check(ticket, "ticket-staff-before", "Already checked in")
    press(owner, "Undo")
    assert "Check-in undone" in owner.text(), owner.text()
    for words in ("Checked in, ", "Already checked in, "):
        owner.open(path)
        owner.leave(lambda: owner.find("#q").send_keys(people.base + ticket, Keys.ENTER))
        assert words in owner.text(), owner.text()
    owner.check(owner.path(), "door-before", "Already checked in, ")
    owner.check(f"{path}?q=l", "door-several", "found")
    owner.check(f"{path}?q=nobody-like-this", "door-nobody", "No one found")
    guest.open(private)
    assert "You’re checked in" in guest.text(), guest.text()


def change_and_cancel(people, owner, event):
    """What the guests read is shown before it is mailed."""
    path = f"/dashboard/events/{event['id']}"
    owner.check(f"{path}/edit", "event-edit", "Edit the event")

    def review():
        owner.open(f"{path}/edit")
        owner.find("#location").clear()
        owner.find("#location").send_keys("The new print shop")
        press(owner, "Save")

    owner.check_reached("event-review", review, "Save and email")
    assert "The new print shop" in owner.find(".mail-text").get_property("textContent")
    press(owner, "Save and email")
    assert "The emails go out" in owner.text(), owner.text()

    def refused():
        owner.open(f"{path}/edit")
        owner.find("#title").clear()
        owner.find("#title").send_keys("X")
        press(owner, "Add a question")
        press(owner, "Save")

    owner.check_reached("event-refused", refused, "Please correct")
    owner.check(f"{path}/cancel", "cancel", "Cancel this event?")

    def reason():
        owner.open(f"{path}/cancel")
        owner.find("#reason").send_keys("The press is broken.\nWe are sorry.")
        press(owner, "Continue")

    owner.check_reached("cancel-review", reason, "Cancel and email")
    assert "The press is broken." in owner.find(".mail-text").get_property("textContent")
    press(owner, "Cancel the event and email")
    assert "This event is cancelled." in owner.text(), owner.text()
    people.mails.has("ada@guests.example", "The press is broken.")
    owner.check(path, "event-cancelled-own", "It can’t be changed any more")
    owner.open(f"{path}/registrations")
    press(owner, "Ada Lovelace")
    owner.check(owner.path(), "registration-closed", "ada@guests.example")


def key_shown_once(people, owner):
    """A key from the page to a terminal, and out of use again."""
    owner.check("/dashboard/keys/new", "key-new", "New API key")

    def create():
        owner.open("/dashboard/keys/new")
        owner.find("#name").send_keys("laptop")
        press(owner, "Create the key")

    owner.check_reached("key-created", create, "It is shown only this once")
    command = shlex.split(owner.find("#curl").get_attribute("value"))
    secret = owner.find("#secret").get_attribute("value")
    answer = json.loads(subprocess.run([*command, "--silent", "--fail"], check=True, capture_output=True).stdout)
    assert answer["email"] == DEMO, answer
    press(owner, "I have copied it")
    assert secret not in owner.driver.page_source
    owner.check("/dashboard/keys", "keys", "laptop")
    press(owner, "laptop")
    owner.check(owner.path(), "key", "Revoke it")
    # The newest is the one that curl has.
    press(owner, "Revoke the key")
    assert "The key is revoked." in owner.text(), owner.text()
    people.mails.wait(lambda: subprocess.run([*command, "--silent", "--fail"], capture_output=True).returncode != 0, "the key stops")


def webhook_followed(people, owner, organizer):
    """A webhook from the form to what became of a message, and away again. Its receiver is not there."""
    owner.check("/dashboard/webhooks", "webhooks-none", "No webhooks yet")
    owner.check("/dashboard/webhooks/new", "webhook-new", "Which messages")

    def create():
        owner.open("/dashboard/webhooks/new")
        owner.find("#url").send_keys("https://receiver.invalid/" + "long/" * 60)
        owner.find("#description").send_keys("Our CRM")
        owner.find("[name=types][value='event.created']").click()
        press(owner, "Create the webhook")

    owner.check_reached("webhook-made", create, "It is shown only this once")
    secret = owner.find("#secret").get_attribute("value")
    press(owner, "To the webhook")
    assert secret not in owner.driver.page_source
    path = owner.path()
    owner.check_reached("webhook-pinged", lambda: press(owner, "Send a ping"), "The ping failed")
    press(owner, "Pause")
    assert "The webhook is paused." in owner.text(), owner.text()
    organizer.publish(title="Seen by a webhook", city="Hull")
    owner.check("/dashboard/webhooks", "webhooks", "Paused")
    owner.check(path, "webhook", "event.created")
    press(owner, "event.created")
    owner.check(owner.path(), "webhook-delivery", "The body, as it would be sent now")
    owner.check(f"{path}/edit", "webhook-edit", "Edit the webhook")
    owner.check(f"{path}/delete", "webhook-delete", "Delete this webhook?")
    owner.open(f"{path}/delete")
    press(owner, "Delete the webhook")
    assert "The webhook is deleted." in owner.text(), owner.text()


def three_roles_two_accounts(people, owner, second):
    """People are invited, see what they may, and switch between their accounts."""
    owner.check("/dashboard/members", "members", "Invite someone")
    for address, role in ((NEW_PERSON, "organizer"), ("door@example.org", "door")):
        owner.open("/dashboard/members")
        owner.find("#email").send_keys(address)
        owner.find(f"[name=role][value={role}]").click()
        press(owner, "Send the invitation")
        assert address in owner.text(), owner.text()
    second.check("/dashboard", "home-invited", "invites you to")
    link = people.mails.path(NEW_PERSON, r"/invitations/[\w-]+")
    second.check(link, "invitation", "Join")
    second.open(link)
    press(second, "Join")
    assert "You are a member now." in second.text(), second.text()
    second.open("/dashboard/members")
    assert "Invite someone" not in second.text(), second.text()
    second.find("summary").click()
    second.find("h1").click()
    assert not second.find(".menu").get_attribute("open"), "a click elsewhere closes the menu"
    second.find("summary").click()
    second.shoot("menu")
    second.assert_accessible("the menu")
    second.send(".menu-part button[name=account_id]")
    assert "You see the other account now." in second.text(), second.text()
    second.open("/dashboard")
    assert "Stars over the harbour" in second.text(), second.text()

    door = people.browser()
    people.sign_in(door, "door@example.org", people.mails.path("door@example.org", r"/invitations/[\w-]+"))
    press(door, "Join")
    door.check("/dashboard", "home-door", "events")
    assert not door.has("a[href='/dashboard/keys']") and not door.has("a[href='/dashboard/events/new']")
    door.check("/dashboard/keys", "refused", "Your role does not include this")
    owner.open("/dashboard/members")
    press(owner, "door")
    owner.check(owner.path(), "member", "Remove")
    press(owner, "Remove the member")
    door.open("/dashboard")
    assert "in no account yet" in door.text(), door.text()
    door.check("/dashboard/start", "start", "Welcome")


def end_a_session(people, second):
    """Another browser of the same person is signed out."""
    lost = people.signed_in(NEW_PERSON)
    second.check("/dashboard/sessions", "sessions", "This browser")
    rows = second.driver.find_elements(By.CSS_SELECTOR, ".row")
    other = next(row for row in rows if "This browser" not in row.text)
    second.leave(other.find_element(By.CSS_SELECTOR, "button").click)
    assert "That browser is signed out." in second.text(), second.text()
    people.mails.wait(lambda: (lost.open("/dashboard"), lost.path() == "/sign-in")[1], "the other browser is signed out")


def check_other_pages(site, owner, event):
    path = f"/dashboard/events/{event['id']}"
    for name, page, words in (
        ("home", "/dashboard", "Your events"),
        ("home-found", "/dashboard?status=all&q=studio", "Studio tour"),
        ("home-nothing", "/dashboard?q=nothing-like-this", "No event matches"),
        ("activity", "/dashboard/activity", "Activity"),
        ("account", "/dashboard/account", "You and your account"),
        ("account-email", "/dashboard/account/email", "Your email address"),
        ("account-leave", "/dashboard/account/leave", "Leave"),
        ("account-mails", "/dashboard/account/mails", "You get an email about"),
        ("account-remove", "/dashboard/account/remove", "What is removed"),
        ("person-remove", "/dashboard/account/remove-me", "Remove yourself?"),
        ("event-own", path, "Registrations"),
        ("event-clone", f"{path}/clone", "Duplicate this event?"),
        ("event-repeat", f"{path}/repeat", "Repeat this event"),
        ("event-unpublish", f"{path}/unpublish", "Unpublish this event?"),
        ("event-activity", f"{path}/activity", "created"),
        ("event-messages", f"{path}/messages", "No messages yet"),
        ("event-message-new", f"{path}/messages/new", "Write to your guests"),
        ("event-cover", f"{path}/cover", "Use a picture of your own"),
        ("event-reminder", f"{path}/reminder", "Reminder"),
        ("registrations-nobody", f"{path}/registrations", "No registrations yet"),
        ("event-new", "/dashboard/events/new", "New event"),
        ("again", "/sign-in/again", "Confirm that it is you"),
        ("not-there", "/dashboard/events/0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d", "This is not here"),
    ):
        owner.check(page, f"own-{name}", words)
    site.check("/sign-in", "sign-in", "Sign in or sign up")

    def code():
        site.open("/sign-in")
        site.find("#email").send_keys("jane@example.org")
        site.send()

    site.driver.delete_all_cookies()
    code()
    site.check("/sign-in/code", "sign-in-code", "Enter the code")
    site.check("/sign-in/link/unknown", "sign-in-link", "Sign in")


def check_free_plan(second):
    """What a plan would change is said kindly."""
    second.open("/dashboard")
    second.follow("Stars over the harbour")
    path = second.path()
    second.check(f"{path}/registrations", "registrations-plan", "What a paid plan adds")
    second.check(f"{path}/check-in", "door-plan", "What a paid plan adds")
    second.check("/dashboard/events/new", "event-new-free", "Needs a paid plan")


def check_drafts_and_long_names(owner, organizer):
    """What someone typed may be as long as the API takes, without a space."""
    draft = organizer.publish(title="A draft to be published", is_public=False)
    path = f"/dashboard/events/{draft['id']}"
    for name, page, words in (
        ("draft", path, "This is a draft"),
        ("draft-publish", f"{path}/publish", "Publish this event?"),
        ("draft-delete", f"{path}/delete", "Delete this draft?"),
    ):
        owner.check(page, name, words)
    field = {"label": "Q" * 120, "field_type": "select", "options": ["O" * 120, "P"]}
    event = organizer.publish(title="T" * 200, location="L" * 300, organizer_name="N" * 120, city="Hull", custom_fields=[field])
    path = f"/dashboard/events/{event['id']}"
    body = {"name": "G" * 120, "email": f"{'e' * 60}@{'long.' * 20}example"}
    organizer.call("POST", f"/me/events/{event['id']}/registrations", body)
    for name, page, words in (
        ("long-overview", path, "What people see"),
        ("long-edit", f"{path}/edit", "Edit the event"),
        ("long-registrations", f"{path}/registrations", "1 registration"),
        ("long-door", f"{path}/check-in?q=gg", "1 found"),
        ("long-activity", f"{path}/activity", "created"),
    ):
        owner.check(page, name, words)
    owner.open(f"{path}/registrations")
    owner.leave(owner.find(".people a").click)
    owner.check(owner.path(), "long-registration", "Save")


def main():
    base, data, axe, profiles, *shots = sys.argv[1:]
    data, profiles = pathlib.Path(data), pathlib.Path(profiles)
    shots = pathlib.Path(shots[0]) if shots else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    people = People(base, data, pathlib.Path(axe).read_text(), profiles, shots)
    organizer = Organizer(base, data)
    try:
        second = sign_up_without_scripts(people)
        check_free_plan(second)
        create_by_keyboard(people)
        owner = people.signed_in(DEMO)
        event = approve_and_decline(people, owner, organizer)
        check_in_at_the_door(people, owner, event)
        stars = organizer.call("GET", "/events?q=stars+over+the+harbour")["items"][0]["slug"]
        scan_at_the_door(people, organizer, DEMO, stars)
        change_and_cancel(people, owner, event)
        key_shown_once(people, owner)
        webhook_followed(people, owner, organizer)
        three_roles_two_accounts(people, owner, second)
        end_a_session(people, second)
        connect_an_app(people, DEMO)
        check_drafts_and_long_names(owner, organizer)
        check_other_pages(people.browser(), owner, organizer.publish(title="An evening with nobody", city="Hull"))
        for site in people.sites:
            site.assert_at_home(meant=(400, 403, 404, 409))
    finally:
        for site in people.sites:
            site.driver.quit()
    pages = sum(site.checked for site in people.sites)
    print(f"browser: {pages} pages of the dashboard at {len(WIDTHS)} widths in {len(SCHEMES)} schemes, with and without scripts")


main()
