//! Several people in one registration (rule 53).

use std::sync::Arc;

use domain::plan::Plan;
use http::StatusCode;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelRegistration, CheckIn, GetEvent, ListActivity, ListMyEvents,
        ListRegistrations, PromoteRegistration, RegisterAttendee, UndoCheckIn, UpdateEvent,
        UpdateRegistration,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Mail, Surface, TestApp};

async fn register(client: &Client, event: &Created, name: &str, size: i32) {
    let request = json!({
        "slug": event.slug, "name": name, "email": format!("{name}@example.org"), "party_size": size,
    });
    client.ok::<RegisterAttendee>(request).await;
}

/// Name, status and size of everyone.
async fn everyone(owner: &Client, event: &Created) -> Vec<(String, String, i64)> {
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let mut all: Vec<_> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |name: &str| one[name].as_str().unwrap().to_owned();
            (
                text("name"),
                text("status"),
                one["party_size"].as_i64().unwrap(),
            )
        })
        .collect();
    all.sort();
    all
}

async fn id_of(owner: &Client, event: &Created, name: &str) -> Value {
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let found = list["items"].as_array().unwrap().iter();
    let mut found = found.filter(|one| one["name"] == name);
    found.next().unwrap()["id"].clone()
}

fn mails_to(app: &TestApp, address: &str) -> Vec<Mail> {
    let mut mails = app.mails();
    mails.retain(|mail| mail.to == address);
    mails
}

/// The private page of someone who registered.
async fn private_page(app: &TestApp, address: &str) -> String {
    app.drain_jobs().await;
    let mail = mails_to(app, address).remove(0);
    let parts = mail
        .text
        .split_once("https://muster.example/registrations/");
    let token = parts.unwrap().1.split_whitespace().next().unwrap();
    format!("/registrations/{token}")
}

fn standing(name: &str, status: &str, size: i64) -> (String, String, i64) {
    (name.to_owned(), status.to_owned(), size)
}

async fn each_person_takes_a_seat_and_the_first_party_that_fits_moves_up(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let anyone = api.anyone();
    let event = json!({"max_capacity": 4, "max_party": 3});
    let event = owner.publish_new(event).await;
    for (name, size) in [("ada", 3), ("bob", 2), ("cem", 1), ("dee", 1)] {
        register(&anyone, &event, name, size).await;
    }
    let expected = [
        standing("ada", "Confirmed", 3),
        // Nobody who waits could use the last seat.
        standing("bob", "Waitlisted", 2),
        standing("cem", "Confirmed", 1),
        standing("dee", "Waitlisted", 1),
    ];
    assert_eq!(everyone(&owner, &event).await, expected);
    let mine = owner.ok::<ListMyEvents>(json!({})).await;
    let mine = &mine["items"][0];
    assert_eq!(
        (&mine["registration_count"], &mine["seats_taken"]),
        (&json!(7), &json!(4))
    );
    let detail = owner.detail(&event).await;
    assert_eq!(
        (
            &detail["registrations_active"],
            &detail["registrations_confirmed"],
            &detail["seats_taken"]
        ),
        (&json!(4), &json!(2), &json!(4))
    );

    // One seat becomes free: it is no use for the two who wait longer.
    let cem = id_of(&owner, &event, "cem").await;
    let cancel = json!({"id": event.id, "registration_id": cem});
    owner.ok::<CancelRegistration>(cancel).await;
    let now = everyone(&owner, &event).await;
    assert_eq!(now[1], standing("bob", "Waitlisted", 2));
    assert_eq!(now[3], standing("dee", "Confirmed", 1));
    let smaller = json!({"id": event.id, "max_capacity": 3});
    let refusal = owner.refused::<UpdateEvent>(smaller).await;
    assert_eq!(refusal.reason, Reason::CapacityTooLow);
    let bob = id_of(&owner, &event, "bob").await;
    let promote = json!({"id": event.id, "registration_id": bob});
    owner.ok::<PromoteRegistration>(promote).await;
    let detail = owner.detail(&event).await;
    assert_eq!(
        (&detail["max_capacity"], &detail["seats_taken"]),
        (&json!(6), &json!(6))
    );
    let shown = anyone.ok::<GetEvent>(json!({"slug": event.slug})).await;
    assert_eq!(
        (&shown["seats_left"], &shown["max_party"]),
        (&json!(0), &json!(3))
    );
}

