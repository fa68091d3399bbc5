//! One member: another role, or none any more.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    internal::v1::{
        ChangeRoleRequest, Member, RemoveMemberRequest,
        bindings::{ChangeRole, RemoveMember},
    },
};

use super::{PATH, read, roles};
use crate::{
    caller::{Caller, Frame, Tab},
    field::FormModel,
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    viewer::Role,
};

#[derive(Template)]
#[template(path = "dashboard/member.html")]
struct MemberPage {
    page: Frame,
    member: Member,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::MembersWrite)?;
    caller.require_proof()?;
    let id = caller.context.segment(2)?;
    let members = read(&caller).await?.members;
    let found = members.into_iter().find(|member| member.person_id == id);
    let unknown = || Problem::new(Reason::NotFound, "there is no such member");
    let member = found.ok_or_else(unknown)?;
    caller.answer(&MemberPage {
        page: caller.page(&member.name, Tab::Members),
        model: caller.model(vec![roles(Role::of(&member.role))]),
        member,
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let person_id = Some(caller.context.segment(2)?);
    if form.value("action") == Some("remove") {
        let request = RemoveMemberRequest {
            person_id,
            keep_keys: form.is_ticked("keep_keys"),
        };
        caller.ask::<RemoveMember>(request).await?;
        return Ok(flash::see(PATH, Some(Flash::MEMBER_REMOVED)));
    }
    let role = form.text("role");
    let request = ChangeRoleRequest { person_id, role };
    caller.ask::<ChangeRole>(request).await?;
    Ok(flash::see(PATH, Some(Flash::ROLE_CHANGED)))
}
