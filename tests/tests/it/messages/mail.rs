//! The mail of a message, its opt-out, and its test.

use std::sync::Arc;

use domain::{plan::Plan, scope::Scope};
use http::Method;
use muster_api::v1::bindings::{
    AddRegistration, CancelEvent, CreateMessage, ListActivity, PreviewMessage, RegisterAttendee,
    UpdateRegistration,
};
use serde_json::{Value, json};
use tests::{Mail, Surface, TestApp};

use super::{GRACE, guests, messages, now, pass, reached, sent_to, to};

/// The path of the opt-out in a mail.
fn stop_path(mail: &Mail) -> String {
    let url = mail.header("List-Unsubscribe").unwrap();
    let url = url.trim_matches(['<', '>']);
    url.strip_prefix(TestApp::PUBLIC_URL).unwrap().to_owned()
}

async fn whoever_was_added_can_refuse_all_mails_by_a_message_too(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;
    guests(&app, &event, 1).await;
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    for mail in messages(&app) {
        let is_added = mail.to == "ada@example.org";
        // The header stays that of messages, which mail programs post to.
        assert!(stop_path(&mail).ends_with("/messages"), "{mail:?}");
        let said = if is_added {
            "because the organizer added this address to the event"
        } else {
            "because this address was registered"
        };
        assert!(mail.text.contains(said), "{}", mail.text);
        let words = "No more email from this organizer";
        assert_eq!(mail.text.contains(words), is_added, "{}", mail.text);
        assert_eq!(mail.html.contains(words), is_added, "{}", mail.html);
        if is_added {
            let mut words = mail.text.split_whitespace();
            let url = words.find(|word| word.ends_with("/no-mail")).unwrap();
            assert!(mail.html.contains(url), "{}", mail.html);
            let page = url.strip_prefix(TestApp::PUBLIC_URL).unwrap();
            app.site.form(page, &[]).send().await;
        }
    }
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(
        preview["left_out"],
        json!([{"reason": "refused", "count": 1}])
    );
}

async fn who_refused_mails_when_added_gets_messages_about_what_they_registered_for(
    app: Arc<TestApp>,
) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let added_to = owner.publish_new(json!({})).await;
    let guest = json!({"id": added_to.id, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;
    app.drain_jobs().await;
    let mails = app.mails();
    let mut words = mails[0].text.split_whitespace();
    let url = words.find(|word| word.ends_with("/no-mail")).unwrap();
    let page = url.strip_prefix(TestApp::PUBLIC_URL).unwrap();
    app.site.form(page, &[]).send().await;

    let event = owner.publish_new(json!({})).await;
    let ada = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(ada).await;
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(preview["recipients"], 1);
    assert_eq!(preview["left_out"], json!([]));
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    assert_eq!(reached(&app), ["ada@example.org"]);
}

async fn mail_programs_stop_messages_after_the_address_was_corrected(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    let added = owner.ok::<AddRegistration>(guest).await;
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    let stop = stop_path(&messages(&app)[0]);
    let corrected =
        json!({"id": event.id, "registration_id": added["id"], "email": "bob@example.org"});
    owner.ok::<UpdateRegistration>(corrected).await;
    for _ in 0..2 {
        let reply = app.site.form(&stop, &[]).send().await;
        let page = reply.html(200);
        assert!(!page.contains("bob@example.org"), "{page}");
    }
    // It is about the mailbox that had the mail.
    let next = owner.publish_new(json!({})).await;
    for (name, email) in [("Ada", "ada@example.org"), ("Bob", "bob@example.org")] {
        let guest = json!({"id": next.id, "name": name, "email": email});
        owner.ok::<AddRegistration>(guest).await;
    }
    let preview = owner.ok::<PreviewMessage>(to(&next, json!({}))).await;
    let left_out = json!([{"reason": "opted_out", "count": 1}]);
    assert_eq!(
        (&preview["recipients"], &preview["left_out"]),
        (&json!(1), &left_out)
    );
}

async fn an_opt_out_ends_messages_and_nothing_else(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 2).await;
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    let mail = messages(&app).remove(0);
    let post = mail.header("List-Unsubscribe-Post");
    assert_eq!(post, Some("List-Unsubscribe=One-Click"));
    let path = stop_path(&mail);
    assert!(mail.text.contains(&path), "{}", mail.text);
    // Scanners open links, and other sites send forms.
    for method in [Method::GET, Method::HEAD] {
        let reply = app.site.request(method, &path).send().await;
        assert!(reply.status.is_success(), "{reply:?}");
    }
    let page = app.site.page(&path).send().await;
    assert!(
        page.html(200)
            .contains("No more messages from this organizer?")
    );

    // A mail program posts without a session and without an origin.
    for _again in 0..2 {
        let post = app
            .site
            .request(Method::POST, &path)
            .header("content-type", "application/x-www-form-urlencoded")
            .body("List-Unsubscribe=One-Click");
        let html = post.send().await.html(200).to_owned();
        assert!(html.contains("You won’t get messages"), "{html}");
    }
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(
        preview["left_out"],
        json!([{"reason": "opted_out", "count": 1}])
    );
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    let reached = reached(&app);
    assert_eq!(
        reached,
        [
            "guest-1@example.org",
            "guest-2@example.org",
            "guest-2@example.org"
        ]
    );

    // They are told that the event is cancelled.
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    app.drain_jobs().await;
    let mut mails = app.mails();
    mails.retain(|mail| mail.id.starts_with("cancellation_mail."));
    assert_eq!(mails.len(), 2);
}

