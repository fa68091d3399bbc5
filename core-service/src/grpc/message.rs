//! Bounds on the message of a call: its size, the pauses while it is sent, and what all unfinished ones hold together.

use std::{
    collections::HashMap,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, LazyLock},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use muster_api::{
    Reason,
    binding::{self, Access, AccessRule, Binding, Visitor},
    status::{retry_after, status},
};
use server::{
    budget::{Budget, Held},
    networks::subscriber,
    serve::is_stalled,
};
use tonic::{Code, Status, body::Body};
use tower_http::timeout::TimeoutBody;

use super::edges::CallOrigin;

/// The largest message of a call that needs no credential. A registration is far smaller.
const MAX_PUBLIC_BYTES: usize = 64 << 10;

/// The largest message of another call: as much as edges accept. Where a file is part of it, the file's size and [`AROUND_FILE`].
const MAX_BYTES: usize = 1 << 20;

/// What is around a file in its message.
const AROUND_FILE: usize = 64 << 10;

/// The largest file of each rpc that takes one, by the rpc's name.
static FILES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let mut files = Files::default();
    muster_api::visit_bindings(&mut files);
    files.0
});

#[derive(Default)]
struct Files(HashMap<&'static str, usize>);

impl Visitor for Files {
    fn visit<B: Binding>(&mut self, _binding: B) {
        if let binding::Body::File { max_bytes, .. } = B::BODY {
            self.0.insert(binding::name(B::GRPC_PATH), max_bytes);
        }
    }
}

/// The largest message of a call; services that are no part of the API have no rule.
fn max_bytes_for(rule: Option<&AccessRule>) -> usize {
    match rule {
        Some(rule) if rule.access != Access::Public => FILES
            .get(rule.name)
            .map_or(MAX_BYTES, |file| file + AROUND_FILE),
        _ => MAX_PUBLIC_BYTES,
    }
}

/// The largest message with a file of any rpc.
pub(super) fn max_file_bytes() -> usize {
    FILES
        .values()
        .max()
        .map_or(MAX_BYTES, |file| file + AROUND_FILE)
}

/// What comes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// How many bytes unfinished messages hold: those of edges, and those of all other clients, of which one has only a part, in which the largest
/// file has room.
const OF_EDGES: usize = 64 << 20;
const OF_CLIENTS: usize = 64 << 20;
const OF_ONE_CLIENT: usize = 16 << 20;

/// When to try again if too many messages are unfinished.
const AGAIN: Duration = Duration::from_secs(1);

/// The bounds of a port.
#[derive(Debug)]
pub(super) struct Bounds {
    /// How long sending a message may pause.
    idle: Duration,
    edges: Arc<Budget<IpAddr>>,
    clients: Arc<Budget<IpAddr>>,
}

impl Bounds {
    pub(super) fn new(idle: Duration) -> Self {
        Self {
            idle,
            edges: Arc::new(Budget::new(OF_EDGES, OF_EDGES)),
            clients: Arc::new(Budget::new(OF_CLIENTS, OF_ONE_CLIENT)),
        }
    }

    /// The body of a call within all bounds. The rule is that of its rpc; services that are no part of the API have none.
    pub(super) fn body(
        &self,
        body: Body,
        rule: Option<&AccessRule>,
        origin: &CallOrigin,
        peer: Option<IpAddr>,
    ) -> Body {
        let held = if origin.by_edge {
            self.edges.hold(None)
        } else {
            self.clients.hold(peer.map(subscriber))
        };
        Body::new(Bounded {
            body: Box::pin(TimeoutBody::new(self.idle, body)),
            max_bytes: max_bytes_for(rule),
            prefix: Vec::with_capacity(PREFIX),
            received: 0,
            held,
        })
    }
}

struct Bounded {
    body: Pin<Box<TimeoutBody<Body>>>,
    max_bytes: usize,
    /// The beginning of the first message.
    prefix: Vec<u8>,
    received: usize,
    held: Held<IpAddr>,
}

impl Bounded {
    /// Counts received bytes. A message counts with the length that it announces, since memory for it is reserved then.
    fn count(&mut self, data: &Bytes) -> Result<(), Status> {
        let missing = PREFIX - self.prefix.len();
        self.prefix.extend(data.iter().take(missing));
        self.received += data.len();
        let announced = match self.prefix[..] {
            [_, a, b, c, d] => u32::from_be_bytes([a, b, c, d])
                .try_into()
                .unwrap_or(usize::MAX),
            _ => 0,
        };
        let size = announced.max(self.received.saturating_sub(PREFIX));
        if size > self.max_bytes {
            return Err(too_large(self.max_bytes));
        }
        self.held.at_least(size).map_err(|_exhausted| too_many())
    }
}

impl http_body::Body for Bounded {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = match ready!(self.body.as_mut().poll_frame(context)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) if is_stalled(&*error) => return Poll::Ready(Some(Err(stalled()))),
            Some(Err(error)) => return Poll::Ready(Some(Err(Status::from_error(error)))),
            None => return Poll::Ready(None),
        };
        let counted = frame.data_ref().map_or(Ok(()), |data| self.count(data));
        Poll::Ready(Some(counted.map(|()| frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn too_large(max_bytes: usize) -> Status {
    let message = format!("the message is larger than {max_bytes} bytes");
    status(Reason::PayloadTooLarge, message)
}

fn too_many() -> Status {
    let message = "too many messages are being received";
    retry_after(Reason::Unavailable, message.to_owned(), AGAIN)
}

/// Its details have a reason like those of every error; the code is the one by which gRPC clients know a lack of time.
fn stalled() -> Status {
    let message = "the message did not arrive in time";
    let stalled = status(Reason::InvalidRequest, message);
    Status::with_details(
        Code::DeadlineExceeded,
        message,
        stalled.details().to_vec().into(),
    )
}
