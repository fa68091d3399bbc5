//! Events, accounts and registrations, written past core.

use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use storage::{Options, Purpose, Store};
use test_postgres::Server;

use crate::searching::{fill, word_index};

/// Events of one statement, and what numbers of events are multiples of.
const BATCH: u32 = 500;

/// Events whose texts core folds in one transaction.
const INDEXED: i64 = 15_000;

/// Parts of SQLite's index of words in bytes: a transaction's, and as they are without a setting.
const LARGE_PART: u32 = 128 << 20;
const USUAL_PART: u32 = 1 << 20;

/// Words of a description.
const WORDS: usize = 8;

/// Accounts beside the owner, who has every tenth event, and half of those are over.
const OTHERS: u32 = 9_999;
pub(crate) const OWNED: u32 = 10;
const OVER: u32 = 20;
const TWENTY_YEARS: i64 = 7_305 * 24 * 3_600 * 1_000_000;

/// The owner's event with many registrations, by its number. Others have a few.
const HOT: u32 = 10;
const GUESTS: u32 = 5;

/// How much is loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    events: u32,
    /// Registrations of the owner's event that has many, if there are registrations and others' events.
    guests: Option<u32>,
}

impl Numbers {
    pub(crate) const fn of_all(events: u32, guests: u32) -> Self {
        Self {
            events,
            guests: Some(guests),
        }
    }

    /// The owner's events alone.
    pub(crate) const fn of_the_owner(events: u32) -> Self {
        Self {
            events,
            guests: None,
        }
    }

    /// The number of an event, by its number among those that are loaded.
    const fn number(self, index: u32) -> u32 {
        match self.guests {
            Some(_) => index,
            None => index * OWNED,
        }
    }

    /// One of so many is over.
    const fn over(self) -> u32 {
        match self.guests {
            Some(_) => OVER,
            None => OVER / OWNED,
        }
    }
}

/// The id of the event with many registrations.
pub(super) fn hot_event() -> anyhow::Result<String> {
    let row = fill::row(HOT);
    let id = row.get(0).and_then(Value::as_str);
    Ok(id.context("an event has an id")?.to_owned())
}

/// A database to fill.
enum Filled {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Filled {
    async fn connect(url: &str) -> anyhow::Result<Self> {
        Ok(if url.starts_with("sqlite:") {
            let mut connection = SqliteConnection::connect(url).await?;
            // Nobody needs these data after a loss of power.
            let fast = "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000";
            sqlx::raw_sql(fast).execute(&mut connection).await?;
            Self::Sqlite(connection)
        } else {
            let mut connection = PgConnection::connect(url).await?;
            let fast = "SET synchronous_commit = off";
            sqlx::raw_sql(fast).execute(&mut connection).await?;
            Self::Postgres(connection)
        })
    }

    /// Runs a statement with a text, or without.
    async fn run(&mut self, statement: String, text: Option<String>) -> anyhow::Result<()> {
        let statement = AssertSqlSafe(statement);
        match (self, text) {
            (Self::Sqlite(connection), Some(text)) => {
                sqlx::query(statement)
                    .bind(text)
                    .execute(connection)
                    .await?;
            }
            (Self::Sqlite(connection), None) => {
                sqlx::query(statement).execute(connection).await?;
            }
            (Self::Postgres(connection), Some(text)) => {
                sqlx::query(statement)
                    .bind(text)
                    .execute(connection)
                    .await?;
            }
            (Self::Postgres(connection), None) => {
                sqlx::query(statement).execute(connection).await?;
            }
        }
        Ok(())
    }

