//! The toy core as a server of its own.

use std::net::SocketAddr;

use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};
use tonic::transport::{Server, server::TcpIncoming};

use crate::Toy;

/// A running replica. When dropped it dies with its connections, as a killed process does.
#[derive(Debug)]
pub struct Replica {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it has seen.
    pub toy: Toy,
    runtime: Option<Runtime>,
}

impl Replica {
    /// On a port that is free.
    pub async fn start() -> Self {
        Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// At that address.
    pub async fn start_at(address: SocketAddr) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime can be built");
        let toy = Toy::default();
        let server = Server::builder().add_routes(toy.routes());
        let bound = runtime.spawn(TcpListener::bind(address)).await;
        let listener = bound
            .expect("it does not panic")
            .expect("the address is free");
        let address = listener.local_addr().expect("it is bound");
        runtime.spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Self {
            address,
            toy,
            runtime: Some(runtime),
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
