//! The catalogue's search index on SQLite: FTS5 over folded words, whose rows are numbered in the order of the catalogue. A search finds
//! them in this order and stops at the limit, so that it costs no more than the matches that are counted.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    catalogue::{CatalogueEntry, CatalogueFilter, MAX_MATCHES},
    ids::EventId,
    instant::Instant,
};

use super::search::page_of;
use crate::{
    Error, FULL_BATCH, Reads, Tx,
    input::Input,
    sql::{Fragment, sql},
    statement::Values,
    values::{self, MatchPage},
};

/// Positions of one second. A statement below has the number, too.
const POSITIONS: i64 = 1 << 24;

/// Seconds from before the first year to the epoch, so that positions are positive.
const EPOCH: i64 = 62_136_000_000;

/// Seconds up to after the last year. The last position of it is below 2^63.
const SECONDS: i64 = EPOCH + 253_403_000_000;

/// Conditions on entries, by parameters that every search has.
///
/// With `$8`, what is going on is in bounds as well, once the clocks at the event show a time after the first start.
const IN_BOUNDS: Fragment = Fragment::new(
    "(c.start_at >= $3 AND c.start_local >= $5 OR $8 AND c.start_at <= $7 AND $7 >= $3 AND $7 + c.start_local - c.start_at >= $5) \
     AND c.start_at < $4 AND c.start_local < $6 AND c.effective_end > $7",
);

/// Counts the entries found, one more than are answered, and chooses the page among them.
const PAGE: Fragment = Fragment::new(
    " LIMIT $9), page AS (SELECT event_id, start_at FROM found ORDER BY start_at, event_id LIMIT $10 OFFSET $11) \
     SELECT (SELECT count(*) FROM found), page.event_id FROM (SELECT 1) LEFT JOIN page ON TRUE \
     ORDER BY page.start_at, page.event_id",
);

impl Reads {
    /// Returns a page of what matches, and how many do, up to one more than [`MAX_MATCHES`].
    pub(super) async fn fts5_page(
        &self,
        filter: &CatalogueFilter,
        now: Instant,
        limit: i64,
        offset: i64,
    ) -> Result<MatchPage, Error> {
        let starts = filter.starts;
        let (first, last) = (
            if filter.running {
                0
            } else {
                first_position(starts.from_at)
            },
            last_position(starts.before_at),
        );
        let bounds = |values: &mut Values| {
            values.add(&first);
            values.add(&last);
            values.add(&starts.from_at);
            values.add(&starts.before_at);
            values.add(&starts.from_local);
            values.add(&starts.before_local);
            values.add(&now);
            values.add(&filter.running);
            values.add(&(i64::from(MAX_MATCHES) + 1));
            values.add(&limit);
            values.add(&offset);
        };
        let found = if let Some(words) = expression(filter) {
            let statement = sql!(
                "WITH found AS MATERIALIZED (SELECT c.event_id, c.start_at FROM catalogue_words w \
                     CROSS JOIN catalogue_entries c ON c.position = w.rowid WHERE w.catalogue_words MATCH $12 \
                     AND w.rowid >= $1 AND w.rowid <= $2 AND {} ORDER BY w.rowid{}",
                IN_BOUNDS,
                PAGE,
            );
            let values = |values: &mut Values| {
                bounds(values);
                values.add(&words);
            };
            self.all(statement, values).await?
        } else {
            let statement = sql!(
                "WITH found AS MATERIALIZED (SELECT c.event_id, c.start_at FROM catalogue_entries c \
                     WHERE c.position >= $1 AND c.position <= $2 AND {} ORDER BY c.position{}",
                IN_BOUNDS,
                PAGE,
            );
            self.all(statement, bounds).await?
        };
        Ok(page_of(found))
    }
}

