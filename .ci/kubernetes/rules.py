"""Looks through what an overlay of deploy/kubernetes makes: what a schema cannot know.

usage: rules.py OVERLAY MANIFESTS FOLDER_OF_PROGRAMS
"""

import pathlib
import re
import subprocess
import sys

import yaml

WORKLOADS = {"Deployment", "Job"}
LEAST_REPLICAS = 2


def drain_seconds():
    """How long running requests may take after the signal to stop."""
    found = re.search(r"const DRAIN: Duration = Duration::from_secs\((\d+)\)", pathlib.Path("crates/server/src/shutdown.rs").read_text())
    return int(found[1])


class Manifests:
    def __init__(self, path):
        self.all = [document for document in yaml.safe_load_all(path.read_text()) if document]

    def of(self, *kinds):
        return [one for one in self.all if one["kind"] in kinds]

    def names(self, kind):
        return {one["metadata"]["name"] for one in self.of(kind)}

    def pods(self):
        """Each workload's name, kind, and template."""
        return [(one["metadata"]["name"], one["kind"], one["spec"]["template"]) for one in self.of(*WORKLOADS)]

    def selected(self, selector):
        """The templates that a selector matches; an empty one matches all."""
        wanted = selector.get("matchLabels", {})
        return [pod for _, _, pod in self.pods() if wanted.items() <= pod["metadata"]["labels"].items()]


def confinement(name, spec, container):
    """The restricted profile of Pod Security, and what goes beyond it."""
    pod, own = spec.get("securityContext", {}), container.get("securityContext", {})
    wanted = [
        (pod.get("runAsNonRoot"), True, "runAsNonRoot"),
        (pod.get("seccompProfile", {}).get("type"), "RuntimeDefault", "seccompProfile"),
        (own.get("allowPrivilegeEscalation"), False, "allowPrivilegeEscalation"),
        (own.get("readOnlyRootFilesystem"), True, "readOnlyRootFilesystem"),
        (own.get("capabilities", {}).get("drop"), ["ALL"], "capabilities"),
        (spec.get("automountServiceAccountToken"), False, "automountServiceAccountToken"),
    ]
    yield from (f"{name}: {what} is {found}" for found, right, what in wanted if found != right)
    if "runAsUser" in pod or "runAsUser" in own:
        yield f"{name}: the image or the platform says which user runs it"


def settings(name, manifests, container, programs):
    """Each variable is a setting of some program, secrets are files that are mounted, and none of them is in the manifests."""
    image = container["image"].rsplit(":", 1)[0].rsplit("/", 1)[-1]
    known = set(re.findall(r"\bMUSTER_[A-Z_]+", subprocess.run([programs / image, "--help"], check=True, capture_output=True, text=True).stdout))
    mounts = tuple(mount["mountPath"] + "/" for mount in container.get("volumeMounts", []))
    for variable in container.get("env", []):
        setting = variable["name"].removesuffix("_FILE")
        if setting not in known:
            yield f"{name}: {image} has no setting {setting}"
        if variable["name"].endswith("_FILE") and not variable["value"].startswith(mounts):
            yield f"{name}: {variable['value']} is not mounted"
    shared = {reference["configMapRef"]["name"] for reference in container.get("envFrom", []) if "configMapRef" in reference}
    if not shared <= manifests.names("ConfigMap"):
        yield f"{name}: there is no ConfigMap {shared}"


def probes(name, spec, container):
    """It is asked whether it is ready and whether it lives, its database apart; and it has time to stop."""
    ready, live = container.get("readinessProbe", {}), container.get("livenessProbe", {})
    if not ("grpc" in ready or ready.get("httpGet", {}).get("path") == "/readyz"):
        yield f"{name}: nobody asks whether it is ready"
    if not (live.get("grpc", {}).get("service") == "live" or live.get("httpGet", {}).get("path") == "/healthz"):
        yield f"{name}: nobody asks whether it lives, or its database is asked for"
    sleep = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    if spec["terminationGracePeriodSeconds"] <= sleep + drain_seconds():
        yield f"{name}: terminationGracePeriodSeconds must be longer than {sleep} and {drain_seconds()} s"


def workloads(manifests, programs):
    for name, kind, pod in manifests.pods():
        spec = pod["spec"]
        if spec["serviceAccountName"] not in manifests.names("ServiceAccount"):
            yield f"{name}: there is no ServiceAccount {spec['serviceAccountName']}"
        for container in spec["containers"]:
            yield from confinement(name, spec, container)
            yield from settings(name, manifests, container, programs)
            if kind == "Deployment":
                yield from probes(name, spec, container)
            if "memory" not in container["resources"]["limits"] or not {"cpu", "memory"} <= container["resources"]["requests"].keys():
                yield f"{name}: it needs requests, and a limit of memory"


