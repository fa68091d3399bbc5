//! Mail, from the job to the mailbox of a real SMTP server that is unreachable, busy, refusing or stuck. In each case every
//! person gets exactly one mail, by its Message-ID, and none is lost.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    sync::Arc,
    time::Duration,
};

use core_service::{
    email::Mailer,
    jobs::{self, MessageJobs, RegistrationMail, Runner},
    service::{MessageMails, NewMessage},
};
use domain::{
    job::JobKind,
    message::GRACE_SECONDS,
    registration::{Registration, Status},
};
use sqlx::Connection as _;
use storage::JobRecord;
use test_postgres::Database;
use test_smtp::{Mail, Reaction, Server, Step};

use crate::{
    fixtures::{HOUR, migrate},
    service::{Instance, public_event},
};

/// The mails of a cancelled event.
pub(crate) const CANCELLATION: (JobKind, i32) = (JobKind::CancellationMail, 0);

/// The longest pause of a destination, jitter included.
const PAUSE: i64 = 360;

/// A core whose mail goes to a server of the test's own.
struct Post {
    instance: Instance,
    server: Server,
    runner: Runner,
}

impl Post {
    async fn open(database: &Database) -> Self {
        Self::patient(database, Duration::from_secs(30)).await
    }

    /// The same, with a limit on how long the server may take for one mail.
    async fn patient(database: &Database, limit: Duration) -> Self {
        let (instance, server) = (Instance::open(database).await, Server::start());
        let mailer = mailer(&server).with_limit(limit);
        let runner = runner(&instance, &mailer);
        Self {
            instance,
            server,
            runner,
        }
    }

    /// An event of so many guests that was just cancelled, so that each is to get a mail.
    async fn cancelled_event(&self, guests: usize) -> Vec<Registration> {
        let olga = self.instance.olga().await;
        let event = self
            .instance
            .create(&olga, public_event("Rust Meetup"))
            .await;
        let statuses = vec![Status::Confirmed; guests];
        let guests = self.instance.register(event.id, &statuses).await;
        let cancelled = self.instance.events.cancel(&olga, event.id, None).await;
        let notified = cancelled.unwrap().registrants_notified;
        assert_eq!(usize::try_from(notified).unwrap(), guests.len());
        guests
    }

    /// Does what is due, and answers how many tries that took.
    async fn drain(&self) -> usize {
        self.runner.drain().await.unwrap()
    }

    /// Lets time pass, an hour at a time, until nothing is left to be done.
    async fn drain_for_days(&self, days: i64) {
        for _ in 0..days * 24 {
            self.drain().await;
            if self.left().await.iter().all(|job| job.failed_at.is_some()) {
                return;
            }
            self.instance.clock.advance_seconds(HOUR);
        }
        panic!("after {days} days there is still something to do");
    }

    /// Lets time pass until what is left is as expected. A busy machine may take too long for a mail that nothing is wrong
    /// with, which then comes again: the number of rounds says nothing.
    async fn drain_until(&self, is_reached: impl Fn(&[JobRecord]) -> bool) {
        for _ in 0..20 {
            self.instance.clock.advance_seconds(PAUSE);
            self.drain().await;
            if is_reached(&self.left().await) {
                return;
            }
        }
        panic!("still left: {:?}", self.left().await);
    }

    async fn left(&self) -> Vec<JobRecord> {
        let store = &self.instance.store;
        store
            .list_jobs(JobKind::CancellationMail, 1_000)
            .await
            .unwrap()
    }
}

pub(crate) fn mailer(server: &Server) -> Mailer {
    let sender = "Muster <events@muster.example>".parse().unwrap();
    Mailer::smtp(&server.url().parse().unwrap(), sender)
}

pub(crate) fn runner(instance: &Instance, mailer: &Mailer) -> Runner {
    let (store, clock) = (&instance.store, &instance.clock);
    let (own, permits) = (&instance.own_registrations, &instance.mail_permits);
    let post = jobs::Post::new(
        store.clone(),
        clock.clone(),
        permits.clone(),
        mailer.clone(),
    );
    let mails = RegistrationMail::new(post, own.clone());
    Runner::new(store.clone(), clock.clone(), vec![Arc::new(mails)])
}

