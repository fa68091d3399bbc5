#!/usr/bin/env python3
"""Tests of advisories.py: that it finds what it must find, before anyone believes that it found nothing."""

import datetime
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

import advisories
from version_requirement import BadRequirement, matches

TODAY = datetime.date(2026, 11, 22)
PLANTED = {
    "id": "RUSTSEC-2026-9001",
    "package": "leaky",
    "date": datetime.date(2026, 11, 1),
    "kind": "vulnerability",
    "patched": [">= 1.4.2, < 2.0.0", ">= 2.0.3"],
    "unaffected": ["< 1.1.0"],
}
AS_MARKDOWN = """\
```toml
[advisory]
id = "RUSTSEC-2026-9001"
package = "leaky"
date = "2026-11-01"
keywords = ["a \\"quoted\\" word"]

[versions]
patched = [">= 1.4.2, < 2.0.0", ">= 2.0.3"]
unaffected = ["< 1.1.0"]
```

# It leaks

Some prose.
"""


def lock(**versions):
    packages = [{"name": "own", "version": "0.1.0"}]
    packages += [{"name": name, "version": version, "source": "registry"} for name, version in versions.items()]
    return {"package": packages}


def findings(advisory=None, ignore=(), newest=TODAY, today=TODAY, **versions):
    snapshot = {"looked_up": ["leaky", "sound"], "newest": newest, "advisory": [PLANTED | (advisory or {})]}
    return advisories.check(lock(**versions), snapshot, {"advisories": {"ignore": list(ignore)}}, today)


class Requirements(unittest.TestCase):
    def test_a_requirement_includes_what_cargo_would_include(self):
        cases = {
            ">= 1.2.3": (["1.2.3", "1.10.0", "2.0.0"], ["1.2.2", "1.2.3-rc.1"]),
            "> 1.2.3": (["1.2.4"], ["1.2.3"]),
            "< 1.2.3": (["1.2.2", "0.9.9"], ["1.2.3"]),
            "<= 1.2.3": (["1.2.3"], ["1.2.4"]),
            "= 1.2.3": (["1.2.3", "1.2.3+build.7"], ["1.2.4", "1.2.3-rc.1"]),
            ">=1.2.3, <2.0.0": (["1.9.9"], ["1.2.2", "2.0.0"]),
            "< 2.0.0, >= 1.2.3": (["1.2.3"], ["2.0.0", "1.0.0"]),
            "1.2.3": (["1.2.3", "1.9.0"], ["1.2.2", "2.0.0", "2.0.0-rc.1"]),
            "^1.2": (["1.2.0", "1.9.0"], ["1.1.9", "2.0.0"]),
            "^ 0.3.24": (["0.3.24", "0.3.99"], ["0.3.23", "0.4.0"]),
            "^0.0.3": (["0.0.3"], ["0.0.4", "0.0.2"]),
            "^0.0": (["0.0.9"], ["0.1.0"]),
            "^0": (["0.9.9"], ["1.0.0"]),
            "~1.2.3": (["1.2.9"], ["1.3.0", "1.2.2"]),
            "~1": (["1.9.9"], ["2.0.0"]),
            "> 1": (["2.0.0"], ["1.9.9"]),
            "> 1.2": (["1.3.0"], ["1.2.9"]),
            "<= 0.22": (["0.22.9"], ["0.23.0"]),
            "< 0.12": (["0.11.9"], ["0.12.0"]),
            ">= 0": (["0.0.0"], []),
            "= 1.2": (["1.2.0", "1.2.9"], ["1.3.0"]),
            "1.*": (["1.0.0", "1.9.9"], ["2.0.0"]),
            "*": (["0.0.1", "9.9.9"], []),
        }
        for requirement, (inside, outside) in cases.items():
            for version in inside:
                self.assertTrue(matches(requirement, version), f"{version} is in {requirement}")
            for version in outside:
                self.assertFalse(matches(requirement, version), f"{version} is not in {requirement}")

    def test_prereleases_sort_by_their_precedence(self):
        names = ["-1", "-2", "-10", "-alpha", "-alpha.1", "-beta", "-rc.2", "-rc.10", ""]
        ordered = [f"1.0.0{name}" for name in names]
        for lower, higher in zip(ordered, ordered[1:]):
            self.assertTrue(matches(f"> {lower}", higher), f"{higher} comes after {lower}")
            self.assertFalse(matches(f">= {higher}", lower), f"{lower} comes before {higher}")
        self.assertTrue(matches(">= 0.3.0-rc.2", "0.3.0"))
        self.assertFalse(matches(">= 0.2.8, < 0.3.0-rc.1", "0.3.0-rc.1"))

    def test_what_cannot_be_read_is_an_error(self):
        for requirement in ("=> 1.0.0", "", ">= 1.0.0,", "1.0.0 || 2.0.0", ">= one"):
            with self.assertRaises(BadRequirement, msg=repr(requirement)):
                matches(requirement, "1.0.0")
        for version in ("1.0", "one", ""):
            with self.assertRaises(BadRequirement, msg=repr(version)):
                matches("1.0.0", version)


