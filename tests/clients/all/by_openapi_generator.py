"""An organizer's session with the Python client that openapi-generator made.

by_openapi_generator.py BASE_URL KEY    with the folder of muster_generated on PYTHONPATH
"""

import sys

from muster_generated import (
    ApiClient,
    CatalogueApi,
    Configuration,
    CreateEventRequest,
    CreateEventRequestStartDate,
    EventApi,
    MusterError,
    RegisterAttendeeRequest,
    RegistrationApi,
)
from muster_generated.exceptions import BadRequestException


def main(base_url, key):
    client = ApiClient(Configuration(host=base_url, access_token=key))
    catalogue, events, registrations = CatalogueApi(client), EventApi(client), RegistrationApi(client)
    assert len(catalogue.list_events(limit=3).items) == 3

    draft = CreateEventRequest(
        title="Made by openapi-generator",
        description="A generated client wrote this.",
        location="127.0.0.1",
        start_date=CreateEventRequestStartDate("2031-05-14T19:00"),
        timezone="Europe/Berlin",
        image_query="type",
    )
    created = events.create_event(draft)
    published = events.publish_event(created.id)
    assert published.is_published and published.start_date.hour == 19, published
    guest = RegisterAttendeeRequest(name="Ada Example", email="ada@generated.example")
    assert registrations.register_attendee(created.slug, guest).email == guest.email

    draft.timezone = "Nowhere/Nothing"
    try:
        events.create_event(draft)
        raise AssertionError("an unknown time zone was taken")
    except BadRequestException as refused:
        assert isinstance(refused.data, MusterError), refused
        problem = refused.data.error
        assert problem.code == "INVALID_REQUEST" and problem.details[0].var_field == "timezone", problem
        assert problem.message.startswith("timezone "), problem.message

    assert catalogue.get_cover(created.slug).startswith(b"\x89PNG")
    assert guest.email in registrations.export_registrations(created.id)
    print("openapi-generator (Python): listed, created, published, registered, read a refusal, a cover and a table")


if __name__ == "__main__":
    main(*sys.argv[1:])
