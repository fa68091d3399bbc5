//! A core that answers each rpc with its request, unless the request's id is a command.

mod edges;
mod things;

use std::{
    future::pending,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use muster_api::{
    Reason,
    binding::Rpc,
    frame::{Frame, Framed, Handle},
    internal::v1::edge_service_server::EdgeServiceServer,
    status::{overloaded, status},
    validation::Checked,
};
use prost::Message;
use tokio::sync::Notify;
use tonic::{Request, Status, metadata::MetadataMap, service::Routes};

use crate::{GOOD, v1::thing_service_server::ThingServiceServer};

/// The core, and what it has seen; clones share it. Only [`GOOD`] may use what is not public. An id may be `missing`, `limited`,
/// `conflict`, `busy`, `broken`, `late`, `hang` or `panic`, and core does so.
#[derive(Debug, Clone, Default)]
pub struct Toy {
    seen: Arc<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    calls: AtomicUsize,
    checks: AtomicUsize,
    /// Of the last call.
    metadata: Mutex<MetadataMap>,
    begun: Notify,
    dropped: Notify,
}

impl Toy {
    /// Its services.
    pub fn routes(&self) -> Routes {
        let toy = self.clone();
        let noted = move |request: Request<()>| {
            toy.seen.calls.fetch_add(1, Ordering::SeqCst);
            *toy.metadata() = request.metadata().clone();
            Ok(request)
        };
        let (toy, of_edge) = (self.clone(), noted.clone());
        let checked = move |request: Request<()>| {
            toy.seen.checks.fetch_add(1, Ordering::SeqCst);
            of_edge(request)
        };
        let service = self.service();
        let things = ThingServiceServer::with_interceptor(service.clone(), noted);
        let edges = EdgeServiceServer::with_interceptor(service, checked);
        Routes::new(things).add_service(edges).prepare()
    }

    /// Its handlers as tonic's services.
    pub fn service(&self) -> Framed<ToyFrame, Self> {
        Framed::new(&Arc::new(ToyFrame), self.clone())
    }

    /// How many calls there were.
    pub fn count(&self) -> usize {
        self.seen.calls.load(Ordering::SeqCst)
    }

    /// How many of them checked a credential.
    pub fn checks(&self) -> usize {
        self.seen.checks.load(Ordering::SeqCst)
    }

    /// The last call's metadata of that name.
    pub fn header(&self, name: &str) -> Option<String> {
        let metadata = self.metadata();
        let value = metadata.get(name)?;
        Some(value.to_str().ok()?.to_owned())
    }

    /// Waits until a call hangs.
    pub async fn begun(&self) {
        self.seen.begun.notified().await;
    }

    /// Waits until a call that hangs, or a stream that is open, is dropped.
    pub async fn dropped(&self) {
        self.seen.dropped.notified().await;
    }

    fn metadata(&self) -> MutexGuard<'_, MetadataMap> {
        let metadata = self.seen.metadata.lock();
        metadata.unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what the text commands, if anything.
    async fn obey(&self, text: &str) -> Result<(), Status> {
        let refused = |reason, message: &str| Err(status(reason, message));
        match text {
            "missing" => refused(Reason::NotFound, "there is no such thing"),
            "limited" => refused(Reason::RateLimited, "slow down"),
            "conflict" => refused(Reason::Conflict, "no"),
            "busy" => Err(overloaded()),
            "broken" => Err(Status::internal("SELECT * FROM secrets failed")),
            "late" => Err(Status::deadline_exceeded("core gave up")),
            "hang" => {
                let _dropped = Dropped(Arc::clone(&self.seen));
                self.seen.begun.notify_one();
                pending().await
            }
            "panic" => panic!("as commanded"),
            _ => Ok(()),
        }
    }
}

/// Says when a call is dropped.
struct Dropped(Arc<Seen>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

/// Everyone with the one credential is the same caller, and nothing is stored by idempotency keys.
#[derive(Debug)]
pub struct ToyFrame;

impl Frame for ToyFrame {
    type Error = Status;
    type Public = ();
    type Bearer = ();
    type Session = ();
    type Member = ();
    type Command<M: Message> = ();

    fn public<M>(&self, _: &Request<M>) -> Result<(), Status> {
        Ok(())
    }

    fn bearer<M>(&self, request: &Request<M>) -> Result<(), Status> {
        authorize(request.metadata())
    }

    fn session<M>(&self, request: &Request<M>) -> Result<(), Status> {
        authorize(request.metadata())
    }

    fn member<M>(&self, request: &Request<M>) -> Result<(), Status> {
        authorize(request.metadata())
    }

    async fn once<R: Rpc, H: Sync>(
        &self,
        handlers: &H,
        request: Request<Checked<R::Request>>,
        handle: Handle<Self, H, R>,
    ) -> Result<R::Response, Status> {
        self.bearer(&request)?;
        handle(handlers, (), request.into_inner()).await
    }

    fn refuse(&self, error: Status) -> Status {
        error
    }
}

/// Refuses all but the one credential.
fn authorize(metadata: &MetadataMap) -> Result<(), Status> {
    let credential = metadata.get("authorization");
    if credential.is_some_and(|one| one.as_bytes().eq_ignore_ascii_case(GOOD.as_bytes())) {
        return Ok(());
    }
    let message = "the API key is unknown or revoked";
    Err(status(Reason::Unauthorized, message))
}
