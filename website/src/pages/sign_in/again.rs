//! Proving again that the address is one's own, before something that a stranger at an open browser must not do.

use askama::Template;
use muster_api::internal::v1::{
    FinishStepUpRequest, StartStepUpRequest,
    bindings::{FinishStepUp, StartStepUp},
};

use super::{action, code, with_trouble};
use crate::{
    caller::{Caller, Frame, PROVE, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    return_path::{RETURN_PATH, own_path, with_return_path},
};

/// The parameter that says that a code was mailed.
const SENT: &str = "sent";

const TITLE: &str = "Confirm that it is you";

#[derive(Template)]
#[template(path = "sign_in_again.html")]
struct AgainPage {
    page: Frame,
    model: FormModel,
    return_path: String,
    is_sent: bool,
}

impl AgainPage {
    /// Where its forms go.
    fn to(&self, path: &str) -> String {
        action(path, &self.return_path)
    }
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let query = caller.context.query();
    let return_path = own_path(query.value(RETURN_PATH)).to_owned();
    let is_sent = query.value(SENT).is_some();
    caller.answer(&AgainPage {
        page: caller.page(TITLE, Tab::None),
        model: FormModel::of(code()),
        return_path,
        is_sent,
    })
}

/// Has a code mailed, or takes it.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let return_path = own_path(form.value(RETURN_PATH)).to_owned();
    let sends = form.value("action") == Some("send");
    let taken = if sends {
        send(&caller, &return_path).await
    } else {
        prove(&caller, &form, &return_path).await
    };
    match taken {
        Err(problem) if problem.http_status != 401 => {
            let model = FormModel::of(code()).filled(&form);
            let model = with_trouble(model.refused(&problem.details), &problem);
            let caller = caller.refused(form, problem);
            caller.answer(&AgainPage {
                page: caller.page(TITLE, Tab::None),
                model,
                return_path,
                is_sent: !sends,
            })
        }
        answer => answer,
    }
}

async fn send(caller: &Caller, return_path: &str) -> PageResult {
    caller.ask::<StartStepUp>(StartStepUpRequest {}).await?;
    let page = with_return_path(PROVE, return_path);
    let separator = if page.contains('?') { '&' } else { '?' };
    Ok(flash::see(&format!("{page}{separator}{SENT}=1"), None))
}

async fn prove(caller: &Caller, form: &Form, return_path: &str) -> PageResult {
    let code = form.text("code");
    let request = FinishStepUpRequest { code };
    let proven = caller.ask::<FinishStepUp>(request).await?;
    Ok(caller.begin_session(&proven.token, return_path, Flash::PROVEN))
}
