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

use crate::{network::Place, part::Kind};

/// Far more than a start or a stop takes.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How long one look at a port may take.
const ATTEMPT: Duration = Duration::from_secs(1);

/// How often a start is looked at.
const POLL: Duration = Duration::from_millis(5);

/// What a part is started as.
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) log: PathBuf,
}

/// A process on a port, which is killed when this is dropped. It logs to a file.
pub(crate) struct Process {
    plan: Plan,
    /// What its environment has besides, until it is started again.
    oddities: Vec<(String, String)>,
    child: Child,
}

impl Process {
    /// Starts a program and waits until it listens.
    pub(crate) fn start(programs: &Programs, mut plan: Plan) -> anyhow::Result<Self> {
        let address = plan.kind.at(plan.place.ip);
        let name = plan.kind.address_setting().to_owned();
        plan.settings.push((name, address.to_string()));
        let child = spawn(programs, &plan, &[])?;
        let mut process = Self {
            plan,
            oddities: Vec::new(),
            child,
        };
        process.await_port()?;
        Ok(process)
    }

    /// Starts it again after its end.
    pub(crate) fn start_again(&mut self, programs: &Programs) -> anyhow::Result<()> {
        self.child = spawn(programs, &self.plan, &self.oddities)?;
        self.await_port()
    }

    /// What its environment has from the next start on.
    pub(crate) fn is_odd_by(&mut self, oddities: Vec<(String, String)>) {
        self.oddities = oddities;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.plan.kind.at(self.plan.place.ip)
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Ends it as a service manager does, and waits for it.
    pub(crate) fn terminate(&mut self) -> anyhow::Result<()> {
        self.ask_to_end()?;
        self.await_end()
    }

    /// Asks it to end, as a service manager does.
    pub(crate) fn ask_to_end(&self) -> anyhow::Result<()> {
        Ok(kill_process(self.pid(), Signal::TERM)?)
    }

    /// Waits for its end, which must be a success.
    pub(crate) fn await_end(&mut self) -> anyhow::Result<()> {
        let until = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait()? {
                ensure!(
                    status.success(),
                    "{} ended by {status} (signal {:?})",
                    self.plan.kind.program(),
                    status.signal()
                );
                return Ok(());
            }
            let name = self.plan.kind.program();
            ensure!(Instant::now() < until, "{name} does not stop");
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
        while TcpStream::connect_timeout(&self.address(), ATTEMPT).is_err() {
            if Instant::now() > until || self.child.try_wait()?.is_some() {
                bail!(
                    "{} does not start: {}",
                    self.plan.kind.program(),
                    std::fs::read_to_string(&self.plan.log)?
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

fn spawn(programs: &Programs, plan: &Plan, oddities: &[(String, String)]) -> anyhow::Result<Child> {
    let log = File::options().create(true).append(true).open(&plan.log)?;
    let settings = [&plan.settings, oddities].concat();
    let mut command = match &plan.place.namespace {
        Some(namespace) => {
            let mut command = programs::command(Path::new("ip"), &settings);
            // It replaces itself by the program, so that the process has the id of this one.
            command.args(["netns", "exec", namespace, "sh"]);
            command
        }
        None => programs::command(Path::new("sh"), &settings),
    };
    // A process whose files may not grow gets a signal that ends it, unless it is ignored.
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    command.arg(programs.path(plan.kind.program())).stderr(log);
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
