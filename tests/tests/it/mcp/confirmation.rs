//! What mails other people or destroys something needs the explicit confirmation of a person.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::AddRegistration;
use serde_json::{Value, json};
use tests::{Account, CallOutcome, Mcp, Revision, TestApp, core_at, new_event};

struct Stage {
    app: Arc<TestApp>,
    account: Account,
    mcp: Mcp,
    id: Value,
}

impl Stage {
    /// A published event with two guests.
    async fn set(app: Arc<TestApp>) -> Self {
        let account = app.account(Plan::Pro).await;
        let mcp = app.mcp.with_key(&account.key);
        let mut event = new_event(json!({}));
        event["is_public"] = true.into();
        let id = mcp.call("create_event", event).await.answer()["id"].take();
        for guest in ["grace@example.org", "ada@example.org"] {
            let guest = json!({"id": id, "name": "Guest", "email": guest, "confirm": true});
            mcp.call("register_attendee", guest).await.answer();
        }
        Self {
            app,
            account,
            mcp,
            id,
        }
    }

    fn arguments(&self) -> Value {
        json!({"id": self.id, "reason": "The venue is flooded."})
    }

    /// A client with forms that calls without confirmation: itself, its arguments and the question that it is answered.
    async fn asked(&self) -> (Mcp, Value, Value) {
        let (forms, arguments) = (self.mcp.showing_forms(), self.arguments());
        let answer = forms.call("cancel_event", arguments.clone()).await;
        (forms, arguments, answer.question())
    }

    async fn is_cancelled(&self) -> bool {
        let event = self.mcp.call("get_my_event", json!({"id": self.id})).await;
        event.answer()["is_cancelled"] == true
    }
}

fn yes() -> Value {
    json!({"confirm": {"action": "accept", "content": {"confirm": true}}})
}

/// A call that answers a question.
fn answering(arguments: &Value, question: &Value, responses: &Value) -> Value {
    json!({
        "name": "cancel_event",
        "arguments": arguments,
        "requestState": question["requestState"],
        "inputResponses": responses,
    })
}

async fn answered(
    mcp: &Mcp,
    arguments: &Value,
    question: &Value,
    responses: &Value,
) -> CallOutcome {
    let again = answering(arguments, question, responses);
    mcp.call_again("cancel_event", again).await
}

/// The text of the protocol's error with which an answer is refused.
async fn rejected(mcp: &Mcp, arguments: &Value, question: &Value, responses: &Value) -> String {
    let again = answering(arguments, question, responses);
    let error = mcp.error("tools/call", again).await;
    assert_eq!(error["code"], -32602, "{error}");
    error["message"].as_str().unwrap().to_owned()
}

async fn without_confirmation_nothing_changes_and_a_preview_is_shown(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    for revision in [Revision::V2025, Revision::V2026] {
        let mcp = stage.mcp.speaking(revision);
        let text = mcp.call("cancel_event", stage.arguments()).await.error();
        assert!(text.contains("Nothing has changed yet"), "{text}");
        assert!(text.contains("Rust Meetup"), "{text}");
        assert!(text.contains("Registrants who get an email: 2"), "{text}");
        assert!(text.contains("confirm: true"), "{text}");
    }
    let mut refused = stage.arguments();
    refused["confirm"] = false.into();
    stage.mcp.call("cancel_event", refused).await.error();
    assert!(!stage.is_cancelled().await);
}

async fn the_preview_says_who_is_not_told(app: Arc<TestApp>) {
    let account = app.signed_up(Plan::Pro).await;
    let mcp = app.mcp.with_key(&account.key);
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    for number in 0..20 {
        let email = format!("guest{number}@example.org");
        let guest = json!({"id": event.id, "name": "Guest", "email": email});
        owner.ok::<AddRegistration>(guest).await;
    }
    let text = mcp.call("cancel_event", json!({"id": event.id})).await;
    let text = text.error();
    assert!(text.contains("Registrants who get an email: 0"), "{text}");
    let untold = "People whom you added and who get none, because the account is new: 20.";
    assert!(text.contains(untold), "{text}");
}

async fn with_confirm_it_cancels_and_again_it_only_says_so(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let mut confirmed = stage.arguments();
    confirmed["confirm"] = "true".into();
    let result = stage.mcp.call("cancel_event", confirmed).await.answer();
    assert_eq!(result["registrants_notified"], 2);
    assert!(stage.is_cancelled().await);
    // Nothing is left to confirm, so nobody is asked.
    let again = stage
        .mcp
        .call("cancel_event", json!({"id": stage.id}))
        .await;
    let again = again.answer();
    assert_eq!(again["registrants_notified"], 0);
    assert_eq!(again["reason"], "The venue is flooded.");
}

