//! The catalogue's search index: FTS5 over folded words, whose rows are numbered in the order of the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::Row as _;

use super::{Connection, Input};
use crate::{
    domain::{catalogue::CatalogueEntry, ids::EventId, instant::Instant},
    storage::{Error, FULL_BATCH, values},
};

/// Positions of one second. A statement below has the number, too.
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
    // A statement's parameters are limited.
    for part in entries.chunks(FULL_BATCH) {
        let events: Vec<EventId> = part.iter().map(|entry| entry.event).collect();
        remove(connection, &events).await?;
        let positions = free_positions(connection, part).await?;
        Input::default()
            .column("position", positions.iter().copied())
            .column("event_id", part.iter().map(|entry| entry.event.uuid()))
            .column("start_at", part.iter().map(|entry| entry.start_at.micros()))
            .column("start_local", part.iter().map(|entry| entry.start_local.micros()))
            .column("effective_end", part.iter().map(|entry| entry.effective_end.micros()))
            .execute(
                connection,
                "INSERT INTO catalogue_entries (position, event_id, start_at, start_local, effective_end) \
                 SELECT position, event_id, start_at, start_local, effective_end FROM input",
            )
            .await?;
        Input::default()
            .column("position", positions)
            .column("words", part.iter().map(words))
            .execute(
                connection,
                "INSERT INTO catalogue_words (rowid, words) SELECT position, words FROM input",
            )
            .await?;
    }
    Ok(())
}

/// For each entry the next position of its second.
async fn free_positions(
    connection: &mut Connection,
    entries: &[CatalogueEntry],
) -> Result<Vec<i64>, Error> {
    let seconds = entries.iter().map(|entry| first_position(entry.start_at));
    let different: BTreeSet<i64> = seconds.clone().collect();
    let rows = Input::default()
        .column("begins", different)
        .fetch(
            connection,
            "SELECT begins, (SELECT max(position) FROM catalogue_entries \
             WHERE position >= begins AND position < begins + 16777216) AS latest FROM input",
        )
        .await?;
    let mut free = BTreeMap::new();
    for row in &rows {
        let (first, last): (i64, Option<i64>) = (row.try_get("begins")?, row.try_get("latest")?);
        free.insert(first, last.map_or(first, |last| last + 1));
    }
    let next = |first| {
        let next = free.entry(first).or_insert(first);
        let position = *next;
        *next += 1;
        position
    };
    Ok(seconds.map(next).collect())
}

/// The words of an entry, and its city as a word.
fn words(entry: &CatalogueEntry) -> String {
    let mut words: Vec<&str> = entry.words.iter().map(String::as_str).collect();
    let city = entry.city.as_deref().map(values::city_word);
    words.extend(city.as_deref());
    words.join(" ")
}

/// Removes the entries of events, as far as they have one.
pub(super) async fn remove(connection: &mut Connection, events: &[EventId]) -> Result<(), Error> {
    for part in events.chunks(FULL_BATCH) {
        let removed = Input::default()
            .column("event_id", part.iter().map(|event| event.uuid()))
            .fetch(
                connection,
                "DELETE FROM catalogue_entries WHERE event_id IN (SELECT event_id FROM input) RETURNING position",
            )
            .await?;
        if removed.is_empty() {
            continue;
        }
        let positions: Result<Vec<i64>, sqlx::Error> =
            removed.iter().map(|row| row.try_get("position")).collect();
        Input::default()
            .column("position", positions?)
            .execute(
                connection,
                "DELETE FROM catalogue_words WHERE rowid IN (SELECT position FROM input)",
            )
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
