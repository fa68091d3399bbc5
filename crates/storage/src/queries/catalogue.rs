//! The public catalogue: live events and their total.

use std::collections::BTreeMap;

use domain::{event::Event, ids::EventId, instant::Instant, registration::Counters};

use crate::{
    Error, Reads, Tx,
    record::Record as _,
    sql::{ROW_ID, SKIP_LOCKED, sql},
    values::shard,
};

impl Reads {
    /// Returns at most `limit` cities of live events in their order. Each is one look-up in an index, however many events it has.
    pub async fn list_cities(&self, limit: i64) -> Result<Vec<String>, Error> {
        let statement = sql!(
            "WITH RECURSIVE found (city) AS (SELECT (SELECT min(e.city) FROM events e WHERE e.live = TRUE) UNION ALL \
             SELECT (SELECT min(e.city) FROM events e WHERE e.live = TRUE AND e.city > found.city) FROM found WHERE found.city IS NOT NULL) \
             SELECT city FROM found WHERE city IS NOT NULL LIMIT $1"
        );
        self.all(statement, [limit]).await
    }

    /// Returns a page of the catalogue: live events that have not ended, by start, then id.
    pub async fn list_live_events(
        &self,
        now: Instant,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<(Event, Counters)>, Error> {
        // The page is chosen from the index alone, and only its rows are read: this makes an offset of 500,000 ten times as fast.
        let statement = sql!(
            "SELECT {}, {} FROM (SELECT id, start_at, {} AS event_row FROM events \
             WHERE live = TRUE AND effective_end > $1 \
             ORDER BY start_at, id LIMIT $2 OFFSET $3) page JOIN events e ON e.{} = page.event_row \
             JOIN event_counters c ON c.event_id = page.id ORDER BY page.start_at, page.id",
            Event::COLUMNS,
            Counters::COLUMNS,
            ROW_ID,
            ROW_ID,
        );
        self.all(statement, (now, limit, offset)).await
    }

    /// Returns the number of events in the catalogue.
    pub async fn count_live_events(&self, now: Instant) -> Result<i64, Error> {
        // It reads sixteen rows and the events that ended since the last sweep, instead of the whole catalogue.
        let statement = sql!(
            "SELECT CAST((SELECT coalesce(sum(live), 0) FROM catalogue_totals) \
             - (SELECT count(*) FROM events WHERE live = TRUE AND effective_end <= $1) AS BIGINT)"
        );
        self.one(statement, [now]).await
    }

    /// Returns the event with this slug, in any state.
    pub async fn find_event_by_slug(&self, slug: &str) -> Result<Option<Event>, Error> {
        let statement = sql!("SELECT {} FROM events e WHERE e.slug = $1", Event::COLUMNS);
        self.optional(statement, [slug]).await
    }

    /// Returns the same with its counters.
    pub async fn find_event_and_counters(
        &self,
        slug: &str,
    ) -> Result<Option<(Event, Counters)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM events e JOIN event_counters c ON c.event_id = e.id WHERE e.slug = $1",
            Event::COLUMNS,
            Counters::COLUMNS,
        );
        self.optional(statement, [slug]).await
    }
}

impl Tx {
    /// Sets the flag and, when that changes it, the total. The flag is compared in the statement, since the sweeper may have
    /// cleared it after the event was read.
    pub(super) async fn set_live(&mut self, event: EventId, live: bool) -> Result<(), Error> {
        let statement = sql!("UPDATE events SET live = $2 WHERE id = $1 AND live <> $2");
        if self.execute(statement, (event, live)).await? == 0 {
            return Ok(());
        }
        self.change_total(event, if live { 1 } else { -1 }).await
    }

    /// Changes the total by one event.
    pub(super) async fn change_total(&mut self, event: EventId, change: i64) -> Result<(), Error> {
        self.change_total_of(shard(event.uuid()), change).await
    }

    async fn change_total_of(&mut self, shard: u8, change: i64) -> Result<(), Error> {
        let statement = sql!("UPDATE catalogue_totals SET live = live + $2 WHERE shard = $1");
        self.execute(statement, (i32::from(shard), change)).await?;
        Ok(())
    }

    /// Removes at most `limit` ended events from the catalogue and its total; returns their number.
    pub async fn unlist_ended_events(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "WITH ended AS MATERIALIZED (SELECT id FROM events WHERE live = TRUE AND effective_end <= $1 \
             ORDER BY effective_end LIMIT $2{}) \
             UPDATE events SET live = FALSE FROM ended WHERE events.id = ended.id RETURNING events.id",
            SKIP_LOCKED,
        );
        let ended: Vec<EventId> = self.all(statement, (now, limit)).await?;
        self.remove_entries(&ended).await?;
        let mut totals: BTreeMap<u8, i64> = BTreeMap::new();
        for event in &ended {
            *totals.entry(shard(event.uuid())).or_default() += 1;
        }
        // In the order of their locks.
        for (shard, count) in totals {
            self.change_total_of(shard, -count).await?;
        }
        Ok(ended.len() as u64)
    }
}
