"""A headless Chromium that finds nobody but this machine."""

from selenium import webdriver

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Whatever the browser itself asks for finds nobody.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--window-size=1280,2000",
]


def browser(profile, camera=None):
    """With a video, that is what its camera sees; it may be used without asking."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    seen = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={camera}"]
    for flag in [*FLAGS, f"--user-data-dir={profile}", *(seen if camera else [])]:
        options.add_argument(flag)
    # What the page asks for, and what it complains of.
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
