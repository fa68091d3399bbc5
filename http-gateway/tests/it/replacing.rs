//! Gateways are replaced one after the other, as in a rolling update, and no request of their clients fails.

use std::{
    io,
    net::SocketAddr,
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use test_toy::{Program, Replica, free_port};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::spawn_blocking,
    time::{Instant, sleep},
};

/// Far more than a start and a stop take on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How often it is seen whether a gateway has ended.
const POLL: Duration = Duration::from_millis(10);

const CLIENTS: usize = 8;

/// How many requests are answered before each change, at least.
const BETWEEN: usize = 200;

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

fn start(address: SocketAddr, core: SocketAddr) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_http-gateway"));
    command
        .args(["--edge-token", "0123456789abcdef0123456789abcdef"])
        .args(["--core-url", &format!("http://{core}")]);
    Program::start_at(address, &mut command)
}

/// A client with one connection, which it keeps as long as the gateway does.
struct Client {
    /// The one that it connects to first, if it listens, is the first.
    gateways: [SocketAddr; 2],
    connection: Option<TcpStream>,
}

impl Client {
    /// Sends a request and reads its answer.
    async fn ask(&mut self) -> io::Result<()> {
        let mut connection = match self.connection.take().filter(is_open) {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        connection.write_all(REQUEST).await?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"}\n") {
            if connection.read_buf(&mut answer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        if answer.contains("\r\nconnection: close\r\n") {
            // A load balancer sends requests elsewhere, too, as soon as it learns that the gateway stops.
            self.gateways.swap(0, 1);
        } else {
            self.connection = Some(connection);
        }
        Ok(())
    }

    /// Connects to a gateway that listens, as a load balancer does.
    async fn connect(&self) -> io::Result<TcpStream> {
        let mut refused = io::ErrorKind::NotFound.into();
        for gateway in self.gateways {
            match TcpStream::connect(gateway).await {
                Ok(connection) => return Ok(connection),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}

/// Whether the gateway has not closed the connection.
fn is_open(connection: &TcpStream) -> bool {
    let unread = connection.try_read(&mut [0]);
    unread.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

async fn until(condition: impl FnMut() -> bool) {
    let (mut condition, start) = (condition, Instant::now());
    while !condition() {
        assert!(start.elapsed() < TIMEOUT);
        sleep(POLL).await;
    }
}

#[tokio::test]
async fn no_request_fails_while_gateways_are_replaced() {
    let core = Replica::start().await;
    let gateways = [free_port(), free_port()];
    let mut programs = gateways.map(|address| start(address, core.address));
    let (answered, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let ask = async |number: usize| {
        let mut gateways = gateways;
        gateways.rotate_left(number % 2);
        let mut client = Client {
            gateways,
            connection: None,
        };
        while !done.load(Ordering::Relaxed) {
            client.ask().await.unwrap();
            answered.fetch_add(1, Ordering::Relaxed);
        }
    };
    let more = async || {
        let before = answered.load(Ordering::Relaxed);
        until(|| answered.load(Ordering::Relaxed) >= before + BETWEEN).await;
    };
    let replace = async {
        for (program, address) in programs.iter_mut().zip(gateways) {
            more().await;
            program.terminate();
            until(|| program.ended().is_some()).await;
            assert!(program.ended().is_some_and(|status| status.success()));
            more().await;
            let core = core.address;
            *program = spawn_blocking(move || start(address, core)).await.unwrap();
        }
        more().await;
        done.store(true, Ordering::Relaxed);
    };
    tokio::join!(replace, join_all((0..CLIENTS).map(ask)));
}
