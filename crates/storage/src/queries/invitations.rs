//! Invitations to accounts.

use domain::{
    email,
    ids::{AccountId, EventId, InvitationId, PersonId},
    instant::Instant,
    invitation::{Invitation, SentInvitation},
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, insert_into, record},
    row::{Columns, FromRow},
    sql::{Fragment, fragment, sql},
};

record! {
    Invitation as i of "invitations" { id, account_id, email, rights { role, only_some_events }, invited_by = "i.person_id", created_at, expires_at }
}

/// What is selected for a [`SentInvitation`].
const SENT: Fragment = fragment!("{}, a.name, COALESCE(p.name, '')", Invitation::COLUMNS);

impl FromRow for SentInvitation {
    const WIDTH: usize = Invitation::WIDTH + 2;

    /// Its events are in another table.
    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        Ok(Self {
            invitation: columns.read()?,
            account_name: columns.read()?,
            invited_by: columns.read()?,
            events: Vec::new(),
        })
    }
}

/// Whether who made an invitation may still invite. One that has outlived that waits for nobody.
const IS_BACKED: Fragment = Fragment::new(
    "EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = i.account_id AND m.person_id = i.person_id AND m.role = 'owner')",
);

impl Reads {
    /// Returns whether an invitation waits for an address.
    pub async fn is_invited(&self, address: &str, now: Instant) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT EXISTS (SELECT 1 FROM invitations i WHERE i.email_norm = $1 AND i.expires_at > $2 AND {})",
            IS_BACKED,
        );
        self.one(statement, (email::normalised(address), now)).await
    }

    /// Returns the invitation with this id, if it waits.
    pub async fn find_invitation(
        &self,
        invitation: InvitationId,
        now: Instant,
    ) -> Result<Option<SentInvitation>, Error> {
        let statement = sql!(
            "SELECT {} FROM invitations i JOIN accounts a ON a.id = i.account_id LEFT JOIN people p ON p.id = i.person_id \
             WHERE i.id = $1 AND i.expires_at > $2 AND {}",
            SENT,
            IS_BACKED,
        );
        let found: Option<SentInvitation> = self.optional(statement, (invitation, now)).await?;
        let found = self.with_events(found.into_iter().collect()).await?;
        Ok(found.into_iter().next())
    }

    /// Returns the invitations that wait for an address, the newest first.
    pub async fn list_invitations_to(
        &self,
        address: &str,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<SentInvitation>, Error> {
        let statement = sql!(
            "SELECT {} FROM invitations i JOIN accounts a ON a.id = i.account_id LEFT JOIN people p ON p.id = i.person_id \
             WHERE i.email_norm = $1 AND i.expires_at > $2 AND {} ORDER BY i.created_at DESC, i.id DESC LIMIT $3",
            SENT,
            IS_BACKED,
        );
        let values = (email::normalised(address), now, limit);
        self.with_events(self.all(statement, values).await?).await
    }

    /// Returns the invitations of an account that wait, the newest first.
    pub async fn list_invitations_of(
        &self,
        account: AccountId,
        now: Instant,
        limit: i64,
    ) -> Result<Vec<SentInvitation>, Error> {
        let statement = sql!(
            "SELECT {} FROM invitations i JOIN accounts a ON a.id = i.account_id LEFT JOIN people p ON p.id = i.person_id \
             WHERE i.account_id = $1 AND i.expires_at > $2 AND {} ORDER BY i.created_at DESC, i.id DESC LIMIT $3",
            SENT,
            IS_BACKED,
        );
        let found = self.all(statement, (account, now, limit)).await?;
        self.with_events(found).await
    }

    async fn with_events(
        &self,
        mut found: Vec<SentInvitation>,
    ) -> Result<Vec<SentInvitation>, Error> {
        let limited = found.iter().map(|sent| &sent.invitation);
        let limited = limited.filter(|one| one.rights.only_some_events);
        let limited: Vec<InvitationId> = limited.map(|one| one.id).collect();
        let mut events = self.list_events_of_invitations(&limited).await?;
        for sent in &mut found {
            sent.events = events.remove(&sent.invitation.id).unwrap_or_default();
        }
        Ok(found)
    }
}

impl Tx {
    /// Adds an invitation for these events, if not for all, instead of an earlier one of the same account to the same address.
    pub async fn put_invitation(
        &mut self,
        invitation: &Invitation,
        events: Option<&[EventId]>,
    ) -> Result<(), Error> {
        let email_norm = email::normalised(&invitation.email);
        // The earlier one gets another identifier, by which its events refer to it.
        let statement = sql!(
            "DELETE FROM invitation_events WHERE invitation_id IN \
             (SELECT id FROM invitations WHERE account_id = $1 AND email_norm = $2)"
        );
        let values = (invitation.account_id, &*email_norm);
        self.execute(statement, values).await?;
        let (statement, values) = insert_into!(
            "invitations" " ON CONFLICT (account_id, email_norm) DO UPDATE SET id = excluded.id, email = excluded.email, \
                role = excluded.role, only_some_events = excluded.only_some_events, person_id = excluded.person_id, created_at = excluded.created_at, \
                expires_at = excluded.expires_at"
            {
                id: invitation.id,
                account_id: invitation.account_id,
                email: invitation.email,
                email_norm: email_norm,
                role: invitation.rights.role,
                only_some_events: invitation.rights.only_some_events,
                person_id: invitation.invited_by,
                created_at: invitation.created_at,
                expires_at: invitation.expires_at,
            }
        );
        self.execute(statement, values).await?;
        self.put_events_of_invitation(
            invitation.account_id,
            invitation.id,
            events.unwrap_or_default(),
        )
        .await
    }

    /// Removes an invitation; false if there is none.
    pub async fn delete_invitation(&mut self, invitation: InvitationId) -> Result<bool, Error> {
        let statement = sql!("DELETE FROM invitations WHERE id = $1");
        Ok(self.execute(statement, [invitation]).await? == 1)
    }

    /// Removes the invitations that a person made to an account; returns them.
    pub async fn delete_invitations_by(
        &mut self,
        account: AccountId,
        person: PersonId,
    ) -> Result<Vec<InvitationId>, Error> {
        let statement =
            sql!("DELETE FROM invitations WHERE account_id = $1 AND person_id = $2 RETURNING id");
        self.all(statement, (account, person)).await
    }

    /// Removes the invitations that a person made since a moment; returns them with their accounts.
    pub async fn delete_invitations_since(
        &mut self,
        person: PersonId,
        since: Instant,
    ) -> Result<Vec<(AccountId, InvitationId)>, Error> {
        let statement = sql!(
            "DELETE FROM invitations WHERE person_id = $1 AND created_at >= $2 RETURNING account_id, id"
        );
        self.all(statement, (person, since)).await
    }

    /// Removes the invitations to a normalised address; returns their number.
    pub async fn delete_invitations_to(&mut self, email_norm: &str) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM invitations WHERE email_norm = $1");
        self.execute(statement, [email_norm]).await
    }

    /// Removes at most `limit` invitations that have lapsed; returns their number.
    pub async fn delete_expired_invitations(
        &mut self,
        now: Instant,
        limit: i64,
    ) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)"
        );
        self.execute(statement, (now, limit)).await
    }
}
