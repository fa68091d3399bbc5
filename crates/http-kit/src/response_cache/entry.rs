//! An answer as it was written for clients: complete, in each encoding, encoded once.

use std::{
    convert::Infallible,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{body::Body, extract::Request, response::Response};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH},
};
use http_body_util::BodyExt as _;
use rpc_client::Generation;
use server::observe::{REQUEST_ID, Route};
use tokio::{sync::OnceCell, time::Instant};
use tower::{Layer as _, ServiceExt as _, service_fn};
use tower_http::CompressionLevel;

use super::asked::{Encoding, Key};
use crate::{
    Surface,
    answer::nothing,
    compress::{self, compression},
    conditional, layers,
};

/// What an entry takes besides its text and its bodies, about: headers of answers in two encodings.
const OVERHEAD_BYTES: usize = 8 << 10;

/// What is asked for, and what was known before core was asked.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    pub(super) key: Key,
    pub(super) asked_at: Instant,
    pub(super) generation: Generation,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) basis: Basis,
    headers: HeaderMap,
    body: Bytes,
    route: Option<Route>,
    media_types: &'static [&'static str],
    /// In the order of the encodings.
    encoded: [OnceCell<Encoded>; 4],
    outage: Mutex<Option<Outage>>,
}

/// An answer in one encoding.
#[derive(Debug)]
struct Encoded {
    headers: HeaderMap,
    /// Those of the answer to a client that has it.
    not_modified: HeaderMap,
    body: Bytes,
}

/// That core was asked in vain, and is not asked again for a while.
#[derive(Debug)]
struct Outage {
    until: Instant,
    generation: u64,
}

impl Encoded {
    fn new(mut headers: HeaderMap, body: Bytes) -> Self {
        // Each answer gets an id of its own here: a map that has to grow for it is copied twice.
        headers.insert(REQUEST_ID, HeaderValue::from_static(""));
        let mut not_modified = headers.clone();
        conditional::without_content(&mut not_modified);
        Self {
            headers,
            not_modified,
            body,
        }
    }
}

impl Entry {
    /// Returns the entry of an answer of the surface's routes.
    pub(super) fn new(
        basis: Basis,
        surface: Surface,
        mut headers: HeaderMap,
        body: Bytes,
        route: Option<Route>,
    ) -> Self {
        layers::set_defaults(&mut headers, surface);
        if compress::is_among(surface.compressed, &headers) {
            conditional::weaken(&mut headers);
        }
        Self {
            basis,
            headers,
            body,
            route,
            media_types: surface.compressed,
            encoded: Default::default(),
            outage: Mutex::default(),
        }
    }

    /// How many bytes it takes, about, once it is there in all encodings: together they are hardly larger than the text.
    pub(super) fn weight(&self) -> usize {
        OVERHEAD_BYTES + self.basis.key.len() + 2 * self.body.len()
    }

    /// How long ago it was asked for.
    pub(super) fn age(&self) -> Duration {
        self.basis.asked_at.elapsed()
    }

    /// Notes that core was asked for it in this generation, in vain.
    pub(super) fn note_outage(&self, generation: &Generation, pause: Duration) {
        *self.outage() = Some(Outage {
            until: Instant::now() + pause,
            generation: generation.number(),
        });
    }

    /// Whether core was asked for it in this generation just now, in vain.
    pub(super) fn is_in_outage(&self, generation: &Generation) -> bool {
        self.outage().as_ref().is_some_and(|outage| {
            outage.generation == generation.number() && Instant::now() < outage.until
        })
    }

    fn outage(&self) -> MutexGuard<'_, Option<Outage>> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answer to a request, if it is there in the encoding.
    pub(super) fn answer_now(
        &self,
        method: &Method,
        asked: &HeaderMap,
        encoding: Encoding,
    ) -> Option<Response> {
        let encoded = self.encoded.get(encoding as usize)?.get()?;
        Some(self.answer(encoded, method, asked))
    }

    /// Returns the answer to a request. It is encoded if it never was in this encoding.
    pub(super) async fn answer_in(
        &self,
        method: &Method,
        asked: &HeaderMap,
        encoding: Encoding,
    ) -> Response {
        let [identity, gzip, brotli, zstd] = &self.encoded;
        let cell = match encoding {
            Encoding::Identity => identity,
            Encoding::Gzip => gzip,
            Encoding::Brotli => brotli,
            Encoding::Zstd => zstd,
        };
        let encoded = cell.get_or_init(|| self.encode(encoding)).await;
        self.answer(encoded, method, asked)
    }

    fn answer(&self, encoded: &Encoded, method: &Method, asked: &HeaderMap) -> Response {
        let mut response = if conditional::is_known(method, asked, &encoded.headers) {
            let mut response = Response::new(nothing());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.headers_mut() = encoded.not_modified.clone();
            response
        } else if *method == Method::GET {
            let mut response = Response::new(Body::from(encoded.body.clone()));
            *response.headers_mut() = encoded.headers.clone();
            response
        } else {
            let mut response = Response::new(nothing());
            *response.headers_mut() = encoded.headers.clone();
            let length = encoded.body.len().into();
            response.headers_mut().insert(CONTENT_LENGTH, length);
            response
        };
        if let Some(route) = self.route {
            response.extensions_mut().insert(route);
        }
        response
    }

    /// Encodes it as the layer would for every client, but better, since it is done once.
    async fn encode(&self, encoding: Encoding) -> Encoded {
        let plain = service_fn(async |_: Request| {
            let mut response = Response::new(Body::from(self.body.clone()));
            *response.headers_mut() = self.headers.clone();
            Ok::<_, Infallible>(response)
        });
        let mut request = Request::new(Body::empty());
        let name = HeaderValue::from_static(encoding.name());
        request.headers_mut().insert(ACCEPT_ENCODING, name);
        let layer = compression(self.media_types, CompressionLevel::Default);
        let Ok(response) = layer.layer(plain).oneshot(request).await;
        let (mut parts, body) = response.into_parts();
        // Bytes in memory are always read to their end.
        if let Ok(whole) = body.collect().await {
            let body = whole.to_bytes();
            parts.headers.remove(CONTENT_LENGTH);
            return Encoded::new(parts.headers, body);
        }
        parts.headers.remove(CONTENT_ENCODING);
        Encoded::new(parts.headers, self.body.clone())
    }
}
