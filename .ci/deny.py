#!/usr/bin/env python3
"""Checks the licences, bans and sources of deny.toml against `cargo metadata`.

cargo-deny itself takes CI minutes to build, and its newest ready-made binary does not know today's licence names.
"""

import json
import re
import subprocess
import sys
import tomllib

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def allowed(expression, names):
    """Whether a licence expression can be met with the allowed names alone."""
    # Before SPDX, crates wrote a slash for OR.
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def any_of(tokens):
        met = all_of(tokens)
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            met = all_of(tokens) or met
        return met

    def all_of(tokens):
        met = one(tokens)
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            met = one(tokens) and met
        return met

    def one(tokens):
        token = tokens.pop(0)
        if token == "(":
            met = any_of(tokens)
            tokens.pop(0)
            return met
        if tokens and tokens[0] == "WITH":
            # An exception only ever allows more.
            del tokens[:2]
        return token in names

    return any_of(tokens)


def main():
    with open("deny.toml", "rb") as file:
        rules = tomllib.load(file)
    names = set(rules["licenses"]["allow"])
    excepted = {entry["crate"]: set(entry["allow"]) for entry in rules["licenses"].get("exceptions", [])}
    banned = {entry["crate"]: entry["reason"] for entry in rules["bans"]["deny"]}
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True
    )
    packages = [p for p in json.loads(metadata.stdout)["packages"] if p["source"] is not None]
    problems = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if not allowed(package["license"] or "none", names | excepted.get(package["name"], set())):
            problems.append(f"{name}: licence {package['license']} is not allowed")
        elif package["name"] in excepted and allowed(package["license"], names):
            problems.append(f"{name}: needs no exception for its licence")
        if package["name"] in banned:
            problems.append(f"{name}: banned, {banned[package['name']]}")
        if package["source"] != CRATES_IO:
            problems.append(f"{name}: comes from {package['source']}, not from crates.io")
    for unused in sorted(set(excepted) - {package["name"] for package in packages}):
        problems.append(f"{unused}: has an exception for its licence, but is no dependency")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"deny: {len(packages)} dependencies, {len(problems)} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
