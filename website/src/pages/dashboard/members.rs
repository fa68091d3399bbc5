//! The members of an account, and invitations to become one.

mod member;

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::internal::v1::{
    InviteMemberRequest, ListMembersRequest, Member, MemberList, WithdrawInvitationRequest,
    bindings::{InviteMember, ListMembers, WithdrawInvitation},
};

use crate::{
    cover::encoded,
    desk::{Desk, Frame, Tab, sentence},
    field::{Choice, Field, FieldKind, Sheet},
    flash::{self, Flash},
    form::Form,
    layout::Page,
    moment::Moment,
    viewer::Role,
    visit::Site,
};

const PATH: &str = "/dashboard/members";

#[derive(Template)]
#[template(path = "dashboard/members.html")]
struct MembersPage {
    page: Page,
    frame: Frame,
    members: Vec<ShownMember>,
    invitations: Vec<Sent>,
    sheet: Sheet,
    trouble: Option<String>,
}

/// A member, as pages show them.
struct ShownMember {
    name: String,
    email: String,
    role: Role,
    since: Moment,
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
    until: Moment,
}

pub(super) fn resources(site: &Site) -> Vec<Resource> {
    let mut resources = vec![
        site.desk_with_form(PATH, show, invite),
        site.desk_form("/dashboard/members/withdraw", withdraw),
    ];
    resources.extend(member::resources(site));
    resources
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let list = read(&desk).await?;
    desk.answer(&MembersPage::of(&desk, list, fields()))
}

async fn invite(desk: Desk, form: Form) -> Result<Response, Problem> {
    desk.require_no_other_account(&form)?;
    let request = InviteMemberRequest {
        email: form.value("email").map(str::to_owned),
        role: form.value("role").map(str::to_owned),
    };
    match desk.ask::<InviteMember>(request).await {
        Ok(_) => Ok(flash::see(PATH, Some(Flash::INVITED))),
        Err(problem) if matches!(problem.http_status, 400 | 409) => {
            let sheet = fields().filled(&form).refused(&problem.details);
            let mut page = MembersPage::of(&desk, read(&desk).await?, sheet);
            page.trouble =
                (problem.http_status == 409).then(|| format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

async fn withdraw(desk: Desk, form: Form) -> Result<Response, Problem> {
    let id = form.value("id").map(str::to_owned);
    let request = WithdrawInvitationRequest { id };
    match desk.ask::<WithdrawInvitation>(request).await {
        // It was taken, or has lapsed: the list says so.
        Err(problem) if problem.http_status == 404 => Ok(flash::see(PATH, None)),
        Err(problem) => Err(problem),
        Ok(_) => Ok(flash::see(PATH, Some(Flash::INVITATION_WITHDRAWN))),
    }
}

async fn read(desk: &Desk) -> Result<MemberList, Problem> {
    desk.ask::<ListMembers>(ListMembersRequest {}).await
}

fn fields() -> Sheet {
    Sheet::of(vec![
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
    fn of(desk: &Desk, list: MemberList, sheet: Sheet) -> Self {
        let (page, frame) = desk.frame("Members", Tab::Members);
        let invitations = list.invitations.into_iter().map(|one| Sent {
            id: one.id,
            email: one.email,
            role: Role::of(&one.role),
            invited_by: one.invited_by,
            until: Moment::day(&one.expires_at),
        });
        Self {
            page,
            frame,
            members: list.members.into_iter().map(ShownMember::of).collect(),
            invitations: invitations.collect(),
            sheet,
            trouble: None,
        }
    }
}

impl ShownMember {
    fn of(member: Member) -> Self {
        Self {
            url: format!("{PATH}/{}", encoded(&member.person_id)),
            role: Role::of(&member.role),
            since: Moment::day(&member.created_at),
            is_me: member.is_caller,
            keys: member.keys,
            name: member.name,
            email: member.email,
        }
    }
}
