//! The dashboard's pages of messages.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{
    CancelEvent, CheckIn, CreateMessage, GetMessage, GetMyEvent, ListMessages, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Browser, Mail, Surface, TestApp};

use super::{
    own_registrations::{list, organizer, path},
    unescaped,
};

/// Longer than a message that is sent at once can be cancelled.
const SENT: Duration = Duration::from_secs(150);

/// What a form of a message has, with the key of the page.
fn typed<'f>(key: &'f str, action: &'f str) -> Vec<(&'f str, &'f str)> {
    vec![
        ("key", key),
        ("subject", "How to find the door"),
        ("text", "The entrance is in the **second** yard."),
        ("statuses", "Confirmed"),
        ("checked_in", ""),
        ("when", "now"),
        ("action", action),
    ]
}

async fn key_of(browser: &Browser, page: &str) -> String {
    let html = browser.page(page).await.html(200).to_owned();
    let rest = html.split("name=\"key\" value=\"").nth(1).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

async fn a_message_is_previewed_tested_sent_and_followed(app: Arc<TestApp>) {
    let guests = ["Ada L", "Grace H", "Alan T"];
    let (browser, owner, event) = organizer(&app, json!({}), &guests).await;
    app.drain_jobs().await;
    let overview = browser.page(&path(&event, "")).await;
    let messages = path(&event, "/messages");
    assert!(overview.html(200).contains(&messages));
    assert!(
        browser
            .page(&messages)
            .await
            .html(200)
            .contains("No messages yet")
    );
    let new = path(&event, "/messages/new");
    let key = key_of(&browser, &new).await;

    let review = browser.send(&new, &typed(&key, "review")).await;
    let policy = review.header("content-security-policy").unwrap();
    assert!(
        policy.contains("style-src 'self'; style-src-attr 'unsafe-inline'; "),
        "{policy}"
    );
    assert_eq!(policy.matches("unsafe").count(), 1, "{policy}");
    // The mail stands in a frame that may open its links in new tabs, and no more.
    assert!(
        review
            .html(200)
            .contains("sandbox=\"allow-popups allow-popups-to-escape-sandbox\" srcdoc=\"&#60;!doctype html&#62;"),
        "{review:?}"
    );
    let html = unescaped(review.html(200));
    for shown in [
        "Send to 3 people?",
        "How to find the door",
        "<strong>second</strong>",
        "in two minutes",
        "Hello Ada L,",
        "No more messages from this organizer",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    // The page's policy refuses style sheets, and would show an error instead of where a link leads.
    assert!(html.contains("<base target=\"_blank\">"), "{html}");
    assert!(!html.contains("<style"), "{html}");
    assert_eq!(messages_of(&owner, &event.id).await.len(), 0);

    let before = app.mails().len();
    let tested = browser.send(&new, &typed(&key, "test")).await;
    assert!(tested.html(200).contains("We sent a test to"), "{tested:?}");
    app.drain_jobs().await;
    let mails = app.mails();
    assert_eq!(mails.len(), before + 1);
    assert!(!mails.iter().any(|mail| mail.to.contains("example.org")
        && mail.to.starts_with("ada@")
        && mail.text.contains("second")));

    let sent = browser.send(&new, &typed(&key, "send")).await;
    assert_eq!(sent.status, 303, "{sent:?}");
    let page = browser.follow(&sent).await;
    let html = page.html(200);
    assert!(
        html.contains("Scheduled") && html.contains("Cancel this message"),
        "{html}"
    );
    // Sent twice, it is one message.
    browser.send(&new, &typed(&key, "send")).await;
    assert_eq!(messages_of(&owner, &event.id).await.len(), 1);

    app.advance(SENT);
    app.drain_jobs().await;
    let location = sent.header("location").unwrap().to_owned();
    let page = browser.page(&location).await;
    assert!(page.html(200).contains("3 of 3 sent"), "{page:?}");
    let list = browser.page(&messages).await;
    assert!(list.html(200).contains("3 of 3 sent"), "{list:?}");
    let got = app.mails();
    let got = got
        .iter()
        .filter(|mail| mail.subject.contains("How to find the door"));
    assert_eq!(got.count(), 4, "three guests, and the test");
}

async fn unpublishing_says_which_messages_it_stops(app: Arc<TestApp>) {
    let (browser, _, event) = organizer(&app, json!({}), &["Ada L"]).await;
    let unpublish = path(&event, "/unpublish");
    let before = browser.page(&unpublish).await;
    assert!(!before.html(200).contains("won’t be sent"), "{before:?}");
    let new = path(&event, "/messages/new");
    for words in [
        "One message to your guests won’t be sent,",
        "2 messages to your guests won’t be sent,",
    ] {
        let key = key_of(&browser, &new).await;
        let sent = browser.send(&new, &typed(&key, "send")).await;
        assert_eq!(sent.status, 303, "{sent:?}");
        let asked = browser.page(&unpublish).await;
        assert!(asked.html(200).contains(words), "{asked:?}");
    }
}

/// What someone does who writes for the first time, from the first word to the numbers.
async fn a_newcomer_writes_to_guests_of_whom_one_wants_no_more(app: Arc<TestApp>) {
    let guests = ["Ada L", "Grace H", "Alan T"];
    let (browser, owner, event) = organizer(&app, json!({}), &guests).await;
    app.drain_jobs().await;
    let new = path(&event, "/messages/new");
    let key = key_of(&browser, &new).await;
    browser.send(&new, &typed(&key, "test")).await.html(200);
    app.drain_jobs().await;
    let is_it = |mail: &Mail| mail.subject == "Message: How to find the door";
    let tests: Vec<Mail> = app.mails().into_iter().filter(is_it).collect();
    let [test] = &tests[..] else {
        panic!("a test goes to its author: {tests:?}");
    };
    assert!(
        test.html.contains("<strong>second</strong>"),
        "{}",
        test.html
    );

    let sent = browser.send(&new, &typed(&key, "send")).await;
    let message = sent.header("location").unwrap().to_owned();
    app.advance(SENT);
    app.drain_jobs().await;
    let mut mails: Vec<Mail> = app.mails().into_iter().filter(is_it).collect();
    mails.retain(|mail| mail.to != test.to);
    mails.sort_by(|one, other| one.to.cmp(&other.to));
    let to: Vec<&str> = mails.iter().map(|mail| &*mail.to).collect();
    assert_eq!(
        to,
        ["ada@example.org", "alan@example.org", "grace@example.org"]
    );
    for (mail, name) in mails.iter().zip(["Ada L", "Alan T", "Grace H"]) {
        for part in [
            &*format!("Hello {name},"),
            "The entrance is in the second yard.",
        ] {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
    }

    // By the link in the text, which asks first.
    let words = mails[1].text.split_whitespace();
    let mut links = words.filter_map(|word| word.strip_prefix("https://muster.example"));
    let stop = links.find(|path| path.ends_with("/messages")).unwrap();
    let alan = Browser::new(&app);
    let asked = alan.page(stop).await;
    assert!(
        asked
            .html(200)
            .contains("No more messages from this organizer?"),
        "{asked:?}"
    );
    let stopped = alan.send(stop, &[]).await;
    assert!(
        stopped
            .html(200)
            .contains("get messages from this organizer any more"),
        "{stopped:?}"
    );

    let page = browser.page(&message).await;
    assert!(page.html(200).contains("3 of 3 sent"), "{page:?}");
    let overview = browser.page(&path(&event, "")).await;
    let html = overview.html(200);
    let row = html.split("<th scope=\"row\">Message</th>").nth(1).unwrap();
    let row = row.split("</tr>").next().unwrap();
    assert_eq!(row.trim(), "<td>3</td>", "handed over");
    let key = key_of(&browser, &new).await;
    let review = browser.send(&new, &typed(&key, "review")).await;
    let html = review.html(200);
    for shown in [
        "Send to 2 people?",
        "1 person who opted out of your messages",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    browser.send(&new, &typed(&key, "send")).await;
    app.advance(SENT);
    app.drain_jobs().await;
    let message = messages_of(&owner, &event.id).await.remove(0);
    assert_eq!(
        (&message["number"], &message["left"]),
        (&json!(2), &json!(2))
    );
}

async fn who_is_half_way_through_is_not_told_that_nobody_got_it(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, json!({}), &["Ada L", "Grace H"]).await;
    app.drain_jobs().await;
    let new = json!({"id": event.id, "subject": "Menu", "text": "Lentils."});
    let message = owner.ok::<CreateMessage>(new).await;
    app.advance(SENT);
    app.begin_messages().await;
    let page = format!("/messages/{}", message["id"].as_str().unwrap());
    let page = path(&event, &page);
    let html = browser.page(&page).await.html(200).to_owned();
    assert!(html.contains("Stop what has not left"), "{html}");
    let cancelled = browser.send(&page, &[]).await;
    let html = browser.follow(&cancelled).await.html(200).to_owned();
    let said = "The message is stopped. Emails that were on their way may still arrive.";
    assert!(
        html.contains(said) && !html.contains("Nobody got it"),
        "{html}"
    );
    assert!(html.contains("0 of 2 sent"), "{html}");
}

async fn who_came_can_be_thanked_from_the_page_of_the_event(app: Arc<TestApp>) {
    let times = json!({"start_date": "2027-01-16T18:00:00Z", "end_date": "2027-01-16T20:00:00Z"});
    let (browser, owner, event) = organizer(&app, times, &["Ada L", "Grace H"]).await;
    app.drain_jobs().await;
    let overview = path(&event, "");
    let suggests = async || {
        let page = browser.page(&overview).await;
        page.html(200).contains("Write a thank-you")
    };
    let before = json!({"id": event.id, "subject": "The door", "text": "In the yard."});
    owner.ok::<CreateMessage>(before).await;
    app.advance(Duration::from_hours(24 * 2));
    assert!(!suggests().await, "nobody came");
    let ada = list(&owner, &event).await.remove(0);
    let ada = json!({"id": event.id, "registration_id": ada["id"]});
    owner.ok::<CheckIn>(ada).await;
    assert!(suggests().await);
    let form = browser
        .page(&path(&event, "/messages/new?for=thanks"))
        .await;
    assert!(form.html(200).contains("Thanks for coming!"), "{form:?}");
    let thanks = json!({
        "id": event.id, "subject": "Thanks!", "text": "Come again.", "audience": {"checked_in": true},
    });
    owner.ok::<CreateMessage>(thanks).await;
    assert!(!suggests().await, "it is written");
}

async fn a_message_is_changed_and_cancelled_while_it_waits(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, json!({}), &["Ada L"]).await;
    let new = path(&event, "/messages/new");
    let key = key_of(&browser, &new).await;
    let mut form = typed(&key, "send");
    form.retain(|(name, _)| *name != "when");
    form.extend([("when", "before"), ("hours", "24")]);
    let sent = browser.send(&new, &form).await;
    assert_eq!(sent.status, 303, "{sent:?}");
    let page = sent.header("location").unwrap().to_owned();
    let edit = format!("{page}/edit");
    let html = browser.page(&edit).await.html(200).to_owned();
    assert!(
        html.contains("value=\"24\"") && html.contains("second"),
        "{html}"
    );

    let mut change = typed("x", "send");
    change.retain(|(name, _)| !["when", "subject"].contains(name));
    change.extend([
        ("when", "after"),
        ("hours", "2"),
        ("subject", "Thanks!"),
        ("version", "1"),
    ]);
    let saved = browser.send(&edit, &change).await;
    assert_eq!(saved.status, 303, "{saved:?}");
    let message = messages_of(&owner, &event.id).await.remove(0);
    assert_eq!(
        (
            &message["subject"],
            &message["hours_after_end"],
            &message["hours_before_start"]
        ),
        (&json!("Thanks!"), &json!(2), &Value::Null)
    );
    // Someone else's change is not overwritten unseen.
    let mut late = change.clone();
    late.retain(|(name, _)| *name != "subject");
    late.push(("subject", "Ours"));
    let stale = browser.send(&edit, &late).await;
    let html = stale.html(409);
    for shown in [
        "Someone else changed this message",
        "value=\"Ours\"",
        "name=\"version\" value=\"2\"",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    late.retain(|(name, _)| *name != "version");
    late.push(("version", "2"));
    assert_eq!(browser.send(&edit, &late).await.status, 303);

    let cancelled = browser.send(&page, &[]).await;
    let html = browser.follow(&cancelled).await.html(200).to_owned();
    assert!(
        html.contains("The message is cancelled. Nobody got it."),
        "{html}"
    );
    let id = message["id"].as_str().unwrap();
    let ask = json!({"id": event.id, "message_id": id});
    assert_eq!(owner.ok::<GetMessage>(ask).await["state"], "cancelled");
}

async fn a_change_touches_only_what_was_typed(app: Arc<TestApp>) {
    let asks = json!({"custom_fields": [{"label": "Diet", "field_type": "select", "options": ["Vegan", "All"]}]});
    let (browser, owner, event) = organizer(&app, asks, &["Ada L"]).await;
    let read = json!({"id": event.id});
    let question = owner.ok::<GetMyEvent>(read.clone()).await["custom_fields"][0].clone();
    let audience = json!({
        "statuses": ["Confirmed", "Waitlisted"],
        "checked_in": false,
        "answers": [{"field_id": question["id"], "options": ["Vegan"]}],
        "registered_after": "2020-01-01T10:00:00Z",
    });
    let new = json!({
        "id": event.id, "subject": "Menu", "text": "Lentils.", "audience": audience,
        "send_at": "2029-12-01T10:00:00.25",
    });
    let before = owner.ok::<CreateMessage>(new).await;
    let page = path(
        &event,
        &format!("/messages/{}", before["id"].as_str().unwrap()),
    );
    let edit = format!("{page}/edit");
    // As the form shows it, with another subject.
    let html = browser.page(&edit).await.html(200).to_owned();
    assert!(html.contains("value=\"2029-12-01T10:00\""), "{html}");
    let answered = format!("answered:{}", question["id"].as_str().unwrap());
    let shown = [
        ("version", "1"),
        ("subject", "The menu"),
        ("text", "Lentils."),
        ("statuses", "Confirmed"),
        ("statuses", "Waitlisted"),
        ("checked_in", "false"),
        (&answered, "Vegan"),
        ("registered_after", "2020-01-01T10:00:00Z"),
        ("when", "at"),
        ("send_at", "2029-12-01T10:00"),
        ("action", "send"),
    ];
    assert_eq!(browser.send(&edit, &shown).await.status, 303);
    let after = messages_of(&owner, &event.id).await.remove(0);
    assert_eq!(after["subject"], "The menu");
    for same in ["audience", "send_at", "text"] {
        assert_eq!(after[same], before[same], "{same}");
    }

    // A question that is gone still limits who gets it, until others are chosen.
    let gone = json!({"id": event.id, "custom_fields": []});
    owner.ok::<UpdateEvent>(gone).await;
    let html = browser.page(&edit).await.html(200).to_owned();
    assert!(html.contains("a question that you no longer ask"), "{html}");
    let mut shown: Vec<(&str, &str)> = shown.to_vec();
    shown.retain(|(name, _)| ![answered.as_str(), "version", "when", "send_at"].contains(name));
    shown.extend([("version", "2"), ("when", "before"), ("hours", "24")]);
    assert_eq!(browser.send(&edit, &shown).await.status, 303);
    let after = messages_of(&owner, &event.id).await.remove(0);
    assert_eq!(after["audience"], before["audience"]);
    assert_eq!(after["hours_before_start"], 24);

    shown.retain(|(name, _)| !["version", "when", "hours", "checked_in"].contains(name));
    shown.extend([("version", "3"), ("when", "now"), ("checked_in", "")]);
    assert_eq!(browser.send(&edit, &shown).await.status, 303);
    let after = messages_of(&owner, &event.id).await.remove(0);
    assert_eq!(after["audience"]["answers"], json!([]));
    assert_eq!(after["hours_before_start"], Value::Null);

    // What is on its way can no longer be changed, and the page says so.
    app.advance(SENT);
    app.drain_jobs().await;
    shown.retain(|(name, _)| *name != "version");
    shown.push(("version", "4"));
    let late = browser.send(&edit, &shown).await;
    let html = browser.follow(&late).await.html(200).to_owned();
    assert!(html.contains("can no longer be changed"), "{html}");
}

async fn a_page_says_why_no_message_can_be_written(app: Arc<TestApp>) {
    let free = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&free);
    let event = owner.publish_new(json!({})).await;
    let browser = Browser::signed_in(&app, &free.email).await;
    let page = browser.page(&path(&event, "/messages")).await;
    assert!(page.html(200).contains("part of the paid plan"), "{page:?}");
    let new = browser.page(&path(&event, "/messages/new")).await;
    assert_eq!(new.status, 303, "{new:?}");

    let (browser, owner, event) = organizer(&app, json!({}), &["Ada L"]).await;
    let new = path(&event, "/messages/new");
    let key = key_of(&browser, &new).await;
    let mut nobody = typed(&key, "review");
    nobody.retain(|(name, _)| *name != "statuses");
    let page = browser.send(&new, &nobody).await;
    assert!(page.html(400).contains("Choose at least one."), "{page:?}");
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let page = browser.page(&path(&event, "/messages")).await;
    assert!(
        page.html(200).contains("The event is cancelled"),
        "{page:?}"
    );
}

async fn what_is_wrong_with_a_message_stands_beside_its_field(app: Arc<TestApp>) {
    let asks = json!({"custom_fields": [{"label": "Diet", "field_type": "select", "options": ["Vegan", "All"]}]});
    let (browser, owner, event) = organizer(&app, asks, &["Ada L"]).await;
    let new = path(&event, "/messages/new");
    assert!(browser.page(&new).await.html(200).contains("Vegan"));
    let form = [
        ("subject", "Hi"),
        ("text", ""),
        ("statuses", "Confirmed"),
        ("when", "before"),
        ("hours", "soon"),
        ("action", "review"),
    ];
    let html = browser.send(&new, &form).await.html(400).to_owned();
    for id in ["subject-wrong", "text-wrong", "hours-wrong"] {
        assert!(html.contains(&format!("id=\"{id}\"")), "{id}: {html}");
    }
    assert!(html.contains("value=\"Hi\""), "{html}");
    assert_eq!(messages_of(&owner, &event.id).await.len(), 0);
    assert_eq!(list(&owner, &event).await.len(), 1);
}

async fn messages_of(owner: &tests::Client, event: &str) -> Vec<Value> {
    let list = owner.ok::<ListMessages>(json!({"id": event})).await;
    list["items"].as_array().unwrap().clone()
}

tests::on_both_engines!(
    unpublishing_says_which_messages_it_stops,
    a_message_is_previewed_tested_sent_and_followed,
    a_newcomer_writes_to_guests_of_whom_one_wants_no_more,
    who_is_half_way_through_is_not_told_that_nobody_got_it,
    who_came_can_be_thanked_from_the_page_of_the_event,
    a_message_is_changed_and_cancelled_while_it_waits,
    a_change_touches_only_what_was_typed,
    a_page_says_why_no_message_can_be_written,
    what_is_wrong_with_a_message_stands_beside_its_field,
);
