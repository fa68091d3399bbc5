"""Images without a registry: root filesystems from Debian's packages, imported under the names that the container files use.

What is replaced, and said when it is: the distroless base by the same release's packages, release builds by debug builds, PostgreSQL's,
Caddy's and the mail server's images by Debian's PostgreSQL and Caddy, and a program that prints what it is sent.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from compose import Wrong

# The release behind the base image of the Dockerfile, and what distroless/cc has of it.
RELEASES = {"debian12": "bookworm", "debian13": "trixie"}
BASE_PACKAGES = "base-files,ca-certificates,libc6,libgcc-s1,libstdc++6,netbase,tzdata"
NONROOT = "65532"

# What stands in for Caddy, for PostgreSQL, which makes the database as the official image does, and for the mail server.
OTHERS = """#!/bin/sh
set -eu
[ "${1:-}" != caddy ] || exec "$@"
[ -n "${POSTGRES_USER:-}" ] || exec python3 -u -W ignore -m smtpd -n -c DebuggingServer 0.0.0.0:1025
bin=$(echo /usr/lib/postgresql/*/bin)
data=/var/lib/postgresql/data
mkdir -p "$data" /run/postgresql
chown postgres "$data" /run/postgresql
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -e "$data/PG_VERSION" ]; then
  as_postgres "$bin/initdb" -D "$data" --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --auth scram-sha-256 \\
    --encoding UTF8 --locale C.UTF-8 >/dev/null
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
  echo "CREATE DATABASE \\"$POSTGRES_USER\\"" | as_postgres "$bin/postgres" --single -D "$data" postgres >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/postgres" -D "$data" -c "listen_addresses=*"
"""


def root_filesystem(cache, release, variant, packages, *options):
    """A root filesystem as a tar file, made once."""
    known_by = hashlib.sha256(" ".join([packages, *options]).encode()).hexdigest()[:12]
    path = cache / f"{release}-{variant}-{known_by}.tar"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = cache / f"{path.stem}.unfinished.tar"
        # Before the first package, since dpkg leaves out only what comes later.
        documents = [f"--dpkgopt=path-exclude=/usr/share/{kind}/*" for kind in ("doc", "locale", "man")]
        command = ["mmdebstrap", "--quiet", f"--variant={variant}", f"--include={packages}", *documents, *options]
        subprocess.run([*command, release, unfinished], check=True)
        unfinished.rename(path)
    return path


def of_muster(podman, image, name, checkout, programs, cache):
    """A stage of the Dockerfile on a base of our own, with programs of this checkout."""
    release = next((name for key, name in RELEASES.items() if key in image.base), None)
    if release is None or "distroless/cc" not in image.base:
        raise Wrong(f"deploy/Dockerfile: this check has nothing in place of the base image {image.base}")
    base = root_filesystem(cache, release, "extract", BASE_PACKAGES)
    print(f"containers: {name}: {image.base.partition('@')[0]} is replaced by packages of {release}, the release build by a debug build")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        root.mkdir()
        subprocess.run(["tar", "--extract", "--file", base, "--directory", root], check=True)
        add_users(root)
        for is_of_checkout, sources, destination, owner in image.copies:
            target = root / destination.lstrip("/")
            target.mkdir(parents=True, exist_ok=True)
            for source in sources:
                if is_of_checkout:
                    shutil.copy(checkout / source, target)
                elif source.startswith("/out/"):
                    program = source.removeprefix("/out/")
                    subprocess.run(["strip", "-o", target / program, programs / program], check=True)
                elif source == "/root-of-image/":
                    make_folders(target, image.folders, owner)
                else:
                    raise Wrong(f"deploy/Dockerfile: this check does not know what is copied from {source}")
        archive = Path(folder, "image.tar")
        subprocess.run(["tar", "--create", "--file", archive, "--directory", root, "."], check=True)
        imported(podman, archive, name, image.changes)


def make_folders(root, folders, owner):
    for mode, path in folders:
        folder = root / path.lstrip("/")
        folder.mkdir(parents=True, exist_ok=True)
        os.chown(folder, *(int(part) for part in owner.split(":")))
        folder.chmod(int(mode, 8))


def add_users(root):
    """Those that distroless images have."""
    files = {
        "passwd": f"root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:{NONROOT}:{NONROOT}:nonroot:/home/nonroot:/sbin/nologin\n",
        "group": f"root:x:0:\nnonroot:x:{NONROOT}:\n",
    }
    for name, text in files.items():
        (root / "etc" / name).write_text(text)


def of_others(podman, names, cache):
    """PostgreSQL, Caddy, and a mail server that prints what it is sent: one image under three names."""
    write = f"echo {base64.b64encode(OTHERS.encode()).decode()} | base64 -d >$1/usr/local/bin/start && chmod 755 $1/usr/local/bin/start"
    archive = root_filesystem(cache, "bookworm", "minbase", "postgresql,python3,caddy", f"--customize-hook={write}")
    print(f"containers: {tag(names['postgres'])} is replaced by Debian's PostgreSQL, {tag(names['edge'])} by Debian's Caddy, {tag(names['mail'])} by a program that prints")
    # SIGINT is the official image's, too: a fast shutdown.
    imported(podman, archive, tag(names["postgres"]), ['ENTRYPOINT ["/usr/local/bin/start"]', "STOPSIGNAL SIGINT"])
    for other in ("mail", "edge"):
        subprocess.run([*podman, "tag", tag(names["postgres"]), tag(names[other])], check=True)


def tag(name):
    """The name of an image without its digest, which no image made here has."""
    return name.partition("@")[0]


def imported(podman, archive, name, changes):
    flags = [word for change in changes for word in ("--change", change)]
    subprocess.run([*podman, "import", "--quiet", *flags, archive, name], check=True, stdout=subprocess.DEVNULL)
