//! Answers that core keeps, as they are sent: about the public catalogue, and lists of an account's events.
//!
//! Which of them still hold the database says in one short read, which those share who ask at the same time. So an answer is read and encoded
//! once until something changes. None is older than one that is read for the call would be: what has changed is read after the call came, and
//! must be what it was before the answer was made (docs/adr/0015-kept-by-core.md).

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::Either;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full};
use moka::sync::Cache;
use muster_api::{binding::Rpc as _, metadata::CATALOGUE, v1::bindings::ListMyEvents};
use process::metrics;
use tokio::time::Instant;
use tonic::{Status, body::Body, service::Routes};
use tower::Service;

use crate::{
    domain::{catalogue::CatalogueState, event::Holds},
    service::{Catalogue, Events, Principal},
};

/// How many bytes are kept about the catalogue. Those who crawl it do not push out what many ask for.
const MOST_KEPT: u64 = 32 << 20;

/// How many bytes of lists of accounts' events are kept: some thousand pages.
const MOST_KEPT_OF_OWN: u64 = 16 << 20;

/// The largest answer that is kept: a page of 100 long events.
const LARGEST: usize = 512 << 10;

/// The longest request whose answer is kept: a message may have fields that nobody knows, up to a megabyte, and must not push out what
/// others asked for.
const LONGEST_ASKED: usize = 4 << 10;

/// What keeping an answer takes beside its bytes.
const OVERHEAD: usize = 512;

/// An answer is not used for longer, whatever is told: somebody may change the database by hand.
const LONGEST: Duration = Duration::from_mins(5);

/// Core's services, some answers of which are kept. Clones share them.
#[derive(Clone)]
pub struct Services {
    routes: Routes,
    memory: Arc<Memory>,
}

impl Services {
    pub(super) fn new(routes: Routes, catalogue: Catalogue, events: Events) -> Self {
        let memory = Memory {
            catalogue,
            events,
            public: answers(MOST_KEPT),
            own: answers(MOST_KEPT_OF_OWN),
        };
        Self {
            routes,
            memory: Arc::new(memory),
        }
    }
}

/// What core may keep of an rpc's answers.
#[derive(Debug, Clone, Copy)]
enum Shown {
    Catalogue,
    OwnEvents,
}

impl Shown {
    /// By its gRPC path.
    fn by(path: &str) -> Option<Self> {
        if path == ListMyEvents::GRPC_PATH {
            return Some(Self::OwnEvents);
        }
        let rule = muster_api::access(path)?;
        rule.shows_catalogue.then_some(Self::Catalogue)
    }
}

impl Service<Request<Body>> for Services {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<<Routes as Service<Request<Body>>>::Future, Answering>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Body>>::poll_ready(&mut self.routes, context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Some(shown) = Shown::by(request.uri().path()) else {
            return Either::Left(self.routes.call(request));
        };
        let (memory, routes) = (Arc::clone(&self.memory), self.routes.clone());
        Either::Right(Box::pin(async move {
            let answer = match shown {
                Shown::Catalogue => memory.of_catalogue(routes, request).await,
                Shown::OwnEvents => memory.of_own_events(routes, request).await,
            };
            Ok(answer.unwrap_or_else(|refusal| refusal.into_http()))
        }))
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// By rpc and request, and by account where it has one.
type Answers<H> = Cache<Bytes, Arc<Kept<H>>>;

fn answers<H: Send + Sync + 'static>(most_bytes: u64) -> Answers<H> {
    let answers = Cache::builder().max_capacity(most_bytes);
    answers.weigher(weight).build()
}

struct Memory {
    catalogue: Catalogue,
    events: Events,
    /// With the catalogue's state before each was made.
    public: Answers<Arc<CatalogueState>>,
    own: Answers<Holds>,
}

/// An answer.
struct Kept<H> {
    holds: H,
    since: Instant,
    head: HeaderMap,
    message: Bytes,
    trailers: HeaderMap,
}

impl Memory {
    async fn of_catalogue(
        &self,
        routes: Routes,
        request: Request<Body>,
    ) -> Result<Response<Body>, Box<Status>> {
        let (asked, mut request) = asked(request, None).await?;
        let state = self.catalogue.state().await;
        if let Some(state) = &state
            && let Some(kept) = self.public.get(&asked)
            && kept.holds == *state
            && kept.is_young()
        {
            return Ok(kept.hit());
        }
        if let Some(state) = &state {
            // Whoever asks a replica wants to know what it has to have.
            request.extensions_mut().insert(Arc::clone(state));
        }
        let answer = miss(routes, request).await;
        match state {
            Some(state) if answer.headers().contains_key(CATALOGUE) => {
                keep(&self.public, asked, state, answer).await
            }
            _ => Ok(answer),
        }
    }