async fn an_opt_out_is_taken_back_on_either_page(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 1).await;
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    let stop = stop_path(&messages(&app)[0]);
    let own = stop.strip_suffix("/messages").unwrap();
    let again = format!("{stop}/again");
    for page in [own, &stop] {
        let stopped = app.site.form(&stop, &[]).send().await;
        assert!(stopped.html(200).contains("You won’t get messages"));
        let html = app.site.page(page).send().await.html(200).to_owned();
        assert!(
            html.contains("Get messages again") && html.contains(&again),
            "{html}"
        );
        let reply = app.site.form(&again, &[]).send().await;
        assert_eq!(reply.header("location"), Some(own), "{reply:?}");
    }
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    assert_eq!(messages(&app).len(), 2);
    // The organizer sees it in the activity, which has no text of the message.
    let activity = owner.ok::<ListActivity>(json!({})).await.to_string();
    assert!(activity.contains("wants no more messages"), "{activity}");
    assert!(activity.contains("wrote message 2"), "{activity}");
    assert!(
        !activity.contains("find the door") && !activity.contains("yard"),
        "{activity}"
    );
}

async fn a_forged_link_stops_nothing(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 1).await;
    for token in ["x", "5vT0cXh2W9rJq4LmZ8yKbN3sEaPdGfUi", "%00"] {
        let path = format!("/registrations/{token}/messages");
        let post = app
            .site
            .request(Method::POST, &path)
            .header("content-type", "application/x-www-form-urlencoded")
            .body("List-Unsubscribe=One-Click");
        assert_eq!(post.send().await.status, 404);
        assert_eq!(
            app.site
                .form(&format!("{path}/again"), &[])
                .send()
                .await
                .status,
            404
        );
    }
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    assert_eq!(messages(&app).len(), 1);
}

async fn who_opts_out_during_sending_gets_nothing(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 2).await;
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    let stop = stop_path(&messages(&app)[0]);
    let message = sent_to(&owner, &event, json!({})).await;
    app.advance(GRACE);
    app.begin_messages().await;
    app.site.form(&stop, &[]).send().await;
    app.drain_jobs().await;
    assert_eq!(messages(&app).len(), 3);
    let sent = now(&owner, &event, &message).await;
    assert_eq!(
        (&sent["state"], &sent["recipients"]),
        (&json!("sent"), &json!(2))
    );
}

async fn a_message_shows_its_markdown_and_who_wrote_it(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let contact = json!({"title": "Rust Night", "organizer_name": "Rust Berlin", "contact_email": account.email});
    let event = owner.publish_new(contact).await;
    guests(&app, &event, 1).await;
    let text = "# Doors\n\nOpen at *six*, see <https://a.example/map>.\n\n<script>alert(1)</script>\n\n![x](https://a.example/x.png)";
    let subject = "Doors =?utf-8?q?Bcc:_x@evil.example?=";
    sent_to(&owner, &event, json!({"subject": subject, "text": text})).await;
    pass(&app, GRACE).await;
    let mail = messages(&app).remove(0);
    assert_eq!(
        mail.subject,
        "Message: Doors = ?utf-8?q?Bcc:_x@evil.example?="
    );
    assert_eq!(mail.header("Reply-To"), Some(&*account.email));
    for part in [
        "Rust Night",
        "Organized by Rust Berlin",
        "Open at six",
        "https://a.example/map",
    ] {
        assert!(mail.text.contains(part), "{}", mail.text);
    }
    for part in [
        ">Doors</h3>",
        "<em>six</em>",
        "href=\"https://a.example/map\"",
        "&#60;script&#62;",
    ] {
        assert!(mail.html.contains(part), "{}", mail.html);
    }
    assert!(
        !mail.html.contains("<script") && !mail.html.contains("<img"),
        "{}",
        mail.html
    );
    assert!(mail.calendar.is_none());
}

