//! The link that an operator printed for a person. Opening it shows a button only, since programs open links, too.

use askama::Template;
use http::StatusCode;
use muster_api::internal::v1::{UseSignInLinkRequest, bindings::UseSignInLink};

use super::{head, welcome};
use crate::{
    browser::{Browser, device},
    form::Form,
    layout::{Page, PageResult, Section, private},
    request_context::RequestContext,
    return_path::DASHBOARD,
};

#[derive(Template)]
#[template(path = "sign_in_link.html")]
struct LinkPage {
    page: Page,
    /// Where the button goes; `None` if the link is of no use any more.
    url: Option<String>,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    private(&LinkPage {
        page: head(&context.site, "Sign in"),
        url: Some(context.parts.uri.path().to_owned()),
    })
}

pub(in crate::pages) async fn take(context: RequestContext, _form: Form) -> PageResult {
    let headers = &context.parts.headers;
    let browser = Browser::of(headers, &context.site);
    let request = UseSignInLinkRequest {
        token: Some(context.segment(2)?),
        browser: Some(browser.secret().to_owned()),
        device: device(headers),
    };
    match context.ask::<UseSignInLink>(request).await {
        Ok(signed_in) => {
            let mut response = welcome(&context.site, &signed_in, DASHBOARD);
            browser.remember(&mut response, &context.site);
            Ok(response)
        }
        // A token of another form is no link either.
        Err(problem) if matches!(problem.http_status, 400 | 404) => {
            let mut response = private(&LinkPage {
                page: head(&context.site, "This link is used up"),
                url: None,
            })?;
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
        Err(problem) => Err(problem),
    }
}
