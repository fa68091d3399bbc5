#!/usr/bin/env python3
"""Checks the versions of Cargo.lock against the known advisories of RustSec.

usage: advisories.py                  checks Cargo.lock against advisories.toml
       advisories.py --update PATH    writes advisories.toml anew from PATH, a checkout of github.com/rustsec/advisory-db

CI needs no network for this: advisories.toml holds the facts of the database, for the crates of Cargo.lock alone. Exceptions are
in deny.toml, in cargo-deny's own format.
"""

import datetime
import pathlib
import re
import sys
import textwrap
import tomllib

from version_requirement import matches

ROOT = pathlib.Path(__file__).resolve().parent.parent
SNAPSHOT = ROOT / ".ci/advisories.toml"

# An older snapshot gets a warning. It is no failure: a commit that passed must not fail because time went by.
MAX_AGE_DAYS = 180
LINE_WIDTH = 120

# These do not fail: nothing is wrong with the crate yet.
WARNED = {"unmaintained"}
FRONT_MATTER = re.compile(r"\A\s*```toml\n(.*?)^```", re.S | re.M)
ID = re.compile(r"RUSTSEC-(?!0000)\d{4}-\d{4,}")

HEAD = """\
# What the RustSec advisory database (github.com/rustsec/advisory-db, public domain) knows about the crates of Cargo.lock: facts,
# without the texts, which are at https://rustsec.org/advisories/ID.html. .ci/advisories.py reads this file and writes it.
"""


def locked(lock):
    """Every external crate of a Cargo.lock, with its versions."""
    versions = {}
    for package in lock["package"]:
        if "source" in package:
            versions.setdefault(package["name"], []).append(package["version"])
    return versions


def affects(advisory, version):
    if "withdrawn" in advisory:
        return False
    return not any(matches(requirement, version) for requirement in advisory["patched"] + advisory["unaffected"])


def ignored(rules):
    """The exceptions of deny.toml, and what is wrong with them."""
    reasons, problems = {}, []
    for entry in rules.get("advisories", {}).get("ignore", []):
        if isinstance(entry, dict) and ID.fullmatch(entry.get("id", "")) and entry.get("reason", "").strip():
            reasons[entry["id"]] = entry["reason"]
        else:
            problems.append(f"deny.toml: {entry} must have the form {{ id = \"RUSTSEC-…\", reason = \"…\" }}")
    return reasons, problems


def check(lock, snapshot, rules, today):
    """What fails and what is only said."""
    versions = locked(lock)
    reasons, problems = ignored(rules)
    warnings, met = [], set()
    for name in sorted(set(versions) - set(snapshot["looked_up"])):
        problems.append(
            f"{name}: new in Cargo.lock, and nobody has looked for its advisories. Run `.ci/advisories.py --update PATH` with a "
            "checkout of github.com/rustsec/advisory-db; or look at "
            f"https://rustsec.org/packages/{name}.html (no page: no advisory) and add what it says to .ci/advisories.toml, "
            "and the name to `looked_up`."
        )
    for advisory in snapshot["advisory"]:
        for version in versions.get(advisory["package"], []):
            if not affects(advisory, version):
                continue
            met.add(advisory["id"])
            if advisory["id"] in reasons:
                continue
            fixed = " or ".join(advisory["patched"]) or "no version"
            text = f"{advisory['package']} {version}: {advisory['id']} ({advisory['kind']}), fixed in {fixed}"
            (warnings if advisory["kind"] in WARNED else problems).append(text)
    for unused in sorted(set(reasons) - met):
        problems.append(f"deny.toml: {unused} is ignored, but no version in Cargo.lock is affected")
    age = (today - snapshot["newest"]).days
    if age > MAX_AGE_DAYS:
        warnings.append(f"the newest advisory known to .ci/advisories.toml is {age} days old: refresh it with --update")
    return problems, warnings


def facts(text):
    """What an advisory says, without its prose; nothing for a draft that has no id yet."""
    found = FRONT_MATTER.match(text)
    if not found:
        raise ValueError("it does not begin with a block of TOML")
    document = tomllib.loads(found[1])
    advisory, versions = document["advisory"], document.get("versions", {})
    if not ID.fullmatch(advisory["id"]):
        return None
    known = {
        "id": advisory["id"],
        "package": advisory["package"],
        "date": datetime.date.fromisoformat(advisory["date"]),
        "kind": advisory.get("informational", "vulnerability"),
        "patched": versions.get("patched", []),
        "unaffected": versions.get("unaffected", []),
    }
    if "withdrawn" in advisory:
        known["withdrawn"] = datetime.date.fromisoformat(advisory["withdrawn"])
    return known


def read_database(path):
    """Every advisory of a checkout. One that cannot be read ends the program: to leave it out would hide it."""
    found = []
    for file in sorted(pathlib.Path(path).glob("crates/*/RUSTSEC-*.md")):
        try:
            advisory = facts(file.read_text(encoding="utf-8"))
        except (KeyError, ValueError) as error:
            sys.exit(f"{file}: {error}")
        if advisory:
            found.append(advisory)
    if not found:
        sys.exit(f"{path} has no crates/*/RUSTSEC-*.md: it must be a checkout of github.com/rustsec/advisory-db")
    return found


def written(value):
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rendered(names, advisories, newest, today):
    """The text of advisories.toml."""
    list_of_names = textwrap.indent(
        textwrap.fill(", ".join(written(name) for name in sorted(names)), LINE_WIDTH, break_on_hyphens=False), "    "
    )
    parts = [
        HEAD,
        "# The day on which it was written, and the date of the newest advisory that was seen then.",
        f"taken = {today}",
        f"newest = {newest}",
        "",
        "# Every crate whose advisories were looked for; most have none.",
        f"looked_up = [\n{list_of_names},\n]",
    ]
    for advisory in sorted(advisories, key=lambda advisory: (advisory["package"], advisory["id"])):
        parts.append("\n[[advisory]]")
        parts.extend(f"{key} = {written(value)}" for key, value in advisory.items())
    return "\n".join(parts) + "\n"


def update(database, lock, today):
    """The text of advisories.toml for a lock file, from a checkout of the database."""
    advisories = read_database(database)
    names = set(locked(lock))
    newest = max(advisory["date"] for advisory in advisories)
    return rendered(names, [advisory for advisory in advisories if advisory["package"] in names], newest, today)


def load(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def main(arguments):
    lock, today = load(ROOT / "Cargo.lock"), datetime.date.today()
    if len(arguments) == 2 and arguments[0] == "--update":
        SNAPSHOT.write_text(update(arguments[1], lock, today), encoding="utf-8")
    elif arguments:
        sys.exit(__doc__)
    snapshot = load(SNAPSHOT)
    problems, warnings = check(lock, snapshot, load(ROOT / "deny.toml"), today)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(
        f"advisories: {len(locked(lock))} crates, {len(snapshot['advisory'])} advisories of a database whose newest is of "
        f"{snapshot['newest']}, {len(problems)} problems, {len(warnings)} warnings"
    )
    sys.exit(bool(problems))


if __name__ == "__main__":
    main(sys.argv[1:])
