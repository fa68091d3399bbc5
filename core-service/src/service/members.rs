//! The members of an account, and invitations to become one.

mod inviting;
mod positions;
mod succession;

use std::sync::Arc;

use domain::{
    account::Account,
    audit::Actor,
    budget::{Budget, Cause},
    email,
    fact::{Fact, MemberChange},
    ids::{AccountId, InvitationId, PersonId},
    invitation::{Invitation, SentInvitation, VALID_SECONDS},
    person::{Member, Position, Role},
    plan::Plans,
    scope::Scope,
    session::SessionToken,
};

use super::{
    Authenticator, Commands, Context, Error, Principal, SignedIn, codes,
    credentials::Credentials,
    mail_quota::{self, Needed},
    mailboxes, oauth, sessions, webhooks,
};

pub use positions::{EventChoice, NewPosition, UNKNOWN_EVENTS};
pub use succession::RemovedMember;

pub(super) use inviting::{end_invitations_by, end_invitations_since};

use inviting::{may_invite, may_invite_as, own};
use positions::{Held, better, checked};
use succession::Heir;

/// How many members and invitations an account may have together.
const MAX_MEMBERS: i64 = 100;

const NO_MEMBER: Error = Error::NotFound { what: "member" };
const NO_INVITATION: Error = Error::NotFound { what: "invitation" };

/// A new invitation.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// The address that is invited.
    pub email: String,
    /// The role that it offers.
    pub role: Role,
    /// The events that it is for.
    pub events: EventChoice,
}

/// Use cases about members. Whether the caller may change them is the gate's decision.
#[derive(Debug, Clone)]
pub struct Members {
    commands: Commands,
    plans: Plans,
    credentials: Arc<Credentials>,
}

impl Members {
    /// Members of accounts. Sessions whose account changes are evicted from the cache of `authenticator`.
    pub fn new(commands: Commands, authenticator: &Authenticator, plans: Plans) -> Self {
        Self {
            commands,
            plans,
            credentials: authenticator.credentials(),
        }
    }

    /// The present, by which keys have expired.
    pub(crate) fn now(&self) -> domain::instant::Instant {
        self.commands.now()
    }

