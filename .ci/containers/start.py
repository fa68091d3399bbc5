"""Starts what docker-compose.yml describes, with podman and images made here, uses it as its first lines say, kills each container, and
stops it. Then it runs the image of `muster` alone. Programs run as a user that no image knows, in group 0, and `muster` as its own, too.

usage: start.py FOLDER_OF_PROGRAMS FOLDER_FOR_ROOT_FILESYSTEMS
"""

import json
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import compose
import images
from compose import Wrong

NETWORK = "muster"
# Of a debug build on a busy machine.
PATIENCE_SECONDS = 60
# What Compose allows when the file says nothing.
DEFAULT_GRACE_SECONDS = 10
# Bits of capabilities, as the kernel writes them.
CAPABILITIES = {"NET_BIND_SERVICE": 1 << 10}
# How often a core is asked while the other one is killed.
ASKED = 50
# What platforms give to containers that may run as any user.
ANYBODY = f"{random.randrange(100_000, 1_000_000_000)}:0"
OURS = "muster/"
# The program ends by this when its settings are wrong.
WRONG_SETTINGS = 64


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class Containers:
    """The services as containers, in a storage of their own, so that nothing of this machine's is touched."""

    def __init__(self, services, addresses, folder):
        self.services, self.addresses = services, addresses
        # What asks a service whether it is healthy: the file's, or that of the image.
        self.probes = {name: healthcheck(service) for name, service in services.items()}
        self.podman = [
            "podman", "--root", f"{folder}/storage", "--runroot", f"{folder}/run", "--network-config-dir", f"{folder}/networks",
            "--cgroup-manager", "cgroupfs",
        ]  # fmt: skip
        self.running = []

    def call(self, *words, check=True, **options):
        done = subprocess.run([*self.podman, *words], capture_output=True, text=True, **options)
        if check and done.returncode:
            raise Wrong(f"podman {words[0]}: {done.stderr.strip()}")
        return done

    def flags(self, name, without=()):
        """How podman runs a service, as the file says."""
        service = self.services[name]
        apart = service.get("network_mode")
        flags = ["--network", apart] if apart else ["--network", NETWORK, "--network-alias", name]
        address = service.get("networks", {}).get("default", {}).get("ipv4_address")
        flags += ["--ip", address] if address else []
        # Podman's own are above what this machine may allow, and to raise them takes a privilege.
        flags += ["--ulimit", "nofile=16384:16384", "--ulimit", "nproc=4096:4096"]
        for variable, value in service.get("environment", {}).items():
            if variable not in without:
                flags += ["--env", f"{variable}={value}"]
        flags += ["--read-only"] if service.get("read_only") else []
        for key, flag in (("cap_drop", "--cap-drop"), ("cap_add", "--cap-add"), ("tmpfs", "--tmpfs"), ("ports", "--publish")):
            for value in service.get(key, []):
                flags += [flag, str(value)]
        for value in service.get("volumes", []):
            # Compose: a path is of the file's folder.
            flags += ["--volume", f"{Path.cwd()}{value[1:]}" if value.startswith("./") else value]
        for value in service.get("security_opt", []):
            # Podman says this without a value.
            flags += ["--security-opt", value.removesuffix(":true")]
        limits = service["deploy"]["resources"]["limits"]
        flags += ["--memory", str(limits["memory"]), "--cpus", str(limits["cpus"])]
        flags += ["--user", ANYBODY] if service["image"].startswith(OURS) else []
        return flags

    def command(self, name, arguments=None):
        """Image, entrypoint and command, as the file says."""
        service = self.services[name]
        entrypoint = ["--entrypoint", json.dumps(service["entrypoint"])] if "entrypoint" in service else []
        return [*entrypoint, images.tag(service["image"]), *(arguments or compose.words(service.get("command", [])))]

    def start_all(self):
        self.call("network", "create", *self.addresses, NETWORK)
        for name, service in self.services.items():
            for other, wanted in service.get("depends_on", {}).items():
                self.await_condition(other, wanted["condition"])
            for number in range(service.get("deploy", {}).get("replicas", 1)):
                container = f"{name}-{number + 1}"
                self.call("run", "--detach", "--name", container, *self.flags(name), *self.command(name))
                self.running.append((container, name))

    def await_condition(self, name, condition):
        container = f"{name}-1"
        if condition == "service_completed_successfully":
            done = self.call("wait", container, timeout=PATIENCE_SECONDS)
            if done.stdout.strip() != "0":
                raise Wrong(f"{name} ended with {done.stdout.strip()}\n{self.logs(container)}")
            self.running.remove((container, name))
        elif condition == "service_healthy":
            replicas = self.services[name].get("deploy", {}).get("replicas", 1)
            for number in range(replicas):
                self.await_health(f"{name}-{number + 1}", name)

    def await_health(self, container, name):
        until = time.monotonic() + PATIENCE_SECONDS
        while self.probes[name]:
            said = self.call("exec", container, *self.probes[name], check=False)
            if said.returncode == 0:
                return
            if time.monotonic() > until:
                raise Wrong(f"{container} does not become healthy: {said.stderr.strip()}\n{self.logs(container)}")
            time.sleep(0.5)

    def logs(self, container):
        done = self.call("logs", container, check=False)
        return done.stdout + done.stderr

    def once(self, name, *arguments):
        """`docker compose run --rm`: what it prints."""
        return self.call("run", "--rm", *self.flags(name), *self.command(name, arguments)).stdout.strip()

    def state(self, container):
        return json.loads(self.call("inspect", container).stdout)[0]["State"]

    def kill(self, container, name):
        """Ends it as a lack of memory does, and starts it again, as Compose does if the file says so."""
        if self.services[name].get("restart") != "unless-stopped":
            raise Wrong(f"{name} is not started again when it ends")
        self.call("kill", "--signal", "KILL", container)
        self.call("wait", container, timeout=PATIENCE_SECONDS)

    def revive(self, container, name):
        self.call("start", container)
        self.await_health(container, name)

    def check_confinement(self):
        """What the kernel says of each container's process."""
        for container, name in self.running:
            service, state = self.services[name], self.state(container)
            if state["Status"] != "running":
                raise Wrong(f"{container} ended with {state['ExitCode']}\n{self.logs(container)}")
            process = Path("/proc", str(state["Pid"]))
            status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
            kept = sum(CAPABILITIES[capability] for capability in service.get("cap_add", []))
            if service.get("cap_drop") == ["ALL"] and int(status["CapBnd"], 16) != kept:
                raise Wrong(f"{container} has capabilities: {status['CapBnd']}")
            if "no-new-privileges:true" in service.get("security_opt", []) and status["NoNewPrivs"] != "1":
                raise Wrong(f"{container} can get privileges")
            if service["image"].startswith(OURS) and status["Uid"].split()[0] != ANYBODY.split(":")[0]:
                raise Wrong(f"{container} runs as the user {status['Uid']}")
            root = next(line.split() for line in (process / "mountinfo").read_text().splitlines() if line.split()[4] == "/")
            if service.get("read_only") and "ro" not in root[5].split(","):
                raise Wrong(f"{container} can write to its root")

    def stop_all(self):
        """As Compose stops them: SIGTERM, and SIGKILL when the time is over. The last one first."""
        for container, name in reversed(self.running):
            grace = compose.seconds(self.services[name].get("stop_grace_period", f"{DEFAULT_GRACE_SECONDS}s"))
            started = time.monotonic()
            self.call("stop", "--time", str(grace), container)
            took, code = time.monotonic() - started, self.state(container)["ExitCode"]
            print(f"containers: {container} stopped in {took:.1f} of {grace} s with {code}")
            if self.services[name]["image"].startswith(OURS) and code != 0:
                raise Wrong(f"{container} ended with {code}\n{self.logs(container)}")

    def clean(self):
        self.call("rm", "--all", "--force", "--time", "0", "--volumes", check=False)
        self.call("network", "rm", "--force", NETWORK, check=False)
        self.call("system", "reset", "--force", check=False)