async fn a_party_is_as_large_as_the_event_admits(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let someone = |more: Value| {
        let mut request = json!({
            "id": event.id, "name": "Ada", "email": "ada@example.org",
        });
        let fields = request.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        request
    };
    let two = someone(json!({"party_size": 2}));
    let refusal = owner.refused::<AddRegistration>(two.clone()).await;
    refusal.blames(&["party_size"]);
    let named = someone(json!({"companions": ["Bo"]}));
    let refusal = owner.refused::<AddRegistration>(named).await;
    refusal.blames(&["companions"]);
    let admits = json!({"id": event.id, "max_party": 2});
    let updated = owner.ok::<UpdateEvent>(admits).await;
    assert_eq!(updated["max_party"], 2);
    owner.ok::<AddRegistration>(two).await;
    let many = json!({"id": event.id, "max_party": 11});
    owner
        .refused::<UpdateEvent>(many)
        .await
        .blames(&["max_party"]);
}

async fn a_party_is_checked_in_one_by_one(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_party": 3})).await;
    register(&api.anyone(), &event, "ada", 3).await;
    let ada = id_of(&owner, &event, "ada").await;
    let arrive = |people: Value| {
        let mut request = json!({"id": event.id, "registration_id": ada});
        if !people.is_null() {
            request["people"] = people;
        }
        request
    };
    let two = owner.ok::<CheckIn>(arrive(json!(2))).await;
    assert_eq!(
        (&two["people_checked_in"], &two["was_checked_in"]),
        (&json!(2), &json!(false))
    );
    let again = owner.ok::<CheckIn>(arrive(json!(2))).await;
    assert_eq!(again["was_checked_in"], true);
    assert_eq!(owner.detail(&event).await["people_checked_in"], 2);
    let all = owner.ok::<CheckIn>(arrive(Value::Null)).await;
    // Someone may show a copy of the ticket.
    assert_eq!(all["was_checked_in"], true);
    assert_eq!(
        (&all["people_checked_in"], &all["checked_in_at"]),
        (&json!(3), &two["checked_in_at"])
    );
    owner
        .refused::<CheckIn>(arrive(json!(4)))
        .await
        .blames(&["people"]);
    let undo = json!({"id": event.id, "registration_id": ada});
    let undone = owner.ok::<UndoCheckIn>(undo).await;
    assert_eq!(
        (&undone["people_checked_in"], &undone["checked_in"]),
        (&json!(0), &json!(false))
    );
    assert_eq!(owner.detail(&event).await["people_checked_in"], 0);
}

async fn the_page_asks_for_the_others_and_the_mail_names_them(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let alone = owner.publish_new(json!({})).await;
    let page = format!("/events/{}/register", alone.slug);
    let page = app.site.page(&page).send().await;
    assert!(!page.html(200).contains("How many people?"));

    let event = owner
        .publish_new(json!({"max_party": 3, "max_capacity": 3}))
        .await;
    let path = format!("/events/{}/register", event.slug);
    let page = app.site.page(&path).send().await;
    let page = String::from_utf8_lossy(&page.body).into_owned();
    assert!(
        page.contains("How many people?") && page.contains("Names of the others"),
        "{page}"
    );
    let typed = |size| {
        [
            ("name", "Ada"),
            ("email", "ada@example.org"),
            ("party_size", size),
            ("companions", "Bo\r\nCy"),
        ]
    };
    let reply = app.site.form(&path, &typed("2")).send().await;
    let said = "You gave 2 names: choose 3 people.";
    assert!(reply.html(400).contains(said));
    let reply = app.site.form(&path, &typed("3")).send().await;
    assert_eq!(reply.status, StatusCode::SEE_OTHER, "{reply:?}");
    app.drain_jobs().await;
    let mail = app.mails().remove(0);
    for text in [&mail.text, &mail.html] {
        assert!(text.contains("For 3 people, with Bo, Cy"), "{text}");
    }
}

