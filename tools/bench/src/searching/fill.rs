//! Events, written past core as an older version would have left them.

use domain::instant::Instant;
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use test_postgres::Server;

use crate::system::System;

/// Events of one statement.
const BATCH: u32 = 1_000;

/// Cities, each with as many events.
const CITIES: u32 = 400;

/// Other words, of which each text has some: the first ones often, the last ones seldom.
const FILLERS: f64 = 30_000.0;
const FILLERS_OF_ONE: usize = 20;

/// 2040-01-01T00:00:00Z, and the two years after it.
const START_SECONDS: i64 = 2_208_988_800;
const MINUTES: u64 = 2 * 365 * 24 * 60;

const COLUMNS: &str = "INSERT INTO events (id, account_id, slug, title, description, location, city, start_at, start_local, \
     timezone, effective_end, max_capacity, is_published, is_listed, is_cancelled, live, custom_fields, sequence, created_at, \
     updated_at)";

/// Their registrations' numbers.
const COUNTERS: &str = "INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
     SELECT id, 0, 0, 0, 0, 1 FROM events";

/// The organizer of the events in one city.
pub(super) const HANDLE: &str = "one-city";

const ORGANIZER: [&str; 3] = [
    "INSERT INTO accounts (id, email, email_norm, name, plan, created_at) SELECT {id}, '', 'one-city', 'One city', plan, created_at \
     FROM accounts",
    "INSERT INTO handles (handle, account_id, taken_at) VALUES ('one-city', {id}, 1)",
    "UPDATE events SET account_id = {id} WHERE city = 'City 78'",
];

/// What is the same of all.
const CONSTANTS: &str = "100, TRUE, TRUE, FALSE, TRUE, '[]', 0, 1, 2";

/// Fills the catalogue.
pub(super) async fn fill(
    system: &System,
    events: u32,
    postgres: Option<&Server>,
) -> anyhow::Result<()> {
    let total = format!("UPDATE catalogue_totals SET live = live + {events} WHERE shard = 0");
    if postgres.is_some() {
        let mut connection = PgConnection::connect(system.database_url()).await?;
        let text = format!(
            "{COLUMNS} SELECT CAST(item ->> 0 AS uuid), (SELECT id FROM accounts), item ->> 1, item ->> 2, item ->> 3, item ->> 4, \
             item ->> 5, CAST(item ->> 6 AS bigint), item ->> 7, 'UTC', CAST(item ->> 6 AS bigint), {CONSTANTS} \
             FROM json_array_elements(CAST($1 AS json)) AS rows (item)"
        );
        for batch in 0..events / BATCH {
            let rows = sqlx::query(AssertSqlSafe(text.clone())).bind(rows(batch));
            rows.execute(&mut connection).await?;
        }
        let organizer = organizer("CAST('00000000-0000-7000-8000-000000000078' AS uuid)");
        for statement in [total, COUNTERS.to_owned()].into_iter().chain(organizer) {
            let query = sqlx::query(AssertSqlSafe(statement));
            query.execute(&mut connection).await?;
        }
        connection.close().await?;
    } else {
        let mut connection = SqliteConnection::connect(system.database_url()).await?;
        let text = format!(
            "{COLUMNS} SELECT unhex(item ->> 0, '-'), (SELECT id FROM accounts), item ->> 1, item ->> 2, item ->> 3, item ->> 4, \
             item ->> 5, item ->> 6, item ->> 7, 'UTC', item ->> 6, {CONSTANTS} FROM (SELECT value AS item FROM json_each($1))"
        );
        for batch in 0..events / BATCH {
            let rows = sqlx::query(AssertSqlSafe(text.clone())).bind(rows(batch));
            rows.execute(&mut connection).await?;
        }
        let organizer = organizer("X'00000000000070008000000000000078'");
        for statement in [total, COUNTERS.to_owned()].into_iter().chain(organizer) {
            let query = sqlx::query(AssertSqlSafe(statement));
            query.execute(&mut connection).await?;
        }
        connection.close().await?;
    }
    Ok(())
}

/// The statements that make the organizer, whose id is written so.
fn organizer(id: &str) -> [String; 3] {
    ORGANIZER.map(|statement| statement.replace("{id}", id))
}

/// The events of one statement as JSON.
fn rows(batch: u32) -> String {
    let numbers = batch * BATCH..(batch + 1) * BATCH;
    let rows: Vec<_> = numbers.map(row).collect();
    json!(rows).to_string()
}

/// An event: id, slug, title, description, location, city, the microsecond and the wall time of its start.
pub(crate) fn row(number: u32) -> serde_json::Value {
    let mut dice = Dice(u64::from(number) + 1);
    let id = format!(
        "{:08x}-0000-7000-8000-{:012x}",
        number,
        dice.roll() & 0xffff_ffff_ffff
    );
    let mut words: Vec<String> = Vec::new();
    let share = |of: u32| number.is_multiple_of(of);
    words.extend(share(2).then(|| "evening".to_owned()));
    words.extend(share(10).then(|| "workshop".to_owned()));
    words.extend((number % 1_000 < 9).then(|| "robotics".to_owned()));
    words.extend((number % 1_000 >= 989).then(|| "chess".to_owned()));
    words.extend(share(10_000).then(|| "zither".to_owned()));
    // 30 % and 20 % of all; 5,000 have both.
    words.extend((number % 10 < 3).then(|| "music".to_owned()));
    words.extend((number % 10 > 7 || share(200)).then(|| "opera".to_owned()));
    for _ in 0..FILLERS_OF_ONE {
        words.push(dice.filler());
    }
    let title = format!("Event {} {}", dice.filler(), dice.filler());
    let minute = i64::try_from(dice.roll() % MINUTES).unwrap_or_default();
    let seconds = START_SECONDS + minute * 60;
    let micros = seconds * 1_000_000;
    let local = Instant::from_micros(micros).to_utc().to_string();
    json!([
        id,
        format!("event-{number}"),
        title,
        words.join(" "),
        format!("{} street {}", dice.filler(), number % 100),
        format!("City {}", number % CITIES),
        micros,
        local,
    ])
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A word of some syllables, frequent ones more often.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a die needs no precision"
    )]
    fn filler(&mut self) -> String {
        const SYLLABLES: [&str; 32] = [
            "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro",
            "su", "ta", "ve", "wi", "xo", "yu", "za", "ble", "cri", "dro", "flu", "gra", "ple",
            "sti", "tro", "schu", "an", "er",
        ];
        let uniform = (self.roll() % 1_000_000) as f64 / 1_000_000.0;
        let mut rank = (FILLERS * uniform.powi(3)) as usize + SYLLABLES.len();
        let mut word = String::new();
        while rank > 0 {
            word.push_str(SYLLABLES[rank % SYLLABLES.len()]);
            rank /= SYLLABLES.len();
        }
        word
    }
}
