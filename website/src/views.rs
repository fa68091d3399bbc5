//! Views of the pages of events: counted in memory and written once a minute. Nothing is kept of who saw a page, no address and no cookie.

use std::{
    collections::HashMap,
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use axum::{extract::Request, middleware::Next, response::Response};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
    header::{REFERER, USER_AGENT},
};
use muster_api::internal::v1::{PageViews, RecordViewsRequest, bindings::RecordViews};
use rpc_client::{Context, Core};
use server::{observe::RequestId, telemetry::chain};
use tokio::time::sleep;

use crate::cookies::SESSION;

/// How often views are written.
const PERIOD: Duration = Duration::from_mins(1);

/// How long core may take to store the pages of one call.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Pages and hosts that are counted one by one between two writes. Views of further hosts count without their host, and those of further
/// pages do not.
const MAX_COUNTED: usize = 10_000;

/// The pages of one call.
const PAGES_OF_A_CALL: usize = 1_000;

/// The longest name of a host that counts.
const MAX_HOST_BYTES: usize = 100;

/// What programs that are no browsers call themselves.
const PROGRAMS: [&str; 8] = [
    "bot",
    "crawl",
    "spider",
    "preview",
    "fetch",
    "curl",
    "python",
    "http-client",
];

/// Views that are not written yet. Clones share them.
#[derive(Clone, Default)]
pub struct Views {
    counted: Arc<Mutex<Counted>>,
    core: Arc<OnceLock<Core>>,
}

/// Numbers by slug and referring host, which is empty if there is none.
type Counted = HashMap<(String, String), i32>;

impl fmt::Debug for Views {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Views")
            .field("counted", &self.counted().len())
            .finish_non_exhaustive()
    }
}

impl Views {
    /// Writes views to this core.
    pub(crate) fn connect(&self, core: Core) {
        // A website has one core.
        let _is_first = self.core.set(core);
    }

    /// Counts a view of a page by someone whom a host led there.
    fn note(&self, mut page: (String, String)) {
        let mut counted = self.counted();
        if counted.len() >= MAX_COUNTED && !counted.contains_key(&page) {
            page.1.clear();
            if !counted.contains_key(&page) {
                return;
            }
        }
        let views = counted.entry(page).or_default();
        *views = views.saturating_add(1);
    }

    /// Writes what was counted since the last time. If core cannot be reached, it is lost: to write it again might count it twice.
    pub async fn record(&self) {
        let Some(core) = self.core.get() else {
            return;
        };
        let counted = mem::take(&mut *self.counted());
        let pages = counted.into_iter().map(|((slug, host), views)| PageViews {
            slug,
            host,
            views: Some(views),
        });
        let pages: Vec<PageViews> = pages.collect();
        for pages in pages.chunks(PAGES_OF_A_CALL) {
            let request = RecordViewsRequest {
                pages: pages.to_vec(),
            };
            let context = Context::anonymous(&RequestId::fresh(), TIMEOUT);
            if let Err(error) = core.call::<RecordViews>(request, &context).await {
                // Further calls would wait as long, also while the program ends.
                tracing::warn!(error = %chain(&error), "views of pages were not recorded");
                return;
            }
        }
    }

    /// Writes once a minute, for ever.
    pub async fn record_each_minute(self) {
        loop {
            sleep(PERIOD).await;
            self.record().await;
        }
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a request that is answered with the page of an event. It stands in front of the cache, which answers most of them.
pub(crate) async fn count(views: Views, is_secure: bool, request: Request, next: Next) -> Response {
    let page = viewed(&request, is_secure);
    let response = next.run(request).await;
    let is_shown = matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
    if let Some(page) = page.filter(|_| is_shown) {
        views.note(page);
    }
    response
}

/// The slug of the event whose page a person asks for, and the host that led them there. People who are signed in are organizers, and do not
/// count.
fn viewed(request: &Request, is_secure: bool) -> Option<(String, String)> {
    let slug = request.uri().path().strip_prefix("/events/")?;
    let headers = request.headers();
    let is_page = request.method() == Method::GET && !slug.is_empty() && !slug.contains('/');
    let is_public = is_page && SESSION.read(headers, is_secure).is_none();
    (is_public && is_of_person(headers)).then(|| (slug.to_owned(), referring_host(headers)))
}

/// Whether a browser asks, for someone who looks at the page.
fn is_of_person(headers: &HeaderMap) -> bool {
    const PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");
    let program = headers.get(USER_AGENT).and_then(text);
    let is_browser = program.is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        !PROGRAMS.iter().any(|one| name.contains(one))
    });
    // A browser that fetches a page in advance shows it only perhaps.
    is_browser && !headers.contains_key(PURPOSE)
}

/// The host of the page that led here, without `www.`; empty if none did.
fn referring_host(headers: &HeaderMap) -> String {
    let uri = headers.get(REFERER).and_then(text);
    let uri: Option<Uri> = uri.and_then(|uri| uri.parse().ok());
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    if host.len() > MAX_HOST_BYTES {
        return String::new();
    }
    host.to_owned()
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

    fn asked(path: &str, headers: &[(&str, &str)]) -> Option<(String, String)> {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        viewed(&request.body(Body::empty()).unwrap(), false)
    }

    fn counted(views: &Views) -> Vec<(String, String, i32)> {
        let counted = views.counted().clone();
        let all = counted.into_iter();
        let mut all: Vec<_> = all
            .map(|((slug, host), views)| (slug, host, views))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn views_count_by_page_and_referring_host() {
        let views = Views::default();
        for (path, referer) in [
            ("/events/a", "https://www.News.example/path?secret=1"),
            ("/events/a?x=1", "https://news.example/"),
            ("/events/a", "no address"),
            ("/events/b", ""),
        ] {
            let page = asked(path, &[("user-agent", FIREFOX), ("referer", referer)]);
            views.note(page.unwrap());
        }
        let expected = [("a", "", 1), ("a", "news.example", 2), ("b", "", 1)];
        let expected =
            expected.map(|(slug, host, views)| (slug.to_owned(), host.to_owned(), views));
        assert_eq!(counted(&views), expected);
    }

    #[test]
    fn programs_signed_in_people_and_other_pages_do_not_count() {
        for (path, headers) in [
            ("/events/a", &[][..]),
            ("/events/a", &[("user-agent", "curl/8.5.0")]),
            (
                "/events/a",
                &[("user-agent", "Mozilla/5.0 (compatible; Googlebot/2.1)")],
            ),
            (
                "/events/a",
                &[("user-agent", FIREFOX), ("sec-purpose", "prefetch")],
            ),
            (
                "/events/a",
                &[("user-agent", FIREFOX), ("cookie", "muster-session=abc")],
            ),
            ("/events", &[("user-agent", FIREFOX)]),
            ("/events/a/register", &[("user-agent", FIREFOX)]),
        ] {
            assert_eq!(asked(path, headers), None, "{path} {headers:?}");
        }
    }

    #[test]
    fn what_is_counted_is_bounded() {
        let views = Views::default();
        for number in 0..MAX_COUNTED + 10 {
            views.note(("a".to_owned(), format!("{number}.example")));
        }
        assert_eq!(counted(&views).len(), MAX_COUNTED);
    }
}
