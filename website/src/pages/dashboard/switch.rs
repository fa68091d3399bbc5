//! Choosing another account of the person.

use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{SwitchAccountRequest, bindings::SwitchAccount};

use crate::{
    desk::Desk,
    flash::{self, Flash},
    form::Form,
    next::{NEXT, own_path},
    session,
    visit::Site,
};

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.own_form("/dashboard/switch", take)]
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let request = SwitchAccountRequest {
        account_id: form.value("account_id").map(str::to_owned),
    };
    let switched = desk.ask::<SwitchAccount>(request).await?;
    let mut response = flash::see(own_path(form.value(NEXT)), Some(Flash::SWITCHED));
    session::begin(
        &mut response,
        &desk.visit.site,
        switched.token.as_deref().unwrap_or_default(),
    );
    Ok(response)
}
