"""Whether what the container files name exists: files that are copied, programs, and the settings that are handed to them.

usage: names.py FOLDER_OF_PROGRAMS
"""

import pathlib
import re
import subprocess
import sys

from ruamel.yaml import YAML

OURS = "/usr/local/bin/"


def settings(program):
    """The environment variables that a program's help names, of itself and of its commands."""
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\bMUSTER_[A-Z_]+", text))


def copied(dockerfile):
    """What is copied from the checkout, stages aside."""
    for line in dockerfile.splitlines():
        words = line.split()
        if words[:1] == ["COPY"] and not words[1].startswith("--"):
            yield from words[1:-1]


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
        known = settings(programs / program)
        for variable in service.get("environment", {}):
            checked += 1
            if variable not in known and variable.removesuffix("_FILE") not in known:
                problems.append(f"{name}: {program} has no setting {variable}")
    if not checked:
        problems.append("no service of ours was found")
    if problems:
        sys.exit("\n".join(problems))
    print(f"containers: {checked} settings and all copied files are there")


main()