def replicas(manifests):
    """What scales is there twice, is spread, may be evicted one by one, and is replaced without a gap."""
    scaled = {one["spec"]["scaleTargetRef"]["name"]: one["spec"] for one in manifests.of("HorizontalPodAutoscaler")}
    guarded = [one["spec"]["selector"] for one in manifests.of("PodDisruptionBudget")]
    for one in manifests.of("Deployment"):
        name, spec = one["metadata"]["name"], one["spec"]
        if spec["strategy"].get("type") == "Recreate":
            continue
        scale = scaled.pop(name, None)
        if not scale or scale["minReplicas"] < LEAST_REPLICAS or "replicas" in spec:
            yield f"{name}: an HPA alone says how many there are, at least {LEAST_REPLICAS}"
        # Others need an adapter in the cluster, and would say the same.
        elif [metric.get("resource", {}).get("name") for metric in scale["metrics"]] != ["cpu"]:
            yield f"{name}: its HPA goes by something else than CPU"
        if spec["strategy"]["rollingUpdate"]["maxUnavailable"] != 0:
            yield f"{name}: maxUnavailable must be 0"
        if spec["selector"] not in guarded:
            yield f"{name}: it has no PodDisruptionBudget"
        spread = [constraint["labelSelector"] for constraint in spec["template"]["spec"].get("topologySpreadConstraints", [])]
        if not spread or any(selector != spec["selector"] for selector in spread):
            yield f"{name}: it is not spread over nodes"
    yield from (f"the HPA of {name} has no Deployment" for name in scaled)


def network(manifests):
    """Everything is denied by default; what is allowed exists; core's name has the address of each core."""
    policies = manifests.of("NetworkPolicy")
    if not any(one["spec"]["podSelector"] == {} and "ingress" not in one["spec"] and "egress" not in one["spec"] for one in policies):
        yield "no NetworkPolicy denies everything"
    for one in policies:
        for selector in [one["spec"]["podSelector"], *own_selectors(one["spec"])]:
            if not manifests.selected(selector):
                yield f"NetworkPolicy {one['metadata']['name']}: no pod is {selector}"
    for one in manifests.of("Service"):
        name, spec = one["metadata"]["name"], one["spec"]
        if not manifests.selected({"matchLabels": spec["selector"]}):
            yield f"Service {name}: no pod is {spec['selector']}"
        if name == "core" and spec.get("clusterIP") != "None":
            yield "Service core must be headless"
    paths = [path for one in manifests.of("Ingress") for rule in one["spec"]["rules"] for path in rule["http"]["paths"]]
    for service in {path["backend"]["service"]["name"] for path in paths} - manifests.names("Service"):
        yield f"Ingress: there is no Service {service}"


def monitoring(manifests):
    """Where there are monitors, each Deployment has the port that they read and serves metrics on it, and the network lets them in."""
    for one in manifests.of("PodMonitor"):
        name, spec = one["metadata"]["name"], one["spec"]
        ports = {endpoint["port"] for endpoint in spec["podMetricsEndpoints"]}
        monitored = manifests.selected(spec["selector"])
        if len(monitored) != len(manifests.of("Deployment")):
            yield f"PodMonitor {name}: it selects {len(monitored)} workloads"
        serving = {config["data"].get("MUSTER_METRICS_ADDR", "").rsplit(":", 1)[-1] for config in manifests.of("ConfigMap")}
        for pod in monitored:
            named = {port["name"]: str(port["containerPort"]) for container in pod["spec"]["containers"] for port in container["ports"]}
            if not ports <= named.keys():
                yield f"PodMonitor {name}: a pod lacks one of the ports {ports}"
            elif {named[port] for port in ports} != serving:
                yield f"PodMonitor {name}: metrics are served on {serving}"
        admitted = {
            port["port"]
            for policy in manifests.of("NetworkPolicy")
            if policy["spec"]["podSelector"] == spec["selector"]
            for rule in policy["spec"].get("ingress", [])
            for port in rule["ports"]
        }
        if not ports <= admitted:
            yield f"PodMonitor {name}: no NetworkPolicy lets it in"


def own_selectors(spec):
    """The pods of this namespace that a policy names."""
    for rule in [*spec.get("ingress", []), *spec.get("egress", [])]:
        for peer in [*rule.get("from", []), *rule.get("to", [])]:
            if "namespaceSelector" not in peer:
                yield peer["podSelector"]


def main():
    overlay, path, programs = pathlib.Path(sys.argv[1]).name, pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    manifests = Manifests(path)
    problems = [*workloads(manifests, programs), *replicas(manifests), *network(manifests), *monitoring(manifests)]
    if not manifests.pods():
        problems.append("there is no workload")
    if any(one["kind"] == "Secret" for one in manifests.all):
        problems.append("a Secret is in the manifests")
    if problems:
        sys.exit("\n".join(f"{overlay}: {problem}" for problem in problems))
    print(f"kubernetes: {overlay}: {len(manifests.all)} resources are as they must be")


main()
