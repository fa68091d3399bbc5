//! Which entries match a search.
//!
//! GIN finds entries in no order. So all matches are read, up to one more than are counted, and sorted. If there are more, those that were
//! read are some of them. The page of all of them begins no later than the same page of some, so it is looked for up to there: first among
//! the few earliest, by how many more matches there seem to be, then among more and more.

use domain::{
    catalogue::{CatalogueFilter, MAX_MATCHES, Starts},
    ids::EventId,
    instant::Instant,
};

use super::{SHORT_PREFIX, day, day_word, short_prefix};
use crate::{
    Error, Reads,
    queries::search::page_of,
    sql::{Fragment, sql},
    values::{MatchPage, city_word, corrupt, organizer_word, series_word},
};

/// If a page is not among the matches up to some start, so many times more of them are looked at.
const TIMES_AS_MANY: usize = 4;

/// Starts within so many days are looked for by their days, too: then a word's entries on other days are skipped, of which a frequent word
/// has hundreds of thousands.
const MAX_DAYS: i64 = 40;

/// With `$6`, what is going on is in bounds as well, once the clocks at the event show a time after the first start. The first condition is
/// one that an index can use.
const IN_BOUNDS: Fragment = Fragment::new(
    "c.start_at >= CASE WHEN $6 THEN 0 ELSE $1 END AND (c.start_at >= $1 AND c.start_local >= $3 \
     OR $6 AND c.start_at <= $5 AND $5 >= $1 AND $5 + c.start_local - c.start_at >= $3) \
     AND c.start_at < $2 AND c.start_local < $4 AND c.effective_end > $5",
);

/// Chooses the page among the entries found.
const PAGE: Fragment = Fragment::new(
    "page AS (SELECT event_id, start_at FROM found ORDER BY start_at, event_id LIMIT $8 OFFSET $9)",
);

/// The number of the entries found, one more than are answered, and a page of their events.
const MATCHES: Fragment = Fragment::new("(SELECT count(*) FROM found), page.event_id");

const FROM_PAGE: Fragment = Fragment::new(
    "FROM (SELECT 1) one LEFT JOIN page ON TRUE ORDER BY page.start_at, page.event_id",
);

/// Millionths of the table, of which the part was read to find the entries.
const MILLION: f64 = 1e6;

impl Reads {
    /// Returns a page of what matches, and how many do, up to one more than [`MAX_MATCHES`]. It runs in a transaction.
    pub(in crate::queries) async fn gin_page(
        &self,
        filter: &CatalogueFilter,
        now: Instant,
        limit: i64,
        offset: i64,
    ) -> Result<MatchPage, Error> {
        let (starts, max) = (&filter.starts, i64::from(MAX_MATCHES) + 1);
        let Some(words) = expression(filter) else {
            let statement = sql!(
                "WITH found AS MATERIALIZED (SELECT c.event_id, c.start_at FROM catalogue_entries c WHERE {} \
                 ORDER BY c.start_at, c.event_id LIMIT $7), {} SELECT {} {}",
                IN_BOUNDS,
                PAGE,
                MATCHES,
                FROM_PAGE,
            );
            let values = (
                starts.from_at,
                starts.before_at,
                starts.from_local,
                starts.before_local,
                now,
                filter.running,
                max,
                limit,
                offset,
            );
            return Ok(page_of(self.all(statement, values).await?));
        };
        self.prepare_search().await?;
        // The first row has the starts of the entries found, too, and what part of the table was read to find them.
        let statement = sql!(
            "WITH found AS MATERIALIZED (SELECT c.event_id, c.start_at, c.ctid FROM catalogue_entries c WHERE {} \
             AND c.words @@ CAST(CAST($10 AS text) AS tsquery) LIMIT $7), {} SELECT {}, \
             CASE row_number() OVER (ORDER BY page.start_at, page.event_id) \
                 WHEN 1 THEN (SELECT string_agg(CAST(start_at AS text), ',' ORDER BY start_at) FROM found) END, \
             (SELECT CAST(1000000 * ((CAST(CAST(max(ctid) AS text) AS point))[0] + 1) AS bigint) FROM found) \
                 / (pg_relation_size('catalogue_entries') / current_setting('block_size')::bigint) {}",
            IN_BOUNDS,
            PAGE,
            MATCHES,
            FROM_PAGE,
        );
        let values = (
            starts.from_at,
            starts.before_at,
            starts.from_local,
            starts.before_local,
            now,
            filter.running,
            max,
            limit,
            offset,
            &words,
        );
        let found: Vec<FoundByWords> = self.all(statement, values).await?;
        let bounds = match found.first() {
            Some((matches, _, Some(starts), Some(part))) if *matches > i64::from(MAX_MATCHES) => {
                Some(bounds(starts, *part, offset + limit)?)
            }
            _ => None,
        };
        let rows = found
            .into_iter()
            .map(|(matches, event, ..)| (matches, event));
        let mut page = page_of(rows.collect());
        if let Some(bounds) = bounds {
            // Of so many matches only some were read, and not the first ones.
            page.events = self
                .page_up_to(filter, &words, now, &bounds, limit, offset)
                .await?;
        }
        Ok(page)
    }

