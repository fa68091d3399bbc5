//! Servers that speak PostgreSQL's language without being PostgreSQL.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use storage::{Options, Purpose, Store};
use test_postgres::{Database, Server};

use crate::fixtures::{Rows, add_account};

/// Makes a new server call itself another one, and refuse what others lack.
const PRETEND: &str = r#"
    CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$ SELECT 'CockroachDB CCL v24.1.0' $$;
    CREATE FUNCTION public.pg_advisory_lock(bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'unknown function: pg_advisory_lock()' USING ERRCODE = '42883';
    END $$;
    CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_query() ~ 'SET STORAGE|toast_tuple_target|fastupdate' THEN
            RAISE 'at or near "storage": syntax error' USING ERRCODE = '42601';
        END IF;
    END $$;
    CREATE EVENT TRIGGER lacking ON ddl_command_start EXECUTE FUNCTION public.refuse();
"#;

/// Of functions of the same name, the first schema's are called.
async fn search(connection: &mut PgConnection, path: &str) {
    let text = format!(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = {path}', current_database()); END $$"
    );
    let changed = sqlx::raw_sql(AssertSqlSafe(text)).execute(connection);
    changed.await.unwrap();
}

async fn pretend(url: String) {
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let pretended = sqlx::raw_sql(PRETEND).execute(&mut connection);
    pretended.await.unwrap();
    search(&mut connection, "public, pg_catalog").await;
}

async fn open(database: &Database) -> Store {
    let options = Options::new(database.url(), Purpose::Serve);
    Store::open(&options).await.unwrap()
}

#[tokio::test]
async fn a_server_without_postgresqls_storage_and_locks_gets_the_same_schema() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, pretend).await;
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    for lacking in [
        "SELECT pg_advisory_lock(1)",
        "CREATE TABLE probe (x bytea); ALTER TABLE probe ALTER COLUMN x SET STORAGE EXTERNAL",
    ] {
        let refused = sqlx::raw_sql(lacking).execute(&mut connection).await;
        assert!(refused.is_err(), "{lacking}");
    }
    let store = open(&database).await;
    store.migrate().await.unwrap();
    store.require_schema().await.unwrap();
    add_account(&store, &Rows::new()).await;
    store.close().await;

    // For the server that it is, everything has been run as it stands.
    let honest = sqlx::raw_sql("DROP EVENT TRIGGER lacking; DROP FUNCTION public.version()");
    honest.execute(&mut connection).await.unwrap();
    search(&mut connection, "public").await;
    let store = open(&database).await;
    store.migrate().await.unwrap();
    store.require_schema().await.unwrap();
}
