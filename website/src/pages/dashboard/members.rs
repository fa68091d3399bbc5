//! The members of an account, and invitations to become one.

mod events;
pub(in crate::pages) mod member;

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    internal::v1::{
        InviteMemberRequest, ListMembersRequest, MemberList, WithdrawInvitationRequest,
        bindings::{InviteMember, ListMembers, WithdrawInvitation},
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    caller::{Caller, Frame, Tab},
    field::{Field, FormModel},
    flash::{self, Flash},
    form::{Form, link},
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
    /// The event that someone is to be invited to, if the page is about one.
    event: Option<String>,
    again_url: String,
}

/// Parameters of the page.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Query {
    /// The event that someone is to be invited to.
    event: Option<String>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let list = read(&caller).await?;
    let mut query: Query = caller.context.query().read()?;
    // A form that is shown again names the event itself.
    let typed = caller.form().and_then(|form| form.text("event"));
    query.event = typed.or(query.event);
    let path = link(PATH, &query);
    let event = match &query.event {
        Some(id) => Some(events::linked(&caller, id).await?),
        None => None,
    };
    let mut fields = Vec::new();
    if caller.viewer.may(Scope::MembersWrite) && caller.viewer.is_proven {
        // Who begins at an event mostly looks for help at the door.
        let role = if event.is_some() {
            Role::Door
        } else {
            Role::Organizer
        };
        fields.push(Field::email("email", "Email address").required());
        fields.push(roles(role));
        fields.extend(events::fields(&caller, event.is_some(), event.as_slice()).await?);
    }
    caller.answer(&MembersPage {
        page: caller.page("Members", Tab::Members),
        list,
        model: caller.model(fields),
        again_url: link("/sign-in/again", &[("next", &path)]),
        event: query.event,
    })
}

pub(in crate::pages) async fn invite(caller: Caller, form: Form) -> PageResult {
    caller.require_no_other_account(&form)?;
    let request = InviteMemberRequest {
        email: form.text("email"),
        role: form.text("role"),
        events: events::read(&form),
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
    let roles = Role::ALL.map(|role| (role.code(), role.word(), role.words()));
    Field::radio("role", "Role", &roles, chosen.code()).required()
}
