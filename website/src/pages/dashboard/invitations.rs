//! Invitations, as the invited person sees them. The link in the mail leads here; it grants nothing to others.

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use http_kit::Problem;
use muster_api::internal::v1::{
    AcceptInvitationRequest, DeclineInvitationRequest,
    bindings::{AcceptInvitation, DeclineInvitation},
};

use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    return_path::DASHBOARD,
    session,
    timestamp::Timestamp,
    viewer::{Role, Viewer},
};

/// An invitation, as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invited {
    id: String,
    pub(super) url: String,
    pub(super) account: String,
    pub(super) role: Role,
    pub(super) by: String,
    pub(super) until: Timestamp,
}

#[derive(Template)]
#[template(path = "dashboard/invitation.html")]
struct InvitationPage {
    page: Page,
    frame: Frame,
    invitation: Option<Invited>,
}

/// The invitations that wait for a person.
pub(super) fn invited(viewer: &Viewer) -> Vec<Invited> {
    let invited = |one: &muster_api::internal::v1::ReceivedInvitation| Invited {
        url: format!("/invitations/{}", encoded(&one.id)),
        id: one.id.clone(),
        account: one.account_name.clone(),
        role: Role::of(&one.role),
        by: one.invited_by.clone(),
        until: Timestamp::day(&one.expires_at),
    };
    viewer.invitations.iter().map(invited).collect()
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let id = caller.context.segment(1)?;
    let (page, frame) = caller.frame("Invitation", Tab::None);
    let invitation = invited(&caller.viewer).into_iter().find(|one| one.id == id);
    let is_there = invitation.is_some();
    let mut response = caller.answer(&InvitationPage {
        page,
        frame,
        invitation,
    })?;
    if !is_there {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    Ok(response)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let id = Some(caller.context.segment(1)?);
    if form.value("action") == Some("decline") {
        caller
            .ask::<DeclineInvitation>(DeclineInvitationRequest { id })
            .await?;
        return Ok(flash::see(DASHBOARD, Some(Flash::INVITATION_DECLINED)));
    }
    let request = AcceptInvitationRequest { id };
    let accepted = caller.ask::<AcceptInvitation>(request).await?;
    let mut response = flash::see(DASHBOARD, Some(Flash::INVITATION_ACCEPTED));
    session::begin(&mut response, &caller.context.site, &accepted.token);
    Ok(response)
}
