//! The audit log, which is only ever added to.

use serde_json::Value;
use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db, Row};
use crate::{
    domain::{
        audit::AuditEntry,
        ids::{AccountId, KeyId},
        instant::Instant,
    },
    storage::{AuditRecord, Error, values},
};

pub(in crate::storage) async fn insert_audit(
    connection: &mut Connection,
    entry: &AuditEntry,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO audit_log (id, at, account_id, actor, key_id, action, subject_id, before, after, reason) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(entry.id)
    .bind(entry.at.micros())
    .bind(entry.account_id.map(AccountId::uuid))
    .bind(entry.actor)
    .bind(entry.key_id.map(KeyId::uuid))
    .bind(entry.action)
    .bind(entry.subject_id)
    .bind(entry.before.as_ref().map(Value::to_string))
    .bind(entry.after.as_ref().map(Value::to_string))
    .bind(&entry.reason)
    .execute(connection)
    .await?;
    Ok(())
}

pub(in crate::storage) async fn list_audit(
    connection: &mut Connection,
    subject: Uuid,
    limit: i64,
) -> Result<Vec<AuditRecord>, Error> {
    sqlx::query::<Db>(
        "SELECT at, account_id, actor, key_id, action, subject_id, before, after, reason FROM audit_log \
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
    Ok(AuditRecord {
        at: Instant::from_micros(row.try_get("at")?),
        account_id: account_id.map(AccountId::new),
        actor: row.try_get("actor")?,
        key_id: key_id.map(KeyId::new),
        action: row.try_get("action")?,
        subject_id: row.try_get("subject_id")?,
        before: json("before")?,
        after: json("after")?,
        reason: row.try_get("reason")?,
    })
}
