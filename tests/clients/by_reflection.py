#!/usr/bin/env python3
"""Calls Muster's core with what any stock gRPC client has: reflection, and no generated code.

    pip install -r tests/clients/requirements.txt
    tests/clients/by_reflection.py 127.0.0.1:50051                 # lists public events
    tests/clients/by_reflection.py 127.0.0.1:50051 --key mus_live_…  # creates one first, then cancels it

Prints one line of JSON for each answer, and ends with 0 when everything was as it should be.
"""

import argparse
import datetime
import os
import sys

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

CATALOGUE = "muster.v1.CatalogueService"
EVENTS = "muster.v1.EventService"

# No answer takes longer; also how long a core that is still starting is waited for.
DEADLINE_SECONDS = 10


class Core:
    """A core whose services are known by what it says of them itself."""

    def __init__(self, channel):
        self._channel = channel
        database = ProtoReflectionDescriptorDatabase(channel)
        self.services = sorted(database.get_services())
        self._pool = DescriptorPool(database)

    def call(self, service, method, request, key=None):
        """Calls a unary rpc with a request given as a dict, and answers a dict."""
        rpc = self._pool.FindServiceByName(service).methods_by_name[method]
        invoke = self._channel.unary_unary(
            f"/{service}/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=GetMessageClass(rpc.output_type).FromString,
        )
        message = json_format.ParseDict(request, GetMessageClass(rpc.input_type)())
        metadata = [("authorization", f"Bearer {key}")] if key else []
        answer = invoke(message, metadata=metadata, timeout=DEADLINE_SECONDS, wait_for_ready=True)
        print(json_format.MessageToJson(answer, preserving_proto_field_name=True, indent=None))
        return json_format.MessageToDict(
            answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )


def check(holds, text):
    if not holds:
        sys.exit(f"{text}")


def create_and_cancel(core, key):
    """Creates a public event, finds it in the catalogue, and cancels it again."""
    start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)
    event = {
        "title": "Made by reflection",
        "description": "A stock client wrote this.",
        "location": "127.0.0.1",
        "start_date": start.isoformat(timespec="seconds"),
        "is_public": True,
    }
    created = core.call(EVENTS, "CreateEvent", event, key)
    found = core.call(CATALOGUE, "GetEvent", {"slug": created["slug"]})
    check(found["title"] == event["title"], "the new event is not the one in the catalogue")
    check(found["capacity"] == 100, "the capacity left out is not the default of 100")
    cancelled = core.call(EVENTS, "CancelEvent", {"id": created["id"], "reason": "only a test"}, key)
    check(cancelled["cancelled"], "the event is not cancelled")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", help="HOST:PORT, or unix:///path")
    parser.add_argument("--key", default=os.environ.get("MUSTER_KEY"), help="an API key, also as MUSTER_KEY")
    arguments = parser.parse_args()

    # For a Unix socket grpcio would name the path as the authority, which is none and is refused by HTTP/2 servers in Rust.
    options = [("grpc.default_authority", "localhost")] if arguments.address.startswith("unix:") else []
    with grpc.insecure_channel(arguments.address, options) as channel:
        # Reflection itself does not wait for a core that is still starting.
        grpc.channel_ready_future(channel).result(timeout=DEADLINE_SECONDS)
        core = Core(channel)
        for service in (CATALOGUE, EVENTS):
            check(service in core.services, f"reflection does not list {service}")
        if arguments.key:
            create_and_cancel(core, arguments.key)
        else:
            try:
                core.call(EVENTS, "ListMyEvents", {})
                sys.exit("an rpc that needs a key was answered without one")
            except grpc.RpcError as error:
                check(error.code() == grpc.StatusCode.UNAUTHENTICATED, f"not UNAUTHENTICATED but {error}")
        page = core.call(CATALOGUE, "ListEvents", {"limit": 5})
        check(page["count"] >= len(page["items"]), "the catalogue counts fewer events than it lists")


if __name__ == "__main__":
    try:
        main()
    except grpc.FutureTimeoutError:
        sys.exit(f"no core answers within {DEADLINE_SECONDS} s")
    except grpc.RpcError as error:
        sys.exit(f"{error.code().name}: {error.details()}")
