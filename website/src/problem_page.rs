//! Problems as pages, for clients that read HTML. All others get JSON, as from the API.

use askama::Template;
use axum::{extract::Request, middleware::Next, response::Response};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY},
};
use http_kit::Problem;
use muster_api::Reason;
use server::observe::RequestId;

use crate::{
    flash,
    layout::{Links, Page, Section},
    policies,
    request_context::Site,
};

#[derive(Template)]
#[template(path = "error.html")]
struct ProblemPage<'a> {
    page: Page,
    code: u16,
    /// What to do.
    advice: &'static str,
    retry_url: Option<&'a str>,
    request_id: &'a str,
}

/// Shows the problem of an answer, if it has one and the client reads HTML.
pub(crate) async fn show(site: Site, request: Request, next: Next) -> Response {
    let reads_html = prefers_html(request.headers());
    // A form cannot be sent again by a link.
    let retry_url = (request.method() == Method::GET).then(|| request.uri().to_string());
    let id = RequestId::in_extensions(request.extensions());
    let policies = policies::of(request.uri());
    let mut response = next.run(request).await;
    policies.add_to(response.headers_mut());
    flash::write(&mut response, site.is_secure());
    if !is_refused(response.status()) || response.extensions().get::<Problem>().is_none() {
        return response;
    }
    let vary = HeaderValue::from_static("accept");
    response.headers_mut().append(VARY, vary);
    if !reads_html {
        return response;
    }
    as_page(site.links(), response, &id, retry_url.as_deref())
}

fn is_refused(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

/// Whether the client names HTML. Programs say `*/*` or nothing.
fn prefers_html(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).iter();
    let mut ranges = values.flat_map(|value| value.to_str().unwrap_or_default().split(','));
    ranges.any(|range| {
        let name = range.split(';').next().unwrap_or_default().trim();
        name.eq_ignore_ascii_case("text/html") || name.eq_ignore_ascii_case("application/xhtml+xml")
    })
}

/// The same answer with a page as its body.
fn as_page(links: Links, response: Response, id: &RequestId, retry_url: Option<&str>) -> Response {
    let (mut head, body) = response.into_parts();
    let Some(problem) = head.extensions.get::<Problem>() else {
        return Response::from_parts(head, body);
    };
    // Core may answer what it answered an earlier request.
    let id = problem.request_id().unwrap_or(id);
    let (headline, text, advice) = words(problem);
    let named = |text| links.look.name().in_text(text);
    let (headline, text) = (named(headline), named(text));
    let retries = problem.retry_after_seconds.is_some();
    let page = ProblemPage {
        page: Page::unlisted(links, &headline, &text, Section::None),
        code: head.status.as_u16(),
        advice,
        retry_url: retry_url.filter(|_| retries),
        request_id: id.as_str(),
    };
    let Ok(html) = page.render() else {
        return Response::from_parts(head, body);
    };
    head.headers.remove(CONTENT_ENCODING);
    head.headers.remove(CONTENT_LENGTH);
    let html_type = HeaderValue::from_static("text/html; charset=utf-8");
    head.headers.insert(CONTENT_TYPE, html_type);
    Response::from_parts(head, html.into())
}

/// A problem in words: what it is called, what it is, and what to do about it.
fn words(problem: &Problem) -> (&'static str, &str, &'static str) {
    match problem.http_status {
        400 => (
            "This address is not right",
            &problem.message,
            "Check the address, or start from the list of events.",
        ),
        403 if problem.code == Reason::InvalidRequest.code() => (
            "This form was sent from another site",
            &problem.message,
            "Open the page here, and send the form again.",
        ),
        404 => (
            "Page not found",
            "It may have been removed, or the address may be mistyped.",
            "Check the address, or look for the event in the list. If someone sent you the link, ask them for a new one.",
        ),
        405 => (
            "This address cannot be used like that",
            &problem.message,
            "Go back, and follow the link or send the form again.",
        ),
        429 => (
            "Too many requests",
            "Many requests came from your network.",
            "Wait a moment, then try again.",
        ),
        503 => (
            "Muster is not available",
            "Something behind this page does not answer. It is usually back within a minute; nothing is lost.",
            "Wait a minute, then try again.",
        ),
        500.. => (
            "Something went wrong",
            "This is a defect of Muster, not yours. It was recorded.",
            "Try again later. If it happens again, tell the people who run this site, with the request ID.",
        ),
        _ => (
            "This request was refused",
            &problem.message,
            "Go back, reload the page, and try again.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_client_that_names_html_gets_a_page() {
        for (accept, page) in [
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                true,
            ),
            ("application/json, Text/HTML;q=0.1", true),
            ("*/*", false),
            ("application/json", false),
            ("text/htmlx", false),
            ("", false),
        ] {
            let headers = [(ACCEPT, HeaderValue::from_static(accept))];
            assert_eq!(
                prefers_html(&HeaderMap::from_iter(headers)),
                page,
                "{accept}"
            );
        }
        assert!(!prefers_html(&HeaderMap::new()));
    }
}
