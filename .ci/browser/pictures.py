"""The pictures of README.md: the catalogue, and an event in the dashboard. On the way, that the link which `muster` prints signs in.

usage: pictures.py BASE_URL PRINTED PROFILE_FOLDER FOLDER

PRINTED is the file with what `muster` printed. The pictures in the folder are site.png and dashboard.png.
"""

import json
import pathlib
import re
import sys
import urllib.request

from chromium import browser
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

# Both beside each other fit a page of a repository.
SIZE = 1200, 800
MAX_BYTES = 150_000

# The address of this server says nothing to readers.
TIDY = """for (const field of document.querySelectorAll("input[readonly]")) field.value = field.value.replace(arguments[0], arguments[1])"""
SHOWN_ADDRESS = "https://muster.example"
SHOWN = """return [...document.images].every(image => image.complete || image.getBoundingClientRect().top > innerHeight)"""


def take(driver, path):
    # Covers are loaded as they come into view.
    WebDriverWait(driver, 60).until(lambda driver: driver.execute_script(SHOWN))
    driver.save_screenshot(str(path))
    size = path.stat().st_size
    assert size < MAX_BYTES, f"{path} has {size} bytes, more than {MAX_BYTES}"


def printed(text, heading):
    """The word after a heading of what `muster` printed."""
    return re.search(rf"^ *{heading} +(\S+)", text, re.M)[1]


def event_with_most_guests(base, key):
    def read(path):
        request = urllib.request.Request(f"{base}/api/v1/me/events{path}", headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    events = [read(f"/{event['id']}") for event in read("?limit=100")["items"]]
    return max(events, key=lambda event: event["registrations_confirmed"])["id"]


def main(base, printed_file, profile, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    driver = browser(profile)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": SIZE[0], "height": SIZE[1], "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    told = pathlib.Path(printed_file).read_text()
    try:
        driver.get(f"{base}/")
        take(driver, folder / "site.png")
        driver.get(printed(told, "Dashboard"))
        for button in driver.find_elements(By.CSS_SELECTOR, "main form button"):
            button.click()
            break
        assert "/dashboard" in driver.current_url, f"the printed link leads to {driver.current_url}"
        driver.get(f"{base}/dashboard/events/{event_with_most_guests(base, printed(told, 'Demo key'))}")
        driver.execute_script(TIDY, base, SHOWN_ADDRESS)
        take(driver, folder / "dashboard.png")
    finally:
        driver.quit()
    print("pictures: the printed link signs in; site.png and dashboard.png are small enough")


if __name__ == "__main__":
    main(*sys.argv[1:])
