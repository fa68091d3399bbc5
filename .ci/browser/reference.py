"""The API reference in a browser: it lists every operation, a call made from it works, and nothing leaves this machine.

usage: reference.py BASE_URL KEY_FILE PROFILE_FOLDER
"""

import json
import pathlib
import re
import sys
import urllib.parse
import urllib.request

from chromium import browser
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions as expected
from selenium.webdriver.support.ui import WebDriverWait

# The end of the id of an operation's section.
OPERATION = re.compile(r"/(?P<method>[A-Z]+)(?P<path>/\S*)$")

# Chromium's words for a script that may not use eval.
TRIAL = re.compile(r"/docs/scalar\.js \d+.*('script-src' was not explicitly set|unsafe-eval)")

# Far above what the page takes on a busy machine.
PATIENCE_SECONDS = 60

def operations(base):
    """Method and path of every operation in the OpenAPI document."""
    with urllib.request.urlopen(f"{base}/api/v1/openapi.json") as answer:
        document = json.load(answer)
    root = document["servers"][0]["url"] if document.get("servers") else ""
    methods = {"get", "post", "put", "patch", "delete"}
    listed = {(method.upper(), path) for path, item in document["paths"].items() for method in item if method in methods}
    assert listed, "the document has operations"
    return listed, root


class Reference:
    def __init__(self, driver, base):
        self.driver = driver
        self.wait = WebDriverWait(driver, PATIENCE_SECONDS)
        driver.get(f"{base}/docs")
        self.wait.until(lambda _: self.listed())

    def listed(self):
        """Method and path of every operation on the page."""
        sections = self.driver.find_elements(By.CSS_SELECTOR, "section[id*='/tag/']")
        found = [OPERATION.search(section.get_attribute("id")) for section in sections]
        return {(one["method"], one["path"]) for one in found if one}

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def samples(self):
        """The languages of the samples of an operation."""
        self.click(f"//section[contains(@id, 'GET/events')]//button[contains(., 'Shell')]")
        options = self.wait.until(expected.presence_of_all_elements_located((By.CSS_SELECTOR, "[role=option]")))
        return " ".join(option.text for option in options)

    def authorize(self, key):
        field = self.wait.until(expected.presence_of_element_located((By.CSS_SELECTOR, "input[placeholder=Token], [id*=bearer] input")))
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
        field.send_keys(key)

    def execute(self, method, path, *expected_texts):
        """Opens an operation, calls it, and waits until the page shows these texts: it draws an answer piece by piece."""
        self.click(f"//button[contains(normalize-space(.), '({method.lower()} {path})')]")
        dialog = self.wait.until(expected.presence_of_element_located((By.CSS_SELECTOR, "[role=dialog]")))
        self.click("//*[@role='dialog']//button[contains(., 'Send') and contains(., 'request to')]")
        try:
            self.wait.until(lambda _: all(text in dialog.text for text in expected_texts))
        except TimeoutException:
            raise AssertionError(f"{method} {path}: {expected_texts} are not all in\n{dialog.text}") from None
        self.click("//button[contains(., 'Close Client')]")
        self.wait.until(expected.invisibility_of_element(dialog))

    def click(self, xpath):
        button = self.wait.until(expected.presence_of_element_located((By.XPATH, xpath)))
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", button)

    def requested(self):
        """Every URL that the page asked for."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]


def main():
    base, key_file, profile = sys.argv[1:]
    expected_operations, root = operations(base)
    driver = browser(profile)
    try:
        reference = Reference(driver, base)
        missing = expected_operations ^ reference.listed()
        assert not missing, f"the page and the document differ in {sorted(missing)}"

        shown = reference.text()
        assert "Your first call" in shown and "INVALID_REQUEST" in shown, "there is no introduction"
        samples = reference.samples()
        assert all(language in samples for language in ["Curl", "Requests", "TypeScript"]), samples

        # The shortest: other paths end in the same.
        path = lambda end: min((path for _, path in expected_operations if path.endswith(end)), key=len)
        # Of a long answer the page holds only the lines that are in sight.
        reference.execute("GET", path("/events"), "200 OK", '"items"')
        reference.execute("GET", path("/me"), "401 Unauthorized", "UNAUTHORIZED")
        reference.authorize(pathlib.Path(key_file).read_text().strip())
        reference.execute("GET", path("/me"), "200 OK", "demo@muster.example")

        host = urllib.parse.urlsplit(base).netloc
        asked = list(reference.requested())
        assert any(url.endswith("/api/v1/me") for url in asked), "the log of requests is empty"
        # The browser's own start page comes from inside of it.
        network = [url for url in asked if urllib.parse.urlsplit(url).scheme in {"http", "https", "ws", "wss"}]
        outside = [url for url in network if urllib.parse.urlsplit(url).netloc != host]
        assert not outside, f"the page asked others: {outside}"
        # A refusal by the content security policy is a mistake of ours; the 401 above is meant.
        complaints = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        # It also tries whether it may make code of text, and goes on without.
        complaints = [text for text in complaints if "401" not in text and not TRIAL.search(text)]
        assert not complaints, f"the page complains: {complaints}"
    finally:
        driver.quit()
    print(f"browser: the reference lists {len(expected_operations)} operations, calls work, nothing left this machine")


main()
