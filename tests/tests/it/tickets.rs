//! Check-in codes and calendar files, as the website asks for them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use domain::{plan::Plan, registration::Status};
use muster_api::v1::{
    GetEventCalendarRequest, GetRegistrationByTokenRequest, GetRegistrationCalendarByTokenRequest,
    GetTicketRequest, OwnRegistration, Ticket,
    bindings::{CancelEvent, CheckIn, PublishEvent, RegisterAttendee, UnpublishEvent, UpdateEvent},
    catalogue_service_client::CatalogueServiceClient,
    registration_service_client::RegistrationServiceClient,
};
use serde_json::json;
use tests::{Client, Created, Surface, TestApp};
use tonic::{Code, Status as Failure, transport::Channel};

/// Misses that one client may have in a minute.
const MISSES: usize = 60;

fn service(app: &TestApp) -> RegistrationServiceClient<Channel> {
    RegistrationServiceClient::new(app.grpc.channel())
}

async fn ticket(app: &TestApp, code: &str) -> Result<Ticket, Failure> {
    let code = code.to_owned();
    let answer = service(app).get_ticket(GetTicketRequest { code }).await;
    answer.map(tonic::Response::into_inner)
}

async fn own(app: &TestApp, token: &str) -> Result<OwnRegistration, Failure> {
    let token = token.to_owned();
    let request = GetRegistrationByTokenRequest { token };
    let answer = service(app).get_registration_by_token(request).await;
    answer.map(tonic::Response::into_inner)
}

async fn registration_calendar(app: &TestApp, token: &str) -> Result<String, Failure> {
    let token = token.to_owned();
    let request = GetRegistrationCalendarByTokenRequest { token };
    let answer = service(app)
        .get_registration_calendar_by_token(request)
        .await;
    answer.map(|answer| answer.into_inner().text)
}

async fn event_calendar(app: &TestApp, slug: &str) -> Result<String, Failure> {
    let slug = slug.to_owned();
    let mut service = CatalogueServiceClient::new(app.grpc.channel());
    let answer = service
        .get_event_calendar(GetEventCalendarRequest { slug })
        .await;
    answer.map(|answer| answer.into_inner().text)
}

/// The value of a property of an unfolded calendar.
fn value<'a>(calendar: &'a str, property: &str) -> Option<&'a str> {
    calendar
        .lines()
        .find_map(|line| line.strip_prefix(property)?.strip_prefix(':'))
}

fn unfolded(calendar: &str) -> String {
    calendar.replace("\r\n ", "").replace("\r\n", "\n")
}

/// Someone registers, and gets a mail with a token.
async fn register(app: &Arc<TestApp>, event: &Created, name: &str) -> (tests::Mail, String) {
    let email = format!("{name}@example.org");
    let request = json!({"slug": event.slug, "name": name, "email": email});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(request).await;
    app.drain_jobs().await;
    let mut mails = app.mails();
    mails.retain(|mail| mail.to == email);
    let mail = mails.remove(0);
    let (_, token) = mail.text.split_once("/registrations/").unwrap();
    let token = token.split_whitespace().next().unwrap().to_owned();
    (mail, token)
}

async fn owner(app: &Arc<TestApp>) -> Client {
    app.over(Surface::Http).owner(Plan::Premium).await
}

async fn a_code_shows_the_event_and_the_status_and_nobodys_name(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner.publish_new(json!({"max_capacity": 1})).await;
    let (mail, token) = register(&app, &event, "ada").await;
    let ada = own(&app, &token).await.unwrap();
    let code = ada.check_in_code.clone();
    assert_eq!(code.len(), 14);
    assert!(code.split('-').all(|group| group.len() == 4));
    assert!(!token.contains(&code) && !ada.checked_in);
    let url = format!("{}/check-in/{code}", TestApp::PUBLIC_URL);
    assert!(mail.text.contains(&url), "{}", mail.text);

    let shown = ticket(&app, &code).await.unwrap();
    assert_eq!(shown.event, ada.event);
    assert_eq!(shown.event.as_ref().unwrap().slug, event.slug);
    assert_eq!((&*shown.status, shown.checked_in), ("Confirmed", false));
    assert!(!shown.is_event_cancelled && !shown.is_event_ended);
    assert!(!format!("{shown:?}").contains("ada"));

    // Whoever waits has no seat to show a code for; the page has it all the same.
    let (waiting, token) = register(&app, &event, "bob").await;
    let bob = own(&app, &token).await.unwrap().check_in_code;
    assert_ne!(bob, code);
    assert!(!waiting.text.contains(&bob), "{}", waiting.text);
    assert_eq!(ticket(&app, &bob).await.unwrap().status, "Waitlisted");

    let id = app.registrations(&event.id).await[0].id.to_string();
    owner
        .ok::<CheckIn>(json!({"id": event.id, "registration_id": id}))
        .await;
    assert!(ticket(&app, &code).await.unwrap().checked_in);
    // Also for an event that nobody else sees any more.
    owner.ok::<UnpublishEvent>(json!({"id": event.id})).await;
    assert!(ticket(&app, &code).await.is_ok());
    owner.ok::<PublishEvent>(json!({"id": event.id})).await;
    owner
        .ok::<CancelEvent>(json!({"id": event.id, "reason": "Rain"}))
        .await;
    let cancelled = ticket(&app, &code).await.unwrap();
    assert!(cancelled.is_event_cancelled);
    assert!(!format!("{cancelled:?}").contains("Rain"));
    let told = own(&app, &token).await.unwrap();
    assert_eq!(told.event_cancel_reason.as_deref(), Some("Rain"));
}