/// Everyone got one mail of a kind, with this occasion, and no mail is anyone else's. What came twice has the same Message-ID.
#[track_caller]
pub(crate) fn assert_one_mail_each(
    mails: &[Mail],
    (kind, occasion): (JobKind, i32),
    guests: &[Registration],
) {
    let mut ids: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for mail in mails {
        let [recipient] = &*mail.recipients else {
            panic!("a mail to {:?}", mail.recipients);
        };
        let id = mail.message_id().unwrap();
        ids.entry(recipient).or_default().insert(id);
    }
    for guest in guests {
        let kind = kind.name();
        let id = format!("<{kind}.{}.{occasion}@muster.example>", guest.id);
        let got = ids.remove(&*guest.email).unwrap_or_default();
        assert_eq!(got, BTreeSet::from([&*id]), "to {}", guest.email);
    }
    assert!(ids.is_empty(), "to strangers: {ids:?}");
}

async fn a_server_that_is_away_for_days_costs_no_mail(database: Database) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(40).await;
    post.server.leave().await;
    // Every job would have used up its tries after two days.
    for _ in 0..4 * 24 {
        post.drain().await;
        post.instance.clock.advance_seconds(HOUR);
    }
    let left = post.left().await;
    assert_eq!(left.len(), 40);
    assert!(
        left.iter()
            .all(|job| (job.tries, job.failed_at) == (0, None))
    );
    let reason = left.iter().find_map(|job| job.last_error.as_deref());
    assert!(reason.unwrap().contains("Connection refused"), "{reason:?}");

    post.server.come_back();
    post.instance.clock.advance_seconds(PAUSE);
    assert_eq!(post.drain().await, 40);
    assert!(post.left().await.is_empty());
    assert_eq!(post.server.mails().len(), 40);
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);
}

async fn a_server_that_wants_few_connections_gets_no_more(database: Database) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(100).await;
    post.server.allow_connections(3);
    // No pause, no second try: a mail without a connection waits for another one.
    assert_eq!(post.drain().await, 100);
    assert!(post.left().await.is_empty());
    assert_eq!(post.server.mails().len(), 100);
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);
    // Each of the 16 slots finds out once or twice, and not again for each mail.
    assert!(
        post.server.connections() <= 3 + 2 * 16,
        "{}",
        post.server.connections()
    );
}

/// Whether a thing fails this time: three times in ten, the same ones in every run, in whatever order they come.
fn unlucky(counts: &mut BTreeMap<String, u32>, what: &str) -> bool {
    let count = counts.entry(what.to_owned()).or_default();
    *count += 1;
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    hasher.hash_one((what, *count)) % 10 < 3
}

async fn three_temporary_failures_in_ten_only_delay(database: Database) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(100).await;
    let mut counts = BTreeMap::new();
    post.server.script(move |step| match step {
        Step::Greeting if unlucky(&mut counts, "greeting") => Reaction::Answer(421),
        Step::Recipient(to) if unlucky(&mut counts, to) => Reaction::Answer(450),
        _ => Reaction::Go,
    });
    post.drain_for_days(7).await;
    assert!(post.left().await.is_empty());
    assert_eq!(post.server.mails().len(), 100);
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);
}

async fn answers_that_are_lost_repeat_mails_and_lose_none(database: Database) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(50).await;
    let mut counts = BTreeMap::new();
    post.server.script(move |step| match step {
        Step::Content(to) if unlucky(&mut counts, to) => Reaction::TakeAndDrop,
        _ => Reaction::Go,
    });
    post.drain_for_days(7).await;
    assert!(post.left().await.is_empty());
    assert!(post.server.mails().len() > 50);
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);
}

