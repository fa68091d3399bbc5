//! What people notice of what is done in their name: security mails, their own trail, and the activity of their accounts.

use core_service::service::{ActivityFilter, Browser, Principal, Separator};
use domain::{activity::Activity, person::Role, plan::Plan};
use futures_util::StreamExt as _;
use test_postgres::Database;

use super::{
    Instance,
    people::{Someone, to},
    public_event,
    signing_in::{DAY, another, browser, is_wrong},
};
use crate::{fixtures::migrate, mail::Mailbox};

/// Recipients and subjects of the security mails that are due.
async fn notices(mailbox: &Mailbox) -> Vec<(String, String)> {
    let mails = mailbox.notices().await;
    for mail in &mails {
        assert!(mail.text.contains("(UTC)"), "{}", mail.text);
        // It leads to pages that one has to sign in for.
        let links = mail.text.matches("https://muster.example/");
        let pages = mail.text.matches("https://muster.example/dashboard");
        assert_eq!(links.count(), pages.count(), "{}", mail.text);
    }
    let shown = mails.into_iter().map(|mail| {
        let subject = mail.subject.replace(" (muster.example)", "");
        (mail.to.1, subject)
    });
    shown.collect()
}

fn expected(subject: &str, recipients: &[&str]) -> Vec<(String, String)> {
    let to = |address: &&str| ((*address).to_owned(), subject.to_owned());
    recipients.iter().map(to).collect()
}

impl Instance {
    /// The sentences of the activity, latest first.
    async fn sentences(&self, caller: &Principal) -> Vec<String> {
        let filter = ActivityFilter::default();
        let page = self.activity.list(caller, &filter, None, 100).await;
        let entries = page.unwrap().entries;
        entries.iter().map(Activity::sentence).collect()
    }

    async fn trail_of(&self, who: &Someone) -> Vec<String> {
        let trail = self.sessions.trail(&who.by).await.unwrap();
        trail.iter().map(Activity::sentence).collect()
    }
}

async fn a_new_browser_is_told_unless_it_is_the_first(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    instance.sign_in("ada@example.org", &browser(1)).await;
    instance.sign_in("ada@example.org", &browser(1)).await;
    assert_eq!(notices(&mailbox).await, []);

    let address = "192.0.2.77".parse().unwrap();
    let elsewhere = Browser::new(&"2".repeat(32), Some(address), "Safari on macOS");
    let new = instance.sign_in("ada@example.org", &elsewhere).await;
    let mails = mailbox.notices().await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to.1, "ada@example.org");
    assert!(
        mails[0].text.contains("Safari on macOS"),
        "{}",
        mails[0].text
    );
    assert!(mails[0].text.contains("1 January 2030, 00:00 (UTC)"));
    let by = instance.person_of(&new).await;
    let sessions = instance.sessions.list(&by).await.unwrap();
    let networks: Vec<_> = sessions.iter().map(|one| &*one.network).collect();
    assert!(networks.contains(&"192.0.2.0/24"), "{networks:?}");

    // Long after the last browser is forgotten, it is not the first sign-in, still.
    instance.clock.advance_seconds(200 * DAY);
    instance.maintain().await;
    instance.sign_in("ada@example.org", &browser(1)).await;
    let subject = "You signed in with a new browser";
    assert_eq!(
        notices(&mailbox).await,
        expected(subject, &["ada@example.org"])
    );
}

