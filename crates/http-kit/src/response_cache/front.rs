//! The cache in front of one surface: what a request finds, and who asks core.

use std::{future::ready, sync::Arc, time::Duration};

use axum::{extract::Request, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, header::AGE};
use muster_api::Reason;
use rpc_client::Generation;
use server::observe::RequestId;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

use super::{
    ResponseCache, Source, TIME_TO_LIVE,
    asked::{self, Access, Encoding, Key, RequestKey},
    entry::{Basis, Entry},
    fill::{Fill, Outcome, is_unreachable},
    flight::{Role, Waiting},
};
use crate::{Problem, Surface, conditional, layers::Layers, resource::without_body};

/// How long a client waits for core while there is an older answer that nothing is known to have changed since.
const STALE_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a client waits for core while there is only an answer that is known to have changed since.
const CHANGED_TIMEOUT: Duration = Duration::from_secs(2);

/// How long core is not asked again for what it was asked for in vain, while there is an older answer.
const OUTAGE_PAUSE: Duration = Duration::from_secs(1);

/// RFC 9211.
const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// The cache in front of one surface.
#[derive(Clone)]
pub(crate) struct Front {
    pub(crate) cache: ResponseCache,
    pub(crate) surface: Surface,
    pub(crate) layers: Layers,
}

/// What a request finds.
pub(crate) enum Lookup {
    /// A fresh answer.
    Hit(Response),
    /// A fresh answer that was never sent in this encoding.
    Unencoded(Arc<Entry>, Encoding),
    /// Nothing, or an answer that is not fresh.
    Miss(Access, Key, Option<Arc<Entry>>),
}

/// A request that found no fresh answer.
struct Miss {
    key: Key,
    /// An older answer that may be served while core cannot be reached.
    stale: Option<Arc<Entry>>,
    generation: Generation,
    method: Method,
    conditions: HeaderMap,
    encoding: Encoding,
}

impl Front {
    /// Looks a request up; `None` if it passes the cache by.
    pub(crate) fn lookup<B>(&self, request: &http::Request<B>) -> Option<Lookup> {
        let access = asked::access(request)?;
        let key = RequestKey::of(request, self.surface.name)?;
        let found = self.cache.get(key);
        let Some(entry) = found.as_ref().filter(|entry| self.cache.is_fresh(entry)) else {
            return Some(Lookup::Miss(access, key.to_owned(), found));
        };
        self.cache.count(Source::Fresh);
        let encoding = Encoding::wanted(request.headers());
        let answer = entry.answer_now(request.method(), request.headers(), encoding);
        Some(match answer {
            Some(answer) => Lookup::Hit(answer),
            None => Lookup::Unencoded(Arc::clone(entry), encoding),
        })
    }

    /// Answers a request that found this.
    pub(crate) async fn answer(self, lookup: Lookup, request: Request) -> Response {
        match lookup {
            Lookup::Hit(answer) => answer,
            Lookup::Unencoded(entry, encoding) => {
                entry
                    .answer_in(request.method(), request.headers(), encoding)
                    .await
            }
            Lookup::Miss(access, key, entry) => {
                let stale = entry.filter(|entry| self.cache.may_be_stale(entry));
                let miss = Miss::new(&request, key, stale, &self.cache);
                match (&miss.stale, access) {
                    (Some(entry), _) if entry.is_in_outage(&miss.generation) => {
                        miss.serve_stale(entry, &self.cache).await
                    }
                    (_, Access::Read) => self.pass(request, miss).await,
                    (_, Access::ReadAndFill) => self.join(request, miss).await,
                }
            }
        }
    }

    /// Asks for one client, of whose answer nothing is stored.
    async fn pass(self, request: Request, miss: Miss) -> Response {
        let response = self.layers.answer(request, ready).await;
        match &miss.stale {
            Some(entry) if is_unreachable(response.status()) => {
                miss.serve_stale(entry, &self.cache).await
            }
            _ => response,
        }
    }

