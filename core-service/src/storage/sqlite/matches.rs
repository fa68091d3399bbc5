//! Which entries match a search. FTS5 finds them in the order of their positions and stops at the limit, so that a search costs
//! no more than the matches that are counted.

use super::{Connection, Db, entries, search};
use crate::{
    domain::{
        catalogue::{CatalogueFilter, MOST_MATCHES},
        instant::Instant,
    },
    storage::{
        Error,
        values::{MatchPage, city_word},
    },
};

/// Conditions on entries, by parameters that every search has.
macro_rules! bounds {
    () => {
        " c.start_at >= $3 AND c.start_at < $4 AND c.start_local >= $5 AND c.start_local < $6 AND c.effective_end > $7 "
    };
}

/// Counts the entries found, one more than are answered, and chooses the page among them.
macro_rules! page {
    ($found:expr) => {
        concat!(
            "WITH found AS MATERIALIZED (",
            $found,
            " LIMIT $8), page AS (SELECT event_id, start_at FROM found ORDER BY start_at, event_id LIMIT $9 OFFSET $10) \
             SELECT (SELECT count(*) FROM found) AS matches, page.event_id FROM (SELECT 1) LEFT JOIN page ON TRUE \
             ORDER BY page.start_at, page.event_id"
        )
    };
}

const BY_WORDS: &str = page!(concat!(
    "SELECT c.event_id, c.start_at FROM catalogue_words w CROSS JOIN catalogue_entries c ON c.position = w.rowid \
     WHERE w.catalogue_words MATCH $11 AND w.rowid >= $1 AND w.rowid <= $2 AND",
    bounds!(),
    "ORDER BY w.rowid"
));

const BY_START: &str = page!(concat!(
    "SELECT c.event_id, c.start_at FROM catalogue_entries c WHERE c.position >= $1 AND c.position <= $2 AND",
    bounds!(),
    "ORDER BY c.position"
));

/// A page of what matches, and how many do, up to one more than [`MOST_MATCHES`].
pub(super) async fn page(
    connection: &mut Connection,
    filter: &CatalogueFilter,
    now: Instant,
    limit: i64,
    offset: i64,
) -> Result<MatchPage, Error> {
    let words = expression(filter);
    let statement = if words.is_some() { BY_WORDS } else { BY_START };
    let starts = filter.starts;
    let mut query = sqlx::query::<Db>(statement)
        .bind(entries::first_position(starts.from_at))
        .bind(entries::last_position(starts.before_at))
        .bind(starts.from_at.micros())
        .bind(starts.before_at.micros())
        .bind(starts.from_local.micros())
        .bind(starts.before_local.micros())
        .bind(now.micros())
        .bind(i64::from(MOST_MATCHES) + 1)
        .bind(limit)
        .bind(offset);
    if let Some(words) = words {
        query = query.bind(words);
    }
    search::read_page(&query.fetch_all(connection).await?)
}

/// The words as an expression of FTS5. They contain letters and digits only, so quoted they are nothing but words.
fn expression(filter: &CatalogueFilter) -> Option<String> {
    let terms = filter.terms.iter().map(|term| {
        let prefix = if term.is_prefix { "*" } else { "" };
        format!("\"{}\"{prefix}", term.text)
    });
    let city = filter
        .city
        .iter()
        .map(|city| format!("\"{}\"", city_word(city)));
    let all: Vec<String> = terms.chain(city).collect();
    (!all.is_empty()).then(|| all.join(" AND "))
}