async fn owners_and_whom_it_concerns_are_told_of_keys_roles_and_removals(database: Database) {
    let (olga_at, otto_at) = ("olga@example.org", "otto@example.org");
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let olga = instance.someone(olga_at, 1).await;
    let mut otto = instance.someone(otto_at, 2).await;
    instance
        .join(&olga, &mut otto, otto_at, Role::Organizer)
        .await;
    assert_eq!(notices(&mailbox).await, []);
    let caller = instance.standing_of(&olga).await;
    let theirs = instance.standing_of(&otto).await;

    let key = instance.make_key(&theirs, &otto).await;
    let told = notices(&mailbox).await;
    assert_eq!(told, expected("An API key was made", &[olga_at, otto_at]));
    let rotated = instance
        .own_keys
        .rotate(&theirs, &otto.by, key.key.id, 0)
        .await;
    rotated.unwrap();
    let told = notices(&mailbox).await;
    assert_eq!(
        told,
        expected("An API key was replaced", &[olga_at, otto_at])
    );

    let promoted = instance
        .members
        .change_role(&caller, otto.by.person, Role::Door);
    promoted.await.unwrap();
    let mails = mailbox.notices().await;
    let texts = mails.iter().map(|mail| &*mail.text).collect::<Vec<_>>();
    assert!(
        texts[0].contains("otto is at the door of olga"),
        "{texts:?}"
    );
    assert!(
        texts[1].contains("You are at the door of olga"),
        "{texts:?}"
    );

    let removed = instance
        .members
        .remove(&caller, &olga.by, otto.by.person, Some(0));
    removed.await.unwrap();
    let mut told = notices(&mailbox).await;
    told.sort();
    let mut all = expected("A member was removed", &[olga_at, otto_at]);
    all.extend(expected("An API key was handed over", &[olga_at]));
    all.sort();
    assert_eq!(told, all);

    // An operator makes none in secret, either.
    instance.keys.create(olga_at, "phone").await.unwrap();
    let told = notices(&mailbox).await;
    assert_eq!(told, expected("An API key was made", &[olga_at]));

    instance.join(&olga, &mut otto, otto_at, Role::Owner).await;
    let told = notices(&mailbox).await;
    let subject = "An account has a new owner";
    assert_eq!(told, expected(subject, &[olga_at, otto_at]));
    let removed = instance.own_accounts.remove(&caller, &olga.by, "olga");
    removed.await.unwrap();
    instance.maintain().await;
    let mails = mailbox.notices().await;
    assert_eq!(mails.len(), 2);
    assert!(mails[1].text.contains("olga on muster.example was removed"));
}

async fn both_addresses_are_told_of_a_change(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let ada = instance.someone("ada@example.org", 1).await;
    let started = instance
        .profile
        .start_email_change(&ada.by, "ada@new.example");
    started.await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let changed = instance
        .profile
        .finish_email_change(&ada.by, &code, false)
        .await;
    changed.unwrap();
    let told = notices(&mailbox).await;
    let subject = "You sign in with this address now";
    assert_eq!(told, expected(subject, &["ada@new.example"]));
    let trail = instance.trail_of(&ada).await;
    assert!(trail.contains(&"ada changed their email address".to_owned()));
}