async fn where_a_form_can_be_shown_the_models_word_does_not_count(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let forms = stage.mcp.showing_forms();
    let mut arguments = stage.arguments();
    arguments["confirm"] = true.into();
    let question = forms.call("cancel_event", arguments.clone()).await;
    let question = question.question();
    assert!(!stage.is_cancelled().await);

    let no = json!({"confirm": {"action": "decline"}});
    let refused = answered(&forms, &arguments, &question, &no).await;
    assert!(refused.error().contains("nothing was changed"));
    assert!(!stage.is_cancelled().await);

    let agreed = answered(&forms, &arguments, &question, &yes()).await;
    assert_eq!(agreed.answer()["registrants_notified"], 2);
}

async fn over_http_an_older_revision_cannot_show_a_form(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let older = stage.mcp.showing_forms().speaking(Revision::V2025);
    let text = older.call("cancel_event", stage.arguments()).await.error();
    assert!(text.contains("confirm: true"), "{text}");
    let mut confirmed = stage.arguments();
    confirmed["confirm"] = true.into();
    older.call("cancel_event", confirmed).await.answer();
    assert!(stage.is_cancelled().await);
}

async fn nobody_is_asked_about_what_would_be_refused(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let other = stage.app.account(Plan::Pro).await;
    for mcp in [stage.mcp.clone(), stage.mcp.showing_forms()] {
        let text = mcp
            .with_key(&other.key)
            .call("cancel_event", stage.arguments())
            .await
            .error();
        assert!(text.starts_with("NOT_FOUND: "), "{text}");
        let long = json!({"id": stage.id, "reason": "x".repeat(501)});
        let text = mcp.call("cancel_event", long).await.error();
        assert!(text.starts_with("INVALID_REQUEST: reason "), "{text}");
    }
    assert!(!stage.is_cancelled().await);
}

async fn a_client_with_forms_asks_and_cancels_when_told_so(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let (forms, arguments, question) = stage.asked().await;
    assert_eq!(question["resultType"], "input_required");
    let form = &question["inputRequests"]["confirm"];
    assert_eq!(form["method"], "elicitation/create");
    let message = form["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("Registrants who get an email: 2"),
        "{message}"
    );
    assert_eq!(
        form["params"]["requestedSchema"]["properties"]["confirm"]["type"],
        "boolean"
    );

    for no in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {"confirm": false}}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"name": "Alice"}}),
    ] {
        let no = json!({ "confirm": no });
        let told = answered(&forms, &arguments, &question, &no).await;
        assert!(told.error().contains("nothing was changed"));
    }
    assert!(!stage.is_cancelled().await);
    // Any replica that shares the key takes the answer.
    let grpc = stage.app.grpc.address();
    let replica = stage
        .app
        .serve_mcp(&core_at(&format!("http://{grpc}")))
        .await;
    let replica = replica.with_key(&stage.account.key).showing_forms();
    // What else comes with the answer is of no interest.
    let mut more = yes();
    more["weather"] = json!({"action": "accept", "content": {"sunny": true}});
    let told = answered(&replica, &arguments, &question, &more).await;
    assert_eq!(told.answer()["registrants_notified"], 2);
    assert!(stage.is_cancelled().await);
}

async fn a_confirmation_is_good_for_one_caller_and_one_call_alone(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let (forms, arguments, question) = stage.asked().await;
    // Another reason is another call.
    let other = json!({"id": stage.id, "reason": "Fun."});
    let text = rejected(&forms, &other, &question, &yes()).await;
    assert!(text.contains("make the call without it"), "{text}");
    // Another key is another caller, even of the same account.
    let use_cases = stage.app.core.use_cases();
    let key = use_cases
        .keys
        .create(&stage.account.email, "second")
        .await
        .unwrap();
    let second = forms.with_key(key.plain.expose());
    assert_eq!(rejected(&second, &arguments, &question, &yes()).await, text);
    let sealed = question["requestState"].as_str().unwrap();
    for forged in [
        format!("{sealed}-TAMPERED"),
        format!("{sealed}AAAA"),
        "rs1.AAAA.BBBB".to_owned(),
        String::new(),
    ] {
        let forged = json!({ "requestState": forged });
        assert_eq!(rejected(&forms, &arguments, &forged, &yes()).await, text);
    }
    assert!(!stage.is_cancelled().await);
}