async fn a_stranger_writes_nothing_to_others_by_names(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let owner = api.owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_party": 10})).await;
    let lures = json!({
        "slug": event.slug, "name": "Ada", "email": "victim@example.org", "party_size": 3,
        "companions": ["Bo", "Your account is locked: https://evil.example/unlock"],
    });
    api.anyone().ok::<RegisterAttendee>(lures).await;
    app.drain_jobs().await;
    let mail = app.mails().remove(0);
    for text in [&mail.text, &mail.html] {
        assert!(text.contains("For 3 people"), "{text}");
        assert!(!text.contains("evil") && !text.contains("locked"), "{text}");
    }

    // The earlier address is perhaps someone else's.
    let ada = id_of(&owner, &event, "Ada").await;
    let moved = json!({"id": event.id, "registration_id": ada, "email": "ada@example.org"});
    owner.ok::<UpdateRegistration>(moved).await;
    app.drain_jobs().await;
    let mails = app.mails();
    let to_victim = mails.iter().filter(|mail| mail.to == "victim@example.org");
    let texts: Vec<&str> = to_victim.map(|mail| &*mail.text).collect();
    assert_eq!(texts.len(), 2, "{texts:#?}");
    let saying = texts.iter().filter(|text| text.contains("For 3 people"));
    assert_eq!(saying.count(), 1, "{texts:#?}");
}

async fn a_guest_comes_with_fewer_people_and_the_waitlist_gets_the_spots(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = json!({
        "title": "Rust Night", "max_capacity": 3, "max_party": 3, "allows_answer_changes": true,
    });
    let event = owner.publish_new(event).await;
    let anyone = app.over(Surface::Http).anyone();
    let ada = json!({
        "slug": event.slug, "name": "Ada", "email": "ada@example.org", "party_size": 3, "companions": ["Bo", "Cy"],
    });
    anyone.ok::<RegisterAttendee>(ada).await;
    register(&anyone, &event, "dee", 1).await;
    let page = private_page(&app, "ada@example.org").await;
    let form = format!("{page}/answers");
    let own = app.site.page(&page).send().await;
    assert!(own.html(200).contains("Come with fewer people"));
    let asked = app.site.page(&form).send().await;
    let html = asked.html(200);
    assert!(html.contains("<option value=\"3\" selected>"), "{html}");
    assert!(!html.contains("<option value=\"4\""), "{html}");
    assert!(html.contains("Bo\nCy</textarea>"), "{html}");

    let typed =
        |size: &'static str, names: &'static str| [("party_size", size), ("companions", names)];
    for (size, names, said) in [
        ("4", "", "t most 3"),
        ("2", "Bo\r\nCy", "You gave 2 names: choose 3 people."),
        ("", "Bo", "Choose how many people come, too."),
    ] {
        let refused = app.site.form(&form, &typed(size, names)).send().await;
        assert!(refused.html(400).contains(said), "{size}: {refused:?}");
    }
    let expected = [
        standing("Ada", "Confirmed", 3),
        standing("dee", "Waitlisted", 1),
    ];
    assert_eq!(everyone(&owner, &event).await, expected);

    let taken = app.site.form(&form, &typed("2", "Bo")).send().await;
    assert_eq!(taken.status, StatusCode::SEE_OTHER, "{taken:?}");
    let expected = [
        standing("Ada", "Confirmed", 2),
        standing("dee", "Confirmed", 1),
    ];
    assert_eq!(everyone(&owner, &event).await, expected);
    let own = app.site.page(&page).send().await;
    assert!(own.html(200).contains("2 people, with Bo<"));
    let cy = json!({"id": event.id, "q": "cy"});
    assert_eq!(owner.ok::<ListRegistrations>(cy).await["count"], 0);
    app.drain_jobs().await;
    assert_eq!(mails_to(&app, "dee@example.org").len(), 2);
    let activity = owner.ok::<ListActivity>(json!({})).await.to_string();
    let told = "Ada changed their party size and companions for \\\"Rust Night\\\"";
    assert!(activity.contains(told), "{activity}");

    // Who is here stays.
    let ada = id_of(&owner, &event, "Ada").await;
    let here = json!({"id": event.id, "registration_id": ada});
    owner.ok::<CheckIn>(here).await;
    let refused = app.site.form(&form, &typed("1", "")).send().await;
    assert!(refused.html(400).contains("2 of you are here already"));
}

