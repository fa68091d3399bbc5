//! An account's own events: lists of them, and their number.

use domain::{
    cursor::Place,
    event::{Event, ListedEvent},
    ids::AccountId,
    instant::Instant,
    person::Reach,
    registration::Counters,
};
use uuid::Uuid;

use crate::{
    Error, EventFilter, FirstEvents, MyEventsFilter, Reads,
    record::{Record as _, record},
    sql::{Fragment, POSITION, ROW_ID, Sql, fragment, sql},
    statement::Values,
};

/// Events that take longer are few, and in an index of their own (migration 0038, which has the number, too). All others that are not over
/// began within this time, so they are found by their starts, however many an account has that are over or still to come.
const LONG_MICROS: i64 = 3 * 24 * 3_600 * 1_000_000;

record! {
    ListedEvent as e of "events" {
        id, slug, title,
        schedule { start_at, start_local, end_at, end_local, timezone },
        max_capacity, is_published, is_cancelled,
        registrations = "c.confirmed + c.pending + c.waitlisted + c.companions_confirmed + c.companions_pending + c.companions_waitlisted",
        confirmed = "c.confirmed",
        seats_taken = "c.confirmed + c.companions_confirmed",
        waitlisted = "c.waitlisted",
    }
}

/// What finds an event's row again, and what is enough to count it.
const ROW: Fragment = fragment!("e.id, e.start_at, e.{} AS event_row", ROW_ID);
const NUMBER: Fragment = Fragment::new("1");

/// The text and the starts in wall time, each of which may be null. All that is looked at is in the index.
const MATCHES: Fragment = fragment!(
    "($8 IS NULL OR {}(e.search_text, $8) > 0) AND ($9 IS NULL OR e.start_local >= $9) AND ($10 IS NULL OR e.start_local < $10)",
    POSITION,
);

/// Events of account `$1` in the first range of places, and long ones in the second. SQLite would read all of the account's events by
/// another index.
const OF_ACCOUNT: Fragment = fragment!(
    "events e WHERE e.account_id = $1 AND (e.start_at, e.id) > ($4, $5) AND (e.start_at, e.id) < ($6, $7) AND {}",
    MATCHES,
);
const LONG: Fragment = fragment!(
    "events e{} WHERE e.account_id = $1 AND (e.start_at, e.id) > ($11, $12) AND (e.start_at, e.id) < ($13, $14) \
     AND e.effective_end - e.start_at > 259200000000 AND {}",
    Fragment::per_dialect(" INDEXED BY events_long_of_owner", ""),
    MATCHES,
);

/// The dates of series `$15`. They are few.
const OF_SERIES: Fragment = fragment!("{} AND e.series_id = $15", OF_ACCOUNT);

/// The events of member `$16`, of a series if there is `$15`. They are few.
const OF_MEMBER: Fragment = fragment!(
    "{} AND ($15 IS NULL OR e.series_id = $15) \
     AND e.id IN (SELECT x.event_id FROM member_events x WHERE x.account_id = $1 AND x.person_id = $16)",
    OF_ACCOUNT,
);

/// Each status. Active events are neither cancelled nor over at `$2`.
const IS_ACTIVE: Fragment = Fragment::new("e.is_cancelled = FALSE AND e.effective_end > $2");
const IS_PAST: Fragment = Fragment::new("e.effective_end <= $2");
const HAS_ANY: Fragment = Fragment::new("TRUE");

/// The order of active events, and that of others.
const NEXT_FIRST: Fragment = Fragment::new("");
const LATEST_FIRST: Fragment = Fragment::new(" DESC");

/// The rows of what was chosen from an index.
const ROWS: Fragment = fragment!(
    "JOIN events e ON e.{} = page.event_row JOIN event_counters c ON c.event_id = page.id",
    ROW_ID,
);

/// Finds at most `$3` of some events with a status, in an order.
macro_rules! found {
    ($columns:expr, $events:expr, $status:expr, $order:expr) => {
        fragment!(
            "SELECT {} FROM {} AND {} ORDER BY e.start_at{}, e.id{} LIMIT $3",
            $columns,
            $events,
            $status,
            $order,
            $order,
        )
    };
}