    /// What each engine writes in its own way.
    const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect {
                id: "unhex(item ->> 0, '-')",
                account: "unhex(item ->> 8, '-')",
                items: "(SELECT value AS item FROM json_each($1))",
                registration: "unhex(substr(hex(e.id), 1, 8) || printf('%04x', seq) || substr(hex(e.id), 13))",
                code: "substr(hex(e.id), 1, 8) || printf('%012x', seq)",
                numbers: "WITH RECURSIVE numbers (seq) AS (VALUES (1) UNION ALL SELECT seq + 1 FROM numbers WHERE seq < {most})",
                between: "e.id >= unhex('{from}') AND e.id < unhex('{to}')",
            },
            Self::Postgres(_) => Dialect {
                id: "CAST(item ->> 0 AS uuid)",
                account: "CAST(item ->> 8 AS uuid)",
                items: "json_array_elements(CAST($1 AS json)) AS rows (item)",
                registration: "CAST(substr(CAST(e.id AS text), 1, 9) || lpad(to_hex(seq), 4, '0') \
                     || substr(CAST(e.id AS text), 14) AS uuid)",
                code: "substr(CAST(e.id AS text), 1, 8) || lpad(to_hex(seq), 12, '0')",
                numbers: "WITH numbers (seq) AS (SELECT * FROM generate_series(1, {most}))",
                between: "e.id >= CAST('{from}' AS uuid) AND e.id < CAST('{to}' AS uuid)",
            },
        }
    }
}

struct Dialect {
    id: &'static str,
    account: &'static str,
    items: &'static str,
    registration: &'static str,
    code: &'static str,
    numbers: &'static str,
    between: &'static str,
}

/// Fills the database of a core that does not run: the events, of which an owner has a tenth, the other accounts, and five registrations
/// for each event.
pub(crate) async fn load(
    url: &str,
    numbers: Numbers,
    postgres: Option<&Server>,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let say = |what: &str| eprintln!("{:.0} s: {what}", started.elapsed().as_secs_f64());
    let Numbers { events, guests } = numbers;
    ensure!(
        events.is_multiple_of(BATCH) || guests.is_none(),
        "events are loaded by {BATCH}"
    );
    let mut filled = Filled::connect(url).await?;
    add_accounts(&mut filled).await?;
    for batch in 0..events.div_ceil(BATCH) {
        let at = batch * BATCH;
        let rows = (at..events.min(at + BATCH)).map(|index| event(numbers.number(index)));
        add_events(&mut filled, rows.collect()).await?;
        if guests.is_some() {
            add_registrations(&mut filled, (at, at + BATCH), GUESTS, "").await?;
        }
        if batch % 200 == 199 {
            say(&format!("{} events with their registrations", at + BATCH));
        }
    }
    if let Some(guests) = guests {
        // The hot event already has the first of them.
        let more = format!(" AND seq > {GUESTS}");
        add_registrations(&mut filled, (HOT, HOT + 1), guests, &more).await?;
    }
    add_counters(&mut filled, numbers).await?;
    drop(filled);
    index(url, postgres, &say).await
}

async fn add_accounts(filled: &mut Filled) -> anyhow::Result<()> {
    let Dialect { id, items, .. } = filled.dialect();
    let accounts: Vec<Value> = (0..OTHERS)
        .map(|number| serde_json::json!([account(number), format!("loaded-{number}")]))
        .collect();
    let statement = format!(
        "INSERT INTO accounts (id, email, email_norm, name, plan, created_at) \
         SELECT {id}, '', item ->> 1, item ->> 1, 'business', 1 FROM {items}"
    );
    filled
        .run(statement, Some(Value::from(accounts).to_string()))
        .await
}

fn account(number: u32) -> String {
    format!("{number:08x}-0000-7000-8000-acc000000000")
}

async fn add_events(filled: &mut Filled, rows: Vec<Value>) -> anyhow::Result<()> {
    let Dialect {
        id, account, items, ..
    } = filled.dialect();
    // The owner's account was there before.
    let account = format!(
        "coalesce({account}, (SELECT account_id FROM memberships ORDER BY created_at LIMIT 1))"
    );
    let start = "CAST(item ->> 6 AS bigint)";
    let statement = format!(
        "INSERT INTO events (id, account_id, slug, title, description, location, city, start_at, start_local, timezone, effective_end, \
         max_capacity, is_published, is_listed, is_cancelled, live, custom_fields, sequence, created_at, updated_at) \
         SELECT {id}, {account}, item ->> 1, item ->> 2, item ->> 3, item ->> 4, item ->> 5, {start}, item ->> 7, 'UTC', {start}, \
         10000, TRUE, TRUE, FALSE, {start} > 1800000000000000, '[]', 0, 1, 2 FROM {items}"
    );
    filled
        .run(statement, Some(Value::from(rows).to_string()))
        .await
}

