//! Signing out.

use http::{HeaderName, HeaderValue};
use muster_api::internal::v1::{SignOutRequest, bindings::SignOut};

use crate::{
    cookies,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    request_context::RequestContext,
};

/// Makes the browser forget what pages kept on the device: the codes that the door expects.
const CLEAR: (HeaderName, HeaderValue) = (
    HeaderName::from_static("clear-site-data"),
    HeaderValue::from_static("\"storage\""),
);

pub(in crate::pages) async fn take(context: RequestContext, _form: Form) -> PageResult {
    match context.ask::<SignOut>(SignOutRequest {}).await {
        // Who is signed out already is signed out.
        Ok(_) => {}
        Err(problem) if problem.http_status == 401 => {}
        Err(problem) => return Err(problem),
    }
    let mut response = flash::see("/sign-in", Some(Flash::SIGNED_OUT));
    cookies::end_session(&mut response, context.site.is_secure());
    let (name, value) = CLEAR;
    response.headers_mut().insert(name, value);
    Ok(response)
}
