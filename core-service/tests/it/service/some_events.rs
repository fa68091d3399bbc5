//! Members for some events of an account only.

use core_service::service::{
    ActivityFilter, DoorPlace, Error, EventChoice, EventFilter, NewInvitation, NewPosition,
    Principal,
};
use domain::{
    activity::Activity,
    change::Change,
    event::{Event, EventPatch, NewEvent},
    ids::{EventId, PersonId},
    organizer_mail::MailChoice,
    person::{Member, Reach, Rights, Role},
    plan::Plan,
    scope::Scope,
    violation::FieldViolation,
};
use test_postgres::Database;

use super::{
    Instance,
    guests::{guest, seats},
    people::Someone,
    public_event,
};
use crate::{
    fixtures::migrate,
    mail::{Mail, Mailbox},
};

/// Longer than any core trusts a credential that it has looked up.
const TRUST_OVER: i64 = 5;

/// An account with two events, and someone who is a member for the first one.
struct Scene {
    owner: Someone,
    olga: Principal,
    member: Someone,
    theirs: Event,
    other: Event,
}

fn only(events: &[EventId]) -> EventChoice {
    EventChoice::Only(events.to_vec())
}

fn invited(email: &str, role: Role, events: EventChoice) -> NewInvitation {
    NewInvitation {
        email: email.to_owned(),
        role,
        events,
    }
}

fn to(role: Role, events: EventChoice) -> NewPosition {
    NewPosition {
        role,
        events: Some(events),
    }
}

fn titled(title: &str) -> EventPatch {
    EventPatch {
        title: Change::Set(title.to_owned()),
        ..EventPatch::default()
    }
}

fn titles(member: &Member) -> Vec<&str> {
    member.events.iter().map(|one| &*one.title).collect()
}

/// The field that an invalid request is about.
fn field<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    match answer {
        Err(Error::Invalid(violations)) => {
            let [FieldViolation { field, .. }] = &violations[..] else {
                panic!("{violations:?}");
            };
            field.clone()
        }
        other => panic!("{other:?}"),
    }
}

impl Instance {
    async fn scene(&self, role: Role) -> Scene {
        let owner = self.someone("olga@example.org", 1).await;
        let olga = self.standing_of(&owner).await;
        let paid = self.accounts.set_plan(olga.account, Plan::Pro).await;
        paid.unwrap();
        let theirs = self.create(&olga, seats(5)).await;
        let other = self.create(&olga, public_event("Picnic")).await;
        let mut member = self.someone("dora@example.org", 2).await;
        let invitation = invited("dora@example.org", role, only(&[theirs.id]));
        let sent = self.members.invite(&olga, &owner.by, invitation).await;
        let id = sent.unwrap().invitation.id;
        let (_, token) = self.members.accept(&member.by, id).await.unwrap();
        self.renewed(&mut member, token).await;
        Scene {
            owner,
            olga,
            member,
            theirs,
            other,
        }
    }

    async fn member_of(&self, olga: &Principal, person: PersonId) -> Member {
        let (members, _) = self.members.list(olga).await.unwrap();
        let mut members = members.into_iter();
        members.find(|one| one.person.id == person).unwrap()
    }

