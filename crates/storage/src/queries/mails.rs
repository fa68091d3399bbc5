//! The mails among the jobs: how many wait, and which failed.

use domain::{
    ids::{PersonId, RegistrationId},
    job::{JobKey, JobKind},
};

use crate::{
    Error, FailedMail, FailedMailRecipient, JobRecord, MailQueue, Reads, Tx,
    reads::Batch,
    record::{Record as _, record},
    sql::{Fragment, sql},
};

/// Mails are jobs of kinds that are named; other kinds have other subjects.
const IS_MAIL: Fragment = Fragment::new(
    "jobs.kind IN ('registered_mail', 'waitlisted_mail', 'pending_mail', 'confirmation_mail', 'registered_again_mail', \
     'promoted_mail', 'approved_mail', 'registration_cancelled_mail', 'declined_mail', 'cancellation_mail', \
     'event_changed_mail', 'code_mail', 'invitation_mail', 'app_mail', 'organizer_mail')",
);

/// The registration and its event are missing only where a mail has outlived them.
const FAILED_MAILS: Fragment = Fragment::new(
    "jobs LEFT JOIN registrations r ON r.id = jobs.subject_id LEFT JOIN events e ON e.id = r.event_id \
     WHERE jobs.failed_at IS NOT NULL AND ",
);

record! {
    FailedMailRecipient as e { account_id, email = "r.email", title, slug, is_cancelled }
}

record! {
    MailQueue as jobs {
        waiting = "COUNT(*) FILTER (WHERE failed_at IS NULL)",
        oldest = "MIN(created_at) FILTER (WHERE failed_at IS NULL)",
        failed = "COUNT(*) FILTER (WHERE failed_at IS NOT NULL)",
    }
}

impl Reads {
    /// Returns failed mails, the latest first.
    pub async fn list_failed_mails(&self, limit: i64) -> Result<Vec<FailedMail>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM {}{} ORDER BY jobs.failed_at DESC, jobs.subject_id, jobs.kind, jobs.occasion LIMIT $1",
            JobRecord::COLUMNS,
            FailedMailRecipient::COLUMNS,
            FAILED_MAILS,
            IS_MAIL,
        );
        let found: Batch<_, JobKey> = self.batch("jobs", statement, [limit]).await?;
        let mail = |(job, recipient)| FailedMail { job, recipient };
        Ok(found.rows.into_iter().map(mail).collect())
    }

    /// Returns the failed mail with this key.
    pub async fn find_failed_mail(&self, key: &JobKey) -> Result<Option<FailedMail>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM {}{} AND jobs.kind = $1 AND jobs.subject_id = $2 AND jobs.occasion = $3",
            JobRecord::COLUMNS,
            FailedMailRecipient::COLUMNS,
            FAILED_MAILS,
            IS_MAIL,
        );
        let values = (key.kind, key.subject_id, key.occasion);
        let found = self.optional(statement, values).await?;
        Ok(found.map(|(job, recipient)| FailedMail { job, recipient }))
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

impl Tx {
    /// Removes the unsent mails of a registration, including failed ones; returns their number.
    pub async fn delete_mails_of(&mut self, registration: RegistrationId) -> Result<u64, Error> {
        // The kinds are named since the table has no index by subject alone.
        let statement = sql!("DELETE FROM jobs WHERE subject_id = $1 AND {}", IS_MAIL);
        self.execute(statement, [registration]).await
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
             OR (kind = $3 AND payload LIKE $5) \
             OR (kind = $6 AND subject_id IN (SELECT id FROM oauth_grants WHERE person_id = $7)) \
             OR (kind IN ($1, $2, $3, $6) AND replace(lower(last_error), $4, '') <> lower(last_error))"
        );
        let values = (
            JobKind::CodeMail,
            JobKind::InvitationMail,
            JobKind::OrganizerMail,
            email_norm,
            person.map(|id| format!("%\"person\":\"{id}\"%")),
            JobKind::AppMail,
            person,
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
            .chain([JobKind::OrganizerMail])
            .map(|kind| format!("'{kind}'"))
            .collect();
        let expected = format!("jobs.kind IN ({})", names.join(", "));
        assert_eq!(IS_MAIL.text(Dialect::Sqlite), expected);
    }
}