    /// Asks for all who want the same, or waits for one who does.
    async fn join(self, request: Request, miss: Miss) -> Response {
        let basis = Basis {
            key: miss.key.clone(),
            asked_at: Instant::now(),
            generation: miss.generation.clone(),
        };
        let flight = (basis.key.clone(), basis.generation.number());
        match self.cache.0.flights.join(flight, TIME_TO_LIVE) {
            Role::Leader(flight) => {
                let fill = Fill {
                    cache: self.cache.clone(),
                    surface: self.surface,
                    basis,
                    flight,
                };
                self.lead(request, miss, fill).await
            }
            Role::Follower(waiting) => self.follow(request, miss, waiting).await,
        }
    }

    async fn lead(self, mut request: Request, miss: Miss, fill: Fill) -> Response {
        // For all who wait there has to be a body.
        *request.method_mut() = Method::GET;
        let fill = Arc::new(fill);
        let filling = self.layers.answer(request, move |response| {
            let fill = Arc::clone(&fill);
            async move { fill.complete(response).await }
        });
        // It is a task of its own, so that a client that leaves does not end it.
        let filling = tokio::spawn(filling.in_current_span());
        let outcome = match miss.timeout() {
            Some(time) => timeout(time, filling).await.ok(),
            None => Some(filling.await),
        };
        let response = match (outcome, &miss.stale) {
            (Some(Ok(response)), None) => response,
            (Some(Ok(response)), Some(_)) if !is_unreachable(response.status()) => response,
            (_, Some(entry)) => {
                entry.note_outage(&miss.generation, OUTAGE_PAUSE);
                return miss.serve_stale(entry, &self.cache).await;
            }
            (_, None) => {
                let problem = Problem::new(Reason::Internal, "Muster failed");
                problem.into_response(&RequestId::fresh())
            }
        };
        if miss.method == Method::HEAD {
            return without_body(response);
        }
        response
    }

    async fn follow(self, request: Request, miss: Miss, waiting: Waiting<Outcome>) -> Response {
        let outcome = match miss.timeout() {
            Some(time) => timeout(time, waiting.outcome()).await.ok(),
            // The flight has the same time limit as this request, and began earlier.
            None => Some(waiting.outcome().await),
        };
        match (outcome, &miss.stale) {
            (Some(Some(Outcome::Answer(entry))), _) => miss.answer(&entry).await,
            (Some(Some(Outcome::Unreachable(refusal))), None) => {
                let id = RequestId::in_extensions(request.extensions());
                refusal.answer(&id, self.surface)
            }
            (None | Some(Some(Outcome::Unreachable(_))), Some(entry)) => {
                miss.serve_stale(entry, &self.cache).await
            }
            _ => self.layers.answer(request, ready).await,
        }
    }
}

impl Miss {
    fn new(request: &Request, key: Key, stale: Option<Arc<Entry>>, cache: &ResponseCache) -> Self {
        Self {
            key,
            generation: cache.0.changes.generation(request.uri().path()),
            method: request.method().clone(),
            conditions: conditional::conditions(request.headers()),
            encoding: Encoding::wanted(request.headers()),
            stale,
        }
    }

    /// How long the client waits for core; `None` if there is nothing else to serve.
    fn timeout(&self) -> Option<Duration> {
        let stale = self.stale.as_ref()?;
        let is_changed = stale.basis.generation.number() != self.generation.number();
        Some(if is_changed {
            CHANGED_TIMEOUT
        } else {
            STALE_TIMEOUT
        })
    }

    async fn answer(&self, entry: &Entry) -> Response {
        entry
            .answer_in(&self.method, &self.conditions, self.encoding)
            .await
    }

    /// Returns the older answer, which says how old it is.
    async fn serve_stale(&self, entry: &Entry, cache: &ResponseCache) -> Response {
        cache.count(Source::Stale);
        let mut answer = self.answer(entry).await;
        let (headers, seconds) = (answer.headers_mut(), entry.age().as_secs());
        headers.insert(AGE, seconds.into());
        if let Ok(status) = HeaderValue::try_from(format!("muster; hit; ttl=-{seconds}")) {
            headers.insert(CACHE_STATUS, status);
        }
        answer
    }
}
