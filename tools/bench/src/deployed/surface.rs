//! An edge as a process of its own.

use std::{net::SocketAddr, path::Path, process::Command};

use programs::{Programs, free_port};

use super::{
    client::Client,
    running::{EDGE_TOKEN, READY, Running},
};

/// The gateway, the website or another's program, in front of a core.
pub(crate) struct Surface {
    /// `None` if core is in the same process, which counts as core.
    process: Option<Running>,
    address: SocketAddr,
}

impl Surface {
    /// Starts a program with these settings more, and waits until it reaches core. It logs into the folder.
    pub(crate) async fn start(
        programs: &Programs,
        program: &str,
        core_url: &str,
        folder: &Path,
        more: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let address = free_port()?;
        let own = address.to_string();
        let settings = [
            ("MUSTER_HTTP_ADDR", &*own),
            ("MUSTER_CORE_URL", core_url),
            ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
        ];
        let command = programs.command(program, &[&settings, more].concat());
        // Several edges may log there.
        let log = folder.join(format!("{program}-{}.log", address.port()));
        Self::of(command, &log, address, READY).await
    }

    /// Starts a command and waits until it answers a request for this path.
    pub(super) async fn of(
        command: Command,
        log: &Path,
        address: SocketAddr,
        path: &str,
    ) -> anyhow::Result<Self> {
        let mut process = Running::start(command, log)?;
        process.ready(address, path).await?;
        Ok(Self {
            process: Some(process),
            address,
        })
    }

    /// A surface in the process of core.
    pub(super) const fn within(address: SocketAddr) -> Self {
        Self {
            process: None,
            address,
        }
    }

    /// A new connection to it.
    pub(crate) async fn client(&self) -> anyhow::Result<Client> {
        Client::connect(self.address).await
    }

    /// Where it is.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until it reaches core.
    pub(super) async fn reached(&mut self) -> anyhow::Result<()> {
        if let Some(process) = &mut self.process {
            process.ready(self.address, READY).await?;
        }
        Ok(())
    }

    /// How much memory it uses.
    pub(crate) fn memory_megabytes(&self) -> anyhow::Result<f64> {
        let process = self.process.as_ref();
        process.map_or(Ok(0.0), Running::memory_megabytes)
    }

    /// Seconds of one processor that it has used so far.
    pub(crate) fn worked(&self) -> anyhow::Result<f64> {
        self.process.as_ref().map_or(Ok(0.0), Running::worked)
    }
}
