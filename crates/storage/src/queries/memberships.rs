//! The members of accounts.

use std::collections::HashMap;

use domain::{
    ids::{AccountId, EventId, PersonId},
    instant::Instant,
    person::{Member, Membership, Person, Position, Rights, Role, Standing},
};

use crate::{
    Error, Reads, Tx,
    input::Input,
    record::{Record as _, record},
    sql::sql,
};

record! {
    Rights as m { role, only_some_events }
}

record! {
    Standing as m { rights { role, only_some_events }, is_suspended = "a.suspended_at IS NOT NULL" }
}

record! {
    Membership as m {
        account_id,
        account_name = "a.name",
        rights { role, only_some_events },
        is_suspended = "a.suspended_at IS NOT NULL",
    }
}

impl Reads {
    /// Returns the rights of a member.
    pub async fn find_rights(
        &self,
        account: AccountId,
        person: PersonId,
    ) -> Result<Option<Rights>, Error> {
        let statement = sql!(
            "SELECT {} FROM memberships m WHERE m.account_id = $1 AND m.person_id = $2",
            Rights::COLUMNS,
        );
        self.optional(statement, (account, person)).await
    }

    /// Returns the account that a person is a member of for longest.
    pub async fn first_account_of(&self, person: PersonId) -> Result<Option<AccountId>, Error> {
        let statement = sql!(
            "SELECT account_id FROM memberships WHERE person_id = $1 ORDER BY created_at, account_id LIMIT 1"
        );
        self.optional(statement, [person]).await
    }

    /// Returns the accounts of a person, by name.
    pub async fn list_memberships_of(
        &self,
        person: PersonId,
        limit: i64,
    ) -> Result<Vec<Membership>, Error> {
        let statement = sql!(
            "SELECT {} FROM memberships m JOIN accounts a ON a.id = m.account_id \
             WHERE m.person_id = $1 ORDER BY a.name, a.id LIMIT $2",
            Membership::COLUMNS,
        );
        self.all(statement, (person, limit)).await
    }

    /// Returns the members of an account, by name, with the events of those who are not for all.
    pub async fn list_members(&self, account: AccountId, limit: i64) -> Result<Vec<Member>, Error> {
        let statement = sql!(
            "SELECT {}, {}, m.created_at, (SELECT COUNT(*) FROM api_keys k WHERE k.person_id = p.id \
             AND k.account_id = m.account_id AND k.revoked_at IS NULL) \
             FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = $1 ORDER BY p.name, p.id LIMIT $2",
            Person::COLUMNS,
            Rights::COLUMNS,
        );
        let found: Vec<(Person, Rights, Instant, i64)> =
            self.all(statement, (account, limit)).await?;
        let mut events = HashMap::new();
        if found.iter().any(|(_, rights, ..)| rights.only_some_events) {
            events = self.list_events_of_members(account).await?;
        }
        let member = |(person, rights, since, keys): (Person, Rights, Instant, i64)| Member {
            events: events.remove(&person.id).unwrap_or_default(),
            person,
            rights,
            since,
            keys,
        };
        Ok(found.into_iter().map(member).collect())
    }

    /// Returns the members of an account who have this role, or all of them.
    pub async fn list_member_ids(
        &self,
        account: AccountId,
        role: Option<Role>,
        limit: i64,
    ) -> Result<Vec<PersonId>, Error> {
        let statement = sql!(
            "SELECT person_id FROM memberships WHERE account_id = $1 AND ($2 IS NULL OR role = $2) ORDER BY created_at, person_id LIMIT $3"
        );
        self.all(statement, (account, role, limit)).await
    }

    /// Returns who organizes an event of an account: its owners, then the organizers who reach the event.
    pub async fn list_organizer_ids(
        &self,
        account: AccountId,
        event: EventId,
        limit: i64,
    ) -> Result<Vec<PersonId>, Error> {
        let statement = sql!(
            "SELECT m.person_id FROM memberships m WHERE m.account_id = $1 AND m.role IN ('owner', 'organizer') \
             AND (m.only_some_events = FALSE OR EXISTS (SELECT 1 FROM member_events x WHERE x.account_id = m.account_id \
             AND x.person_id = m.person_id AND x.event_id = $2)) \
             ORDER BY CASE m.role WHEN 'owner' THEN 0 ELSE 1 END, m.created_at, m.person_id LIMIT $3"
        );
        self.all(statement, (account, event, limit)).await
    }

    /// Returns the accounts of a person, in the order in which they are locked.
    pub async fn list_account_ids_of(
        &self,
        person: PersonId,
        limit: i64,
    ) -> Result<Vec<AccountId>, Error> {
        let statement = sql!(
            "SELECT account_id FROM memberships WHERE person_id = $1 ORDER BY account_id LIMIT $2"
        );
        self.all(statement, (person, limit)).await
    }

    /// Returns the number of an account's owners.
    pub async fn count_owners(&self, account: AccountId) -> Result<i64, Error> {
        let statement =
            sql!("SELECT COUNT(*) FROM memberships WHERE account_id = $1 AND role = 'owner'");
        self.one(statement, [account]).await
    }
}

impl Tx {
    /// Gives a person this position in an account, of which they become a member if they are none. Events of other accounts are left out.
    pub async fn put_membership(
        &mut self,
        account: AccountId,
        person: PersonId,
        position: impl Into<Position<'_>>,
        now: Instant,
    ) -> Result<(), Error> {
        let position: Position<'_> = position.into();
        let Rights {
            role,
            only_some_events,
        } = position.rights();
        let statement = sql!(
            "INSERT INTO memberships (account_id, person_id, role, only_some_events, created_at) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role, only_some_events = excluded.only_some_events"
        );
        let values = (account, person, role, only_some_events, now);
        self.execute(statement, values).await?;
        let statement = sql!("DELETE FROM member_events WHERE account_id = $1 AND person_id = $2");
        self.execute(statement, (account, person)).await?;
        let events = position.events.unwrap_or_default();
        if !events.is_empty() {
            let statement = sql!(
                "INSERT INTO member_events (account_id, person_id, event_id) SELECT e.account_id, i.person_id, e.id \
                 FROM input i JOIN events e ON e.id = i.event_id AND e.account_id = i.account_id"
            );
            let input = Input::of(events)
                .column("account_id", |_| account)
                .column("person_id", |_| person)
                .column("event_id", |event| event);
            self.execute(statement, input).await?;
        }
        Ok(())
    }

    /// Removes a member.
    pub async fn delete_membership(
        &mut self,
        account: AccountId,
        person: PersonId,
    ) -> Result<(), Error> {
        let statement = sql!("DELETE FROM memberships WHERE account_id = $1 AND person_id = $2");
        self.execute(statement, (account, person)).await?;
        Ok(())
    }
}
