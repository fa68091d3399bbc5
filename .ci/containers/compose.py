"""docker-compose.yml and the Dockerfile's stages, read as far as this repository uses them. What is not understood is refused, so
that nothing in these files goes unchecked."""

import json
import os
import re
import shlex
from pathlib import Path

from ruamel.yaml import YAML

# A service's settings that have no effect on one run here, each with the reason.
WITHOUT_EFFECT = {
    "build": "images are made by images.py",
    "pull_policy": "images are made by images.py",
}

UNDERSTOOD = {
    "image", "entrypoint", "command", "environment", "user", "read_only", "cap_drop", "cap_add", "security_opt", "mem_limit", "tmpfs",
    "volumes", "ports", "networks", "network_mode", "healthcheck", "depends_on", "deploy", "restart", "stop_grace_period", *WITHOUT_EFFECT,
}  # fmt: skip


class Wrong(Exception):
    """What is wrong with the files, or with what they started."""


def interpolated(value, settings):
    """The value with `${NAME}`, `${NAME:-default}` and `${NAME:?what is missing}` filled in, and `$$` as a dollar."""
    if isinstance(value, dict):
        return {key: interpolated(item, settings) for key, item in value.items()}
    if isinstance(value, list):
        return [interpolated(item, settings) for item in value]
    if not isinstance(value, str):
        return value

    def fill(match):
        if match[0] == "$$":
            return "$"
        name, kind, rest = match["name"], match["kind"], match["rest"]
        if settings.get(name):
            return settings[name]
        if kind == ":?":
            raise Wrong(f"{name}: {rest}")
        return rest or ""

    return re.sub(r"\$\$|\$\{(?P<name>\w+)(?:(?P<kind>:[-?])(?P<rest>[^}]*))?\}", fill, value)


def seconds(duration):
    """`30s` or `1m30s` as a number."""
    parts = re.fullmatch(r"(?:(\d+)m)?(?:(\d+)s)?", duration)
    if not parts or not duration:
        raise Wrong(f"{duration} is no duration")
    return int(parts[1] or 0) * 60 + int(parts[2] or 0)


def services(path, settings):
    """Every service by its name, in an order in which each comes after what it depends on."""
    read = YAML(typ="safe").load(Path(path))["services"]
    for name, service in read.items():
        unknown = set(service) - UNDERSTOOD
        if unknown:
            raise Wrong(f"{path}: {name}: this check does not know {', '.join(sorted(unknown))}")
        # Compose: a list means that they only have to be started.
        after = service.get("depends_on", {})
        if isinstance(after, list):
            service["depends_on"] = {other: {"condition": "service_started"} for other in after}
    read = interpolated(read, settings)
    ordered = {}
    while len(ordered) < len(read):
        ready = [
            name for name in read if name not in ordered and set(read[name].get("depends_on", {})) <= set(ordered)
        ]
        if not ready:
            raise Wrong(f"{path}: services depend on each other in a circle")
        ordered.update((name, read[name]) for name in ready)
    return ordered


def network(path, settings):
    """The addresses of the network of all services, as podman's flags."""
    default = interpolated(YAML(typ="safe").load(Path(path))["networks"]["default"], settings)
    (addresses,) = default["ipam"]["config"]
    flags = {"subnet": "--subnet", "ip_range": "--ip-range"}
    return [word for key, value in addresses.items() for word in (flags[key], value)]


class Image:
    """A stage of the Dockerfile, with those that it is made from."""

    def __init__(self, path, target):
        text = re.sub(r"\\\n", " ", Path(path).read_text())
        lines = [line.strip() for line in text.splitlines()]
        steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
        stages = {}
        for instruction, rest in steps:
            if instruction == "FROM":
                words = rest.split()
                stages[words[-1]] = (words[0], [])
                of_last = stages[words[-1]][1]
            else:
                of_last.append((instruction, rest))
        if target not in stages:
            raise Wrong(f"{path}: there is no stage {target}")
        self.base, own = stages[target]
        while self.base in stages:
            self.base, steps = stages[self.base]
            own = [*steps, *own]
        self.path = path
        # Folders that the build stage makes, with their modes.
        made = " ".join(rest for _, rest in stages["build"][1])
        self.folders = re.findall(r"install -d -m (\d+) /root-of-image(/\S+)", made)
        # From the build stage or the checkout: (is of the checkout, sources, destination, owner).
        self.copies = []
        # As `podman import --change` takes them.
        self.changes = []
        # What podman's import does not take.
        self.health = None
        self.arguments = {}
        for instruction, rest in own:
            self.take(instruction, rest)

    def take(self, instruction, rest):
        if instruction == "COPY":
            words = shlex.split(rest)
            flags = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
            files = [word for word in words if not word.startswith("--")]
            self.copies.append(("from" not in flags, files[:-1], files[-1], flags.get("chown")))
        elif instruction == "ARG":
            name, _, default = rest.partition("=")
            self.arguments[name] = default
        elif instruction == "HEALTHCHECK":
            self.health = json.loads(rest.partition("CMD")[2])
        elif instruction == "LABEL":
            for one in shlex.split(rest):
                name, _, value = one.partition("=")
                value = re.sub(r"\$(\w+)", lambda match: self.arguments[match[1]], value)
                self.changes.append(f"LABEL {name}={json.dumps(value)}")
        elif instruction in ("ENV", "WORKDIR", "EXPOSE", "ENTRYPOINT", "CMD", "USER", "VOLUME"):
            self.changes.append(f"{instruction} {rest}")
        else:
            raise Wrong(f"{self.path}: this check does not know {instruction}")


def environment():
    """The settings of this machine, without those of Muster: the check makes its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}


def words(value):
    """A command as a list, however it is written."""
    return shlex.split(value) if isinstance(value, str) else list(value)


def probe(test):
    """The command of a healthcheck."""
    if isinstance(test, list) and test[:1] == ["CMD"]:
        return test[1:]
    if isinstance(test, list) and test[:1] == ["CMD-SHELL"]:
        return ["sh", "-c", test[1]]
    raise Wrong(f"this check does not know the healthcheck {json.dumps(test)}")