async fn what_answers_no_question_has_it_put_again(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let (forms, arguments, question) = stage.asked().await;
    let again = answered(&forms, &arguments, &json!({}), &yes()).await;
    again.question();
    for silent in [json!({}), json!({"else": yes()["confirm"]}), Value::Null] {
        let again = answered(&forms, &arguments, &question, &silent).await;
        again.question();
    }
    for broken in [json!("yes"), json!(12345), json!({"content": {}})] {
        let broken = json!({ "confirm": broken });
        let text = rejected(&forms, &arguments, &question, &broken).await;
        assert!(text.starts_with("inputResponses.confirm must be"), "{text}");
    }
    assert!(!stage.is_cancelled().await);
}

async fn who_can_show_no_form_is_sent_none(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let others = json!({"sampling": {}, "roots": {}, "elicitation": {"url": {}}});
    let mcp = stage.mcp.with_capabilities(others);
    let text = mcp.call("cancel_event", stage.arguments()).await.error();
    assert!(text.contains("confirm: true"), "{text}");
}

/// The question of a tool that was not confirmed. Nothing has changed.
async fn asks(stage: &Stage, tool: &str, arguments: Value) -> String {
    let text = stage.mcp.call(tool, arguments.clone()).await.error();
    assert!(text.contains("Nothing has changed yet"), "{tool}: {text}");
    assert!(text.contains("confirm: true"), "{tool}: {text}");
    let form = stage.mcp.showing_forms().call(tool, arguments).await;
    let question = form.question();
    let message = &question["inputRequests"]["confirm"]["params"]["message"];
    let message = message.as_str().unwrap().to_owned();
    assert!(text.contains(&message), "{tool}: {text}");
    message
}

async fn whoever_is_registered_or_cancelled_is_named_first(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    stage.app.drain_jobs().await;
    let mails = stage.app.mails().len();
    let guest = json!({"id": stage.id, "name": "Bob", "email": "bob@example.org"});
    let question = asks(&stage, "register_attendee", guest.clone()).await;
    assert!(question.contains("bob@example.org"), "{question}");
    assert!(question.contains("Rust Meetup"), "{question}");
    let list = json!({"id": stage.id});
    let listed = stage.mcp.call("list_registrations", list.clone()).await;
    let listed = listed.answer();
    assert_eq!(listed["count"], 2);
    let grace = &listed["items"][0];
    let one = json!({"id": stage.id, "registration_id": grace["id"]});
    let question = asks(&stage, "cancel_registration", one.clone()).await;
    assert!(question.contains("grace@example.org"), "{question}");
    stage.app.drain_jobs().await;
    assert_eq!(stage.app.mails().len(), mails, "nobody was mailed");

    let mut confirmed = one.clone();
    confirmed["confirm"] = true.into();
    let cancelled = stage.mcp.call("cancel_registration", confirmed).await;
    assert_eq!(cancelled.answer()["status"], "Cancelled");
    // Nothing is left to confirm.
    let again = stage.mcp.call("cancel_registration", one).await;
    assert_eq!(again.answer()["status"], "Cancelled");
    let mut confirmed = guest;
    confirmed["confirm"] = true.into();
    stage
        .mcp
        .call("register_attendee", confirmed)
        .await
        .answer();
}

async fn whoever_is_declined_or_approved_is_named_first(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let asked = json!({"id": stage.id, "requires_approval": true});
    stage.mcp.call("update_event", asked).await.answer();
    let event = json!({"id": stage.id});
    let event = stage.mcp.call("get_my_event", event).await.answer();
    for email in ["eve@example.org", "mia@example.org"] {
        let path = format!("/events/{}/registrations", event["slug"].as_str().unwrap());
        let guest = json!({"name": "Guest", "email": email});
        stage.app.http.post(&path).json(&guest).send().await.ok();
    }
    let pending = json!({"id": stage.id, "status": "Pending"});
    let pending = stage.mcp.call("list_registrations", pending).await.answer();
    let ids = [&pending["items"][0]["id"], &pending["items"][1]["id"]];
    let both = json!({"id": stage.id, "registration_ids": ids});
    let question = asks(&stage, "approve_registrations", both).await;
    for words in ["Approve 2", "eve@example.org, mia@example.org"] {
        assert!(question.contains(words), "{question}");
    }
    let mut one = json!({"id": stage.id, "registration_id": ids[0]});
    let question = asks(&stage, "decline_registration", one.clone()).await;
    assert!(question.contains("eve@example.org"), "{question}");
    one["confirm"] = true.into();
    let declined = stage.mcp.call("decline_registration", one).await.answer();
    assert_eq!(declined["status"], "Cancelled");
}

