#!/usr/bin/env python3
"""Finds references that lead nowhere: files named in comments and documents, links and numbered rules. Refuses words of our own.

usage: references.py            checks every tracked file, and itself first
       references.py --lower    also lowers the counts in .ci/words.toml to what was found

- A Markdown file or a path under docs/ that is named anywhere exists in the repository.
- A source file that a document names in backticks exists; a part of its path from the end is enough.
- A relative link in Markdown leads to a file and, where it has an anchor, to a heading of it.
- "rule N of docs/rules.md" is in that list.
- .ci/README.md says what each script in .ci is.
- CHANGELOG.md says of a version only what a user notices: it is short.
- Documents, identifiers and what people read have the field's terms: a word in .ci/words.toml occurs exactly as often as it says, and that may only fall.
"""

import pathlib
import posixpath
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = {".rs", ".md", ".py", ".proto", ".toml", ".sql", ".yml", ".yaml", ".sh", ".js", ".html", ".txt", ".json", ""}
# Recorded answers and generated copies; what stands in them is checked where it comes from.
SKIPPED = ("crates/codegen/tests/golden/", "Cargo.lock", "LICENSE", "crates/covers/src/fonts/OFL.txt")

DOCUMENT = re.compile(r"(?<![\w/.*<-])((?:[\w.-]+/)*[\w-]+\.md)\b(?!\.\w)")
UNDER_DOCS = re.compile(r"(?<![\w/.-])(docs/[\w/.-]*[\w-])")
SOURCE = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:rs|proto|sql|py|js|html))`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
WORDS = ".ci/words.toml"
# Texts for users, and the changelog, which says what was.
OTHER_PROSE = ("CHANGELOG.md", "content/")
DEFINITION = re.compile(r"\b(?:struct|enum|trait|type|fn|const|static|mod|macro_rules!)\s+([A-Za-z_]\w*)")
# What people read: pages, mails and guides, without their tags and what fills them in.
PROSE = ("website/templates/", "core-service/templates/", "content/")
MARKUP = re.compile(r"<[^>]*>|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|```.*?```|`[^`]*`|\]\([^)]*\)", re.S)
# Texts of the pages that stand in Rust, until the tests of the file, without what fills them in and without names of settings. A text has spaces.
PROSE_IN_RUST = "website/src/"
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)
COMMENT = re.compile(r"^\s*//.*$", re.M)
FILLED_IN = re.compile(r"\{[^}]*\}|--[\w-]+")
# A name of more words is the sentence of a test.
MAX_NAME_WORDS = 4
MAX_RELEASE_BYTES = 6_000
RULE = re.compile(r"\brules? (\d+)(?: to (\d+))?(?: of docs/rules\.md| of \[rules\.md\])")


def tracked():
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    paths = listing.stdout.decode().split("\0")
    return {path for path in paths if path and (ROOT / path).exists()}


def ends_with(paths, part):
    return any(path == part or path.endswith("/" + part) for path in paths)


def exists(paths, place, name):
    """Whether `name`, written in the file `place`, is a file or folder: from the root or from that file's folder."""
    for base in ("", str(pathlib.PurePosixPath(place).parent) + "/"):
        path = posixpath.normpath(base + name)
        if any(known == path or known.startswith(path.rstrip("/") + "/") for known in paths):
            return True
    return False


