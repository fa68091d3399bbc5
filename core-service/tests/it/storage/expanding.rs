//! Migrations only expand what is there: while one runs, and until the last core is replaced, cores of the release before serve on the
//! migrated database. What they use may go in a later release.

use std::{collections::BTreeMap, path::Path};

use sqlx::{Connection as _, Row as _, SqlSafeStr as _};
use test_postgres::{Database, Server};

/// Up to here, migrations are older than the first release.
const BEFORE_THE_FIRST_RELEASE: u32 = 41;

/// What may go although the release before had it: `table.column` or `table`, with the release whose code is the first not to name it.
const UNUSED: &[(&str, &str)] = &[];

/// Before this migration, older cores must be stopped: they name what it drops, and no release has them.
const STOPS_OLDER_CORES: u32 = 46;

/// A column as older code sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    kind: String,
    /// Whether a row can be added without it.
    may_be_absent: bool,
}

/// By `table.column`.
type Schema = BTreeMap<String, Column>;

/// What cores of before cannot do any more, in words.
fn broken(before: &Schema, after: &Schema) -> Vec<String> {
    let is_unused = |name: &str| {
        let table = name.split('.').next();
        UNUSED
            .iter()
            .any(|(unused, _)| *unused == name || Some(*unused) == table)
    };
    let mut broken = Vec::new();
    for (name, column) in before.iter().filter(|(name, _)| !is_unused(name)) {
        match after.get(name) {
            None => broken.push(format!("{name} is gone")),
            Some(now) if now.kind != column.kind => {
                broken.push(format!("{name} was {} and is {}", column.kind, now.kind));
            }
            Some(now) if column.may_be_absent && !now.may_be_absent => {
                broken.push(format!("{name} must be given"));
            }
            Some(_) => {}
        }
    }
    for (name, column) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        let table = name.split_inclusive('.').next().unwrap();
        let is_in_an_old_table = before.keys().any(|known| known.starts_with(table));
        if is_in_an_old_table && !column.may_be_absent {
            broken.push(format!("{name} is new and must be given"));
        }
    }
    broken
}

