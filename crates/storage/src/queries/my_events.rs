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

/// What finds an event's row again.
const ROW: Fragment = fragment!("e.id, e.start_at, e.{} AS event_row FROM events e", ROW_ID);

/// Names the index to read: SQLite would read all of the account's events by another one.
const BY_LENGTH: Fragment = Fragment::per_dialect(" INDEXED BY events_long_of_owner", "");

/// The first range of places in account `$1`, and the second.
const IN_RANGE: Fragment = Fragment::new(
    "e.account_id = $1 AND (e.start_at, e.id) > ($4, $5) AND (e.start_at, e.id) < ($6, $7)",
);
const IN_SECOND_RANGE: Fragment = Fragment::new(
    "e.account_id = $1 AND (e.start_at, e.id) > ($11, $12) AND (e.start_at, e.id) < ($13, $14) \
     AND e.effective_end - e.start_at > 259200000000",
);

/// Events that are neither cancelled nor over at `$2`.
const IS_ACTIVE: Fragment = Fragment::new("e.is_cancelled = FALSE AND e.effective_end > $2");

/// The text and the starts in wall time, each of which may be null. All that is looked at is in the index.
const MATCHES: Fragment = fragment!(
    "($8 IS NULL OR {}(e.search_text, $8) > 0) AND ($9 IS NULL OR e.start_local >= $9) AND ($10 IS NULL OR e.start_local < $10)",
    POSITION,
);

/// At most `$3` active events, with the next start first.
const ACTIVE: Fragment = fragment!(
    "SELECT * FROM (SELECT {} WHERE {} AND {} AND {} ORDER BY e.start_at, e.id LIMIT $3) soon UNION ALL \
     SELECT * FROM (SELECT {}{} WHERE {} AND {} AND {} ORDER BY e.start_at, e.id LIMIT $3) lengthy",
    ROW,
    IN_RANGE,
    IS_ACTIVE,
    MATCHES,
    ROW,
    BY_LENGTH,
    IN_SECOND_RANGE,
    IS_ACTIVE,
    MATCHES,
);

/// At most `$3` events that are over, the latest first.
const PAST: Fragment = fragment!(
    "SELECT {} WHERE {} AND e.effective_end <= $2 AND {} ORDER BY e.start_at DESC, e.id DESC LIMIT $3",
    ROW,
    IN_RANGE,
    MATCHES,
);

/// At most `$3` events, the latest first.
const ALL: Fragment = fragment!(
    "SELECT {} WHERE {} AND {} ORDER BY e.start_at DESC, e.id DESC LIMIT $3",
    ROW,
    IN_RANGE,
    MATCHES,
);

/// The dates of series `$15` with each status, in the same order. They are few.
const IS_OF_SERIES: Fragment = fragment!("{} AND e.series_id = $15 AND {}", IN_RANGE, MATCHES);
const ACTIVE_OF_SERIES: Fragment = fragment!(
    "SELECT {} WHERE {} AND {} ORDER BY e.start_at, e.id LIMIT $3",
    ROW,
    IS_OF_SERIES,
    IS_ACTIVE,
);
const PAST_OF_SERIES: Fragment = fragment!(
    "SELECT {} WHERE {} AND e.effective_end <= $2 ORDER BY e.start_at DESC, e.id DESC LIMIT $3",
    ROW,
    IS_OF_SERIES,
);
const ALL_OF_SERIES: Fragment = fragment!(
    "SELECT {} WHERE {} ORDER BY e.start_at DESC, e.id DESC LIMIT $3",
    ROW,
    IS_OF_SERIES,
);

/// The events of member `$16`, of a series if there is `$15`, with each status, in the same order. They are few.
const IS_OF_MEMBER: Fragment = fragment!(
    "{} AND ($15 IS NULL OR e.series_id = $15) AND e.id IN (SELECT x.event_id FROM member_events x \
     WHERE x.account_id = $1 AND x.person_id = $16) AND {}",
    IN_RANGE,
    MATCHES,
);
const ACTIVE_OF_MEMBER: Fragment = fragment!(
    "SELECT {} WHERE {} AND {} ORDER BY e.start_at, e.id LIMIT $3",
    ROW,
    IS_OF_MEMBER,
    IS_ACTIVE,
);
const PAST_OF_MEMBER: Fragment = fragment!(
    "SELECT {} WHERE {} AND e.effective_end <= $2 ORDER BY e.start_at DESC, e.id DESC LIMIT $3",
    ROW,
    IS_OF_MEMBER,
);
const ALL_OF_MEMBER: Fragment = fragment!(
    "SELECT {} WHERE {} ORDER BY e.start_at DESC, e.id DESC LIMIT $3",
    ROW,
    IS_OF_MEMBER,
);

/// The rows of what was chosen from an index.
const ROWS: Fragment = fragment!(
    "JOIN events e ON e.{} = page.event_row JOIN event_counters c ON c.event_id = page.id",
    ROW_ID,
);

/// Makes a statement for each status, in a series or not, or for the events of a member, from the fragment that finds its events and their order.
macro_rules! by_filter {
    ($filter:expr, |$found:ident, $order:ident| $statement:expr) => {
        match ($filter.status, $filter.series.is_some()) {
            (EventFilter::Active, _) if $filter.reach != Reach::Account => {
                by_filter!($found = ACTIVE_OF_MEMBER, $order = "", $statement)
            }
            (EventFilter::Past, _) if $filter.reach != Reach::Account => {
                by_filter!($found = PAST_OF_MEMBER, $order = " DESC", $statement)
            }
            (EventFilter::All, _) if $filter.reach != Reach::Account => {
                by_filter!($found = ALL_OF_MEMBER, $order = " DESC", $statement)
            }
            (EventFilter::Active, false) => by_filter!($found = ACTIVE, $order = "", $statement),
            (EventFilter::Past, false) => by_filter!($found = PAST, $order = " DESC", $statement),
            (EventFilter::All, false) => by_filter!($found = ALL, $order = " DESC", $statement),
            (EventFilter::Active, true) => {
                by_filter!($found = ACTIVE_OF_SERIES, $order = "", $statement)
            }
            (EventFilter::Past, true) => {
                by_filter!($found = PAST_OF_SERIES, $order = " DESC", $statement)
            }
            (EventFilter::All, true) => {
                by_filter!($found = ALL_OF_SERIES, $order = " DESC", $statement)
            }
        }
    };
    ($found:ident = $fragment:ident, $order:ident = $direction:literal, $statement:expr) => {{
        const $found: Fragment = $fragment;
        const $order: Fragment = Fragment::new($direction);
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
        let statement = by_filter!(filter, |FOUND, ORDER| sql!(
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
            ALL,
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
        let statement = by_filter!(filter, |FOUND, ORDER| sql!(
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
        let statement = by_filter!(filter, |FOUND, _ORDER| sql!(
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