async fn the_activity_says_to_how_many_people_it_goes_and_not_what(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    guests(&app, &event, 2).await;
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    let listed = owner.ok::<ListActivity>(json!({"limit": 100})).await;
    let shown = listed.to_string();
    assert!(
        !shown.contains("How to find") && !shown.contains("second"),
        "{shown}"
    );
    let items = listed["items"].as_array().unwrap().iter();
    let mut sentences = items.map(|item| item["text"].as_str().unwrap());
    let said =
        "The time of message 1 to the guests of \"Rust Night\" has come: it goes to 2 people";
    assert!(sentences.any(|sentence| sentence == said), "{shown}");
}

async fn texts_of_a_new_account_have_no_links(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.signed_up(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 1).await;
    let text = "Go to [our page](https://evil.example/a) or evil.**example**, ev\\il.example, www.evil.example";
    sent_to(
        &owner,
        &event,
        json!({"subject": "See evil.example", "text": text}),
    )
    .await;
    pass(&app, GRACE).await;
    let mail = messages(&app).remove(0);
    assert_eq!(mail.subject, "Message: See evil‹dot›example");
    for shown in [&mail.text, &mail.html] {
        assert!(shown.contains("evil‹dot›example"), "{shown}");
        assert!(
            !shown.contains("evil.example") && !shown.contains("il.example"),
            "{shown}"
        );
    }
    assert!(!mail.html.contains("<strong>"), "{}", mail.html);
}

async fn a_test_goes_to_its_author_alone(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 2).await;
    let test = owner
        .ok::<CreateMessage>(to(&event, json!({"test": true})))
        .await;
    assert_eq!(test["test_sent_to"], json!(account.email));
    assert_eq!(
        (&test["id"], &test["state"]),
        (&Value::Null, &json!("sent"))
    );
    app.drain_jobs().await;
    let mut mails = app.mails();
    mails.retain(|mail| mail.id.starts_with("message_test_mail."));
    let [mail] = &mails[..] else {
        panic!("one mail is sent: {mails:?}")
    };
    assert_eq!(mail.to, account.email);
    assert_eq!(mail.subject, "Message: How to find the door");
    assert!(mail.header("List-Unsubscribe").is_none());
    pass(&app, GRACE).await;
    assert_eq!(reached(&app), Vec::<String>::new());
    // Nothing is stored.
    let listed = owner
        .ok::<muster_api::v1::bindings::ListMessages>(json!({"id": event.id}))
        .await;
    assert_eq!(listed["count"], 0);
    // So many an hour.
    let mut sent = 1;
    while owner
        .call::<CreateMessage>(to(&event, json!({"test": true})))
        .await
        .is_ok()
    {
        sent += 1;
        assert!(sent <= 10, "tests are mails to a mailbox");
    }
    let key = app.key_for(&account, &[Scope::MessagesWrite]).await;
    let limited = api.with_key(&key);
    limited
        .ok::<PreviewMessage>(to(&event, json!({"test": true})))
        .await;
}

async fn a_mailbox_has_one_budget_over_two_cores(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;
    app.drain_jobs().await;
    for _ in 0..10 {
        sent_to(&owner, &event, json!({})).await;
    }
    app.advance(GRACE);
    app.begin_messages().await;
    let other = app.runner_of_another_core().await;
    let (one, two) = tokio::join!(app.core.runner().drain(), other.drain());
    one.unwrap();
    two.unwrap();
    // Adding her was the first of ten.
    assert_eq!(messages(&app).len(), 9);
    pass(&app, std::time::Duration::from_hours(2)).await;
    assert_eq!(messages(&app).len(), 10);
}

tests::on_both_engines!(
    whoever_was_added_can_refuse_all_mails_by_a_message_too,
    who_refused_mails_when_added_gets_messages_about_what_they_registered_for,
    mail_programs_stop_messages_after_the_address_was_corrected,
    an_opt_out_ends_messages_and_nothing_else,
    an_opt_out_is_taken_back_on_either_page,
    a_forged_link_stops_nothing,
    who_opts_out_during_sending_gets_nothing,
    a_message_shows_its_markdown_and_who_wrote_it,
    the_activity_says_to_how_many_people_it_goes_and_not_what,
    texts_of_a_new_account_have_no_links,
    a_test_goes_to_its_author_alone,
    a_mailbox_has_one_budget_over_two_cores,
);