def anchors(text):
    """The anchors that GitHub gives to the headings of a document."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-"))
    return found


def links(paths, place, line, read):
    for target in LINK.findall(line):
        if re.match(r"[a-z]+:|//", target) or target.startswith("/"):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / place).parent / file if file else ROOT / place
        if not path.exists():
            yield target
        elif anchor and anchor not in anchors(read(path)):
            yield target


def problems(paths, rules, place, text, read):
    """Every dead reference in a text: line and name."""
    is_document = place.endswith(".md")
    for number, line in enumerate(text.splitlines(), 1):
        outside_urls = re.sub(r"https?://\S+", "", line)
        for name in DOCUMENT.findall(outside_urls):
            if not exists(paths, place, name) and not ("/" in name and ends_with(paths, name)):
                yield number, name
        for name in UNDER_DOCS.findall(outside_urls):
            if not exists(paths, "", name) and not name.endswith(".md"):
                yield number, name
        for rule in (rule for found in RULE.findall(line) for rule in found if rule):
            if int(rule) not in rules:
                yield number, f"rule {rule}"
        if is_document:
            for name in SOURCE.findall(line):
                if not ends_with(paths, name):
                    yield number, name
            for name in links(paths, place, line, read):
                yield number, name


def unlisted_scripts(paths, listing):
    """The scripts of .ci that its README does not name; of a folder, its name or one of its scripts is enough."""
    scripts = {path.split("/")[1] for path in paths if path.startswith(".ci/") and path != ".ci/README.md"}
    named = {target.split("/")[0] for target in LINK.findall(listing)}
    settings = {name for name in scripts if name.endswith((".version", ".txt"))}
    return sorted(scripts - named - settings)


def long_releases(changelog):
    """The versions of which the changelog says more than anyone reads."""
    for section in re.split(r"^## ", changelog, flags=re.M)[1:]:
        if len(section.encode()) > MAX_RELEASE_BYTES:
            yield section.partition("\n")[0]


def words_of(identifier):
    """The words of an identifier, in lower case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower().strip("_").split("_")


def prose_of(place, text):
    """What people read of a file."""
    if place.startswith(PROSE):
        return MARKUP.sub(" ", text)
    if place.startswith(PROSE_IN_RUST) and place.endswith(".rs"):
        code = COMMENT.sub("", text.partition("#[cfg(test)]")[0])
        texts = (literal for literal in LITERAL.findall(code) if " " in literal)
        return FILLED_IN.sub(" ", "\n".join(texts))
    return ""


def own_words(place, text, rules):
    """The words of a text that are ours and not the field's: kind and word, as often as they occur."""
    if place.endswith(".md") and not place.startswith(OTHER_PROSE):
        for word in rules["documents"]:
            yield from (("documents", word) for _ in re.finditer(rf"\b{word}\b", text, re.I))
    for word in rules.get("prose", {}):
        yield from (("prose", word) for _ in re.finditer(rf"\b{word}\b", prose_of(place, text), re.I))
    if place.endswith(".rs"):
        names = [words_of(name) for name in DEFINITION.findall(text)]
        for name in (name for name in names if len(name) <= MAX_NAME_WORDS):
            yield from (("identifiers", word) for word in name if word in rules["identifiers"])


def check_words(found, rules, lowers):
    """Compares the files in which words occur with the counts in the table; returns how many counts are wrong."""
    table = (ROOT / WORDS).read_text()
    failed = 0
    for kind, counts in rules.items():
        head, mark, rest = table.partition(f"[{kind}]\n")
        for word, limit in counts.items():
            files = found.get((kind, word), [])
            if len(files) < limit and lowers:
                rest = re.sub(rf'^("?{re.escape(word)}"? = ){limit}$', rf"\g<1>{len(files)}", rest, count=1, flags=re.M)
            elif len(files) < limit:
                print(f"{word!r} occurs {len(files)} times in {kind}, so {WORDS} should say no more: use --lower")
                failed += 1
            elif len(files) > limit:
                print(f"{word!r} occurs {len(files)} times in {kind}, at most {limit} are left: {', '.join(sorted(set(files)))}")
                failed += 1
        table = head + mark + rest
    if lowers:
        (ROOT / WORDS).write_text(table)
    return failed


