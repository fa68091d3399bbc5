//! When registrants are told of a new time or place: once, after the last change, and only of what they do not know.

use core_service::service::{Error, LimitSettings, Policy, Principal};
use domain::{
    change::Change,
    event::{Event, EventPatch, NewEvent},
    job::{Destination, JobKind},
    plan::{Plan, Plans},
    rate::{Limit, MailboxLimits, Period},
};
use test_postgres::Database;

use super::Mailbox;
use crate::{
    fixtures::migrate,
    service::{
        Instance,
        guests::{guest, seats},
        policy,
    },
};

const MINUTE: i64 = 60;

const NEWS: &str = "New time or place: Rust Meetup";

fn to(location: &str) -> EventPatch {
    EventPatch {
        location: Change::Set(location.to_owned()),
        ..EventPatch::default()
    }
}

/// An event in a hall, whose registrants have read all mails so far.
struct Scene {
    instance: Box<Instance>,
    mailbox: Mailbox,
    olga: Principal,
    event: Event,
}

impl Scene {
    async fn set(database: &Database, guests: &[&str]) -> Self {
        let instance = Box::new(Instance::open(database).await);
        Self::on(instance, Plan::Business, guests).await
    }

    async fn on(instance: Box<Instance>, plan: Plan, guests: &[&str]) -> Self {
        let olga = instance.caller("olga@example.org", plan).await;
        let mailbox = Mailbox::of(&instance);
        let event = instance.create(&olga, seats(9)).await;
        for name in guests {
            instance.register_guest(&event, name).await;
        }
        mailbox.collect().await;
        Self {
            instance,
            mailbox,
            olga,
            event,
        }
    }

    /// One more event with a guest.
    async fn another(&self, new: NewEvent, guests: &[&str]) -> Event {
        let event = self.instance.create(&self.olga, new).await;
        for name in guests {
            self.instance.register_guest(&event, name).await;
        }
        event
    }

    /// Answers how many the change is said to mail.
    async fn change(&self, patch: EventPatch) -> i32 {
        self.change_of(&self.event, patch).await.unwrap()
    }

    async fn change_of(&self, event: &Event, patch: EventPatch) -> Result<i32, Error> {
        let updated = self.instance.events.update(&self.olga, event.id, patch);
        updated.await.map(|updated| updated.notified)
    }

    fn pass(&self, seconds: i64) {
        self.instance.clock.advance_seconds(seconds);
    }

    /// Has everything sent that is due; answers to whom what was sent, with the place in it.
    async fn told(&self) -> Vec<(String, String, String)> {
        let mails = self.mailbox.collect().await;
        let mut told: Vec<_> = mails
            .into_iter()
            .map(|mail| {
                let places = ["Hall", "Betahaus", "Tempelhof", "xHain"];
                // The former place stands behind these words.
                let lines = mail.text.lines();
                let now: String = lines.filter(|line| !line.contains("instead of")).collect();
                let place = places.iter().find(|place| now.contains(**place));
                let name = mail.to.0.unwrap_or_default();
                (name, mail.subject, (*place.unwrap()).to_owned())
            })
            .collect();
        told.sort();
        told
    }

    async fn daily_mails(&self) -> i32 {
        let account = self.instance.accounts.get(&self.olga).await;
        account.unwrap().daily_mails
    }
}

fn expected(told: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    let owned = |(name, subject, place): &(&str, &str, &str)| {
        let [name, subject, place] = [name, subject, place].map(|text| (*text).to_owned());
        (name, subject, place)
    };
    told.iter().map(owned).collect()
}

async fn many_changes_are_one_mail_five_minutes_after_the_last(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    for number in 0..20 {
        scene.change(to(&format!("Buy at shop-{number}"))).await;
        scene.pass(10);
        assert_eq!(scene.told().await, []);
    }
    scene.change(to("Betahaus")).await;
    scene.pass(5 * MINUTE - 1);
    assert_eq!(scene.told().await, []);
    scene.pass(1);
    let once = expected(&[("ada", NEWS, "Betahaus")]);
    assert_eq!(scene.told().await, once);
    scene.pass(50 * MINUTE);
    assert_eq!(scene.told().await, []);
}