/// What strangers can cause is one line a day, which counts; the rest is a line each.
async fn a_persons_trail_is_theirs_and_the_owners(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    instance
        .join(&olga, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    let try_wrong_codes = async |number: u8| {
        let stranger = browser(number);
        let started = instance.sign_in.start("otto@example.org", &stranger).await;
        started.unwrap();
        let code = instance.mailed_code(&mailbox).await;
        for _ in 0..3 {
            let wrong = instance.sign_in.finish(&another(&code), &stranger).await;
            assert!(is_wrong(wrong));
        }
    };
    try_wrong_codes(10).await;
    try_wrong_codes(11).await;
    instance.clock.advance_seconds(DAY);
    try_wrong_codes(12).await;

    instance.sessions.start_step_up(&otto.by).await.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let stepped_up = instance.sessions.finish_step_up(&otto.by, &code).await;
    instance.renewed(&mut otto, stepped_up.unwrap().token).await;
    let other = instance.sign_in("otto@example.org", &browser(3)).await;
    let other = other.session.id;
    instance.sessions.end(&otto.by, other).await.unwrap();

    let trail = instance.trail_of(&otto).await;
    let wrong = |count| {
        let line = format!("{count} wrong codes were typed to sign in or to go on as otto");
        trail.iter().filter(|told| **told == line).count()
    };
    assert_eq!((wrong(6), wrong(3)), (1, 1), "{trail:?}");
    for line in [
        "otto signed in with Firefox on Linux",
        "otto signed in with a browser that was new to them: Firefox on Linux",
        "otto confirmed by a code that it was them",
        "otto ended a session: Firefox on Linux",
    ] {
        assert!(trail.contains(&line.to_owned()), "{line}: {trail:?}");
    }
    assert!(
        instance
            .trail_of(&olga)
            .await
            .iter()
            .all(|line| !line.contains("otto"))
    );

    // The owner sees since when he was a member, and he himself, an organizer there, sees nothing of others.
    let (hers, his) = (
        instance.standing_of(&olga).await,
        instance.standing_of(&otto).await,
    );
    let activity = instance.sentences(&hers).await;
    for line in &trail[..trail.len() - 1] {
        assert!(activity.contains(line), "{line}: {activity:?}");
    }
    let activity = instance.sentences(&his).await;
    let about_people = ["signed in", "wrong codes", "by a code", "ended"];
    for line in activity {
        assert!(
            about_people.iter().all(|word| !line.contains(word)),
            "{line}"
        );
    }

    let done = instance.sessions.end_all(&otto.by, false).await.unwrap();
    assert_eq!(done, 1);
    let address = "otto@example.org";
    let erased = instance
        .people
        .erase(address, &core_service::service::LastOwner::Remove);
    erased.await.unwrap();
    let left = instance.store.list_activity_of_person(otto.by.person, 10);
    assert_eq!(
        left.await.unwrap(),
        [],
        "the trail of who is erased is gone"
    );
}

async fn every_export_is_recorded_with_who_took_it(database: Database) {
    let instance = Instance::open(&database).await;
    let caller = instance.caller("olga@example.org", Plan::Business).await;
    let event = instance.create(&caller, public_event("Meetup")).await;
    instance
        .registrations
        .export(&caller, event.id, Separator::Comma)
        .await
        .unwrap();
    let filter = ActivityFilter::default();
    let pieces = instance.activity.export(&caller, filter).await.unwrap();
    let pieces: Vec<_> = pieces.pieces().collect().await;
    let table = pieces
        .into_iter()
        .map(Result::unwrap)
        .collect::<Vec<_>>()
        .concat();
    let table = String::from_utf8(table).unwrap();
    let took_list = "The key \"laptop\" of Olga Owner downloaded the attendee list of \"Meetup\"";
    assert!(table.contains("downloaded the attendee list"), "{table}");
    drop(instance.account_exports.start(&caller, None).await.unwrap());
    let told = instance.sentences(&caller).await;
    for line in [
        took_list,
        "The key \"laptop\" of Olga Owner downloaded the activity",
        "The key \"laptop\" of Olga Owner downloaded everything that the account holds",
    ] {
        assert!(told.contains(&line.to_owned()), "{line}: {told:?}");
    }
    let of_event = ActivityFilter {
        event: Some(event.id),
        ..ActivityFilter::default()
    };
    let page = instance.activity.list(&caller, &of_event, None, 10).await;
    let entries = page.unwrap().entries;
    assert!(entries.iter().any(|entry| entry.sentence() == took_list));
}

/// Owners are told once someone has become one.
async fn an_invitation_alone_tells_nobody(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let olga = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&olga).await;
    let invited = to("otto@example.org", Role::Owner);
    let invited = instance.members.invite(&caller, &olga.by, invited).await;
    invited.unwrap();
    assert_eq!(notices(&mailbox).await, []);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_new_browser_is_told_unless_it_is_the_first,
    owners_and_whom_it_concerns_are_told_of_keys_roles_and_removals,
    both_addresses_are_told_of_a_change,
    a_persons_trail_is_theirs_and_the_owners,
    every_export_is_recorded_with_who_took_it,
    an_invitation_alone_tells_nobody,
);
