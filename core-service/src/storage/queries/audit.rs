//! The audit log. Rows are only added, until retention removes old ones.

use serde_json::Value;
use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db, Input, Row};
use crate::{
    domain::{
        audit::AuditEntry,
        ids::{AccountId, EventId, GrantId, KeyId, PersonId},
        instant::Instant,
    },
    storage::{AuditRecord, Error, values},
};

fn text(value: Option<&Value>) -> Option<String> {
    // What `Display` writes passes through a formatter. Writing a value does not fail.
    value.map(|value| serde_json::to_string(value).unwrap_or_else(|_| value.to_string()))
}

pub(in crate::storage) async fn insert_audit(
    connection: &mut Connection,
    entry: &AuditEntry,
) -> Result<(), Error> {
    insert_audits(connection, std::slice::from_ref(entry)).await
}

pub(in crate::storage) async fn insert_audits(
    connection: &mut Connection,
    entries: &[AuditEntry],
) -> Result<(), Error> {
    Input::default()
        .column("id", entries.iter().map(|entry| entry.id))
        .column("at", entries.iter().map(|entry| entry.at.micros()))
        .column(
            "account_id",
            entries
                .iter()
                .map(|entry| entry.account_id.map(AccountId::uuid)),
        )
        .column("actor", entries.iter().map(|entry| entry.actor))
        .column(
            "key_id",
            entries.iter().map(|entry| entry.key_id.map(KeyId::uuid)),
        )
        .column(
            "person_id",
            entries
                .iter()
                .map(|entry| entry.person_id.map(PersonId::uuid)),
        )
        .column(
            "grant_id",
            entries
                .iter()
                .map(|entry| entry.grant_id.map(GrantId::uuid)),
        )
        .column("action", entries.iter().map(|entry| entry.action))
        .column("subject_id", entries.iter().map(|entry| entry.subject_id))
        .column(
            "event_id",
            entries
                .iter()
                .map(|entry| entry.event_id.map(EventId::uuid)),
        )
        .column(
            "before",
            entries.iter().map(|entry| text(entry.before.as_ref())),
        )
        .column(
            "after",
            entries.iter().map(|entry| text(entry.after.as_ref())),
        )
        .column(
            "reason",
            entries.iter().map(|entry| entry.reason.as_deref()),
        )
        .execute(
            connection,
            "INSERT INTO audit_log (id, at, account_id, actor, key_id, person_id, grant_id, action, subject_id, event_id, \
             before, after, reason) SELECT * FROM input",
        )
        .await?;
    Ok(())
}

/// Only retention removes rows. An entry's id was made at its time, so ids find the old ones.
pub(in crate::storage) async fn delete_audit(
    connection: &mut Connection,
    before: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE id < $1 ORDER BY id LIMIT $2)",
    )
    .bind(values::first_id_at(before))
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::storage) async fn list_audit(
    connection: &mut Connection,
    subject: Uuid,
    limit: i64,
) -> Result<Vec<AuditRecord>, Error> {
    sqlx::query::<Db>(
        "SELECT at, account_id, actor, key_id, person_id, grant_id, action, subject_id, before, after, reason FROM audit_log \
         WHERE subject_id = $1 ORDER BY at, id LIMIT $2",
    )
    .bind(subject)
    .bind(limit)
    .fetch_all(connection)
    .await?
    .iter()
    .map(read)
    .collect()
}

fn read(row: &Row) -> Result<AuditRecord, Error> {
    let json = |column| {
        let text: Option<&str> = row.try_get(column)?;
        text.map(|text| {
            serde_json::from_str(text)
                .map_err(|error| values::corrupt("audit entry", &error.to_string()))
        })
        .transpose()
    };
    let account_id: Option<Uuid> = row.try_get("account_id")?;
    let key_id: Option<Uuid> = row.try_get("key_id")?;
    let person_id: Option<Uuid> = row.try_get("person_id")?;
    let grant_id: Option<Uuid> = row.try_get("grant_id")?;
    Ok(AuditRecord {
        at: Instant::from_micros(row.try_get("at")?),
        account_id: account_id.map(AccountId::new),
        actor: row.try_get("actor")?,
        key_id: key_id.map(KeyId::new),
        person_id: person_id.map(PersonId::new),
        grant_id: grant_id.map(GrantId::new),
        action: row.try_get("action")?,
        subject_id: row.try_get("subject_id")?,
        before: json("before")?,
        after: json("after")?,
        reason: row.try_get("reason")?,
    })
}
