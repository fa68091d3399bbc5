//! The members of an account, and invitations to become one.

pub(in crate::pages) mod member;

use askama::Template;
use http_kit::Problem;
use muster_api::internal::v1::{
    InviteMemberRequest, ListMembersRequest, MemberList, WithdrawInvitationRequest,
    bindings::{InviteMember, ListMembers, WithdrawInvitation},
};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Choice, Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
    viewer::Role,
};

pub(in crate::pages) const PATH: &str = "/dashboard/members";

#[derive(Template)]
#[template(path = "dashboard/members.html")]
struct MembersPage {
    page: Frame,
    list: MemberList,
    model: FormModel,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let list = read(&caller).await?;
    let email = Field::email("email", "Email address").required();
    caller.answer(&MembersPage {
        page: caller.page("Members", Tab::Members),
        list,
        model: caller.model(vec![email, roles(Role::Organizer)]),
    })
}

pub(in crate::pages) async fn invite(caller: Caller, form: Form) -> PageResult {
    caller.require_no_other_account(&form)?;
    let request = InviteMemberRequest {
        email: form.text("email"),
        role: form.text("role"),
    };
    caller.ask::<InviteMember>(request).await?;
    Ok(flash::see(PATH, Some(Flash::INVITED)))
}

pub(in crate::pages) async fn withdraw(caller: Caller, form: Form) -> PageResult {
    let id = form.text("id");
    let request = WithdrawInvitationRequest { id };
    match caller.ask::<WithdrawInvitation>(request).await {
        // It was taken, or has lapsed: the list says so.
        Err(problem) if problem.http_status == 404 => Ok(flash::see(PATH, None)),
        Err(problem) => Err(problem),
        Ok(_) => Ok(flash::see(PATH, Some(Flash::INVITATION_WITHDRAWN))),
    }
}

async fn read(caller: &Caller) -> Result<MemberList, Problem> {
    caller.ask::<ListMembers>(ListMembersRequest {}).await
}

/// The roles, of which one is chosen.
fn roles(chosen: Role) -> Field {
    let choices = Role::ALL.into_iter().map(|role| Choice {
        value: role.code().to_owned(),
        label: role.word().to_owned(),
        hint: Some(role.words().to_owned()),
        is_chosen: role == chosen,
    });
    let field = Field::new(FieldKind::Radio, "role", "Role");
    field.choices(choices).required()
}
