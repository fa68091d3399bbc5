# The commands that one needs. `just` lists them.

_list:
    @just --list --unsorted

# Run the whole service on SQLite under ./data
run *arguments:
    cargo run -- {{ arguments }}

# Run all tests; without PostgreSQL its tests are skipped
test *arguments:
    cargo test --workspace --locked {{ arguments }}

# Format everything
format:
    cargo fmt --all

# What must hold before a commit, in a minute or two
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
    python3 .ci/references.py

# Rewrite the golden files of what is generated, and docs/settings.md
golden:
    UPDATE_GOLDEN=1 cargo test --locked --package codegen
    UPDATE_GOLDEN=1 cargo test --locked --package standalone --test it settings_document

# Check dependencies: licences, bans, sources, advisories
dependencies:
    .ci/dependencies cargo-deny

# Build the package for Debian into ./target/deb
deb:
    .ci/release/deb target/deb

# Start everything in containers, as in production
up:
    docker compose up

# What CI runs on every change
ci:
    .ci/run

# What CI runs before an issue is resolved
full:
    .ci/full