def healthcheck(service):
    """The command that says whether a service is healthy; None if there is none."""
    if "healthcheck" in service:
        return compose.probe(service["healthcheck"]["test"])
    target = service.get("build", {}).get("target")
    return compose.Image("deploy/Dockerfile", target).health if target else None


class Client:
    """One who has a key, and knows one origin."""

    def __init__(self, origin):
        self.origin = origin
        self.key = None

    def ask(self, method, path, data=None, **headers):
        request = urllib.request.Request(self.origin + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise Wrong(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def call(self, method, path, body=None, **headers):
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        return json.loads(self.ask(method, path, data, **headers))

    def rest(self, method, path, body=None):
        return self.call(method, f"/api/v1{path}", body)

    def page(self, path, **fields):
        """A page, as a browser asks for it or as the answer to a form."""
        headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
        data = urllib.parse.urlencode(fields).encode() if fields else None
        return self.ask("POST" if fields else "GET", path, data, **headers).decode()

    def tool(self, name, **arguments):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        result = self.call("POST", "/mcp", message, **headers)["result"]
        if result.get("isError"):
            raise Wrong(f"{name}: {result['content'][0]['text']}")
        return result["structuredContent"]

    def await_answer(self, path):
        """Waits until what is at a path is there and reaches core."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.ask("GET", path)
            except (Wrong, OSError) as error:
                if time.monotonic() > until:
                    raise Wrong(f"{path} does not answer: {error}") from error
                time.sleep(0.5)


def use(containers, client):
    """What the first lines of docker-compose.yml say, and a registration whose mail arrives."""
    # The site and the gateway; the bridge reached core when they did, or says so itself below.
    client.await_answer("/readyz")
    client.await_answer("/api/v1/events")
    you = ("--email", "you@example.org")
    containers.once("core", "account", "create", *you, "--name", "Your Name", "--plan", "free")
    client.key = containers.once("core", "key", "create", *you, "--name", "laptop")
    event = {
        "title": "Container Meetup",
        "description": "In a container.",
        "location": "Hall",
        "start_date": "2099-05-14T19:00:00Z",
        "max_capacity": 50,
    }
    made = client.rest("POST", "/events", event)
    client.rest("POST", f"/me/events/{made['id']}/publish")
    guest = {"name": "Grace Example", "email": "grace@example.org"}
    client.rest("POST", f"/events/{made['slug']}/registrations", guest)
    listed = client.rest("GET", "/events")
    mine = client.tool("get_my_event", id=made["id"])
    if listed["count"] != 1 or mine["registrations_active"] != 1:
        raise Wrong(f"the event and its registration are not there: {listed} {mine}")
    await_mail(containers, guest["email"])
    print("containers: account, key, event, publication, registration with its mail, and an MCP tool work")
    visit(containers, client, made["slug"])
    return client, made["slug"]


def await_mail(containers, recipient):
    """The text of what was mailed to someone."""
    until = time.monotonic() + PATIENCE_SECONDS
    while recipient not in containers.logs("mail-1"):
        if time.monotonic() > until:
            raise Wrong(f"no mail to {recipient} arrived\n{containers.logs('core-1')}")
        time.sleep(0.5)
    return containers.logs("mail-1").partition(recipient)[2]


def visit(containers, client, slug):
    """A person finds the event, registers by the form, and opens the private page that the mail names."""
    event = f"/events/{slug}"
    for path, words in (("/", "Container Meetup"), (event, f'href="{event}/register"'), ("/docs", "Muster")):
        if words not in client.page(path):
            raise Wrong(f"{path} does not have {words}")
    thanks = client.page(f"{event}/register", name="Ada Example", email="ada@example.org")
    if "Check your inbox" not in thanks:
        raise Wrong(f"the form was not taken: {thanks}")
    # Long lines are split, and the server prints each as Python writes bytes.
    mail = re.sub(r"='?\n(?:b')?", "", await_mail(containers, "ada@example.org"))
    private = re.search(rf"{re.escape(client.origin)}(/registrations/\w+)", mail)
    if not private or "You’re in" not in client.page(private[1]):
        raise Wrong(f"the mail's link opens no private page: {mail[:2000]}")
    print("containers: the site is at the same origin: catalogue, form, mail, private page")


def kill_each(containers, client, slug):
    """Every container is killed once. What is there twice costs no call; everything works again once it is started again."""
    for number, (container, name) in enumerate(list(containers.running)):
        containers.kill(container, name)
        alone = [other for other, its in containers.running if its == name and other != container]
        if alone:
            for _ in range(ASKED):
                client.rest("GET", "/me/events")
                client.rest("GET", f"/events/{slug}")
        containers.revive(container, name)
        client.await_answer("/readyz")
        client.await_answer("/api/v1/events")
        guest = f"guest-{number}@example.org"
        again(lambda: client.rest("POST", f"/events/{slug}/registrations", {"name": "Guest", "email": guest}))
        again(lambda: client.tool("list_my_events"))
        client.page("/")
        await_mail(containers, guest)
        cost = "no call" if alone else "answers until it was started again"
        print(f"containers: {container} was killed, which cost {cost}")


def again(call):
    """Repeats a call while what it needs starts. A repeated registration is the first one."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return call()
        except (Wrong, OSError) as error:
            if time.monotonic() > until:
                raise Wrong(str(error)) from error
            time.sleep(0.2)


def check_refusals(containers):
    """Mistakes that whoever runs this makes: they must be said, not started."""
    for name in ("gateway", "mcp", "site"):
        flags = containers.flags(name, without=["MUSTER_EDGE_TOKEN_FILE"])
        done = containers.call("run", "--rm", *flags, *containers.command(name), check=False, timeout=PATIENCE_SECONDS)
        if done.returncode != WRONG_SETTINGS:
            raise Wrong(f"{name} without a secret ended with {done.returncode}: {done.stdout}{done.stderr}")
    print("containers: without the secret, the gateway, the bridge and the site say so and do not start")


def run_alone(containers, image, name):
    """`muster` on SQLite in a volume: as the image's own user, and as anyone in group 0."""
    for number, user in enumerate(([], ["--user", ANYBODY])):
        container = f"alone-{number}"
        confined = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
        limits = ["--ulimit", "nofile=16384:16384", "--ulimit", "nproc=4096:4096", "--memory", "256m"]
        containers.call("run", "--detach", "--name", container, "--network", "none", *confined, *limits, *user, "--volume", f"{container}:/data", name)
        containers.probes[container] = image.health
        containers.await_health(container, container)
        labels = json.loads(containers.call("inspect", container).stdout)[0]["Config"]["Labels"]
        if not labels.get("org.opencontainers.image.title") == "muster":
            raise Wrong(f"{name} has no labels: {labels}")
        containers.call("stop", "--time", "30", container)
        if containers.state(container)["ExitCode"] != 0:
            raise Wrong(f"{container} ended badly\n{containers.logs(container)}")
    print(f"containers: {name} serves from a volume as its own user and as {ANYBODY}, and stops")


def main():
    programs, cache = Path(sys.argv[1]), Path(sys.argv[2])
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    settings = {**compose.environment(), "MUSTER_PORT": port, "MUSTER_PUBLIC_URL": origin}
    services = compose.services("docker-compose.yml", settings)
    folder = tempfile.mkdtemp(prefix="muster-containers-")
    addresses = compose.network("docker-compose.yml", settings)
    containers = Containers(services, addresses, folder)
    try:
        names = {name: service["image"] for name, service in services.items()}
        ours = {name.removeprefix(OURS) for name in names.values() if name.startswith(OURS)} | {"muster"}
        for target in sorted(ours):
            image = compose.Image("deploy/Dockerfile", target)
            images.of_muster(containers.podman, image, OURS + target, Path.cwd(), programs, cache)
        images.of_others(containers.podman, names, cache)
        containers.start_all()
        used = use(containers, Client(origin))
        containers.check_confinement()
        check_refusals(containers)
        kill_each(containers, *used)
        containers.stop_all()
        run_alone(containers, compose.Image("deploy/Dockerfile", "muster"), OURS + "muster")
    except Wrong:
        for container, _ in containers.running:
            print(f"{container}: {containers.logs(container)[-1000:]}", file=sys.stderr)
        raise
    finally:
        containers.clean()
        shutil.rmtree(folder, ignore_errors=True)
    print("containers: everything started, worked, was killed and came back, and stopped")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, subprocess.SubprocessError) as error:
        sys.exit(f"containers: {error}")