    /// Gives a person another address.
    async fn address(&self, person: PersonId, email: &str) {
        let before = self.store.find_person(person).await.unwrap().unwrap();
        let mut tx = self.store.begin().await.unwrap();
        let moved = domain::person::Person {
            email: email.to_owned(),
            ..before
        };
        tx.update_person(&moved).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The titles of the events that are listed to someone.
    async fn listed(&self, caller: &Principal) -> Vec<String> {
        let filter = EventFilter::Active.into();
        let list = self.events.list(caller, &filter, None, 10).await.unwrap();
        assert_eq!(usize::try_from(list.count), Ok(list.events.len()));
        list.events.into_iter().map(|one| one.title).collect()
    }
}

async fn a_limited_organizer_runs_their_event_and_sees_no_other(database: Database) {
    let instance = Instance::open(&database).await;
    let scene = instance.scene(Role::Organizer).await;
    let dora = instance.standing_of(&scene.member).await;
    assert_eq!(dora.reach, Reach::EventsOf(scene.member.by.person));
    assert!(!dora.scopes.contain(Scope::KeysWrite) && !dora.scopes.contain(Scope::AccountRead));
    assert_eq!(instance.listed(&dora).await, ["Rust Meetup"]);
    assert_eq!(instance.listed(&scene.olga).await.len(), 2);

    let events = &instance.events;
    let changed = events.update(&dora, scene.theirs.id, titled("Rust Night"));
    assert_eq!(changed.await.unwrap().event.title, "Rust Night");
    let refused = [
        events.get(&dora, scene.other.id).await.map(drop),
        events
            .update(&dora, scene.other.id, titled("Mine"))
            .await
            .map(drop),
        events.cancel(&dora, scene.other.id, None).await.map(drop),
        instance
            .registrations
            .add(&dora, scene.other.id, guest("Ada"))
            .await
            .map(drop),
    ];
    for answer in refused {
        assert!(
            matches!(answer, Err(Error::NotFound { what: "event" })),
            "{answer:?}"
        );
    }
    let (untouched, _) = events.get(&scene.olga, scene.other.id).await.unwrap();
    assert_eq!(untouched.title, "Picnic");
    let added = instance
        .registrations
        .add(&dora, scene.theirs.id, guest("Ada"));
    added.await.unwrap();
}

async fn a_limited_door_checks_in_only_at_their_events_also_by_code(database: Database) {
    let instance = Instance::open(&database).await;
    let scene = instance.scene(Role::Door).await;
    let dora = instance.standing_of(&scene.member).await;
    let ada = instance.asked(&scene.theirs, guest("ada")).await;
    let bob = instance.asked(&scene.other, guest("bob")).await;
    let door = &instance.registrations;
    for place in [DoorPlace::Anywhere, DoorPlace::At(scene.other.id)] {
        let code = bob.check_in_code.as_str();
        for answer in [
            door.get_by_code(&dora, code, place).await.map(drop),
            door.check_in_by_code(&dora, code, place, None)
                .await
                .map(drop),
        ] {
            assert!(matches!(answer, Err(Error::NotFound { .. })), "{answer:?}");
        }
    }
    let there = door.check_in(&dora, scene.other.id, bob.id, None).await;
    assert!(matches!(there, Err(Error::NotFound { .. })), "{there:?}");
    let codes = door.door_codes(&dora, scene.other.id).await;
    assert!(matches!(codes, Err(Error::NotFound { .. })), "{codes:?}");
    let arrival =
        door.check_in_by_code(&dora, ada.check_in_code.as_str(), DoorPlace::Anywhere, None);
    assert!(!arrival.await.unwrap().was_checked_in);
}

async fn a_change_of_events_counts_within_seconds_on_every_core(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let scene = instance.scene(Role::Organizer).await;
    let (members, person) = (&instance.members, scene.member.by.person);
    let reach = async || {
        instance.clock.advance_seconds(TRUST_OVER);
        let caller = replica.standing_of(&scene.member).await;
        (caller.reach, replica.listed(&caller).await)
    };
    let limited = Reach::EventsOf(person);
    assert_eq!(reach().await, (limited, vec!["Rust Meetup".to_owned()]));

    let moved = members.change_role(&scene.olga, person, to(Role::Door, only(&[scene.other.id])));
    let moved = moved.await.unwrap();
    assert_eq!(moved.rights.role, Role::Door);
    assert_eq!(titles(&moved), ["Picnic"]);
    assert_eq!(reach().await, (limited, vec!["Picnic".to_owned()]));

    // Another role alone is for the same events.
    let promoted = members.change_role(&scene.olga, person, Role::Organizer);
    assert_eq!(titles(&promoted.await.unwrap()), ["Picnic"]);

    let everywhere =
        members.change_role(&scene.olga, person, to(Role::Organizer, EventChoice::All));
    let everywhere = everywhere.await.unwrap();
    assert_eq!(everywhere.rights, Rights::everywhere(Role::Organizer));
    assert!(everywhere.events.is_empty());
    let (all, listed) = reach().await;
    assert_eq!((all, listed.len()), (Reach::Account, 2));
    // A key of theirs is worth less, too, once they are.
    let key = instance
        .make_key(&instance.standing_of(&scene.member).await, &scene.member)
        .await;
    assert_eq!(instance.use_key(&key).await.unwrap().reach, Reach::Account);
    let narrowed = members.change_role(
        &scene.olga,
        person,
        to(Role::Organizer, only(&[scene.theirs.id])),
    );
    narrowed.await.unwrap();
    instance.clock.advance_seconds(TRUST_OVER);
    let by_key = instance.use_key(&key).await.unwrap();
    assert_eq!(by_key.reach, limited);
    assert_eq!(instance.listed(&by_key).await, ["Rust Meetup"]);
    // Who removes them gets no old secret that would see more than it did.
    let removed = members.remove(&scene.olga, &scene.owner.by, person, Some(3_600));
    assert_eq!(removed.await.unwrap().kept.len(), 1);
    instance.clock.advance_seconds(TRUST_OVER);
    let old = instance.use_key(&key).await;
    assert!(matches!(old, Err(Error::Unauthorized)), "{old:?}");
}

async fn what_is_chosen_must_be_events_of_the_account_and_not_for_owners(database: Database) {
    let instance = Instance::open(&database).await;
    let scene = instance.scene(Role::Door).await;
    let foreign = instance.caller("mallory@example.org", Plan::Pro).await;
    let foreign = instance.create(&foreign, public_event("Foreign")).await;
    let nobody = EventId::new(uuid::Uuid::nil());
    let person = scene.member.by.person;
    let many: Vec<EventId> = (0..=100)
        .map(|number| EventId::new(uuid::Uuid::from_u128(number)))
        .collect();
    for (role, choice, wrong) in [
        (Role::Owner, only(&[scene.theirs.id]), "events"),
        (Role::Door, only(&[]), "events.ids"),
        (
            Role::Door,
            only(&[scene.theirs.id, foreign.id]),
            "events.ids",
        ),
        (Role::Organizer, only(&[nobody]), "events.ids"),
        (Role::Organizer, only(&many), "events.ids"),
    ] {
        let invitation = invited("new@example.org", role, choice.clone());
        let sent = instance
            .members
            .invite(&scene.olga, &scene.owner.by, invitation);
        assert_eq!(field(sent.await), wrong, "{choice:?}");
        let moved = instance
            .members
            .change_role(&scene.olga, person, to(role, choice.clone()));
        assert_eq!(field(moved.await), wrong, "{choice:?}");
    }
    let owner = instance
        .members
        .change_role(&scene.olga, person, Role::Owner);
    assert_eq!(field(owner.await), "events");
    let member = instance.member_of(&scene.olga, person).await;
    assert_eq!(titles(&member), ["Rust Meetup"]);
    // Twice the same is once.
    let twice = only(&[scene.other.id, scene.other.id]);
    let moved = instance
        .members
        .change_role(&scene.olga, person, to(Role::Door, twice));
    assert_eq!(titles(&moved.await.unwrap()), ["Picnic"]);
}

async fn an_invitation_names_a_few_of_its_events_and_is_replaced_with_them(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let owner = instance.someone("olga@example.org", 1).await;
    let olga = instance.standing_of(&owner).await;
    let paid = instance.accounts.set_plan(olga.account, Plan::Pro).await;
    paid.unwrap();
    let mut ids = Vec::new();
    let titles = ["One", "Two", "visit evil.example/now", "Four", "Five"];
    for (day, title) in (1..).zip(titles) {
        let new = NewEvent {
            start_date: format!("2031-05-0{day}T18:00:00Z"),
            end_date: None,
            ..public_event(title)
        };
        ids.push(instance.create(&olga, new).await.id);
    }
    mailbox.collect().await;
    let invite = async |events: EventChoice| {
        let invitation = invited("dora@example.org", Role::Door, events);
        let sent = instance.members.invite(&olga, &owner.by, invitation).await;
        (sent.unwrap(), mailbox.collect().await.remove(0))
    };
    let said = |mail: &Mail| mail.text.replace('\n', " ");
    let (sent, mail) = invite(only(&ids)).await;
    assert_eq!(sent.events.len(), 5);
    let words = "to check people in at the door of \"One\", \"Two\", an event and 2 more.";
    assert!(said(&mail).contains(words), "{}", mail.text);
    assert!(!mail.text.contains("evil.example") && !mail.html.contains("evil.example"));
    let (sent, mail) = invite(only(&ids[3..4])).await;
    assert!(
        said(&mail).contains("at the door of \"Four\"."),
        "{}",
        mail.text
    );

    let mut dora = instance.someone("dora@example.org", 2).await;
    let view = instance.sessions.get(&dora.by).await.unwrap();
    assert_eq!(view.invitations, std::slice::from_ref(&sent));
    let (_, listed) = instance.members.list(&olga).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&sent));
    let accepted = instance.members.accept(&dora.by, sent.invitation.id).await;
    instance.renewed(&mut dora, accepted.unwrap().1).await;
    let dora = instance.standing_of(&dora).await;
    assert_eq!(instance.listed(&dora).await, ["Four"]);
}

