//! Members of accounts, and invitations.

use muster_api::{
    Scope,
    internal::v1::{
        AcceptInvitationRequest, AcceptInvitationResponse, ChangeRoleRequest,
        DeclineInvitationRequest, DeclineInvitationResponse, Invitation, InviteMemberRequest,
        LeaveAccountRequest, LeaveAccountResponse, ListMembersRequest, Member, MemberList,
        RemoveMemberRequest, RemoveMemberResponse, WithdrawInvitationRequest,
        WithdrawInvitationResponse, member_service_server::MemberService,
    },
};
use tonic::{Request, Response, Status};

use super::{
    request::{caller, id_of, person},
    status::refuse,
};
use crate::{
    domain::{self, invitation::SentInvitation, person::Role},
    service::{Error, Members, NewInvitation, SignedIn},
};

/// The rpcs about members.
pub(super) struct MemberApi {
    pub(super) members: Members,
}

#[tonic::async_trait]
impl MemberService for MemberApi {
    async fn list_members(
        &self,
        request: Request<ListMembersRequest>,
    ) -> Result<Response<MemberList>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let listed = self.members.list(&principal).await.map_err(refuse)?;
        let (members, invitations) = listed;
        let sees_invitations = principal.scopes.contain(Scope::MembersWrite);
        let invitations = invitations.into_iter().filter(|_| sees_invitations);
        Ok(Response::new(MemberList {
            members: members.into_iter().map(|one| member(one, &by)).collect(),
            invitations: invitations.map(invitation).collect(),
        }))
    }

    async fn invite_member(
        &self,
        request: Request<InviteMemberRequest>,
    ) -> Result<Response<Invitation>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let InviteMemberRequest { email, role } = request.into_inner();
        let new = NewInvitation {
            email: email.unwrap_or_default(),
            role: role_named(role)?,
        };
        let sent = self.members.invite(&principal, &by, new).await;
        Ok(Response::new(invitation(sent.map_err(refuse)?)))
    }

    async fn withdraw_invitation(
        &self,
        request: Request<WithdrawInvitationRequest>,
    ) -> Result<Response<WithdrawInvitationResponse>, Status> {
        let principal = caller(&request)?;
        let id = id_of("invitation", request.into_inner().id)?;
        let withdrawn = self.members.withdraw(&principal, id).await;
        withdrawn.map_err(refuse)?;
        Ok(Response::new(WithdrawInvitationResponse {}))
    }

    async fn change_role(
        &self,
        request: Request<ChangeRoleRequest>,
    ) -> Result<Response<Member>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let ChangeRoleRequest { person_id, role } = request.into_inner();
        let (id, role) = (id_of("member", person_id)?, role_named(role)?);
        let changed = self.members.change_role(&principal, id, role).await;
        Ok(Response::new(member(changed.map_err(refuse)?, &by)))
    }

    async fn remove_member(
        &self,
        request: Request<RemoveMemberRequest>,
    ) -> Result<Response<RemoveMemberResponse>, Status> {
        let (principal, by) = (caller(&request)?, person(&request)?);
        let RemoveMemberRequest {
            person_id,
            keep_keys,
        } = request.into_inner();
        let id = id_of("member", person_id)?;
        let removed = self.members.remove(&principal, &by, id, keep_keys);
        Ok(Response::new(RemoveMemberResponse {
            revoked_keys: i32::try_from(removed.await.map_err(refuse)?).unwrap_or(i32::MAX),
        }))
    }

    async fn leave_account(
        &self,
        request: Request<LeaveAccountRequest>,
    ) -> Result<Response<LeaveAccountResponse>, Status> {
        let by = person(&request)?;
        let account = id_of("account", request.into_inner().account_id)?;
        let token = self.members.leave(&by, account).await.map_err(refuse)?;
        Ok(Response::new(LeaveAccountResponse {
            token: token.expose().to_owned(),
        }))
    }

    async fn accept_invitation(
        &self,
        request: Request<AcceptInvitationRequest>,
    ) -> Result<Response<AcceptInvitationResponse>, Status> {
        let by = person(&request)?;
        let id = id_of("invitation", request.into_inner().id)?;
        let accepted = self.members.accept(&by, id).await;
        let (account, token) = accepted.map_err(refuse)?;
        Ok(Response::new(AcceptInvitationResponse {
            account_id: account.to_string(),
            token: token.expose().to_owned(),
        }))
    }

    async fn decline_invitation(
        &self,
        request: Request<DeclineInvitationRequest>,
    ) -> Result<Response<DeclineInvitationResponse>, Status> {
        let by = person(&request)?;
        let id = id_of("invitation", request.into_inner().id)?;
        self.members.decline(&by, id).await.map_err(refuse)?;
        Ok(Response::new(DeclineInvitationResponse {}))
    }
}

/// The validation allows only names of roles.
fn role_named(name: Option<String>) -> Result<Role, Status> {
    let role = name.unwrap_or_default().parse();
    role.map_err(|_| refuse(Error::NotFound { what: "role" }))
}

fn member(one: domain::person::Member, by: &SignedIn) -> Member {
    Member {
        is_caller: one.person.id == by.person,
        person_id: one.person.id.to_string(),
        name: one.person.name,
        email: one.person.email,
        role: one.role.name().to_owned(),
        created_at: one.since.to_string(),
        keys: i32::try_from(one.keys).unwrap_or(i32::MAX),
    }
}

fn invitation(sent: SentInvitation) -> Invitation {
    Invitation {
        id: sent.invitation.id.to_string(),
        role: sent.invitation.role.name().to_owned(),
        created_at: sent.invitation.created_at.to_string(),
        expires_at: sent.invitation.expires_at.to_string(),
        email: sent.invitation.email,
        invited_by: sent.invited_by,
    }
}
