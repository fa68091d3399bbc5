"""An organizer, who makes with the API what the pages show, and reads the mails that others get."""

import email
import email.policy
import json
import re
import time
import urllib.request

PATIENCE_SECONDS = 60

EVENT = {
    "title": "Letterpress for beginners",
    "description": "We print **by hand**.\n\n## Bring\n\n- an apron\n- https://print.example",
    "location": "The old print shop, Mill Lane 3",
    "city": "Leeds",
    "start_date": "2035-05-14T19:00",
    "end_date": "2035-05-14T22:00",
    "timezone": "Europe/London",
    "is_public": True,
}


class Organizer:
    def __init__(self, base, data):
        self.base, self.data = base, data
        self.key = (data / "demo.key").read_text().strip()

    def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def publish(self, **fields):
        event = {**EVENT, **fields}
        return {**event, **self.call("POST", "/events", event)}

    def cancel(self, event, reason):
        self.call("POST", f"/me/events/{event['id']}/cancel", {"reason": reason})

    def ended(self):
        """The slug of an event of the demo that is over."""
        past = self.call("GET", "/me/events?status=past")["items"]
        return next(event["slug"] for event in past if event["is_published"] and not event["is_cancelled"])

    def check_in(self, event):
        registration = self.call("GET", f"/me/events/{event['id']}/registrations")["items"][0]
        self.call("POST", f"/me/events/{event['id']}/registrations/{registration['id']}/check-in")

    def register(self, event, name, answers=()):
        """Registers someone; answers the path of the private page."""
        address = f"{name.split()[0].lower()}@example.org"
        registration = {"name": name, "email": address, "answers": [{"label": label, "values": [value]} for label, value in answers]}
        self.call("POST", f"/events/{event['slug']}/registrations", registration)
        return self.private_path(address, event)

    def private_path(self, address, event):
        """The private page in the first mail to someone about an event."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for file in sorted((self.data / "mail").glob("*.eml")):
                message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
                if address not in message["To"] or event["title"] not in message["Subject"]:
                    continue
                text = message.get_body(("plain",)).get_content()
                return re.search(r"/registrations/\w+", text)[0]
            time.sleep(0.1)
        raise AssertionError(f"no mail to {address}")
