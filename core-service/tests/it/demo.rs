//! Demo data: what a first start shows, and what later ones leave as it is.

use std::{
    collections::{BTreeSet, HashSet},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    pin::pin,
    task::Poll,
};

use core_service::{
    Core, Options,
    demo::{self, DemoKey, KeyOrigin},
    email::Mailer,
    service::{Principal, RegistrationFilter},
};
use domain::{
    api_key::PlainKey,
    clock::Clock,
    entropy::Entropy,
    event::{Event, ListedEvent},
    plan::Plan,
    registration::{Companions, Counters, Registration, Status},
};
use muster_api::v1::{CreateEventRequest, CustomField, event_service_client::EventServiceClient};
use storage::{EventFilter, Store};
use tempfile::TempDir;
use test_postgres::Database;
use tonic::Request;

use crate::fixtures::{HOUR, NOW, Rows, add_account, migrate, open};

/// More than the demo has, of whatever is listed.
const ALL: i32 = 1_000;

/// A core as `muster` starts it.
struct Start {
    core: Core,
    store: Store,
    clock: Clock,
    data_dir: TempDir,
}

impl Start {
    async fn new(database: &Database) -> Self {
        let (store, clock) = (open(database).await, Clock::manual(NOW));
        let data_dir = tempfile::tempdir().unwrap();
        let options = Options {
            clock: clock.clone(),
            ..Options::default()
        };
        let sender = "events@muster.example".parse().unwrap();
        let mailer = Mailer::files(data_dir.path().join("mail"), sender);
        let core = Core::compose(store.clone(), mailer, options);
        Self {
            core: core.await.unwrap(),
            store,
            clock,
            data_dir,
        }
    }

    fn key_file(&self) -> PathBuf {
        self.data_dir.path().join("demo.key")
    }

    async fn prepare(&self) -> Option<DemoKey> {
        let prepared = demo::prepare(self.core.use_cases(), self.key_file());
        prepared.await.unwrap()
    }

    async fn prepared(&self) -> (DemoKey, Principal) {
        let key = self.prepare().await.unwrap();
        let caller = self.authenticate(&key).await;
        (key, caller.unwrap())
    }

    async fn authenticate(&self, key: &DemoKey) -> Option<Principal> {
        let header = format!("Bearer {}", key.key.expose());
        let caller = self
            .core
            .use_cases()
            .authenticator
            .authenticate(Some(&header))
            .await;
        caller.ok()
    }

    async fn my_events(&self, caller: &Principal, filter: EventFilter) -> Vec<ListedEvent> {
        let listed = self
            .core
            .use_cases()
            .events
            .list(caller, &filter.into(), None, ALL)
            .await;
        let listed = listed.unwrap();
        assert_eq!(listed.count, i32::try_from(listed.events.len()).unwrap());
        listed.events
    }

    async fn registrations(&self, caller: &Principal, event: &Event) -> Vec<Registration> {
        let use_cases = self.core.use_cases();
        let listed = use_cases
            .registrations
            .list(caller, event.id, &RegistrationFilter::default(), ALL, 0)
            .await;
        listed.unwrap().registrations
    }

    /// Everything the demo consists of.
    async fn everything(&self, caller: &Principal) -> Vec<(Event, Counters, Vec<Registration>)> {
        let mut everything = Vec::new();
        for listed in self.my_events(caller, EventFilter::All).await {
            let whole = self.core.use_cases().events.get(caller, listed.id).await;
            let (event, counters) = whole.unwrap();
            let registrations = self.registrations(caller, &event).await;
            everything.push((event, counters, registrations));
        }
        everything
    }

    async fn is_complete(&self, caller: &Principal) -> bool {
        self.my_events(caller, EventFilter::All).await.len() == 41
            && self
                .core
                .use_cases()
                .catalogue
                .list(ALL, 0)
                .await
                .unwrap()
                .count
                == 30
    }
}

