//! Invitations, as the invited person sees them. The link in the mail leads here; it grants nothing to others.

use askama::Template;
use http::StatusCode;
use muster_api::internal::v1::{
    AcceptInvitationRequest, DeclineInvitationRequest, ReceivedInvitation,
    bindings::{AcceptInvitation, DeclineInvitation},
};

use crate::{
    caller::{Caller, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    return_path::DASHBOARD,
};

#[derive(Template)]
#[template(path = "dashboard/invitation.html")]
struct InvitationPage<'a> {
    page: Frame,
    invitation: Option<&'a ReceivedInvitation>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let id = caller.context.segment(1)?;
    let invitation = caller.viewer.invitations.iter().find(|one| one.id == id);
    let mut response = caller.answer(&InvitationPage {
        page: caller.page("Invitation", Tab::None),
        invitation,
    })?;
    if invitation.is_none() {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    Ok(response)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let id = Some(caller.context.segment(1)?);
    if form.value("action") == Some("decline") {
        caller
            .ask::<DeclineInvitation>(DeclineInvitationRequest { id })
            .await?;
        return Ok(flash::see(DASHBOARD, Some(Flash::INVITATION_DECLINED)));
    }
    let request = AcceptInvitationRequest { id };
    let accepted = caller.ask::<AcceptInvitation>(request).await?;
    Ok(caller.begin_session(&accepted.token, DASHBOARD, Flash::INVITATION_ACCEPTED))
}
