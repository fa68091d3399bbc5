//! One member: another role, or none any more.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::{
    Reason, Scope,
    internal::v1::{
        ChangeRoleRequest, RemoveMemberRequest,
        bindings::{ChangeRole, RemoveMember},
    },
};

use super::{PATH, ShownMember, read, roles};
use crate::{
    desk::{Desk, Frame, PROVE, Tab, sentence},
    field::Sheet,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    next::with_next,
    visit::Site,
};

#[derive(Template)]
#[template(path = "dashboard/member.html")]
struct MemberPage {
    page: Page,
    frame: Frame,
    member: ShownMember,
    sheet: Sheet,
    trouble: Option<String>,
}

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk_with_form("/dashboard/members/{person_id}", show, take)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    desk.require(Scope::MembersWrite)?;
    if !desk.viewer.is_proven {
        return Ok(flash::see(&with_next(PROVE, desk.visit.here()), None));
    }
    let page = MemberPage::of(&desk).await?;
    desk.answer(&page)
}

async fn take(desk: Desk, form: Form) -> Result<Response, Problem> {
    let taken = if form.value("action") == Some("remove") {
        remove(&desk, &form).await
    } else {
        change(&desk, &form).await
    };
    match taken {
        Ok(done) => Ok(flash::see(PATH, Some(done))),
        Err(problem) if problem.http_status == 409 => {
            let mut page = MemberPage::of(&desk).await?;
            page.trouble = Some(format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

async fn change(desk: &Desk, form: &Form) -> Result<Flash, Problem> {
    let request = ChangeRoleRequest {
        person_id: Some(desk.visit.segment(2)?),
        role: form.value("role").map(str::to_owned),
    };
    desk.ask::<ChangeRole>(request).await?;
    Ok(Flash::ROLE_CHANGED)
}

async fn remove(desk: &Desk, form: &Form) -> Result<Flash, Problem> {
    let request = RemoveMemberRequest {
        person_id: Some(desk.visit.segment(2)?),
        keep_keys: form.is_ticked("keep_keys"),
    };
    desk.ask::<RemoveMember>(request).await?;
    Ok(Flash::MEMBER_REMOVED)
}

impl MemberPage {
    async fn of(desk: &Desk) -> Result<Self, Problem> {
        let id = desk.visit.segment(2)?;
        let members = read(desk).await?.members;
        let found = members.into_iter().find(|member| member.person_id == id);
        let unknown = || Problem::new(Reason::NotFound, "there is no such member");
        let member = ShownMember::of(found.ok_or_else(unknown)?);
        let (page, frame) = desk.frame(&member.name, Tab::Members);
        Ok(Self {
            page,
            frame,
            sheet: Sheet::of(vec![roles(member.role)]),
            member,
            trouble: None,
        })
    }
}