    async fn of_own_events(
        &self,
        routes: Routes,
        request: Request<Body>,
    ) -> Result<Response<Body>, Box<Status>> {
        let caller = request.extensions().get::<Principal>().copied();
        let (asked, request) = asked(request, caller).await?;
        if let Some(kept) = self.own.get(&asked)
            && kept.is_young()
            && self.events.still_holds(&kept.holds).await
        {
            return Ok(kept.hit());
        }
        let answer = miss(routes, request).await;
        match answer.extensions().get::<Holds>().copied() {
            Some(holds) => keep(&self.own, asked, holds, answer).await,
            None => Ok(answer),
        }
    }
}

/// What a request asks for, and the request as it came.
async fn asked(
    request: Request<Body>,
    caller: Option<Principal>,
) -> Result<(Bytes, Request<Body>), Box<Status>> {
    let (head, body) = request.into_parts();
    let message = body.collect().await.map_err(Box::new)?.to_bytes();
    let account = caller.map(|caller| caller.account.uuid());
    let account = account
        .as_ref()
        .map_or(&[][..], |account| account.as_bytes());
    // A message begins with a zero, which no path has, and then says how long it is. It is copied, since it may be a part of much that was
    // received.
    let asked = Bytes::from([head.uri.path().as_bytes(), &message, account].concat());
    let request = Request::from_parts(head, Body::new(Full::new(message)));
    Ok((asked, request))
}

async fn miss(mut routes: Routes, request: Request<Body>) -> Response<Body> {
    metrics::measure(|all| all.kept_answers.add_one(["miss".into()]));
    match routes.call(request).await {
        Ok(answer) => answer,
        Err(never) => match never {},
    }
}

async fn keep<H: Send + Sync + 'static>(
    answers: &Answers<H>,
    asked: Bytes,
    holds: H,
    answer: Response<Body>,
) -> Result<Response<Body>, Box<Status>> {
    let (head, body) = answer.into_parts();
    if asked.len() > LONGEST_ASKED {
        return Ok(Response::from_parts(head, body));
    }
    let whole = body.collect().await.map_err(Box::new)?;
    let trailers = whole.trailers().cloned().unwrap_or_default();
    let kept = Arc::new(Kept {
        holds,
        since: Instant::now(),
        head: head.headers,
        message: whole.to_bytes(),
        trailers,
    });
    if kept.is_complete() && kept.message.len() <= LARGEST {
        answers.insert(asked, Arc::clone(&kept));
    }
    Ok(kept.answer())
}

impl<H> Kept<H> {
    fn is_young(&self) -> bool {
        self.since.elapsed() < LONGEST
    }

    fn hit(&self) -> Response<Body> {
        metrics::measure(|all| all.kept_answers.add_one(["hit".into()]));
        self.answer()
    }

    /// Whether it ended well, and not by an error after its beginning.
    fn is_complete(&self) -> bool {
        let status = self.trailers.get(Status::GRPC_STATUS);
        status.is_some_and(|status| status == HeaderValue::from_static("0"))
    }

    fn answer(&self) -> Response<Body> {
        let mut answer = Response::new(Body::new(Whole {
            message: Some(self.message.clone()),
            trailers: Some(self.trailers.clone()),
        }));
        *answer.headers_mut() = self.head.clone();
        answer
    }
}

fn weight<H>(asked: &Bytes, kept: &Arc<Kept<H>>) -> u32 {
    u32::try_from(asked.len() + kept.message.len() + OVERHEAD).unwrap_or(u32::MAX)
}

/// A body that is there already.
struct Whole {
    message: Option<Bytes>,
    trailers: Option<HeaderMap>,
}

impl http_body::Body for Whole {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let message = self.message.take().map(Frame::data);
        let next = message.or_else(|| self.trailers.take().map(Frame::trailers));
        Poll::Ready(next.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.message.is_none() && self.trailers.is_none()
    }
}
