//! The public catalogue in the order of creation, for sitemaps. All of it is read from one index, without the events' rows.

use sqlx::Row as _;
use uuid::Uuid;

use super::{Connection, Db};
use crate::{
    domain::{
        catalogue::{EventAddress, SITEMAP_EVENTS, Sitemap},
        instant::Instant,
    },
    storage::Error,
};

pub(in crate::storage) async fn list_sitemaps(
    connection: &mut Connection,
    now: Instant,
) -> Result<Vec<Sitemap>, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT place, count(*) AS events, max(updated_at) AS updated_at FROM (\
            SELECT updated_at, (row_number() OVER (ORDER BY id) - 1) / $2 AS place FROM events",
        indexed_by_sitemaps!(),
        " WHERE live = TRUE AND effective_end > $1) numbered GROUP BY place ORDER BY place",
    ))
    .bind(now.micros())
    .bind(SITEMAP_EVENTS)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Sitemap {
                events: row.try_get("events")?,
                updated_at: Instant::from_micros(row.try_get("updated_at")?),
            })
        })
        .collect()
}

pub(in crate::storage) async fn list_event_addresses(
    connection: &mut Connection,
    now: Instant,
    after: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<Vec<EventAddress>, Error> {
    let rows = sqlx::query::<Db>(concat!(
        "SELECT slug, updated_at FROM events",
        indexed_by_sitemaps!(),
        " WHERE live = TRUE AND effective_end > $1 AND id > coalesce((SELECT id FROM events WHERE slug = $2), $3) \
         ORDER BY id LIMIT $4 OFFSET $5",
    ))
    .bind(now.micros())
    .bind(after)
    .bind(Uuid::nil())
    .bind(limit)
    .bind(offset)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(EventAddress {
                slug: row.try_get("slug")?,
                updated_at: Instant::from_micros(row.try_get("updated_at")?),
            })
        })
        .collect()
}
