//! What the page of an event shows, as the website asks for it, and what others show of it, too.

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, registration::Status};
use muster_api::v1::{
    Event, EventPage, GetEventPageRequest,
    bindings::{
        CancelEvent, CreateEvent, GetAccount, GetEvent, ListEvents, PublishEvent, UnpublishEvent,
        UpdateEvent,
    },
    catalogue_service_client::CatalogueServiceClient,
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Surface, TestApp, new_event};
use tonic::Code;

const HOUR: Duration = Duration::from_hours(1);

async fn find(app: &TestApp, slug: &str) -> Result<EventPage, Code> {
    let slug = slug.to_owned();
    let mut service = CatalogueServiceClient::new(app.grpc.channel());
    let answer = service.get_event_page(GetEventPageRequest { slug }).await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| status.code())
}

/// The page of an event, and the event on it.
async fn page(app: &TestApp, event: &Created) -> (EventPage, Event) {
    let page = find(app, &event.slug).await.unwrap();
    let event = page.event.clone().unwrap();
    (page, event)
}

async fn owner(app: &Arc<TestApp>) -> Client {
    app.over(Surface::Grpc).owner(Plan::Premium).await
}

async fn a_page_shows_what_people_ask_before_they_register(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let field =
        json!({"label": "Size", "field_type": "select", "required": true, "options": ["S", "M"]});
    let event = owner
        .publish_new(json!({
            "city": "Berlin", "timezone": "Europe/Berlin", "max_capacity": 2, "custom_fields": [field],
            "requires_approval": true, "confirm_by_email": true, "image_query": "crab",
            "organizer_name": "Rust Berlin", "contact_email": "hello@rust.berlin",
        }))
        .await;
    let (page, shown) = page(&app, &event).await;
    let mut asked = serde_json::to_value(&page.custom_fields).unwrap();
    asked[0].as_object_mut().unwrap().remove("id");
    assert_eq!(asked, json!([field]));
    assert!(page.is_listed && page.requires_approval && page.confirm_by_email);
    assert!(!page.is_cancelled && !page.is_ended && !shown.is_full);
    assert_eq!((page.seats_left, page.waitlisted), (2, 0));
    assert_eq!(page.previous_start_date, None);
    assert_eq!(shown.organizer_name.as_deref(), Some("Rust Berlin"));
    assert_eq!(shown.contact_email.as_deref(), Some("hello@rust.berlin"));
    assert_eq!(shown.updated_at, app.clock.now().to_string());
    // The rest is as in the catalogue.
    let listed = app.over(Surface::Http).anyone();
    let listed = listed.ok::<GetEvent>(json!({"slug": event.slug})).await;
    assert_eq!(serde_json::to_value(&shown).unwrap(), listed);
    // What others need to build a form.
    let mut asked = listed["custom_fields"].clone();
    asked[0].as_object_mut().unwrap().remove("id");
    assert_eq!(asked, json!([field]));
    let seats = (&listed["seats_left"], &listed["requires_approval"]);
    assert_eq!(seats, (&json!(2), &json!(true)));
}

async fn an_event_that_names_no_organizer_shows_the_accounts_name(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner.publish_new(json!({})).await;
    let account = owner.ok::<GetAccount>(json!({})).await;
    let name = account["name"].as_str().unwrap();
    let (_, shown) = page(&app, &event).await;
    assert_eq!(shown.organizer.as_deref(), Some(name));
    assert_eq!(shown.organizer_name, None);
    for path in [format!("/events/{}", event.slug), "/events.atom".to_owned()] {
        let page = app.site.page(&path).send().await;
        assert!(String::from_utf8_lossy(&page.body).contains(name), "{path}");
    }
}

async fn a_page_is_found_in_every_state_but_a_drafts(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let draft = owner.create(json!({})).await;
    let unlisted = owner.publish_new(json!({"is_listed": false})).await;
    let cancelled = owner.publish_new(json!({})).await;
    let cancel = json!({"id": cancelled.id, "reason": "For registrants only"});
    owner.ok::<CancelEvent>(cancel).await;
    let over = json!({"start_date": "2027-01-15T12:30:00Z", "end_date": "2027-01-15T12:45:00Z"});
    let over = owner.publish_new(over).await;
    app.advance(HOUR);

    for slug in [&draft.slug, "no-such-event", "", "É"] {
        assert_eq!(
            find(&app, slug).await.unwrap_err(),
            Code::NotFound,
            "{slug}"
        );
    }
    let states = [&unlisted, &cancelled, &over].map(|event| page(&app, event));
    let [unlisted, cancelled, over] = futures_util::future::join_all(states)
        .await
        .try_into()
        .unwrap();
    let of = |(page, _): &(EventPage, Event)| (page.is_listed, page.is_cancelled, page.is_ended);
    assert_eq!(of(&unlisted), (false, false, false));
    assert_eq!(of(&cancelled), (true, true, false));
    assert_eq!(of(&over), (true, false, true));
    assert!(!format!("{cancelled:?}").contains("For registrants only"));

    let id = json!({ "id": draft.id });
    owner.ok::<PublishEvent>(id.clone()).await;
    assert!(find(&app, &draft.slug).await.is_ok());
    owner.ok::<UnpublishEvent>(id).await;
    assert_eq!(find(&app, &draft.slug).await.unwrap_err(), Code::NotFound);
}

