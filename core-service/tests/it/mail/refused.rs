//! Recipients who are not mailed: by their own wish, or the operator's.

use core_service::service::{LastOwner, MailChoice, NewRegistration, Principal, RegistrationPatch};
use domain::{
    change::Change,
    event::{Event, NewEvent},
    ids::RegistrationId,
    person::Role,
    plan::Plan,
};
use test_postgres::Database;

use super::{Mail, Mailbox};
use crate::{
    fixtures::migrate,
    service::{
        Instance,
        guests::{guest, seats},
        people::to,
        signing_in::browser,
    },
};
fn at(address: &str) -> NewRegistration {
    NewRegistration {
        email: address.to_owned(),
        ..guest("ada")
    }
}

impl Instance {
    async fn add_at(&self, by: &Principal, event: &Event, address: &str) -> RegistrationId {
        let added = self.registrations.add(by, event.id, at(address)).await;
        added.unwrap().id
    }
}

/// The token in the link by which a mail is refused.
fn refusal(mail: &Mail) -> &str {
    let (_, rest) = mail
        .text
        .split_once("No more email from this organizer:\n")
        .unwrap();
    let url = rest.lines().next().unwrap();
    let header = format!("List-Unsubscribe: <{url}>");
    assert!(mail.headers().replace("\r\n ", " ").contains(&header));
    assert!(mail.html.contains(&format!("href=\"{url}\"")));
    let path = url.strip_suffix("/no-mail").unwrap();
    path.rsplit('/').next().unwrap()
}

/// The token of the private page in a mail.
fn private_link(mail: &Mail) -> &str {
    let (_, rest) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    rest.split_whitespace().next().unwrap()
}

async fn whoever_was_added_can_refuse_all_mails_of_the_organizer(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let fay = instance.caller("fay@example.org", Plan::Pro).await;
    let first = instance.create(&olga, seats(9)).await;
    let second = instance.create(&olga, seats(9)).await;
    let other = instance.create(&fay, seats(9)).await;
    let added = instance.add_at(&olga, &first, "a.da@gmail.com").await;
    let mail = mailbox.collect_one().await;
    let lead = "The organizer added you to this event. You're in. See you there!";
    assert!(mail.text.contains(lead), "{}", mail.text);
    let token = refusal(&mail);
    for _ in 0..2 {
        let own = instance
            .own_registrations
            .choose(token, MailChoice::NoMailIfAdded)
            .await
            .unwrap();
        assert!(own.is_mail_refused && own.registration.is_added);
    }
    let told = instance.audit(added.uuid()).await;
    let refusals = told
        .iter()
        .filter(|entry| entry["action"] == "registration.refuse_mail");
    assert_eq!(refusals.count(), 1);

    // It is the mailbox that refuses, whatever its address looks like, and of every event of the account.
    instance
        .add_at(&olga, &second, "Ada+again@googlemail.com")
        .await;
    for event in [&first, &second] {
        let cancelled = instance.events.cancel(&olga, event.id, None).await;
        assert_eq!(cancelled.unwrap().registrants_notified, 1);
    }
    assert!(mailbox.collect().await.is_empty());
    // Others may mail.
    instance.add_at(&fay, &other, "ada@gmail.com").await;
    mailbox.collect_one().await;
}

async fn an_account_invites_nobody_who_refused_its_mails(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let someone = instance.someone("olga@example.org", 1).await;
    let olga = instance.standing_of(&someone).await;
    let event = instance.create(&olga, seats(9)).await;
    mailbox.collect().await;
    instance.add_at(&olga, &event, "a.da@gmail.com").await;
    let mail = mailbox.collect_one().await;
    let own = &instance.own_registrations;
    let refused = own.choose(refusal(&mail), MailChoice::NoMailIfAdded);
    refused.await.unwrap();
    for (address, mails) in [("ada@gmail.com", 0), ("bob@gmail.com", 1)] {
        let invited = to(address, Role::Door);
        let invited = instance.members.invite(&olga, &someone.by, invited);
        invited.await.unwrap();
        assert_eq!(mailbox.collect().await.len(), mails, "{address}");
    }
}

async fn only_a_button_on_the_page_of_ones_own_registration_ends_the_refusal(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let [first, third, fourth, fifth] = [
        instance.create(&olga, seats(9)).await,
        instance.create(&olga, seats(9)).await,
        instance.create(&olga, seats(9)).await,
        instance.create(&olga, seats(9)).await,
    ];
    let second = NewEvent {
        confirm_by_email: Some(true),
        ..seats(9)
    };
    let second = instance.create(&olga, second).await;
    instance.add_at(&olga, &first, "ada@example.org").await;
    let mail = mailbox.collect_one().await;
    let own = &instance.own_registrations;
    let refused = own.choose(refusal(&mail), MailChoice::NoMailIfAdded);
    refused.await.unwrap();
    // Anyone can type the address. Mails about what they asked for themselves are sent.
    let register = async |event: &Event| {
        let registrations = &instance.registrations;
        let registered = registrations.register(&event.slug, at("ada@example.org"), None);
        registered.await.unwrap();
        let mail = mailbox.collect_one().await;
        assert!(!mail.text.contains("No more email"), "{}", mail.text);
        private_link(&mail).to_owned()
    };
    let unconfirmed = register(&second).await;
    let cancelled = register(&third).await;
    instance.add_at(&olga, &fourth, "ada@example.org").await;
    own.cancel(&cancelled).await.unwrap();
    assert_eq!(mailbox.collect().await.len(), 1, "of the cancelled one");

    own.confirm(&unconfirmed).await.unwrap();
    mailbox.collect_one().await;
    instance.add_at(&olga, &fifth, "ada@example.org").await;
    mailbox.collect_one().await;
}

