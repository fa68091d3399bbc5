//! An account's own events: lists of them, and deleting one.

use std::sync::OnceLock;

use sqlx::{Arguments as _, Row as _, query::Query};
use uuid::Uuid;

use super::{
    Arguments, Connection, Db, Row, entries,
    events::{Columns, counter_columns, event_columns, read_all},
};
use crate::{
    domain::{
        cursor::Place,
        event::{Event, ListedEvent},
        ids::{AccountId, EventId},
        instant::Instant,
        registration::Counters,
    },
    storage::{Error, EventFilter, FirstEvents, MyEventsFilter},
};

/// Events that take longer are few, and in an index of their own (migration 0038, which has the number, too). All others that are not over
/// began within this time, so they are found by their starts, however many an account has that are over or still to come.
const LONG_MICROS: i64 = 3 * 24 * 3_600 * 1_000_000;

/// What begins in the first range of places, and in the second, in an account `$1`.
const IN_RANGE: &str =
    "e.account_id = $1 AND (e.start_at, e.id) > ($3, $4) AND (e.start_at, e.id) < ($5, $6)";
const IN_SECOND_RANGE: &str =
    "e.account_id = $1 AND (e.start_at, e.id) > ($8, $9) AND (e.start_at, e.id) < ($10, $11)";

/// By which a page's rows are found from an index.
const ROW: &str = row!();

/// At `$2`.
const IS_ACTIVE: &str = "e.is_cancelled = FALSE AND e.effective_end > $2";

const IS_LONG: &str = "e.effective_end - e.start_at > 259200000000";

/// Places between two others, which are excluded.
#[derive(Clone, Copy)]
struct Range {
    after: Place,
    before: Place,
}

impl Range {
    const ALL: Self = Self {
        after: Place {
            key: i64::MIN,
            id: Uuid::nil(),
        },
        before: Place {
            key: i64::MAX,
            id: Uuid::max(),
        },
    };

    /// Starts that a filter asks for.
    fn of(filter: &MyEventsFilter) -> Self {
        Self::ALL
            .from(filter.starts.from_at.micros())
            .to(filter.starts.before_at.micros())
    }

    /// Only starts from that moment.
    fn from(self, micros: i64) -> Self {
        self.after(Place {
            key: micros.saturating_sub(1),
            id: Uuid::max(),
        })
    }

    /// Only starts before that moment.
    fn to(self, micros: i64) -> Self {
        self.before(Place {
            key: micros,
            id: Uuid::nil(),
        })
    }

    fn after(self, after: Place) -> Self {
        let place = |place: &Place| (place.key, place.id);
        let after = [self.after, after].into_iter().max_by_key(place);
        Self {
            after: after.unwrap_or(self.after),
            ..self
        }
    }

    fn before(self, before: Place) -> Self {
        let place = |place: &Place| (place.key, place.id);
        let before = [self.before, before].into_iter().min_by_key(place);
        Self {
            before: before.unwrap_or(self.before),
            ..self
        }
    }
}

/// The text of a statement for each form of a filter. Each is made once: to make one takes as long as to read some events.
struct Texts([OnceLock<String>; FORMS]);

/// The statuses, each with and without a text and bounds in wall time.
const FORMS: usize = 12;

impl Texts {
    const fn new() -> Self {
        Self([const { OnceLock::new() }; FORMS])
    }

    fn of(&'static self, filter: &MyEventsFilter, make: impl FnOnce() -> String) -> &'static str {
        let status = match filter.status {
            EventFilter::Active => 0,
            EventFilter::Past => 1,
            EventFilter::All => 2,
        };
        let has_text = usize::from(filter.text.is_some());
        let has_bounds = usize::from(filter.starts.bounds_wall_time());
        let text = self.0.get(4 * status + 2 * has_text + has_bounds);
        text.expect("it is one of the forms").get_or_init(make)
    }
}

/// How many events a part of a statement finds at most: as many as a page has, or as many as are counted.
#[derive(Clone, Copy)]
enum Limit {
    Page,
    Count,
}

impl Limit {
    const fn parameter(self) -> &'static str {
        match self {
            Self::Page => "$7",
            Self::Count => "$15",
        }
    }
}