async fn who_is_invited_twice_gets_no_more_than_either_says(database: Database) {
    let instance = Instance::open(&database).await;
    let scene = instance.scene(Role::Door).await;
    let person = scene.member.by.person;
    let mut member = scene.member;
    let mut accepted = async |role, events| {
        // Nobody invites a member; this was to an address that the member has by now.
        let invitation = invited("other@example.org", role, events);
        let sent = instance
            .members
            .invite(&scene.olga, &scene.owner.by, invitation);
        let id = sent.await.unwrap().invitation.id;
        instance.address(person, "other@example.org").await;
        let (_, token) = instance.members.accept(&member.by, id).await.unwrap();
        instance.renewed(&mut member, token).await;
        instance.address(person, "dora@example.org").await;
        instance.member_of(&scene.olga, person).await
    };
    let both = accepted(Role::Door, only(&[scene.other.id])).await;
    let mut names = titles(&both);
    names.sort_unstable();
    assert_eq!(names, ["Picnic", "Rust Meetup"]);
    let better = accepted(Role::Organizer, only(&[scene.other.id])).await;
    assert_eq!(
        (better.rights.role, titles(&better)),
        (Role::Organizer, vec!["Picnic"])
    );
    let worse = accepted(Role::Door, EventChoice::All).await;
    assert_eq!(
        (worse.rights.role, titles(&worse)),
        (Role::Organizer, vec!["Picnic"])
    );
    let wider = accepted(Role::Organizer, EventChoice::All).await;
    assert_eq!(wider.rights, Rights::everywhere(Role::Organizer));
}

