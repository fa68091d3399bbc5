//! OAuth 2.1: where an app sends a person to connect it, where the person agrees, and where the app then gets its tokens.
//!
//! Core decides everything. `endpoints` are for programs: no cookie counts there, and pages of any origin may call them.

pub(in crate::pages) mod consent;
pub(in crate::pages) mod endpoints;
pub(in crate::pages) mod metadata;
mod parameters;

use askama::Template;
use http::{HeaderMap, Method, StatusCode};
use http_kit::{Problem, oauth::local_origin};
use muster_api::internal::v1::{
    AuthorizationProblem, AuthorizationRequest, BeginAuthorizationRequest,
    bindings::{BeginAuthorization, CheckAuthorization},
};

pub(in crate::pages) use crate::policies::AUTHORIZE;
use crate::{
    browser::Browser,
    flash,
    form::Form,
    layout::{Page, PageResult, Section, private},
    request_context::RequestContext,
    return_path::{own_path, with_return_path},
    words::capitalized,
};
pub(crate) use consent::surfaces;
use parameters::Parameters;

/// Why a request does not lead back to its app, and what to do about it.
#[derive(Template)]
#[template(path = "oauth_problem.html")]
struct ProblemPage {
    page: Page,
    problem: AuthorizationProblem,
    /// Where someone signs in who wants to go back to the app.
    sign_in: String,
}

/// Leads to the page where the person agrees, by way of signing in if nobody is signed in.
pub(in crate::pages) async fn authorize(context: RequestContext) -> PageResult {
    let request = request_of(&context.query(), &context.parts.headers);
    // What only looks at the page begins nothing.
    if context.has_session() && context.parts.method != Method::HEAD {
        match begin(&context, request.clone()).await {
            Err(problem) if problem.http_status == 401 => {}
            answered => return answered.or_else(|problem| too_long(&context, problem)),
        }
    }
    let checked = match context.ask::<CheckAuthorization>(request).await {
        Ok(checked) => checked,
        Err(problem) => return too_long(&context, problem),
    };
    if let Some(problem) = checked.problem {
        return shown(&context, problem);
    }
    if let Some(uri) = checked.redirect_uri {
        return Ok(flash::see(&uri, None));
    }
    let here = context.here();
    if own_path(Some(here)) != here {
        let too_long = "The app's request is too long to be kept while you sign in.";
        let cure = "Sign in first. Then go back to the app and connect it again.";
        return shown(&context, own_words(too_long, cure));
    }
    Ok(flash::see(&with_return_path("/sign-in", here), None))
}

async fn begin(context: &RequestContext, request: AuthorizationRequest) -> PageResult {
    let browser = Browser::of(&context.parts.headers, &context.site);
    let request = BeginAuthorizationRequest {
        request: Some(request),
        browser: Some(browser.secret().to_owned()),
    };
    let begun = context.ask::<BeginAuthorization>(request).await?;
    if let Some(problem) = begun.problem {
        return shown(context, problem);
    }
    if let Some(uri) = begun.redirect_uri {
        return Ok(flash::see(&uri, None));
    }
    let pending = begun.pending.unwrap_or_default();
    // The address of the next page says nothing of the request, so that nothing of it gets anywhere else.
    let mut response = flash::see(&format!("{AUTHORIZE}/{}", pending.id), None);
    browser.remember(&mut response, &context.site);
    Ok(response)
}

/// What an app asks for by the parameters of the page.
pub(in crate::pages) fn request_of(query: &Form, headers: &HeaderMap) -> AuthorizationRequest {
    const KNOWN: [&str; 7] = [
        "client_id",
        "redirect_uri",
        "response_type",
        "state",
        "code_challenge",
        "code_challenge_method",
        "scope",
    ];
    let parameters = Parameters(query);
    let mut bad_parameters = parameters.doubled(&KNOWN);
    for unsupported in ["request", "request_uri"] {
        if parameters.one(unsupported).is_some() {
            bad_parameters.push(unsupported.to_owned());
        }
    }
    if parameters
        .one("response_mode")
        .is_some_and(|mode| mode != "query")
    {
        bad_parameters.push("response_mode".to_owned());
    }
    AuthorizationRequest {
        client_id: parameters.one("client_id"),
        redirect_uri: parameters.one("redirect_uri"),
        response_type: parameters.one("response_type"),
        state: parameters.one("state"),
        code_challenge: parameters.one("code_challenge"),
        code_challenge_method: parameters.one("code_challenge_method"),
        scope: parameters.one("scope"),
        resources: parameters.resources(),
        bad_parameters,
        origin: local_origin(headers),
    }
}

/// A parameter that is longer than any valid one is the app's mistake, too.
fn too_long(context: &RequestContext, problem: Problem) -> PageResult {
    if problem.http_status != 400 {
        return Err(problem);
    }
    let wrong = problem.details.first();
    let message = wrong.map_or(problem.message.clone(), |one| {
        format!(
            "{} {}.",
            one.field.trim_start_matches("request."),
            one.message
        )
    });
    let cure = "The developer of the app has to correct its request.";
    shown(context, own_words(&capitalized(&message), cure))
}

fn shown(context: &RequestContext, problem: AuthorizationProblem) -> PageResult {
    let headline = "This app cannot be connected";
    problem_page(context, headline, problem, StatusCode::BAD_REQUEST)
}

fn problem_page(
    context: &RequestContext,
    headline: &str,
    problem: AuthorizationProblem,
    status: StatusCode,
) -> PageResult {
    let mut response = private(&ProblemPage {
        page: Page::private(context.site.links(), headline),
        problem,
        sign_in: with_return_path("/sign-in", own_path(Some(context.here()))),
    })?;
    *response.status_mut() = status;
    Ok(response)
}

/// What this site itself says.
fn own_words(message: &str, cure: &str) -> AuthorizationProblem {
    AuthorizationProblem {
        message: message.to_owned(),
        cure: cure.to_owned(),
        ..AuthorizationProblem::default()
    }
}
