//! What the public page of an account shows beyond the catalogue: its past events, and whether it has any.

use domain::{event::Event, ids::AccountId, instant::Instant, registration::Counters};

use crate::{
    Error, Reads,
    record::Record as _,
    sql::{Fragment, ROW_ID, fragment, sql},
};

/// Events that are or were in the catalogue. An index has them by account.
const IS_PUBLIC: Fragment = Fragment::new(
    "is_published = TRUE AND is_listed = TRUE AND is_cancelled = FALSE AND is_hidden = FALSE AND is_account_suspended = FALSE",
);

/// Those of account `$1` that are over at `$2`. An event that has ended has begun.
const PAST: Fragment = fragment!(
    "account_id = $1 AND {} AND start_at <= $2 AND effective_end <= $2",
    IS_PUBLIC,
);

impl Reads {
    /// Returns a page of an account's public events that are over, the latest first.
    pub async fn list_past_events(
        &self,
        account: AccountId,
        now: Instant,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<(Event, Counters)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM (SELECT id, start_at, {} AS event_row FROM events WHERE {} \
             ORDER BY start_at DESC, id DESC LIMIT $3 OFFSET $4) page JOIN events e ON e.{} = page.event_row \
             JOIN event_counters c ON c.event_id = page.id ORDER BY page.start_at DESC, page.id DESC",
            Event::COLUMNS,
            Counters::COLUMNS,
            ROW_ID,
            PAST,
            ROW_ID,
        );
        self.all(statement, (account, now, limit, offset)).await
    }

    /// Returns the number of an account's public events that are over, up to `max`.
    pub async fn count_past_events(
        &self,
        account: AccountId,
        now: Instant,
        max: i64,
    ) -> Result<i64, Error> {
        let statement = sql!(
            "SELECT count(*) FROM (SELECT 1 FROM events WHERE {} LIMIT $3) found",
            PAST,
        );
        self.one(statement, (account, now, max)).await
    }

    /// Returns at most `limit` handles of accounts that have public events, past ones included, after one, in their order.
    pub async fn list_organizer_handles(
        &self,
        after: &str,
        limit: i64,
    ) -> Result<Vec<String>, Error> {
        let statement = sql!(
            "SELECT h.handle FROM handles h WHERE h.handle > $1 AND h.released_at IS NULL \
             AND EXISTS (SELECT 1 FROM events WHERE account_id = h.account_id AND {}) ORDER BY h.handle LIMIT $2",
            IS_PUBLIC,
        );
        self.all(statement, (after, limit)).await
    }
}
