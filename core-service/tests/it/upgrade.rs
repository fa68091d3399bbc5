//! Databases of the first versions, as those left them, with rows of every kind in them. Every later migration runs on them, and
//! what they hold goes on working. The dumps are of databases that version 4 (SQLite) and version 5 (PostgreSQL) of the schema
//! made, and are never edited.

use core_service::service::{Error, EventFilter, MyEventsFilter};
use domain::{
    catalogue::{CatalogueFilter, FilterTexts},
    job::JobKind,
    person::{Rights, Role},
    registration::Status,
};
use sqlx::Connection as _;
use storage::{Options, Purpose, Store};
use test_postgres::{Database, Server};

use crate::{
    fixtures::open,
    mail::{Mail, Mailbox},
    service::{
        Instance,
        guests::{guest, seats},
    },
};

/// A key that the dumps know.
const KEY: &str = "mus_live_OYAeXyHO2R4625RBE7OahdK9FTokYA3qx77T";

/// Until every job of the dumps is due, whatever became of it.
const SECONDS: i64 = 200;

async fn old_sqlite(url: String) {
    let url = format!("{url}?mode=rwc");
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    let dump = sqlx::raw_sql(include_str!("upgrade/sqlite_4.sql"));
    dump.execute(&mut connection).await.unwrap();
    let added = sqlx::raw_sql(ADDED).execute(&mut connection).await;
    assert_eq!(added.unwrap().rows_affected(), 1);
    connection.close().await.unwrap();
}

async fn old_postgres(url: String) {
    let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
    let dump = sqlx::raw_sql(include_str!("upgrade/postgres_5.sql"));
    dump.execute(&mut connection).await.unwrap();
    let added = sqlx::raw_sql(ADDED).execute(&mut connection).await;
    assert_eq!(added.unwrap().rows_affected(), 1);
    connection.close().await.unwrap();
}

/// What the dumps lack: that an organizer added someone, which the audit log alone said.
const ADDED: &str = "UPDATE audit_log SET actor = 'key' WHERE action = 'registration.create' \
     AND subject_id IN (SELECT id FROM registrations WHERE name = 'emil')";

async fn migrated(database: &Database) -> Instance {
    let options = Options::new(database.url(), Purpose::Administer);
    let store = Store::open(&options).await.unwrap();
    let pending = store.pending_migrations().await.unwrap();
    assert_eq!(pending[0], "0006_job_destinations");
    store.migrate().await.unwrap();
    store.close().await;
    assert!(
        open(database)
            .await
            .pending_migrations()
            .await
            .unwrap()
            .is_empty()
    );
    let instance = Instance::open_beside(database).await;
    instance.clock.advance_seconds(SECONDS);
    instance
}

