//! Which entries match a search.
//!
//! GIN finds entries in no order. So all matches are read, up to one more than are counted, and sorted. If there are more, those that were
//! read are some of them. The page of all of them begins no later than the same page of some, so it is looked for up to there: first among
//! the few earliest, by how many more matches there seem to be, then among more and more.

use sqlx::{Connection as _, Row as _};
use uuid::Uuid;

use super::{Connection, Db, Row, entries, search};
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
/// enough. The best plan depends on the words, so it is made for each search.
const PLAN: &str = "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; \
     SET LOCAL plan_cache_mode = 'force_custom_plan'; SET LOCAL work_mem = '32MB'";

/// If a page is not among the matches up to some start, so many times more of them are looked at.
const TIMES_AS_MANY: usize = 4;

/// Starts within so many days are looked for by their days, too: then a word's entries on other days are skipped, of which a frequent word
/// has hundreds of thousands.
const MOST_DAYS: i64 = 40;

macro_rules! bounds {
    () => {
        " c.start_at >= $1 AND c.start_at < $2 AND c.start_local >= $3 AND c.start_local < $4 AND c.effective_end > $5 "
    };
}

/// Counts the entries found, one more than are answered, and chooses the page among them.
macro_rules! page {
    ($found:expr, $more:expr) => {
        concat!(
            "WITH found AS MATERIALIZED (SELECT c.event_id, c.start_at, c.ctid FROM catalogue_entries c WHERE",
            bounds!(),
            $found,
            " LIMIT $6), page AS (SELECT event_id, start_at FROM found ORDER BY start_at, event_id LIMIT $7 OFFSET $8) \
             SELECT (SELECT count(*) FROM found) AS matches, ",
            $more,
            "page.event_id FROM (SELECT 1) one LEFT JOIN page ON TRUE ORDER BY page.start_at, page.event_id"
        )
    };
}

/// Its first row has the starts of the entries found, too, and what part of the table was read to find them.
const BY_WORDS: &str = page!(
    "AND c.words @@ CAST(CAST($9 AS text) AS tsquery)",
    "CASE row_number() OVER (ORDER BY page.start_at, page.event_id) \
         WHEN 1 THEN (SELECT array_agg(start_at ORDER BY start_at) FROM found) END AS starts, \
     (SELECT (CAST(CAST(max(ctid) AS text) AS point))[0] + 1 FROM found) \
         / (pg_relation_size('catalogue_entries') / current_setting('block_size')::bigint) AS part, "
);

const BY_START: &str = page!("ORDER BY c.start_at, c.event_id", "");

const UP_TO: &str = concat!(
    "SELECT c.event_id FROM catalogue_entries c WHERE",
    bounds!(),
    "AND c.words @@ CAST(CAST($8 AS text) AS tsquery) ORDER BY c.start_at, c.event_id LIMIT $6 OFFSET $7"
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
    let rows = query(BY_WORDS, &filter.starts, now, i64::from(MOST_MATCHES) + 1)
        .bind(limit)
        .bind(offset)
        .bind(&words)
        .fetch_all(&mut *transaction)
        .await?;
    let mut page = search::read_page(&rows)?;
    if page.matches > i64::from(MOST_MATCHES) {
        // Of so many matches only some were read, and not the first ones.
        let starts = bounds(&rows, offset + limit)?;
        page.events = page_up_to(
            &mut transaction,
            filter,
            &words,
            now,
            &starts,
            limit,
            offset,
        )
        .await?;
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

/// The starts up to which the page that ends after so many matches is looked for. It may end before each of them, and does before the last.
fn bounds(rows: &[Row], end: i64) -> Result<Vec<Instant>, Error> {
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let starts: Vec<i64> = first.try_get("starts")?;
    let part: f64 = first.try_get("part")?;
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    Ok(places(end, part, starts.len())
        .filter_map(|place| starts.get(place))
        .map(|start| Instant::from_micros(*start))
        .collect())
}

/// Places in the order of those found, of which all matches up to there are probably as many as wanted; they surely are at the last one.
/// Those found are as many of all as the part of the table that was read. What is rare comes by chance, so there is some more at first.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "an estimate, of at most some thousands"
)]
fn places(wanted: usize, part: f64, found: usize) -> impl Iterator<Item = usize> {
    let last = wanted.min(found).saturating_sub(1);
    let expected = wanted.min(found) as f64 * part.clamp(0.0, 1.0);
    let first = (expected + 4.0 * expected.sqrt()) as usize + 1;
    std::iter::successors(Some(first.min(last)), move |place| {
        (*place < last).then(|| (place * TIMES_AS_MANY).min(last))
    })
}

/// The page among all matches.
async fn page_up_to(
    connection: &mut Connection,
    filter: &CatalogueFilter,
    words: &str,
    now: Instant,
    bounds: &[Instant],
    limit: i64,
    offset: i64,
) -> Result<Vec<EventId>, Error> {
    let whole = usize::try_from(limit).unwrap_or_default();
    let mut page = Vec::new();
    for bound in bounds {
        if page.len() == whole {
            break;
        }
        let starts = Starts {
            before_at: Instant::from_micros(bound.micros().saturating_add(1)),
            ..filter.starts
        };
        let query = query(UP_TO, &starts, now, limit).bind(offset).bind(words);
        let rows = query.fetch_all(&mut *connection).await?;
        page = rows
            .iter()
            .map(|row| Ok(EventId::new(row.try_get::<Uuid, _>("event_id")?)))
            .collect::<Result<_, Error>>()?;
    }
    Ok(page)
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
    if all.is_empty() {
        return None;
    }
    let days = days(&filter.starts).into_iter();
    Some(all.into_iter().chain(days).collect::<Vec<_>>().join(" & "))
}

/// That a start is on one of the days between the bounds, if they are few.
fn days(starts: &Starts) -> Option<String> {
    let last = Instant::from_micros(starts.before_at.micros().saturating_sub(1));
    let (first, last) = (entries::day(starts.from_at), entries::day(last));
    if !(0..MOST_DAYS).contains(&last.saturating_sub(first)) {
        return None;
    }
    let days = (first..=last).map(|day| format!("'{}'", entries::day_word(day)));
    Some(format!("({})", days.collect::<Vec<_>>().join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(from: i64, before: i64) -> Option<String> {
        days(&Starts {
            from_at: Instant::from_micros(from * 3_600_000_000),
            before_at: Instant::from_micros(before * 3_600_000_000),
            ..Starts::default()
        })
    }

    #[test]
    fn pages_are_looked_for_near_where_they_should_end_and_then_further() {
        let some = |wanted, part, found| places(wanted, part, found).collect::<Vec<_>>();
        assert_eq!(some(10_000, 0.01, 10_001), [141, 564, 2_256, 9_024, 9_999]);
        assert_eq!(some(50, 0.01, 10_001), [4, 16, 49]);
        assert_eq!(some(10_000, 1.0, 10_001), [9_999]);
        assert_eq!(some(1, 0.5, 10_001), [0]);
    }

    #[test]
    fn few_days_are_named_and_many_are_not() {
        assert_eq!(between(1, 24).as_deref(), Some("('@0')"));
        assert_eq!(between(-1, 25).as_deref(), Some("('@-1' | '@0' | '@1')"));
        assert!(between(0, 24 * MOST_DAYS).is_some());
        assert_eq!(between(0, 24 * MOST_DAYS + 1), None);
        assert_eq!(between(24, 24), None, "nothing lies between them");
        assert_eq!(days(&Starts::default()), None);
    }
}
