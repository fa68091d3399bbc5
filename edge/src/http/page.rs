//! An answer about the catalogue as it was written for clients: complete, in each coding, encoded once.

use axum::{body::Body, extract::Request, response::Response};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH},
};
use http_body_util::BodyExt;
use process::observe::{REQUEST_ID, Route};
use tokio::sync::OnceCell;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::CompressionLevel;

use super::{
    answer::nothing,
    compress::compression,
    conditional::{is_known, without_content},
};
use crate::memory::Basis;

/// A coding of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Identity,
    Gzip,
    Brotli,
    Zstd,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) basis: Basis,
    headers: HeaderMap,
    body: Bytes,
    route: Option<Route>,
    media_types: &'static [&'static str],
    /// In the order of the codings.
    forms: [OnceCell<Form>; 4],
}

/// An answer in one coding.
#[derive(Debug)]
struct Form {
    headers: HeaderMap,
    /// Those of the answer to a client that has it.
    of_known: HeaderMap,
    body: Bytes,
}

impl Form {
    fn new(mut headers: HeaderMap, body: Bytes) -> Self {
        // Each answer gets an id of its own in this place: a map that has to grow for it is copied twice.
        headers.insert(REQUEST_ID, HeaderValue::from_static(""));
        let mut of_known = headers.clone();
        without_content(&mut of_known);
        Self {
            headers,
            of_known,
            body,
        }
    }
}

impl Coding {
    /// The names of what can be asked for.
    const NAMES: [(&str, Self); 4] = [
        ("identity", Self::Identity),
        ("gzip", Self::Gzip),
        ("br", Self::Brotli),
        ("zstd", Self::Zstd),
    ];

    /// What a client wants most; of several that it wants alike, the last. Who takes any gets gzip.
    pub(super) fn wanted(headers: &HeaderMap) -> Self {
        let mut best = (Self::Identity, 0.0);
        for value in headers.get_all(ACCEPT_ENCODING) {
            let text = value.to_str().unwrap_or_default();
            if text.trim() == "*" {
                return Self::Gzip;
            }
            for item in text.split(',') {
                let (name, weight) = weighed(item);
                let mut known = Self::NAMES.iter();
                let known = known.find(|(known, _)| known.eq_ignore_ascii_case(name));
                if let Some((_, coding)) = known
                    && weight > 0.0
                    && weight >= best.1
                {
                    best = (*coding, weight);
                }
            }
        }
        best.0
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// A coding's name, and how much it is wanted.
fn weighed(item: &str) -> (&str, f32) {
    let mut parts = item.split(';');
    let name = parts.next().unwrap_or_default().trim();
    let weight = parts.find_map(|part| part.trim().strip_prefix("q=")?.parse().ok());
    (name, weight.unwrap_or(1.0))
}

impl Page {
    /// A page of these headers, which are complete but for its coding.
    pub(super) fn new(
        basis: Basis,
        headers: HeaderMap,
        body: Bytes,
        route: Option<Route>,
        media_types: &'static [&'static str],
    ) -> Self {
        Self {
            basis,
            headers,
            body,
            route,
            media_types,
            forms: Default::default(),
        }
    }

    /// How much memory it takes, about, once it is there in all codings.
    pub(super) fn weight(&self) -> usize {
        /// Headers and places, and what codings add to the body: together a half.
        const OTHERS: usize = 2 << 10;
        OTHERS + self.body.len() + self.body.len() / 2
    }

    /// The answer to a request, if it is there in the coding.
    pub(super) fn answer_now(
        &self,
        method: &Method,
        asked: &HeaderMap,
        coding: Coding,
    ) -> Option<Response> {
        let form = self.forms.get(coding as usize)?.get()?;
        Some(self.answer(form, method, asked))
    }

    /// The answer to a request. It is encoded if it never was in this coding.
    pub(super) async fn answer_in(
        &self,
        method: &Method,
        asked: &HeaderMap,
        coding: Coding,
    ) -> Option<Response> {
        let cell = self.forms.get(coding as usize)?;
        let form = cell.get_or_init(|| self.encoded(coding)).await;
        Some(self.answer(form, method, asked))
    }

    fn answer(&self, form: &Form, method: &Method, asked: &HeaderMap) -> Response {
        let mut response = if is_known(method, asked, &form.headers) {
            let mut response = Response::new(nothing());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.headers_mut() = form.of_known.clone();
            response
        } else if *method == Method::GET {
            let mut response = Response::new(Body::from(form.body.clone()));
            *response.headers_mut() = form.headers.clone();
            response
        } else {
            let mut response = Response::new(nothing());
            *response.headers_mut() = form.headers.clone();
            let length = form.body.len().into();
            response.headers_mut().insert(CONTENT_LENGTH, length);
            response
        };
        if let Some(route) = self.route {
            response.extensions_mut().insert(route);
        }
        response
    }

    /// As the layer would encode it for every client, but better, since it is done once.
    async fn encoded(&self, coding: Coding) -> Form {
        let plain = service_fn(async |_: Request| {
            let mut response = Response::new(Body::from(self.body.clone()));
            *response.headers_mut() = self.headers.clone();
            Ok::<_, std::convert::Infallible>(response)
        });
        let mut request = Request::new(Body::empty());
        let name = HeaderValue::from_static(coding.name());
        request.headers_mut().insert(ACCEPT_ENCODING, name);
        let layer = compression(self.media_types, CompressionLevel::Default);
        let Ok(response) = layer.layer(plain).oneshot(request).await;
        let (mut parts, body) = response.into_parts();
        // Bytes in memory are always read to their end.
        if let Ok(whole) = body.collect().await {
            let body = whole.to_bytes();
            parts.headers.remove(CONTENT_LENGTH);
            return Form::new(parts.headers, body);
        }
        parts.headers.remove(CONTENT_ENCODING);
        Form::new(parts.headers, self.body.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_the_coding_that_they_want_most() {
        for (asked, coding) in [
            ("", Coding::Identity),
            ("gzip", Coding::Gzip),
            ("*", Coding::Gzip),
            ("deflate, gzip, br, zstd", Coding::Zstd),
            ("br;q=0.5, gzip;q=0.9, identity;q=0.1", Coding::Gzip),
            ("gzip;q=0", Coding::Identity),
            ("GZIP", Coding::Gzip),
            ("compress", Coding::Identity),
        ] {
            let headers =
                HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(asked))]);
            assert_eq!(Coding::wanted(&headers), coding, "{asked:?}");
        }
    }
}