class Check(unittest.TestCase):
    def test_a_vulnerable_version_fails(self):
        for version in ("1.1.0", "1.4.1", "2.0.2", "2.0.3-rc.1"):
            problems, _ = findings(leaky=version)
            self.assertEqual(len(problems), 1, version)
            self.assertIn(f"leaky {version}: RUSTSEC-2026-9001 (vulnerability), fixed in >= 1.4.2, < 2.0.0", problems[0])

    def test_a_patched_an_older_and_another_crate_pass(self):
        for version in ("1.0.9", "1.4.2", "1.9.0", "2.0.3", "3.0.0"):
            self.assertEqual(findings(leaky=version), ([], []), version)
        self.assertEqual(findings(sound="1.2.0"), ([], []))

    def test_each_of_two_versions_of_a_crate_is_looked_at(self):
        snapshot = {"looked_up": ["leaky"], "newest": TODAY, "advisory": [PLANTED]}
        for first, second in [("3.0.0", "1.2.0"), ("1.2.0", "3.0.0")]:
            both = {"package": lock(leaky=first)["package"] + lock(leaky=second)["package"]}
            problems, _ = advisories.check(both, snapshot, {}, TODAY)
            self.assertEqual(len(problems), 1)

    def test_an_unsound_version_fails_and_an_unmaintained_one_warns(self):
        problems, warnings = findings({"kind": "unsound"}, leaky="1.2.0")
        self.assertEqual((len(problems), len(warnings)), (1, 0))
        problems, warnings = findings({"kind": "unmaintained", "patched": []}, leaky="1.2.0")
        self.assertEqual((len(problems), len(warnings)), (0, 1))
        self.assertIn("fixed in no version", warnings[0])

    def test_a_withdrawn_advisory_says_nothing(self):
        self.assertEqual(findings({"withdrawn": TODAY}, leaky="1.2.0"), ([], []))

    def test_an_exception_needs_a_reason_and_something_to_except(self):
        entry = {"id": "RUSTSEC-2026-9001", "reason": "we do not call it"}
        self.assertEqual(findings(ignore=[entry], leaky="1.2.0"), ([], []))
        without = {"id": "RUSTSEC-2026-9001"}
        for bad in ("RUSTSEC-2026-9001", without, without | {"reason": " "}, {"crate": "leaky", "reason": "old"}):
            problems, _ = findings(ignore=[bad], leaky="1.2.0")
            self.assertEqual(len(problems), 2, f"{bad}: the entry and the advisory")
        problems, _ = findings(ignore=[entry], leaky="1.4.2")
        self.assertEqual(problems, ["deny.toml: RUSTSEC-2026-9001 is ignored, but no version in Cargo.lock is affected"])

    def test_a_crate_that_nobody_looked_up_fails_and_says_what_to_do(self):
        problems, _ = findings(newcomer="1.0.0")
        self.assertEqual(len(problems), 1)
        for words in ("newcomer: new in Cargo.lock", "--update PATH", "https://rustsec.org/packages/newcomer.html", "looked_up"):
            self.assertIn(words, problems[0])

    def test_an_old_snapshot_warns_but_does_not_fail(self):
        edge = TODAY - datetime.timedelta(days=advisories.MAX_AGE_DAYS)
        self.assertEqual(findings(newest=edge), ([], []))
        problems, warnings = findings(newest=edge - datetime.timedelta(days=1))
        self.assertEqual((len(problems), len(warnings)), (0, 1))


