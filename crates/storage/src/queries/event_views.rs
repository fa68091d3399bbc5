//! Views of the pages of events.

use std::collections::BTreeMap;

use domain::{
    ids::EventId,
    instant::Instant,
    statistics::{BUCKET_MICROS, Day, MAX_HOSTS_OF_A_DAY},
};

use crate::{Error, Reads, Tx, input::Input, sql::sql};

/// Views of an event's page on one day, by people whom one host led there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventViews {
    /// The event.
    pub event: EventId,
    /// The day on the clocks there.
    pub day: Day,
    /// The host; empty if none did.
    pub host: String,
    /// How many.
    pub views: i64,
}

impl Reads {
    /// Returns the ids and time zones of events with these slugs, by slug.
    pub async fn find_events_of_pages(
        &self,
        slugs: &[&str],
    ) -> Result<Vec<(String, EventId, String)>, Error> {
        let statement =
            sql!("SELECT e.slug, e.id, e.timezone FROM input i JOIN events e ON e.slug = i.slug");
        let input = Input::of(slugs).column("slug", |slug| *slug);
        self.all(statement, input).await
    }

    /// Returns the views of an event's page from one day to another, by day.
    pub async fn count_views(
        &self,
        event: EventId,
        (first, last): (Day, Day),
    ) -> Result<BTreeMap<String, i64>, Error> {
        let statement = sql!(
            "SELECT day, CAST(SUM(views) AS BIGINT) FROM event_views WHERE event_id = $1 AND day BETWEEN $2 AND $3 \
             GROUP BY day"
        );
        let days: Vec<(String, i64)> = self
            .all(statement, (event, first.to_string(), last.to_string()))
            .await?;
        Ok(days.into_iter().collect())
    }

    /// Returns the hosts that led most people to an event's page from one day to another, the most first.
    pub async fn list_referring_hosts(
        &self,
        event: EventId,
        (first, last): (Day, Day),
        limit: i64,
    ) -> Result<Vec<(String, i64)>, Error> {
        let statement = sql!(
            "SELECT host, CAST(SUM(views) AS BIGINT) AS total FROM event_views WHERE event_id = $1 AND day BETWEEN $2 AND $3 \
             GROUP BY host ORDER BY total DESC, host LIMIT $4"
        );
        let values = (event, first.to_string(), last.to_string(), limit);
        self.all(statement, values).await
    }

    /// Returns how many registered for an event between two moments, by [buckets](BUCKET_MICROS).
    pub async fn count_registered(
        &self,
        event: EventId,
        (from, before): (Instant, Instant),
    ) -> Result<Vec<(i64, i64)>, Error> {
        let statement = sql!(
            "SELECT registered_at / $4 AS bucket, COUNT(*) FROM registrations \
             WHERE event_id = $1 AND registered_at >= $2 AND registered_at < $3 GROUP BY bucket"
        );
        let values = (event, from, before, BUCKET_MICROS);
        self.all(statement, values).await
    }
}

impl Tx {
    /// Adds views of events that there are. A day has a bound on the hosts that are counted one by one: the views of others count
    /// without a host.
    pub async fn add_views(&mut self, views: &[EventViews]) -> Result<(), Error> {
        if views.is_empty() {
            return Ok(());
        }
        // New hosts are numbered, those with most views first. All is written in one order, so that two websites do not wait for each
        // other.
        let statement = sql!(
            "INSERT INTO event_views (event_id, day, host, views) \
             SELECT event_id, day, host, CAST(SUM(views) AS BIGINT) FROM (SELECT i.event_id, i.day, i.views, \
             CASE WHEN new.number + (SELECT COUNT(*) FROM event_views v WHERE v.event_id = i.event_id AND v.day = i.day AND v.host <> '') \
             > i.hosts THEN '' ELSE i.host END AS host FROM input i JOIN events e ON e.id = i.event_id \
             LEFT JOIN (SELECT f.event_id, f.day, f.host, ROW_NUMBER() OVER (PARTITION BY f.event_id, f.day \
             ORDER BY SUM(f.views) DESC, f.host) AS number FROM input f WHERE f.host <> '' AND NOT EXISTS (SELECT 1 FROM event_views v \
             WHERE v.event_id = f.event_id AND v.day = f.day AND v.host = f.host) GROUP BY f.event_id, f.day, f.host) AS new \
             ON new.event_id = i.event_id AND new.day = i.day AND new.host = i.host) AS seen \
             GROUP BY event_id, day, host ORDER BY event_id, day, host \
             ON CONFLICT (event_id, day, host) DO UPDATE SET views = event_views.views + excluded.views"
        );
        let input = Input::of(views)
            .column("event_id", |one| one.event)
            .column("day", |one| one.day.to_string())
            .column("host", |one| &one.host)
            .column("views", |one| one.views)
            .column("hosts", |_| MAX_HOSTS_OF_A_DAY);
        self.execute(statement, input).await?;
        Ok(())
    }
}
