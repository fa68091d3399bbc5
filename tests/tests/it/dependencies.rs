//! Which part may use which: between packages, and between the modules of core.

mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use serde_json::Value;
use source::Imports;

/// What a package may use of ours, and what it must not use of others.
struct Package {
    name: &'static str,
    may_use: &'static [&'static str],
    never: &'static [&'static str],
}

/// What each package may use. A package that is not in it fails the test, so that it gets a line.
const PACKAGES: &[Package] = &[
    Package {
        name: "codegen",
        may_use: &[],
        never: &["axum", "tokio"],
    },
    Package {
        name: "muster-api",
        may_use: &["codegen"],
        never: &["axum", "rmcp", "sqlx"],
    },
    Package {
        name: "process",
        may_use: &[],
        never: &[],
    },
    Package {
        name: "covers",
        may_use: &[],
        never: &["axum", "rmcp", "sqlx", "tonic"],
    },
    Package {
        name: "egress",
        may_use: &[],
        never: &["axum", "reqwest", "rmcp", "sqlx", "tonic"],
    },
    Package {
        name: "core-service",
        may_use: &["covers", "egress", "muster-api", "process"],
        never: &["axum", "reqwest", "resvg", "rmcp"],
    },
    Package {
        name: "edge",
        may_use: &["muster-api", "process"],
        never: &["rmcp", "sqlx"],
    },
    Package {
        name: "http-gateway",
        may_use: &["edge", "muster-api", "process"],
        never: &["rmcp", "sqlx"],
    },
    Package {
        name: "mcp-bridge",
        may_use: &["edge", "muster-api", "process"],
        never: &["sqlx"],
    },
    Package {
        name: "website",
        may_use: &["edge", "muster-api", "process"],
        never: &["rmcp", "sqlx"],
    },
    Package {
        name: "standalone",
        may_use: &[
            "edge",
            "core-service",
            "http-gateway",
            "mcp-bridge",
            "process",
            "website",
        ],
        never: &[],
    },
];

/// Packages that only tests use; they may use whatever they like.
const TEST_PACKAGES: &[&str] = &[
    "bench",
    "faults",
    "fuzz",
    "programs",
    "test-documents",
    "test-photos",
    "test-postgres",
    "test-smtp",
    "test-toy",
    "tests",
];

/// The modules of core, each with the ones that it may use. `lib.rs` and `main.rs` compose them and may use all.
const MODULES: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("calendar", &["domain"]),
    ("content", &[]),
    ("storage", &["domain"]),
    ("service", &["domain", "storage"]),
    (
        "grpc",
        &["calendar", "content", "domain", "email", "service"],
    ),
    ("email", &["calendar", "domain"]),
    ("jobs", &["domain", "email", "service", "storage"]),
    ("demo", &["domain", "service", "storage"]),
    ("settings", &["domain", "email", "grpc", "storage"]),
    (
        "admin",
        &["domain", "email", "service", "settings", "storage"],
    ),
];

/// Crates that only one module of core may name: SQL stops at `storage`, messages stop at `grpc`.
const CONFINED: &[(&str, &str)] = &[
    ("sqlx", "storage"),
    ("muster_api", "grpc"),
    ("prost_types", "grpc"),
    ("lettre", "email"),
    ("askama", "email"),
];

/// Files elsewhere that may name such a crate all the same, for what the API says once: what a name and an e-mail address are, which
/// scopes there are, and how much an answer says of what is wrong.
const NOT_CONFINED: &[(&str, &str)] = &[
    ("muster_api", "domain/account"),
    ("muster_api", "domain/email"),
    ("muster_api", "domain/scope"),
    ("muster_api", "domain/violation"),
];

/// Methods that only these files of core call: every change is a command, and what follows from it is written by the seam.
/// The runner of jobs and maintenance decide nothing; they write down what was tried and let go of what is old.
const SEAM: &[(&str, &[&str])] = &[
    (
        "begin",
        &[
            "service/command",
            "jobs/runner",
            "jobs/maintenance",
            "storage/pool",
            "storage/transaction",
            // Methods of other types with the same name: a pause begins, and so do a mail's exchange and a watch over a statement.
            "email/smtp",
            "jobs/lane",
            "jobs/pause",
            "storage/watchdog",
        ],
    ),
    (
        "insert_audits",
        &[
            "service/command",
            // A statement for one entry is one for several.
            "storage/queries/audit",
        ],
    ),
    ("insert_jobs", &["service/command"]),
    ("schedule_cancellation_mails", &["service/command"]),
    ("schedule_event_changed_mails", &["service/command"]),
    ("schedule_promotion_mails", &["service/command"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ is a folder of the workspace")
}

/// The packages of this workspace, each with the names of what it depends on, tests aside.
fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let used = dependencies.iter().filter(|used| used["kind"] != "dev");
            let names = used.map(|used| text(&used["name"])).collect();
            (text(&package["name"]), names)
        })
        .collect()
}

#[test]
fn packages_use_only_those_that_the_design_lets_them_use() {
    let packages = packages();
    let mut wrong = Vec::new();
    for (name, used) in &packages {
        if TEST_PACKAGES.contains(&name.as_str()) {
            continue;
        }
        let Some(rule) = PACKAGES.iter().find(|rule| rule.name == name) else {
            wrong.push(format!("{name} has no rule"));
            continue;
        };
        for other in used {
            let ours = packages.contains_key(other);
            if ours && !rule.may_use.contains(&other.as_str()) {
                wrong.push(format!("{name} may not use our {other}"));
            }
            if rule.never.contains(&other.as_str()) {
                wrong.push(format!("{name} must never use {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_of_core_use_only_those_below_them() {
    let mut wrong = Vec::new();
    for imports in Imports::of(&root().join("core-service/src")) {
        let (file, module) = (imports.file(), imports.module());
        let Some(module) = module else { continue };
        let Some((_, may_use)) = MODULES.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{file}: the module {module} has no rule"));
            continue;
        };
        for other in imports.modules() {
            if other != module && !may_use.contains(&other) {
                wrong.push(format!("{file}: {module} may not use {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sql_stops_at_storage_and_messages_stop_at_grpc() {
    let mut wrong = Vec::new();
    for imports in Imports::of(&root().join("core-service/src")) {
        for (name, home) in CONFINED {
            let at_home = imports.module() == Some(home);
            let excepted = NOT_CONFINED.contains(&(*name, &imports.place()));
            if !at_home && !excepted && imports.names(name) {
                wrong.push(format!("{}: {name} belongs in {home}", imports.file()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_command_seam_begins_changes_and_writes_what_follows_from_them() {
    let files = Imports::of(&root().join("core-service/src"));
    let mut wrong = Vec::new();
    for (method, homes) in SEAM {
        let callers: BTreeSet<String> = files
            .iter()
            .filter(|imports| imports.calls(method))
            .map(Imports::place)
            .collect();
        let expected: BTreeSet<String> = homes.iter().map(|home| (*home).to_owned()).collect();
        for other in callers.difference(&expected) {
            wrong.push(format!("{other} may not call {method}"));
        }
        for gone in expected.difference(&callers) {
            wrong.push(format!("{gone} no longer calls {method}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rules_name_no_module_that_is_gone() {
    let seen: BTreeSet<String> = Imports::of(&root().join("core-service/src"))
        .iter()
        .filter_map(|imports| imports.module().map(str::to_owned))
        .collect();
    let ruled: BTreeSet<String> = MODULES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(seen, ruled);
}
