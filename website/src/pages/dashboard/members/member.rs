//! One member: another role, or none any more.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    internal::v1::{
        ChangeRoleRequest, RemoveMemberRequest,
        bindings::{ChangeRole, RemoveMember},
    },
};

use super::{PATH, ShownMember, read, roles};
use crate::{
    caller::{Caller, Frame, PROVE, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::Page,
    return_path::with_return_path,
};

#[derive(Template)]
#[template(path = "dashboard/member.html")]
struct MemberPage {
    page: Page,
    frame: Frame,
    member: ShownMember,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    caller.require(Scope::MembersWrite)?;
    if !caller.viewer.is_proven {
        return Ok(flash::see(
            &with_return_path(PROVE, caller.context.here()),
            None,
        ));
    }
    let page = MemberPage::of(&caller).await?;
    caller.answer(&page)
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> Result<Response, Problem> {
    let taken = if form.value("action") == Some("remove") {
        remove(&caller, &form).await
    } else {
        change(&caller, &form).await
    };
    match taken {
        Ok(done) => Ok(flash::see(PATH, Some(done))),
        Err(problem) => {
            let mut page = MemberPage::of(&caller).await?;
            page.model = page.model.again(&form, &problem)?;
            caller.answer_refused(&page, &problem)
        }
    }
}

async fn change(caller: &Caller, form: &Form) -> Result<Flash, Problem> {
    let request = ChangeRoleRequest {
        person_id: Some(caller.context.segment(2)?),
        role: form.value("role").map(str::to_owned),
    };
    caller.ask::<ChangeRole>(request).await?;
    Ok(Flash::ROLE_CHANGED)
}

async fn remove(caller: &Caller, form: &Form) -> Result<Flash, Problem> {
    let request = RemoveMemberRequest {
        person_id: Some(caller.context.segment(2)?),
        keep_keys: form.is_ticked("keep_keys"),
    };
    caller.ask::<RemoveMember>(request).await?;
    Ok(Flash::MEMBER_REMOVED)
}

impl MemberPage {
    async fn of(caller: &Caller) -> Result<Self, Problem> {
        let id = caller.context.segment(2)?;
        let members = read(caller).await?.members;
        let found = members.into_iter().find(|member| member.person_id == id);
        let unknown = || Problem::new(Reason::NotFound, "there is no such member");
        let member = ShownMember::of(found.ok_or_else(unknown)?);
        let (page, frame) = caller.frame(&member.name, Tab::Members);
        Ok(Self {
            page,
            frame,
            model: FormModel::of(vec![roles(member.role)]),
            member,
        })
    }
}
