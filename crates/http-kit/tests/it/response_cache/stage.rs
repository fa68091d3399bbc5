//! A surface with one page, behind a cache.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use axum::{body::Body, response::Response};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode,
    header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::BodyExt as _;
use http_kit::{CacheOptions, Operation, Problem, Resource, ResponseCache, Router, Surface};
use muster_api::{Reason, metadata};
use rpc_client::{Context, Core};
use server::observe::RequestId;
use test_toy::{
    GOOD,
    v1::{GetThingRequest, bindings::PublishThing},
};
use tokio::{
    sync::watch,
    task::{JoinHandle, yield_now},
};
use tower::{ServiceExt as _, service_fn};

const SURFACE: Surface = Surface::of_data(metadata::Surface::Api, "nothing is here");

/// What the page answers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Page {
    Public(&'static str),
    Private(&'static str),
    Refused(Reason),
}

/// The surface, and what its page is told to do.
pub(super) struct Stage {
    pub(super) cache: ResponseCache,
    router: Router,
    core: Core,
    asked: Arc<AtomicUsize>,
    page: watch::Sender<Page>,
    is_held: watch::Sender<bool>,
    outcome: watch::Sender<&'static str>,
}

/// What a client got.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn age(&self) -> Option<u64> {
        let age = self.headers.get("age")?;
        Some(age.to_str().unwrap().parse().unwrap())
    }
}

impl Stage {
    /// The page is public, and old answers are served for five minutes.
    pub(super) fn set() -> Self {
        Self::set_with(CacheOptions::default())
    }

    pub(super) fn set_with(options: CacheOptions) -> Self {
        let (page, shown) = watch::channel(Page::Public("first"));
        let (is_held, held) = watch::channel(false);
        let (outcome, decided) = watch::channel("0");
        let asked = Arc::new(AtomicUsize::new(0));
        let core = Core::in_process(service_fn(move |_request: Request<tonic::body::Body>| {
            let status = HeaderValue::from_static(*decided.borrow());
            async move { Ok::<_, tonic::Status>(grpc_answer(status)) }
        }));
        let count = Arc::clone(&asked);
        let show = move |_request: axum::extract::Request| {
            count.fetch_add(1, SeqCst);
            let (page, mut held) = (*shown.borrow(), held.clone());
            async move {
                held.wait_for(|is_held| !is_held).await.unwrap();
                answer(page)
            }
        };
        let resource = |path| Resource::new(path).with(Operation::new(Method::GET, show.clone()));
        let routes = resource("/page").add_to(axum::Router::new());
        let routes = resource("/events/{slug}").add_to(routes);
        let cache = ResponseCache::new(options, core.changes().clone());
        Self {
            router: SURFACE.router(routes, &core, Some(cache.clone())),
            cache,
            core,
            asked,
            page,
            is_held,
            outcome,
        }
    }

    /// How often the page was asked.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(SeqCst)
    }

    /// The page answers this from now on.
    pub(super) fn show(&self, page: Page) {
        self.page.send_replace(page);
    }

    /// The page answers nothing until it is released.
    pub(super) fn hold(&self) {
        self.is_held.send_replace(true);
    }

    pub(super) fn release(&self) {
        self.is_held.send_replace(false);
    }

    /// Sends a change to core, which answers it with this code of gRPC.
    pub(super) async fn change(&self, code: &'static str) {
        self.outcome.send_replace(code);
        let credential = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(GOOD))]);
        let id = RequestId::parse("test").unwrap();
        let context = Context::from_headers(&credential, &id, Duration::from_secs(1));
        let thing = GetThingRequest { id: "x".to_owned() };
        let _outcome = self.core.call::<PublishThing>(thing, &context).await;
    }

    pub(super) async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None).await
    }

    pub(super) async fn get_with(&self, path: &str, name: HeaderName) -> Reply {
        self.send(Method::GET, path, Some(name)).await
    }

    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        header: Option<HeaderName>,
    ) -> Reply {
        read(self.router.clone(), method, path, header).await
    }

    /// Begins a request. When this returns, it waits for the page.
    pub(super) async fn begin(&self, path: &'static str) -> JoinHandle<Reply> {
        let router = self.router.clone();
        let begun = tokio::spawn(async move { read(router, Method::GET, path, None).await });
        settle().await;
        begun
    }
}

/// Lets all tasks go on that can.
pub(super) async fn settle() {
    for _ in 0..20 {
        yield_now().await;
    }
}

async fn read(router: Router, method: Method, path: &str, header: Option<HeaderName>) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    if let Some(name) = header {
        request = request.header(name, "1m");
    }
    let Ok(response) = router.oneshot(request.body(Body::empty()).unwrap()).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Reply {
        status: parts.status,
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}

fn answer(page: Page) -> Result<Response, Problem> {
    let (text, caching) = match page {
        Page::Public(text) => (text, "public, max-age=1"),
        Page::Private(text) => (text, "no-store"),
        Page::Refused(reason) => return Err(Problem::new(reason, "no")),
    };
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Ok(response)
}

/// An empty message, or a refusal with this code.
fn grpc_answer(status: HeaderValue) -> Response {
    let is_accepted = status == "0";
    let message: &'static [u8] = if is_accepted { &[0; 5] } else { &[] };
    let mut response = Response::new(Body::from(message));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-status", status);
    response
}