async fn a_deleted_event_leaves_the_others_and_without_any_one_may_leave(database: Database) {
    let instance = Instance::open(&database).await;
    let scene = instance.scene(Role::Organizer).await;
    let person = scene.member.by.person;
    let draft = NewEvent {
        is_public: false,
        ..public_event("Draft")
    };
    let mut drafts = Vec::new();
    for _ in 0..2 {
        drafts.push(instance.create(&scene.olga, draft.clone()).await.id);
    }
    let moved = to(Role::Organizer, only(&drafts));
    let moved = instance.members.change_role(&scene.olga, person, moved);
    assert_eq!(moved.await.unwrap().events.len(), 2);
    let waiting = invited("late@example.org", Role::Door, only(&drafts[..1]));
    let waiting = instance
        .members
        .invite(&scene.olga, &scene.owner.by, waiting);
    let waiting = waiting.await.unwrap().invitation.id;
    for (number, id) in drafts.into_iter().enumerate() {
        instance.events.delete(&scene.olga, id).await.unwrap();
        let member = instance.member_of(&scene.olga, person).await;
        assert_eq!(member.events.len(), 1 - number);
        assert!(member.rights.only_some_events);
    }
    let sent = instance.members.invitation(waiting).await.unwrap();
    assert!(sent.invitation.rights.only_some_events && sent.events.is_empty());
    instance.clock.advance_seconds(TRUST_OVER);
    let dora = instance.standing_of(&scene.member).await;
    assert!(instance.listed(&dora).await.is_empty());
    let left = instance.members.leave(&scene.member.by, scene.olga.account);
    left.await.unwrap();
    assert_eq!(instance.members.list(&scene.olga).await.unwrap().0.len(), 1);
}

