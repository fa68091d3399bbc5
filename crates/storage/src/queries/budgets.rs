//! How often something was done: limits that are exact over all cores.

use domain::{budget::Budget, instant::Instant};

use crate::{Error, Tx, sql::sql};

impl Tx {
    /// Takes one of a budget; returns how many are taken with it, and when the budget begins again.
    pub async fn use_budget(
        &mut self,
        budget: &Budget,
        now: Instant,
    ) -> Result<(i64, Instant), Error> {
        // One statement, so that of two at the same time both count.
        let statement = sql!(
            "INSERT INTO budgets (hash, used, resets_at) VALUES ($1, 1, $2) ON CONFLICT (hash) DO UPDATE SET \
             used = CASE WHEN budgets.resets_at <= $3 THEN 1 ELSE budgets.used + 1 END, \
             resets_at = CASE WHEN budgets.resets_at <= $3 THEN excluded.resets_at ELSE budgets.resets_at END \
             RETURNING used, resets_at"
        );
        let resets_at = now.plus_seconds(budget.period_seconds());
        self.one(statement, (budget.hash(), resets_at, now)).await
    }

    /// Gives back what [`Tx::use_budget`] took.
    pub async fn give_back(&mut self, budget: &Budget) -> Result<(), Error> {
        let statement = sql!("UPDATE budgets SET used = used - 1 WHERE hash = $1 AND used > 0");
        self.execute(statement, [budget.hash()]).await?;
        Ok(())
    }

    /// Removes at most `limit` budgets that begin again; returns their number.
    pub async fn delete_old_budgets(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM budgets WHERE hash IN (SELECT hash FROM budgets WHERE resets_at <= $1 ORDER BY resets_at LIMIT $2)"
        );
        self.execute(statement, (now, limit)).await
    }
}