async fn seats_are_counted_down_to_the_waitlist(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner.publish_new(json!({"max_capacity": 2})).await;
    let seats = async || {
        let (page, shown) = page(&app, &event).await;
        let listed = app.over(Surface::Http).anyone();
        let listed = listed.ok::<ListEvents>(json!({})).await;
        assert_eq!(listed["items"][0]["is_full"], json!(shown.is_full));
        (page.seats_left, page.waitlisted, shown.is_full)
    };
    assert_eq!(seats().await, (2, 0, false));
    app.register(&event.id, &[Status::Confirmed, Status::Pending])
        .await;
    assert_eq!(seats().await, (1, 0, false));
    app.register(&event.id, &[Status::Confirmed]).await;
    assert_eq!(seats().await, (0, 0, true));
    app.register(&event.id, &[Status::Waitlisted; 3]).await;
    assert_eq!(seats().await, (0, 3, true));
}

async fn a_seat_that_someone_has_yet_to_confirm_is_not_left(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let asking = json!({"max_capacity": 1, "confirm_by_email": true});
    let event = owner.publish_new(asking).await;
    let person = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone
        .ok::<muster_api::v1::bindings::RegisterAttendee>(person)
        .await;
    let (page, shown) = page(&app, &event).await;
    assert_eq!((page.seats_left, page.waitlisted), (0, 0));
    assert!(shown.is_full);
}

async fn a_moved_event_shows_when_it_was_to_start(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner
        .create(json!({"start_date": "2027-03-27T19:00", "timezone": "Europe/Berlin"}))
        .await;
    let start = async |start: &str| {
        let change = json!({"id": event.id, "start_date": start});
        owner.ok::<UpdateEvent>(change).await;
    };
    start("2027-03-27T20:00").await;
    owner.ok::<PublishEvent>(json!({ "id": event.id })).await;
    let before = async || page(&app, &event).await.0.previous_start_date;
    assert_eq!(before().await, None, "nobody saw the first one");
    // Clocks are put forward in between, and each time has its own offset.
    start("2027-03-29T20:00").await;
    assert_eq!(before().await.as_deref(), Some("2027-03-27T20:00:00+01:00"));
    start("2027-03-27T20:00").await;
    assert_eq!(before().await, None);
}

async fn an_organizer_is_named_only_where_one_is_set(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let organizer =
        json!({"organizer_name": "أمسية", "contact_email": "hello+events@rust.example"});
    let named = owner.publish_new(organizer.clone()).await;
    let plain = owner.publish_new(json!({"organizer_name": null, "contact_email": null}));
    let anyone = api.anyone();
    for (event, expected) in [
        (&named, organizer),
        (
            &plain.await,
            json!({"organizer_name": null, "contact_email": null}),
        ),
    ] {
        let slug = json!({ "slug": event.slug });
        for shown in [owner.detail(event).await, anyone.ok::<GetEvent>(slug).await] {
            for field in ["organizer_name", "contact_email"] {
                assert_eq!(shown[field], expected[field], "{field}");
            }
        }
    }
}

async fn an_organizer_that_nobody_could_write_to_is_refused(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.create(json!({})).await;
    let long = "x".repeat(201);
    for (field, value) in [
        ("organizer_name", ""),
        ("organizer_name", " "),
        ("organizer_name", "two\nlines"),
        ("organizer_name", "re\u{202e}versed"),
        ("organizer_name", &long),
        ("contact_email", ""),
        ("contact_email", "nobody"),
        ("contact_email", "a@b"),
        ("contact_email", "a@example.org\r\nBcc: b@example.org"),
        ("contact_email", "Ada <ada@example.org>"),
    ] {
        let create = new_event(json!({ field: value }));
        owner.refused::<CreateEvent>(create).await.blames(&[field]);
        let update: Value = json!({"id": event.id, field: value});
        owner.refused::<UpdateEvent>(update).await.blames(&[field]);
    }
}

mod by_rpc {
    use super::{
        a_moved_event_shows_when_it_was_to_start, a_page_is_found_in_every_state_but_a_drafts,
        a_page_shows_what_people_ask_before_they_register,
        a_seat_that_someone_has_yet_to_confirm_is_not_left,
        an_event_that_names_no_organizer_shows_the_accounts_name,
        seats_are_counted_down_to_the_waitlist,
    };

    tests::on_both_engines!(
        a_page_shows_what_people_ask_before_they_register,
        an_event_that_names_no_organizer_shows_the_accounts_name,
        a_page_is_found_in_every_state_but_a_drafts,
        seats_are_counted_down_to_the_waitlist,
        a_seat_that_someone_has_yet_to_confirm_is_not_left,
        a_moved_event_shows_when_it_was_to_start,
    );
}

tests::on_every_surface!(
    an_organizer_is_named_only_where_one_is_set,
    an_organizer_that_nobody_could_write_to_is_refused,
);