async fn organizers_are_told_of_registrations_for_their_events_only(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let scene = instance.scene(Role::Organizer).await;
    let mut tx = instance.store.begin().await.unwrap();
    for (person, choice) in [
        (scene.member.by.person, MailChoice::All),
        (scene.owner.by.person, MailChoice::Nothing),
    ] {
        let chosen = tx.set_mail_choice(scene.olga.account, person, choice).await;
        assert!(chosen.unwrap());
    }
    tx.commit().await.unwrap();
    let told = async || {
        // Longer than registrations are collected.
        instance.clock.advance_seconds(180);
        let mut mails = mailbox.collect().await;
        mails.retain(|mail| mail.text.contains("because you organize events"));
        mails
    };
    told().await;
    instance.register_guest(&scene.other, "bob").await;
    assert!(told().await.is_empty());
    instance.register_guest(&scene.other, "cleo").await;
    instance.register_guest(&scene.theirs, "ada").await;
    let mails = told().await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to.1, "dora@example.org");
    assert!(mails[0].text.contains("ada") && mails[0].text.contains("Rust Meetup"));
    assert!(!mails[0].text.contains("cleo") && !mails[0].text.contains("Picnic"));
}

async fn what_happened_says_for_how_many_events(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let scene = instance.scene(Role::Door).await;
    let person = scene.member.by.person;
    mailbox.notices().await;
    let both = only(&[scene.theirs.id, scene.other.id]);
    for new in [to(Role::Door, both), to(Role::Door, EventChoice::All)] {
        let moved = instance.members.change_role(&scene.olga, person, new);
        moved.await.unwrap();
    }
    let filter = ActivityFilter::default();
    let page = instance.activity.list(&scene.olga, &filter, None, 50).await;
    let entries = page.unwrap().entries;
    let said: Vec<String> = entries.iter().map(Activity::sentence).collect();
    for sentence in [
        "olga invited someone to become a member: door for one event",
        "dora accepted an invitation and became a member: door for one event",
        "olga changed the role of dora from door for one event to door for 2 events",
        "olga changed the role of dora from door for 2 events to door for all events",
    ] {
        assert!(said.iter().any(|one| one == sentence), "{said:?}");
    }
    let mails = mailbox.notices().await;
    let told = mails.iter().filter(|mail| mail.to.1 == "dora@example.org");
    let told: Vec<String> = told.map(|mail| mail.text.replace('\n', " ")).collect();
    assert_eq!(told.len(), 2);
    let words = "now, and were at the door for one event before.";
    assert!(told.iter().any(|text| text.contains(words)), "{told:?}");
}

test_postgres::on_both_engines!(prepare: migrate;
    a_limited_organizer_runs_their_event_and_sees_no_other,
    a_limited_door_checks_in_only_at_their_events_also_by_code,
    a_change_of_events_counts_within_seconds_on_every_core,
    what_is_chosen_must_be_events_of_the_account_and_not_for_owners,
    an_invitation_names_a_few_of_its_events_and_is_replaced_with_them,
    who_is_invited_twice_gets_no_more_than_either_says,
    a_deleted_event_leaves_the_others_and_without_any_one_may_leave,
    organizers_are_told_of_registrations_for_their_events_only,
    what_happened_says_for_how_many_events,
);
