//! OAuth 2.1: where an app sends a person to connect it, where the person agrees, and where the app then gets its tokens.
//!
//! Core decides everything. `endpoints` are for programs: no cookie counts there, and pages of any origin may call them.

mod consent;
mod endpoints;
mod metadata;
mod parameters;

use askama::Template;
use axum::response::Response;
use edge::{
    Problem,
    http::{Resource, oauth::local_origin},
};
use http::{Method, StatusCode, header::SET_COOKIE};
use muster_api::internal::v1::{
    AuthorizationProblem, AuthorizationRequest, BeginAuthorizationRequest,
    bindings::{BeginAuthorization, CheckAuthorization},
};

use crate::{
    browser::Browser,
    desk::sentence,
    flash,
    layout::{Page, Section, private},
    next::{own_path, with_next},
    visit::{Site, Visit},
};
pub(crate) use consent::surfaces;
use parameters::Parameters;

/// Where an app sends a person.
const AUTHORIZE: &str = "/oauth/authorize";

/// Why a request does not lead back to its app, and what to do about it.
#[derive(Template)]
#[template(path = "oauth_problem.html")]
struct ProblemPage {
    page: Page,
    headline: &'static str,
    message: String,
    cure: String,
}

pub(crate) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = vec![site.page(AUTHORIZE, authorize)];
    resources.extend(consent::resources(site));
    resources.extend(endpoints::resources(site));
    resources.extend(metadata::resources(site));
    resources
}

/// Leads to the page where the person agrees, by way of signing in if nobody is signed in.
async fn authorize(visit: Visit) -> Result<Response, Problem> {
    let request = request_of(&visit);
    // What only looks at the page begins nothing.
    if visit.has_session() && visit.parts.method != Method::HEAD {
        match begin(&visit, request.clone()).await {
            Err(problem) if problem.http_status == 401 => {}
            answered => return answered.or_else(|problem| too_long(&visit.site, problem)),
        }
    }
    let checked = match visit.ask::<CheckAuthorization>(request).await {
        Ok(checked) => checked,
        Err(problem) => return too_long(&visit.site, problem),
    };
    if let Some(problem) = checked.problem {
        return shown(&visit.site, problem);
    }
    if let Some(uri) = checked.redirect_uri {
        return Ok(flash::see(&uri, None));
    }
    let here = visit.here();
    if own_path(Some(here)) != here {
        return shown(&visit.site, UNKEPT.problem());
    }
    Ok(flash::see(&with_next("/sign-in", here), None))
}

async fn begin(visit: &Visit, request: AuthorizationRequest) -> Result<Response, Problem> {
    let browser = Browser::of(&visit.parts.headers, &visit.site);
    let request = BeginAuthorizationRequest {
        request: Some(request),
        browser: Some(browser.secret().to_owned()),
    };
    let begun = visit.ask::<BeginAuthorization>(request).await?;
    if let Some(problem) = begun.problem {
        return shown(&visit.site, problem);
    }
    if let Some(uri) = begun.redirect_uri {
        return Ok(flash::see(&uri, None));
    }
    let pending = begun.pending.unwrap_or_default();
    // The address of the next page says nothing of the request, so that nothing of it gets anywhere else.
    let mut response = flash::see(&format!("{AUTHORIZE}/{}", pending.id), None);
    if let Some(cookie) = browser.cookie(&visit.site) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

fn request_of(visit: &Visit) -> AuthorizationRequest {
    const KNOWN: [&str; 7] = [
        "client_id",
        "redirect_uri",
        "response_type",
        "state",
        "code_challenge",
        "code_challenge_method",
        "scope",
    ];
    let query = visit.query();
    let parameters = Parameters(&query);
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
        origin: local_origin(&visit.parts.headers),
    }
}

/// A parameter that is longer than any valid one is the app's mistake, too.
fn too_long(site: &Site, problem: Problem) -> Result<Response, Problem> {
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
    shown(
        site,
        AuthorizationProblem {
            message: sentence(&message),
            cure: "Whoever makes the app has to correct its request.".to_owned(),
        },
    )
}

fn shown(site: &Site, problem: AuthorizationProblem) -> Result<Response, Problem> {
    problem_page(
        site,
        "This app cannot be connected",
        problem,
        StatusCode::BAD_REQUEST,
    )
}

fn problem_page(
    site: &Site,
    headline: &'static str,
    problem: AuthorizationProblem,
    status: StatusCode,
) -> Result<Response, Problem> {
    let mut response = private(&ProblemPage {
        page: Page::unlisted(site.links(), headline, "A private page.", Section::None),
        headline,
        message: problem.message,
        cure: problem.cure,
    })?;
    *response.status_mut() = status;
    Ok(response)
}

/// What this site itself says.
struct Words {
    message: &'static str,
    cure: &'static str,
}

const UNKEPT: Words = Words {
    message: "The app's request is too long to be kept while you sign in.",
    cure: "Sign in first. Then go back to the app and connect it again.",
};

impl Words {
    fn problem(&self) -> AuthorizationProblem {
        AuthorizationProblem {
            message: self.message.to_owned(),
            cure: self.cure.to_owned(),
        }
    }
}
