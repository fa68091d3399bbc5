//! Invitations, as the invited person sees them. The link in the mail leads here; it grants nothing to others.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use http::StatusCode;
use muster_api::internal::v1::{
    AcceptInvitationRequest, DeclineInvitationRequest,
    bindings::{AcceptInvitation, DeclineInvitation},
};

use crate::{
    cover::encoded,
    desk::{Desk, Frame, Tab},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    moment::Moment,
    next::DASHBOARD,
    session,
    viewer::{Role, Viewer},
    visit::Site,
};

/// An invitation, as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invited {
    id: String,
    pub(super) url: String,
    pub(super) account: String,
    pub(super) role: Role,
    pub(super) by: String,
    pub(super) until: Moment,
}

#[derive(Template)]
#[template(path = "dashboard/invitation.html")]
struct InvitationPage {
    page: Page,
    frame: Frame,
    invitation: Option<Invited>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.own_with_form("/invitations/{id}", show, take)]
}

/// The invitations that wait for a person.
pub(super) fn invited(viewer: &Viewer) -> Vec<Invited> {
    let invited = |one: &muster_api::internal::v1::ReceivedInvitation| Invited {
        url: format!("/invitations/{}", encoded(&one.id)),
        id: one.id.clone(),
        account: one.account_name.clone(),
        role: Role::of(&one.role),
        by: one.invited_by.clone(),
        until: Moment::day(&one.expires_at),
    };
    viewer.invitations.iter().map(invited).collect()
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let id = desk.visit.segment(1)?;
    let (page, frame) = desk.frame("Invitation", Tab::None);
    let invitation = invited(&desk.viewer).into_iter().find(|one| one.id == id);
    let is_there = invitation.is_some();
    let mut response = desk.answer(&InvitationPage {
        page,
        frame,
        invitation,
    })?;
    if !is_there {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    Ok(response)
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let id = Some(desk.visit.segment(1)?);
    if form.value("action") == Some("decline") {
        desk.ask::<DeclineInvitation>(DeclineInvitationRequest { id })
            .await?;
        return Ok(flash::see(DASHBOARD, Some(Flash::INVITATION_DECLINED)));
    }
    let request = AcceptInvitationRequest { id };
    let accepted = desk.ask::<AcceptInvitation>(request).await?;
    let mut response = flash::see(DASHBOARD, Some(Flash::INVITATION_ACCEPTED));
    session::begin(&mut response, &desk.visit.site, &accepted.token);
    Ok(response)
}
