//! Answers of a surface about the catalogue, kept as they were written. A request for one of them passes none of the surface's layers.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    middleware::{Next, from_fn},
    response::Response,
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
    header::{AGE, CACHE_CONTROL, COOKIE, SET_COOKIE},
};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use moka::sync::Cache;
use process::observe::Route;
use tokio::time::timeout;
use tower::ServiceExt as _;

use super::{
    Surface, compress, conditional, guard,
    page::{Coding, Page},
};
use crate::{
    Memory,
    memory::{LARGEST, LONGEST, Record, Recorder, Turn, Turns},
};

/// How long a request waits for another one that makes its answer anew.
const PATIENCE: Duration = Duration::from_secs(1);

/// RFC 9211.
const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// The answers of one surface. Clones share them.
#[derive(Clone)]
pub(super) struct Pages(Arc<Kept>);

struct Kept {
    memory: Memory,
    surface: Surface,
    /// By path and query. Those to requests with filters are apart, so that searches do not push out the others.
    unfiltered: Cache<String, Arc<Page>>,
    filtered: Cache<String, Arc<Page>>,
    turns: Turns<String>,
}

impl Pages {
    pub(super) fn new(memory: &Memory, surface: Surface) -> Self {
        let part = memory.bytes() / 8;
        Self(Arc::new(Kept {
            memory: memory.clone(),
            surface,
            unfiltered: store(2 * part),
            filtered: store(part),
            turns: Turns::default(),
        }))
    }

    /// These routes, whose answers are kept if they can be.
    pub(super) fn filled_by(self, routes: axum::Router) -> axum::Router {
        let fill = move |request: Request, next: Next| {
            let pages = self.clone();
            async move { pages.0.fill(request, next).await }
        };
        routes.layer(from_fn(fill))
    }

    /// What is kept for a request.
    pub(super) fn find<B>(&self, request: &http::Request<B>) -> Found {
        let Some(page) = self.0.find(request) else {
            return Found::Nothing;
        };
        if !self.0.is_right(&page) {
            return Found::Old;
        }
        let coding = Coding::wanted(request.headers());
        match page.answer_now(request.method(), request.headers(), coding) {
            Some(answer) => Found::Answer(answer),
            None => Found::Unencoded(page, coding),
        }
    }

    /// The answer to a request for which this was found.
    pub(super) async fn answer(
        self,
        found: Found,
        request: Request,
        routes: axum::Router,
    ) -> Response {
        let answer = match found {
            Found::Answer(answer) => Some(answer),
            Found::Unencoded(page, coding) => {
                page.answer_in(request.method(), request.headers(), coding)
                    .await
            }
            Found::Old => return self.0.renewed(request, routes).await,
            Found::Nothing => None,
        };
        match answer {
            Some(answer) => answer,
            None => by(routes, request).await,
        }
    }
}

/// What is kept for a request.
pub(super) enum Found {
    Nothing,
    /// An answer that does not hold any more.
    Old,
    /// An answer that was never sent in this coding.
    Unencoded(Arc<Page>, Coding),
    Answer(Response),
}

/// The answer of these routes.
async fn by(routes: axum::Router, request: Request) -> Response {
    let Ok(response) = routes.oneshot(request).await;
    response
}

impl Kept {
    /// Answers a request by the routes, and keeps the answer.
    async fn fill(&self, mut request: Request, next: Next) -> Response {
        if *request.method() != Method::GET || request.headers().contains_key(COOKIE) {
            return next.run(request).await;
        }
        let asked = request.uri().clone();
        let recorder = Recorder::default();
        request.extensions_mut().insert(recorder.clone());
        let mut response = next.run(request).await;
        let record = recorder.take();
        if let Some(age) = record.age {
            mark_as_old(&mut response, age);
        }
        if response.status() != StatusCode::OK || !is_public(response.headers()) {
            return response;
        }
        self.keep(&asked, response, record).await
    }

