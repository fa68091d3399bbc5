//! One replica of core.

use std::{
    array, io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use process::{
    metrics,
    places::{Kind, Place, Room},
    tcp,
};
use tokio::{
    net::TcpStream,
    sync::Notify,
    time::{Instant, timeout},
};
use tonic::{
    Status,
    body::Body,
    transport::{self, Channel},
};
use tower::{ServiceExt, service_fn, util::BoxCloneSyncService};

/// The transport of a call: a channel, or core itself in the same process.
pub(crate) type Transport = BoxCloneSyncService<Request<Body>, Response<Body>, Status>;

/// How long a failed replica is set aside: about the time of a restart.
const REST: Duration = Duration::from_secs(5);

/// The same for one that closes a connection: longer than a replica that stops takes connections.
const CLOSING_REST: Duration = Duration::from_secs(2);

/// How many connections there are to a replica. Core takes 100 calls at a time on each.
pub(crate) const CONNECTIONS: usize = 4;

/// A connection that has fewer calls gets the next one: what is sent together costs one way through the system, and not several.
const TOGETHER: usize = 50;

/// How many reads, and how many writes, wait for a replica's answers at a time. Together they are what its connections take, so that
/// none waits for a place on a connection.
const MOST_CALLS: u32 = 200;

/// The same for a replica that refuses calls.
const FEWEST_CALLS: u32 = 32;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(2);

/// How long a call waits for its answer before its replica is checked, and the least time between two checks.
const SILENCE: Duration = Duration::from_millis(400);

/// The interval of keep-alive pings and the time limit of their answers. Together they are the time after which calls to a hung
/// or unreachable replica fail. Less would break connections to replicas that are only busy.
const PING: Duration = Duration::from_secs(1);
const PONG: Duration = Duration::from_millis(1_500);

/// All places are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// A replica, and whether it is set aside.
pub(crate) struct Endpoint {
    /// `None` if this is the only way to core.
    pub(crate) address: Option<SocketAddr>,
    pub(crate) transport: Transport,
    /// `None` if it is in this process, where it limits its calls itself.
    room: Option<Room>,
    /// Until when it is set aside. Then it is probed before it gets calls again.
    resting: Mutex<Option<Instant>>,
    /// Wakes the calls that wait for it when it is set aside.
    set_aside: Notify,
    /// When it was last checked because of a call without an answer.
    checked: Mutex<Option<Instant>>,
    /// Held while it is checked because of an answer.
    pub(crate) doubted: tokio::sync::Mutex<()>,
}

impl Endpoint {
    /// A replica on a socket.
    pub(crate) fn remote(address: Option<SocketAddr>, transport: Transport) -> Self {
        let room = Room::of_another(FEWEST_CALLS, MOST_CALLS);
        Self::new(address, transport, Some(room))
    }

    /// Core in this process.
    pub(crate) const fn in_process(transport: Transport) -> Self {
        Self::new(None, transport, None)
    }

    const fn new(address: Option<SocketAddr>, transport: Transport, room: Option<Room>) -> Self {
        Self {
            address,
            transport,
            room,
            resting: Mutex::new(None),
            set_aside: Notify::const_new(),
            checked: Mutex::new(None),
            doubted: tokio::sync::Mutex::const_new(()),
        }
    }

    /// A place for a call, if it needs one.
    pub(crate) fn admit(&self, kind: Option<Kind>) -> Result<Option<Place>, Full> {
        match (&self.room, kind) {
            (Some(room), Some(kind)) => room.take(kind).map(Some).ok_or(Full),
            _ => Ok(None),
        }
    }

    /// Whether it has no place for a call of this kind.
    pub(crate) fn is_full(&self, kind: Kind) -> bool {
        self.room.as_ref().is_some_and(|room| room.is_full(kind))
    }

    /// Whether it may get calls.
    pub(crate) fn is_available(&self) -> bool {
        self.resting().is_none()
    }

    /// Whether it was set aside long enough to be probed; true for one caller only.
    pub(crate) fn claim_trial(&self) -> bool {
        let mut resting = self.resting();
        let now = Instant::now();
        let due = resting.is_some_and(|until| until <= now);
        if due {
            *resting = Some(now + REST);
        }
        due
    }

    /// Records that it answered.
    pub(crate) fn succeeded(&self) {
        *self.resting() = None;
    }

    /// Records that it did not answer.
    pub(crate) fn failed(&self) {
        let until = Instant::now() + REST;
        if self.resting().replace(until).is_none() {
            metrics::measure(|all| all.core_ejections.add_one([]));
        }
        self.set_aside.notify_waiters();
    }

    /// Records that it closed a connection, perhaps since it stops. Calls under way go on.
    pub(crate) fn closed_a_connection(&self) {
        self.resting().get_or_insert(Instant::now() + CLOSING_REST);
    }

    /// Waits until it is set aside. Whenever it stays silent, it is checked by `check`, for all calls together.
    pub(crate) async fn silent<Check>(&self, check: impl Fn() -> Check)
    where
        Check: Future<Output = ()> + Send + 'static,
    {
        while timeout(SILENCE, self.set_aside.notified()).await.is_err() {
            if self.claim_check() {
                tokio::spawn(check());
            }
        }
    }

    /// Whether it was not checked for a while; true for one caller only.
    pub(crate) fn claim_check(&self) -> bool {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let due = checked.is_none_or(|last| now.duration_since(last) >= SILENCE);
        if due {
            *checked = Some(now);
        }
        due
    }

    fn resting(&self) -> MutexGuard<'_, Option<Instant>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Channels to an address. They connect at the first call, and again after a failure.
pub(crate) fn over_tcp(endpoint: transport::Endpoint, address: SocketAddr) -> Transport {
    let endpoint = kept_alive(endpoint);
    transport(|| {
        // It connects to the address, not to the endpoint's URL: with TLS, that is the name in the certificate.
        endpoint.connect_with_connector_lazy(service_fn(move |_: Uri| connect(address)))
    })
}

/// The same for a Unix socket.
pub(crate) fn over_unix(endpoint: transport::Endpoint) -> Transport {
    let endpoint = kept_alive(endpoint);
    transport(|| endpoint.connect_lazy())
}

async fn connect(address: SocketAddr) -> io::Result<TokioIo<TcpStream>> {
    let connected = tokio::time::timeout(CONNECT, tcp::connect(address)).await;
    connected
        .unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into()))
        .map(TokioIo::new)
}

