"""Checks the container files: copied files, programs and settings exist, and services get enough time to stop.

usage: names.py FOLDER_OF_PROGRAMS
"""

import pathlib
import re
import subprocess
import sys

from ruamel.yaml import YAML

OURS = "/usr/local/bin/"


def settings(program):
    """The environment variables in a program's help."""
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\bMUSTER_[A-Z_]+", text))


def copied(dockerfile):
    """The files that are copied from the checkout."""
    for line in dockerfile.splitlines():
        words = line.split()
        if words[:1] == ["COPY"] and not words[1].startswith("--"):
            yield from words[1:-1]


def drain_seconds():
    """How long running requests may take after the signal to stop."""
    found = re.search(r"const DRAIN: Duration = Duration::from_secs\((\d+)\)", pathlib.Path("process/src/shutdown.rs").read_text())
    return int(found[1])


def grace_seconds(service):
    """How long Docker waits before it kills a service; its default is 10 s."""
    return int(service.get("stop_grace_period", "10s").removesuffix("s"))


def main():
    programs = pathlib.Path(sys.argv[1])
    dockerfile = pathlib.Path("deploy/Dockerfile").read_text()
    problems = [f"Dockerfile: there is no {path}" for path in copied(dockerfile) if not pathlib.Path(path).exists()]
    built = re.findall(r"target/release/([\w-]+)", dockerfile)

    services = YAML(typ="safe").load(pathlib.Path("docker-compose.yml"))["services"]
    checked = 0
    for name, service in services.items():
        command = service.get("entrypoint", [""])[0]
        if not command.startswith(OURS):
            continue
        program = command.removeprefix(OURS)
        if program not in built:
            problems.append(f"{name}: the image has no {program}")
            continue
        if grace_seconds(service) <= drain_seconds():
            problems.append(f"{name}: stop_grace_period must be longer than the drain of {drain_seconds()} s")
        known = settings(programs / program)
        for variable in service.get("environment", {}):
            checked += 1
            if variable not in known and variable.removesuffix("_FILE") not in known:
                problems.append(f"{name}: {program} has no setting {variable}")
    if not checked:
        problems.append("found no service of ours")
    if problems:
        sys.exit("\n".join(problems))
    print(f"containers: {checked} settings and all copied files exist, and all services have time to drain")


main()