/// The migrations of an engine, by number.
fn migrations(engine: &str) -> Vec<(u32, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/storage/migrations")
        .join(engine);
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut migrations: Vec<_> = files
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let number = name.split('_').next().unwrap().parse().unwrap();
            (number, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    migrations.sort_unstable();
    migrations
}

/// A database of either engine, without tables.
enum Empty {
    Sqlite(sqlx::SqliteConnection),
    Postgres(sqlx::PgConnection),
}

impl Empty {
    async fn sqlite() -> Self {
        Self::Sqlite(
            sqlx::SqliteConnection::connect("sqlite::memory:")
                .await
                .unwrap(),
        )
    }

    async fn postgres(server: &Server) -> Self {
        let database = Database::on(server, |_url| async {}).await;
        Self::Postgres(sqlx::PgConnection::connect(database.url()).await.unwrap())
    }

    async fn run(&mut self, sql: String) {
        let sql = sqlx::AssertSqlSafe(sql).into_sql_str();
        match self {
            Self::Sqlite(connection) => sqlx::raw_sql(sql).execute(connection).await.map(|_| ()),
            Self::Postgres(connection) => sqlx::raw_sql(sql).execute(connection).await.map(|_| ()),
        }
        .unwrap();
    }

    async fn schema(&mut self) -> Schema {
        let columns: Vec<(String, String, String, bool)> = match self {
            Self::Sqlite(connection) => {
                let sql = "SELECT t.name, c.name, c.type, c.\"notnull\" = 0 OR c.dflt_value IS NOT NULL OR c.pk > 0 \
                           FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'";
                let rows = sqlx::query(sql).fetch_all(connection).await.unwrap();
                rows.iter()
                    .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
                    .collect()
            }
            Self::Postgres(connection) => {
                let sql = "SELECT table_name::text, column_name::text, data_type::text, \
                           is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS' \
                           FROM information_schema.columns WHERE table_schema = 'public'";
                let rows = sqlx::query(sql).fetch_all(connection).await.unwrap();
                rows.iter()
                    .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
                    .collect()
            }
        };
        columns
            .into_iter()
            .map(|(table, column, kind, may_be_absent)| {
                (
                    format!("{table}.{column}"),
                    Column {
                        kind,
                        may_be_absent,
                    },
                )
            })
            .collect()
    }

    /// As the last release before those that are checked left it.
    async fn prepare(&mut self, engine: &str) {
        for (number, sql) in migrations(engine) {
            if number <= BEFORE_THE_FIRST_RELEASE {
                self.run(sql).await;
            }
        }
    }
}

async fn no_migration_takes_away_what_older_cores_use(engine: &str, mut database: Empty) {
    database.prepare(engine).await;
    let mut before = database.schema().await;
    assert!(before.contains_key("events.title"), "{before:?}");
    for (number, sql) in migrations(engine) {
        if number > BEFORE_THE_FIRST_RELEASE {
            database.run(sql).await;
            let after = database.schema().await;
            let broken = broken(&before, &after);
            if number == STOPS_OLDER_CORES {
                let is_gone = |what: &String| what.ends_with(" is gone");
                assert!(
                    !broken.is_empty() && broken.iter().all(is_gone),
                    "{broken:?}"
                );
            } else {
                assert_eq!(broken, [""; 0], "migration {number} on {engine}");
            }
            before = after;
        }
    }
}

/// What each of these does to older cores.
async fn what_takes_away_is_found(engine: &str, mut database: Empty) {
    database.prepare(engine).await;
    for (sql, expected) in [
        ("CREATE TABLE extras (id BIGINT NOT NULL)", None),
        (
            "ALTER TABLE accounts ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",
            None,
        ),
        ("ALTER TABLE accounts ADD COLUMN size INTEGER", None),
        (
            "ALTER TABLE accounts RENAME COLUMN colour TO hue",
            Some("accounts.colour is gone"),
        ),
        (
            "ALTER TABLE accounts DROP COLUMN size",
            Some("accounts.size is gone"),
        ),
        ("DROP TABLE extras", Some("extras.id is gone")),
    ] {
        let before = database.schema().await;
        database.run(sql.to_owned()).await;
        let found = broken(&before, &database.schema().await);
        assert_eq!(found.first().map(String::as_str), expected, "{sql}");
    }
}

#[tokio::test]
async fn no_migration_of_sqlite_takes_away_what_older_cores_use() {
    no_migration_takes_away_what_older_cores_use("sqlite", Empty::sqlite().await).await;
    what_takes_away_is_found("sqlite", Empty::sqlite().await).await;
}

#[tokio::test]
async fn no_migration_of_postgres_takes_away_what_older_cores_use() {
    let Some(server) = Server::start() else {
        return;
    };
    no_migration_takes_away_what_older_cores_use("postgres", Empty::postgres(&server).await).await;
    what_takes_away_is_found("postgres", Empty::postgres(&server).await).await;
}

#[test]
fn what_must_be_given_from_now_on_is_found() {
    let column = |kind: &str, may_be_absent| Column {
        kind: kind.to_owned(),
        may_be_absent,
    };
    let schema = |columns: &[(&str, Column)]| -> Schema {
        columns
            .iter()
            .map(|(name, column)| ((*name).to_owned(), column.clone()))
            .collect()
    };
    let before = schema(&[("a.x", column("text", true)), ("a.y", column("text", true))]);
    let after = schema(&[
        ("a.x", column("text", false)),
        ("a.y", column("bigint", true)),
        ("a.z", column("text", false)),
        ("b.z", column("text", false)),
    ]);
    assert_eq!(
        broken(&before, &after),
        [
            "a.x must be given",
            "a.y was text and is bigint",
            "a.z is new and must be given"
        ]
    );
}
