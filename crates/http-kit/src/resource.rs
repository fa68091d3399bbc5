//! One path with its methods, `HEAD`, `OPTIONS`, 405 and CORS.

use std::sync::Arc;

use axum::{Router, body::Body, extract::Request, response::Response, routing::any};
use futures_util::{FutureExt, future::BoxFuture};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCESS_CONTROL_REQUEST_METHOD, ALLOW, CONTENT_LENGTH},
};
use muster_api::Reason;
use server::{
    cors::SharedWith,
    observe::{RequestId, Route},
};

use super::answer::nothing;
use crate::Problem;

/// Answers a request.
type Handler =
    Box<dyn Fn(Request) -> BoxFuture<'static, Result<Response, Problem>> + Send + Sync + 'static>;

/// One method of a path.
pub struct Operation {
    method: Method,
    shared: SharedWith,
    handle: Handler,
}

impl Operation {
    /// The operation of a method.
    pub fn new<H, F>(method: Method, handle: H) -> Self
    where
        H: Fn(Request) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        Self {
            method,
            shared: SharedWith::Nobody,
            handle: Box::new(move |request| handle(request).boxed()),
        }
    }

    /// The same operation; pages of any origin may use it, since it takes nobody's cookies: any program could do the same.
    #[must_use]
    pub fn shared(self) -> Self {
        self.shared_with(SharedWith::Everyone)
    }

    /// The same operation for these pages.
    #[must_use]
    pub fn shared_with(self, shared: SharedWith) -> Self {
        Self { shared, ..self }
    }
}

/// One path.
pub struct Resource {
    path: &'static str,
    operations: Vec<Operation>,
}

impl Resource {
    /// A path by its template, without methods.
    pub const fn new(path: &'static str) -> Self {
        Self {
            path,
            operations: Vec::new(),
        }
    }

    /// The same path with one more method.
    #[must_use]
    pub fn with(mut self, operation: Operation) -> Self {
        self.operations.push(operation);
        self
    }

    /// Its path, as a template.
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Its methods but `HEAD` and `OPTIONS`.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.operations.iter().map(|one| &one.method)
    }

    /// Whether it takes a method.
    pub fn takes(&self, method: &Method) -> bool {
        self.operation(method).is_some()
    }

    /// The routes, with this path added.
    pub fn add_to(self, routes: Router) -> Router {
        let (path, resource) = (self.path, Arc::new(self));
        let answer = move |request: Request| {
            let resource = Arc::clone(&resource);
            async move { resource.answer(request).await }
        };
        routes.route(path, any(answer))
    }

    async fn answer(&self, request: Request) -> Response {
        let id = RequestId::in_extensions(request.extensions());
        let method = request.method().clone();
        let mut response = match self.operation(&method) {
            Some(operation) => {
                let allowed = operation.shared.allowed(request.headers());
                let outcome = (operation.handle)(request).await;
                let mut response = outcome.unwrap_or_else(|problem| problem.into_response(&id));
                operation.shared.share(allowed, response.headers_mut());
                response
            }
            None if method == Method::OPTIONS => self.options(request.headers()),
            None => {
                let message = format!("this path takes {}, not {method}", self.allowed());
                let problem = Problem::new(Reason::MethodNotAllowed, message);
                let mut response = problem.into_response(&id);
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
        let of = |method: &Method| self.operations.iter().find(|one| one.method == *method);
        let as_get = || (method == Method::HEAD).then(|| of(&Method::GET)).flatten();
        of(method).or_else(as_get)
    }

    /// The answer to `OPTIONS`, also for preflight requests.
    fn options(&self, headers: &HeaderMap) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        self.allow(response.headers_mut());
        let wanted = headers
            .get(ACCESS_CONTROL_REQUEST_METHOD)
            .and_then(|value| Method::from_bytes(value.as_bytes()).ok());
        if let Some(method) = wanted
            && let Some(operation) = self.operation(&method)
        {
            let answer = response.headers_mut();
            operation.shared.invite(&method, headers, answer);
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
        let operations = self.operations.iter();
        let mut methods: Vec<&str> = operations.map(|one| one.method.as_str()).collect();
        methods.push("OPTIONS");
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.dedup();
        methods.join(", ")
    }
}

/// The answer to `HEAD`: the headers of the answer to `GET`, without its body.
pub(super) fn without_body(response: Response) -> Response {
    let length = http_body::Body::size_hint(response.body()).exact();
    let mut response = response.map(|_body| nothing());
    if let Some(length) = length {
        let headers = response.headers_mut();
        headers
            .entry(CONTENT_LENGTH)
            .or_insert_with(|| length.into());
    }
    response
}
