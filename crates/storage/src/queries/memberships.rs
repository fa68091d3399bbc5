//! The members of accounts.

use domain::{
    ids::{AccountId, PersonId},
    instant::Instant,
    person::{Member, Membership, Person, Role, Standing},
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, record},
    sql::sql,
};

record! {
    Standing as m { role, is_suspended = "a.suspended_at IS NOT NULL" }
}

record! {
    Membership as m {
        account_id,
        account_name = "a.name",
        role,
        is_suspended = "a.suspended_at IS NOT NULL",
    }
}

impl Reads {
    /// Returns the role of a member.
    pub async fn find_role(
        &self,
        account: AccountId,
        person: PersonId,
    ) -> Result<Option<Role>, Error> {
        let statement =
            sql!("SELECT role FROM memberships WHERE account_id = $1 AND person_id = $2");
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

    /// Returns the members of an account, by name.
    pub async fn list_members(&self, account: AccountId, limit: i64) -> Result<Vec<Member>, Error> {
        let statement = sql!(
            "SELECT {}, m.role, m.created_at, (SELECT COUNT(*) FROM api_keys k WHERE k.person_id = p.id \
             AND k.account_id = m.account_id AND k.revoked_at IS NULL) \
             FROM memberships m JOIN people p ON p.id = m.person_id WHERE m.account_id = $1 ORDER BY p.name, p.id LIMIT $2",
            Person::COLUMNS,
        );
        let found = self.all(statement, (account, limit)).await?;
        let member = |(person, role, since, keys)| Member {
            person,
            role,
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
    /// Makes a person a member with this role, or changes the role of a member.
    pub async fn put_membership(
        &mut self,
        account: AccountId,
        person: PersonId,
        role: Role,
        now: Instant,
    ) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO memberships (account_id, person_id, role, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account_id, person_id) DO UPDATE SET role = excluded.role"
        );
        self.execute(statement, (account, person, role, now))
            .await?;
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
