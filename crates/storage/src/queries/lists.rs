//! The organizer's lists of registrations, and the texts that searches in lists look through.
//!
//! A search reads all registrations of an event, but from an index alone, in which their texts are; rows are read of those only that are
//! shown.

use uuid::Uuid;

use domain::{
    event::Event,
    ids::{AccountId, EventId},
    registration::Registration,
};

use crate::{
    Error, Reads, RegistrationFilter, Tx,
    input::Input,
    reads::Batch,
    record::Record as _,
    sql::{Fragment, POSITION, SKIP_LOCKED, Sql, fragment, sql},
    statement::Values,
    values,
};

/// Registrations of event `$1` with status `$2`, which may be null, made from `$3` until `$4`.
const FILTERED: Fragment = Fragment::new(
    "registrations r WHERE r.event_id = $1 AND ($2 IS NULL OR r.status = $2) AND r.registered_at >= $3 AND r.registered_at < $4",
);

/// Those of them with all of the words `$5` to `$12`, each of which may be empty: in the name alone if `$13`.
const FOUND: Fragment = fragment!(
    "(SELECT r.id, r.seq, r.status, r.confirm_until, \
     CASE WHEN $13 = TRUE THEN replace(r.search_text, r.email_norm, '') ELSE r.search_text END AS text FROM {}) f \
     WHERE {}(f.text, $5) > 0 AND {}(f.text, $6) > 0 AND {}(f.text, $7) > 0 AND {}(f.text, $8) > 0 \
     AND {}(f.text, $9) > 0 AND {}(f.text, $10) > 0 AND {}(f.text, $11) > 0 AND {}(f.text, $12) > 0",
    FILTERED,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
);

/// The order of those: if `$14`, who awaits approval comes first; then who has words that begin with those that are looked for.
const PLACE: Fragment = fragment!(
    "(CASE WHEN $14 = TRUE AND f.status = 'Pending' AND f.confirm_until IS NULL THEN 0 ELSE 2 END \
     + CASE WHEN {}(' ' || f.text, ' ' || $5) > 0 AND {}(' ' || f.text, ' ' || $6) > 0 \
     AND {}(' ' || f.text, ' ' || $7) > 0 AND {}(' ' || f.text, ' ' || $8) > 0 \
     AND {}(' ' || f.text, ' ' || $9) > 0 AND {}(' ' || f.text, ' ' || $10) > 0 \
     AND {}(' ' || f.text, ' ' || $11) > 0 AND {}(' ' || f.text, ' ' || $12) > 0 THEN 0 ELSE 1 END) * 4294967296 + f.seq",
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
    POSITION,
);

/// Names the index to read, which is empty but after an upgrade: SQLite would read all of the account's events by another one.
const NOT_FOLDED: Fragment = Fragment::per_dialect("events INDEXED BY events_not_folded", "events");

