//! Events whose moments were made by an older release of the time zone database.

use domain::{event::Window, ids::EventId, instant::Instant, schedule::Schedule};

use crate::{
    Error, Reads, Tx,
    input::Input,
    reads::Batch,
    record::Record as _,
    sql::{FOR_UPDATE, Fragment, sql},
};

/// The events of older releases than `$1` that end after `$2` and come after event `$3`, at most `$4`.
const OLDER: Fragment = Fragment::new(
    "FROM events e WHERE e.zone_release < $1 AND e.effective_end > $2 AND e.id > $3 ORDER BY e.id LIMIT $4",
);

/// The times of an event: its own, and those of registration.
type Times = (Schedule, Window);

/// By id; those that cannot be read have no times.
fn by_id(batch: Batch<(EventId, Schedule, Window), EventId>) -> Vec<(EventId, Option<Times>)> {
    let rows = batch.rows.into_iter();
    let rows = rows.map(|(id, schedule, window)| (id, Some((schedule, window))));
    let unreadable = batch.unreadable.into_iter().map(|id| (id, None));
    let mut events: Vec<_> = rows.chain(unreadable).collect();
    events.sort_by_key(|(id, _)| *id);
    events
}

impl Reads {
    /// Returns events of older releases that end in the future, by id. Those that cannot be read have no times.
    pub async fn list_events_of_older_zones(
        &self,
        release: &str,
        now: Instant,
        after: EventId,
        limit: i64,
    ) -> Result<Vec<(EventId, Option<Times>)>, Error> {
        let statement = sql!(
            "SELECT e.id, {}, {} {}",
            Schedule::COLUMNS,
            Window::COLUMNS,
            OLDER
        );
        let found = self.batch("events", statement, (release, now, after, limit));
        Ok(by_id(found.await?))
    }

    /// Returns how many events of older releases end in the future.
    pub async fn count_events_of_older_zones(
        &self,
        release: &str,
        now: Instant,
    ) -> Result<i64, Error> {
        let statement =
            sql!("SELECT count(*) FROM events WHERE zone_release < $1 AND effective_end > $2");
        self.one(statement, (release, now)).await
    }
}

impl Tx {
    /// The same events, locked, so that none changes before what was found is stored.
    pub async fn lock_events_of_older_zones(
        &mut self,
        release: &str,
        now: Instant,
        after: EventId,
        limit: i64,
    ) -> Result<Vec<(EventId, Option<Times>)>, Error> {
        let statement = sql!(
            "SELECT e.id, {}, {} {}{}",
            Schedule::COLUMNS,
            Window::COLUMNS,
            OLDER,
            FOR_UPDATE,
        );
        let found = self.batch("events", statement, (release, now, after, limit));
        Ok(by_id(found.await?))
    }

    /// Notes that the moments of these events are right by a release.
    pub async fn set_zone_release(
        &mut self,
        events: &[EventId],
        release: &str,
    ) -> Result<(), Error> {
        if events.is_empty() {
            return Ok(());
        }
        let statement = sql!(
            "UPDATE events SET zone_release = input.zone_release FROM input WHERE events.id = input.event_id"
        );
        let input = Input::of(events)
            .column("event_id", |id| *id)
            .column("zone_release", |_| release);
        self.execute(statement, input).await?;
        Ok(())
    }
}
