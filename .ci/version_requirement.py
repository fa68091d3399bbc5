"""Version requirements as Cargo writes them, compared as the RustSec database does.

The bounds of a requirement that are written out compare by the precedence of SemVer, pre-releases too: a fix in 2.0.0-rc.2 is in
every later version. Cargo itself, which chooses versions, would leave pre-releases out.
"""

import re

NUMBER = r"0|[1-9]\d*"
LAST = rf"(?P<patch>{NUMBER}|[*xX])(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
VERSION = re.compile(rf"(?P<major>{NUMBER})(?:\.(?P<minor>{NUMBER}|[*xX])(?:\.{LAST})?)?")
COMPARATOR = re.compile(rf"(?P<operator>>=|<=|>|<|=|~|\^)?\s*{VERSION.pattern}")

# A pre-release comes before its release, and this one before every other: the bound below all that belongs to a version.
FIRST_PRERELEASE = (0, ())
RELEASE = (1, ())


class BadRequirement(ValueError):
    """A version or requirement that cannot be read."""


def prerelease(text):
    """Numbers come before names, and compare as numbers."""
    if text is None:
        return RELEASE
    return (0, tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in text.split(".")))


def precedence(text):
    """What sorts versions."""
    found = VERSION.fullmatch(text.strip())
    if not found or not (found["patch"] or "").isdigit():
        raise BadRequirement(f"{text!r} is not a version")
    return (int(found["major"]), int(found["minor"]), int(found["patch"]), prerelease(found["pre"]))


def following(numbers):
    """The bound above all versions that begin with these numbers."""
    return (*numbers[:-1], numbers[-1] + 1, *(0,) * (3 - len(numbers)), FIRST_PRERELEASE)


def caret_digits(numbers):
    """How many of the numbers stay the same in a compatible version: up to the first that is not 0."""
    return next((index for index, number in enumerate(numbers, 1) if number), len(numbers))


def comparator_matches(comparator, version):
    found = COMPARATOR.fullmatch(comparator)
    if not found:
        raise BadRequirement(f"{comparator!r} is not a version requirement")
    parts = [found[name] for name in ("major", "minor", "patch")]
    numbers = tuple(int(part) for part in parts if part and part.isdigit())
    first = (*numbers, *(0,) * (3 - len(numbers)), prerelease(found["pre"]))
    operator = found["operator"] or ("=" if {"*", "x", "X"} & set(parts) else "^")
    whole = len(numbers) == 3
    if operator == ">=":
        return version >= first
    if operator == "<":
        return version < first
    if operator == ">":
        return version > first if whole else version >= following(numbers)
    if operator == "<=":
        return version <= first if whole else version < following(numbers)
    if operator == "=" and whole:
        return version == first
    same = {"=": len(numbers), "~": min(2, len(numbers)), "^": caret_digits(numbers)}[operator]
    return first <= version < following(numbers[:same])


def matches(requirement, version):
    """Whether a version meets a requirement: each of its comparators, which commas separate."""
    if requirement.strip() == "*":
        return True
    key = precedence(version)
    return all(comparator_matches(comparator.strip(), key) for comparator in requirement.split(","))