/// The places of an account's events that a filter matches: active ones in ascending order, others in descending order. The text differs by
/// the filter, so that a plan for all values suits each.
fn places(filter: &MyEventsFilter, limit: Limit) -> String {
    let (others, limit) = (others(filter), limit.parameter());
    let part = |index: &str, conditions: &str, order: &str| {
        format!(
            "SELECT * FROM (SELECT e.id, e.start_at, e.{ROW} AS event_row FROM events e{index} WHERE {conditions}{others} \
             ORDER BY e.start_at {order}, e.id {order} LIMIT {limit}) part"
        )
    };
    match filter.status {
        EventFilter::All => part("", IN_RANGE, "DESC"),
        EventFilter::Past => part("", &format!("{IN_RANGE} AND e.effective_end <= $2"), "DESC"),
        EventFilter::Active => {
            let soon = part("", &format!("{IN_RANGE} AND {IS_ACTIVE}"), "ASC");
            let long = part(
                indexed_by_length!(),
                &format!("{IN_SECOND_RANGE} AND {IS_ACTIVE} AND {IS_LONG}"),
                "ASC",
            );
            format!("{soon} UNION ALL {long}")
        }
    }
}

/// The values of all parameters that [`places`] may have.
fn arguments(
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    range: Range,
    page: i64,
    count: i64,
) -> Result<Arguments, Error> {
    let recent = now.micros().saturating_sub(LONG_MICROS);
    let [first, second] = match filter.status {
        EventFilter::All => [range, range],
        // An event that has ended has begun.
        EventFilter::Past => [range.to(now.micros().saturating_add(1)), range],
        EventFilter::Active => [range.from(recent + 1), range.to(recent + 1)],
    };
    let mut arguments = Arguments::default();
    let mut add = || {
        arguments.add(account.uuid())?;
        arguments.add(now.micros())?;
        add_range(&mut arguments, first)?;
        arguments.add(page)?;
        add_range(&mut arguments, second)?;
        arguments.add(filter.folded_text())?;
        // Writing them takes longer than all else here, and few statements look at them.
        let starts = Some(&filter.starts).filter(|starts| starts.bounds_wall_time());
        arguments.add(starts.map(|starts| starts.from_local.to_utc().to_string()))?;
        arguments.add(starts.map(|starts| starts.before_local.to_utc().to_string()))?;
        arguments.add(count)
    };
    add().map_err(Error::Internal)?;
    Ok(arguments)
}

fn add_range(arguments: &mut Arguments, range: Range) -> Result<(), sqlx::error::BoxDynError> {
    arguments.add(range.after.key)?;
    arguments.add(range.after.id)?;
    arguments.add(range.before.key)?;
    arguments.add(range.before.id)
}

/// The conditions for a text and for starts in wall time, as far as they are asked for.
fn others(filter: &MyEventsFilter) -> String {
    let mut others = String::new();
    if filter.text.is_some() {
        others.push_str(concat!(" AND ", position!(), "(e.search_text, $12) > 0"));
    }
    if filter.starts.bounds_wall_time() {
        others.push_str(" AND e.start_local >= $13 AND e.start_local < $14");
    }
    others
}

/// What lists show. [`read_listed`] reads it in this order.
const LISTED: &str = "e.id, e.slug, e.title, e.start_at, e.start_local, e.max_capacity, e.is_published, e.is_cancelled, \
     c.confirmed + c.pending + c.waitlisted";

/// How many columns `LISTED` has.
const LISTED_COLUMNS: usize = 9;

fn read_listed(row: &Row) -> Result<ListedEvent, Error> {
    let columns = &mut Columns { row, next: 0 };
    Ok(ListedEvent {
        id: EventId::new(columns.read()?),
        slug: columns.read()?,
        title: columns.read()?,
        start: columns.time()?,
        max_capacity: columns.read()?,
        is_published: columns.read()?,
        is_cancelled: columns.read()?,
        registrations: columns.read()?,
    })
}

fn read_all_listed(rows: &[Row]) -> Result<Vec<ListedEvent>, Error> {
    rows.iter().map(read_listed).collect()
}

/// A statement for these columns of the events of a page, after a place. With `most` its rows have the number of all that match behind
/// them, up to it. `texts` are those of these columns, with the number or without it.
fn page(
    (texts, columns): (&'static Texts, &str),
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    after: Option<Place>,
    limit: i64,
    most: Option<i64>,
) -> Result<Query<'static, Db, Arguments>, Error> {
    let range = Range::of(filter);
    let (range, order) = match filter.status {
        EventFilter::Active => (after.map_or(range, |place| range.after(place)), ""),
        _ => (after.map_or(range, |place| range.before(place)), " DESC"),
    };
    let arguments = arguments(account, filter, now, range, limit, most.unwrap_or(0))?;
    let text = texts.of(filter, || {
        let (with, found, total) = paged(filter, most.is_some());
        format!(
            "{with}SELECT {columns}{total} FROM (SELECT * FROM {found} ORDER BY start_at{order}, id{order} LIMIT $7) page \
             JOIN events e ON e.{ROW} = page.event_row JOIN event_counters c ON c.event_id = page.id \
             ORDER BY page.start_at{order}, page.id{order}"
        )
    });
    Ok(sqlx::query_with(text, arguments))
}