def check_itself(paths, rules):
    """Planted references are found, so that a check that finds nothing means something."""
    planted = {
        "a.rs": ("// the law of " + "nowhere.md, section 3", "nowhere.md"),
        "b.rs": ("// see " + "docs/adr/9999-never.md", "docs/adr/9999-never.md"),
        "c.rs": ("// " + "rule 999 of docs/rules.md", "rule 999"),
        "d.md": ("[a page](docs/" + "nothing.md)", "docs/nothing.md"),
        "e.md": ("`src/" + "nothing.rs` does it", "src/nothing.rs"),
        "f.md": ("[a heading](README.md#" + "no-such-heading)", "README.md#no-such-heading"),
        "g.py": ("# docs/" + "nothing/at-all", "docs/nothing/at-all"),
    }
    for place, (text, name) in planted.items():
        found = [found for _, found in problems(paths, rules, place, text, pathlib.Path.read_text)]
        if name not in found:
            sys.exit(f"references.py is broken: it did not find the planted {name}")
    sound = "see docs/rules.md, `src/lib.rs` and [the map](ARCHITECTURE.md), https://example.org/absent.md"
    found = list(problems(paths, rules, "h.md", sound, pathlib.Path.read_text))
    if found:
        sys.exit(f"references.py is broken: it refused {found}")
    if unlisted_scripts({".ci/run", ".ci/a/run", ".ci/b.txt"}, "[run](run)") != ["a"]:
        sys.exit("references.py is broken: it did not find the script that is not listed")
    if list(long_releases("# Log\n\n## [2]\n" + "a" * MAX_RELEASE_BYTES + "\n## [1]\n- b\n")) != ["[2]"]:
        sys.exit("references.py is broken: it did not find the version of which too much is said")
    words = {"documents": {"anew": 0}, "identifiers": {"most": 0, "desk": 0}, "prose": {"e-mail": 0}}
    planted = {
        "i.md": ("Read Anew, or renewed", [("documents", "anew")]),
        "content/j.md": ("read anew", []),
        "k.rs": ("pub const MOST_BYTES: u8 = 1; struct Desk; let most = 2;", [("identifiers", "most"), ("identifiers", "desk")]),
        "content/m.md": ("an E-mail, but `an e-mail`", [("prose", "e-mail")]),
        "website/templates/n.html": ('<p class="e-mail">{{ e-mail }}</p>', []),
        "website/src/o.rs": ('// an e-mail\nconst A: &str = "{e-mail} an e-mail"; "e-mail"\n#[cfg(test)] "an e-mail"', [("prose", "e-mail")]),
        "l.rs": ("fn at_most_one_desk_is_asked() {} // a Desk anew", []),
    }
    for place, (text, expected) in planted.items():
        if list(own_words(place, text, words)) != expected:
            sys.exit(f"references.py is broken: it counts the words of {place} wrongly")


def main():
    paths = tracked()
    rules = {int(n) for n in re.findall(r"^(\d+)\. ", (ROOT / "docs/rules.md").read_text(), re.M)}
    words = tomllib.loads((ROOT / WORDS).read_text())
    check_itself(paths, rules)
    failed, found = 0, {}
    for script in unlisted_scripts(paths, (ROOT / ".ci/README.md").read_text()):
        print(f".ci/README.md does not say what .ci/{script} is")
        failed += 1
    for version in long_releases((ROOT / "CHANGELOG.md").read_text()):
        print(f"CHANGELOG.md says more than {MAX_RELEASE_BYTES} bytes about {version}: leave out what no user notices")
        failed += 1
    for place in sorted(paths):
        path = ROOT / place
        if path.suffix not in TEXT or place.startswith(SKIPPED) or place == ".ci/references.py":
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, name in problems(paths, rules, place, text, pathlib.Path.read_text):
            print(f"{place}:{number}: {name} is not in the repository")
            failed += 1
        for word in own_words(place, text, words):
            found.setdefault(word, []).append(place)
    if check_words(found, words, "--lower" in sys.argv[1:]):
        sys.exit(f"documents and identifiers have the field's terms (docs/glossary.md): {WORDS}")
    if failed:
        sys.exit(f"{failed} references lead nowhere")
    print("every reference leads somewhere")


main()