fn file_mode(key: &DemoKey) -> u32 {
    std::fs::metadata(&key.file).unwrap().permissions().mode() & 0o777
}

async fn a_new_database_shows_thirty_varied_events(database: Database) {
    let start = Start::new(&database).await;
    start.prepared().await;
    let page = start.core.use_cases().catalogue.list(ALL, 0).await.unwrap();
    assert_eq!((page.count, page.events.len()), (30, 30));
    let events: Vec<Event> = page.events.into_iter().map(|one| one.event).collect();

    let distinct = |of: fn(&Event) -> &str| events.iter().map(of).collect::<HashSet<_>>().len();
    assert!(distinct(|event| &event.schedule.timezone) >= 25);
    assert!(distinct(|event| event.city.as_deref().unwrap_or_default()) == 30);
    assert_eq!(distinct(|event| &event.slug), 30);
    let count = |is: fn(&Event) -> bool| events.iter().filter(|event| is(event)).count();
    assert_eq!(count(|event| event.image_query.is_some()), 26);
    assert_eq!(count(|event| event.schedule.end.is_none()), 1);
    assert_eq!(count(|event| event.schedule.start.at <= NOW), 1);
    let is_long = |event: &Event| {
        event.schedule.effective_end() > event.schedule.start.at.plus_seconds(24 * HOUR)
    };
    assert_eq!(count(is_long), 6);
    let types: BTreeSet<&str> = events
        .iter()
        .flat_map(|event| &event.custom_fields)
        .map(|field| field.field_type.name())
        .collect();
    let all_types = ["checkbox", "integer", "multi_select", "select", "text"];
    assert!(types.into_iter().eq(all_types));
}

async fn every_filter_and_every_status_shows_something(database: Database) {
    let start = Start::new(&database).await;
    let (_, caller) = start.prepared().await;
    for (filter, count) in [
        (EventFilter::Active, 34),
        (EventFilter::Past, 6),
        (EventFilter::All, 41),
    ] {
        assert_eq!(start.my_events(&caller, filter).await.len(), count);
    }

    let all = start.everything(&caller).await;
    let count = |is: fn(&Event) -> bool| all.iter().filter(|(event, ..)| is(event)).count();
    assert_eq!(count(|event| !event.is_published), 3);
    assert_eq!(count(|event| !event.is_listed), 2);
    assert_eq!(count(|event| event.cancel_reason.is_some()), 2);
    assert_eq!(count(|event| event.is_published && event.has_ended(NOW)), 5);

    let registrations = || all.iter().flat_map(|(.., registrations)| registrations);
    for status in Status::ALL {
        assert!(registrations().any(|one| one.status == status), "{status}");
    }
    let checked_in = registrations().filter(|one| one.checked_in_at.is_some());
    assert_eq!(checked_in.count(), 47);
    assert_eq!(registrations().count(), 437);
}

async fn registrations_agree_with_their_event(database: Database) {
    let start = Start::new(&database).await;
    let (_, caller) = start.prepared().await;
    for (event, counters, registrations) in start.everything(&caller).await {
        let of = |status| {
            let those = registrations.iter().filter(|one| one.status == status);
            i32::try_from(those.count()).unwrap()
        };
        let arrived = registrations
            .iter()
            .filter(|one| one.checked_in_at.is_some());
        let counted = Counters {
            confirmed: of(Status::Confirmed),
            pending: of(Status::Pending),
            unconfirmed: 0,
            held: 0,
            waitlisted: of(Status::Waitlisted),
            cancelled: of(Status::Cancelled),
            checked_in: i32::try_from(arrived.count()).unwrap(),
            companions: Companions::default(),
        };
        assert_eq!(counters, counted, "{}", event.title);
        assert!(counters.confirmed <= event.max_capacity);
        // Who waits would have got a spot that is free.
        assert!(counters.waitlisted == 0 || counters.free(event.max_capacity) == 0);

        let until = NOW.min(event.schedule.start.at);
        assert!(registrations.is_sorted_by_key(|one| one.registered_at));
        for one in &registrations {
            assert!(event.created_at <= one.registered_at && one.registered_at <= until);
            if let Some(at) = one.checked_in_at {
                assert_eq!(one.status, Status::Confirmed);
                assert!(event.schedule.start.at.plus_seconds(-HOUR) < at && at < NOW);
            }
        }
    }
}

