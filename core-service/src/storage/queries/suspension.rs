//! What operators withdraw from the public: accounts, and single events.

use super::{Connection, Db};
use crate::{
    domain::{
        ids::{AccountId, EventId},
        instant::Instant,
    },
    storage::Error,
};

pub(in crate::storage) async fn set_account_suspended(
    connection: &mut Connection,
    account: AccountId,
    since: Option<Instant>,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE accounts SET suspended_at = $2 WHERE id = $1")
        .bind(account.uuid())
        .bind(since.map(Instant::micros))
        .execute(&mut *connection)
        .await?;
    sqlx::query::<Db>("UPDATE events SET is_account_suspended = $2 WHERE account_id = $1")
        .bind(account.uuid())
        .bind(since.is_some())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn set_hidden(
    connection: &mut Connection,
    event: EventId,
    is_hidden: bool,
) -> Result<(), Error> {
    let done = sqlx::query::<Db>("UPDATE events SET is_hidden = $2 WHERE id = $1")
        .bind(event.uuid())
        .bind(is_hidden)
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("event")),
    }
}