/// Makes a statement for each set of events and each status, from the fragment that finds these columns of them and from their order.
macro_rules! by_filter {
    ($filter:expr, $columns:expr, |$found:ident, $order:ident| $statement:expr) => {
        if $filter.reach != Reach::Account {
            const ACTIVE: Fragment = found!($columns, OF_MEMBER, IS_ACTIVE, NEXT_FIRST);
            by_filter!($filter, $columns, OF_MEMBER, |$found, $order| $statement)
        } else if $filter.series.is_some() {
            const ACTIVE: Fragment = found!($columns, OF_SERIES, IS_ACTIVE, NEXT_FIRST);
            by_filter!($filter, $columns, OF_SERIES, |$found, $order| $statement)
        } else {
            const ACTIVE: Fragment = fragment!(
                "SELECT * FROM ({}) soon UNION ALL SELECT * FROM ({}) lengthy",
                found!($columns, OF_ACCOUNT, IS_ACTIVE, NEXT_FIRST),
                found!($columns, LONG, IS_ACTIVE, NEXT_FIRST),
            );
            by_filter!($filter, $columns, OF_ACCOUNT, |$found, $order| $statement)
        }
    };
    ($filter:expr, $columns:expr, $events:expr, |$found:ident, $order:ident| $statement:expr) => {
        match $filter.status {
            EventFilter::Active => by_filter!($found = ACTIVE, $order = NEXT_FIRST, $statement),
            EventFilter::Past => {
                const PAST: Fragment = found!($columns, $events, IS_PAST, LATEST_FIRST);
                by_filter!($found = PAST, $order = LATEST_FIRST, $statement)
            }
            EventFilter::All => {
                const ALL: Fragment = found!($columns, $events, HAS_ANY, LATEST_FIRST);
                by_filter!($found = ALL, $order = LATEST_FIRST, $statement)
            }
        }
    };
    ($found:ident = $fragment:ident, $order:ident = $direction:ident, $statement:expr) => {{
        const $found: Fragment = $fragment;
        const $order: Fragment = $direction;
        $statement.0
    }};
}

impl Reads {
    /// Returns an account's events after a place: active ones with the next start first, others with the latest first.
    pub async fn list_account_events(
        &self,
        account: AccountId,
        filter: &MyEventsFilter,
        now: Instant,
        after: Option<Place>,
        limit: i64,
    ) -> Result<Vec<ListedEvent>, Error> {
        let statement = by_filter!(filter, ROW, |FOUND, ORDER| sql!(
            "SELECT {} FROM (SELECT * FROM ({}) found ORDER BY start_at{}, id{} LIMIT $3) page {} \
             ORDER BY page.start_at{}, page.id{}",
            ListedEvent::COLUMNS,
            FOUND,
            ORDER,
            ORDER,
            ROWS,
            ORDER,
            ORDER,
        ));
        let values = values(account, filter, now, after, limit);
        self.all(Sql::<0>(statement), values).await
    }

    /// Returns all of an account's events with everything that is stored of them, after a place, the latest first.
    pub async fn list_whole_events(
        &self,
        account: AccountId,
        now: Instant,
        after: Option<Place>,
        limit: i64,
    ) -> Result<Vec<(Event, Counters)>, Error> {
        let statement = sql!(
            "SELECT {}, {} FROM ({}) page {} ORDER BY page.start_at DESC, page.id DESC",
            Event::COLUMNS,
            Counters::COLUMNS,
            found!(ROW, OF_ACCOUNT, HAS_ANY, LATEST_FIRST),
            ROWS,
        );
        let values = values(account, &EventFilter::All.into(), now, after, limit);
        self.all(statement, values).await
    }