async fn every_event_could_have_come_through_the_api(database: Database) {
    let start = Start::new(&database).await;
    let (key, caller) = start.prepared().await;
    let mut client = EventServiceClient::new(start.core.in_process());
    for (event, _, _) in start.everything(&caller).await {
        let is_public = event.is_published && !event.has_ended(NOW);
        let custom_fields = event.custom_fields.into_iter().map(|field| CustomField {
            id: None,
            label: Some(field.label),
            field_type: Some(field.field_type.name().to_owned()),
            required: Some(field.required),
            options: field.options,
        });
        let mut request = Request::new(CreateEventRequest {
            title: Some(event.title),
            description: Some(event.description),
            location: Some(event.location),
            start_date: Some(event.schedule.start.rfc3339()),
            end_date: event.schedule.end.map(|end| end.rfc3339()),
            max_capacity: Some(event.max_capacity),
            is_public: Some(is_public),
            city: event.city,
            image_query: event.image_query,
            custom_fields: custom_fields.collect(),
            timezone: Some(event.schedule.timezone),
            is_listed: Some(event.is_listed),
            requires_approval: Some(event.requires_approval),
            confirm_by_email: Some(event.confirm_by_email),
            allows_answer_changes: Some(event.allows_answer_changes),
            max_party: Some(event.max_party),
            is_location_private: Some(event.is_location_private),
            attendee_info: event.attendee_info,
            registration_opens: None,
            registration_closes: None,
            is_registration_open: None,
            organizer_name: event.organizer_name,
            contact_email: event.contact_email,
            image_variant: Some(event.image_variant),
            reminders: event.reminders.hours().to_vec(),
            empty_lists: None,
        });
        let header = format!("Bearer {}", key.key.expose());
        let metadata = request.metadata_mut();
        metadata.insert("authorization", header.parse().unwrap());
        client.create_event(request).await.unwrap();
    }
}

async fn a_later_start_keeps_data_and_key(database: Database) {
    let start = Start::new(&database).await;
    let (first, caller) = start.prepared().await;
    assert_eq!(first.origin, KeyOrigin::New);
    assert_eq!(first.file, start.key_file());
    assert_eq!(file_mode(&first), 0o600);
    let before = start.everything(&caller).await;

    start.clock.advance_seconds(90 * 24 * HOUR);
    let (second, caller) = start.prepared().await;
    assert_eq!(second.origin, KeyOrigin::Existing);
    assert_eq!(second.key.expose(), first.key.expose());
    assert_eq!(start.everything(&caller).await, before);
    assert_eq!(start.store.list_keys(100).await.unwrap().len(), 1);
}

async fn a_lost_or_useless_key_file_is_replaced(database: Database) {
    let start = Start::new(&database).await;
    let (mut last, _) = start.prepared().await;
    let revoked = start.store.list_keys(1).await.unwrap()[0].0.id;
    for spoil in 0..4 {
        match spoil {
            0 => std::fs::remove_file(&last.file).unwrap(),
            1 => std::fs::write(&last.file, b"\xffno key").unwrap(),
            // A key in good form, of another database.
            2 => {
                let foreign = PlainKey::generate(&Entropy::seeded(3));
                std::fs::write(&last.file, foreign.expose()).unwrap();
            }
            _ => {
                let all = start.store.list_keys(100).await.unwrap();
                for (key, _) in all {
                    start.core.use_cases().keys.revoke(key.id).await.unwrap();
                }
            }
        }
        let (replaced, caller) = start.prepared().await;
        assert_eq!(replaced.origin, KeyOrigin::Replaced);
        assert_ne!(replaced.key.expose(), last.key.expose());
        assert_ne!(caller.actor.key_id(), Some(revoked));
        assert_eq!(file_mode(&replaced), 0o600);
        assert!(start.is_complete(&caller).await);
        last = replaced;
    }
    let (kept, _) = start.prepared().await;
    assert_eq!(kept.origin, KeyOrigin::Existing);
}

