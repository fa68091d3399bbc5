"""The guide's tour in curl, through Prism: a proxy that refuses what does not fit the OpenAPI document, both ways.

tour.py GUIDE PROXY_URL DATA_FOLDER FOLDER_FOR_FILES

Every command of the guide is run, with the proxy as the API and the server's data folder as `data`. Prism says in the header
`sl-violations` what does not fit; that is asked of curl for each answer.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

# Far above what the tour takes on a busy machine.
PATIENCE_SECONDS = 120


def commands(guide):
    """The shell blocks of the tour."""
    return re.findall(r"^```sh\b[^\n]*\n(.*?)^```", guide.read_text(encoding="utf-8"), re.M | re.S)


# Stands for curl: it runs the real one, notes what Prism complains about, and answers as curl does.
CURL = """#!/bin/sh
headers=$(mktemp)
"$REAL_CURL" --silent --dump-header "$headers" "$@"
code=$?
echo "$(head -1 "$headers" | cut -d ' ' -f 2)" "$*" | tr '\\n' ' ' >>"$NOTES/calls"
echo >>"$NOTES/calls"
grep -i '^sl-violations:' "$headers" >>"$NOTES/violations"
rm -f "$headers"
exit $code
"""


def main(guide, proxy, data, folder):
    folder = pathlib.Path(folder).resolve()
    (folder / "bin").mkdir()
    (folder / "data").symlink_to(data)
    curl = folder / "bin/curl"
    curl.write_text(CURL)
    curl.chmod(0o755)
    (folder / "violations").write_text("")
    script = ["set -u", f"API={proxy}"]
    # The proxy stands for the API.
    blocks = (block.replace("=mus_live_…", "=$(cat data/demo.key)") for block in commands(pathlib.Path(guide)))
    script += (re.sub(r"^API=.*\n", "", block, flags=re.M) for block in blocks)
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "REAL_CURL": subprocess.run(["which", "curl"], check=True, capture_output=True, text=True).stdout.strip(),
        "NOTES": str(folder),
    }
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    calls = (folder / "calls").read_text().splitlines()
    assert len(calls) > 12, f"only {calls} were made: {done.stderr}"
    # The last block is refused on purpose: its body lacks fields, as the document says.
    violations = [json.loads(line.split(":", 1)[1]) for line in (folder / "violations").read_text().splitlines()]
    unexpected = [one for found in violations for one in found if one["location"][0] == "response"]
    refusals = [call for call in calls if not call.startswith("200 ")]
    assert not unexpected, f"answers do not fit the document: {unexpected} ({refusals})"
    refused = [found for found in violations if any(one["location"][0] == "request" for one in found)]
    assert len(refused) == 1, f"requests of the tour do not fit the document: {refused}"
    print(f"Prism: {len(calls)} calls of the tour fit the document, both ways")


if __name__ == "__main__":
    main(*sys.argv[1:])
