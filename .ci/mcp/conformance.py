"""Runs the public MCP conformance suite against a server, one run for each revision that it speaks.

    conformance.py NODE SUITE URL

The suite is written for servers that offer its own fixtures (a tool `test_simple_text`, a prompt, a picture). A server with a
domain of its own can't, so a scenario that needs a fixture is left out by name, with the fixture; and a check within another
scenario is left out only when the suite itself says that it is "Not testable" for want of one. Everything else has to pass.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

node, suite, url = sys.argv[1:]
REVISIONS = ["2025-11-25", "2026-07-28"]

# Scenarios that call what only the suite's example server has.
FIXTURES = {
    "logging-set-level": "logging, which is not declared",
    "tools-call-simple-text": "test_simple_text",
    "tools-call-image": "test_image_content",
    "tools-call-audio": "test_audio_content",
    "tools-call-embedded-resource": "test_embedded_resource",
    "tools-call-mixed-content": "test_multiple_content_types",
    "tools-call-with-logging": "test_tool_with_logging",
    "tools-call-error": "test_error_handling",
    "tools-call-with-progress": "test_tool_with_progress",
    "tools-call-sampling": "test_sampling",
    "tools-call-elicitation": "test_elicitation",
    "elicitation-sep1034-defaults": "test_elicitation_sep1034_defaults",
    "elicitation-sep1330-enums": "test_elicitation_sep1330_enums",
    "resources-read-text": "test://static-text",
    "resources-read-binary": "test://static-binary",
    "resources-templates-read": "test://template/{id}/data",
    "resources-subscribe": "subscriptions, which are not declared",
    "resources-unsubscribe": "subscriptions, which are not declared",
    "prompts-get-simple": "test_simple_prompt",
    "prompts-get-with-args": "test_prompt_with_arguments",
    "prompts-get-embedded-resource": "test_prompt_with_embedded_resource",
    "prompts-get-with-image": "test_prompt_with_image",
    "json-schema-2020-12": "json_schema_2020_12_tool",
    "http-custom-header-server-validation": "a tool with x-mcp-header",
    "input-required-result-basic-elicitation": "test_input_required_result_elicitation",
    "input-required-result-basic-sampling": "test_input_required_result_sampling",
    "input-required-result-basic-list-roots": "test_input_required_result_list_roots",
    "input-required-result-request-state": "test_input_required_result_request_state",
    "input-required-result-multiple-input-requests": "test_input_required_result_multiple_inputs",
    "input-required-result-multi-round": "test_input_required_result_multi_round",
    "input-required-result-non-tool-request": "test_input_required_result_prompt",
    "input-required-result-result-type": "test_input_required_result_elicitation",
    "input-required-result-tampered-state": "test_input_required_result_tampered_state",
    "input-required-result-capability-check": "test_input_required_result_capabilities",
}
# Extensions of the protocol that the server doesn't declare.
EXTENSIONS = ("tasks-", "sep-2640-")


def run(revision, folder):
    command = [node, suite, "server", "--url", url, "--requirements", revision, "-o", folder]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, timeout=300)


def results(folder):
    """(scenario, its checks), from folders named server-SCENARIO-TIME."""
    for file in sorted(pathlib.Path(folder).rglob("checks.json")):
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name)
        yield name.removeprefix("server-"), json.loads(file.read_text())


def main():
    failed = 0
    for revision in REVISIONS:
        with tempfile.TemporaryDirectory() as folder:
            run(revision, folder)
            found = list(results(folder))
        if len(found) < 20:
            sys.exit(f"the suite ran only {len(found)} scenarios of {revision}")
        passed = left_out = 0
        for scenario, checks in found:
            if scenario in FIXTURES or scenario.startswith(EXTENSIONS):
                left_out += 1
                continue
            bad = [check for check in checks if check["status"] == "FAILURE"]
            bad = [check for check in bad if not check.get("errorMessage", "").startswith("Not testable")]
            good = sum(check["status"] == "SUCCESS" for check in checks)
            print(f"  {revision} {'FAILED' if bad else 'passed'} {scenario} ({good} checks)")
            for check in bad:
                print(f"    {check['id']}: {check.get('errorMessage')}")
            failed += bool(bad)
            passed += not bad
        print(f"{revision}: {passed} scenarios passed, {left_out} need fixtures or extensions")
    sys.exit(failed)


main()
