//! How often something was done: limits that are exact over all cores.

use std::collections::HashMap;

use domain::{budget::Budget, instant::Instant};

use crate::{Error, FULL_BATCH, Tx, input::Input, sql::sql};

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

    /// Takes from several budgets at once, each named once, with how many are taken; returns for each by its hash how many are taken
    /// with them, and when it begins again. They stay locked until the transaction ends.
    pub async fn use_budgets(
        &mut self,
        budgets: &[(&Budget, i64)],
        now: Instant,
    ) -> Result<HashMap<[u8; 32], (i64, Instant)>, Error> {
        let statement = sql!(
            "INSERT INTO budgets (hash, used, resets_at) SELECT hash, used, resets_at FROM input WHERE TRUE ORDER BY hash \
             ON CONFLICT (hash) DO UPDATE SET \
             used = CASE WHEN budgets.resets_at <= (SELECT MAX(now) FROM input) THEN excluded.used ELSE budgets.used + excluded.used END, \
             resets_at = CASE WHEN budgets.resets_at <= (SELECT MAX(now) FROM input) THEN excluded.resets_at ELSE budgets.resets_at END \
             RETURNING hash, used, resets_at"
        );
        let mut taken = HashMap::new();
        // In one order, also across parts, so that no two wait for each other.
        let mut budgets = budgets.to_vec();
        budgets.sort_unstable_by_key(|(budget, _)| *budget.hash());
        for part in budgets.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("hash", |(budget, _)| budget.hash())
                .column("used", |(_, count)| *count)
                .column("resets_at", |(budget, _)| {
                    now.plus_seconds(budget.period_seconds())
                })
                .column("now", |_| now);
            let used: Vec<([u8; 32], i64, Instant)> = self.all(statement, input).await?;
            let by_hash = |(hash, used, resets_at)| (hash, (used, resets_at));
            taken.extend(used.into_iter().map(by_hash));
        }
        Ok(taken)
    }

    /// Gives back what [`Tx::use_budget`] took.
    pub async fn give_back(&mut self, budget: &Budget) -> Result<(), Error> {
        let statement = sql!("UPDATE budgets SET used = used - 1 WHERE hash = $1 AND used > 0");
        self.execute(statement, [budget.hash()]).await?;
        Ok(())
    }

    /// Gives back so many of each of several budgets.
    pub async fn give_back_several(&mut self, budgets: &[(&Budget, i64)]) -> Result<(), Error> {
        let statement = sql!(
            "UPDATE budgets SET used = budgets.used - input.count FROM input \
             WHERE budgets.hash = input.hash AND budgets.used >= input.count"
        );
        for part in budgets.chunks(FULL_BATCH) {
            let input = Input::of(part)
                .column("hash", |(budget, _)| budget.hash())
                .column("count", |(_, count)| *count);
            self.execute(statement, input).await?;
        }
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
