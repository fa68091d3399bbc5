"""Runs the public MCP conformance suite against a server, one run for each revision that it speaks.

    conformance.py NODE SUITE URL

The suite is written for servers that offer its own fixtures. fixtures.py says what stands for them here; what nothing can stand
for is left out below, check by check, with the reason. Everything else has to pass without so much as a warning, and what is left
out has to fail: else it is left out for nothing.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

node, suite, url = sys.argv[1:]
REVISIONS = ["2025-11-25", "2026-07-28"]

# What Muster does not have, and the checks that ask for it. What it does instead is tested in tests/tests/it/mcp.
LEFT_OUT = {
    "contents other than text": [
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
        "resources-read-binary",
        "prompts-get-embedded-resource",
        "prompts-get-with-image",
    ],
    "log messages for clients; logging is not declared": [
        "logging-set-level",
        "tools-call-with-logging",
        "sep-2575-server-no-log-without-loglevel",
    ],
    "resources that change under subscription; it is not declared": [
        "resources-subscribe",
        "resources-unsubscribe",
    ],
    "calls that take long enough to report progress": ["tools-call-with-progress"],
    "questions to the client's model or about its folders": [
        "tools-call-sampling",
        "sep-2322-sampling-incomplete",
        "sep-2322-list-roots-incomplete",
        "sep-2322-multiple-inputs-incomplete",
    ],
    "questions over HTTP in the middle of a call, as before 2026-07-28: they take a session. A preview stands for them": [
        "tools-call-elicitation",
        "elicitation-sep1034-general",
        "elicitation-sep1330-general",
    ],
    "sessions": ["server-sse-polling-session", "server-sse-multiple-streams-session"],
    "streamed answers: each is one JSON document": [
        "sep-2575-http-server-no-independent-requests-on-stream",
    ],
    "second questions after a first": ["sep-2322-multi-round-r1"],
    "questions before a prompt": ["sep-2322-non-tool-incomplete"],
    "questions that a model may answer for a person: who can show no form reads a preview": [
        "sep-2322-respect-client-capabilities",
    ],
    "answers without the state of their question: nobody knows what they answer": [
        "sep-2322-ignore-unexpected-params",
    ],
    "tools that need something of the client: whoever lacks it gets text": [
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
    ],
    "parameters that are repeated in headers (x-mcp-header)": [
        "sep-2243-server-no-xmcp-tool",
        "sep-2243-server-decode-base64",
        "sep-2243-server-validate-param-match",
        "sep-2243-server-reject-invalid-param-chars",
        "sep-2243-server-reject-param-mismatch",
    ],
    "schemas with $defs, allOf, if and $anchor, on which strict clients choke": ["json-schema-2020-12-tool-found"],
}
REASONS = {name: reason for reason, names in LEFT_OUT.items() for name in names}
# Extensions of the protocol that the server doesn't declare.
EXTENSIONS = ("tasks-", "sep-2640-")


def run(revision, folder):
    command = [node, suite, "server", "--url", url, "--requirements", revision, "-o", folder]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, timeout=300)


def results(folder):
    """(scenario, its checks), from folders named server-SCENARIO-TIME."""
    for file in sorted(pathlib.Path(folder).rglob("checks.json")):
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name)
        name = name.removeprefix("server-")
        if not name.startswith(EXTENSIONS):
            yield name, json.loads(file.read_text())


def judge(checks):
    """(the checks that failed, the names of those that were left out, how many were passed that tell something)"""
    bad = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
    left_out = [check["id"] for check in bad if check["id"] in REASONS]
    bad = [check for check in bad if check["id"] not in REASONS]
    good = [check["id"] for check in checks if check["status"] == "SUCCESS"]
    # Whatever is asked, and also when it is refused, the form of every answer is checked.
    return bad, left_out, len(good) - good.count("wire-schema-valid")


def main():
    failed, needed = 0, set()
    for revision in REVISIONS:
        with tempfile.TemporaryDirectory() as folder:
            run(revision, folder)
            found = list(results(folder))
        if len(found) < 20:
            sys.exit(f"the suite ran only {len(found)} scenarios of {revision}")
        passed = 0
        for scenario, checks in found:
            bad, left_out, good = judge(checks)
            word = "FAILED" if bad else "passed" if good else "left out"
            print(f"  {revision} {word} {scenario} ({good} checks)")
            for check in bad:
                print(f"    {check['id']}: {check.get('errorMessage')}")
            for name in left_out:
                print(f"    not {name}: Muster has no {REASONS[name]}")
            needed.update(left_out)
            passed += word == "passed"
            failed += len(bad)
        print(f"{revision}: {passed} of {len(found)} scenarios passed")
    for name in REASONS.keys() - needed:
        print(f"{name} is left out for nothing")
        failed += 1
    sys.exit(min(failed, 1))


main()
