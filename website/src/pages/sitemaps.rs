//! The addresses of all public pages, for search engines: `/sitemap.xml` lists the sitemaps, of which number 0 has the site's own
//! pages, `organizers.xml` those of organizers, and the others the catalogue's events.

use std::fmt::Write as _;

use axum::{body::Body, response::Response};
use futures_util::{Stream, stream};
use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use http_kit::{Problem, document};
use muster_api::{
    Reason,
    v1::{
        ListSitemapEventsRequest, ListSitemapOrganizersRequest, ListSitemapsRequest, SitemapPage,
        bindings::{ListSitemapEvents, ListSitemapOrganizers, ListSitemaps},
    },
};

use super::{
    articles::{list_guides, list_use_cases},
    docs,
    robots::AN_HOUR,
};
use crate::{
    cover::encoded,
    layout::{PageResult, escaped},
    request_context::RequestContext,
};

const XML: &str = "application/xml; charset=utf-8";

/// The file with the pages of organizers.
const ORGANIZERS: &str = "organizers.xml";

/// Calls of 10,000 for them: a sitemap has up to 50,000 addresses.
const MAX_ORGANIZER_PAGES: usize = 5;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
const END: &str = "</urlset>\n";

pub(in crate::pages) async fn index(context: RequestContext) -> PageResult {
    let (list, organizers) = tokio::try_join!(
        context.ask::<ListSitemaps>(ListSitemapsRequest {}),
        context.ask::<ListSitemapOrganizers>(ListSitemapOrganizersRequest::default()),
    )?;
    let mut text = format!("{DECLARATION}<sitemapindex xmlns=\"{NAMESPACE}\">\n");
    let url = |number: i32| context.site.url(&format!("/sitemaps/{number}.xml"));
    push(&mut text, "sitemap", &url(0), None);
    for sitemap in &list.items {
        let updated_at = Some(&*sitemap.updated_at);
        push(&mut text, "sitemap", &url(sitemap.number), updated_at);
    }
    if !organizers.handles.is_empty() {
        let url = context.site.url(&format!("/sitemaps/{ORGANIZERS}"));
        push(&mut text, "sitemap", &url, None);
    }
    text.push_str("</sitemapindex>\n");
    Ok(document(text, XML, AN_HOUR))
}

pub(in crate::pages) async fn sitemap(context: RequestContext) -> PageResult {
    let file = context.segment(1)?;
    if file == ORGANIZERS {
        return organizers(context).await;
    }
    match number(&file) {
        Some(0) => own_pages(context).await,
        Some(number) => events(context, number).await,
        None => Err(not_found()),
    }
}

/// The pages of organizers that have public events, or had.
async fn organizers(context: RequestContext) -> PageResult {
    let mut text = beginning();
    let mut after = None;
    for _ in 0..MAX_ORGANIZER_PAGES {
        let request = ListSitemapOrganizersRequest { after };
        let page = context.ask::<ListSitemapOrganizers>(request).await?;
        for handle in &page.handles {
            push(
                &mut text,
                "url",
                &context.site.url(&format!("/o/{handle}")),
                None,
            );
        }
        after = page.handles.last().filter(|_| page.has_more).cloned();
        if after.is_none() {
            break;
        }
    }
    text.push_str(END);
    Ok(document(text, XML, AN_HOUR))
}

/// The number in the name of a file. Each file has one name only.
fn number(file: &str) -> Option<i32> {
    let digits = file.strip_suffix(".xml")?;
    let number: i32 = digits.parse().ok()?;
    (number >= 0 && number.to_string() == digits).then_some(number)
}

fn not_found() -> Problem {
    Problem::new(Reason::NotFound, "there is no such sitemap")
}

/// Their texts come with a release, so nothing says when they changed.
async fn own_pages(context: RequestContext) -> PageResult {
    let (use_cases, guides) = tokio::try_join!(list_use_cases(&context), list_guides(&context))?;
    let paths = ["/", "/events", "/use-cases", "/guides", docs::PATH];
    let paths = paths.map(|path| context.site.url(path)).into_iter();
    let paths = paths.chain(docs::all().map(|page| docs::url(page, &context.site)));
    let articles = use_cases.into_iter().chain(guides);
    let mut text = beginning();
    for url in paths.chain(articles.map(|article| article.url)) {
        push(&mut text, "url", &url, None);
    }
    text.push_str(END);
    Ok(document(text, XML, AN_HOUR))
}

/// A sitemap of the catalogue. It is sent while it is read: all of it would take several megabytes.
async fn events(context: RequestContext, number: i32) -> PageResult {
    let first = page(&context, number, None).await;
    // A number above those that core takes is one that does not exist.
    let first = first.map_err(|problem| match problem.http_status {
        400 => not_found(),
        _ => problem,
    })?;
    if first.items.is_empty() {
        return Err(not_found());
    }
    let mut response = Response::new(Body::from_stream(pieces(context, number, first)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(XML));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(AN_HOUR));
    Ok(response)
}

async fn page(
    context: &RequestContext,
    number: i32,
    cursor: Option<String>,
) -> Result<SitemapPage, Problem> {
    let number = Some(number);
    let request = ListSitemapEventsRequest { number, cursor };
    context.ask::<ListSitemapEvents>(request).await
}

/// The text of a sitemap, page by page. The status is sent by then, so an answer can only be truncated, which clients notice.
fn pieces(
    context: RequestContext,
    number: i32,
    first: SitemapPage,
) -> impl Stream<Item = Result<String, std::io::Error>> {
    let begun = (context, beginning(), Some(first));
    stream::try_unfold(begun, move |(context, mut text, page)| async move {
        let Some(page) = page else {
            return Ok(None);
        };
        for event in &page.items {
            let url = context
                .site
                .url(&format!("/events/{}", encoded(&event.slug)));
            push(&mut text, "url", &url, Some(&event.updated_at));
        }
        let Some(cursor) = page.next_cursor else {
            text.push_str(END);
            return Ok(Some((text, (context, String::new(), None))));
        };
        // A slow client must not use up the time of the next call.
        let context = context.continued();
        let next = self::page(&context, number, Some(cursor)).await;
        let next = next.map_err(|problem| {
            tracing::error!(code = problem.code, "a sitemap was truncated");
            std::io::Error::other(problem.message)
        })?;
        Ok(Some((text, (context, String::new(), Some(next)))))
    })
}

fn beginning() -> String {
    format!("{DECLARATION}<urlset xmlns=\"{NAMESPACE}\">\n")
}

fn push(text: &mut String, element: &str, url: &str, updated_at: Option<&str>) {
    let _infallible = write!(text, "<{element}><loc>{}</loc>", escaped(url));
    if let Some(updated_at) = updated_at {
        let _infallible = write!(text, "<lastmod>{updated_at}</lastmod>");
    }
    let _infallible = writeln!(text, "</{element}>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_one_name() {
        assert_eq!(number("0.xml"), Some(0));
        assert_eq!(number("17.xml"), Some(17));
        for other in [
            "1",
            "01.xml",
            "+1.xml",
            "-1.xml",
            ".xml",
            "1.XML",
            "99999999999.xml",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn urls_are_text_of_xml() {
        let mut text = String::new();
        push(
            &mut text,
            "url",
            "https://a.example/?a&b",
            Some("2027-01-15T12:00:00Z"),
        );
        let line = "<url><loc>https://a.example/?a&#38;b</loc><lastmod>2027-01-15T12:00:00Z</lastmod></url>\n";
        assert_eq!(text, line);
    }
}
