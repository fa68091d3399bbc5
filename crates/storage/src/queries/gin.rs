//! The catalogue's search index on PostgreSQL: GIN over a vector of folded words. The server only compares them: it neither splits texts
//! nor knows languages.

mod matches;

use std::collections::BTreeSet;

use domain::{catalogue::CatalogueEntry, ids::EventId, instant::Instant};

use crate::{Error, Tx, input::Input, sql::sql, values};

/// Beginnings of words up to this many characters are words of their own in the index. So many words begin with them that
/// collecting those would take longer than everything else.
const SHORT_PREFIX: usize = 3;

const DAY_MICROS: i64 = 86_400_000_000;

impl Tx {
    pub(super) async fn put_gin_entries(
        &mut self,
        entries: &[CatalogueEntry],
    ) -> Result<(), Error> {
        if entries.is_empty() {
            return Ok(());
        }
        let statement = sql!(
            "INSERT INTO catalogue_entries (event_id, start_at, start_local, effective_end, words) \
             SELECT event_id, start_at, start_local, effective_end, CAST(words AS tsvector) FROM input \
             ON CONFLICT (event_id) DO UPDATE SET start_at = excluded.start_at, start_local = excluded.start_local, \
             effective_end = excluded.effective_end, words = excluded.words, padding = excluded.padding"
        );
        let input = Input::of(entries)
            .column("event_id", |entry| entry.event)
            .column("start_at", |entry| entry.start_at)
            .column("start_local", |entry| entry.start_local)
            .column("effective_end", |entry| entry.effective_end)
            .column("words", vector);
        self.execute(statement, input).await?;
        Ok(())
    }

    pub(super) async fn remove_gin_entries(&mut self, events: &[EventId]) -> Result<(), Error> {
        if events.is_empty() {
            return Ok(());
        }
        let statement =
            sql!("DELETE FROM catalogue_entries WHERE event_id IN (SELECT event_id FROM input)");
        let input = Input::of(events).column("event_id", |event| event);
        self.execute(statement, input).await?;
        Ok(())
    }
}

/// Returns the words as text of the type tsvector. They contain letters and digits only.
fn vector(entry: &CatalogueEntry) -> String {
    let mut words: BTreeSet<String> = entry
        .city
        .as_deref()
        .map(values::city_word)
        .into_iter()
        .collect();
    for word in &entry.words {
        for (last, _) in word.char_indices().skip(1).take(SHORT_PREFIX) {
            words.insert(short_prefix(&word[..last]));
        }
        if word.chars().count() <= SHORT_PREFIX {
            words.insert(short_prefix(word));
        }
        words.insert(word.clone());
    }
    words.insert(day_word(day(entry.start_at)));
    words.insert(values::organizer_word(entry.organizer));
    words.extend(entry.series.map(values::series_word));
    let quoted: Vec<String> = words.into_iter().map(|word| format!("'{word}'")).collect();
    quoted.join(" ")
}

/// Returns a beginning of words as a word. No word begins like it.
fn short_prefix(prefix: &str) -> String {
    format!("<{prefix}")
}

/// Returns the day of a start, by UTC.
fn day(start: Instant) -> i64 {
    start.micros().div_euclid(DAY_MICROS)
}

/// Returns a day as a word. No word begins like it.
fn day_word(day: i64) -> String {
    format!("@{day}")
}
