//! Choosing another account of the person.

use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{SwitchAccountRequest, bindings::SwitchAccount};

use crate::{
    caller::Caller,
    flash::{self, Flash},
    form::Form,
    return_path::{RETURN_PATH, own_path},
    session,
};

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let request = SwitchAccountRequest {
        account_id: form.value("account_id").map(str::to_owned),
    };
    let switched = caller.ask::<SwitchAccount>(request).await?;
    let mut response = flash::see(own_path(form.value(RETURN_PATH)), Some(Flash::SWITCHED));
    session::begin(
        &mut response,
        &caller.context.site,
        switched.token.as_deref().unwrap_or_default(),
    );
    Ok(response)
}
