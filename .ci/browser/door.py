"""The camera at the door, which sees a video of the codes on real tickets: one after another, offline and back."""

import base64
import json
import re
import time
import urllib.request
from datetime import datetime, timezone

import websocket
from pages import SCHEMES
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PATIENCE_SECONDS = 60
WIDTHS = (375, 1440)
PHONE = 375
# Chromium plays 30 pictures in a second.
SHOWN, BETWEEN = 75, 45
# As large as the frame on the page.
FACE = "<body style='margin:0;height:100vh;background:%23fff;display:grid;place-items:center'><div style='inline-size:260px'>"

# Notes what is shown of scans, and what the page asks of the device.
NOTES = """
window.shown = [];
window.asked = [];
const noted = (object, name) => {
  const own = object[name].bind(object);
  object[name] = (options) => { window.asked.push(JSON.stringify(options)); return own(options); };
};
noted(navigator.mediaDevices, "getUserMedia");
navigator.wakeLock.request = async (type) => { window.asked.push(type); return { release() {} }; };
addEventListener("DOMContentLoaded", () => {
  const region = document.querySelector("#scanner [data-part=result]");
  const note = () => region.firstElementChild && window.shown.push(`${region.firstElementChild.className}: ${region.innerText}`);
  if (region) new MutationObserver(note).observe(region, { childList: true });
});
"""


# Chromium goes on to read a file in the length that it had first: all videos have as many pictures, of as many bytes.
PICTURES, BYTES = 6, 60_000


def padded(jpeg):
    """The same picture with a comment before it, so that it has so many bytes."""
    missing = BYTES - len(jpeg)
    assert 4 <= missing <= 65_535, missing
    return jpeg[:2] + b"\xff\xfe" + (missing - 2).to_bytes(2, "big") + bytes(missing - 4) + jpeg[2:]


class Video:
    """What the camera sees. It is read again whenever a camera starts."""

    def __init__(self, file, painter):
        self.file, self.painter = file, painter
        self.blank = self.picture("")

    def picture(self, svg):
        self.painter.cdp("Emulation.setDeviceMetricsOverride", width=640, height=480, deviceScaleFactor=1, mobile=False)
        self.painter.driver.get(f"data:text/html,{FACE}{svg.replace('#', '%23')}")
        return padded(base64.b64decode(self.painter.cdp("Page.captureScreenshot", format="jpeg", quality=80)["data"]))

    def ticket(self, private):
        """A picture of the ticket on a private page."""
        self.painter.open(private)
        return self.picture(self.painter.find(".qr svg").get_attribute("outerHTML"))

    def play(self, *pictures):
        with self.file.open("wb") as out:
            for picture in [*pictures, *[self.blank] * (PICTURES - len(pictures))]:
                out.write(self.blank * BETWEEN + picture * SHOWN)