impl Tx {
    pub(super) async fn put_fts5_entries(
        &mut self,
        entries: &[CatalogueEntry],
    ) -> Result<(), Error> {
        // A statement's parameters are limited.
        for part in entries.chunks(FULL_BATCH) {
            let events: Vec<EventId> = part.iter().map(|entry| entry.event).collect();
            self.remove_fts5_entries(&events).await?;
            let positions = self.free_positions(part).await?;
            let numbered: Vec<_> = positions.into_iter().zip(part).collect();
            let statement = sql!(
                "INSERT INTO catalogue_entries (position, event_id, start_at, start_local, effective_end) \
                 SELECT position, event_id, start_at, start_local, effective_end FROM input"
            );
            let input = Input::of(&numbered)
                .column("position", |(position, _)| position)
                .column("event_id", |(_, entry)| entry.event)
                .column("start_at", |(_, entry)| entry.start_at)
                .column("start_local", |(_, entry)| entry.start_local)
                .column("effective_end", |(_, entry)| entry.effective_end);
            self.execute(statement, input).await?;
            let statement = sql!(
                "INSERT INTO catalogue_words (rowid, words) SELECT position, words FROM input"
            );
            let input = Input::of(&numbered)
                .column("position", |(position, _)| position)
                .column("words", |(_, entry)| words(entry));
            self.execute(statement, input).await?;
        }
        Ok(())
    }

    /// Returns for each entry the next position of its second.
    async fn free_positions(&mut self, entries: &[CatalogueEntry]) -> Result<Vec<i64>, Error> {
        let seconds = entries.iter().map(|entry| first_position(entry.start_at));
        let different: BTreeSet<i64> = seconds.clone().collect();
        let different: Vec<i64> = different.into_iter().collect();
        let statement = sql!(
            "SELECT begins, (SELECT max(position) FROM catalogue_entries \
             WHERE position >= begins AND position < begins + 16777216) FROM input"
        );
        let input = Input::of(&different).column("begins", |begins| begins);
        let found: Vec<(i64, Option<i64>)> = self.all(statement, input).await?;
        let next = |(first, last): (i64, Option<i64>)| (first, last.map_or(first, |last| last + 1));
        let mut free: BTreeMap<i64, i64> = found.into_iter().map(next).collect();
        let next = |first| {
            let next = free.entry(first).or_insert(first);
            let position = *next;
            *next += 1;
            position
        };
        Ok(seconds.map(next).collect())
    }

    pub(super) async fn remove_fts5_entries(&mut self, events: &[EventId]) -> Result<(), Error> {
        for part in events.chunks(FULL_BATCH) {
            let statement = sql!(
                "DELETE FROM catalogue_entries WHERE event_id IN (SELECT event_id FROM input) RETURNING position"
            );
            let input = Input::of(part).column("event_id", |event| event);
            let removed: Vec<i64> = self.all(statement, input).await?;
            if removed.is_empty() {
                continue;
            }
            let statement =
                sql!("DELETE FROM catalogue_words WHERE rowid IN (SELECT position FROM input)");
            let input = Input::of(&removed).column("position", |position| position);
            self.execute(statement, input).await?;
        }
        Ok(())
    }
}

/// Returns the first position of the second in which a moment lies.
fn first_position(at: Instant) -> i64 {
    let second = at.micros().div_euclid(1_000_000).saturating_add(EPOCH);
    second.clamp(0, SECONDS) * POSITIONS
}

/// Returns the last position of the second in which a moment lies.
fn last_position(at: Instant) -> i64 {
    first_position(at) + (POSITIONS - 1)
}

/// Returns the words of an entry, and its city, its organizer and its series as words.
fn words(entry: &CatalogueEntry) -> String {
    let mut words: Vec<&str> = entry.words.iter().map(String::as_str).collect();
    let city = entry.city.as_deref().map(values::city_word);
    words.extend(city.as_deref());
    let organizer = values::organizer_word(entry.organizer);
    words.push(&organizer);
    let series = entry.series.map(values::series_word);
    words.extend(series.as_deref());
    words.join(" ")
}

/// Returns the words of a search as an expression of FTS5. They contain letters and digits only, so quoted they are nothing but words.
fn expression(filter: &CatalogueFilter) -> Option<String> {
    let terms = filter.terms.iter().map(|term| {
        let prefix = if term.is_prefix { "*" } else { "" };
        format!("\"{}\"{prefix}", term.text)
    });
    let city = filter
        .city
        .iter()
        .map(|city| format!("\"{}\"", values::city_word(city)));
    let organizer = filter
        .organizer
        .map(|account| format!("\"{}\"", values::organizer_word(account)));
    let series = filter
        .series
        .map(|series| format!("\"{}\"", values::series_word(series)));
    let all: Vec<String> = terms.chain(city).chain(organizer).chain(series).collect();
    (!all.is_empty()).then(|| all.join(" AND "))
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
