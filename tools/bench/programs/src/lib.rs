//! Muster's programs, built as the calling program was, and started as an operator starts them.

use std::{
    collections::BTreeSet,
    env,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, ensure};

/// Where the programs are.
#[derive(Debug)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds these packages into the folder of the calling program; nothing happens when they are there and new. The caller's
    /// own package is one of them, so that what they share is built with the same features, which is to say once.
    ///
    /// # Errors
    ///
    /// If cargo cannot build them.
    pub fn build(packages: &[&str]) -> anyhow::Result<Self> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        // `cargo run` describes its package to this process. Build scripts that look at it, ring's for one, would begin again.
        without(&mut command, &["CARGO_PKG_", "CARGO_MANIFEST_"]);
        command.arg("build");
        for package in packages {
            command.args(["-p", package]);
        }
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        let built = command.status().context("cannot run cargo")?;
        ensure!(built.success(), "cargo cannot build the programs: {built}");
        Self::beside()
    }

    /// The programs that lie beside the calling one.
    ///
    /// # Errors
    ///
    /// If the calling program has no file.
    pub fn beside() -> anyhow::Result<Self> {
        let program = env::current_exe()?;
        let folder = program.parent().context("a program lies in a folder")?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The file of a program.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A program with these settings and none of those that this process has, and the C library's settings of the images.
    pub fn command<N: AsRef<str>, V: AsRef<str>>(
        &self,
        name: &str,
        settings: &[(N, V)],
    ) -> Command {
        let mut command = command(&self.path(name), settings);
        command.envs([OF_IMAGES]);
        command
    }
}

/// What the images set for the C library (deploy/Dockerfile).
const OF_IMAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=200");

/// Runs a file with these settings and none of those that this process has.
pub fn command<N: AsRef<str>, V: AsRef<str>>(file: &Path, settings: &[(N, V)]) -> Command {
    let mut command = Command::new(file);
    without(&mut command, &["MUSTER_"]);
    let settings = settings.iter();
    command.envs(settings.map(|(name, value)| (name.as_ref(), value.as_ref())));
    command.stdin(Stdio::null());
    command
}

/// Keeps variables whose names begin so from a program.
fn without(command: &mut Command, prefixes: &[&str]) {
    for (variable, _) in env::vars_os() {
        let name = variable.to_string_lossy();
        if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&variable);
        }
    }
}

/// An address that is free now, another one each time: the system may choose the same again until someone listens there.
///
/// # Errors
///
/// If this machine has no free port.
pub fn free_port() -> anyhow::Result<SocketAddr> {
    static GIVEN: Mutex<BTreeSet<SocketAddr>> = Mutex::new(BTreeSet::new());
    loop {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
        if given.insert(address) {
            return Ok(address);
        }
    }
}
