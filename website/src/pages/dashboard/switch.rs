//! Choosing another account of the person.

use muster_api::internal::v1::{SwitchAccountRequest, bindings::SwitchAccount};

use crate::{
    caller::Caller,
    flash::Flash,
    form::Form,
    layout::PageResult,
    return_path::{RETURN_PATH, own_path},
};

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let account_id = form.text("account_id");
    let request = SwitchAccountRequest { account_id };
    let switched = caller.ask::<SwitchAccount>(request).await?;
    let path = own_path(form.value(RETURN_PATH));
    Ok(caller.begin_session(switched.token(), path, Flash::SWITCHED))
}
