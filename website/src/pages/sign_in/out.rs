//! Signing out.

use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{SignOutRequest, bindings::SignOut};

use crate::{
    flash::{self, Flash},
    form::Form,
    session,
    visit::{Site, Visit},
};

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.form("/sign-out", take)]
}

async fn take(visit: Visit, _form: Form) -> Result<Response, Problem> {
    match visit.ask::<SignOut>(SignOutRequest {}).await {
        // Who is signed out already is signed out.
        Ok(_) => {}
        Err(problem) if problem.http_status == 401 => {}
        Err(problem) => return Err(problem),
    }
    let mut response = flash::see("/sign-in", Some(Flash::SIGNED_OUT));
    session::forget(&mut response, &visit.site);
    Ok(response)
}