    /// Returns the first of an account's events, and the number of all that match the filter, up to `most`.
    pub async fn list_and_count_account_events(
        &self,
        account: AccountId,
        filter: &MyEventsFilter,
        now: Instant,
        limit: i64,
        most: i64,
    ) -> Result<FirstEvents, Error> {
        if filter.text.is_none() {
            let events = self.list_account_events(account, filter, now, None, limit);
            let events = events.await?;
            let count = self.count_account_events(account, filter, now, most);
            let count = count.await?;
            return Ok(FirstEvents { events, count });
        }
        // Each text is looked at once, so the page is chosen among what is counted.
        let statement = by_filter!(filter, ROW, |FOUND, ORDER| sql!(
            "WITH found AS MATERIALIZED ({}) SELECT {}, (SELECT count(*) FROM found) \
             FROM (SELECT * FROM found ORDER BY start_at{}, id{} LIMIT $17) page {} ORDER BY page.start_at{}, page.id{}",
            FOUND,
            ListedEvent::COLUMNS,
            ORDER,
            ORDER,
            ROWS,
            ORDER,
            ORDER,
        ));
        let counted = values(account, filter, now, None, most.max(limit));
        let values = move |values: &mut Values| {
            counted(values);
            values.add(&limit);
        };
        let found: Vec<(ListedEvent, i64)> = self.all(Sql::<0>(statement), values).await?;
        let count = found.first().map_or(0, |(_, count)| most.min(*count));
        let events = found.into_iter().map(|(event, _)| event).collect();
        Ok(FirstEvents { events, count })
    }

    /// Returns the number of an account's events that match the filter, up to `most`, so that the time is bounded however many match.
    pub async fn count_account_events(
        &self,
        account: AccountId,
        filter: &MyEventsFilter,
        now: Instant,
        most: i64,
    ) -> Result<i64, Error> {
        let statement = by_filter!(filter, NUMBER, |FOUND, _ORDER| sql!(
            "SELECT count(*) FROM ({}) found",
            FOUND
        ));
        let values = values(account, filter, now, None, most);
        let count: i64 = self.one(Sql::<0>(statement), values).await?;
        Ok(count.min(most))
    }

    /// Returns the number of an account's events that are neither cancelled nor ended, up to `most`.
    pub async fn count_active_events(
        &self,
        account: AccountId,
        now: Instant,
        most: i64,
    ) -> Result<i64, Error> {
        let active = EventFilter::Active.into();
        self.count_account_events(account, &active, now, most).await
    }
}

/// Returns the values of all parameters that the statements above have.
fn values(
    account: AccountId,
    filter: &MyEventsFilter,
    now: Instant,
    after: Option<Place>,
    limit: i64,
) -> impl FnOnce(&mut Values) + use<> {
    let range = Range::of(filter);
    let range = match (filter.status, after) {
        (_, None) => range,
        (EventFilter::Active, Some(place)) => range.after(place),
        (_, Some(place)) => range.before(place),
    };
    let recent = now.micros().saturating_sub(LONG_MICROS);
    let [first, second] = match filter.status {
        EventFilter::All => [range, range],
        // Those of a series or of a member are looked at all.
        EventFilter::Active if filter.series.is_some() || filter.reach != Reach::Account => {
            [range, range]
        }
        // An event that has ended has begun.
        EventFilter::Past => [range.to(now.micros().saturating_add(1)), range],
        EventFilter::Active => [range.from(recent + 1), range.to(recent + 1)],
    };
    let text = filter.folded_text();
    let starts = Some(&filter.starts).filter(|starts| starts.bounds_wall_time());
    let from_local = starts.map(|starts| starts.from_local.to_utc());
    let before_local = starts.map(|starts| starts.before_local.to_utc());
    let (series, person) = (filter.series, filter.reach.person());
    move |values| {
        values.add(&account);
        values.add(&now);
        values.add(&limit);
        first.add_to(values);
        values.add(&text);
        values.add(&from_local);
        values.add(&before_local);
        second.add_to(values);
        values.add(&series);
        values.add(&person);
    }
}

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

    /// Returns the starts that a filter asks for.
    fn of(filter: &MyEventsFilter) -> Self {
        Self::ALL
            .from(filter.starts.from_at.micros())
            .to(filter.starts.before_at.micros())
    }

    /// Returns only starts from that moment.
    fn from(self, micros: i64) -> Self {
        self.after(Place {
            key: micros.saturating_sub(1),
            id: Uuid::max(),
        })
    }

    /// Returns only starts before that moment.
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

    fn add_to(self, values: &mut Values) {
        values.add(&self.after.key);
        values.add(&self.after.id);
        values.add(&self.before.key);
        values.add(&self.before.id);
    }
}
