//! The members of an account, and invitations to become one.

pub(in crate::pages) mod member;

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::internal::v1::{
    InviteMemberRequest, ListMembersRequest, Member, MemberList, WithdrawInvitationRequest,
    bindings::{InviteMember, ListMembers, WithdrawInvitation},
};

use crate::{
    caller::{Caller, Frame, Tab},
    cover::encoded,
    field::{Choice, Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    timestamp::Timestamp,
    viewer::Role,
};

pub(in crate::pages) const PATH: &str = "/dashboard/members";

#[derive(Template)]
#[template(path = "dashboard/members.html")]
struct MembersPage {
    page: Page,
    frame: Frame,
    members: Vec<ShownMember>,
    invitations: Vec<Sent>,
    model: FormModel,
}

/// A member, as pages show them.
struct ShownMember {
    name: String,
    email: String,
    role: Role,
    since: Timestamp,
    is_me: bool,
    keys: i32,
    url: String,
}

/// An invitation that waits.
struct Sent {
    id: String,
    email: String,
    role: Role,
    invited_by: String,
    until: Timestamp,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let list = read(&caller).await?;
    caller.answer(&MembersPage::of(&caller, list, fields()))
}

pub(in crate::pages) async fn invite(caller: Caller, form: Form) -> Result<Response, Problem> {
    caller.require_no_other_account(&form)?;
    let request = InviteMemberRequest {
        email: form.value("email").map(str::to_owned),
        role: form.value("role").map(str::to_owned),
    };
    match caller.ask::<InviteMember>(request).await {
        Ok(_) => Ok(flash::see(PATH, Some(Flash::INVITED))),
        Err(problem) => {
            let model = fields().again(&form, &problem)?;
            let page = MembersPage::of(&caller, read(&caller).await?, model);
            caller.answer_refused(&page, &problem)
        }
    }
}

pub(in crate::pages) async fn withdraw(caller: Caller, form: Form) -> Result<Response, Problem> {
    let id = form.value("id").map(str::to_owned);
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

fn fields() -> FormModel {
    FormModel::of(vec![
        Field::email("email", "E-mail address").required(),
        roles(Role::Organizer),
    ])
}

/// The roles, of which one is chosen.
fn roles(chosen: Role) -> Field {
    let mut field = Field::new(FieldKind::Radio, "role", "Role").required();
    field.options = Role::ALL
        .into_iter()
        .map(|role| Choice {
            value: role.code().to_owned(),
            label: role.word().to_owned(),
            hint: Some(role.words().to_owned()),
            is_chosen: role == chosen,
        })
        .collect();
    field
}

impl MembersPage {
    fn of(caller: &Caller, list: MemberList, model: FormModel) -> Self {
        let (page, frame) = caller.frame("Members", Tab::Members);
        let invitations = list.invitations.into_iter().map(|one| Sent {
            id: one.id,
            email: one.email,
            role: Role::of(&one.role),
            invited_by: one.invited_by,
            until: Timestamp::day(&one.expires_at),
        });
        Self {
            page,
            frame,
            members: list.members.into_iter().map(ShownMember::of).collect(),
            invitations: invitations.collect(),
            model,
        }
    }
}

impl ShownMember {
    fn of(member: Member) -> Self {
        Self {
            url: format!("{PATH}/{}", encoded(&member.person_id)),
            role: Role::of(&member.role),
            since: Timestamp::day(&member.created_at),
            is_me: member.is_caller,
            keys: member.keys,
            name: member.name,
            email: member.email,
        }
    }
}
