//! Proving again that the address is one's own, before something that a stranger at an open browser must not do.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{
    FinishStepUpRequest, StartStepUpRequest,
    bindings::{FinishStepUp, StartStepUp},
};

use super::{code, trouble};
use crate::{
    caller::{Caller, Frame, PROVE, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    return_path::{RETURN_PATH, own_path, with_return_path},
    session,
};

/// The parameter that says that a code was mailed.
const SENT: &str = "sent";

#[derive(Template)]
#[template(path = "sign_in_again.html")]
struct AgainPage {
    page: Page,
    frame: Frame,
    model: FormModel,
    return_path: String,
    is_sent: bool,
    mail_folder: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let query = caller.context.query();
    let return_path = own_path(query.value(RETURN_PATH)).to_owned();
    let is_sent = query.value(SENT).is_some();
    caller.answer(&AgainPage::of(&caller, code(), return_path, is_sent))
}

/// Has a code mailed, or takes it.
pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let return_path = own_path(form.value(RETURN_PATH)).to_owned();
    if form.value("action") == Some("send") {
        return send(&caller, return_path).await;
    }
    let request = FinishStepUpRequest {
        code: form.value("code").map(str::to_owned),
    };
    match caller.context.ask::<FinishStepUp>(request).await {
        Ok(proven) => {
            let mut response = flash::see(&return_path, Some(Flash::PROVEN));
            session::begin(&mut response, &caller.context.site, &proven.token);
            Ok(response)
        }
        Err(problem) if problem.http_status == 401 => Err(problem),
        Err(problem) => {
            let mut model = code().filled(&form).refused(&problem.details);
            model.trouble = trouble(&problem);
            caller.answer_refused(&AgainPage::of(&caller, model, return_path, true), &problem)
        }
    }
}

async fn send(caller: &Caller, return_path: String) -> Result<Response, Problem> {
    let sent = caller
        .context
        .ask::<StartStepUp>(StartStepUpRequest {})
        .await;
    match sent {
        Ok(_) => {
            let page = with_return_path(PROVE, &return_path);
            let separator = if page.contains('?') { '&' } else { '?' };
            Ok(flash::see(&format!("{page}{separator}{SENT}=1"), None))
        }
        Err(problem) if problem.http_status == 401 => Err(problem),
        Err(problem) => {
            let mut model = code();
            model.trouble = trouble(&problem);
            caller.answer_refused(&AgainPage::of(caller, model, return_path, false), &problem)
        }
    }
}

impl AgainPage {
    fn of(caller: &Caller, model: FormModel, return_path: String, is_sent: bool) -> Self {
        let (page, frame) = caller.frame("Confirm that it is you", Tab::None);
        Self {
            page,
            frame,
            model,
            return_path,
            is_sent,
            mail_folder: caller.context.site.links().mail_folder.clone(),
        }
    }
}