async fn a_recipient_who_is_refused_gets_theirs_once_the_mailbox_exists(database: Database) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(5).await;
    let nobody = guests[2].email.clone();
    post.server.script(move |step| match step {
        Step::Recipient(to) if to == nobody => Reaction::Answer(550),
        _ => Reaction::Go,
    });
    assert_eq!(post.drain().await, 5);
    assert_eq!(post.server.mails().len(), 4);
    let (dead, count) = post.instance.mails.list_failed(10).await.unwrap();
    assert_eq!((dead.len(), count), (1, 1));
    assert_eq!(dead[0].job.key.subject_id, guests[2].id.uuid());
    let why = dead[0].job.last_error.as_deref();
    assert_eq!(why, Some("the mail server answers 550 as the script says"));
    post.instance.clock.advance_seconds(1_000 * HOUR);
    assert_eq!(post.drain().await, 0);

    post.server.script(|_| Reaction::Go);
    assert_eq!(post.instance.mails.retry_all().await.unwrap(), 1);
    assert_eq!(post.drain().await, 1);
    assert!(post.left().await.is_empty());
    assert_eq!(post.server.mails().len(), 5);
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);
}

async fn a_server_that_hangs_holds_up_its_mails_and_costs_none(database: Database) {
    let post = Post::patient(&database, Duration::from_secs(1)).await;
    let guests = post.cancelled_event(20).await;
    post.server.script(|step| match step {
        Step::Greeting => Reaction::Hang,
        _ => Reaction::Go,
    });
    assert_eq!(post.drain().await, 16);
    assert!(post.left().await.iter().all(|job| job.tries == 0));

    let stuck = guests[7].email.clone();
    post.server.script(move |step| match step {
        Step::Content(to) if to == stuck => Reaction::Hang,
        _ => Reaction::Go,
    });
    post.drain_until(|left| {
        let mut left = left.iter();
        left.all(|job| job.key.subject_id == guests[7].id.uuid() && job.tries > 0)
    })
    .await;
    assert_eq!(post.left().await.len(), 1);

    post.server.script(|_| Reaction::Go);
    post.instance.clock.advance_seconds(HOUR);
    post.drain_for_days(1).await;
    assert!(post.left().await.is_empty());
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);
}

/// As after an update that was taken back. There are more of those jobs than slots, and they have been due for longer.
async fn jobs_of_a_version_that_this_one_does_not_know_hold_up_no_mail(database: Database) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(20).await;
    for (kind, destination, payload) in [
        ("a_telegram", "mail", "'{\"words\":3}'"),
        ("b_telegram", "a_telegraph", "NULL"),
        ("event_changed_mail", "mail", "'no JSON'"),
        ("registration_cancelled_mail", "mail", "NULL"),
    ] {
        execute(
            &database,
            format!(
                "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at) \
                 SELECT '{kind}', subject_id, 0, '{destination}', {payload}, 0, 0, 0, 0 FROM jobs \
                 WHERE kind = 'cancellation_mail'"
            ),
        )
        .await;
    }
    let stop = server::CancellationToken::new();
    let running = tokio::spawn(post.runner.clone().run(stop.clone()));
    post.server.await_mails(20).await;
    stop.cancel();
    running.await.unwrap();
    post.drain().await;
    assert!(post.left().await.is_empty());
    assert_one_mail_each(&post.server.mails(), CANCELLATION, &guests);

    // A replica of the version that wrote them may yet do them, so they are tried for as long as any other.
    let (failed, _) = post.instance.mails.list_failed(100).await.unwrap();
    assert_eq!(failed, []);
    for _ in 0..3 * 24 {
        post.drain().await;
        post.instance.clock.advance_seconds(HOUR);
    }
    let (failed, count) = post.instance.mails.list_failed(100).await.unwrap();
    assert_eq!((failed.len(), count), (40, 40));
    for mail in failed {
        let reason = mail.job.last_error.unwrap();
        let expected = format!("the payload of {} cannot be read", mail.job.key.kind);
        assert!(reason.starts_with(&expected), "{reason}");
    }
    let waiting = post.instance.store.list_job_queues("", 10).await.unwrap();
    let waiting: Vec<_> = waiting.iter().map(|queue| queue.kind.as_str()).collect();
    assert_eq!(waiting, ["b_telegram", "a_telegram"]);
}

