"""The API reference in a browser: it lists every operation, a call made from it works, and nothing leaves this machine.

usage: reference.py BASE_URL KEY_FILE PROFILE_FOLDER
"""

import json
import pathlib
import sys
import urllib.parse
import urllib.request

from chromium import browser
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions as expected
from selenium.webdriver.support.ui import WebDriverWait

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
        self.wait.until(expected.presence_of_element_located((By.CSS_SELECTOR, ".opblock")))

    def listed(self):
        blocks = self.driver.find_elements(By.CSS_SELECTOR, ".opblock")
        return {
            (
                block.find_element(By.CSS_SELECTOR, ".opblock-summary-method").text.strip(),
                block.find_element(By.CSS_SELECTOR, "[data-path]").get_attribute("data-path"),
            )
            for block in blocks
        }

    def authorize(self, key):
        self.click(".btn.authorize")
        field = self.wait.until(expected.visibility_of_element_located((By.CSS_SELECTOR, ".auth-container input")))
        field.send_keys(key)
        self.click(".auth-btn-wrapper .authorize")
        self.click(".auth-btn-wrapper .btn-done")

    def execute(self, method, path):
        """Opens an operation and calls it; answers the status that the page shows, and the body."""
        block = self.driver.find_element(By.XPATH, f"//*[contains(@class, 'opblock-{method.lower()}')][.//*[@data-path='{path}']]")
        block.find_element(By.CSS_SELECTOR, ".opblock-summary-control").click()
        button = WebDriverWait(block, PATIENCE_SECONDS).until(lambda it: it.find_element(By.CSS_SELECTOR, ".btn.execute"))
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", button)
        live = WebDriverWait(block, PATIENCE_SECONDS).until(
            lambda it: it.find_element(By.CSS_SELECTOR, ".live-responses-table .response")
        )
        return live.find_element(By.CSS_SELECTOR, ".response-col_status").text.strip(), live.text

    def click(self, selector):
        button = self.wait.until(expected.element_to_be_clickable((By.CSS_SELECTOR, selector)))
        self.driver.execute_script("arguments[0].click()", button)

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

        # The shortest: other paths end in the same.
        path = lambda end: min((path for _, path in expected_operations if path.endswith(end)), key=len)
        status, text = reference.execute("GET", path("/events"))
        assert status.startswith("200") and '"next_offset"' in text, f"{status}: {text}"
        status, text = reference.execute("GET", path("/me"))
        assert status.startswith("401") and "UNAUTHORIZED" in text, f"{status}: {text}"
        driver.refresh()
        reference = Reference(driver, base)
        reference.authorize(pathlib.Path(key_file).read_text().strip())
        status, text = reference.execute("GET", path("/me"))
        assert status.startswith("200") and "demo@muster.example" in text, f"{status}: {text}"

        host = urllib.parse.urlsplit(base).netloc
        asked = list(reference.requested())
        assert any(url.endswith("/api/v1/me") for url in asked), "the log of requests is empty"
        # The browser's own start page comes from inside of it.
        network = [url for url in asked if urllib.parse.urlsplit(url).scheme in {"http", "https", "ws", "wss"}]
        outside = [url for url in network if urllib.parse.urlsplit(url).netloc != host]
        assert not outside, f"the page asked others: {outside}"
        # A refusal by the content security policy is a mistake of ours; the 401 above is meant.
        complaints = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        complaints = [text for text in complaints if "401" not in text]
        assert not complaints, f"the page complains: {complaints}"
    finally:
        driver.quit()
    print(f"browser: the reference lists {len(expected_operations)} operations, calls work, nothing left this machine")


main()
