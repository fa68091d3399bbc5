//! Forms with mistakes: what an answer to one says, and that the next try counts.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{ListMyEvents, ListRegistrations};
use serde_json::json;
use tests::{Browser, Client, Created, Surface, TestApp, core_at};

use super::typed::{fields, with};

const NEW: &str = "/dashboard/events/new";

/// An owner with a browser, and a published event.
async fn organizer(app: &Arc<TestApp>, plan: Plan) -> (Browser, Client, Created) {
    let account = app.account(plan).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    (Browser::signed_in(app, &account.email).await, owner, event)
}

/// What makes an event of the form for new ones.
const EVENT: [(&str, &str); 7] = [
    ("title", "Rust Evening"),
    ("description", "Two talks."),
    ("location", "c-base"),
    ("start_date", "2030-05-14T19:00"),
    ("timezone", "Europe/Berlin"),
    ("max_capacity", "80"),
    ("action", "draft"),
];

async fn a_guest_is_added_once_their_address_is_corrected(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let add = format!("/dashboard/events/{}/registrations/new", event.id);
    let mut form = fields(browser.page(&add).await.html(200));
    let guest = [("name", "Grace"), ("email", "grace@example.org")];
    assert_eq!(browser.send(&add, &with(&form, &guest)).await.status, 303);
    form = fields(browser.page(&add).await.html(200));
    let refused = browser.send(&add, &with(&form, &guest)).await;
    form = fields(refused.html(409));
    let corrected = with(&form, &[("email", "grace.hopper@example.org")]);
    let added = browser.send(&add, &corrected).await;
    assert_eq!(added.status, 303, "{added:?}");
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(list["count"], 2, "{list}");
    // The old page is sent again, as it was or with another name: nobody is added twice.
    assert_eq!(browser.send(&add, &corrected).await.status, 303);
    let changed = with(
        &form,
        &[("email", "grace.hopper@example.org"), ("name", "G")],
    );
    let page = browser.send(&add, &changed).await;
    assert!(page.html(422).contains("You sent this form before"));
}

async fn an_event_is_created_once_it_asks_for_what_the_plan_includes(app: Arc<TestApp>) {
    let (browser, owner, _event) = organizer(&app, Plan::Free).await;
    let form = fields(browser.page(NEW).await.html(200));
    let asked = [&EVENT[..], &[("requires_approval", "true")]].concat();
    let refused = browser.send(NEW, &with(&form, &asked)).await;
    let html = refused.html(403);
    assert!(html.contains("of 3 active events"), "{html}");
    assert!(html.contains("Needs a paid plan"), "{html}");
    let mut form = fields(html);
    form.retain(|(name, _)| name != "requires_approval");
    let created = browser.send(NEW, &with(&form, &EVENT)).await;
    assert_eq!(created.status, 303, "{created:?}");
    let list = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(list["count"], 2, "{list}");
}

async fn a_form_whose_outcome_is_unknown_is_sent_again_with_its_key(app: Arc<TestApp>) {
    let (browser, _owner, _event) = organizer(&app, Plan::Pro).await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nowhere.local_addr().unwrap();
    drop(nowhere);
    let away = app.serve_site(&core_at(&format!("http://{address}"))).await;
    let sent = [&EVENT[..], &[("key", "the-same-form")]].concat();
    let unsent = browser.at(&away).send(NEW, &sent).await;
    let html = unsent.html(503);
    assert!(html.contains("the-same-form"), "{html}");
    // Someone who is signed out certainly did nothing.
    let signed_out = Browser::new(&app).send(NEW, &sent).await;
    assert!(!signed_out.html(401).contains("the-same-form"));
}

async fn an_empty_registration_says_what_to_do_in_each_field(app: Arc<TestApp>) {
    let (_browser, owner, _event) = organizer(&app, Plan::Pro).await;
    let questions = json!([
        {"label": "How many guests?", "field_type": "integer", "required": true},
        {"label": "Diet", "field_type": "text", "required": true},
        {"label": "I agree", "field_type": "checkbox", "required": true},
    ]);
    let event = owner.publish_new(json!({"custom_fields": questions})).await;
    let path = format!("/events/{}/register", event.slug);
    let refused = app
        .site
        .form(&path, &[("answers[How many guests?]", "")])
        .send()
        .await;
    let html = refused.html(400);
    assert!(html.contains("Please correct 5 fields"), "{html}");
    for (id, words) in [
        ("name", "Enter a name."),
        ("email", "Enter an email address."),
        ("q1", "Please answer this."),
        ("q2", "Please answer this."),
        ("q3", "Please check this box."),
    ] {
        let beside = format!("id=\"{id}-wrong\">{words}");
        assert!(html.contains(&beside), "{beside}: {html}");
    }
    for raw in ["is required", "must ", "max_capacity", "answers["] {
        let said = html
            .split("</h2>")
            .nth(1)
            .unwrap()
            .split("</div>")
            .next()
            .unwrap();
        assert!(!said.contains(raw), "{raw}: {said}");
    }
    // The list names a question once, and not again where the sentence does.
    assert!(
        html.contains("<bdi>Diet</bdi></a>: Please answer this."),
        "{html}"
    );
    assert!(
        html.contains("<a href=\"#name\">Enter a name.</a>"),
        "{html}"
    );
}

