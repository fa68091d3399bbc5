//! Members of accounts, and invitations.

use domain::{
    self,
    ids::EventId,
    invitation::SentInvitation,
    person::{NamedEvent, Role},
    violation::FieldViolation,
};
use muster_api::{
    Scope,
    internal::v1::{
        self, AcceptInvitationRequest, AcceptInvitationResponse, ChangeRoleRequest,
        DeclineInvitationRequest, DeclineInvitationResponse, GetInvitationRequest, Invitation,
        InviteMemberRequest, LeaveAccountRequest, LeaveAccountResponse, ListMembersRequest,
        MemberEvent, MemberList, ReceivedInvitation, RemoveMemberRequest, RemoveMemberResponse,
        WithdrawInvitationRequest, WithdrawInvitationResponse, services::MemberHandlers,
    },
};

use super::{
    Api,
    frame::{CoreFrame, Member, PublicCaller},
    key_service::{HOUR_SECONDS, created},
    request::id_of,
    session_service,
};
use crate::service::{Error, EventChoice, NewInvitation, NewPosition, SignedIn, UNKNOWN_EVENTS};

impl MemberHandlers<CoreFrame> for Api {
    async fn list_members(
        &self,
        Member { principal, person }: Member,
        _: ListMembersRequest,
    ) -> Result<MemberList, Error> {
        let (members, invitations) = self.members.list(&principal).await?;
        let sees_invitations = principal.scopes.contain(Scope::MembersWrite);
        let members = members.into_iter().map(|one| shown(one, &person));
        let invitations = invitations.into_iter().filter(|_| sees_invitations);
        Ok(MemberList {
            members: members.collect(),
            invitations: invitations.map(invitation).collect(),
        })
    }

    async fn invite_member(
        &self,
        Member { principal, person }: Member,
        request: InviteMemberRequest,
    ) -> Result<Invitation, Error> {
        let new = NewInvitation {
            email: request.email.unwrap_or_default(),
            role: role_named(request.role)?,
            events: request
                .events
                .as_ref()
                .map_or(Ok(EventChoice::All), chosen)?,
        };
        let sent = self.members.invite(&principal, &person, new).await?;
        Ok(invitation(sent))
    }

    async fn withdraw_invitation(
        &self,
        caller: Member,
        request: WithdrawInvitationRequest,
    ) -> Result<WithdrawInvitationResponse, Error> {
        let id = id_of("invitation", request.id)?;
        self.members.withdraw(&caller.principal, id).await?;
        Ok(WithdrawInvitationResponse {})
    }

    async fn change_role(
        &self,
        Member { principal, person }: Member,
        request: ChangeRoleRequest,
    ) -> Result<v1::Member, Error> {
        let id = id_of("member", request.person_id)?;
        let role = role_named(request.role)?;
        let events = request.events.as_ref().map(chosen).transpose()?;
        let changed = self
            .members
            .change_role(&principal, id, NewPosition { role, events });
        let changed = changed.await?;
        Ok(shown(changed, &person))
    }

    async fn remove_member(
        &self,
        Member { principal, person }: Member,
        request: RemoveMemberRequest,
    ) -> Result<RemoveMemberResponse, Error> {
        let id = id_of("member", request.person_id)?;
        let overlap = i64::from(request.overlap_hours.unwrap_or_default()) * HOUR_SECONDS;
        let keeps = request.keep_keys.then_some(overlap);
        let removed = self.members.remove(&principal, &person, id, keeps).await?;
        let now = self.members.now();
        let kept = removed.kept.into_iter();
        Ok(RemoveMemberResponse {
            revoked_keys: i32::try_from(removed.revoked).unwrap_or(i32::MAX),
            kept_keys: kept.map(|one| created(one, &person, now)).collect(),
        })
    }

    async fn leave_account(
        &self,
        caller: SignedIn,
        request: LeaveAccountRequest,
    ) -> Result<LeaveAccountResponse, Error> {
        let account = id_of("account", request.account_id)?;
        let token = self.members.leave(&caller, account).await?;
        Ok(LeaveAccountResponse {
            token: token.expose().to_owned(),
        })
    }

    async fn get_invitation(
        &self,
        PublicCaller { client, .. }: PublicCaller,
        request: GetInvitationRequest,
    ) -> Result<ReceivedInvitation, Error> {
        let id = id_of("invitation", request.id)?;
        let found = self
            .link_limit
            .looked_up(client, self.members.invitation(id));
        found.await.map(session_service::invitation)
    }

    async fn accept_invitation(
        &self,
        caller: SignedIn,
        request: AcceptInvitationRequest,
    ) -> Result<AcceptInvitationResponse, Error> {
        let id = id_of("invitation", request.id)?;
        let (account, token) = self.members.accept(&caller, id).await?;
        Ok(AcceptInvitationResponse {
            account_id: account.to_string(),
            token: token.expose().to_owned(),
        })
    }

    async fn decline_invitation(
        &self,
        caller: SignedIn,
        request: DeclineInvitationRequest,
    ) -> Result<DeclineInvitationResponse, Error> {
        let id = id_of("invitation", request.id)?;
        self.members.decline(&caller, id).await?;
        Ok(DeclineInvitationResponse {})
    }
}

/// The validation allows only names of roles.
fn role_named(name: Option<String>) -> Result<Role, Error> {
    let role = name.unwrap_or_default().parse();
    role.map_err(|_| Error::NotFound { what: "role" })
}

fn chosen(choice: &v1::EventChoice) -> Result<EventChoice, Error> {
    let of = |message: &str| {
        Error::Invalid(vec![FieldViolation {
            field: "events.ids".to_owned(),
            message: message.to_owned(),
        }])
    };
    match (choice.all, choice.ids.is_empty()) {
        (true, true) => Ok(EventChoice::All),
        (true, false) => Err(of("must be empty for all events")),
        (false, true) => Err(of("must name at least one event")),
        (false, false) => {
            let ids = choice.ids.iter().map(|id| id.parse().map(EventId::new));
            let ids: Result<Vec<EventId>, _> = ids.collect();
            ids.map(EventChoice::Only).map_err(|_| of(UNKNOWN_EVENTS))
        }
    }
}

fn named(event: NamedEvent) -> MemberEvent {
    MemberEvent {
        id: event.id.to_string(),
        title: event.title,
        start_date: event.schedule.start.rfc3339(),
    }
}

fn shown(one: domain::person::Member, by: &SignedIn) -> v1::Member {
    v1::Member {
        is_caller: one.person.id == by.person,
        person_id: one.person.id.to_string(),
        name: one.person.name,
        email: one.person.email,
        role: one.rights.role.name().to_owned(),
        only_some_events: one.rights.only_some_events,
        events: one.events.into_iter().map(named).collect(),
        created_at: one.since.to_string(),
        keys: i32::try_from(one.keys).unwrap_or(i32::MAX),
    }
}

fn invitation(sent: SentInvitation) -> Invitation {
    Invitation {
        id: sent.invitation.id.to_string(),
        role: sent.invitation.rights.role.name().to_owned(),
        only_some_events: sent.invitation.rights.only_some_events,
        events: sent.events.into_iter().map(named).collect(),
        created_at: sent.invitation.created_at.to_string(),
        expires_at: sent.invitation.expires_at.to_string(),
        email: sent.invitation.email,
        invited_by: sent.invited_by,
    }
}
