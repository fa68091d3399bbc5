//! What every page has, and templates as answers.

use std::{ops::Deref, sync::Arc};

use askama::{
    Template,
    filters::{Escaper as _, Html},
};
use axum::response::Response;
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, ETAG, REFERRER_POLICY, RETRY_AFTER},
};
use http_kit::{Problem, document};
use muster_api::{Reason, internal::v1::Instance};
use server::observe::Cause;

use crate::{assets::Assets, look::Look};

/// The answer of a page: a response, or a problem that `problem_page` shows.
pub(crate) type PageResult = Result<Response, Problem>;

pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Caches may keep a public page but ask before they show it again, as with the public answers of the API: seats are taken, and
/// events are cancelled, at any time.
pub(crate) const FRESH: &str = "public, no-cache";

/// What the operator set for pages: what core says of it, as far as that is known, and the look.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    pub(crate) instance: Arc<Instance>,
    pub(crate) look: Arc<Look>,
    pub(crate) assets: Arc<Assets>,
    /// What previews show of pages that are not about an event, as an absolute URL.
    pub(crate) preview_url: String,
}

impl Deref for Links {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.instance
    }
}

/// The head of a page and its header.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// The whole title, with the site's name.
    pub(crate) title: String,
    /// The title alone, for previews.
    pub(crate) heading: String,
    /// For search engines and previews.
    pub(crate) description: String,
    /// The page's one URL, if search engines should list it.
    pub(crate) canonical: Option<String>,
    pub(crate) section: Section,
    pub(crate) links: Links,
}

/// A part of the site, in the main navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Events,
    UseCases,
    Guides,
    Developers,
    Dashboard,
    None,
}

impl Page {
    /// A page that search engines should not list.
    pub(crate) fn unlisted(links: Links, title: &str, description: &str, section: Section) -> Self {
        Self {
            title: format!("{title} · {}", links.look.name()),
            heading: title.to_owned(),
            links,
            description: description.to_owned(),
            canonical: None,
            section,
        }
    }

    /// A page for someone alone. Its title names nothing: browsers show it in lists that others see.
    pub(crate) fn private(links: Links, title: &str) -> Self {
        Self::unlisted(links, title, "A private page.", Section::None)
    }

    /// What the site is called.
    pub(crate) fn site_name(&self) -> &str {
        self.links.look.name().as_str()
    }

    pub(crate) fn look(&self) -> &Look {
        &self.links.look
    }

    pub(crate) fn assets(&self) -> &Assets {
        &self.links.assets
    }

    /// The same page, listed under this URL.
    #[must_use]
    pub(crate) fn at(self, canonical: String) -> Self {
        Self {
            canonical: Some(canonical),
            ..self
        }
    }
}

/// A public page with a tag, so that it is not loaded again while it is the same.
pub(crate) fn public(template: &impl Template) -> Result<Response, Problem> {
    Ok(document(rendered(template)?, HTML, FRESH))
}

/// A private page: it is not kept, not listed, and no other site learns of its address. With `no-referrer` browsers would send
/// `Origin: null` with its forms.
pub(crate) fn private(template: &impl Template) -> Result<Response, Problem> {
    let mut response = document(rendered(template)?, HTML, "no-store");
    make_private(&mut response);
    Ok(response)
}

/// A private page that shows a problem, with its status.
pub(crate) fn refused(template: &impl Template, problem: &Problem) -> Result<Response, Problem> {
    let mut response = private(template)?;
    let status = StatusCode::from_u16(problem.http_status);
    *response.status_mut() = status.unwrap_or(StatusCode::BAD_REQUEST);
    if let Some(seconds) = problem.retry_after_seconds {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    if let Some(cause) = &problem.cause {
        response.extensions_mut().insert(Cause(cause.to_string()));
    }
    Ok(response)
}

/// Makes an answer one that nobody keeps or lists.
pub(crate) fn make_private(response: &mut Response) {
    const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
    let headers = response.headers_mut();
    headers.remove(ETAG);
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "same-origin"),
        (ROBOTS, "noindex"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// A text in HTML, also within the quotes of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    // A string takes everything.
    let _infallible = Html.write_escaped_str(&mut escaped, text);
    escaped
}

/// The HTML of a template.
pub(crate) fn rendered(template: &impl Template) -> Result<String, Problem> {
    template.render().map_err(|error| {
        Problem::new(Reason::Internal, "Muster failed")
            .caused_by(format!("cannot render a template: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_listed_only_under_a_url_of_its_own() {
        let page = Page::unlisted(Links::default(), "Guides", "", Section::Guides);
        assert_eq!((&*page.title, &page.canonical), ("Guides · Muster", &None));
        let url = "https://muster.example/guides".to_owned();
        assert_eq!(page.at(url.clone()).canonical, Some(url));
    }
}
