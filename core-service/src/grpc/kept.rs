//! Answers about the public catalogue that core keeps, as they are sent.
//!
//! What the catalogue shows is the same for everybody, and which of its answers still holds the database says in one short read, which
//! those share who ask at the same time. So an answer is read and encoded once until the catalogue changes. None is older than one that is
//! read for the call would be: the state of the catalogue is read after the call came, and must be that of before the answer was made
//! (docs/adr/0015-kept-by-core.md).

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
use muster_api::metadata::CATALOGUE;
use process::metrics;
use tokio::time::Instant;
use tonic::{Status, body::Body, service::Routes};
use tower::Service;

use crate::{domain::catalogue::CatalogueState, service::Catalogue};

/// How many bytes are kept. Those who crawl the catalogue do not push out what many ask for.
const MOST_KEPT: u64 = 32 << 20;

/// The largest answer that is kept: a page of 100 long events.
const LARGEST: usize = 512 << 10;

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
    pub(super) fn new(routes: Routes, catalogue: Catalogue) -> Self {
        let answers = Cache::builder()
            .max_capacity(MOST_KEPT)
            .weigher(weight)
            .build();
        Self {
            routes,
            memory: Arc::new(Memory { catalogue, answers }),
        }
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
        let rule = muster_api::access(request.uri().path());
        if !rule.is_some_and(|rule| rule.shows_catalogue) {
            return Either::Left(self.routes.call(request));
        }
        let (memory, routes) = (Arc::clone(&self.memory), self.routes.clone());
        Either::Right(Box::pin(async move {
            let answer = memory.answer(routes, request).await;
            Ok(answer.unwrap_or_else(|refusal| refusal.into_http()))
        }))
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

struct Memory {
    catalogue: Catalogue,
    /// By rpc and request.
    answers: Cache<Bytes, Arc<Kept>>,
}

/// An answer.
struct Kept {
    /// The catalogue's before it was made.
    state: Arc<CatalogueState>,
    since: Instant,
    head: HeaderMap,
    message: Bytes,
    trailers: HeaderMap,
}

impl Memory {
    async fn answer(
        &self,
        mut routes: Routes,
        request: Request<Body>,
    ) -> Result<Response<Body>, Box<Status>> {
        let (head, body) = request.into_parts();
        let message = body.collect().await.map_err(Box::new)?.to_bytes();
        // A message begins with a zero, which no path has. It is copied, since it may be a part of much that was received.
        let asked = Bytes::from([head.uri.path().as_bytes(), &message].concat());
        let state = self.catalogue.state().await;
        if let Some(state) = &state
            && let Some(kept) = self.answers.get(&asked)
            && kept.holds(state)
        {
            metrics::measure(|all| all.kept_answers.add_one(["hit".into()]));
            return Ok(kept.answer());
        }
        metrics::measure(|all| all.kept_answers.add_one(["miss".into()]));
        let mut request = Request::from_parts(head, Body::new(Full::new(message)));
        if let Some(state) = &state {
            // Whoever asks a replica wants to know what it has to have.
            request.extensions_mut().insert(Arc::clone(state));
        }
        let answer = match routes.call(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        match state {
            Some(state) if answer.headers().contains_key(CATALOGUE) => {
                self.keep(asked, state, answer).await
            }
            _ => Ok(answer),
        }
    }

    async fn keep(
        &self,
        asked: Bytes,
        state: Arc<CatalogueState>,
        answer: Response<Body>,
    ) -> Result<Response<Body>, Box<Status>> {
        let (head, body) = answer.into_parts();
        let whole = body.collect().await.map_err(Box::new)?;
        let trailers = whole.trailers().cloned().unwrap_or_default();
        let kept = Arc::new(Kept {
            state,
            since: Instant::now(),
            head: head.headers,
            message: whole.to_bytes(),
            trailers,
        });
        if kept.is_complete() && kept.message.len() <= LARGEST {
            self.answers.insert(asked, Arc::clone(&kept));
        }
        Ok(kept.answer())
    }
}

impl Kept {
    /// Whether it is what would be read now.
    fn holds(&self, state: &CatalogueState) -> bool {
        *self.state == *state && self.since.elapsed() < LONGEST
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

fn weight(asked: &Bytes, kept: &Arc<Kept>) -> u32 {
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
