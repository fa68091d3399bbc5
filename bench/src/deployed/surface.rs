//! An edge as a process of its own.

use std::{net::SocketAddr, path::Path};

use programs::{Programs, free_port};

use super::{
    client::Client,
    running::{EDGE_TOKEN, Running},
};

/// The gateway or the website, in front of a core.
pub(crate) struct Surface {
    process: Running,
    address: SocketAddr,
}

impl Surface {
    /// Starts a program and waits until it reaches core. It logs into the folder.
    pub(crate) async fn start(
        programs: &Programs,
        program: &str,
        core_url: &str,
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let address = free_port()?;
        let settings = [
            ("MUSTER_HTTP_ADDR", &*address.to_string()),
            ("MUSTER_CORE_URL", core_url),
            ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
        ];
        let log = folder.join(format!("{program}.log"));
        let mut process = Running::start(programs.command(program, &settings), &log)?;
        process.ready(address).await?;
        Ok(Self { process, address })
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
        self.process.ready(self.address).await?;
        Ok(())
    }

    /// How much memory it uses.
    pub(crate) fn memory_megabytes(&self) -> anyhow::Result<u64> {
        self.process.memory_megabytes()
    }

    /// Seconds of one processor that it has used so far.
    pub(crate) fn worked(&self) -> anyhow::Result<f64> {
        self.process.worked()
    }
}
