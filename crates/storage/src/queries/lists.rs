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
    sql::{Fragment, SKIP_LOCKED, Sql, sql},
    values,
};

/// Registrations of event `$1` with status `$2` and text `$3`, which may be null, made from `$4` until `$5`.
const FILTERED: Fragment = Fragment::per_dialect(
    "registrations r WHERE r.event_id = $1 AND ($2 IS NULL OR r.status = $2) \
     AND ($3 IS NULL OR instr(r.search_text, $3) > 0) AND r.registered_at >= $4 AND r.registered_at < $5",
    "registrations r WHERE r.event_id = $1 AND ($2 IS NULL OR r.status = $2) \
     AND ($3 IS NULL OR strpos(r.search_text, $3) > 0) AND r.registered_at >= $4 AND r.registered_at < $5",
);

/// The same, with the text in the name alone.
const FILTERED_BY_NAME: Fragment = Fragment::per_dialect(
    "registrations r WHERE r.event_id = $1 AND ($2 IS NULL OR r.status = $2) \
     AND ($3 IS NULL OR instr(replace(r.search_text, r.email_norm, ''), $3) > 0) AND r.registered_at >= $4 AND r.registered_at < $5",
    "registrations r WHERE r.event_id = $1 AND ($2 IS NULL OR r.status = $2) \
     AND ($3 IS NULL OR strpos(replace(r.search_text, r.email_norm, ''), $3) > 0) AND r.registered_at >= $4 AND r.registered_at < $5",
);

/// Names the index to read, which is empty but after an upgrade: SQLite would read all of the account's events by another one.
const NOT_FOLDED: Fragment = Fragment::per_dialect("events INDEXED BY events_not_folded", "events");

impl Reads {
    /// Returns a page of an event's registrations after a number that match the filter, in the order of registering.
    pub async fn search_registrations(
        &self,
        event: EventId,
        filter: &RegistrationFilter,
        after_seq: i64,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Registration>, Error> {
        let statement = if filter.is_by_name {
            sql!(
                "SELECT {} FROM (SELECT r.id, r.seq AS place FROM {} AND r.seq > $6 ORDER BY r.seq LIMIT $7 OFFSET $8) page \
                 JOIN registrations r ON r.id = page.id ORDER BY page.place",
                Registration::COLUMNS,
                FILTERED_BY_NAME,
            )
        } else {
            sql!(
                "SELECT {} FROM (SELECT r.id, r.seq AS place FROM {} AND r.seq > $6 ORDER BY r.seq LIMIT $7 OFFSET $8) page \
                 JOIN registrations r ON r.id = page.id ORDER BY page.place",
                Registration::COLUMNS,
                FILTERED,
            )
        };
        let values = (
            event,
            filter.status,
            filter.folded_text(),
            filter.registered.from,
            filter.registered.before,
            after_seq,
            limit,
            offset,
        );
        self.all(statement, values).await
    }

    /// Returns the number of an event's registrations that match the filter.
    pub async fn count_registrations(
        &self,
        event: EventId,
        filter: &RegistrationFilter,
    ) -> Result<i64, Error> {
        let statement = if filter.is_by_name {
            sql!("SELECT count(*) FROM {}", FILTERED_BY_NAME)
        } else {
            sql!("SELECT count(*) FROM {}", FILTERED)
        };
        let values = (
            event,
            filter.status,
            filter.folded_text(),
            filter.registered.from,
            filter.registered.before,
        );
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
            "SELECT id, name, email FROM registrations WHERE is_folded = FALSE LIMIT $1{}",
            SKIP_LOCKED,
        );
        let found: Batch<(Uuid, String, String), Uuid> =
            self.batch("registrations", statement, [limit]).await?;
        let texts = found
            .rows
            .iter()
            .map(|(id, name, email)| (*id, values::search_text(name, email)));
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

/// Rows that no search for a text finds.
fn without_text(ids: Vec<Uuid>) -> impl Iterator<Item = (Uuid, String)> {
    ids.into_iter().map(|id| (id, String::new()))
}
