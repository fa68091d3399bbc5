"""An organizer's session with the client that openapi-python-client generated.

by_openapi_python_client.py BASE_URL KEY    with the folder of muster_client on PYTHONPATH
"""

import datetime
import sys

from muster_client import AuthenticatedClient
from muster_client.api.catalogue import get_cover, list_events
from muster_client.api.event import create_event, publish_event
from muster_client.api.registration import export_registrations, register_attendee
from muster_client.models import (
    CreateEventRequest,
    CustomField,
    CustomFieldFieldType,
    MusterError,
    RegisterAttendeeRequest,
)


def main(base_url, key):
    client = AuthenticatedClient(base_url=base_url, token=key)
    assert len(list_events.sync(client=client, limit=3).items) == 3

    draft = CreateEventRequest(
        title="Made by openapi-python-client",
        description="A generated client wrote this.",
        location="127.0.0.1",
        start_date="2031-05-14T19:00",
        timezone="Europe/Berlin",
        image_query="type",
        custom_fields=[CustomField(label="Diet", field_type=CustomFieldFieldType.TEXT)],
    )
    created = create_event.sync(client=client, body=draft)
    published = publish_event.sync(created.id, client=client)
    assert published.is_published
    assert published.start_date.isoformat() == "2031-05-14T19:00:00+02:00", published.start_date

    draft.start_date = datetime.datetime(2031, 5, 14, 17, tzinfo=datetime.timezone.utc)
    assert create_event.sync(client=client, body=draft).slug != created.slug

    guest = RegisterAttendeeRequest(name="Ada Example", email="ada@python.example")
    assert register_attendee.sync(created.slug, client=client, body=guest).email == guest.email

    draft.title = "x"
    refused = create_event.sync(client=client, body=draft)
    assert isinstance(refused, MusterError) and refused.error.code == "INVALID_REQUEST", refused
    assert refused.error.message.startswith("title must be"), refused.error.message
    assert refused.error.details[0].field == "title"

    cover = get_cover.sync(created.slug, client=client)
    assert cover.payload.read(4) == b"\x89PNG"
    assert guest.email.encode() in export_registrations.sync(created.id, client=client)


if __name__ == "__main__":
    main(*sys.argv[1:])