def wait(find, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = find()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come")


class Phone:
    """A browser at the door of an event."""

    def __init__(self, site, path):
        self.site, self.path = site, path
        site.cdp("Page.addScriptToEvaluateOnNewDocument", source=NOTES)
        # It is 11 there, which clocks of twelve hours write as others do.
        hours = datetime.now(timezone.utc).hour - 11
        site.cdp("Emulation.setTimezoneOverride", timezoneId=f"Etc/GMT{hours:+}")
        site.cdp("Emulation.setLocaleOverride", locale="en-US")
        site.look(PHONE)
        site.open(path)

    def noted(self, name):
        return self.site.driver.execute_script(f"return window.{name}")

    def sees(self, tone, *words):
        """Waits until a scan is shown in this colour with these words."""

        def is_shown():
            return any(f"note {tone} " in text and all(word in text for word in words) for text in self.noted("shown"))

        try:
            wait(is_shown, f"{tone} {words}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.noted('shown')}, {self.site.text()}") from None

    def press(self, words):
        wait(lambda: self.site.find("#scanner [data-part=button]").is_enabled(), "the button")
        button = self.site.find("#scanner [data-part=button]")
        assert button.text == words, button.text
        button.click()
        if words == "Stop scanning":
            # Its file is written again: a camera that still reads it would stop for good.
            wait(lambda: self.site.driver.execute_script("return !document.querySelector('#scanner video').srcObject"), "the end of the camera")

    def runs(self):
        wait(lambda: self.site.find("#scanner [data-part=button]").text == "Stop scanning", "the camera")

    def count(self):
        return self.site.find("[data-count]").text

    def offline(self, is_offline):
        conditions = {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.site.cdp("Network.emulateNetworkConditions", **conditions)
        if not is_offline:
            self.worker.close()
            return
        # The service worker has a network of its own, which is emulated as long as someone is attached to it.
        address = self.site.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json/version") as version:
            browser = json.load(version)["webSocketDebuggerUrl"]
        self.worker = websocket.create_connection(browser, suppress_origin=True, timeout=PATIENCE_SECONDS)
        targets = self.ask_worker("Target.getTargets", {})["targetInfos"]
        workers = [target["targetId"] for target in targets if target["type"] == "service_worker"]
        assert workers, targets
        for target in workers:
            session = self.ask_worker("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
            self.ask_worker("Network.enable", {}, session)
            self.ask_worker("Network.emulateNetworkConditions", conditions, session)
            asked = {"expression": "fetch('/healthz').then(() => 'online', () => 'offline')", "awaitPromise": True}
            assert self.ask_worker("Runtime.evaluate", asked, session)["result"]["value"] == "offline"

    def ask_worker(self, method, parameters, session=None):
        message = {"id": 1, "method": method, "params": parameters}
        self.worker.send(json.dumps(message if session is None else {**message, "sessionId": session}))
        while True:
            answer = json.loads(self.worker.recv())
            if answer.get("id") == 1:
                return answer["result"]

    def kept(self):
        """The names of what the page keeps on the device."""
        return self.site.driver.execute_script("return Object.keys(localStorage)")

    def stored(self):
        """The pages that the service worker keeps on the device."""
        pages = "caches.keys().then((names) => Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))))"
        paths = self.site.driver.execute_async_script(f"const done = arguments[0]; {pages}.then((all) => done(all.flat()))")
        return {path for path in paths if path.startswith("/dashboard/")}

    def look_around(self, name):
        for scheme in SCHEMES:
            for width in WIDTHS:
                self.site.look(width, scheme)
                self.site.assert_fits(name, width)
                self.site.assert_accessible(f"{name} ({width} pixels, {scheme})")
                self.site.shoot(f"{name}-{width}-{scheme}")
        self.site.look(PHONE)


def scan_at_the_door(people, organizer, address, strangers_slug):
    """Green, yellow and red, with a camera that is remembered and a screen that stays awake; then the same without the network."""
    event = organizer.publish(title="Open studios in the old mill")
    path = f"/dashboard/events/{event['id']}"
    other = organizer.publish(title="An evening next door")
    stranger = {"slug": strangers_slug, "title": "Stars over the harbour"}
    file = people.profiles / "camera.mjpeg"
    video = Video(file, people.browser())
    tickets = {name: video.ticket(organizer.register(event, name)) for name in ("Grete", "Hanne", "Ida", "Jo", "Kay")}
    tickets["Otto"] = video.ticket(organizer.register(other, "Otto"))
    tickets["Zoe"] = video.ticket(organizer.register(stranger, "Zoe"))
    all_of = organizer.call("GET", f"/me/events/{event['id']}/registrations")["items"]
    ids = {one["name"]: f"/me/events/{event['id']}/registrations/{one['id']}" for one in all_of}
    organizer.call("POST", f"{ids['Hanne']}/cancel")

    site = people.browser(camera=file)
    people.sign_in(site, address)
    phone = Phone(site, f"{path}/check-in")
    online(phone, video, tickets)
    offline(phone, video, tickets, lambda: (organizer.call("POST", f"{ids['Jo']}/cancel"), organizer.call("POST", f"{ids['Kay']}/check-in")))
    arrived = {one["name"] for one in organizer.call("GET", f"/me/events/{event['id']}/registrations")["items"] if one["checked_in"]}
    assert arrived == {"Grete", "Ida", "Kay"}, arrived
    assert any(name.startswith("muster-door-codes:") for name in phone.kept()), phone.kept()
    site.look()
    site.open("/dashboard")
    site.find("summary").click()
    site.send("form[action='/sign-out'] button")
    assert phone.kept() == [], phone.kept()
    assert phone.stored() == set(), phone.stored()


def online(phone, video, tickets):
    site = phone.site
    phone.look_around("door-scanner")
    video.play(*(tickets[name] for name in ("Grete", "Hanne", "Otto", "Zoe")))
    site.tab_to(lambda element: element.text == "Scan with the camera").send_keys(Keys.ENTER)
    phone.sees("good", "Grete", "Checked in")
    phone.sees("bad", "Hanne", "Cancelled")
    phone.sees("bad", "Otto", "For another event", "An evening next door")
    site.shoot("door-scanning")
    phone.sees("bad", "Unknown code")
    # The video begins again.
    phone.sees("warn", "Grete", "Already checked in", ", by ")
    assert phone.count() == "1 of 4", phone.count()
    asked = phone.noted("asked")
    assert "screen" in asked and any("environment" in one for one in asked), asked
    phone.press("Stop scanning")
    phone.look_around("door-scanned")

    # The camera is remembered, and goes on after a form of the page.
    phone.press("Scan with the camera")
    phone.runs()
    site.leave(lambda: site.find("#q").send_keys("ida", Keys.ENTER))
    phone.runs()
    known = site.driver.execute_script("return JSON.parse(localStorage.getItem('muster-door-camera'))")
    asked = phone.noted("asked")
    assert known and any(known in one for one in asked), (known, asked)
    site.open(phone.path)
    phone.runs()
    wait(lambda: any(name.startswith("muster-door-codes:") for name in phone.kept()), "the list")
    phone.press("Stop scanning")
    wait(lambda: phone.stored() == {phone.path}, "the page on the device")


def offline(phone, video, tickets, meanwhile):
    site = phone.site
    video.play(*(tickets[name] for name in ("Ida", "Hanne", "Jo", "Zoe", "Kay", "Grete")))
    phone.offline(True)
    phone.press("Scan with the camera")
    phone.sees("good", "Expected")
    phone.sees("bad", "Cancelled")
    phone.sees("bad", "Not on the list")
    phone.sees("warn", "Already checked in", "By the list of")
    phone.sees("warn", "Already scanned here", "not sent yet")
    wait(lambda: "6 scans wait" in site.text(), "six scans")
    times = re.findall(r"By the list of ([^.]*)\.", " ".join(phone.noted("shown")))
    assert times and all(re.fullmatch(r"1[12]:\d\d [AP]M", time) for time in times), times
    site.shoot("door-offline")
    # A form would replace the page by the browser's error.
    site.find("#q").send_keys("Ida", Keys.ENTER)
    wait(lambda: "This needs the network" in site.text(), "what forms need")
    assert site.find("#q").get_attribute("value") == "Ida"
    site.find("#q").clear()
    wait(lambda: "6 scans wait" in site.text(), "the state")
    phone.press("Stop scanning")
    phone.look_around("door-offline")
    # The page comes back without the network, with what was scanned, and scans on.
    site.driver.refresh()
    wait(lambda: "6 scans wait" in site.text(), "the page without the network")
    site.find("#q").send_keys("7KQ2 M9XD 04TB", Keys.ENTER)
    phone.sees("bad", "Not on the list")
    phone.press("Scan with the camera")
    phone.sees("warn", "Already scanned here")
    phone.press("Stop scanning")
    site.shoot("door-reloaded-offline")
    meanwhile()
    complaints = [entry["message"] for entry in site.driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert all("ERR_INTERNET_DISCONNECTED" in text for text in complaints), complaints
    phone.offline(False)
    rows = wait(lambda: site.driver.find_elements(By.CSS_SELECTOR, "#scanner .conflicts li"), "what the server decided")
    wait(lambda: "scans wait" not in site.text(), "that all is sent")
    rows = [row.text for row in site.driver.find_elements(By.CSS_SELECTOR, "#scanner .conflicts li")]
    assert len(rows) == 2 and "Jo · Cancelled" in rows[0] and "Kay · Already checked in" in rows[1] and ", by " in rows[1], rows
    wait(lambda: phone.count() == "3 of 3", "the count")
    phone.look_around("door-conflicts")
    site.find("#scanner .conflicts button").click()
    assert not site.has("#scanner .conflicts")