async fn whoever_keeps_changing_is_told_of_after_fifteen_minutes(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    for minute in 0..15 {
        let place = if minute % 2 == 0 { "Betahaus" } else { "Hall" };
        scene.change(to(place)).await;
        assert_eq!(scene.told().await, [], "after {minute} minutes");
        scene.pass(MINUTE);
    }
    assert_eq!(scene.told().await, expected(&[("ada", NEWS, "Betahaus")]));
    // The next change has minutes of its own.
    scene.change(to("Tempelhof")).await;
    scene.pass(5 * MINUTE - 1);
    assert_eq!(scene.told().await, []);
    scene.pass(1);
    assert_eq!(scene.told().await, expected(&[("ada", NEWS, "Tempelhof")]));
}

async fn a_change_that_is_undone_mails_nobody(database: Database) {
    let scene = Scene::set(&database, &["ada", "bob"]).await;
    assert_eq!(scene.daily_mails().await, 0);
    assert_eq!(scene.change(to("Betahaus")).await, 2);
    assert_eq!(scene.daily_mails().await, 2);
    scene.pass(MINUTE);
    assert_eq!(scene.change(to("Hall")).await, 0);
    scene.pass(5 * MINUTE);
    assert_eq!(scene.told().await, []);
    assert_eq!(scene.daily_mails().await, 0);
}

async fn each_is_told_only_what_they_do_not_know(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    let (instance, id) = (&scene.instance, scene.event.id);
    let reworded = EventPatch {
        description: Change::Set("Other words.".to_owned()),
        ..EventPatch::default()
    };
    assert_eq!(scene.change(reworded).await, 0);
    assert_eq!(scene.change(to("Betahaus")).await, 1);
    // This one registers for what it is now, and so knows it.
    instance.register_guest(&scene.event, "bob").await;
    let gone = instance.registrations.add(&scene.olga, id, guest("cleo"));
    let gone = gone.await.unwrap().id;
    let cancelled = instance.registrations.cancel(&scene.olga, id, gone);
    cancelled.await.unwrap();
    scene.mailbox.collect().await;
    scene.pass(5 * MINUTE);
    assert_eq!(scene.told().await, expected(&[("ada", NEWS, "Betahaus")]));

    // Undone for those who knew the place before, and a change for who registered meanwhile.
    scene.change(to("Tempelhof")).await;
    instance.register_guest(&scene.event, "dan").await;
    scene.mailbox.collect().await;
    assert_eq!(scene.change(to("Betahaus")).await, 1);
    scene.pass(5 * MINUTE);
    assert_eq!(scene.told().await, expected(&[("dan", NEWS, "Betahaus")]));
}

async fn another_mail_that_says_it_is_enough(database: Database) {
    let scene = Scene::set(&database, &["ada", "bob"]).await;
    scene.change(to("Betahaus")).await;
    scene.instance.register_guest(&scene.event, "ada").await;
    let again = "You are already registered: Rust Meetup";
    assert_eq!(scene.told().await, expected(&[("ada", again, "Betahaus")]));
    scene.pass(5 * MINUTE);
    assert_eq!(scene.told().await, expected(&[("bob", NEWS, "Betahaus")]));
    // One knows it from the other mail.
    scene.change(to("Hall")).await;
    scene.pass(5 * MINUTE);
    let both = [("ada", NEWS, "Hall"), ("bob", NEWS, "Hall")];
    assert_eq!(scene.told().await, expected(&both));
}