async fn execute(database: &Database, statement: String) {
    let statement = sqlx::raw_sql(sqlx::AssertSqlSafe(statement));
    if database.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(database.url()).await.unwrap();
        statement.execute(&mut connection).await.unwrap();
    } else {
        let connection = sqlx::SqliteConnection::connect(database.url()).await;
        statement.execute(&mut connection.unwrap()).await.unwrap();
    }
}

async fn a_runner_that_works_by_itself_stops_only_when_everything_is_written_down(
    database: Database,
) {
    let post = Post::open(&database).await;
    let guests = post.cancelled_event(100).await;
    let stop = server::CancellationToken::new();
    let running = tokio::spawn(post.runner.clone().run(stop.clone()));
    let server = Arc::new(&post.server);
    server.await_mails(100).await;
    stop.cancel();
    running.await.unwrap();
    assert!(post.left().await.is_empty());
    assert_eq!(server.mails().len(), 100);
    assert_one_mail_each(&server.mails(), CANCELLATION, &guests);
    // Sixteen at a time, by as many connections and not many more.
    assert!(server.connections() <= 2 * 16, "{}", server.connections());
}

async fn a_mail_that_leaves_while_its_message_is_cancelled_counts_as_left(database: Database) {
    let post = Post::open(&database).await;
    let instance = &post.instance;
    let olga = instance.olga().await;
    let event = instance.create(&olga, public_event("Rust Meetup")).await;
    instance.register(event.id, &[Status::Confirmed]).await;
    let new = NewMessage {
        subject: "How to find the door".to_owned(),
        text: "In the **second** yard.".to_owned(),
        ..NewMessage::default()
    };
    let messages = &instance.messages;
    let written = messages.create(&olga, event.id, new).await.unwrap();
    let id = written.message.id;
    instance.clock.advance_seconds(GRACE_SECONDS);
    begin_messages(instance, &mailer(&post.server)).await;

    // The server thinks about the mail until the message is cancelled.
    let (arrived, mut arrivals) = tokio::sync::mpsc::unbounded_channel();
    let (answer, answers) = std::sync::mpsc::channel();
    post.server.script(move |step| {
        if matches!(step, Step::Content(_)) {
            arrived.send(()).unwrap();
            tokio::task::block_in_place(|| answers.recv()).unwrap();
        }
        Reaction::Go
    });
    let cancel = async {
        arrivals.recv().await.unwrap();
        let cancelled = messages.cancel(&olga, event.id, id).await.unwrap();
        answer.send(()).unwrap();
        cancelled.mails
    };
    let (cancelled, _) = tokio::join!(cancel, post.drain());
    let numbers = |mails: MessageMails| [mails.waiting, mails.left, mails.withheld];
    assert_eq!(numbers(cancelled), [0, 0, 1]);
    assert_eq!(post.server.mails().len(), 1);
    let after = messages.get(&olga, event.id, id).await.unwrap();
    assert_eq!(numbers(after.mails), [0, 1, 0]);
}

/// Begins the messages that are due.
async fn begin_messages(instance: &Instance, mailer: &Mailer) {
    let (store, clock) = (&instance.store, &instance.clock);
    let permits = instance.mail_permits.clone();
    let post = jobs::Post::new(store.clone(), clock.clone(), permits, mailer.clone());
    let links = instance.own_registrations.links().clone();
    let begins = MessageJobs::new(instance.messages.clone(), post, links);
    let runner = Runner::new(store.clone(), clock.clone(), vec![Arc::new(begins)]);
    assert_eq!(runner.drain().await.unwrap(), 1);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_mail_that_leaves_while_its_message_is_cancelled_counts_as_left,
    a_server_that_is_away_for_days_costs_no_mail,
    a_server_that_wants_few_connections_gets_no_more,
    three_temporary_failures_in_ten_only_delay,
    answers_that_are_lost_repeat_mails_and_lose_none,
    a_recipient_who_is_refused_gets_theirs_once_the_mailbox_exists,
    a_server_that_hangs_holds_up_its_mails_and_costs_none,
    jobs_of_a_version_that_this_one_does_not_know_hold_up_no_mail,
    a_runner_that_works_by_itself_stops_only_when_everything_is_written_down,
);