async fn the_link_to_refuse_survives_another_address(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(9)).await;
    let added = instance.add_at(&olga, &event, "ada@example.org").await;
    let before = mailbox.collect_one().await;
    let other = RegistrationPatch {
        email: Change::Set("bob@example.org".to_owned()),
        ..RegistrationPatch::default()
    };
    let corrected = instance.registrations.edit(&olga, event.id, added, other);
    corrected.await.unwrap();
    let mails = mailbox.collect().await;
    let [notice, to_bob] = &mails[..] else {
        panic!("{} mails", mails.len());
    };
    assert_eq!(notice.to.1, "ada@example.org");
    let own = &instance.own_registrations;
    for mail in [&before, notice] {
        // It leads to nothing else: the registration is Bob's.
        let token = refusal(mail);
        assert!(own.get(token).await.is_err());
        assert!(own.cancel(token).await.is_err());
        let shown = own.refusal(token).await.unwrap();
        assert_eq!(shown.organizer.as_deref(), Some("Olga Owner"));
        assert!(!shown.is_refused);
    }
    // That of the new address is as always.
    assert!(
        own.get(refusal(to_bob))
            .await
            .unwrap()
            .registration
            .is_added
    );
    assert!(own.refusal(refusal(to_bob)).await.is_err());

    assert!(own.refuse(refusal(&before)).await.unwrap().is_refused);
    assert!(own.refuse(refusal(notice)).await.unwrap().is_refused);
    let next = instance.create(&olga, seats(9)).await;
    instance.add_at(&olga, &next, "ada@example.org").await;
    instance.add_at(&olga, &next, "bob@example.org").await;
    let mail = mailbox.collect_one().await;
    assert_eq!(mail.to.1, "bob@example.org");
    // It names nobody: the registration is Bob's by now.
    let told = instance.audit(event.id.uuid()).await;
    let refusals = told
        .iter()
        .filter(|one| one["action"] == "registration.refuse_mail");
    assert_eq!(refusals.count(), 1);
}

async fn links_that_only_refuse_go_with_the_person_and_after_two_years(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(9)).await;
    let mut links = Vec::new();
    for name in ["ada", "cleo"] {
        let address = format!("{name}@example.org");
        let added = instance.add_at(&olga, &event, &address).await;
        let mail = mailbox.collect_one().await;
        let other = RegistrationPatch {
            email: Change::Set(format!("other-{name}@example.org")),
            ..RegistrationPatch::default()
        };
        let corrected = instance.registrations.edit(&olga, event.id, added, other);
        corrected.await.unwrap();
        mailbox.collect().await;
        links.push(refusal(&mail).to_owned());
    }
    let [of_ada, of_cleo] = &links[..] else {
        panic!("{links:?}");
    };
    let own = &instance.own_registrations;
    let erased = instance.people.erase("ada@example.org", &LastOwner::Refuse);
    erased.await.unwrap();
    assert!(own.refusal(of_ada).await.is_err());
    instance.clock.advance_seconds(729 * 86_400);
    instance.maintain().await;
    assert!(own.refusal(of_cleo).await.is_ok());
    instance.clock.advance_seconds(2 * 86_400);
    instance.maintain().await;
    assert!(own.refusal(of_cleo).await.is_err());
}

async fn an_address_that_the_operator_blocked_gets_codes_alone(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let someone = instance.someone("olga@example.org", 1).await;
    let olga = instance.standing_of(&someone).await;
    mailbox.collect().await;
    let event = instance.create(&olga, seats(9)).await;
    let mails = &instance.mails;
    let victim = "v.ictim@gmail.com".parse().unwrap();
    assert!(mails.suppress(&victim).await.unwrap());
    assert!(!mails.suppress(&victim).await.unwrap());
    let register = async |address: &str| {
        let registered = instance
            .registrations
            .register(&event.slug, at(address), None);
        registered.await.unwrap();
    };
    register("victim+1@gmail.com").await;
    let invited = to("victim@googlemail.com", Role::Door);
    let invited = instance.members.invite(&olga, &someone.by, invited);
    invited.await.unwrap();
    assert!(mailbox.collect().await.is_empty());
    let asked = instance
        .sign_in
        .start("victim@gmail.com", &browser(7))
        .await;
    asked.unwrap();
    let code = mailbox.collect_one().await;
    assert!(code.subject.contains("code"), "{}", code.subject);
    assert!(mails.allow(&victim).await.unwrap());
    assert!(!mails.allow(&victim).await.unwrap());
    register("victim+2@gmail.com").await;
    mailbox.collect_one().await;
}

test_postgres::on_both_engines!(prepare: migrate;
    whoever_was_added_can_refuse_all_mails_of_the_organizer,
    an_account_invites_nobody_who_refused_its_mails,
    only_a_button_on_the_page_of_ones_own_registration_ends_the_refusal,
    the_link_to_refuse_survives_another_address,
    links_that_only_refuse_go_with_the_person_and_after_two_years,
    an_address_that_the_operator_blocked_gets_codes_alone,
);
