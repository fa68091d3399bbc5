//! The way from an edge to core, which a test can cut.

use std::net::SocketAddr;

use server::tcp;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// A port in front of a core's. It closes when this is dropped.
#[derive(Debug)]
pub struct Line {
    address: SocketAddr,
    is_cut: watch::Sender<bool>,
}

impl Line {
    /// A line to the core at this address.
    pub async fn to(core: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (is_cut, state) = watch::channel(false);
        tokio::spawn(async move {
            let mut closed = state.clone();
            loop {
                let (edge, _) = tokio::select! {
                    accepted = tcp::accept(&listener) => accepted,
                    // Whether it is cut matters for each connection only.
                    changed = closed.changed() => match changed {
                        Ok(()) => continue,
                        Err(_dropped) => return,
                    },
                };
                tokio::spawn(connect(edge, core, state.clone()));
            }
        });
        Self { address, is_cut }
    }

    /// The URL of the core behind it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Closes all connections, and new ones at once.
    pub fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// Lets connections through again.
    pub fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}

async fn connect(mut edge: TcpStream, core: SocketAddr, mut state: watch::Receiver<bool>) {
    if *state.borrow_and_update() {
        return;
    }
    let Ok(mut core) = TcpStream::connect(core).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut edge, &mut core) => {}
        _ = state.wait_for(|is_cut| *is_cut) => {}
    }
}