async fn a_new_event_is_told_everything_in_one_round(app: Arc<TestApp>) {
    let (browser, owner, _event) = organizer(&app, Plan::Free).await;
    for _ in 0..2 {
        owner.publish_new(json!({})).await;
    }
    let form = fields(browser.page(NEW).await.html(200));
    let wrong = [
        ("title", ""),
        ("description", "Two talks."),
        ("location", "c-base"),
        ("start_date", "2001-05-14T19:00"),
        ("timezone", "Europe/Berlin"),
        ("max_capacity", "many"),
        ("requires_approval", "true"),
        ("action", "publish"),
    ];
    let refused = browser.send(NEW, &with(&form, &wrong)).await;
    let html = refused.html(400);
    for (id, words) in [
        ("title", "Enter a title."),
        ("start_date", "This is in the past. Choose a later time."),
        ("max_capacity", "Enter a whole number."),
        ("requires_approval", "Needs a paid plan"),
    ] {
        let beside = format!("id=\"{id}-wrong\">{words}");
        assert!(html.contains(&beside), "{beside}: {html}");
    }
    assert!(html.contains("active events are used up"), "{html}");
    assert!(!html.contains("must be"), "{html}");
}

async fn an_address_that_looks_mistyped_is_asked_about_and_never_corrected(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let asks = "Did you mean ada@gmail.com?";
    let register = format!("/events/{}/register", event.slug);
    let add = format!("/dashboard/events/{}/registrations/new", event.id);
    for path in [&*add, &*register, "/sign-in"] {
        let visitor = if path == add {
            browser.clone()
        } else {
            Browser::new(&app)
        };
        let typed = [("name", "Ada"), ("email", "ada@gmial.com")];
        let asked = visitor.send(path, &typed).await;
        let html = asked.html(200);
        assert!(html.contains(asks), "{path}: {html}");
        let form = fields(html);
        assert!(
            form.contains(&("email".to_owned(), "ada@gmial.com".to_owned())),
            "{path}"
        );
        let taken = visitor.send(path, &with(&form, &[])).await;
        assert_eq!(taken.status, 303, "{path}: {taken:?}");
        if path == add {
            continue;
        }
        let right = [("name", "Ada"), ("email", "ada@gmail.com")];
        assert_eq!(Browser::new(&app).send(path, &right).await.status, 303);
    }
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let items = list["items"].as_array().unwrap().iter();
    let mut addresses: Vec<_> = items.map(|one| one["email"].as_str().unwrap()).collect();
    addresses.sort_unstable();
    assert_eq!(addresses, ["ada@gmail.com", "ada@gmial.com"]);
}

async fn hints_and_the_plan_stay_after_a_mistake(app: Arc<TestApp>) {
    let (browser, _owner, event) = organizer(&app, Plan::Free).await;
    let edit = format!("/dashboard/events/{}/edit", event.id);
    for path in [NEW, &*edit] {
        let opened = browser.page(path).await;
        let opened = opened.html(200);
        let form = fields(opened);
        let mistaken = browser.send(path, &with(&form, &[("title", "R")])).await;
        let html = mistaken.html(400);
        let hints = |html: &str| {
            let all = html.match_indices("-hint\">");
            let texts = all.map(|(at, _)| html[at..].split('<').next().unwrap());
            let mut texts: Vec<_> = texts.map(|text| text["-hint\">".len()..].trim()).collect();
            texts.retain(|text| !text.is_empty());
            texts.join("|")
        };
        assert_eq!(hints(html), hints(opened), "{path}");
        assert_eq!(
            html.contains("active event"),
            opened.contains("active event"),
            "{path}: {html}"
        );
        // The list of what is wrong has the focus, without a script.
        assert!(
            html.contains("id=\"problems\" tabindex=\"-1\" autofocus"),
            "{html}"
        );
    }
}

tests::on_both_engines!(
    a_guest_is_added_once_their_address_is_corrected,
    an_event_is_created_once_it_asks_for_what_the_plan_includes,
    a_form_whose_outcome_is_unknown_is_sent_again_with_its_key,
    an_empty_registration_says_what_to_do_in_each_field,
    a_new_event_is_told_everything_in_one_round,
    an_address_that_looks_mistyped_is_asked_about_and_never_corrected,
    hints_and_the_plan_stay_after_a_mistake,
);
