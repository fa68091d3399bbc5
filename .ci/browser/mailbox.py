"""The mails that a Muster without a mail server writes into a folder."""

import email
import email.policy
import re
import time

PATIENCE_SECONDS = 60


class Mailbox:
    def __init__(self, data):
        self.folder = data / "mail"
        # Codes that were read: each is for one sign-in.
        self.read = set()

    def texts(self, address):
        """The mails to an address, the newest first."""
        files = sorted(self.folder.glob("*.eml"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for file in files:
            message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if address in message["To"]:
                yield file, message.get_body(("plain",)).get_content()

    def wait(self, find, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            found = find()
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"no mail: {what}")

    def code(self, address):
        """The code in a mail that was not read before."""

        def find():
            for file, text in self.texts(address):
                found = re.search(r"^\s*(\d{4}) ?(\d{4})\s*$", text, re.MULTILINE)
                if found and file not in self.read:
                    self.read.add(file)
                    return found[1] + found[2]
            return None

        return self.wait(find, f"a code for {address}")

    def path(self, address, pattern):
        """The first path of this form in the mails to an address."""

        def find():
            matches = (re.search(pattern, text) for _, text in self.texts(address))
            return next((match[0] for match in matches if match), None)

        return self.wait(find, f"{pattern} for {address}")

    def has(self, address, words):
        """Waits for a mail with these words."""
        return self.wait(lambda: any(words in text for _, text in self.texts(address)), f"{words} for {address}")