async fn everything_is_kept_and_works(database: Database) {
    let instance = migrated(&database).await;
    let header = format!("Bearer {KEY}");
    let olga = instance
        .authenticator
        .authenticate(Some(&header))
        .await
        .unwrap();
    assert_eq!(instance.keys.list().await.unwrap().len(), 3);
    // A key with all scopes keeps those that there were.
    assert_eq!(
        olga.scopes.joined(" "),
        "events:read events:write events:cancel registrations:read registrations:write registrations:check_in account:read"
    );
    // Whoever an account belonged to is its owner, and is found by the same address.
    let account = instance.accounts.get(&olga).await.unwrap().account;
    let owner = instance.store.find_person_by_email(&account.email);
    let owner = owner.await.unwrap().unwrap();
    assert_eq!(owner.name, account.name);
    let rights = instance.store.find_rights(account.id, owner.id).await;
    assert_eq!(rights.unwrap(), Some(Rights::everywhere(Role::Owner)));
    let listed = instance.catalogue.list(10, 0).await.unwrap();
    let event = |title: &str| {
        let mut events = listed.events.iter().map(|one| &one.event);
        let found = events.find(|event| event.title == title);
        found.unwrap_or_else(|| panic!("{title} is missing"))
    };
    assert_eq!(listed.events.len(), 4);
    assert_eq!(
        instance.standing(event("Full house").id).await,
        [
            ("ada", Status::Cancelled),
            ("bob", Status::Confirmed),
            ("cleo", Status::Cancelled),
            ("dan", Status::Waitlisted),
        ]
        .map(|(name, status)| (name.to_owned(), status))
    );
    let asking = event("Asks first").id;
    let people = instance
        .store
        .list_registrations(asking, 0, 10)
        .await
        .unwrap();
    assert!(people[0].checked_in_at.is_some());
    let (_, counted) = instance.events.get(&olga, asking).await.unwrap();
    assert_eq!((counted.checked_in, counted.awaiting_approval()), (1, 1));
    assert_eq!(
        event("Full house").published_start,
        Some(event("Full house").schedule.start.at)
    );
    let standing = instance
        .store
        .list_registrations(event("Full house").id, 0, 10);
    let mut codes: Vec<_> = standing
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.check_in_code)
        .collect();
    codes.extend(people.iter().map(|one| one.check_in_code.clone()));
    for code in &codes {
        let found = codes.iter().filter(|other| *other == code).count();
        assert_eq!(found, 1, "each has a code of its own");
        let ticket = instance.own_registrations.ticket(code.as_str()).await;
        assert!(ticket.is_ok(), "{ticket:?}");
    }
    let added = async |title: &str| {
        let people = instance.store.list_registrations(event(title).id, 0, 10);
        let people = people.await.unwrap().into_iter();
        let added: Vec<String> = people
            .filter(|one| one.is_added)
            .map(|one| one.name)
            .collect();
        added
    };
    assert_eq!(added("Moved twice").await, ["emil"]);
    assert!(added("Full house").await.is_empty());
    assert_eq!(event("Moved twice").sequence, 2);
    let pictured = event("Pictured");
    let credit = pictured.image_credit.as_ref().unwrap();
    assert_eq!(credit.author.as_deref(), Some("Lukas Rodriguez"));
    let cover = instance.store.find_stock_cover(pictured.id).await.unwrap();
    assert_eq!(cover.unwrap().jpeg, [0xff, 0xd8].as_slice());

    let moved = event("Moved twice");
    let registered = instance
        .registrations
        .register(&moved.slug, guest("zoe"), None);
    registered.await.unwrap();
    let new = instance.create(&olga, seats(1)).await;
    assert!(instance.standing(new.id).await.is_empty());
}

fn told(mails: &[Mail]) -> Vec<(&str, &str)> {
    let mut told: Vec<(&str, &str)> = mails
        .iter()
        .map(|mail| (mail.to.0.as_deref().unwrap_or_default(), &*mail.subject))
        .collect();
    told.sort_unstable();
    told
}

async fn jobs_are_done_as_they_were_meant(database: Database) {
    let instance = migrated(&database).await;
    let (failed, count) = instance.mails.list_failed(10).await.unwrap();
    assert_eq!((failed.len(), count), (2, 2));
    for mail in &failed {
        assert_eq!(mail.job.last_error.as_deref(), Some("answers 550"));
        assert_eq!(mail.job.tries, 1);
    }
    let mailbox = Mailbox::of(&instance);
    let mails = mailbox.collect().await;
    // Of two changes only the later one is told, as long as what the job knows of it was kept.
    let expected = [
        ("bob", "You have a spot: Full house"),
        ("cleo", "Your registration is cancelled: Full house"),
        ("dan", "You are already on the waitlist: Full house"),
        ("dan", "You are on the waitlist: Full house"),
        ("emil", "New time or place: Moved twice"),
        ("emil", "You are registered: Moved twice"),
        ("fay", "Your registration is approved: Asks first"),
        ("gus", "Your registration awaits approval: Asks first"),
        ("ida", "Cancelled: Called off"),
    ];
    assert_eq!(told(&mails), expected);
    let of_cleo = mails
        .iter()
        .find(|mail| mail.subject.starts_with("Your registration is c"));
    assert_eq!(of_cleo.unwrap().calendar, None, "cleo never held a seat");

    assert_eq!(instance.mails.retry_all().await.unwrap(), 2);
    let mails = mailbox.collect().await;
    let expected = [
        ("ada", "Your registration is cancelled: Full house"),
        ("hal", "Cancelled: Called off"),
    ];
    assert_eq!(told(&mails), expected);
    assert!(mails[0].calendar.is_some(), "ada held a seat");
    for kind in JobKind::MAILS {
        assert_eq!(
            instance.store.list_jobs(kind, 10).await.unwrap(),
            [],
            "{kind}"
        );
    }
    // What nobody does here waits.
    let covers = instance.store.list_jobs(JobKind::StockCover, 10).await;
    assert_eq!(covers.unwrap().len(), 1);
}