    async fn keep(&self, asked: &Uri, response: Response, record: Record) -> Response {
        let is_filtered = record.is_filtered;
        let size = response.body().size_hint().exact();
        let is_small = size.is_some_and(|size| size <= LARGEST as u64);
        let (true, Some(basis), Some(asked)) = (is_small, record.basis(), asked.path_and_query())
        else {
            return response;
        };
        let (parts, body) = response.into_parts();
        let Ok(whole) = body.collect().await else {
            // Bytes in memory are always read to their end.
            return Response::from_parts(parts, Body::empty());
        };
        let body = whole.to_bytes();
        let mut headers = parts.headers.clone();
        guard::set_defaults(&mut headers, self.surface);
        let media_types = self.surface.compressed;
        if compress::is_among(media_types, &headers) {
            conditional::weaken(&mut headers);
        }
        let route = parts.extensions.get::<Route>().copied();
        let page = Page::new(basis, headers, body.clone(), route, media_types);
        let store = if is_filtered {
            &self.filtered
        } else {
            &self.unfiltered
        };
        store.insert(asked.as_str().to_owned(), Arc::new(page));
        Response::from_parts(parts, Body::from(body))
    }

    /// What is kept for a request, right or not.
    fn find<B>(&self, request: &http::Request<B>) -> Option<Arc<Page>> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        if !is_read || request.headers().contains_key(COOKIE) || guard::oversized(request).is_some()
        {
            return None;
        }
        let asked = request.uri().path_and_query()?.as_str();
        let found = self.unfiltered.get(asked);
        found.or_else(|| self.filtered.get(asked))
    }

    fn is_right(&self, page: &Page) -> bool {
        let now = self.memory.now();
        let is_right = self.memory.is_right(&page.basis, now);
        if is_right {
            self.memory.count_hit(now);
        }
        is_right
    }

    /// The answer to a request for a page that was kept, but does not hold any more. One of those who ask at a time makes it anew.
    async fn renewed(&self, request: Request, routes: axum::Router) -> Response {
        let asked = request.uri().path_and_query();
        let asked = asked.map_or_else(String::new, |asked| asked.as_str().to_owned());
        let _turn = match self.turns.take(asked, self.memory.epoch()) {
            Turn::Own(turn) => Some(turn),
            Turn::Another(end) => {
                // It may be over or not: what is not kept yet is asked for as usual, within the request's own time.
                let _end = timeout(PATIENCE, end).await;
                let coding = Coding::wanted(request.headers());
                if let Some(page) = self.find(&request)
                    && self.is_right(&page)
                    && let Some(answer) = page
                        .answer_in(request.method(), request.headers(), coding)
                        .await
                {
                    return answer;
                }
                None
            }
        };
        by(routes, request).await
    }
}

fn store(bytes: u64) -> Cache<String, Arc<Page>> {
    let weigh = |asked: &String, page: &Arc<Page>| {
        u32::try_from(asked.len() + page.weight()).unwrap_or(u32::MAX)
    };
    Cache::builder()
        .max_capacity(bytes)
        .weigher(weigh)
        .time_to_live(LONGEST)
        .build()
}

/// Whether an answer says that it is the same for everybody.
fn is_public(headers: &HeaderMap) -> bool {
    let caching = headers.get(CACHE_CONTROL).map(HeaderValue::as_bytes);
    let is_public = caching.is_some_and(|caching| caching.starts_with(b"public"));
    is_public && !headers.contains_key(SET_COOKIE)
}

/// Says that an answer is old: core is away.
fn mark_as_old(response: &mut Response, age: Duration) {
    let seconds = age.as_secs();
    let headers = response.headers_mut();
    headers.insert(AGE, seconds.into());
    if let Ok(status) = HeaderValue::try_from(format!("muster; hit; ttl=-{seconds}")) {
        headers.insert(CACHE_STATUS, status);
    }
}
