"""Every tool's input schema survives what clients make of it for models: OpenAI's strict mode, by the converter of openai-agents, and
Gemini's schemas, by that of google-genai.

    conversions.py TOOLS_JSON

The converters leave in what the models' servers refuse. So the result is held against the published subset, too.
"""

import copy
import json
import logging
import sys

from agents.strict_schema import ensure_strict_json_schema
from google.genai import types

# https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
STRICT_KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "string": {"enum", "const", "pattern", "format"},
    "integer": {"enum", "const", "minimum", "maximum", "multipleOf"},
    "boolean": set(),
    "array": {"items", "minItems", "maxItems"},
}
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
STRICT_DEPTH = 10
STRICT_PROPERTIES = 5000


def check_strict(schema, place, depth=1):
    """Counts the properties of a strict schema."""
    assert depth <= STRICT_DEPTH, f"{place}: too deep"
    if "anyOf" in schema:
        assert schema.keys() <= {"anyOf", "description"}, f"{place}: {schema.keys()}"
        return sum(check_strict(branch, place, depth + 1) for branch in schema["anyOf"])
    refused = schema.keys() - STRICT_KEYWORDS[schema["type"]] - {"type", "description"}
    assert not refused, f"{place}: {refused}"
    assert schema.get("format", "date") in STRICT_FORMATS, f"{place}: {schema['format']}"
    if schema["type"] == "array":
        return check_strict(schema["items"], f"{place}[]", depth + 1)
    if schema["type"] != "object":
        return 0
    properties = schema["properties"]
    assert schema["additionalProperties"] is False, place
    assert set(schema["required"]) == properties.keys(), place
    inner = (check_strict(one, f"{place}.{name}", depth + 1) for name, one in properties.items())
    return len(properties) + sum(inner)


def gemini(schema):
    """What google-genai makes of a tool's schema."""
    given = types.JSONSchema.model_validate(schema)
    return types.Schema.from_json_schema(json_schema=given, raise_error_on_unsupported_field=True)


def main(path):
    logging.getLogger("google_genai").setLevel(logging.ERROR)
    with open(path, encoding="utf-8") as file:
        tools = [row["tool"] for row in json.load(file)]
    assert len(tools) > 15, len(tools)
    for tool in tools:
        name, schema = tool["name"], tool["inputSchema"]
        strict = ensure_strict_json_schema(copy.deepcopy(schema))
        count = check_strict(strict, name)
        assert count <= STRICT_PROPERTIES and strict["properties"].keys() == schema["properties"].keys(), name
        properties = gemini(schema).properties or {}
        assert properties.keys() == schema["properties"].keys(), name
    print(f"  {len(tools)} tools suit OpenAI's strict mode and Gemini")


if __name__ == "__main__":
    main(sys.argv[1])