    /// The members of the caller's account, by name, and the invitations that wait, the newest first.
    pub async fn list(
        &self,
        caller: &Principal,
    ) -> Result<(Vec<Member>, Vec<SentInvitation>), Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let account = caller.account;
        let members = store.list_members(account, MAX_MEMBERS).await?;
        let invitations = store.list_invitations_of(account, now, MAX_MEMBERS);
        Ok((members, invitations.await?))
    }

    /// An invitation that waits.
    pub async fn invitation(&self, id: InvitationId) -> Result<SentInvitation, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let found = store.find_invitation(id, now).await?;
        found.ok_or(NO_INVITATION)
    }

    /// Invites an address, in place of an earlier invitation of it.
    pub async fn invite(
        &self,
        caller: &Principal,
        by: &SignedIn,
        new: NewInvitation,
    ) -> Result<SentInvitation, Error> {
        let decide = async |context: &mut Context| {
            let account = lock(context, caller.account).await?;
            let now = context.now;
            mail_quota::count(context, &self.plans, &account, Needed::INVITATION).await?;
            codes::spend(context, &Budget::invitations_to(&new.email)).await?;
            codes::spend(context, &Budget::invitations_of(caller.account)).await?;
            mailboxes::spend(context, Cause::Organizer, &new.email).await?;
            let members = context.tx.list_members(caller.account, MAX_MEMBERS).await?;
            let address = email::normalised(&new.email);
            if members
                .iter()
                .any(|one| email::normalised(&one.person.email) == address)
            {
                let text = "someone with this address is a member already";
                return Err(Error::Conflict(text.to_owned()));
            }
            let waiting = context
                .tx
                .list_invitations_of(caller.account, now, MAX_MEMBERS)
                .await?;
            if members.len() + waiting.len() >= usize::try_from(MAX_MEMBERS).unwrap_or(usize::MAX) {
                return Err(Error::Conflict(format!(
                    "an account may have {MAX_MEMBERS} members and invitations"
                )));
            }
            let events = checked(context, caller.account, new.role, new.events, 0).await?;
            let position = Position {
                role: new.role,
                events: events.as_deref(),
            };
            let invitation = Invitation {
                id: InvitationId::new(context.new_id()),
                account_id: caller.account,
                email: new.email,
                rights: position.rights(),
                invited_by: Some(by.person),
                created_at: now,
                expires_at: now.plus_seconds(VALID_SECONDS),
            };
            let events = position.events;
            context.tx.put_invitation(&invitation, events).await?;
            context
                .record(Fact::MemberInvited {
                    invitation: &invitation,
                    events,
                })
                .await?;
            let sent = context.tx.find_invitation(invitation.id, now).await?;
            sent.ok_or(NO_INVITATION)
        };
        self.commands.run(caller, decide).await
    }

    /// Withdraws an invitation of the caller's account.
    pub async fn withdraw(&self, caller: &Principal, id: InvitationId) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            lock(context, caller.account).await?;
            let found = context.tx.find_invitation(id, context.now).await?;
            let found = found.filter(|one| one.invitation.account_id == caller.account);
            found.ok_or(NO_INVITATION)?;
            context.tx.delete_invitation(id).await?;
            let account = caller.account;
            context
                .record(Fact::InvitationEnded {
                    account,
                    invitation: id,
                })
                .await?;
            Ok(())
        };
        self.commands.run(caller, decide).await
    }

    /// Accepts an invitation to the person's own address, if who made it may still invite; returns the account, and the new token of the
    /// session, which is about it.
    pub async fn accept(
        &self,
        by: &SignedIn,
        id: InvitationId,
    ) -> Result<(AccountId, SessionToken), Error> {
        let decide = async |context: &mut Context| {
            let account = own(context, by, id).await?.invitation.account_id;
            lock(context, account).await?;
            // It may have ended while this waited for the account.
            let sent = own(context, by, id).await?;
            may_invite(context, &sent.invitation).await?;
            let offered = Held::from(sent);
            // Someone may be a member already, since their address changed.
            let joined = match Held::read(context, account, by.person).await? {
                None => offered,
                Some(before) => better(before, offered)?,
            };
            context
                .tx
                .put_membership(account, by.person, joined.position(), context.now)
                .await?;
            context.tx.delete_invitation(id).await?;
            context
                .tx
                .set_account_of_session(by.session, account)
                .await?;
            context
                .record(Fact::MemberChanged {
                    account,
                    person: by.person,
                    change: MemberChange::Joined(joined.position()),
                })
                .await?;
            Ok((account, sessions::renew(context, by).await?))
        };
        let accepted = self.commands.run(Actor::Person(by.person), decide).await?;
        self.credentials.evict(&by.hash);
        Ok(accepted)
    }

    /// Leaves an account; returns the new token of the session, which is about another account. The person's keys are revoked.
    pub async fn leave(&self, by: &SignedIn, account: AccountId) -> Result<SessionToken, Error> {
        let decide = async |context: &mut Context| {
            end(context, account, by.person, None, MemberChange::Left).await?;
            sessions::renew(context, by).await
        };
        let token = self.commands.run(Actor::Person(by.person), decide).await?;
        self.credentials.evict(&by.hash);
        Ok(token)
    }

    /// Declines an invitation to the person's own address.
    pub async fn decline(&self, by: &SignedIn, id: InvitationId) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let account = own(context, by, id).await?.invitation.account_id;
            context.tx.delete_invitation(id).await?;
            context
                .record(Fact::InvitationEnded {
                    account,
                    invitation: id,
                })
                .await?;
            Ok(())
        };
        self.commands.run(Actor::Person(by.person), decide).await
    }

    /// Gives a member another role, and makes them one for these events, if that is said.
    pub async fn change_role(
        &self,
        caller: &Principal,
        person: PersonId,
        new: impl Into<NewPosition>,
    ) -> Result<Member, Error> {
        let new: NewPosition = new.into();
        let decide = async |context: &mut Context| {
            let account = caller.account;
            lock(context, account).await?;
            let before = Held::read(context, account, person).await?;
            let before = before.ok_or(NO_MEMBER)?;
            let after = before.moved(context, account, &new).await?;
            if before != after {
                if before.role != after.role {
                    leaves_an_owner(context, account, before.role).await?;
                }
                let (before, after) = (before.position(), after.position());
                context
                    .tx
                    .put_membership(account, person, after, context.now)
                    .await?;
                if !after.rights().scopes().contain(Scope::WebhooksWrite) {
                    webhooks::end_webhooks_of_member(context, account, person).await?;
                }
                if !may_invite_as(after.role) {
                    end_invitations_by(context, account, person).await?;
                }
                let change = MemberChange::Moved { before, after };
                context
                    .record(Fact::MemberChanged {
                        account,
                        person,
                        change,
                    })
                    .await?;
            }
            let members = context.tx.list_members(account, MAX_MEMBERS).await?;
            let member = members.into_iter().find(|one| one.person.id == person);
            member.ok_or(NO_MEMBER)
        };
        self.commands.run(caller, decide).await
    }

    /// Removes another member of the caller's account; returns what became of their keys. The caller keeps them, if there is an overlap: in
    /// seconds, for how long the old ones go on working beside the new ones.
    pub async fn remove(
        &self,
        caller: &Principal,
        by: &SignedIn,
        person: PersonId,
        keeps_keys: Option<i64>,
    ) -> Result<RemovedMember, Error> {
        if person == by.person {
            let text = "this is yourself: leave the account instead";
            return Err(Error::Conflict(text.to_owned()));
        }
        let heir = keeps_keys.map(|overlap_seconds| Heir {
            person: by.person,
            overlap_seconds,
        });
        let decide = async |context: &mut Context| {
            let account = caller.account;
            end(context, account, person, heir, MemberChange::Removed).await
        };
        let removed = self.commands.run(caller, decide).await?;
        for hash in &removed.replaced {
            self.credentials.evict(hash);
        }
        Ok(removed)
    }
}

