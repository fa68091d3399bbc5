//! The mails among the jobs: how many wait, and which failed.

use domain::{
    ids::{AccountId, PersonId, RegistrationId},
    instant::Instant,
    job::{JobKey, JobKind, Task},
};

use crate::{
    Error, JobRecord, MailQueue, MailRecipient, Reads, Tx, UnsentMail,
    input::Input,
    reads::Batch,
    record::{Record as _, record},
    sql::{Fragment, sql},
};

/// Mails are jobs of kinds that are named; other kinds have other subjects.
pub(super) const IS_MAIL: Fragment = Fragment::new(
    "jobs.kind IN ('registered_mail', 'waitlisted_mail', 'pending_mail', 'confirmation_mail', 'registered_again_mail', \
     'promoted_mail', 'approved_mail', 'registration_cancelled_mail', 'declined_mail', 'cancellation_mail', \
     'event_changed_mail', 'address_corrected_mail', 'reminder_mail', 'message_mail', 'code_mail', 'invitation_mail', 'app_mail', \
     'security_mail', 'organizer_mail', 'message_test_mail')",
);

/// The notice to the address that a registration had before is not to the one that it has.
const IS_TO_CURRENT_ADDRESS: Fragment = Fragment::new("jobs.kind <> 'address_corrected_mail'");

/// The mail that is sent again says what others said, but not what a message says that waits.
const IS_REPEATED: Fragment =
    Fragment::new("NOT (jobs.kind = 'message_mail' AND jobs.failed_at IS NULL)");

/// The account of a mail: of the registrant's event, the invitation, or the member.
pub(super) const ACCOUNT: Fragment = Fragment::per_dialect(
    "COALESCE((SELECT e.account_id FROM registrations r JOIN events e ON e.id = r.event_id WHERE r.id = jobs.subject_id), \
     (SELECT i.account_id FROM invitations i WHERE i.id = jobs.subject_id), \
     CASE WHEN jobs.kind IN ('organizer_mail', 'message_test_mail') THEN unhex(json_extract(jobs.payload, '$.account'), '-') END)",
    "COALESCE((SELECT e.account_id FROM registrations r JOIN events e ON e.id = r.event_id WHERE r.id = jobs.subject_id), \
     (SELECT i.account_id FROM invitations i WHERE i.id = jobs.subject_id), \
     CASE WHEN jobs.kind IN ('organizer_mail', 'message_test_mail') THEN CAST(CAST(jobs.payload AS JSONB) ->> 'account' AS UUID) END)",
);

/// The registration and its event are missing where a mail has outlived them, and where its subject is another one.
const MAILS: Fragment = Fragment::new(
    "jobs LEFT JOIN registrations r ON r.id = jobs.subject_id LEFT JOIN events e ON e.id = r.event_id WHERE ",
);

record! {
    MailRecipient as e { account_id, email = "r.email", title, slug, is_cancelled }
}

record! {
    MailQueue as jobs {
        waiting = "COUNT(*) FILTER (WHERE failed_at IS NULL AND held_at IS NULL)",
        oldest = "MIN(created_at) FILTER (WHERE failed_at IS NULL AND held_at IS NULL)",
        held = "COUNT(*) FILTER (WHERE failed_at IS NULL AND held_at IS NOT NULL)",
        failed = "COUNT(*) FILTER (WHERE failed_at IS NOT NULL)",
    }
}

