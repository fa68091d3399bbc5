//! How often something was done: limits that are exact over all cores.

use sqlx::Row as _;

use super::{Connection, Db};
use crate::{
    domain::{budget::Budget, instant::Instant},
    storage::Error,
};

/// One statement, so that of two at the same time both count.
pub(in crate::storage) async fn use_budget(
    connection: &mut Connection,
    budget: &Budget,
    now: Instant,
) -> Result<(i64, Instant), Error> {
    let row = sqlx::query::<Db>(
        "INSERT INTO budgets (hash, used, resets_at) VALUES ($1, 1, $2) ON CONFLICT (hash) DO UPDATE SET \
         used = CASE WHEN budgets.resets_at <= $3 THEN 1 ELSE budgets.used + 1 END, \
         resets_at = CASE WHEN budgets.resets_at <= $3 THEN excluded.resets_at ELSE budgets.resets_at END \
         RETURNING used, resets_at",
    )
    .bind(budget.hash().as_slice())
    .bind(now.plus_seconds(budget.period_seconds()).micros())
    .bind(now.micros())
    .fetch_one(connection)
    .await?;
    let resets_at = Instant::from_micros(row.try_get("resets_at")?);
    Ok((row.try_get("used")?, resets_at))
}

pub(in crate::storage) async fn give_back(
    connection: &mut Connection,
    budget: &Budget,
) -> Result<(), Error> {
    sqlx::query::<Db>("UPDATE budgets SET used = used - 1 WHERE hash = $1 AND used > 0")
        .bind(budget.hash().as_slice())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn delete_old_budgets(
    connection: &mut Connection,
    now: Instant,
    limit: i64,
) -> Result<u64, Error> {
    let done = sqlx::query::<Db>(
        "DELETE FROM budgets WHERE hash IN (SELECT hash FROM budgets WHERE resets_at <= $1 ORDER BY resets_at LIMIT $2)",
    )
    .bind(now.micros())
    .bind(limit)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}
