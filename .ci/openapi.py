#!/usr/bin/env python3
"""Checks an OpenAPI document with a public validator, and its examples against its own schemas. Beside it are the same document as YAML
and as OpenAPI 3.0."""

import json
import pathlib
import sys

import jsonschema
import yaml
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator


def examples(node, path=""):
    """Every (place, schema, example) of the document."""
    if isinstance(node, dict):
        schema = node.get("schema", node if "type" in node or "$ref" in node else None)
        if schema is not None:
            for example in [node["example"]] if "example" in node else []:
                yield path, schema, example
            named = node.get("examples", [])
            values = [e["value"] for e in named.values() if "value" in e] if isinstance(named, dict) else named
            for example in values:
                yield path, schema, example
        for key, value in node.items():
            if key not in ("example", "examples"):
                yield from examples(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from examples(value, f"{path}/{index}")


def main(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    OpenAPIV31SpecValidator(document).validate()
    beside = pathlib.Path(path).parent
    if yaml.safe_load((beside / "openapi.yaml").read_text(encoding="utf-8")) != document:
        sys.exit(f"{beside}/openapi.yaml says something else than {path}")
    OpenAPIV30SpecValidator(json.loads((beside / "openapi-3.0.json").read_text(encoding="utf-8"))).validate()

    checked = 0
    for place, schema, example in examples(document):
        # References are resolved within the document, so the schema is looked at from its root.
        rooted = {"components": document["components"], "allOf": [schema]}
        validator = jsonschema.Draft202012Validator(
            rooted, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
        )
        for error in validator.iter_errors(example):
            sys.exit(f"{path}{place}: example {example!r}: {error.message}")
        checked += 1
    if checked < 50:
        sys.exit(f"{path}: only {checked} examples were found")
    print(f"{path}: valid OpenAPI {document['openapi']}, {checked} examples valid")


if __name__ == "__main__":
    main(sys.argv[1])
