"""Checks the container files: bases have digests, copied files, programs, stages and settings exist, the build has all that it needs, and
services have limits, time to stop, and ports on loopback.

usage: names.py FOLDER_OF_PROGRAMS
"""

import pathlib
import re
import subprocess
import sys
import tomllib

from ruamel.yaml import YAML

import compose

DOCKERFILE = "deploy/Dockerfile"
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
OURS = "muster/"


def settings(program):
    """The environment variables in a program's help."""
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\bMUSTER_[A-Z_]+", text))


def drain_seconds():
    """How long running requests may take after the signal to stop."""
    found = re.search(r"const DRAIN: Duration = Duration::from_secs\((\d+)\)", pathlib.Path("crates/server/src/shutdown.rs").read_text())
    return int(found[1])


def of_dockerfile():
    text = pathlib.Path(DOCKERFILE).read_text()
    stages = set()
    for base, stage in re.findall(r"^FROM (\S+)(?: AS (\S+))?$", text, re.M):
        if base not in stages and not DIGEST.search(base):
            yield f"{DOCKERFILE}: {base} has no digest"
        stages.add(stage)
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["COPY"] and not words[1].startswith("--") and words[1] != ".":
            yield from (f"{DOCKERFILE}: there is no {path}" for path in words[1:-1] if not pathlib.Path(path).exists())
    version = tomllib.loads(pathlib.Path("Cargo.toml").read_text())["workspace"]["package"]["version"]
    if f"ARG VERSION={version}\n" not in text:
        yield f"{DOCKERFILE}: VERSION is not {version}, as in Cargo.toml"


def of_context():
    """What the build gets, against what it needs: the manifests of all packages, and every file that is compiled in."""
    lines = [line for line in pathlib.Path(".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    if lines[0] != "*":
        yield ".dockerignore is no list of what is allowed"
    allowed = [line[1:] for line in lines if line.startswith("!")]
    for pattern in allowed:
        if not list(pathlib.Path().glob(pattern)):
            yield f".dockerignore: there is no {pattern}"
    tops = {path.name for pattern in allowed for path in pathlib.Path().glob(pattern)}
    tracked = subprocess.run(["git", "ls-files", "*Cargo.toml", "*/src/*.rs"], check=True, capture_output=True, text=True).stdout.split()
    for path in tracked:
        if path.startswith(".ci/"):
            continue
        if path.split("/")[0] not in tops:
            yield f".dockerignore leaves {path} out"
        for named in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', pathlib.Path(path).read_text()):
            included = (pathlib.Path(path).parent / named).resolve().relative_to(pathlib.Path.cwd())
            if "tests" not in pathlib.Path(path).parts and included.parts[0] not in tops:
                yield f".dockerignore leaves {included} out, which {path} includes"


def of_service(name, service, programs):
    """What is wrong with a service, whoever made its image."""
    for port in service.get("ports", []):
        if not re.match(r"(127\.0\.0\.1|\$\{MUSTER_ADDRESS:-127\.0\.0\.1\}):", port):
            yield f"{name}: the port {port} is open to other machines"
    limits = service.get("deploy", {}).get("resources", {}).get("limits", {})
    if set(limits) != {"cpus", "memory"}:
        yield f"{name}: cpus and memory need limits"
    if "pull_policy" not in service:
        yield f"{name}: it has no pull_policy"
    if not service["image"].startswith(OURS):
        if not DIGEST.search(service["image"]):
            yield f"{name}: {service['image']} has no digest"
        return
    target = service.get("build", {}).get("target")
    if target != service["image"].removeprefix(OURS):
        yield f"{name}: {service['image']} is built as {target}"
        return
    image = compose.Image(DOCKERFILE, target)
    if image.health != [f"/usr/local/bin/{target}", "health"]:
        yield f"{name}: its image has no HEALTHCHECK of its own"
    if compose.seconds(service.get("stop_grace_period", "10s")) <= drain_seconds():
        yield f"{name}: stop_grace_period must be longer than the drain of {drain_seconds()} s"
    known = settings(programs / target)
    for variable in service.get("environment", {}):
        if variable not in known and variable.removesuffix("_FILE") not in known:
            yield f"{name}: {target} has no setting {variable}"


def main():
    programs = pathlib.Path(sys.argv[1])
    services = YAML(typ="safe").load(pathlib.Path("docker-compose.yml"))["services"]
    problems = [*of_dockerfile(), *of_context()]
    for name, service in services.items():
        problems += of_service(name, service, programs)
    if not any(service["image"].startswith(OURS) for service in services.values()):
        problems.append("found no service of ours")
    if problems:
        sys.exit("\n".join(problems))
    print("containers: digests, stages, files, settings, limits and times to stop are as they must be")


main()
