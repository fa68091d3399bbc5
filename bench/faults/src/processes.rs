//! The programs as processes, which are killed, stopped and started.

use std::{
    fs::File,
    net::{SocketAddr, TcpStream},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use programs::Programs;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit, test_kill_process,
};

/// Far more than a start or a stop takes.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How often a start is looked at.
const POLL: Duration = Duration::from_millis(5);

/// A process on a port, which is killed when this is dropped. It logs to a file.
pub(crate) struct Process {
    name: &'static str,
    settings: Vec<(String, String)>,
    address: SocketAddr,
    log: PathBuf,
    child: Child,
}

impl Process {
    /// Starts a program and waits until it listens.
    pub(crate) fn start(
        programs: &Programs,
        name: &'static str,
        address: SocketAddr,
        settings: Vec<(String, String)>,
        log: PathBuf,
    ) -> anyhow::Result<Self> {
        let child = spawn(programs, name, &settings, &log)?;
        let mut process = Self {
            name,
            settings,
            address,
            log,
            child,
        };
        process.await_port()?;
        Ok(process)
    }

    /// Starts it again after its end.
    pub(crate) fn start_again(&mut self, programs: &Programs) -> anyhow::Result<()> {
        self.child = spawn(programs, self.name, &self.settings, &self.log)?;
        self.await_port()
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Ends it as a service manager does, and waits for it.
    pub(crate) fn terminate(&mut self) -> anyhow::Result<()> {
        kill_process(self.pid(), Signal::TERM)?;
        let until = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait()? {
                ensure!(
                    status.success(),
                    "{} ended by {status} (signal {:?})",
                    self.name,
                    status.signal()
                );
                return Ok(());
            }
            ensure!(Instant::now() < until, "{} does not stop", self.name);
            std::thread::sleep(POLL);
        }
    }

    /// Freezes it until [`Process::thaw`].
    pub(crate) fn freeze(&self) -> anyhow::Result<()> {
        Ok(kill_process(self.pid(), Signal::STOP)?)
    }

    pub(crate) fn thaw(&self) -> anyhow::Result<()> {
        Ok(kill_process(self.pid(), Signal::CONT)?)
    }

    /// Sets how large its files may become, in bytes; `None` is as large as those of this process.
    pub(crate) fn limit_files(&self, bytes: Option<u64>) -> anyhow::Result<()> {
        let own = getrlimit(Resource::Fsize);
        let limit = Rlimit {
            current: bytes.or(own.current),
            ..own
        };
        prlimit(Some(self.pid()), Resource::Fsize, limit)?;
        Ok(())
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn await_port(&mut self) -> anyhow::Result<()> {
        let until = Instant::now() + TIMEOUT;
        while TcpStream::connect(self.address).is_err() {
            if Instant::now() > until || self.child.try_wait()?.is_some() {
                bail!(
                    "{} does not start: {}",
                    self.name,
                    std::fs::read_to_string(&self.log)?
                );
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn spawn(
    programs: &Programs,
    name: &str,
    settings: &[(String, String)],
    log: &Path,
) -> anyhow::Result<Child> {
    let log = File::options().create(true).append(true).open(log)?;
    // A process whose files may not grow gets a signal that ends it, unless it is ignored.
    let mut command = programs::command(Path::new("sh"), settings);
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    command.arg(programs.path(name)).stderr(log);
    command.spawn().with_context(|| format!("{command:?}"))
}

/// Keeps a process to these processors, as `taskset` names them, and all that it has started and starts later.
pub(crate) fn keep_to(processors: &str, first: Pid) -> anyhow::Result<()> {
    for pid in family(first)? {
        let mut command = Command::new("taskset");
        let pid = pid.as_raw_nonzero().to_string();
        let kept = command.args(["-acp", processors, &pid]).output()?;
        ensure!(kept.status.success(), "taskset: {kept:?}");
    }
    Ok(())
}

/// A process and those that it has started.
fn family(first: Pid) -> anyhow::Result<Vec<Pid>> {
    let mut family = vec![first];
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name
            .to_str()
            .and_then(|name| Pid::from_raw(name.parse().ok()?))
        else {
            continue;
        };
        // It may have ended in the meantime.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        let parent = stat.ok().and_then(|stat| {
            let (_, fields) = stat.rsplit_once(')')?;
            fields.split_whitespace().nth(1)?.parse().ok()
        });
        if parent == Some(first.as_raw_nonzero().get()) {
            family.push(pid);
        }
    }
    Ok(family)
}

/// Kills a process and all that it has started, so that none can finish anything.
pub(crate) fn kill_family(first: Pid) -> anyhow::Result<()> {
    for pid in family(first)? {
        let _ended_already = kill_process(pid, Signal::KILL);
    }
    let until = Instant::now() + TIMEOUT;
    while test_kill_process(first).is_ok() {
        ensure!(Instant::now() < until, "the process does not end");
        std::thread::sleep(POLL);
    }
    Ok(())
}
