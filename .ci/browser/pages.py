"""The site in a browser: what every page must be, at every width and in both schemes."""

import base64
import json
import re

from selenium.common.exceptions import NoSuchElementException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE_SECONDS = 60
WIDTHS = (360, 768, 1440)
SCHEMES = ("light", "dark")
# Axe takes seconds: at the ends of the widths, and once for each scheme.
FOR_AXE = {(360, "light"), (1440, "dark")}
HEIGHT = 900
# The tallest picture that is kept.
MOST_PIXELS = 2400
# What a desktop 1,280 pixels wide shows at 200 and 400 %.
ZOOMED_WIDTHS = (640, 320)


class Site:
    def __init__(self, driver, base, axe, shots, is_up=True):
        self.driver, self.base, self.axe, self.shots, self.is_up = driver, base, axe, shots, is_up
        self.checked = 0
        # Links that were tried: each once, with the rights of whoever saw it first.
        self.tried = set()
        # Origins of programs on this machine to which pages lead.
        self.apps = ()

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def look(self, width=1440, scheme="light", scale=1):
        """Sets the window, in CSS pixels, and the colours."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=scale, mobile=width < 500)
        # Without motion, colours are what they are at once.
        media = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in media.items()])

    def scripts(self, allowed):
        self.cdp("Emulation.setScriptExecutionDisabled", value=not allowed)

    def open(self, path):
        self.driver.get(path if path.startswith("http") else self.base + path)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def has(self, selector):
        try:
            return self.find(selector).is_displayed()
        except NoSuchElementException:
            return False

    def text(self):
        return self.find("body").text

    def path(self):
        return self.driver.current_url.removeprefix(self.base)

    def follow(self, words):
        """Follows the link with these words."""
        self.leave(self.driver.find_element(By.LINK_TEXT, words).click)

    def send(self, selector="main form button[type=submit]"):
        """Sends a form."""
        self.leave(self.find(selector).click)

    def leave(self, act):
        """Does what leads to another page, and waits for that."""
        old = self.find("html")
        act()

        def is_gone(_driver):
            try:
                return not old.is_displayed()
            # Chromium has several words for an element of a page that is gone.
            except WebDriverException:
                return True

        WebDriverWait(self.driver, PATIENCE_SECONDS).until(is_gone)

    def focused(self):
        return self.driver.switch_to.active_element

    def tab_to(self, is_there, most=40):
        """Goes on with the keyboard; wherever it is, one sees it."""
        for _ in range(most):
            self.focused().send_keys(Keys.TAB)
            element = self.focused()
            outline = self.driver.execute_script(
                "const shown = element => getComputedStyle(element).outlineStyle != 'none';"
                "return shown(arguments[0]) || getComputedStyle(arguments[0], '::after').outlineStyle != 'none'",
                element,
            )
            # Within a date, the browser marks the part that has the focus.
            outline = outline or element.get_attribute("type") == "datetime-local"
            assert outline, f"the focus cannot be seen on {element.get_attribute('outerHTML')[:200]}"
            if is_there(element):
                return element
        raise AssertionError("the keyboard does not get there")

    def check(self, path, name, words=""):
        """A page with these words, at every width in both schemes: no barrier, nothing wider than the window."""
        self.check_reached(name, lambda: self.open(path), words)

    def check_reached(self, name, reach, words):
        """The same for what has no address of its own. It is loaded once: pages follow the window and the scheme without that."""
        self.look()
        reach()
        grounds = set()
        for scheme in SCHEMES:
            for width in WIDTHS:
                self.look(width, scheme)
                assert words in self.text(), f"{name}: {self.text()}"
                grounds.add((scheme, self.check_view(name, width, scheme)))
        assert len({ground for _, ground in grounds}) == len(SCHEMES), f"{name}: {grounds}"
        for width in ZOOMED_WIDTHS:
            self.look(width, scale=2)
            self.assert_fits(f"{name} (zoomed)", width)
        self.look()
        if self.is_up:
            self.assert_links_lead(name)
        self.checked += 1

    def check_view(self, name, width, scheme):
        """What is open; answers the colour of its ground."""
        where = f"{name}, {self.path()} ({width} pixels, {scheme})"
        ground = self.assert_fits(where, width)
        if (width, scheme) in FOR_AXE:
            self.assert_accessible(where)
        self.shoot(f"{name}-{width}-{scheme}")
        return ground

    def assert_fits(self, where, width):
        wide, window, ground = self.driver.execute_script(
            "const {backgroundColor, color} = getComputedStyle(document.body);"
            # What is shown within another page has that page's ground: its text tells the scheme.
            "return [document.documentElement.scrollWidth, innerWidth, backgroundColor + color]"
        )
        assert wide <= width, f"{where}: it is {wide} pixels wide"
        assert window == width, f"{where}: the window is {window} pixels wide"
        return ground

    def assert_accessible(self, where):
        # It is as large as all pages together: once for each.
        if not self.driver.execute_script("return 'axe' in window"):
            self.driver.execute_script(self.axe)
        found = self.driver.execute_async_script(
            "axe.run({resultTypes: ['violations']}).then(found => arguments[0](found.violations.map("
            "one => one.id + ': ' + one.nodes.map(node => node.target.join(' ')).join(', '))))"
        )
        assert not found, f"{where}: {found}"

    def assert_links_lead(self, where):
        """Every link of a page leads to something that is there, perhaps to what a paid plan adds. It is only asked for, not opened."""
        links = set(self.driver.execute_script("return [...document.links].map(link => link.href)"))
        here = self.driver.current_url.split("#")[0]
        for link in links:
            path, _, anchor = link.partition("#")
            if path == here and anchor:
                assert self.driver.execute_script("return !!document.getElementById(arguments[0])", anchor), f"{where}: #{anchor}"
        paths = sorted({link.split("#")[0] for link in links if link.startswith(self.base + "/")} - {here} - self.tried)
        self.tried.update(paths)
        dead = self.driver.execute_async_script(
            "const done = arguments[1], plan = async path => (await (await fetch(path)).text()).includes('paid plan') ? 200 : 403;"
            "const ask = path => fetch(path, {method: 'HEAD'}).then(answer => answer.status == 403 ? plan(path) : answer.status, () => 0);"
            "Promise.all(arguments[0].map(ask)).then(statuses => done(statuses.map((status, index) => [arguments[0][index], status])))",
            paths,
        )
        dead = [f"{path}: {status}" for path, status in dead if not 200 <= status < 400]
        assert not dead, f"{where}: links lead nowhere: {dead}"

    def shoot(self, name):
        if not self.shots:
            return
        # The bar at the foot of long forms is at the window's foot, and a picture has no window.
        self.driver.execute_async_script(
            "const done = arguments[0]; document.querySelectorAll('.save').forEach(bar => { bar.style.position = 'static'; });"
            "document.querySelectorAll('img').forEach(image => { image.loading = 'eager'; });"
            "Promise.all([...document.images].map(image => image.decode().catch(() => {}))).then(() => done())"
        )
        height = self.driver.execute_script("return document.documentElement.scrollHeight")
        width = self.driver.execute_script("return innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, MOST_PIXELS), "scale": 1}
        picture = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        (self.shots / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def shoot_print(self, path, name):
        """How a page is printed: no part of the site around it."""
        self.look(768)
        self.open(path)
        self.cdp("Emulation.setEmulatedMedia", media="print")
        assert not self.has(".top") and not self.has(".foot") and not self.has(".buttons")
        assert self.has(".qr svg")
        self.shoot(name)
        paper = base64.b64decode(self.cdp("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)["data"])
        pages = len(re.findall(rb"/Type\s*/Page\b", paper))
        assert pages == 1, f"{name}: it is printed on {pages} pages"
        self.look()

    def assert_at_home(self, meant):
        """Nothing was asked of another host, and the policy refused nothing. `meant` are the statuses of pages that were refused."""
        outside = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                at_home = tuple(f"{origin}/" for origin in (self.base, *self.apps))
                if url.startswith("http") and not url.startswith(at_home):
                    outside.add(url)
        assert not outside, f"pages asked others: {outside}"
        complaints = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        is_meant = re.compile("|".join(f"status of {status}" for status in meant) or "(?!)").search
        complaints = [text for text in complaints if not is_meant(text)]
        assert not complaints, f"pages complain: {complaints}"
