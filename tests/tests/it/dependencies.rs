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
    /// Its folder in the workspace.
    folder: &'static str,
    may_use: &'static [&'static str],
    never: &'static [&'static str],
}

/// What each package may use. A package that is not in it fails the test, so that it gets a line.
const PACKAGES: &[Package] = &[
    Package {
        name: "codegen",
        folder: "crates/codegen",
        may_use: &[],
        never: &["axum", "tokio"],
    },
    Package {
        name: "muster-api",
        folder: ".",
        may_use: &["codegen"],
        never: &["axum", "rmcp", "sqlx"],
    },
    Package {
        name: "server",
        folder: "crates/server",
        may_use: &[],
        never: &[],
    },
    Package {
        name: "covers",
        folder: "crates/covers",
        may_use: &["egress"],
        never: &["axum", "rmcp", "sqlx", "tonic"],
    },
    Package {
        name: "egress",
        folder: "crates/egress",
        may_use: &[],
        never: &["axum", "reqwest", "rmcp", "sqlx", "tonic"],
    },
    Package {
        name: "seal",
        folder: "crates/seal",
        may_use: &[],
        never: &["axum", "rmcp", "sqlx", "tokio", "tonic"],
    },
    Package {
        name: "markdown",
        folder: "crates/markdown",
        may_use: &[],
        never: &["axum", "rmcp", "sqlx", "tokio", "tonic"],
    },
    Package {
        name: "domain",
        folder: "crates/domain",
        may_use: &["muster-api"],
        never: &["axum", "sqlx", "tokio", "tonic"],
    },
    Package {
        name: "storage",
        folder: "crates/storage",
        may_use: &["domain", "server"],
        never: &["axum", "tonic"],
    },
    Package {
        name: "core-service",
        folder: "core-service",
        may_use: &[
            "covers",
            "domain",
            "egress",
            "markdown",
            "muster-api",
            "seal",
            "server",
            "storage",
        ],
        never: &["axum", "reqwest", "resvg", "rmcp", "sqlx"],
    },
    Package {
        name: "rpc-client",
        folder: "crates/rpc-client",
        may_use: &["muster-api", "server"],
        never: &["axum", "rmcp", "sqlx"],
    },
    Package {
        name: "http-kit",
        folder: "crates/http-kit",
        may_use: &["muster-api", "rpc-client", "server"],
        never: &["rmcp", "sqlx"],
    },
    Package {
        name: "http-gateway",
        folder: "http-gateway",
        may_use: &["http-kit", "muster-api", "rpc-client", "server"],
        never: &["rmcp", "sqlx"],
    },
    Package {
        name: "mcp-bridge",
        folder: "mcp-bridge",
        may_use: &["http-kit", "muster-api", "rpc-client", "server"],
        never: &["sqlx"],
    },
    Package {
        name: "website",
        folder: "website",
        may_use: &["http-kit", "markdown", "muster-api", "rpc-client", "server"],
        never: &["rmcp", "sqlx"],
    },
    Package {
        name: "standalone",
        folder: "standalone",
        may_use: &[
            "core-service",
            "domain",
            "egress",
            "http-gateway",
            "http-kit",
            "mcp-bridge",
            "rpc-client",
            "server",
            "storage",
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
    "test-receiver",
    "test-smtp",
    "test-toy",
    "tests",
];

/// The modules of core, each with the ones that it may use. `lib.rs` and `main.rs` compose them and may use all.
const MODULES: &[(&str, &[&str])] = &[
    ("calendar", &[]),
    ("content", &[]),
    ("service", &[]),
    ("webhook_post", &["service"]),
    (
        "grpc",
        &["calendar", "content", "email", "service", "webhook_post"],
    ),
    ("email", &["calendar"]),
    ("jobs", &["email", "service", "webhook_post"]),
    ("demo", &["service"]),
    ("settings", &["email", "grpc", "service"]),
    ("options", &["grpc", "service", "settings"]),
    ("admin", &["email", "service", "settings"]),
];

/// Crates that only these modules of a package may name: messages stop at `grpc`. The domain has from the API what that says once: what
/// a name and an email address are, which scopes and types of webhook messages there are, and how much an answer says of what is wrong.
const CONFINED: &[(&str, &str, &[&str])] = &[
    ("core-service", "muster_api", &["grpc"]),
    ("core-service", "prost_types", &["grpc"]),
    ("core-service", "lettre", &["email"]),
    ("core-service", "askama", &["email"]),
    ("core-service", "mail_parser", &["email"]),
    (
        "crates/domain",
        "muster_api",
        &["account", "email", "scope", "violation", "webhook"],
    ),
];

/// Methods that only these files of core call: every change is a command, and what follows from it is written by the seam.
/// The runner of jobs and maintenance decide nothing; they write down what was tried and delete what is old.
const SEAM: &[(&str, &[&str])] = &[
    (
        "begin",
        &[
            "service/command",
            "jobs/runner",
            "jobs/maintenance",
            // A step of maintenance, which marks events whose moments are right.
            "service/clocks",
            // Likewise, which seals secrets again.
            "service/webhooks/sealing",
            // Methods of other types with the same name: a pause begins, and so does a mail's exchange.
            "email/smtp",
            "jobs/lane",
            "jobs/pause",
        ],
    ),
    ("insert_audits", &["service/command"]),
    (
        "insert_jobs",
        &[
            "service/command",
            "service/command/programs",
            "service/command/schedule",
        ],
    ),
    ("schedule_cancellation_mails", &["service/command/schedule"]),
    (
        "schedule_event_changed_mails",
        &["service/command/schedule"],
    ),
    ("schedule_message_mails", &["service/command/schedule"]),
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
fn messages_stop_at_grpc_and_mail_at_email() {
    let mut wrong = Vec::new();
    for (folder, name, homes) in CONFINED {
        for imports in Imports::of(&root().join(folder).join("src")) {
            let is_home = imports
                .module()
                .is_some_and(|module| homes.contains(&module));
            if !is_home && imports.names(name) {
                wrong.push(format!("{}: {name} belongs in {homes:?}", imports.file()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Which modules of a package each of them uses.
fn uses_of_modules(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for imports in Imports::of(&root().join(folder).join("src")) {
        let Some(module) = imports.module() else {
            continue;
        };
        let others = imports
            .modules()
            .into_iter()
            .filter(|other| *other != module);
        let others = others.map(str::to_owned);
        modules.entry(module.to_owned()).or_default().extend(others);
    }
    modules
}

#[test]
fn no_modules_of_a_package_use_each_other_in_a_circle() {
    for package in PACKAGES {
        let mut uses = uses_of_modules(package.folder);
        // What uses nothing that is left is in no circle.
        loop {
            let left: BTreeSet<String> = uses.keys().cloned().collect();
            uses.retain(|_, used| used.iter().any(|used| left.contains(used)));
            if uses.len() == left.len() {
                break;
            }
        }
        assert!(uses.is_empty(), "{} has a circle: {uses:#?}", package.name);
    }
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
