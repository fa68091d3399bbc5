//! The audit log. Rows are only added, until retention removes old ones.

use domain::{audit::AuditEntry, instant::Instant};
use uuid::Uuid;

use crate::{
    AuditRecord, Error, FULL_BATCH, Reads, Tx,
    input::Input,
    record::{Record as _, insert_into, record},
    sql::sql,
    values,
};

record! {
    AuditRecord as a { at, account_id, actor, key_id, person_id, grant_id, action, subject_id, before, after, reason }
}

impl Reads {
    /// Returns the audit log of a subject, oldest first.
    pub async fn list_audit(&self, subject: Uuid, limit: i64) -> Result<Vec<AuditRecord>, Error> {
        let statement = sql!(
            "SELECT {} FROM audit_log a WHERE a.subject_id = $1 ORDER BY a.at, a.id LIMIT $2",
            AuditRecord::COLUMNS,
        );
        self.all(statement, (subject, limit)).await
    }
}

impl Tx {
    /// Adds rows to the audit log. Those that are counted by day add to the day's row, if there is one.
    pub async fn insert_audits(&mut self, entries: &[AuditEntry]) -> Result<(), Error> {
        let (counted, others): (Vec<_>, Vec<_>) =
            entries.iter().partition(|entry| entry.is_counted);
        if !others.is_empty() {
            self.add_audits(&others).await?;
        }
        for entry in counted {
            self.count_audit(entry).await?;
        }
        Ok(())
    }

    async fn count_audit(&mut self, entry: &AuditEntry) -> Result<(), Error> {
        // In one statement, so that of two at the same time none is lost.
        let (statement, values) = insert_into!(
            "audit_log" " ON CONFLICT (id) DO UPDATE SET times = audit_log.times + 1"
            {
                id: entry.id,
                at: entry.at,
                account_id: entry.account_id,
                actor: entry.actor,
                action: entry.action,
                subject_id: entry.subject_id,
            }
        );
        self.execute(statement, values).await?;
        Ok(())
    }

    // A key may be another person's later, so its person of now is stored.
    async fn add_audits(&mut self, entries: &[&AuditEntry]) -> Result<(), Error> {
        let statement = sql!(
            "INSERT INTO audit_log (id, at, account_id, actor, key_id, person_id, grant_id, action, subject_id, event_id, before, after, \
             reason) SELECT id, at, account_id, actor, key_id, \
             COALESCE(person_id, (SELECT k.person_id FROM api_keys k WHERE k.id = input.key_id)), grant_id, action, subject_id, event_id, \
             before, after, reason FROM input"
        );
        for part in entries.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("id", |entry| entry.id)
                .column("at", |entry| entry.at)
                .column("account_id", |entry| entry.account_id)
                .column("actor", |entry| entry.actor)
                .column("key_id", |entry| entry.key_id)
                .column("person_id", |entry| entry.person_id)
                .column("grant_id", |entry| entry.grant_id)
                .column("action", |entry| entry.action)
                .column("subject_id", |entry| entry.subject_id)
                .column("event_id", |entry| entry.event_id)
                .column("before", |entry| entry.before.as_ref())
                .column("after", |entry| entry.after.as_ref())
                .column("reason", |entry| entry.reason.as_deref());
            self.execute(statement, input).await?;
        }
        Ok(())
    }

    /// Removes at most `limit` rows of the audit log from before this time; returns their number.
    pub async fn delete_audit(&mut self, before: Instant, limit: i64) -> Result<u64, Error> {
        // An entry's id was made at its time, so ids find the old ones.
        let statement = sql!(
            "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE id < $1 ORDER BY id LIMIT $2)"
        );
        self.execute(statement, (values::first_id_at(before), limit))
            .await
    }
}