/// Ends a membership; returns what became of the person's keys. An heir takes them over.
async fn end(
    context: &mut Context,
    account: AccountId,
    person: PersonId,
    heir: Option<Heir>,
    change: MemberChange<'_>,
) -> Result<RemovedMember, Error> {
    lock(context, account).await?;
    let rights = context.tx.find_rights(account, person).await?;
    let rights = rights.ok_or(NO_MEMBER)?;
    leaves_an_owner(context, account, rights.role).await?;
    let removed = match heir {
        Some(heir) => succession::hand_over(context, account, (person, rights), heir).await?,
        None => RemovedMember {
            revoked: context
                .tx
                .revoke_keys_by(account, person, context.now)
                .await?,
            ..RemovedMember::default()
        },
    };
    webhooks::end_webhooks_of_member(context, account, person).await?;
    end_invitations_by(context, account, person).await?;
    // Apps acted for this person, and so for nobody else.
    oauth::revoke_all_of(context, account, person).await?;
    context
        .tx
        .take_account_from_sessions(account, person)
        .await?;
    context.tx.delete_membership(account, person).await?;
    context
        .record(Fact::MemberChanged {
            account,
            person,
            change,
        })
        .await?;
    Ok(removed)
}

/// Locks the account, so that of two changes at the same time the second sees the first.
async fn lock(context: &mut Context, account: AccountId) -> Result<Account, Error> {
    let found = context.tx.lock_account(account).await?;
    let account = found.ok_or(Error::NotFound { what: "account" })?;
    context.renew_time();
    Ok(account)
}

/// Refuses that the last owner ceases to be one.
async fn leaves_an_owner(
    context: &mut Context,
    account: AccountId,
    before: Role,
) -> Result<(), Error> {
    if before == Role::Owner && context.tx.count_owners(account).await? <= 1 {
        let text =
            "an account needs an owner: make another member one first, or remove the account";
        return Err(Error::Conflict(text.to_owned()));
    }
    Ok(())
}
