//! Which entries match a search.
//!
//! GIN finds entries in no order. So all matches are read, up to one more than are counted, and sorted. If there are more, the page
//! is looked for in windows of time that become wider, so that only a part of the matches is sorted.

use sqlx::{Connection as _, Row as _};
use uuid::Uuid;

use super::{Connection, Db, entries, search};
use crate::{
    domain::{
        catalogue::{CatalogueFilter, MOST_MATCHES, Starts},
        ids::EventId,
        instant::Instant,
    },
    storage::{
        Error,
        values::{MatchPage, city_word},
    },
};

/// The planner guesses how many entries have a word. If it guesses too many, it would rather read all entries in turn until it has
/// enough. Compiling a plan costs more than running it.
const PLAN: &str = "SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off; \
     SET LOCAL enable_indexonlyscan = off; SET LOCAL max_parallel_workers_per_gather = 0; \
     SET LOCAL jit = off; SET LOCAL work_mem = '32MB'";

/// Days from now to the end of each window but the last.
const WINDOW_DAYS: [i64; 3] = [3, 24, 192];

const DAY_SECONDS: i64 = 86_400;

macro_rules! bounds {
    () => {
        " c.start_at >= $1 AND c.start_at < $2 AND c.start_local >= $3 AND c.start_local < $4 AND c.effective_end > $5 "
    };
}

/// Counts the entries found, one more than are answered, and chooses the page among them.
macro_rules! page {
    ($found:expr) => {
        concat!(
            "WITH found AS MATERIALIZED (SELECT c.event_id, c.start_at FROM catalogue_entries c WHERE",
            bounds!(),
            $found,
            " LIMIT $6), page AS (SELECT event_id, start_at FROM found ORDER BY start_at, event_id LIMIT $7 OFFSET $8) \
             SELECT (SELECT count(*) FROM found) AS matches, page.event_id FROM (SELECT 1) one LEFT JOIN page ON TRUE \
             ORDER BY page.start_at, page.event_id"
        )
    };
}

const BY_WORDS: &str = page!("AND c.words @@ CAST(CAST($9 AS text) AS tsquery)");

const BY_START: &str = page!("ORDER BY c.start_at, c.event_id");

const IN_WINDOW: &str = concat!(
    "SELECT c.event_id FROM catalogue_entries c WHERE",
    bounds!(),
    "AND c.words @@ CAST(CAST($7 AS text) AS tsquery) ORDER BY c.start_at, c.event_id LIMIT $6"
);

/// A page of what matches, and how many do, up to one more than [`MOST_MATCHES`].
pub(super) async fn page(
    connection: &mut Connection,
    filter: &CatalogueFilter,
    now: Instant,
    limit: i64,
    offset: i64,
) -> Result<MatchPage, Error> {
    let Some(words) = expression(filter) else {
        let query = query(BY_START, &filter.starts, now, i64::from(MOST_MATCHES) + 1);
        let rows = query.bind(limit).bind(offset).fetch_all(connection).await?;
        return search::read_page(&rows);
    };
    let mut transaction = connection.begin().await?;
    sqlx::raw_sql(PLAN).execute(&mut *transaction).await?;
    let query = query(BY_WORDS, &filter.starts, now, i64::from(MOST_MATCHES) + 1);
    let query = query.bind(limit).bind(offset).bind(&words);
    let mut page = search::read_page(&query.fetch_all(&mut *transaction).await?)?;
    if page.matches > i64::from(MOST_MATCHES) {
        // Of so many matches only some were read, and not the first ones.
        page.events = first_matches(&mut transaction, filter, &words, now, limit, offset).await?;
    }
    transaction.commit().await?;
    Ok(page)
}

/// A statement with the parameters that all have.
fn query<'q>(
    statement: &'static str,
    starts: &Starts,
    now: Instant,
    most: i64,
) -> sqlx::query::Query<'q, Db, sqlx::postgres::PgArguments> {
    sqlx::query::<Db>(statement)
        .bind(starts.from_at.micros())
        .bind(starts.before_at.micros())
        .bind(starts.from_local.micros())
        .bind(starts.before_local.micros())
        .bind(now.micros())
        .bind(most)
}

/// The page of the first matches.
async fn first_matches(
    connection: &mut Connection,
    filter: &CatalogueFilter,
    words: &str,
    now: Instant,
    limit: i64,
    offset: i64,
) -> Result<Vec<EventId>, Error> {
    let mut found = Vec::new();
    let wanted = usize::try_from(offset + limit).unwrap_or_default();
    for window in windows(filter.starts, now) {
        let left = wanted.saturating_sub(found.len());
        if left == 0 {
            break;
        }
        let most = i64::try_from(left).unwrap_or(i64::MAX);
        let query = query(IN_WINDOW, &window, now, most).bind(words);
        for row in query.fetch_all(&mut *connection).await? {
            let id: Uuid = row.try_get("event_id")?;
            found.push(EventId::new(id));
        }
    }
    let before = usize::try_from(offset).unwrap_or_default();
    Ok(found.into_iter().skip(before).collect())
}

/// The bounds of a search, divided at some times.
fn windows(starts: Starts, now: Instant) -> Vec<Starts> {
    let begin = starts.from_at.max(now);
    let ends = WINDOW_DAYS.map(|days| begin.plus_seconds(days * DAY_SECONDS));
    let mut windows = Vec::new();
    let mut from_at = starts.from_at;
    for end in ends.into_iter().chain([starts.before_at]) {
        let before_at = end.min(starts.before_at);
        if from_at < before_at {
            windows.push(Starts {
                from_at,
                before_at,
                ..starts
            });
            from_at = before_at;
        }
    }
    windows
}

/// The words as text of the type tsquery. They contain letters and digits only, so quoted they are nothing but words.
fn expression(filter: &CatalogueFilter) -> Option<String> {
    let terms = filter.terms.iter().map(|term| {
        if !term.is_prefix {
            return format!("'{}'", term.text);
        }
        if term.text.chars().count() <= entries::SHORT_PREFIX {
            return format!("'{}'", entries::short_prefix(&term.text));
        }
        format!("'{}':*", term.text)
    });
    let city = filter
        .city
        .iter()
        .map(|city| format!("'{}'", city_word(city)));
    let all: Vec<String> = terms.chain(city).collect();
    (!all.is_empty()).then(|| all.join(" & "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn windows_cover_the_bounds_without_a_gap() {
        let day = |days: i64| NOW.plus_seconds(days * DAY_SECONDS);
        let until = |from_at, before_at| Starts {
            from_at,
            before_at,
            ..Starts::default()
        };
        let any = Starts::default();
        for (starts, ends) in [
            (any, vec![day(3), day(24), day(192), any.before_at]),
            (until(day(100), day(101)), vec![day(101)]),
            (until(day(-9), day(10)), vec![day(3), day(10)]),
            (until(day(1), day(1)), vec![]),
        ] {
            let windows = windows(starts, NOW);
            let found: Vec<Instant> = windows.iter().map(|window| window.before_at).collect();
            assert_eq!(found, ends);
            let mut from_at = starts.from_at;
            for window in windows {
                assert_eq!(window.from_at, from_at);
                from_at = window.before_at;
            }
        }
    }
}