async fn of_a_cancelled_event_only_the_cancellation_is_told(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    scene.change(to("Betahaus")).await;
    let events = &scene.instance.events;
    let cancelled = events.cancel(&scene.olga, scene.event.id, None);
    assert_eq!(cancelled.await.unwrap().registrants_notified, 1);
    let off = "Cancelled: Rust Meetup";
    assert_eq!(scene.told().await, expected(&[("ada", off, "Betahaus")]));
    scene.pass(20 * MINUTE);
    assert_eq!(scene.told().await, []);
    assert_eq!(scene.daily_mails().await, 0);
    let kind = JobKind::EventAnnouncement;
    let waiting = scene.instance.store.list_jobs(kind, 10).await;
    assert_eq!(waiting.unwrap(), []);
}

async fn a_change_while_mails_are_about_to_be_scheduled_moves_them(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    scene.change(to("Betahaus")).await;
    scene.pass(5 * MINUTE);
    // A runner has claimed the job, and has not begun yet.
    let (store, now) = (&scene.instance.store, scene.instance.clock.now());
    let mut tx = store.begin().await.unwrap();
    let (destination, kind) = (Destination::DATABASE, JobKind::EventAnnouncement);
    let leased_until = now.plus_seconds(MINUTE);
    let claimed = tx.claim_jobs(&destination, kind, now, leased_until, 1);
    let claimed = claimed.await.unwrap();
    tx.commit().await.unwrap();
    scene.change(to("Tempelhof")).await;
    let mut tx = store.begin().await.unwrap();
    assert_eq!(tx.finish_jobs(&[&claimed[0]]).await.unwrap(), 0);
    drop(tx);
    scene.pass(5 * MINUTE - 1);
    assert_eq!(scene.told().await, []);
    scene.pass(1);
    assert_eq!(scene.told().await, expected(&[("ada", NEWS, "Tempelhof")]));
}

async fn a_recipient_of_many_mails_gets_the_rest_later(database: Database) {
    let limits = LimitSettings {
        mailboxes: MailboxLimits {
            all: Limit::Off,
            by_organizers: Limit::new(2, Period::Hour),
        },
        ..LimitSettings::OFF
    };
    let limited = Policy { limits, ..policy() };
    let instance = Instance::open_under(&database, limited).await;
    let scene = Scene::on(Box::new(instance), Plan::Business, &["ada"]).await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(scene.another(seats(9), &["ada"]).await);
    }
    scene.mailbox.collect().await;
    for event in &others {
        let changed = scene.change_of(event, to("Betahaus"));
        changed.await.unwrap();
    }
    scene.pass(5 * MINUTE);
    let first = [("ada", NEWS, "Betahaus"), ("ada", NEWS, "Betahaus")];
    assert_eq!(scene.told().await, expected(&first));
    let kind = JobKind::EventChangedMail;
    let waiting = scene.instance.store.list_jobs(kind, 10).await.unwrap();
    let state: Vec<_> = waiting
        .iter()
        .map(|job| (job.tries, job.failed_at))
        .collect();
    assert_eq!(state, [(0, None)]);
    let mut later = Vec::new();
    for _ in 0..9 {
        scene.pass(8 * MINUTE);
        later.extend(scene.told().await);
    }
    assert_eq!(later, expected(&[("ada", NEWS, "Betahaus")]));
    assert_eq!(scene.instance.store.list_jobs(kind, 10).await.unwrap(), []);
}