async fn each_registration_has_a_code_of_its_own(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner.publish_new(json!({})).await;
    app.register(&event.id, &[Status::Confirmed; 40]).await;
    let stored = app.registrations(&event.id).await;
    let codes: BTreeSet<&str> = stored
        .iter()
        .map(|one| one.check_in_code.as_str())
        .collect();
    assert_eq!(codes.len(), 40);
    for code in codes {
        assert!(ticket(&app, code).await.is_ok());
    }
}

async fn who_tries_many_codes_and_links_must_wait(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner.publish_new(json!({})).await;
    let (_, token) = register(&app, &event, "ada").await;
    let code = own(&app, &token).await.unwrap().check_in_code;
    let guessed = code.chars().rev().collect::<String>();
    for miss in 0..MISSES {
        // What leads somewhere does not count.
        assert!(ticket(&app, &code).await.is_ok());
        let failure = match miss % 4 {
            0 => ticket(&app, &guessed).await.unwrap_err(),
            1 => ticket(&app, &token).await.unwrap_err(),
            2 => own(&app, &code).await.unwrap_err(),
            _ => registration_calendar(&app, "").await.unwrap_err(),
        };
        assert_eq!(failure.code(), Code::NotFound, "{failure:?}");
    }
    for failure in [
        ticket(&app, &guessed).await.unwrap_err(),
        ticket(&app, &code).await.unwrap_err(),
        own(&app, &token).await.unwrap_err(),
    ] {
        assert_eq!(failure.code(), Code::ResourceExhausted, "{failure:?}");
    }
    app.advance(Duration::from_secs(2));
    assert!(ticket(&app, &code).await.is_ok());
    assert!(own(&app, &token).await.is_ok());
}

async fn a_private_page_says_until_when_to_confirm(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let asking = json!({
        "max_capacity": 1, "confirm_by_email": true, "timezone": "Europe/Berlin", "city": "Berlin",
    });
    let event = owner.publish_new(asking).await;
    let (_, token) = register(&app, &event, "ada").await;
    let times = async || {
        let own = own(&app, &token).await.unwrap();
        (own.confirm_until, own.held_until)
    };
    let written = |text: &str| Some(text.to_owned());
    let until = written("2027-01-16T13:00:00+01:00");
    assert_eq!(
        times().await,
        (until.clone(), written("2027-01-15T13:30:00+01:00"))
    );
    app.advance(Duration::from_mins(30));
    assert_eq!(times().await, (until, None));
    app.advance(Duration::from_hours(24));
    assert_eq!(times().await, (None, None));

    let lapsed = own(&app, &token).await.unwrap();
    let shown = lapsed.event.unwrap();
    assert_eq!((shown.slug, shown.city), (event.slug, written("Berlin")));
    assert!(!lapsed.is_event_ended);
    app.advance(Duration::from_hours(24 * 365));
    assert!(own(&app, &token).await.unwrap().is_event_ended);
}

async fn a_file_of_a_registration_is_the_entry_of_its_mails(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let event = owner
        .publish_new(json!({"title": "Tea, \"live\"; a\\b", "city": "Berlin"}))
        .await;
    let (mail, token) = register(&app, &event, "ada").await;
    let mailed = mail.calendar.unwrap();
    let file = async || unfolded(&registration_calendar(&app, &token).await.unwrap());
    let first = file().await;
    for property in [
        "UID", "SEQUENCE", "STATUS", "DTSTART", "SUMMARY", "LOCATION", "URL",
    ] {
        assert_eq!(
            value(&first, property),
            value(&mailed, property),
            "{property}"
        );
        assert!(value(&first, property).is_some(), "{property}");
    }
    // It is no invitation, so calendars do not answer it.
    assert_eq!(value(&first, "METHOD"), None);
    assert!(
        !first.contains("ATTENDEE") && !first.contains("@example.org"),
        "{first}"
    );

    let moved = json!({"id": event.id, "start_date": "2027-06-01T18:00:00Z"});
    owner.ok::<UpdateEvent>(moved).await;
    let second = file().await;
    assert_eq!(value(&second, "UID"), value(&first, "UID"));
    assert_eq!(value(&second, "SEQUENCE"), Some("1"));
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let last = file().await;
    assert_eq!(
        (value(&last, "STATUS"), value(&last, "SEQUENCE")),
        (Some("CANCELLED"), Some("2"))
    );
    let refused = registration_calendar(&app, "no-token").await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
}