async fn an_update_is_confirmed_only_if_it_mails_someone(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let title = json!({"id": stage.id, "title": "Rust Meetup Berlin"});
    let updated = stage.mcp.call("update_event", title).await.answer();
    assert_eq!(updated["title"], "Rust Meetup Berlin");
    let mut place = json!({"id": stage.id, "location": "xHain"});
    let question = asks(&stage, "update_event", place.clone()).await;
    assert!(question.contains("get an email: 2"), "{question}");
    place["confirm"] = true.into();
    let moved = stage.mcp.call("update_event", place.clone()).await.answer();
    assert_eq!(moved["registrants_notified"], 2);

    // Who waits gets a seat, and a mail about it.
    let full = json!({"id": stage.id, "max_capacity": 2});
    stage.mcp.call("update_event", full).await.answer();
    let guest = json!({"id": stage.id, "name": "Bob", "email": "bob@example.org", "confirm": true});
    let waits = stage.mcp.call("register_attendee", guest).await.answer();
    assert_eq!(waits["status"], "Waitlisted");
    let more = json!({"id": stage.id, "max_capacity": 3});
    let question = asks(&stage, "update_event", more).await;
    assert!(question.contains("get an email: 1"), "{question}");
    // What would be refused is refused at once.
    let less = json!({"id": stage.id, "max_capacity": 1});
    let text = stage.mcp.call("update_event", less).await.error();
    assert!(text.starts_with("CAPACITY_TOO_LOW: "), "{text}");
}

async fn a_draft_is_deleted_only_when_a_person_says_so(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let text = stage
        .mcp
        .call("delete_event", json!({"id": stage.id}))
        .await;
    let text = text.error();
    assert!(text.starts_with("CONFLICT: "), "{text}");
    let draft = stage.mcp.call("create_event", new_event(json!({}))).await;
    let mut draft = json!({"id": draft.answer()["id"]});
    let question = asks(&stage, "delete_event", draft.clone()).await;
    assert!(question.contains("Delete the draft"), "{question}");
    stage.mcp.call("get_my_event", draft.clone()).await.answer();
    draft["confirm"] = true.into();
    stage.mcp.call("delete_event", draft).await.answer();
}

async fn unpublishing_is_confirmed_only_if_messages_end_with_it(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let event = json!({"id": stage.id});
    let draft = stage.mcp.call("unpublish_event", event.clone()).await;
    assert_eq!(draft.answer()["is_published"], false);
    stage
        .mcp
        .call("publish_event", event.clone())
        .await
        .answer();
    let message = json!({
        "id": stage.id,
        "subject": "Doors",
        "text": "They open at six.",
        "hours_before_start": 1,
        "confirm": true,
    });
    stage.mcp.call("send_message", message).await.answer();
    let question = asks(&stage, "unpublish_event", event.clone()).await;
    assert!(question.contains("stop for good: 1."), "{question}");
    let read = stage.mcp.call("get_my_event", event.clone()).await;
    assert_eq!(read.answer()["is_published"], true);
    let mut confirmed = event;
    confirmed["confirm"] = true.into();
    let draft = stage.mcp.call("unpublish_event", confirmed).await;
    assert_eq!(draft.answer()["is_published"], false);
}

async fn a_reminder_that_people_had_not_to_expect_is_confirmed(app: Arc<TestApp>) {
    let stage = Stage::set(app).await;
    let none = json!({"id": stage.id, "reminders": []});
    let quiet = stage.mcp.call("update_event", none).await.answer();
    assert_eq!(quiet["reminders"], json!([]));
    let mut some = json!({"id": stage.id, "reminders": [48, 2]});
    let question = asks(&stage, "update_event", some.clone()).await;
    assert!(question.contains("new reminders: 2."), "{question}");
    some["confirm"] = true.into();
    stage.mcp.call("update_event", some).await.answer();
    // Fewer are no news.
    let fewer = json!({"id": stage.id, "reminders": [2]});
    let quiet = stage.mcp.call("update_event", fewer).await.answer();
    assert_eq!(quiet["reminders"], json!([2]));
}

tests::on_both_engines!(
    unpublishing_is_confirmed_only_if_messages_end_with_it,
    a_reminder_that_people_had_not_to_expect_is_confirmed,
    whoever_is_registered_or_cancelled_is_named_first,
    whoever_is_declined_or_approved_is_named_first,
    an_update_is_confirmed_only_if_it_mails_someone,
    a_draft_is_deleted_only_when_a_person_says_so,
    without_confirmation_nothing_changes_and_a_preview_is_shown,
    the_preview_says_who_is_not_told,
    with_confirm_it_cancels_and_again_it_only_says_so,
    where_a_form_can_be_shown_the_models_word_does_not_count,
    over_http_an_older_revision_cannot_show_a_form,
    nobody_is_asked_about_what_would_be_refused,
    a_client_with_forms_asks_and_cancels_when_told_so,
    a_confirmation_is_good_for_one_caller_and_one_call_alone,
    what_answers_no_question_has_it_put_again,
    who_can_show_no_form_is_sent_none,
);
