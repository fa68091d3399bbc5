//! Recipients who are not mailed: by their own wish, or the operator's.

use core_service::service::{MailChoice, NewRegistration, Principal};
use domain::{event::Event, ids::RegistrationId, person::Role, plan::Plan};
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

async fn registering_oneself_ends_the_refusal(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let first = instance.create(&olga, seats(9)).await;
    let second = instance.create(&olga, seats(9)).await;
    let third = instance.create(&olga, seats(9)).await;
    instance.add_at(&olga, &first, "ada@example.org").await;
    let mail = mailbox.collect_one().await;
    let refused = instance
        .own_registrations
        .choose(refusal(&mail), MailChoice::NoMailIfAdded);
    refused.await.unwrap();
    let registered = instance
        .registrations
        .register(&second.slug, at("ada@example.org"), None);
    registered.await.unwrap();
    let mail = mailbox.collect_one().await;
    assert!(!mail.text.contains("No more email"), "{}", mail.text);
    instance.add_at(&olga, &third, "ada@example.org").await;
    mailbox.collect_one().await;
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
    registering_oneself_ends_the_refusal,
    an_address_that_the_operator_blocked_gets_codes_alone,
);