    /// Makes PostgreSQL choose the plan by the words. It guesses how many entries have a word: if it guesses too many, it would rather read
    /// all entries in turn until it has enough.
    async fn prepare_search(&self) -> Result<(), Error> {
        let statement = sql!(
            "SELECT set_config('enable_indexscan', 'off', true) || set_config('enable_indexonlyscan', 'off', true) \
             || set_config('plan_cache_mode', 'force_custom_plan', true) || set_config('work_mem', '32MB', true)"
        );
        let _settings: String = self.one(statement, ()).await?;
        Ok(())
    }

    /// Returns the page among all matches.
    async fn page_up_to(
        &self,
        filter: &CatalogueFilter,
        words: &str,
        now: Instant,
        bounds: &[Instant],
        limit: i64,
        offset: i64,
    ) -> Result<Vec<EventId>, Error> {
        let statement = sql!(
            "SELECT c.event_id FROM catalogue_entries c WHERE {} AND c.words @@ CAST(CAST($9 AS text) AS tsquery) \
             ORDER BY c.start_at, c.event_id LIMIT $7 OFFSET $8",
            IN_BOUNDS,
        );
        let whole = usize::try_from(limit).unwrap_or_default();
        let starts = &filter.starts;
        let mut page: Vec<EventId> = Vec::new();
        for bound in bounds {
            if page.len() == whole {
                break;
            }
            let before_at = Instant::from_micros(bound.micros().saturating_add(1));
            let values = (
                starts.from_at,
                before_at,
                starts.from_local,
                starts.before_local,
                now,
                filter.running,
                limit,
                offset,
                words,
            );
            page = self.all(statement, values).await?;
        }
        Ok(page)
    }
}

/// The number of matches, an event of the page, and in the first row the starts of all matches, and what millionths of the table were read.
type FoundByWords = (i64, Option<EventId>, Option<String>, Option<i64>);

/// Returns the starts up to which the page that ends after so many matches is looked for. It may end before each of them, and does before
/// the last.
#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate, of at most some millions"
)]
fn bounds(starts: &str, part: i64, end: i64) -> Result<Vec<Instant>, Error> {
    let starts: Vec<i64> = starts
        .split(',')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| corrupt("start", starts))?;
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    Ok(positions(end, part as f64 / MILLION, starts.len())
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
fn positions(wanted: usize, part: f64, found: usize) -> impl Iterator<Item = usize> {
    let last = wanted.min(found).saturating_sub(1);
    let expected = wanted.min(found) as f64 * part.clamp(0.0, 1.0);
    let first = (expected + 4.0 * expected.sqrt()) as usize + 1;
    std::iter::successors(Some(first.min(last)), move |place| {
        (*place < last).then(|| (place * TIMES_AS_MANY).min(last))
    })
}

/// The words as text of the type tsquery. They contain letters and digits only, so quoted they are nothing but words.
fn expression(filter: &CatalogueFilter) -> Option<String> {
    let terms = filter.terms.iter().map(|term| {
        if !term.is_prefix {
            return format!("'{}'", term.text);
        }
        if term.text.chars().count() <= SHORT_PREFIX {
            return format!("'{}'", short_prefix(&term.text));
        }
        format!("'{}':*", term.text)
    });
    let city = filter
        .city
        .iter()
        .map(|city| format!("'{}'", city_word(city)));
    let organizer = filter
        .organizer
        .map(|account| format!("'{}'", organizer_word(account)));
    let series = filter
        .series
        .map(|series| format!("'{}'", series_word(series)));
    let all: Vec<String> = terms.chain(city).chain(organizer).chain(series).collect();
    if all.is_empty() {
        return None;
    }
    // What is going on may have begun on any day.
    let days = days(&filter.starts).filter(|_| !filter.running).into_iter();
    Some(all.into_iter().chain(days).collect::<Vec<_>>().join(" & "))
}

/// That a start is on one of the days between the bounds, if they are few.
fn days(starts: &Starts) -> Option<String> {
    let last = Instant::from_micros(starts.before_at.micros().saturating_sub(1));
    let (first, last) = (day(starts.from_at), day(last));
    if !(0..MAX_DAYS).contains(&last.saturating_sub(first)) {
        return None;
    }
    let days = (first..=last).map(|day| format!("'{}'", day_word(day)));
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
        let some = |wanted, part, found| positions(wanted, part, found).collect::<Vec<_>>();
        assert_eq!(some(10_000, 0.01, 10_001), [141, 564, 2_256, 9_024, 9_999]);
        assert_eq!(some(50, 0.01, 10_001), [4, 16, 49]);
        assert_eq!(some(10_000, 1.0, 10_001), [9_999]);
        assert_eq!(some(1, 0.5, 10_001), [0]);
    }

    #[test]
    fn few_days_are_named_and_many_are_not() {
        assert_eq!(between(1, 24).as_deref(), Some("('@0')"));
        assert_eq!(between(-1, 25).as_deref(), Some("('@-1' | '@0' | '@1')"));
        assert!(between(0, 24 * MAX_DAYS).is_some());
        assert_eq!(between(0, 24 * MAX_DAYS + 1), None);
        assert_eq!(between(24, 24), None, "nothing lies between them");
        assert_eq!(days(&Starts::default()), None);
    }
}
