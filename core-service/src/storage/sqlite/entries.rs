//! The catalogue's search index: FTS5 over folded words, whose rows are numbered in the order of the catalogue.

use sqlx::Row as _;

use super::{Connection, Db};
use crate::{
    domain::{catalogue::CatalogueEntry, ids::EventId, instant::Instant},
    storage::{Error, values},
};

/// Positions of one second.
const POSITIONS: i64 = 1 << 24;

/// Seconds from before the first year to the epoch, so that positions are positive.
const EPOCH: i64 = 62_136_000_000;

/// Seconds up to after the last year. The last position of it is below 2^63.
const SECONDS: i64 = EPOCH + 253_403_000_000;

/// The first position of the second in which a moment lies.
pub(super) fn first_position(at: Instant) -> i64 {
    let second = at.micros().div_euclid(1_000_000).saturating_add(EPOCH);
    second.clamp(0, SECONDS) * POSITIONS
}

/// The last position of the second in which a moment lies.
pub(super) fn last_position(at: Instant) -> i64 {
    first_position(at) + (POSITIONS - 1)
}

/// Adds entries, in place of those that the events had.
pub(super) async fn put(
    connection: &mut Connection,
    entries: &[CatalogueEntry],
) -> Result<(), Error> {
    for entry in entries {
        remove_one(connection, entry.event).await?;
        let position = insert(connection, entry).await?;
        let mut words: Vec<&str> = entry.words.iter().map(String::as_str).collect();
        let city = entry.city.as_deref().map(values::city_word);
        words.extend(city.as_deref());
        sqlx::query::<Db>("INSERT INTO catalogue_words (rowid, words) VALUES ($1, $2)")
            .bind(position)
            .bind(words.join(" "))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Adds an entry at the next position of its second.
async fn insert(connection: &mut Connection, entry: &CatalogueEntry) -> Result<i64, Error> {
    let first = first_position(entry.start_at);
    let row = sqlx::query::<Db>(
        "INSERT INTO catalogue_entries (position, event_id, start_at, start_local, effective_end) \
         VALUES (coalesce((SELECT max(position) FROM catalogue_entries WHERE position >= $1 AND position <= $2), $1 - 1) + 1, \
         $3, $4, $5, $6) RETURNING position",
    )
    .bind(first)
    .bind(last_position(entry.start_at))
    .bind(entry.event.uuid())
    .bind(entry.start_at.micros())
    .bind(entry.start_local.micros())
    .bind(entry.effective_end.micros())
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("position")?)
}

/// Removes the entries of events, as far as they have one.
pub(super) async fn remove(connection: &mut Connection, events: &[EventId]) -> Result<(), Error> {
    for event in events {
        remove_one(connection, *event).await?;
    }
    Ok(())
}

async fn remove_one(connection: &mut Connection, event: EventId) -> Result<(), Error> {
    let removed =
        sqlx::query::<Db>("DELETE FROM catalogue_entries WHERE event_id = $1 RETURNING position")
            .bind(event.uuid())
            .fetch_optional(&mut *connection)
            .await?;
    if let Some(removed) = removed {
        sqlx::query::<Db>("DELETE FROM catalogue_words WHERE rowid = $1")
            .bind(removed.try_get::<i64, _>("position")?)
            .execute(connection)
            .await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_ascend_over_all_years() {
        let at = [
            i64::MIN,
            -62_135_596_800_000_000,
            -1,
            0,
            1_000_000,
            253_402_300_799_999_999,
            i64::MAX,
        ];
        let positions = at.map(|at| first_position(Instant::from_micros(at)));
        assert!(positions.is_sorted_by(|one, next| one < next));
        assert!(
            positions
                .iter()
                .all(|position| position.checked_add(POSITIONS).is_some())
        );
    }
}
