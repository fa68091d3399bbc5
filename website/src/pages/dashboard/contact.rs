//! The address for questions of an event: mails name it once someone typed the code that was mailed to it.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{
        FinishContactProofRequest, GetContactRequest, StartContactProofRequest,
        bindings::{FinishContactProof, GetContact, StartContactProof},
    },
    v1::MyEventDetail,
};

use super::event_head::{EventHead, Part, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    pages::sign_in,
};

const TITLE: &str = "Is this address yours?";

#[derive(Template)]
#[template(path = "dashboard/contact.html")]
struct ContactPage {
    page: Frame,
    head: EventHead,
    email: String,
    model: FormModel,
}

/// The page that asks for the code.
pub(super) fn path(event_id: &str) -> String {
    format!("{}/contact", path_of(event_id))
}

/// The address of an event, if mails do not name it yet.
///
/// # Errors
/// Core's refusal.
pub(super) async fn unproven(
    caller: &Caller,
    address: Option<String>,
) -> Result<Option<String>, Problem> {
    let Some(address) = address.filter(|address| !address.is_empty()) else {
        return Ok(None);
    };
    let request = GetContactRequest {
        email: Some(address.clone()),
    };
    let contact = caller.ask::<GetContact>(request).await?;
    Ok((!contact.is_proven).then_some(address))
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    let Some(email) = asked_about(&caller, &event).await? else {
        return Ok(flash::see(&path_of(&event.id), None));
    };
    caller.answer(&ContactPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(&event, Part::Edit),
        email,
        model: caller.model(sign_in::code()),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    if form.value("action") == Some("send") {
        if let Some(email) = asked_about(&caller, &event).await? {
            let request = StartContactProofRequest { email: Some(email) };
            caller.ask::<StartContactProof>(request).await?;
        }
        return Ok(flash::see(&path(&event.id), Some(Flash::CONTACT_CODE_SENT)));
    }
    let code = form.text("code");
    let request = FinishContactProofRequest { code };
    caller.ask::<FinishContactProof>(request).await?;
    Ok(flash::see(&path_of(&event.id), Some(Flash::CONTACT_PROVEN)))
}

async fn asked_about(caller: &Caller, event: &MyEventDetail) -> Result<Option<String>, Problem> {
    if event.is_cancelled {
        return Ok(None);
    }
    unproven(caller, event.contact_email.clone()).await
}
