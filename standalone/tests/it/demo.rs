//! When `muster` makes demo data and prints a key: on a laptop, never on a site that is used for real.

use std::fs;

use clap::Parser as _;
use standalone::Config;
use tempfile::TempDir;

use crate::running::Running;

fn shows_demo(arguments: &[&str]) -> bool {
    let program = ["muster"].iter().chain(arguments);
    Config::parse_from(program).shows_demo()
}

#[test]
fn demo_data_need_that_nothing_says_that_it_is_used_for_real() {
    assert!(shows_demo(&[]));
    assert!(shows_demo(&[
        "--data-dir",
        "elsewhere",
        "--http-addr",
        "127.0.0.1:9000"
    ]));
    for real in [
        ["--public-url", "https://events.example.org"],
        ["--smtp-url", "smtp://mail.example.org"],
        ["--database-url", "sqlite://elsewhere.db"],
        ["--trusted-proxies", "127.0.0.1"],
        ["--http-addr", "0.0.0.0:80"],
        ["--grpc-addr", "[::]:50051"],
    ] {
        assert!(!shows_demo(&real), "{real:?}");
        let [flag, value] = real;
        assert!(shows_demo(&[flag, value, "--demo", "on"]), "{real:?}");
    }
    assert!(!shows_demo(&["--demo", "off"]));
}

#[test]
fn a_laptop_gets_events_and_a_key_that_works_and_demo_off_gets_neither() {
    let laptop = TempDir::new().unwrap();
    let muster = Running::start(laptop.path(), &[]);
    assert!(muster.accepts(muster.key().unwrap()));
    assert!(muster.get("/api/v1/events", None).1.contains("\"slug\""));
    let link = muster.printed("Dashboard").unwrap();
    assert!(link.contains("/sign-in/link/"), "{link}");
    let another = format!(
        "muster account sign-in-link --email demo@muster.example --data-dir {}",
        laptop.path().display()
    );
    assert!(muster.welcome.contains(&another), "{}", muster.welcome);

    let without = TempDir::new().unwrap();
    let muster = Running::start(without.path(), &["--demo", "off"]);
    assert_eq!(muster.key(), None);
    assert_eq!(muster.printed("Dashboard"), None);
    assert!(muster.get("/api/v1/events", None).1.contains("\"count\":0"));
    assert!(!without.path().join("demo.key").exists());
}

#[test]
fn a_second_database_in_the_folder_leaves_the_first_ones_key_alone() {
    let data = TempDir::new().unwrap();
    let first = Running::start(data.path(), &[]);
    let key = first.key().unwrap().to_owned();
    let file = data.path().join("demo.key");
    let written = fs::read_to_string(&file).unwrap();

    let url = format!("sqlite://{}", data.path().join("second.db").display());
    let second = ["--database-url", &url, "--demo", "on"];
    let other = Running::start(data.path(), &second);
    let other_key = other.key().unwrap().to_owned();
    assert!(other.accepts(&other_key) && !other.accepts(&key));
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    assert!(first.accepts(&key));

    // Later starts find their own.
    drop((first, other));
    let first = Running::start(data.path(), &[]);
    assert_eq!(first.key(), Some(key.as_str()));
    let other = Running::start(data.path(), &second);
    assert_eq!(other.key(), Some(other_key.as_str()));
}

#[test]
fn commands_are_named_as_the_reader_can_type_them() {
    let data = TempDir::new().unwrap();
    let by_cargo = [("CARGO_PKG_NAME", "standalone")];
    let muster = Running::start_with(data.path(), &["--demo", "off"], &by_cargo);
    for command in ["account create --email", "key create --email"] {
        let expected = format!("cargo run -- {command}");
        assert!(muster.welcome.contains(&expected), "{}", muster.welcome);
    }
}