async fn the_daily_quota_is_checked_before_anything_is_written(database: Database) {
    let mut plans = Plans::DEFAULT;
    plans.daily_mails = plans.daily_mails.with("free=3").unwrap();
    let instance = Instance::open_under(&database, Policy { plans, ..policy() }).await;
    let scene = Scene::on(Box::new(instance), Plan::Free, &["ada", "bob"]).await;
    let (instance, olga) = (&scene.instance, &scene.olga);
    let other = scene.another(seats(9), &["ada"]).await;
    let add = async |name: &str| {
        instance
            .registrations
            .add(olga, other.id, guest(name))
            .await
    };
    scene.change(to("Betahaus")).await;
    scene.change(to("Tempelhof")).await;
    assert_eq!(scene.daily_mails().await, 2, "one mail each");
    add("cleo").await.unwrap();
    let again = add("cleo").await;
    assert!(matches!(again, Err(Error::AlreadyRegistered)), "{again:?}");

    let renamed = EventPatch {
        title: Change::Set("Rust Night".to_owned()),
        ..to("xHain")
    };
    let refused = scene.change_of(&other, renamed).await;
    let Err(Error::DailyMails { exceeded, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!((exceeded.limit, exceeded.used, exceeded.needed), (3, 3, 2));
    assert_eq!(exceeded.resets_at.to_string(), "2030-01-02T00:00:00Z");
    let refused = add("dan").await;
    let is_refused = matches!(refused, Err(Error::DailyMails { .. }));
    assert!(is_refused, "{refused:?}");
    let (unchanged, counters) = instance.events.get(olga, other.id).await.unwrap();
    assert_eq!((&unchanged, counters.active()), (&other, 2));
    // What is counted already may still change, and the public registers as before.
    scene.change(to("Betahaus")).await;
    instance.register_guest(&other, "emil").await;
    assert_eq!(scene.daily_mails().await, 3);

    // The events are over by then.
    scene.pass(24 * 60 * MINUTE);
    assert_eq!(scene.daily_mails().await, 0);
    let tomorrow = NewEvent {
        start_date: "2030-01-03T01:00:00Z".to_owned(),
        end_date: None,
        ..seats(9)
    };
    let guests = ["ada", "bob", "cleo", "dan"];
    let large = scene.another(tomorrow, &guests).await;
    // More people than the quota: an unused day is enough.
    scene.change_of(&large, to("xHain")).await.unwrap();
    assert_eq!(scene.daily_mails().await, 3);
}

/// Two cores: what waits is in the database.
async fn any_core_tells_what_another_one_changed(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    scene.change(to("Betahaus")).await;
    let second = Instance::open_beside(&database).await;
    let its_mailbox = Mailbox::of(&second);
    second.clock.advance_seconds(MINUTE);
    let changed = second
        .events
        .update(&scene.olga, scene.event.id, to("Tempelhof"));
    changed.await.unwrap();
    scene.pass(5 * MINUTE);
    assert_eq!(scene.told().await, []);
    scene.pass(MINUTE);
    second.clock.advance_seconds(5 * MINUTE);
    let mut mails = 0;
    for _ in 0..2 {
        let (ours, theirs) = tokio::join!(scene.told(), its_mailbox.collect());
        mails += ours.len() + theirs.len();
    }
    assert_eq!(mails, 1);
}

async fn a_restart_changes_nothing(database: Database) {
    let scene = Scene::set(&database, &["ada"]).await;
    scene.change(to("Betahaus")).await;
    scene.instance.store.close().await;
    drop(scene);
    let again = Instance::open_beside(&database).await;
    let mailbox = Mailbox::of(&again);
    again.clock.advance_seconds(5 * MINUTE - 1);
    assert_eq!(mailbox.collect().await.len(), 0);
    again.clock.advance_seconds(1);
    assert_eq!(mailbox.collect().await.len(), 1);
}

test_postgres::on_both_engines!(prepare: migrate;
    many_changes_are_one_mail_five_minutes_after_the_last,
    whoever_keeps_changing_is_told_of_after_fifteen_minutes,
    a_change_that_is_undone_mails_nobody,
    each_is_told_only_what_they_do_not_know,
    another_mail_that_says_it_is_enough,
    of_a_cancelled_event_only_the_cancellation_is_told,
    a_change_while_mails_are_about_to_be_scheduled_moves_them,
    a_recipient_of_many_mails_gets_the_rest_later,
    the_daily_quota_is_checked_before_anything_is_written,
    a_restart_changes_nothing;
    on_postgres: any_core_tells_what_another_one_changed,
);
