//! What organizers see of the mails about an event: numbers, and addresses that should be looked at.

use std::sync::Arc;

use core_service::service::Policy;
use domain::plan::Plan;
use http::Method;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelEvent, GetRegistration, ListEventMails, ListRegistrations,
        RegisterAttendee,
    },
};
use serde_json::{Value, json};
use tests::{Browser, Client, Created, Http, Reply, Surface, TestApp};

const SECRET: &str = "mail-events-0123456789abcdef0123456789";

/// A website whose core takes the events of mail providers.
async fn provider(app: &TestApp) -> Http {
    let mail_events = SECRET.parse().unwrap();
    app.serve_another_core(Policy {
        mail_events,
        ..Policy::default()
    })
    .await
}

async fn report(site: &Http, authorization: &str, body: &Value) -> Reply {
    let request = site.request(Method::POST, "/mail-events");
    let request = request.header("authorization", authorization);
    request.json(body).send().await
}

/// Adds a guest and sends their mail; returns their id.
async fn add(app: &TestApp, owner: &Client, event: &Created, name: &str) -> String {
    let email = format!("{name}@example.org");
    let guest = json!({"id": event.id, "name": name, "email": email});
    let added = owner.ok::<AddRegistration>(guest).await;
    app.drain_jobs().await;
    added["id"].as_str().unwrap().to_owned()
}

/// Muster's own event: a mail came back.
fn bounced(guest: &str, words: &str) -> Value {
    let id = format!("<registered_mail.{guest}.0@muster.example>");
    json!({"events": [{"kind": "bounced", "message_id": id, "status": "5.1.1", "words": words}]})
}

async fn mails(owner: &Client, event: &Created) -> Value {
    owner.ok::<ListEventMails>(json!({"id": event.id})).await
}

fn numbers(kind: &str, state: &str, number: i32) -> Value {
    let mut numbers = json!({
        "kind": kind, "waiting": 0, "handed_over": 0, "refused": 0, "bounced": 0, "complained": 0, "withheld": 0,
    });
    numbers[state] = json!(number);
    numbers
}

async fn an_organizer_sees_what_became_of_mails_and_whose_address_is_wrong(app: Arc<TestApp>) {
    let site = provider(&app).await;
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let empty = json!({"numbers": [], "items": [], "next_cursor": null});
    assert_eq!(mails(&owner, &event).await, empty);
    let ada = add(&app, &owner, &event, "ada").await;
    app.clock.advance_seconds(1);
    let grace = add(&app, &owner, &event, "grace").await;
    let handed_over = json!([numbers("registered", "handed_over", 2)]);
    assert_eq!(mails(&owner, &event).await["numbers"], handed_over);

    let words = "550 5.1.1 <ada@example.org>, forwarded to secret@home.example: unknown";
    let bearer = format!("Bearer {SECRET}");
    let first = report(&site, &bearer, &bounced(&ada, words)).await;
    assert_eq!(first.ok(), json!({"recorded": 1, "ignored": 0}));
    let again = report(&site, &bearer, &bounced(&ada, words)).await;
    assert_eq!(again.ok(), json!({"recorded": 0, "ignored": 1}));
    // The password of an URL; by the metadata that the mail had.
    let key = format!("registered_mail.{grace}.0");
    let mails_of_grace = app.mails();
    let mut mails_of_grace = mails_of_grace.iter();
    let had = mails_of_grace.find_map(|mail| {
        let header = mail.header("X-PM-Metadata-muster");
        header.filter(|_| mail.to == "grace@example.org")
    });
    assert_eq!(had, Some(&*key));
    let complained = json!({
        "RecordType": "SpamComplaint", "Email": "Grace@example.org", "Metadata": {"muster": key},
    });
    // muster:SECRET
    let basic = "Basic bXVzdGVyOm1haWwtZXZlbnRzLTAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5";
    let spam = report(&site, basic, &complained).await;
    assert_eq!(spam.ok(), json!({"recorded": 1, "ignored": 0}));

    let shown = mails(&owner, &event).await;
    let mut expected = numbers("registered", "bounced", 1);
    expected["complained"] = json!(1);
    assert_eq!(shown["numbers"], json!([expected]));
    let without_others = "550 5.1.1 <ada@example.org>, forwarded to [address]: unknown";
    let of_ada = json!({
        "registration_id": ada, "email": "ada@example.org", "kind": "registered", "state": "bounced",
        "words": without_others, "at": "2027-01-15T12:00:01Z",
    });
    assert_eq!(shown["items"][1], of_ada);
    assert_eq!(shown["items"][0]["registration_id"], json!(grace));
    assert_eq!(shown["items"][0]["state"], "complained");
    // One by one.
    let page = json!({"id": event.id, "limit": 1});
    let first = owner.ok::<ListEventMails>(page).await;
    let next = json!({"id": event.id, "limit": 1, "cursor": first["next_cursor"]});
    let second = owner.ok::<ListEventMails>(next).await;
    assert_eq!(first["items"][0], shown["items"][0]);
    assert_eq!(second["items"], json!([of_ada]));
    assert_eq!(second["next_cursor"], Value::Null);

    let problem = json!({"kind": "registered", "state": "bounced", "words": without_others});
    let one = json!({"id": event.id, "registration_id": ada});
    let one = owner.ok::<GetRegistration>(one).await;
    assert_eq!(one["mail_problem"], problem);
    assert_eq!(one["mail_failed_at"], "2027-01-15T12:00:01Z");
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(list["items"][0], one);

    // What was scheduled is said at once, what became of it later.
    let cancelled = owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert_eq!(cancelled["registrants_notified"], 2);
    let waiting = numbers("cancellation", "waiting", 2);
    assert_eq!(mails(&owner, &event).await["numbers"][0], waiting);
    app.drain_jobs().await;
    let sent = numbers("cancellation", "handed_over", 2);
    assert_eq!(mails(&owner, &event).await["numbers"][0], sent);
}

