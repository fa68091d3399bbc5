//! The link that an operator printed for a person. Opening it shows a button only, since programs open links, too.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use http::{StatusCode, header::SET_COOKIE};
use muster_api::internal::v1::{UseSignInLinkRequest, bindings::UseSignInLink};

use super::{head, welcome};
use crate::{
    browser::{Browser, device},
    form::Form,
    layout::{Page, Section, private},
    next::DASHBOARD,
    visit::{Site, Visit},
};

#[derive(Template)]
#[template(path = "sign_in_link.html")]
struct LinkPage {
    page: Page,
    /// Where the button goes; `None` if the link is of no use any more.
    url: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.page_with_form("/sign-in/link/{token}", show, take)]
}

async fn show(visit: Visit) -> Result<Response, Problem> {
    private(&LinkPage {
        page: head(&visit.site, "Sign in"),
        url: Some(visit.parts.uri.path().to_owned()),
    })
}

async fn take(visit: Visit, _form: Form) -> Result<Response, Problem> {
    let headers = &visit.parts.headers;
    let browser = Browser::of(headers, &visit.site);
    let request = UseSignInLinkRequest {
        token: Some(visit.segment(2)?),
        browser: Some(browser.secret().to_owned()),
        device: device(headers),
    };
    match visit.ask::<UseSignInLink>(request).await {
        Ok(signed_in) => {
            let mut response = welcome(&visit.site, &signed_in, DASHBOARD);
            if let Some(cookie) = browser.cookie(&visit.site) {
                response.headers_mut().append(SET_COOKIE, cookie);
            }
            Ok(response)
        }
        // A token of another form is no link either.
        Err(problem) if matches!(problem.http_status, 400 | 404) => {
            let mut response = private(&LinkPage {
                page: head(&visit.site, "This link is used up"),
                url: None,
            })?;
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
        Err(problem) => Err(problem),
    }
}