fn kept_alive(endpoint: transport::Endpoint) -> transport::Endpoint {
    endpoint
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .keep_alive_while_idle(true)
}

/// A call goes to the first channel that has few, or to the one that has fewest.
fn transport(channel: impl Fn() -> Channel) -> Transport {
    let channels: [_; CONNECTIONS] = array::from_fn(|_| Line {
        channel: channel(),
        calls: AtomicUsize::new(0),
    });
    let channels = Arc::new(channels);
    BoxCloneSyncService::new(service_fn(move |request| {
        let call = Call::choose(&channels);
        async move {
            let call = call.ok_or_else(|| Status::internal("no channel"))?;
            let answer = call.line().channel.clone().oneshot(request).await;
            answer.map_err(|error| Status::from_error(error.into()))
        }
    }))
}

/// A channel, and how many calls wait for the beginning of an answer on it.
struct Line {
    channel: Channel,
    calls: AtomicUsize,
}

/// A call on one of these lines.
struct Call {
    lines: Arc<[Line; CONNECTIONS]>,
    index: usize,
}

impl Call {
    fn choose(lines: &Arc<[Line; CONNECTIONS]>) -> Option<Self> {
        let calls = |(_, line): &(usize, &Line)| line.calls.load(Ordering::Relaxed);
        let few = |line: &(usize, &Line)| calls(line) < TOGETHER;
        let first = lines.iter().enumerate().find(few);
        let (index, line) = first.or_else(|| lines.iter().enumerate().min_by_key(calls))?;
        line.calls.fetch_add(1, Ordering::Relaxed);
        Some(Self {
            lines: Arc::clone(lines),
            index,
        })
    }

    fn line(&self) -> &Line {
        self.lines.get(self.index).expect("it was chosen from them")
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.line().calls.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_connection_to_core_sends_small_requests_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connection = connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(connection.inner().nodelay().unwrap());
    }
}
