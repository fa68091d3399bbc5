//! One member: another role, or none any more.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Reason, Scope,
    internal::v1::{
        ChangeRoleRequest, CreatedKey, Member, RemoveMemberRequest,
        bindings::{ChangeRole, RemoveMember},
    },
};

use super::{PATH, events, read, roles};
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

/// The keys that were kept, each with its new secret, which can be shown only now.
#[derive(Template)]
#[template(path = "dashboard/keys_kept.html")]
struct NewKeysPage {
    page: Frame,
    keys: Vec<CreatedKey>,
    overlap_hours: i32,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require(Scope::MembersWrite)?;
    caller.require_proof()?;
    let id = caller.context.segment(2)?;
    let members = read(&caller).await?.members;
    let found = members.into_iter().find(|member| member.person_id == id);
    let unknown = || Problem::new(Reason::NotFound, "there is no such member");
    let member = found.ok_or_else(unknown)?;
    let mut fields = vec![roles(Role::of(&member.role))];
    fields.extend(events::fields(&caller, member.only_some_events, &member.events).await?);
    caller.answer(&MemberPage {
        page: caller.page(&member.name, Tab::Members),
        model: caller.model(fields),
        member,
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    let person_id = Some(caller.context.segment(2)?);
    if form.value("action") == Some("remove") {
        return remove(&caller, person_id, &form).await;
    }
    let role = form.text("role");
    let request = ChangeRoleRequest {
        person_id,
        role,
        events: events::read(&form),
    };
    caller.ask::<ChangeRole>(request).await?;
    Ok(flash::see(PATH, Some(Flash::ROLE_CHANGED)))
}

async fn remove(caller: &Caller, person_id: Option<String>, form: &Form) -> PageResult {
    let hours = form.value("overlap_hours");
    let overlap_hours = hours.and_then(|text| text.parse().ok());
    let request = RemoveMemberRequest {
        person_id,
        keep_keys: form.is_ticked("keep_keys"),
        overlap_hours,
    };
    let keys = caller.ask::<RemoveMember>(request).await?.kept_keys;
    if keys.is_empty() {
        return Ok(flash::see(PATH, Some(Flash::MEMBER_REMOVED)));
    }
    caller.answer(&NewKeysPage {
        page: caller.page("The keys that you kept", Tab::Members),
        keys,
        overlap_hours: overlap_hours.unwrap_or_default(),
    })
}
