//! One path and what can be done with it: methods, `HEAD`, `OPTIONS`, 405 and CORS.

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{body::Body, extract::Request, response::Response};
use edge::Problem;
use futures_util::{FutureExt, future::BoxFuture};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
        ALLOW, CONTENT_LENGTH,
    },
};
use muster_api::Reason;
use process::observe::Route;

use crate::{error, guard::request_id, respond, table::Gateway};

/// Answers a request.
pub(crate) type Handler =
    fn(Arc<Gateway>, Request) -> BoxFuture<'static, Result<Response, Problem>>;

/// One method of a path.
pub(crate) struct Operation {
    pub(crate) method: Method,
    /// Whether pages of any origin may read the answer: it is public, and the method changes nothing.
    pub(crate) is_shared: bool,
    pub(crate) handle: Handler,
}

/// How long a browser may remember that it was allowed to ask, in seconds: a day.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("86400");

/// The answer's headers that pages of other origins may read, besides those that they always may.
const EXPOSED: HeaderValue = HeaderValue::from_static("etag, retry-after, x-request-id");

const ANY: HeaderValue = HeaderValue::from_static("*");

/// One path.
pub(crate) struct Resource {
    /// Its template.
    pub(crate) path: &'static str,
    operations: Vec<Operation>,
}

impl Resource {
    pub(crate) const fn new(path: &'static str) -> Self {
        Self {
            path,
            operations: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    pub(crate) async fn answer(&self, gateway: Arc<Gateway>, request: Request) -> Response {
        let id = request_id(&request);
        let method = request.method().clone();
        let mut response = match self.operation(&method) {
            Some(operation) => {
                // A defect in one request must not take its connection's other requests along.
                let outcome = AssertUnwindSafe((operation.handle)(gateway, request))
                    .catch_unwind()
                    .await;
                let outcome = outcome.unwrap_or_else(|_panic| Err(panicked()));
                let mut response = outcome.unwrap_or_else(|problem| error::response(problem, &id));
                if operation.is_shared {
                    response
                        .headers_mut()
                        .insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
                    response
                        .headers_mut()
                        .insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
                }
                response
            }
            None if method == Method::OPTIONS => self.options(request.headers()),
            None => {
                let message = format!("this path takes {}, not {method}", self.allowed());
                let mut response =
                    error::response(Problem::new(Reason::MethodNotAllowed, message), &id);
                self.allow(response.headers_mut());
                response
            }
        };
        if method == Method::HEAD {
            response = without_body(response);
        }
        response.extensions_mut().insert(Route(self.path));
        response
    }

    /// The operation of a method; `HEAD` is answered as `GET`.
    fn operation(&self, method: &Method) -> Option<&Operation> {
        let of = |method: &Method| {
            self.operations
                .iter()
                .find(|operation| operation.method == *method)
        };
        of(method).or_else(|| {
            if method == Method::HEAD {
                of(&Method::GET)
            } else {
                None
            }
        })
    }

    /// What the path takes, also as a preflight: browsers ask it before they let a page of another origin call.
    fn options(&self, headers: &HeaderMap) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        self.allow(response.headers_mut());
        let wanted = headers
            .get(ACCESS_CONTROL_REQUEST_METHOD)
            .and_then(|value| Method::from_bytes(value.as_bytes()).ok());
        if wanted
            .and_then(|method| self.operation(&method))
            .is_some_and(|operation| operation.is_shared)
        {
            let allowed = response.headers_mut();
            allowed.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
            allowed.insert(
                ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static("GET, HEAD"),
            );
            allowed.insert(ACCESS_CONTROL_ALLOW_HEADERS, ANY);
            allowed.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
        }
        response
    }

    fn allow(&self, headers: &mut HeaderMap) {
        if let Ok(allowed) = HeaderValue::try_from(self.allowed()) {
            headers.insert(ALLOW, allowed);
        }
    }

    /// For example `GET, HEAD, OPTIONS, POST`.
    fn allowed(&self) -> String {
        let mut methods: Vec<&str> = self
            .operations
            .iter()
            .map(|operation| operation.method.as_str())
            .collect();
        methods.push("OPTIONS");
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.dedup();
        methods.join(", ")
    }
}

fn panicked() -> Problem {
    Problem::new(Reason::Internal, "Muster failed")
        .caused_by("panicked; the panic's own message stands above")
}

/// As `HEAD` wants it: all that the answer to `GET` would say of itself, and nothing more.
fn without_body(response: Response) -> Response {
    let length = http_body::Body::size_hint(response.body()).exact();
    let mut response = response.map(|_body| respond::nothing());
    if let Some(length) = length {
        let headers = response.headers_mut();
        headers
            .entry(CONTENT_LENGTH)
            .or_insert_with(|| length.into());
    }
    response
}
