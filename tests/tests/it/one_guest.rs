//! What an organizer does for one guest: a spot before others, the right address, and the email again.

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, GetRegistration, ListRegistrations, PromoteRegistration,
        ResendRegistrationMail, UpdateRegistration,
    },
};
use serde_json::{Value, json};
use tests::Api;

use crate::deciding::{actions, of, people, statuses};

async fn someone_on_the_waitlist_is_given_a_spot_and_a_full_event_has_one_more(api: Api) {
    use Status::{Confirmed, Pending, Waitlisted};
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({"max_capacity": 1})).await;
    api.register(&event.id, &[Confirmed, Waitlisted, Waitlisted, Pending])
        .await;
    let people = people(&api, &event).await;
    for _twice in 0..2 {
        let promoted = owner
            .ok::<PromoteRegistration>(of(&event, &people[2].0))
            .await;
        assert_eq!(promoted["status"], "Confirmed");
    }
    let after = [Confirmed, Waitlisted, Confirmed, Pending];
    assert_eq!(statuses(&api, &event).await, after);
    assert_eq!(owner.detail(&event).await["max_capacity"], 2);
    assert_eq!(actions(&api, &people[2].0).await, ["registration.promote"]);
    let pending = owner
        .refused::<PromoteRegistration>(of(&event, &people[3].0))
        .await;
    assert_eq!(pending.reason, Reason::Conflict);
    api.drain_jobs().await;
    let mails = api.mails();
    assert_eq!((mails.len(), &*mails[0].to), (1, "guest-3@example.org"));
}

async fn a_corrected_address_and_the_one_before_are_told(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    for name in ["Grace", "Ada"] {
        let guest = json!({"id": event.id, "name": name, "email": format!("{name}@exmaple.org")});
        owner.ok::<AddRegistration>(guest).await;
    }
    api.drain_jobs().await;
    let first = api
        .mails()
        .into_iter()
        .find(|mail| mail.to == "Grace@exmaple.org");
    let first = first.unwrap();
    let token = |text: &str| {
        let link = text
            .split_whitespace()
            .find(|word| word.contains("/registrations/"));
        link.unwrap().rsplit('/').next().unwrap().to_owned()
    };
    let before = token(&first.text);
    let people = people(&api, &event).await;
    let change = |email: &str| {
        let mut ask = of(&event, &people[0].0);
        ask["email"] = json!(email);
        ask
    };
    let refusal = owner
        .refused::<UpdateRegistration>(change("ada@exmaple.org"))
        .await;
    assert_eq!(refusal.reason, Reason::AlreadyRegistered);
    owner
        .refused::<UpdateRegistration>(change("nobody"))
        .await
        .blames(&["email"]);
    api.advance(std::time::Duration::from_mins(1));
    let corrected = owner
        .ok::<UpdateRegistration>(change("grace@example.org"))
        .await;
    assert_eq!(corrected["email"], "grace@example.org");
    api.drain_jobs().await;
    let (mut new, mut old) = (None, None);
    for mail in api.mails() {
        match &*mail.to {
            "grace@example.org" => new = Some(mail),
            "Grace@exmaple.org" if mail.id != first.id => old = Some(mail),
            _ => {}
        }
    }
    let (new, old) = (new.unwrap(), old.unwrap());
    assert_eq!(
        old.subject,
        "Your registration has another email address: Rust Meetup"
    );
    // They may refuse such mails, and nothing else.
    let links = old.text.split_whitespace();
    let mut links = links.filter(|word| word.contains("/registrations/"));
    assert!(links.all(|link| link.ends_with("/no-mail")), "{}", old.text);
    assert!(!old.text.contains("grace@example.org"), "{}", old.text);
    let own = async |token: String| {
        let own = &api.core.use_cases().own_registrations;
        own.get(&token).await.map(|own| own.registration.email)
    };
    assert_eq!(own(token(&new.text)).await.unwrap(), "grace@example.org");
    // Whoever has the wrong address gets to nothing any more.
    assert!(own(before).await.is_err());
    let ticket = async |code: &str| {
        let own = &api.core.use_cases().own_registrations;
        let ticket = own.ticket(code).await;
        ticket.map(|ticket| ticket.registration.status)
    };
    let code = api.registrations(&event.id).await[0].check_in_code.clone();
    assert!(ticket(&people[0].1).await.is_err());
    assert_eq!(ticket(code.as_str()).await.unwrap(), Status::Confirmed);
    assert!(new.text.contains(code.as_str()), "{}", new.text);
    let rows = api.audit(&people[0].0).await;
    let last = rows.last().unwrap();
    assert_eq!(last.after, Some(json!({"changed": ["email"]})));
}

async fn an_address_in_another_case_is_the_same_and_nobody_is_mailed(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Confirmed]).await;
    let before = people(&api, &event).await;
    let mut change = of(&event, &before[0].0);
    change["email"] = json!("Guest-1@example.org");
    let corrected = owner.ok::<UpdateRegistration>(change).await;
    assert_eq!(corrected["email"], "Guest-1@example.org");
    assert_eq!(people(&api, &event).await, before);
    api.drain_jobs().await;
    assert!(api.mails().is_empty());
}

async fn nobody_is_mailed_about_a_draft(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let draft = owner.create(json!({})).await;
    api.register(&draft.id, &[Status::Confirmed]).await;
    let people = people(&api, &draft).await;
    let mut change = of(&draft, &people[0].0);
    change["email"] = json!("grace@example.org");
    let refused = owner.refused::<UpdateRegistration>(change).await;
    assert_eq!(refused.reason, Reason::EventNotPublished);
    let stored = api.registrations(&draft.id).await;
    assert_eq!(stored[0].email, "guest-1@example.org");
}

async fn a_mail_that_failed_is_shown_and_sent_again(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    let added = owner.ok::<AddRegistration>(guest).await;
    let id = added["id"].as_str().unwrap();
    let failed = async || {
        let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
        let one = owner.ok::<GetRegistration>(of(&event, id)).await;
        assert_eq!(one, list["items"][0]);
        one["mail_failed_at"].clone()
    };
    assert_eq!(failed().await, Value::Null);
    api.fail_mails_of(id).await;
    assert_eq!(failed().await, "2027-01-15T12:00:00Z");
    api.advance(std::time::Duration::from_mins(1));
    owner.ok::<ResendRegistrationMail>(of(&event, id)).await;
    assert_eq!(failed().await, Value::Null);
    api.drain_jobs().await;
    let mails = api.mails();
    assert_eq!((mails.len(), &*mails[0].to), (1, "ada@example.org"));
    let done = ["registration.create", "registration.send_mail_again"];
    assert_eq!(actions(&api, id).await, done);
}

tests::on_every_surface!(
    someone_on_the_waitlist_is_given_a_spot_and_a_full_event_has_one_more,
    a_corrected_address_and_the_one_before_are_told,
    an_address_in_another_case_is_the_same_and_nobody_is_mailed,
    nobody_is_mailed_about_a_draft,
);

mod mailed_again {
    use std::sync::Arc;

    use tests::{Surface, TestApp};

    use super::a_mail_that_failed_is_shown_and_sent_again;

    // MCP has no tool for it.
    async fn over_http(app: Arc<TestApp>) {
        a_mail_that_failed_is_shown_and_sent_again(app.over(Surface::Http)).await;
    }

    async fn over_grpc(app: Arc<TestApp>) {
        a_mail_that_failed_is_shown_and_sent_again(app.over(Surface::Grpc)).await;
    }

    tests::on_both_engines!(over_http, over_grpc);
}
