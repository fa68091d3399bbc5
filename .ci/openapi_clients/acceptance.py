"""A check for schemathesis: what the document allows is accepted, unless a rule refuses it that no schema can say.

It stands in place of `positive_data_acceptance`, which knows no such rules. Loaded by SCHEMATHESIS_HOOKS.
"""

import re

import schemathesis

# What such refusals say of a field.
RULES = [
    # Of texts. Schemas that say so would be patterns that generators cannot read.
    r"must be the next_cursor of",
    r"must be a date or a date-time",
    r"must be an ISO 8601 date-time",
    r"must be a time that clocks in ",
    r"must have a time of day",
    r"must have an offset",
    r"must lie in the years",
    r"must not name a zone",
    r"must be the name of an IANA time zone",
    r"must be an email address",
    r"must not have control characters",
    r"must not be blank",
    r"must have at most \d+ words",
    r"must have a letter or a digit",
    # Of one value with another, or with the event.
    r"must not be before start_date",
    r"must be in the future",
    r"must not be before from",
    r"must be left out",
    r"must be a date that exists",
    r"must be one day with nth_weekday",
    r"must be 1 to 4, or -1",
    r"must be after the event's date",
    r"must leave (at (least|most)|the end and the times of registration|registration_opens)",
    r"must put the end at a time that clocks",
    r"must be this: (more than \d+ dates follow|on \d+ \w+ \d+, )",
    r"must be false: the operator",
    r"must be a series_id",
    r"needs nth_weekday",
    r"is required, or until",
    r"is required with failed_until",
    r"must be with organizer alone",
    r"needs organizer",
    r"must be before the event (is over|starts)",
    r"must not be after the event is over",
    r"must be (before registration_closes|after registration_opens)",
    r"must be 1: each person registers alone",
    r"must be at most \d+: register others",
    r"must be at most \d+, the people of the registration",
    r"must not be more than the other people",
    r"must be empty unless field_type is",
    r"must have at least one item when field_type is",
    r"must be unique among",
    r"must be one of its options",
    r"must be one that the event asks for",
    # The types of webhook messages: later versions have more, so that no schema lists them.
    r"must be one of event\.created, ",
    r"cannot be chosen: a ping",
    r"must be a URL such as",
    r"cannot be used: ",
    r"must name messages, or send failed_since",
    r"must be the id of a message",
    r"must (be (an integer|true|true or false)|have (an answer|one value)) (for|to) ",
    r"must be at most \d+ characters long in total",
    # Of a list in a file.
    r"must not be empty",
    r"must be text in UTF-8",
    r"must have a (line with the names|column with)",
    r"must have at most \d+ (lines|columns)",
    # Of the account and of what is stored, beside others that are wrong.
    r"must be fewer than the \d+ that the \w+ plan allows",
    r"needs to be a paid one",
    r"must be at least \d+, the number of spots that are taken",
    r"must be one that is not registered",
    r"must be of (an event|a published event|a registration)",
    r"must be the present one",
    r"cannot be changed so now",
]


@schemathesis.check
def refused_only_by_rules_that_no_schema_has(ctx, response, case):
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return
    error = response.json()["error"]
    for detail in error.get("details", []):
        field, message = detail["field"], detail["message"]
        assert re.match("|".join(RULES), message), f"the document does not say that {field} {message}"
    assert error.get("details"), f"the document does not say: {error['message']}"