async fn a_database_with_accounts_of_its_own_is_left_alone(database: Database) {
    let start = Start::new(&database).await;
    add_account(&start.store, &Rows::new()).await;
    assert!(start.prepare().await.is_none());
    assert!(!start.key_file().exists());
    let demo = start.store.find_account_by_email(demo::EMAIL).await;
    assert_eq!(demo.unwrap(), None);
    let page = start.core.use_cases().catalogue.list(ALL, 0).await.unwrap();
    assert_eq!(page.count, 0);
}

/// Drops a start after more and more steps: a step is whatever happens between two waits for the database. The busier the machine,
/// the more of its answers come in one, and the fewer steps there are.
async fn an_interrupted_start_leaves_nothing_or_everything(database: Database) {
    const MIN: u32 = 5;
    let start = Start::new(&database).await;
    let mut interruptions = 0;
    for steps in (1..).map(|round: u32| round * (round + 1) / 2) {
        let mut polls = 0;
        let mut preparing = pin!(demo::prepare(start.core.use_cases(), start.key_file()));
        let done = std::future::poll_fn(|context| {
            polls += 1;
            if polls > steps {
                return Poll::Ready(None);
            }
            preparing.as_mut().poll(context).map(Some)
        });
        if let Some(done) = done.await {
            let key = done.unwrap().unwrap();
            let caller = start.authenticate(&key).await.unwrap();
            assert!(start.is_complete(&caller).await);
            break;
        }
        interruptions += 1;
        // In this order, since the last commit may still be on its way.
        let found = start.store.find_account_by_email(demo::EMAIL).await;
        let is_there = found.unwrap().is_some();
        let page = start.core.use_cases().catalogue.list(ALL, 0).await.unwrap();
        assert!(page.count == 30 || page.count == 0 && !is_there);
    }
    assert!(interruptions >= MIN, "only {interruptions}");
}

async fn two_first_starts_at_once_make_one_demo(database: Database) {
    let start = Start::new(&database).await;
    let other_dir = tempfile::tempdir().unwrap();
    let (one, other) = tokio::join!(
        start.prepare(),
        demo::prepare(start.core.use_cases(), other_dir.path().join("demo.key"))
    );
    for key in [one.unwrap(), other.unwrap().unwrap()] {
        let caller = start.authenticate(&key).await.unwrap();
        assert!(start.is_complete(&caller).await);
    }
}

async fn the_demo_account_has_a_paid_plan_and_room_for_more(database: Database) {
    let start = Start::new(&database).await;
    let (_, caller) = start.prepared().await;
    let overview = start.core.use_cases().accounts.get(&caller).await.unwrap();
    assert_eq!(overview.account.plan, Plan::Pro);
    assert_eq!(overview.active_events_left(), Some(66));
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_new_database_shows_thirty_varied_events,
    every_filter_and_every_status_shows_something,
    registrations_agree_with_their_event,
    every_event_could_have_come_through_the_api,
    a_later_start_keeps_data_and_key,
    a_lost_or_useless_key_file_is_replaced,
    a_database_with_accounts_of_its_own_is_left_alone,
    an_interrupted_start_leaves_nothing_or_everything,
    two_first_starts_at_once_make_one_demo,
    the_demo_account_has_a_paid_plan_and_room_for_more,
);