async fn the_pages_of_the_event_and_its_guests_show_the_same(app: Arc<TestApp>) {
    let site = provider(&app).await;
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let path = format!("/dashboard/events/{}", event.id);
    let before = browser.page(&path).await;
    assert!(!before.html(200).contains("id=\"mails\""));
    let ada = add(&app, &owner, &event, "ada").await;
    let words = "550 5.1.1 <b>unknown</b> secret@home.example";
    let bearer = format!("Bearer {SECRET}");
    report(&site, &bearer, &bounced(&ada, words)).await.ok();
    let page = browser.page(&path).await;
    let html = page.html(200);
    let link = format!("href=\"{path}/registrations/{ada}\"");
    for shown in [
        "Registration confirmed</th><td>1</td>",
        &link,
        "ada@example.org",
        "Came back</span>",
        "550 5.1.1 &#60;b&#62;unknown&#60;/b&#62; [address]",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let list = browser.page(&format!("{path}/registrations")).await;
    assert!(list.html(200).contains("Email: came back"));
    let guest = browser.page(&format!("{path}/registrations/{ada}")).await;
    let html = guest.html(200);
    let expected = "The mail server says: <q dir=\"auto\">550 5.1.1 &#60;b&#62;unknown&#60;/b&#62; [address]</q>";
    assert!(html.contains(expected), "{html}");
}

async fn addresses_are_shown_where_registrations_are(app: Arc<TestApp>) {
    let site = provider(&app).await;
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    app.drain_jobs().await;
    let id = app.registrations(&event.id).await[0].id;
    let id = format!("<registered_mail.{id}.0@muster.example>");
    let complained = json!({"events": [{"kind": "complained", "message_id": id}]});
    let bearer = format!("Bearer {SECRET}");
    report(&site, &bearer, &complained).await.ok();
    assert_eq!(
        mails(&owner, &event).await["items"][0]["email"],
        "ada@example.org"
    );
    // Without a paid plan there are numbers alone.
    let accounts = &app.core.use_cases().accounts;
    accounts.set_plan(account.id, Plan::Free).await.unwrap();
    let shown = mails(&owner, &event).await;
    assert_eq!(shown["items"], json!([]));
    assert_eq!(shown["numbers"][0]["complained"], 1);
    // Others' events are not there.
    let other = app.over(Surface::Http).owner(Plan::Pro).await;
    let refused = other
        .refused::<ListEventMails>(json!({"id": event.id}))
        .await;
    assert_eq!(refused.reason, Reason::NotFound);
}

async fn only_who_knows_the_secret_reports_mails(app: Arc<TestApp>) {
    let site = provider(&app).await;
    let events = json!({"events": []});
    let right = format!("Bearer {SECRET}");
    assert_eq!(report(&site, &right, &events).await.status, 200);
    let wrong = format!("Bearer {SECRET}x");
    for authorization in [&*wrong, "Bearer ", "Basic YWJj", "abc"] {
        let reply = report(&site, authorization, &events).await;
        assert_eq!(reply.status, 401, "{authorization}");
    }
    let without = site.request(Method::POST, "/mail-events").json(&events);
    assert_eq!(without.send().await.status, 401);
    // Where no secret is set, nothing is taken.
    assert_eq!(report(&app.site, &right, &events).await.status, 404);
    for (body, status) in [
        (json!({}), 400),
        (json!({"events": [{"kind": "delivered"}]}), 400),
        (
            json!({"events": vec![json!({"kind": "complained"}); 101]}),
            400,
        ),
        (json!({"events": [], "more": "x".repeat(300_000)}), 413),
        (
            json!({"events": [{"kind": "bounced", "address": "eve@example.org"}]}),
            200,
        ),
    ] {
        assert_eq!(report(&site, &right, &body).await.status, status);
    }
}

tests::on_both_engines!(
    an_organizer_sees_what_became_of_mails_and_whose_address_is_wrong,
    the_pages_of_the_event_and_its_guests_show_the_same,
    addresses_are_shown_where_registrations_are,
    only_who_knows_the_secret_reports_mails,
);
