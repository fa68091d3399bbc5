//! nginx with one file, set up as it serves files best.

use std::{
    fs,
    net::SocketAddr,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::Context as _;
use programs::free_port;
use tempfile::TempDir;

use crate::{peers::NGINX, processor};

/// It ends when this is dropped.
pub(super) struct Nginx {
    pub(super) address: SocketAddr,
    child: Child,
    _folder: TempDir,
}

impl Nginx {
    /// Serves these bytes at `/page.json`; `None` if nginx is not installed.
    pub(super) fn start(page: &[u8]) -> anyhow::Result<Option<Self>> {
        let Some(program) = NGINX.find() else {
            return Ok(None);
        };
        let (folder, address) = (tempfile::tempdir()?, free_port()?);
        let root = folder.path().display();
        fs::write(folder.path().join("page.json"), page)?;
        let configuration = format!(
            "daemon off; worker_processes 2; pid {root}/pid; error_log {root}/error.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ access_log {root}/access.log; keepalive_requests 1000000000; default_type application/json;\n\
             sendfile on; tcp_nopush on; open_file_cache max=16;\n\
             server {{ listen {address}; root {root}; }} }}\n"
        );
        let file = folder.path().join("nginx.conf");
        fs::write(&file, configuration)?;
        let mut command = Command::new(program);
        command.arg("-c").arg(&file).arg("-p").arg(folder.path());
        // Its workers must be able to read the folder.
        command.args(["-g", "user root;"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let nginx = Self {
            address,
            child: child.context("nginx")?,
            _folder: folder,
        };
        while std::net::TcpStream::connect(address).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Some(nginx))
    }

    /// Seconds of one processor that its workers have used so far.
    pub(super) fn worked(&self) -> anyhow::Result<f64> {
        let master = self.child.id();
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children"))?;
        let workers = children.split_whitespace();
        workers
            .map(|worker| processor::seconds_of(worker.parse()?))
            .sum()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // It ends its workers when it is asked to end.
        let asked = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        if asked.is_err() {
            let _killed = self.child.kill();
        }
        let _ended = self.child.wait();
    }
}