/// What a page is chosen from, with a part of the statement before it, and the column of the number of all that match.
fn paged(filter: &MyEventsFilter, is_counted: bool) -> (String, String, String) {
    let page = format!("({}) found", places(filter, Limit::Page));
    if !is_counted {
        return (String::new(), page, String::new());
    }
    let counted = places(filter, Limit::Count);
    if filter.text.is_some() {
        // Each text is looked at once, so the page is chosen among what is counted.
        let with = format!("WITH found AS MATERIALIZED ({counted}) ");
        let total = ", (SELECT count(*) FROM found)";
        return (with, "found".to_owned(), total.to_owned());
    }
    // Counting in an index takes less time than remembering what is counted.
    let total = format!(", (SELECT count(*) FROM ({counted}) counted)");
    (String::new(), page, total)
}

pub(in crate::storage) async fn list_account_events(
    connection: &mut Connection,
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<ListedEvent>, Error> {
    static TEXTS: Texts = Texts::new();
    let statement = page((&TEXTS, LISTED), account, filter, now, after, limit, None)?;
    read_all_listed(&statement.fetch_all(connection).await?)
}

pub(in crate::storage) async fn list_whole_events(
    connection: &mut Connection,
    account: AccountId,
    now: Instant,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<(Event, Counters)>, Error> {
    static TEXTS: Texts = Texts::new();
    let (all, columns) = (
        EventFilter::All.into(),
        concat!(event_columns!(), ", ", counter_columns!()),
    );
    let statement = page((&TEXTS, columns), account, &all, now, after, limit, None)?;
    read_all(&statement.fetch_all(connection).await?)
}

/// Both by one statement, which is one way to the server.
pub(in crate::storage) async fn list_and_count_account_events(
    connection: &mut Connection,
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    limit: i64,
    most: i64,
) -> Result<FirstEvents, Error> {
    static TEXTS: Texts = Texts::new();
    let texts = (&TEXTS, LISTED);
    // What is counted has the page in it.
    let counted = Some(most.max(limit));
    let statement = page(texts, account, filter, now, None, limit, counted)?;
    let rows = statement.fetch_all(connection).await?;
    let Some(first) = rows.first() else {
        return Ok(FirstEvents::default());
    };
    let columns = &mut Columns {
        row: first,
        next: LISTED_COLUMNS,
    };
    Ok(FirstEvents {
        count: most.min(columns.read()?),
        events: read_all_listed(&rows)?,
    })
}

/// Up to `most`, so that the time is bounded however many match.
pub(in crate::storage) async fn count_account_events(
    connection: &mut Connection,
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    most: i64,
) -> Result<i64, Error> {
    static TEXTS: Texts = Texts::new();
    let arguments = arguments(account, filter, now, Range::of(filter), most, most)?;
    let text = TEXTS.of(filter, || {
        let found = places(filter, Limit::Count);
        format!("SELECT count(*) AS total FROM ({found}) found")
    });
    let row = sqlx::query_with::<Db, _>(text, arguments);
    let row = row.fetch_one(connection).await?;
    let total: i64 = row.try_get("total")?;
    Ok(total.min(most))
}

/// Up to `most`.
pub(in crate::storage) async fn count_active_events(
    connection: &mut Connection,
    account: AccountId,
    now: Instant,
    most: i64,
) -> Result<i64, Error> {
    count_account_events(connection, account, &EventFilter::Active.into(), now, most).await
}

/// What refers to an event comes before the event itself.
pub(in crate::storage) async fn delete_event(
    connection: &mut Connection,
    event: EventId,
) -> Result<(), Error> {
    entries::remove(&mut *connection, &[event]).await?;
    for statement in [
        "DELETE FROM jobs WHERE kind IN ('stock_cover', 'event_announcement') AND subject_id = $1",
        "DELETE FROM stock_covers WHERE event_id = $1",
        "DELETE FROM former_times WHERE event_id = $1",
        "DELETE FROM event_counters WHERE event_id = $1",
    ] {
        sqlx::query::<Db>(statement)
            .bind(event.uuid())
            .execute(&mut *connection)
            .await?;
    }
    let done = sqlx::query::<Db>("DELETE FROM events WHERE id = $1 AND live = FALSE")
        .bind(event.uuid())
        .execute(connection)
        .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(Error::Missing("draft")),
    }
}