/// An event of the other benchmark, with fewer words, and its account if that is not the owner's.
fn event(number: u32) -> Value {
    let mut row = fill::row(number);
    if let Value::Array(items) = &mut row {
        if let Some(Value::String(words)) = items.get_mut(3) {
            *words = words.split(' ').take(WORDS).collect::<Vec<_>>().join(" ");
        }
        if let Some(start) = items.get_mut(6).filter(|_| number.is_multiple_of(OVER)) {
            *start = (start.as_i64().unwrap_or_default() - TWENTY_YEARS).into();
        }
        let of_another = (!number.is_multiple_of(OWNED)).then(|| account(number % OTHERS));
        items.push(of_another.into());
    }
    row
}

/// Registrations of the events with these numbers.
async fn add_registrations(
    filled: &mut Filled,
    (from, to): (u32, u32),
    most: u32,
    condition: &str,
) -> anyhow::Result<()> {
    let Dialect {
        registration,
        code,
        numbers,
        between,
        ..
    } = filled.dialect();
    let id = |number: u32| format!("{number:08x}000000000000000000000000");
    let numbers = numbers.replace("{most}", &most.to_string());
    let between = between
        .replace("{from}", &id(from))
        .replace("{to}", &id(to));
    let email = "'guest-' || seq || '@' || e.slug || '.example'";
    let statement = format!(
        "{numbers} INSERT INTO registrations (id, event_id, seq, name, email, email_norm, status, answers, registered_at, updated_at, \
         search_text, check_in_code, is_folded) \
         SELECT {registration}, e.id, seq, 'Guest ' || seq, {email}, {email}, 'Confirmed', '[]', 2 + seq, 2, \
         'guest ' || seq || ' ' || {email}, {code}, TRUE FROM events e, numbers WHERE {between}{condition}"
    );
    filled.run(statement, None).await
}

async fn add_counters(filled: &mut Filled, numbers: Numbers) -> anyhow::Result<()> {
    let events = numbers.events;
    let (guests, few) = numbers.guests.map_or((0, 0), |guests| (guests, GUESTS));
    let counters = format!(
        "INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
         SELECT id, CASE WHEN slug = 'event-{HOT}' THEN {guests} ELSE {few} END, 0, 0, 0, \
         CASE WHEN slug = 'event-{HOT}' THEN {guests} ELSE {few} END + 1 FROM events WHERE created_at = 1"
    );
    let live = events - events / numbers.over();
    let total = format!("UPDATE catalogue_totals SET live = live + {live} WHERE shard = 0");
    filled.run(counters, None).await?;
    filled.run(total, None).await
}

/// SQLite's index of words takes parts of so many bytes and merges them again and again, which takes most of the time if they are small.
async fn set_part(url: &str, bytes: u32) -> anyhow::Result<()> {
    let statement =
        format!("INSERT INTO catalogue_words (catalogue_words, rank) VALUES ('hashsize', {bytes})");
    Filled::connect(url).await?.run(statement, None).await
}

/// Folds the events' texts, as core's maintenance would.
async fn index(url: &str, postgres: Option<&Server>, say: &impl Fn(&str)) -> anyhow::Result<()> {
    if postgres.is_some() {
        word_index::drop(url).await?;
    } else {
        set_part(url, LARGE_PART).await?;
    }
    let store = Store::open(&Options::new(url, Purpose::Administer)).await?;
    let mut indexed = 0;
    loop {
        let mut tx = store.begin().await?;
        let more = tx.index_events(INDEXED).await?;
        tx.commit().await?;
        if more == 0 {
            break;
        }
        indexed += more;
        say(&format!("{indexed} events indexed"));
    }
    store.close().await;
    if postgres.is_some() {
        word_index::make(url).await?;
    } else {
        set_part(url, USUAL_PART).await?;
    }
    crate::settled::vacuum(url, postgres).await?;
    say("loaded");
    Ok(())
}
