//! When `muster` makes demo data and prints a key: on a laptop, never on a site that is used for real.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use clap::Parser as _;
use standalone::Config;
use tempfile::TempDir;

/// Far above what a start takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The last heading of what a start prints, after the URLs and the key.
const LAST: &str = "Try it:";

/// A `muster` that serves, killed when dropped.
struct Running {
    child: Child,
    /// What it printed.
    welcome: String,
}

impl Running {
    fn start(data: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_muster"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("MUSTER_") {
                command.env_remove(name);
            }
        }
        command
            .args(["--http-addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0"])
            .arg("--data-dir")
            .arg(data)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (lines, printed) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    break;
                }
            }
        });
        let mut running = Self {
            child,
            welcome: String::new(),
        };
        loop {
            let line = printed.recv_timeout(TIMEOUT).unwrap();
            if line == LAST {
                return running;
            }
            running.welcome.push_str(&line);
            running.welcome.push('\n');
        }
    }

    /// The word after a heading of what it printed.
    fn printed(&self, heading: &str) -> Option<&str> {
        let line = self
            .welcome
            .lines()
            .find(|line| line.trim_start().starts_with(heading));
        line?
            .trim_start()
            .strip_prefix(heading)?
            .split_whitespace()
            .next()
    }

    fn key(&self) -> Option<&str> {
        self.printed("Demo key")
    }

    /// The status and the whole text of the answer to a path.
    fn get(&self, path: &str, key: Option<&str>) -> (u16, String) {
        let base = self.printed("API").unwrap();
        let address = base
            .strip_prefix("http://")
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let credential = key.map_or_else(String::new, |key| {
            format!("Authorization: Bearer {key}\r\n")
        });
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\n{credential}Connection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    fn accepts(&self, key: &str) -> bool {
        self.get("/api/v1/me", Some(key)).0 == 200
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

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
