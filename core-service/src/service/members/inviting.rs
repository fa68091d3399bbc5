//! What an invitation is worth: it is for one address, and as long as who made it may invite.

use domain::{
    email,
    fact::Fact,
    ids::{AccountId, InvitationId, PersonId},
    instant::Instant,
    invitation::{Invitation, SentInvitation},
    person::Role,
    scope::Scope,
};

use super::NO_INVITATION;
use crate::service::{Context, Error, SignedIn};

/// Ends the invitations that someone made who may no longer invite.
pub(in crate::service) async fn end_invitations_by(
    context: &mut Context,
    account: AccountId,
    person: PersonId,
) -> Result<(), Error> {
    for invitation in context.tx.delete_invitations_by(account, person).await? {
        context
            .record(Fact::InvitationEnded {
                account,
                invitation,
            })
            .await?;
    }
    Ok(())
}

/// Ends the invitations, to any account, that were made in someone's name since a moment.
pub(in crate::service) async fn end_invitations_since(
    context: &mut Context,
    person: PersonId,
    since: Instant,
) -> Result<(), Error> {
    let ended = context.tx.delete_invitations_since(person, since).await?;
    for (account, invitation) in ended {
        context
            .record(Fact::InvitationEnded {
                account,
                invitation,
            })
            .await?;
    }
    Ok(())
}

pub(super) fn may_invite_as(role: Role) -> bool {
    role.scopes().contain(Scope::MembersWrite)
}

/// Refuses an invitation whose maker may no longer invite.
pub(super) async fn may_invite(
    context: &mut Context,
    invitation: &Invitation,
) -> Result<(), Error> {
    let inviter = invitation.invited_by.ok_or(NO_INVITATION)?;
    let rights = context
        .tx
        .find_rights(invitation.account_id, inviter)
        .await?;
    rights
        .filter(|rights| may_invite_as(rights.role))
        .map(drop)
        .ok_or(NO_INVITATION)
}

/// An invitation to the person's own address. Others do not exist for them.
pub(super) async fn own(
    context: &mut Context,
    by: &SignedIn,
    id: InvitationId,
) -> Result<SentInvitation, Error> {
    let person = context.tx.find_person(by.person).await?;
    let address = email::normalised(&person.ok_or(Error::Unauthorized)?.email);
    let found = context.tx.find_invitation(id, context.now).await?;
    let is_own = |one: &SentInvitation| email::normalised(&one.invitation.email) == address;
    found.filter(is_own).ok_or(NO_INVITATION)
}