async fn searching_begins_when_everything_is_indexed(database: Database) {
    let instance = migrated(&database).await;
    let texts = FilterTexts {
        q: Some("full hou"),
        ..FilterTexts::default()
    };
    let filter = CatalogueFilter::read(texts).unwrap().unwrap();
    let search = || instance.catalogue.search(&filter, 10, 0);
    assert!(matches!(search().await, Err(Error::IndexIncomplete)));
    assert_eq!(instance.catalogue.list(10, 0).await.unwrap().count, 4);
    let header = format!("Bearer {KEY}");
    let olga = instance.authenticator.authenticate(Some(&header)).await;
    let olga = olga.unwrap();
    let mine = MyEventsFilter {
        text: Some("FULL hou".to_owned()),
        ..EventFilter::All.into()
    };
    let own = || instance.events.list(&olga, &mine, None, 10);
    assert!(matches!(own().await, Err(Error::IndexIncomplete)));
    let all = EventFilter::All.into();
    let all = instance.events.list(&olga, &all, None, 10).await.unwrap();
    let full_house = all
        .events
        .iter()
        .find(|one| one.title == "Full house")
        .unwrap();
    let waits = async || {
        let waits = instance.store.has_unfolded_registrations(full_house.id);
        waits.await.unwrap()
    };
    assert!(waits().await);
    instance.maintain().await;
    assert!(!waits().await);
    assert_eq!(own().await.unwrap().count, 1);
    let found = search().await.unwrap();
    assert_eq!(found.count, 1);
    assert_eq!(found.events[0].event.title, "Full house");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sqlite_file_of_version_4_is_upgraded() {
    everything_is_kept_and_works(Database::new_sqlite(old_sqlite).await).await;
    jobs_are_done_as_they_were_meant(Database::new_sqlite(old_sqlite).await).await;
    let database = Database::new_sqlite(old_sqlite).await;
    Box::pin(searching_begins_when_everything_is_indexed(database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgres_database_of_version_5_is_upgraded() {
    let Some(server) = Server::start() else {
        return;
    };
    everything_is_kept_and_works(Database::on(&server, old_postgres).await).await;
    jobs_are_done_as_they_were_meant(Database::on(&server, old_postgres).await).await;
    let database = Database::on(&server, old_postgres).await;
    Box::pin(searching_begins_when_everything_is_indexed(database)).await;
}

/// The index of the search, which core makes anew, and what sqlx keeps of migrations.
const NOT_COPIED: [&str; 2] = ["_sqlx_migrations", "catalogue_entries"];

#[tokio::test]
async fn the_guide_to_postgresql_copies_every_table_after_those_it_refers_to() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, old_postgres).await;
    migrated(&database).await;
    let mut connection = sqlx::PgConnection::connect(database.url()).await.unwrap();
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    let references: Vec<(String, String)> = sqlx::query_as(
        "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();

    let guide = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../content/guides/from-sqlite-to-postgresql.md"
    ));
    let (_, list) = guide.split_once("  echo ").unwrap();
    let (list, _) = list.split_once('}').unwrap();
    let copied: Vec<&str> = list
        .split_whitespace()
        .filter(|word| *word != "\\")
        .collect();
    for table in &tables {
        let is_copied = copied.contains(&table.as_str());
        let is_left_out = NOT_COPIED.contains(&table.as_str());
        assert!(is_copied != is_left_out, "{table}");
    }
    let place = |table: &str| copied.iter().position(|copied| *copied == table);
    let references = references.iter();
    for (table, referred) in references.filter(|(table, _)| place(table).is_some()) {
        assert!(place(referred) <= place(table), "{table} needs {referred}");
    }
}