class WholeProgram(unittest.TestCase):
    """The program itself, on a repository made for it: what CI sees is its exit code."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / ".ci").mkdir()
        for name in ("advisories.py", "version_requirement.py"):
            shutil.copy(advisories.ROOT / ".ci" / name, self.root / ".ci")
        self.put("deny.toml", "[advisories]\nignore = []\n")
        self.publish("RUSTSEC-2026-9001", AS_MARKDOWN)
        self.depend_on("1.4.2")

    def put(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def publish(self, name, text, database="database"):
        self.put(f"{database}/crates/leaky/{name}.md", text)

    def depend_on(self, version):
        self.put("Cargo.lock", f'[[package]]\nname = "leaky"\nversion = "{version}"\nsource = "registry"\n')

    def run_it(self, *arguments):
        command = [sys.executable, "-B", ".ci/advisories.py", *arguments]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)

    def snapshot(self):
        return tomllib.loads((self.root / ".ci/advisories.toml").read_text(encoding="utf-8"))

    def test_an_update_writes_what_the_check_then_finds(self):
        updated = self.run_it("--update", "database")
        self.assertEqual(updated.returncode, 0, updated.stderr)
        self.assertEqual(self.snapshot()["advisory"], [PLANTED])
        self.assertEqual(self.snapshot()["looked_up"], ["leaky"])
        self.assertNotIn("leaks", (self.root / ".ci/advisories.toml").read_text(encoding="utf-8"))

        self.depend_on("1.4.1")
        failed = self.run_it()
        self.assertEqual(failed.returncode, 1)
        self.assertIn("leaky 1.4.1: RUSTSEC-2026-9001", failed.stderr)

        self.depend_on("1.4.2")
        self.assertEqual(self.run_it().returncode, 0)

    def test_an_update_knows_the_whole_database_and_keeps_the_crates_of_the_lock_file(self):
        other = AS_MARKDOWN.replace("leaky", "other").replace("9001", "9002").replace("2026-11-01", "2026-11-20")
        self.publish("RUSTSEC-2026-9002", other)
        self.publish("RUSTSEC-0000-0000", AS_MARKDOWN.replace("RUSTSEC-2026-9001", "RUSTSEC-0000-0000"))
        more = 'informational = "unmaintained"\nwithdrawn = "2026-11-02"\n[versions]'
        self.publish("RUSTSEC-2026-9000", AS_MARKDOWN.replace("9001", "9000").replace("[versions]", more))
        self.assertEqual(self.run_it("--update", "database").returncode, 0)
        snapshot = self.snapshot()
        self.assertEqual([known["id"] for known in snapshot["advisory"]], ["RUSTSEC-2026-9000", "RUSTSEC-2026-9001"])
        self.assertEqual(snapshot["advisory"][0]["withdrawn"], datetime.date(2026, 11, 2))
        self.assertEqual(snapshot["advisory"][0]["kind"], "unmaintained")
        self.assertEqual(snapshot["newest"], datetime.date(2026, 11, 20))
        self.assertEqual(snapshot["taken"], datetime.date.today())

    def test_an_update_from_something_else_changes_nothing(self):
        self.run_it("--update", "database")
        before = self.snapshot()
        self.publish("RUSTSEC-2026-9003", AS_MARKDOWN.replace('package = "leaky"', ""))
        self.publish("RUSTSEC-2026-9004", "# It leaks", database="another")
        for path, words in [("nowhere", "must be a checkout"), ("database", "RUSTSEC-2026-9003"), ("another", "block of TOML")]:
            refused = self.run_it("--update", path)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(words, refused.stderr)
        self.assertEqual(self.snapshot(), before)


if __name__ == "__main__":
    unittest.main()