impl Reads {
    /// Returns a page of an event's registrations that match the filter, after a place in its order, each with its place.
    pub async fn search_registrations(
        &self,
        event: EventId,
        filter: &RegistrationFilter,
        after: i64,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<(i64, Registration)>, Error> {
        let period = filter.registered;
        if !filter.is_ranked() {
            let statement = sql!(
                "SELECT page.place, {} FROM (SELECT r.id, r.seq AS place FROM {} AND r.seq > $5 ORDER BY r.seq LIMIT $6 OFFSET $7) page \
                 JOIN registrations r ON r.id = page.id ORDER BY page.place",
                Registration::COLUMNS,
                FILTERED,
            );
            let (from, before) = (period.from, period.before);
            let values = (event, filter.status, from, before, after, limit, offset);
            return self.all(statement, values).await;
        }
        let statement = sql!(
            "SELECT page.place, {} FROM (SELECT id, place FROM (SELECT f.id, {} AS place FROM {}) ranked WHERE place > $15 \
             ORDER BY place LIMIT $16 OFFSET $17) page JOIN registrations r ON r.id = page.id ORDER BY page.place",
            Registration::COLUMNS,
            PLACE,
            FOUND,
        );
        let values = |values: &mut Values| {
            add_filter(values, event, filter);
            values.add(&filter.approval_first);
            for number in [after, limit, offset] {
                values.add(&number);
            }
        };
        self.all(statement, values).await
    }

    /// Returns the number of an event's registrations that match the filter.
    pub async fn count_registrations(
        &self,
        event: EventId,
        filter: &RegistrationFilter,
    ) -> Result<i64, Error> {
        let statement = sql!("SELECT count(*) FROM {}", FOUND);
        let values = |values: &mut Values| add_filter(values, event, filter);
        self.one(statement, values).await
    }

    /// Returns whether an event has registrations that wait for [`Tx::fold_registrations`], so that searches may miss some.
    pub async fn has_unfolded_registrations(&self, event: EventId) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT EXISTS (SELECT 1 FROM registrations WHERE event_id = $1 AND is_folded = FALSE)"
        );
        self.one(statement, [event]).await
    }

    /// Returns whether an account has events that wait for [`Tx::fold_events`], so that searches may miss some.
    pub async fn has_unfolded_events(&self, account: AccountId) -> Result<bool, Error> {
        let statement = sql!(
            "SELECT EXISTS (SELECT 1 FROM {} WHERE account_id = $1 AND search_text IS NULL)",
            NOT_FOLDED,
        );
        self.one(statement, [account]).await
    }
}

impl Tx {
    /// Folds the texts of at most `limit` registrations of other versions for searches; returns their number. Searches do not find those that
    /// cannot be read.
    pub async fn fold_registrations(&mut self, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "SELECT id, name, email, companions FROM registrations WHERE is_folded = FALSE LIMIT $1{}",
            SKIP_LOCKED,
        );
        let found: Batch<(Uuid, String, String, Vec<String>), Uuid> =
            self.batch("registrations", statement, [limit]).await?;
        let texts = found.rows.iter().map(|(id, name, email, companions)| {
            (*id, values::search_text(name, email, companions))
        });
        let texts = texts.chain(without_text(found.unreadable)).collect();
        let statement = sql!(
            "UPDATE registrations SET search_text = input.search_text, is_folded = TRUE FROM input \
             WHERE registrations.id = input.id"
        );
        self.write_texts(texts, statement).await
    }

    /// Does the same for events.
    pub async fn fold_events(&mut self, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "SELECT {} FROM events e WHERE e.search_text IS NULL LIMIT $1{}",
            Event::COLUMNS,
            SKIP_LOCKED,
        );
        let found: Batch<Event, Uuid> = self.batch("events", statement, [limit]).await?;
        let texts = found
            .rows
            .iter()
            .map(|event| (event.id.uuid(), values::event_search_text(event)));
        let texts = texts.chain(without_text(found.unreadable)).collect();
        let statement = sql!(
            "UPDATE events SET search_text = input.search_text FROM input WHERE events.id = input.id"
        );
        self.write_texts(texts, statement).await
    }

    async fn write_texts(
        &mut self,
        texts: Vec<(Uuid, String)>,
        statement: Sql<0>,
    ) -> Result<u64, Error> {
        if texts.is_empty() {
            return Ok(0);
        }
        let input = Input::of(&texts)
            .column("id", |(id, _)| id)
            .column("search_text", |(_, text)| text);
        self.execute(statement, input).await
    }
}

/// Adds the values for [`FOUND`].
fn add_filter(values: &mut Values, event: EventId, filter: &RegistrationFilter) {
    values.add(&event);
    values.add(&filter.status);
    values.add(&filter.registered.from);
    values.add(&filter.registered.before);
    for word in filter.words() {
        values.add(&word);
    }
    values.add(&filter.is_by_name);
}

/// Rows that no search for a text finds.
fn without_text(ids: Vec<Uuid>) -> impl Iterator<Item = (Uuid, String)> {
    ids.into_iter().map(|id| (id, String::new()))
}
