//! A real `muster`, as from a terminal.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

/// Far above what a start takes on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A `muster` that serves, killed when dropped.
pub(crate) struct Running {
    child: Child,
    /// What it printed.
    pub(crate) welcome: String,
}

impl Running {
    /// Starts it as from a shell.
    pub(crate) fn start(data: &Path, arguments: &[&str]) -> Self {
        Self::start_with(data, arguments, &[])
    }

    /// Starts it with these variables, and none of Muster's or cargo's.
    pub(crate) fn start_with(data: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_muster"));
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("MUSTER_") || text.starts_with("CARGO") {
                command.env_remove(name);
            }
        }
        command
            .envs(variables.iter().copied())
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
            running.welcome.push_str(&line);
            running.welcome.push('\n');
            // Without demo data it goes on to the first commands.
            let last = running.key().map_or("KEY=", |_| "claude mcp add");
            if line.trim_start().starts_with(last) {
                return running;
            }
        }
    }

    /// The word after a heading of what it printed.
    pub(crate) fn printed(&self, heading: &str) -> Option<&str> {
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

    pub(crate) fn key(&self) -> Option<&str> {
        self.printed("Demo key")
    }

    /// Its HTTP address.
    pub(crate) fn address(&self) -> &str {
        let base = self.printed("API").unwrap();
        let rest = base.strip_prefix("http://").unwrap();
        rest.split('/').next().unwrap()
    }

    /// The status and the whole text of the answer to a path.
    pub(crate) fn get(&self, path: &str, key: Option<&str>) -> (u16, String) {
        let address = self.address();
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

    pub(crate) fn accepts(&self, key: &str) -> bool {
        self.get("/api/v1/me", Some(key)).0 == 200
    }

    /// Sends it what Ctrl-C sends.
    pub(crate) fn interrupt(&self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until it has ended, and returns whether it did so as asked.
    pub(crate) fn wait(&mut self) -> bool {
        self.child.wait().unwrap().success()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ended = self.child.kill();
        self.child.wait().unwrap();
    }
}
