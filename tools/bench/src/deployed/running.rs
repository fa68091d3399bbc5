//! The programs, as an operator starts them.

use std::{
    fs::File,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use http::Request;
use http_body_util::Full;
use tokio::time::timeout_at;

use super::client::Client;
use crate::processor;

/// Far more than a start takes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How often a start is looked at.
const POLL: Duration = Duration::from_millis(20);

/// What core and its edges share, by which core knows them.
pub(crate) const EDGE_TOKEN: &str =
    "5c4be1d1b5b4f0a6c2f96b0d3a1c7e885c4be1d1b5b4f0a6c2f96b0d3a1c7e88";

/// What the programs answer once they reach core.
pub(crate) const READY: &str = "/readyz";

/// Settings of a core that all guests call from this machine, for one event.
pub(crate) const fn without_limits() -> [(&'static str, &'static str); 4] {
    [
        ("MUSTER_LIMIT_PER_ADDRESS", "off"),
        ("MUSTER_LIMIT_PER_EVENT", "off"),
        ("MUSTER_LIMIT_ACCOUNT_READS", "off"),
        ("MUSTER_LIMIT_ACCOUNT_WRITES", "off"),
    ]
}

/// A process, which ends when this is dropped. It logs to a file with default settings.
pub(crate) struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    pub(crate) fn start(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        let child = command
            .stdout(Stdio::null())
            .stderr(File::create(log)?)
            .spawn();
        Ok(Self {
            child: child.with_context(|| format!("{command:?}"))?,
            log: log.to_owned(),
        })
    }

    /// Seconds of one processor that it has used so far.
    pub(crate) fn worked(&self) -> anyhow::Result<f64> {
        processor::seconds_of(self.child.id())
    }

    /// How many lines of its log have these words.
    pub(crate) fn said(&self, words: &str) -> anyhow::Result<usize> {
        let log = std::fs::read_to_string(&self.log)?;
        Ok(log.lines().filter(|line| line.contains(words)).count())
    }

    /// Ends it.
    pub(crate) fn stop(&mut self) {
        // It may have ended by itself.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }

    /// How much memory it uses.
    pub(crate) fn memory_megabytes(&self) -> anyhow::Result<f64> {
        processor::memory_megabytes_of(self.child.id())
    }

    /// A connection to the HTTP port of this process, once it answers a request for this path, for which it must reach core.
    pub(crate) async fn ready(
        &mut self,
        address: SocketAddr,
        path: &str,
    ) -> anyhow::Result<Client> {
        let until = Instant::now() + TIMEOUT;
        loop {
            let client = timeout_at(until.into(), answered(address, path)).await;
            if let Ok(Ok(client)) = client {
                return Ok(client);
            }
            let ended = self.child.try_wait()?;
            if Instant::now() > until || ended.is_some() {
                let state = ended.map_or("it runs".to_owned(), |ended| ended.to_string());
                let log = std::fs::read_to_string(&self.log)?;
                bail!("the process does not reach core ({state}): {log}");
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

async fn answered(address: SocketAddr, path: &str) -> anyhow::Result<Client> {
    let mut client = Client::connect(address).await?;
    client
        .ask(Request::get(path).body(Full::default())?)
        .await?;
    Ok(client)
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}
