"""What Muster has in place of the conformance suite's fixtures.

The suite calls tools, prompts and resources by the names that its example server gives them. Where Muster has one that is to
behave alike, its name is put in, so that the scenario runs against it. Answers stay as Muster gives them, but for the key of a
form, by which the suite looks for it.
"""

import json
import urllib.request
from datetime import UTC, datetime, timedelta

FORM, OUR_FORM = "user_name", "confirm"
FORM_TOOL = "test_input_required_result_elicitation"


class Fixtures:
    def __init__(self, api, key):
        """Makes the event that the fixtures are about. What the suite answers to the form is no consent, so it is never
        cancelled."""
        event = {
            "title": "Conformance 123",  # the suite looks for what it put into the template, and that is 123
            "description": "Made for the conformance suite.",
            "location": "Nowhere",
            "start_date": (datetime.now(UTC) + timedelta(days=30)).isoformat(),
            "is_public": True,
        }
        head = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{api}/events", json.dumps(event).encode(), head)
        with urllib.request.urlopen(request) as answer:
            made = json.load(answer)
        cancel = ("cancel_event", {"id": made["id"]})
        self.tools = {
            "test_simple_text": ("get_account", {}),
            "test_error_handling": ("get_my_event", {}),  # refused, for want of an id
            FORM_TOOL: cancel,
            "test_input_required_result_request_state": cancel,
            "test_input_required_result_tampered_state": cancel,
        }
        self.prompts = {
            "test_simple_prompt": ("who_is_coming", {}),
            "test_prompt_with_arguments": ("plan_event", {"arg1": "topic", "arg2": "place"}),
        }
        self.resources = {
            "test://static-text": "muster://guides/time-zones",
            "test://template/123/data": f"muster://events/{made['slug']}",
        }

    def ask(self, message):
        """Turns a request of the suite into one of ours. Answers the fixture's name and ours, if it was one."""
        method, params = message.get("method"), message.get("params") or {}
        name = params.get("uri" if method == "resources/read" else "name")
        if method == "tools/call" and name in self.tools:
            ours, params["arguments"] = self.tools[name]
            params["name"] = ours
            responses = params.get("inputResponses")
            if name == FORM_TOOL and isinstance(responses, dict) and FORM in responses:
                responses[OUR_FORM] = responses.pop(FORM)
        elif method == "prompts/get" and name in self.prompts:
            ours, names = self.prompts[name]
            params["name"] = ours
            given = params.get("arguments") or {}
            params["arguments"] = {names[key]: value for key, value in given.items()}
        elif method == "resources/read" and name in self.resources:
            ours = params["uri"] = self.resources[name]
        else:
            return None
        return name, ours

    def answer(self, fixture, message):
        """Gives the form in an answer the name that the suite looks for."""
        forms = (message.get("result") or {}).get("inputRequests") or {}
        if fixture == FORM_TOOL and OUR_FORM in forms:
            forms[FORM] = forms.pop(OUR_FORM)
