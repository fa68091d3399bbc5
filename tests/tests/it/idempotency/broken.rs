//! The connection between gateway and core breaks after core has committed, before its answer arrives.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::plan::Plan;
use serde_json::json;
use tests::{Surface, TestApp, core_at, new_event};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::events_of;

/// In front of core: passes everything on, until it breaks a connection in place of an answer.
struct Breaker {
    address: SocketAddr,
    breaks_next: Arc<AtomicBool>,
}

impl Breaker {
    async fn start(core: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let breaks_next = Arc::new(AtomicBool::new(false));
        let armed = Arc::clone(&breaks_next);
        tokio::spawn(async move {
            loop {
                let (edge, _) = server::tcp::accept(&listener).await;
                let core = TcpStream::connect(core).await.unwrap();
                tokio::spawn(relay(edge, core, Arc::clone(&armed)));
            }
        });
        Self {
            address,
            breaks_next,
        }
    }
}

/// Passes HTTP/2 on, frame by frame where it comes from core.
async fn relay(edge: TcpStream, core: TcpStream, breaks_next: Arc<AtomicBool>) {
    /// The type of the frame that an answer begins with.
    const HEADERS: u8 = 1;
    let (mut from_edge, mut to_edge) = edge.into_split();
    let (mut from_core, mut to_core) = core.into_split();
    let requests = async { tokio::io::copy(&mut from_edge, &mut to_core).await };
    let answers = async {
        let mut head = [0; 9];
        while from_core.read_exact(&mut head).await.is_ok() {
            if head[3] == HEADERS && breaks_next.swap(false, Ordering::SeqCst) {
                return;
            }
            let length =
                usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
            let mut payload = vec![0; length];
            from_core.read_exact(&mut payload).await.unwrap();
            let frame = [&head[..], &payload].concat();
            if to_edge.write_all(&frame).await.is_err() {
                return;
            }
        }
    };
    // Whichever ends takes both connections with it.
    tokio::select! {
        _ = requests => {}
        () = answers => {}
    }
}

async fn a_gateway_repeats_a_call_that_has_a_key_and_no_other(app: Arc<TestApp>) {
    let breaker = Breaker::start(app.grpc.address()).await;
    let core = core_at(&format!("http://{}", breaker.address));
    let gateway = app.serve_gateway(&core).await;
    let account = app.account(Plan::Business).await;
    let create = || {
        let request = gateway.post("/events").bearer(&account.key);
        request.json(&new_event(json!({})))
    };
    breaker.breaks_next.store(true, Ordering::SeqCst);
    let created = create().header("idempotency-key", "k").send().await;
    assert_eq!(created.status, 200, "{created:?}");
    assert!(!breaker.breaks_next.load(Ordering::SeqCst));
    let owner = app.over(Surface::Http).as_owner(&account);
    assert_eq!(events_of(&owner).await, 1);

    // The control: it was done, nobody knows, and to repeat it would do it again.
    breaker.breaks_next.store(true, Ordering::SeqCst);
    let lost = create().send().await;
    assert_eq!(lost.status, 503, "{lost:?}");
    assert_eq!(events_of(&owner).await, 2);
}

tests::on_both_engines!(a_gateway_repeats_a_call_that_has_a_key_and_no_other);