async fn a_party_that_waits_gets_spots_once_it_is_small_enough(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = json!({"max_capacity": 3, "max_party": 3, "allows_answer_changes": true});
    let event = owner.publish_new(event).await;
    let anyone = app.over(Surface::Http).anyone();
    for (name, size) in [("ada", 2), ("bob", 3)] {
        register(&anyone, &event, name, size).await;
    }
    let page = private_page(&app, "bob@example.org").await;
    let form = format!("{page}/answers");
    let alone = app.site.form(&form, &[("party_size", "1")]).send().await;
    assert_eq!(alone.status, StatusCode::SEE_OTHER, "{alone:?}");
    let expected = [
        standing("ada", "Confirmed", 2),
        standing("bob", "Confirmed", 1),
    ];
    assert_eq!(everyone(&owner, &event).await, expected);
}

async fn a_list_brings_parties_in_and_the_door_finds_their_people(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"max_party": 3})).await;
    let path = format!("/me/events/{}/registrations/import", event.id);
    for (header, cell) in [
        ("Anzahl Personen", "3"),
        ("How many people?", "3"),
        ("Notes", ""),
    ] {
        let list = format!("Name,Email,{header},companions\nAda,ada@example.org,{cell},Bo; Cy\n");
        let look = app.http.post(&format!("{path}?dry_run=true"));
        let look = look.bearer(&account.key).header("content-type", "text/csv");
        let read = look.body(list).send().await.ok();
        assert_eq!(read["lines"][0]["party_size"], 3, "{header}: {read}");
        assert_eq!(read["added"], 1, "{header}: {read}");
    }
    let list = "Name,Email,party_size,companions\nAda,ada@example.org,3,Bo; Cy\nDee,dee@example.org,,\nEd,ed@example.org,4,\n";
    let request = app.http.post(&path).bearer(&account.key);
    let request = request.header("content-type", "text/csv").body(list);
    let answer = request.send().await.ok();
    assert_eq!(
        (&answer["added"], &answer["wrong"]),
        (&json!(2), &json!(1)),
        "{answer}"
    );
    assert!(
        answer["lines"][2]["why"]
            .as_str()
            .unwrap()
            .starts_with("the number of people must be at most 3")
    );
    let expected = [
        standing("Ada", "Confirmed", 3),
        standing("Dee", "Confirmed", 1),
    ];
    assert_eq!(everyone(&owner, &event).await, expected);
    let found = json!({"id": event.id, "q": "cy"});
    let found = owner.ok::<ListRegistrations>(found).await;
    assert_eq!(
        (&found["count"], &found["items"][0]["name"]),
        (&json!(1), &json!("Ada"))
    );
}

tests::on_every_surface!(
    each_person_takes_a_seat_and_the_first_party_that_fits_moves_up,
    a_party_is_as_large_as_the_event_admits,
    a_party_is_checked_in_one_by_one,
);
tests::on_both_engines!(
    a_guest_comes_with_fewer_people_and_the_waitlist_gets_the_spots,
    a_party_that_waits_gets_spots_once_it_is_small_enough,
    the_page_asks_for_the_others_and_the_mail_names_them,
    a_stranger_writes_nothing_to_others_by_names,
    a_list_brings_parties_in_and_the_door_finds_their_people,
);