impl Reads {
    /// Returns failed mails, the latest first.
    pub async fn list_failed_mails(&self, limit: i64) -> Result<Vec<UnsentMail>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM {}jobs.failed_at IS NOT NULL AND {} ORDER BY jobs.failed_at DESC, jobs.subject_id, jobs.kind, jobs.occasion LIMIT $1",
            JobRecord::COLUMNS,
            MailRecipient::COLUMNS,
            MAILS,
            IS_MAIL,
        );
        let found: Batch<_, JobKey> = self.batch("jobs", statement, [limit]).await?;
        Ok(found.rows.into_iter().map(unsent).collect())
    }

    /// Returns queued mails, of one account or of all, the oldest first.
    pub async fn list_queued_mails(
        &self,
        account: Option<AccountId>,
        limit: i64,
    ) -> Result<Vec<UnsentMail>, Error> {
        let found: Batch<_, JobKey> = if let Some(account) = account {
            let statement = sql!(
                "SELECT {}, {} FROM {}jobs.failed_at IS NULL AND {} AND {} = $1 \
                 ORDER BY jobs.created_at, jobs.subject_id, jobs.kind, jobs.occasion LIMIT $2",
                JobRecord::COLUMNS,
                MailRecipient::COLUMNS,
                MAILS,
                IS_MAIL,
                ACCOUNT,
            );
            self.batch("jobs", statement, (account, limit)).await?
        } else {
            let statement = sql!(
                "SELECT {}, {} FROM {}jobs.failed_at IS NULL AND {} \
                 ORDER BY jobs.created_at, jobs.subject_id, jobs.kind, jobs.occasion LIMIT $1",
                JobRecord::COLUMNS,
                MailRecipient::COLUMNS,
                MAILS,
                IS_MAIL,
            );
            self.batch("jobs", statement, [limit]).await?
        };
        Ok(found.rows.into_iter().map(unsent).collect())
    }

    /// Returns the number of queued mails of an account.
    pub async fn count_queued_mails_of(&self, account: AccountId) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT COUNT(*) FROM jobs WHERE failed_at IS NULL AND {} AND {} = $1",
            IS_MAIL,
            ACCOUNT,
        );
        self.one(statement, [account]).await
    }

    /// Returns the failed mail with this key.
    pub async fn find_failed_mail(&self, key: &JobKey) -> Result<Option<UnsentMail>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM {}jobs.failed_at IS NOT NULL AND {} AND jobs.kind = $1 AND jobs.subject_id = $2 AND jobs.occasion = $3",
            JobRecord::COLUMNS,
            MailRecipient::COLUMNS,
            MAILS,
            IS_MAIL,
        );
        let values = (key.kind, key.subject_id, key.occasion);
        let found = self.optional(statement, values).await?;
        Ok(found.map(unsent))
    }

    /// Returns which of these registrations have failed mails to the address that they have, and since when.
    pub async fn find_mail_failures(
        &self,
        registrations: &[RegistrationId],
    ) -> Result<Vec<(RegistrationId, Instant)>, Error> {
        // SQLite has no empty lists of rows.
        if registrations.is_empty() {
            return Ok(Vec::new());
        }
        let statement = sql!(
            "SELECT jobs.subject_id, MIN(jobs.failed_at) FROM jobs WHERE {} AND {} \
             AND jobs.subject_id IN (SELECT id FROM input) AND jobs.failed_at IS NOT NULL GROUP BY jobs.subject_id",
            IS_MAIL,
            IS_TO_CURRENT_ADDRESS,
        );
        let input = Input::of(registrations).column("id", |id| id);
        self.all(statement, input).await
    }

    /// Returns the state of the mail queue.
    pub async fn mail_queue(&self) -> Result<MailQueue, Error> {
        let statement = sql!("SELECT {} FROM jobs WHERE {}", MailQueue::COLUMNS, IS_MAIL);
        self.one(statement, ()).await
    }

    /// Returns the number of failed mails.
    pub async fn count_failed_mails(&self) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT COUNT(*) FROM jobs WHERE jobs.failed_at IS NOT NULL AND {}",
            IS_MAIL,
        );
        self.one(statement, ()).await
    }
}

fn unsent((job, recipient): (JobRecord, Option<MailRecipient>)) -> UnsentMail {
    UnsentMail { job, recipient }
}

impl Tx {
    /// Removes the unsent mails of a registration, including failed ones; returns their number.
    pub async fn delete_mails_of(&mut self, registration: RegistrationId) -> Result<u64, Error> {
        // The kinds are named since the table has no index by subject alone.
        let statement = sql!("DELETE FROM jobs WHERE subject_id = $1 AND {}", IS_MAIL);
        self.execute(statement, [registration]).await
    }

    /// Removes the unsent mails to the address that a registration has, including failed ones. The notice to an earlier address stays.
    pub async fn delete_mails_to_current_address(
        &mut self,
        registration: RegistrationId,
    ) -> Result<(), Error> {
        let statement = sql!(
            "DELETE FROM jobs WHERE subject_id = $1 AND {} AND {} AND {}",
            IS_MAIL,
            IS_TO_CURRENT_ADDRESS,
            IS_REPEATED,
        );
        self.execute(statement, [registration]).await?;
        Ok(())
    }

    /// Removes the unsent mails with codes and invitations to a normalised address and those to a member, including failed ones; returns
    /// their number. It comes before the codes and invitations are removed.
    pub async fn delete_mails_to(
        &mut self,
        email_norm: &str,
        person: Option<PersonId>,
    ) -> Result<u64, Error> {
        // Failed ones whose server named the address, too: their codes and invitations may be gone by now.
        let statement = sql!(
            "DELETE FROM jobs WHERE (kind = $1 AND subject_id IN (SELECT id FROM codes WHERE email_norm = $4)) \
             OR (kind = $2 AND subject_id IN (SELECT id FROM invitations WHERE email_norm = $4)) \
             OR (kind IN ($3, $8, $11) AND payload LIKE $5) \
             OR (kind = $6 AND subject_id IN (SELECT id FROM oauth_grants WHERE person_id = $7)) \
             OR (kind = $9 AND lower(payload) = $10) \
             OR (kind IN ($1, $2, $3, $6, $8, $11) AND replace(lower(last_error), $4, '') <> lower(last_error))"
        );
        let left = Task::AddressCorrectedMail {
            address: email_norm.to_owned(),
        };
        let values = (
            JobKind::CodeMail,
            JobKind::InvitationMail,
            JobKind::OrganizerMail,
            email_norm,
            person.map(|id| format!("%\"person\":\"{id}\"%")),
            JobKind::AppMail,
            person,
            JobKind::SecurityMail,
            JobKind::AddressCorrectedMail,
            left.payload(),
            JobKind::MessageTestMail,
        );
        self.execute(statement, values).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Dialect;

    #[test]
    fn every_kind_of_mail_is_named() {
        let kinds = JobKind::MAILS.into_iter().chain(JobKind::PERSON_MAILS);
        let names: Vec<_> = kinds
            .chain([JobKind::OrganizerMail, JobKind::MessageTestMail])
            .map(|kind| format!("'{kind}'"))
            .collect();
        let expected = format!("jobs.kind IN ({})", names.join(", "));
        assert_eq!(IS_MAIL.text(Dialect::Sqlite), expected);
    }
}