async fn a_file_of_an_event_changes_only_with_it(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let draft = owner.create(json!({})).await;
    let event = json!({"description": format!("{}\nSecond line", "é".repeat(300))});
    let event = owner.publish_new(event).await;
    let first = event_calendar(&app, &event.slug).await.unwrap();
    assert!(first.lines().all(|line| line.len() <= 76));
    app.advance(Duration::from_mins(5));
    assert_eq!(event_calendar(&app, &event.slug).await.unwrap(), first);
    let first = unfolded(&first);
    let uid = format!("{}@muster.example", event.slug);
    assert_eq!(value(&first, "UID"), Some(&*uid));
    assert_eq!(value(&first, "STATUS"), Some("CONFIRMED"));
    assert!(
        value(&first, "DESCRIPTION")
            .unwrap()
            .ends_with("é\\nSecond line")
    );
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let last = unfolded(&event_calendar(&app, &event.slug).await.unwrap());
    assert_eq!(value(&last, "STATUS"), Some("CANCELLED"));
    assert_eq!(value(&last, "DTSTAMP"), Some("20270115T120500Z"));
    for slug in [&*draft.slug, "no-such-event"] {
        let refused = event_calendar(&app, slug).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
    }
}

async fn who_has_no_seat_gets_no_entry_that_looks_like_one(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let full = owner
        .publish_new(json!({"title": "Tea", "max_capacity": 1}))
        .await;
    let approved = json!({"title": "Tea", "requires_approval": true});
    let approved = owner.publish_new(approved).await;
    let (mail, token) = register(&app, &full, "ada").await;
    let file = unfolded(&registration_calendar(&app, &token).await.unwrap());
    assert_eq!(value(&file, "SUMMARY"), Some("Tea"));
    assert!(mail.calendar.is_some() && value(&file, "TRANSP").is_none());
    for (event, name, summary) in [
        (&full, "bob", "Waitlist: Tea"),
        (&approved, "cleo", "Awaiting approval: Tea"),
    ] {
        let (mail, token) = register(&app, event, name).await;
        assert_eq!(mail.calendar, None);
        let file = unfolded(&registration_calendar(&app, &token).await.unwrap());
        assert_eq!(value(&file, "SUMMARY"), Some(summary));
        assert_eq!(value(&file, "STATUS"), Some("TENTATIVE"));
        assert_eq!(value(&file, "TRANSP"), Some("TRANSPARENT"));
        let page = app
            .site
            .page(&format!("/registrations/{token}"))
            .send()
            .await;
        assert!(!page.html(200).contains("event.ics"), "{page:?}");
    }
}

async fn a_zone_has_one_definition_in_every_file(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let mut definitions = BTreeSet::new();
    for start in ["2027-07-01T18:00", "2027-12-01T18:00", "2041-04-01T18:00"] {
        let event = json!({"start_date": start, "timezone": "Europe/Berlin"});
        let event = owner.publish_new(event).await;
        let file = unfolded(&event_calendar(&app, &event.slug).await.unwrap());
        let (_, zone) = file.split_once("BEGIN:VTIMEZONE").unwrap();
        let zone = zone.split("END:VTIMEZONE").next().unwrap();
        assert!(
            zone.contains("BEGIN:STANDARD") && zone.contains("BEGIN:DAYLIGHT"),
            "{zone}"
        );
        definitions.insert(zone.to_owned());
    }
    assert_eq!(definitions.len(), 1, "{definitions:?}");
    assert!(
        definitions
            .first()
            .unwrap()
            .contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU")
    );
}

async fn descriptions_in_calendars_are_plain_text(app: Arc<TestApp>) {
    let owner = owner(&app).await;
    let markdown = "# Bring\n\n- an **apron**\n- [ink](https://ink.example)";
    let event = owner.publish_new(json!({"description": markdown})).await;
    let plain = "Bring\\n\\n- an apron\\n- ink (https://ink.example)";
    let file = unfolded(&event_calendar(&app, &event.slug).await.unwrap());
    assert_eq!(value(&file, "DESCRIPTION"), Some(plain));
    let (mail, _) = register(&app, &event, "ada").await;
    assert_eq!(value(&mail.calendar.unwrap(), "DESCRIPTION"), Some(plain));
    let all = app.site.page("/events.ics").send().await;
    let all = unfolded(core::str::from_utf8(&all.body).unwrap());
    assert_eq!(value(&all, "DESCRIPTION"), Some(plain));
}

tests::on_both_engines!(
    who_has_no_seat_gets_no_entry_that_looks_like_one,
    a_zone_has_one_definition_in_every_file,
    descriptions_in_calendars_are_plain_text,
    a_code_shows_the_event_and_the_status_and_nobodys_name,
    each_registration_has_a_code_of_its_own,
    who_tries_many_codes_and_links_must_wait,
    a_private_page_says_until_when_to_confirm,
    a_file_of_a_registration_is_the_entry_of_its_mails,
    a_file_of_an_event_changes_only_with_it,
);
