"""People, each with a browser, and what they do in it."""

from chromium import browser
from mailbox import Mailbox
from pages import Site
from selenium.webdriver.common.by import By


class People:
    """Browsers, each with its own person."""

    def __init__(self, base, data, axe, profiles, shots):
        self.base, self.axe, self.profiles, self.shots = base, axe, profiles, shots
        self.mails = Mailbox(data)
        self.sites = []

    def browser(self, camera=None):
        driver = browser(self.profiles / f"profile-{len(self.sites)}", camera)
        site = Site(driver, self.base, self.axe, self.shots)
        site.look()
        self.sites.append(site)
        return site

    def signed_in(self, address):
        site = self.browser()
        self.sign_in(site, address)
        return site

    def sign_in(self, site, address, path="/sign-in"):
        site.open(path)
        site.find("#email").send_keys(address)
        site.send()
        assert address in site.text(), site.text()
        site.find("#code").send_keys(self.mails.code(address))
        site.send()
        assert site.path().startswith(("/dashboard", "/check-in", "/invitations")), site.path()


def set_value(site, selector, value):
    """Fills a field whose parts differ between languages."""
    site.driver.execute_script("arguments[0].value = arguments[1]", site.find(selector), value)


def press(site, words):
    """Presses the button or follows the link with these words."""
    found = site.driver.find_elements(By.XPATH, f"//main//*[self::a or self::button][not(@aria-hidden)][contains(normalize-space(.), {words!r})]")
    shown = [element for element in found if element.is_displayed()]
    assert shown, f"no {words!r} on {site.path()}: {site.text()}"
    # Away from the bar with the buttons at the foot of long forms.
    site.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", shown[0])
    site.leave(shown[0].click)
