//! The requests of clients.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::{
    Request,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use http_body_util::Full;

/// A request of Muster's API.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    /// The first page of the catalogue.
    List,
    /// A public event.
    Slug,
    /// The first page of an account's events.
    OwnList,
    /// A new event, as a draft.
    Create,
    /// A registration for an event. A mail follows from it.
    Register,
}

impl Operation {
    /// Those that change nothing come first, so that they find the same data on every run.
    pub(super) const ALL: [Self; 5] = [
        Self::List,
        Self::Slug,
        Self::OwnList,
        Self::Create,
        Self::Register,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::List => "list: GET /events",
            Self::Slug => "slug: GET /events/{slug}",
            Self::OwnList => "own list: GET /me/events",
            Self::Create => "create: POST /events",
            Self::Register => "register: POST /events/{slug}/registrations",
        }
    }

    /// The request by the owner of `key`, for the event that `slug` names.
    pub(crate) fn request(self, key: &str, slug: &str) -> http::Result<Request<Full<Bytes>>> {
        /// Guests who have registered so far; each has an address of their own.
        static GUESTS: AtomicU64 = AtomicU64::new(0);
        match self {
            Self::List => get("/api/v1/events", None),
            Self::Slug => get(&format!("/api/v1/events/{slug}"), None),
            Self::OwnList => get("/api/v1/me/events", Some(key)),
            Self::Create => create(key, false),
            Self::Register => {
                let guest = GUESTS.fetch_add(1, Ordering::Relaxed);
                let body =
                    format!(r#"{{"name":"Guest {guest}","email":"guest-{guest}@example.org"}}"#);
                post(&format!("/api/v1/events/{slug}/registrations"), None, body)
            }
        }
    }
}

/// A new event of the account, published or as a draft.
pub(crate) fn create(key: &str, is_public: bool) -> http::Result<Request<Full<Bytes>>> {
    let body = format!(
        r#"{{"title":"A hot event","description":"Everyone wants to come.","location":"Here",
        "start_date":"2040-05-14T19:00:00Z","max_capacity":10000,"is_public":{is_public}}}"#
    );
    post("/api/v1/events", Some(key), body)
}

/// Reads with the key of an account, or without.
pub(crate) fn get(path: &str, key: Option<&str>) -> http::Result<Request<Full<Bytes>>> {
    with_key(Request::get(path), key).body(Full::default())
}

/// Sends JSON with the key of an account, or without.
pub(crate) fn post(
    path: &str,
    key: Option<&str>,
    body: String,
) -> http::Result<Request<Full<Bytes>>> {
    with_key(Request::post(path), key)
        .header(CONTENT_TYPE, "application/json")
        .body(body.into())
}

fn with_key(request: http::request::Builder, key: Option<&str>) -> http::request::Builder {
    match key {
        Some(key) => request.header(AUTHORIZATION, format!("Bearer {key}")),
        None => request,
    }
}
