//! The catalogue's search index: GIN over a vector of folded words. The server only compares them: it neither splits texts nor
//! knows languages.

use std::collections::BTreeSet;

use super::{Connection, Input};
use crate::{
    domain::{catalogue::CatalogueEntry, ids::EventId, instant::Instant},
    storage::{Error, values},
};

/// Beginnings of words up to this many characters are words of their own in the index. So many words begin with them that
/// collecting those would take longer than everything else.
pub(super) const SHORT_PREFIX: usize = 3;

const DAY_MICROS: i64 = 86_400_000_000;

/// Adds entries, in place of those that the events had.
pub(super) async fn put(
    connection: &mut Connection,
    entries: &[CatalogueEntry],
) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    Input::default()
        .column("event_id", entries.iter().map(|entry| entry.event.uuid()))
        .column("start_at", entries.iter().map(|entry| entry.start_at.micros()))
        .column("start_local", entries.iter().map(|entry| entry.start_local.micros()))
        .column("effective_end", entries.iter().map(|entry| entry.effective_end.micros()))
        .column("words", entries.iter().map(vector))
        .execute(
            connection,
            "INSERT INTO catalogue_entries (event_id, start_at, start_local, effective_end, words) \
             SELECT event_id, start_at, start_local, effective_end, CAST(words AS tsvector) FROM input \
             ON CONFLICT (event_id) DO UPDATE SET start_at = excluded.start_at, start_local = excluded.start_local, \
             effective_end = excluded.effective_end, words = excluded.words, padding = excluded.padding",
        )
        .await?;
    Ok(())
}

/// Removes the entries of events, as far as they have one.
pub(super) async fn remove(connection: &mut Connection, events: &[EventId]) -> Result<(), Error> {
    if events.is_empty() {
        return Ok(());
    }
    Input::default()
        .column("event_id", events.iter().map(|event| event.uuid()))
        .execute(
            connection,
            "DELETE FROM catalogue_entries WHERE event_id IN (SELECT event_id FROM input)",
        )
        .await?;
    Ok(())
}

/// The words as text of the type tsvector. They contain letters and digits only.
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
    let quoted: Vec<String> = words.into_iter().map(|word| format!("'{word}'")).collect();
    quoted.join(" ")
}

/// A beginning of words as a word. No word begins like it.
pub(super) fn short_prefix(prefix: &str) -> String {
    format!("<{prefix}")
}

/// The day of a start, by UTC.
pub(super) fn day(start: Instant) -> i64 {
    start.micros().div_euclid(DAY_MICROS)
}

/// A day as a word. No word begins like it.
pub(super) fn day_word(day: i64) -> String {
    format!("@{day}")
}
