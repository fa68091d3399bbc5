//! The events that members and invitations are for, where they are not for all of an account.

use std::{collections::HashMap, hash::Hash};

use domain::{
    ids::{AccountId, EventId, InvitationId, PersonId},
    instant::Instant,
    person::NamedEvent,
};

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
};

/// The most rows that are read for a list: more than members and invitations of an account have together.
const MAX_NAMED: i64 = 10_000;

record! {
    NamedEvent as e { id, title, schedule { start_at, start_local, end_at, end_local, timezone } }
}

impl Reads {
    /// Returns those of these events that are the account's, by start.
    pub async fn list_named_events(
        &self,
        account: AccountId,
        events: &[EventId],
    ) -> Result<Vec<NamedEvent>, Error> {
        let statement = sql!(
            "SELECT {} FROM events e JOIN input i ON i.event_id = e.id AND i.account_id = e.account_id ORDER BY e.start_at, e.id",
            NamedEvent::COLUMNS,
        );
        let input = Input::of(events)
            .column("event_id", |event| event)
            .column("account_id", |_| account);
        self.all(statement, input).await
    }

    /// Returns the events of the members of an account who are not for all, by start.
    pub(super) async fn list_events_of_members(
        &self,
        account: AccountId,
    ) -> Result<HashMap<PersonId, Vec<NamedEvent>>, Error> {
        let statement = sql!(
            "SELECT x.person_id, {} FROM member_events x JOIN events e ON e.id = x.event_id \
             WHERE x.account_id = $1 ORDER BY e.start_at, e.id LIMIT $2",
            NamedEvent::COLUMNS,
        );
        Ok(by_owner(self.all(statement, (account, MAX_NAMED)).await?))
    }

    /// Returns the events of a member who is not for all, by start.
    pub async fn list_events_of_member(
        &self,
        account: AccountId,
        person: PersonId,
    ) -> Result<Vec<EventId>, Error> {
        let statement = sql!(
            "SELECT e.id FROM member_events x JOIN events e ON e.id = x.event_id \
             WHERE x.account_id = $1 AND x.person_id = $2 ORDER BY e.start_at, e.id LIMIT $3"
        );
        self.all(statement, (account, person, MAX_NAMED)).await
    }

    /// Returns the events of these invitations, by start.
    pub(super) async fn list_events_of_invitations(
        &self,
        invitations: &[InvitationId],
    ) -> Result<HashMap<InvitationId, Vec<NamedEvent>>, Error> {
        if invitations.is_empty() {
            return Ok(HashMap::new());
        }
        let statement = sql!(
            "SELECT x.invitation_id, {} FROM input i JOIN invitation_events x ON x.invitation_id = i.id \
             JOIN events e ON e.id = x.event_id ORDER BY e.start_at, e.id",
            NamedEvent::COLUMNS,
        );
        let input = Input::of(invitations).column("id", |invitation| invitation);
        Ok(by_owner(self.all(statement, input).await?))
    }

    /// Returns how many events the members of an account, and the invitations that wait, name together.
    pub async fn count_named_events(&self, account: AccountId, now: Instant) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT (SELECT COUNT(*) FROM member_events x WHERE x.account_id = $1) + \
             (SELECT COUNT(*) FROM invitations i JOIN invitation_events y ON y.invitation_id = i.id \
             WHERE i.account_id = $1 AND i.expires_at > $2)"
        );
        self.one(statement, (account, now)).await
    }
}

impl Tx {
    /// Sets the events of an invitation. Events of other accounts are left out.
    pub(super) async fn put_events_of_invitation(
        &mut self,
        account: AccountId,
        invitation: InvitationId,
        events: &[EventId],
    ) -> Result<(), Error> {
        if events.is_empty() {
            return Ok(());
        }
        let statement = sql!(
            "INSERT INTO invitation_events (invitation_id, event_id) SELECT i.invitation_id, e.id \
             FROM input i JOIN events e ON e.id = i.event_id AND e.account_id = i.account_id"
        );
        let input = Input::of(events)
            .column("invitation_id", |_| invitation)
            .column("account_id", |_| account)
            .column("event_id", |event| event);
        self.execute(statement, input).await?;
        Ok(())
    }
}

fn by_owner<T: Hash + Eq>(found: Vec<(T, NamedEvent)>) -> HashMap<T, Vec<NamedEvent>> {
    let mut all: HashMap<T, Vec<NamedEvent>> = HashMap::new();
    for (owner, event) in found {
        all.entry(owner).or_default().push(event);
    }
    all
}
