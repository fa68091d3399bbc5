//! The HTTP port as its clients see it: requests as raw as a test wants them, answers as they come.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{Refusal, contract};

/// Where the paths of the API begin.
const BASE: &str = "/api/v1";

/// What browsers accept as a page.
const PAGE: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// A client of an HTTP port. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Http {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Http {
    /// A client of a port that speaks HTTP/1.1.
    pub fn new(address: SocketAddr) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { address, client }
    }

    /// Where the port is.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// `GET` of a path of the API, for example `/events`.
    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, &format!("{BASE}{path}"))
    }

    /// `POST` to a path of the API.
    pub fn post(&self, path: &str) -> Request {
        self.request(Method::POST, &format!("{BASE}{path}"))
    }

    /// `PATCH` of a path of the API.
    pub fn patch(&self, path: &str) -> Request {
        self.request(Method::PATCH, &format!("{BASE}{path}"))
    }

    /// `GET` of a page, as a browser asks for it.
    pub fn page(&self, path: &str) -> Request {
        self.request(Method::GET, path).header("accept", PAGE)
    }

    /// `POST` of a form, as a browser sends it from a page of the same site.
    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> Request {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let pairs = fields
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        self.request(Method::POST, path)
            .header("accept", PAGE)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(pairs.collect::<Vec<_>>().join("&"))
    }

    /// Any method on any path, which begins at the root.
    pub fn request(&self, method: Method, path: &str) -> Request {
        Request {
            http: self.clone(),
            method,
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }
}

/// A request to be sent.
#[derive(Debug, Clone)]
#[must_use]
pub struct Request {
    http: Http,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    /// With `Authorization: Bearer <key>`.
    pub fn bearer(self, key: &str) -> Self {
        self.header("authorization", format!("Bearer {key}"))
    }

    /// Without a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// With one more header, whose value may be any bytes that HTTP takes.
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name: HeaderName = name.parse().unwrap();
        let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
        self.headers.append(name, value);
        self
    }

    /// With a body as it is, without a content type.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// With bytes that claim to be JSON.
    pub fn json_bytes(self, body: impl Into<Bytes>) -> Self {
        self.header(CONTENT_TYPE.as_str(), "application/json")
            .body(body)
    }

    /// With JSON.
    pub fn json(self, body: &Value) -> Self {
        self.json_bytes(body.to_string())
    }

    /// Sends it and reads the whole answer, which must be one that the OpenAPI document describes.
    pub async fn send(self) -> Reply {
        let uri = format!("http://{}{}", self.http.address, self.path);
        let may_repeat = self.headers.contains_key("idempotency-key");
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri.parse().unwrap();
        *request.headers_mut() = self.headers;
        let response = self.http.client.request(request).await.unwrap();
        let (head, body) = response.into_parts();
        let answer = Reply {
            asked: format!("{} {}", self.method, self.path),
            may_repeat,
            status: head.status,
            headers: head.headers,
            body: body.collect().await.unwrap().to_bytes(),
        };
        contract::check(&self.method, &self.path, &self.body, &answer);
        answer
    }
}

/// An HTTP answer, whole.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Method and path of the request, for messages.
    pub(crate) asked: String,
    /// Whether it may be the answer to an earlier request with the same idempotency key.
    pub(crate) may_repeat: bool,
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Reply {
    /// The value of a header that is there at most once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?.to_str().unwrap();
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        Some(value)
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        let media_type = self.header("content-type").unwrap_or_default();
        assert_eq!(media_type, "application/json", "{self:?}");
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The HTML of a page with this status.
    #[track_caller]
    pub fn html(&self, status: u16) -> &str {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        let media_type = self.header("content-type");
        assert_eq!(media_type, Some("text/html; charset=utf-8"), "{self:?}");
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The JSON of a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{self:?}");
        self.json()
    }

    /// The content of a refusal.
    #[track_caller]
    pub fn refusal(&self) -> Refusal {
        assert!(
            self.status.is_client_error() || self.status.is_server_error(),
            "{} was not refused: {self:?}",
            self.asked
        );
        Refusal::from_http(self)
    }
}
