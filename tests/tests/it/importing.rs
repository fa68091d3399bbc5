//! Lists of people that organizers bring in.

mod refusals;

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, registration::Status};
use http::Method;
use muster_api::{
    Reason,
    v1::bindings::{AddRegistration, CancelEvent, GetAccount, ListRegistrations, RegisterAttendee},
};
use serde_json::{Value, json};
use tests::{Account, Client, Created, Reply, Surface, TestApp};
use tokio::time::timeout;

/// More than are written in one statement. The benchmark brings in as many as a list can have.
const MANY: usize = 1_500;

struct Organizer {
    app: Arc<TestApp>,
    account: Account,
    owner: Client,
    event: Created,
}

impl Organizer {
    async fn with(app: &Arc<TestApp>, account: Account, event: Value) -> Self {
        let owner = app.over(Surface::Http).as_owner(&account);
        let event = owner.publish_new(event).await;
        let app = Arc::clone(app);
        Self {
            app,
            account,
            owner,
            event,
        }
    }

    async fn new(app: &Arc<TestApp>, event: Value) -> Self {
        Self::with(app, app.account(Plan::Business).await, event).await
    }

    /// Sends a list as `curl` does.
    fn request(&self, query: &str, list: impl AsRef<[u8]>) -> tests::Request {
        self.request_as("text/csv", query, list)
    }

    fn request_as(&self, media_type: &str, query: &str, list: impl AsRef<[u8]>) -> tests::Request {
        let path = format!(
            "/api/v1/me/events/{}/registrations/import{query}",
            self.event.id
        );
        let request = self.app.http.request(Method::POST, &path);
        let request = request.bearer(&self.account.key);
        let list = list.as_ref().to_vec();
        request.header("content-type", media_type).body(list)
    }

    async fn import(&self, query: &str, list: impl AsRef<[u8]>) -> Reply {
        self.request(query, list).send().await
    }

    /// Name, address and status of everyone, in the order of registering.
    async fn people(&self) -> Vec<(String, String, Status)> {
        let people = self.app.registrations(&self.event.id).await;
        let person = |one: domain::registration::Registration| (one.name, one.email, one.status);
        people.into_iter().map(person).collect()
    }
}

/// How many were added, waitlisted, there before, and wrong.
fn counts(answer: &Value) -> [i64; 4] {
    ["added", "waitlisted", "already_there", "wrong"].map(|name| answer[name].as_i64().unwrap())
}

fn outcomes(answer: &Value) -> Vec<(i64, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = answer["lines"].as_array().unwrap().iter();
    lines
        .map(|line| {
            let number = line["line"].as_i64().unwrap();
            (number, text(&line["outcome"]), text(&line["why"]))
        })
        .collect()
}

/// A list of so many people.
fn list_of(count: usize) -> String {
    let people = (0..count).map(|number| format!("Guest {number},guest{number}@example.org\n"));
    format!("Name,Email\n{}", people.collect::<String>())
}

async fn every_encoding_and_separator_of_spreadsheets_is_read(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({})).await;
    let text = "Vorname|Nachname|E-Mail\r\n\"José\"|\"Ñandú, \nder Große\"|jose@example.org\r\n";
    let mut sent = 0;
    for separator in [",", ";", "\t"] {
        let text = text.replace('|', separator);
        let utf_16 = |mark: u16, bytes: fn(u16) -> [u8; 2]| {
            let units = [mark].into_iter().chain(text.encode_utf16());
            units.flat_map(bytes).collect::<Vec<u8>>()
        };
        let latin = text
            .chars()
            .map(|one| u8::try_from(u32::from(one)).unwrap());
        for list in [
            text.as_bytes().to_vec(),
            format!("\u{feff}{text}").into_bytes(),
            utf_16(0xfeff, u16::to_le_bytes),
            utf_16(0xfeff, u16::to_be_bytes),
            latin.collect(),
        ] {
            let media_type = ["text/csv", "application/octet-stream"][sent % 2];
            let request = organizer.request_as(media_type, "", list);
            let answer = request.send().await.ok();
            let expected = if sent == 0 {
                [1, 0, 0, 0]
            } else {
                [0, 0, 1, 0]
            };
            assert_eq!(counts(&answer), expected, "{separator:?} {answer}");
            sent += 1;
        }
    }
    let jose = ("José Ñandú, der Große", "jose@example.org");
    let people = organizer.people().await;
    assert_eq!(
        people,
        [(jose.0.to_owned(), jose.1.to_owned(), Status::Confirmed)]
    );
}

#[expect(
    clippy::too_many_lines,
    reason = "one list, and what is said of each of its lines"
)]
async fn a_dry_run_says_what_becomes_of_each_line_and_changes_nothing(app: Arc<TestApp>) {
    let asks = json!({
        "max_capacity": 3,
        "custom_fields": [{"label": "Diet", "field_type": "select", "options": ["vegan", "none"]}],
    });
    let organizer = Organizer::new(&app, asks).await;
    let bea = json!({"id": organizer.event.id, "name": "Bea", "email": "bea@example.org"});
    organizer.owner.ok::<AddRegistration>(bea).await;
    app.drain_jobs().await;
    let list = "Name;Shoes;Email;diet\n\
        Ada;38;ada@example.org;vegan\n\
        Bea;39;BEA@example.org;meat\n\
        \n\
        Cy;40;nobody;\n\
        ;41;dee@example.org;\n\
        Ed;42;ed@example.org;meat\n\
        Ada again;43;Ada@example.org;\n\
        =HYPERLINK(\"x\");44;flo@example.org;\n\
        Gus;45;gus@example.org;none\n";
    let (people, mails) = (organizer.people().await, app.mails().len());
    let answer = organizer.import("?dry_run=true", list).await.ok();
    assert_eq!(answer["is_dry_run"], true);
    assert_eq!(counts(&answer), [2, 1, 2, 3], "{answer}");
    assert_eq!(answer["recipients"], 3);
    let found = outcomes(&answer);
    let expected = [
        (2, "added", ""),
        (3, "already_there", "registered already"),
        (5, "wrong", "the address must be"),
        (6, "wrong", "the name is required"),
        (
            7,
            "wrong",
            "must be one of its options, for example \"vegan\"",
        ),
        (8, "already_there", "line 2 has the same email address"),
        (9, "added", ""),
        (10, "waitlisted", ""),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((line, outcome, why), (number, named, part)) in found.iter().zip(expected) {
        assert_eq!((*line, &**outcome), (number, named), "{found:?}");
        assert!(why.contains(part), "{why} has {part}");
    }
    let first = &answer["lines"][0];
    assert_eq!(
        (&first["name"], &first["email"]),
        (&json!("Ada"), &json!("ada@example.org"))
    );
    assert_eq!(first["registration_id"], Value::Null);
    let meanings: Vec<_> = answer["columns"].as_array().unwrap().iter().collect();
    let meanings: Vec<_> = meanings.iter().map(|one| &one["meaning"]).collect();
    assert_eq!(meanings, ["name", "ignored", "email", "answer"]);
    app.drain_jobs().await;
    assert_eq!(
        (organizer.people().await, app.mails().len()),
        (people, mails)
    );

    // The same list for good, and once more.
    let answer = organizer.import("", list).await.ok();
    assert_eq!((counts(&answer), outcomes(&answer)), ([2, 1, 2, 3], found));
    assert_eq!(answer["lines"][0]["name"], Value::Null);
    let people = organizer.people().await;
    let statuses: Vec<_> = people.iter().map(|one| (&*one.0, one.2)).collect();
    let expected = [
        ("Bea", Status::Confirmed),
        ("Ada", Status::Confirmed),
        ("=HYPERLINK(\"x\")", Status::Confirmed),
        ("Gus", Status::Waitlisted),
    ];
    assert_eq!(statuses, expected);
    let asked = json!({"id": organizer.event.id});
    let listed = organizer.owner.ok::<ListRegistrations>(asked).await;
    assert_eq!(
        listed["items"][1]["id"],
        answer["lines"][0]["registration_id"]
    );
    assert_eq!(listed["items"][1]["answers"][0]["values"], json!(["vegan"]));
    app.drain_jobs().await;
    let mails: Vec<_> = app
        .mails_by_time()
        .into_iter()
        .map(|mail| mail.to)
        .collect();
    assert_eq!(mails.len(), 4, "{mails:?}");

    let again = organizer.import("", list).await.ok();
    assert_eq!(counts(&again), [0, 0, 5, 3]);
    assert_eq!(again["recipients"], 0);
    app.drain_jobs().await;
    assert_eq!(app.mails().len(), 4);
    assert_eq!(organizer.people().await, people);

    // What was exported comes back as it was typed.
    let path = format!("/me/events/{}/registrations.csv", organizer.event.id);
    let request = app.http.get(&path).bearer(&organizer.account.key);
    let exported = request.send().await;
    assert!(
        String::from_utf8_lossy(&exported.body).contains("'=HYPERLINK"),
        "{exported:?}"
    );
    let other = Organizer::with(&app, app.account(Plan::Pro).await, json!({})).await;
    let answer = other.import("?notify=false", &exported.body).await.ok();
    assert_eq!(counts(&answer), [4, 0, 0, 0], "{answer}");
    assert_eq!(other.people().await[2].0, "=HYPERLINK(\"x\")");
}

async fn without_notice_nobody_is_mailed_and_everyone_counts(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({})).await;
    let left = async || {
        let account = organizer.owner.ok::<GetAccount>(json!({})).await;
        account["daily_mails_left"].as_i64().unwrap()
    };
    let before = left().await;
    let answer = organizer.import("?notify=false", list_of(5)).await.ok();
    assert_eq!(
        (counts(&answer), &answer["recipients"]),
        ([5, 0, 0, 0], &json!(0))
    );
    app.drain_jobs().await;
    assert_eq!((app.mails().len(), left().await), (0, before - 5));
    // They are told what becomes of the event.
    let cancel = json!({"id": organizer.event.id});
    organizer.owner.ok::<CancelEvent>(cancel).await;
    app.drain_jobs().await;
    assert_eq!(app.mails().len(), 5);
}

async fn a_long_list_is_brought_in_at_once(app: Arc<TestApp>) {
    let capacity = i32::try_from(MANY).unwrap() - 1;
    let organizer = Organizer::new(&app, json!({"max_capacity": capacity})).await;
    let list = list_of(MANY);
    let answer = organizer.import("?dry_run=true", &list).await.ok();
    assert_eq!(counts(&answer), [1_499, 1, 0, 0]);
    let answer = organizer.import("", &list).await.ok();
    assert_eq!(counts(&answer), [1_499, 1, 0, 0]);
    let detail = organizer.owner.detail(&organizer.event).await;
    assert_eq!(
        (
            &detail["registrations_confirmed"],
            &detail["registrations_waitlisted"]
        ),
        (&json!(1_499), &json!(1))
    );
    let again = organizer.import("", &list).await.ok();
    assert_eq!(counts(&again), [0, 0, 1_500, 0]);
}

async fn a_list_that_is_broken_off_is_in_as_a_whole_or_not_at_all(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({})).await;
    let (list, mut broken) = (list_of(300), 0);
    for milliseconds in [1, 5, 10, 20, 40, 80, 160, 320] {
        let import = organizer.import("", &list);
        let sent = timeout(Duration::from_millis(milliseconds), import).await;
        broken += usize::from(sent.is_err());
        let there = organizer.people().await.len();
        assert!([0, 300].contains(&there), "{there} are in");
    }
    assert!(broken > 0, "no call was broken off");
    organizer.import("", &list).await.ok();
    assert_eq!(organizer.people().await.len(), 300);
    app.drain_jobs().await;
    assert_eq!(app.mails().len(), 300);
}

async fn the_same_list_twice_at_a_time_adds_everyone_once(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({"max_capacity": 250})).await;
    let list = list_of(300);
    let register = async {
        for number in 0..20 {
            let email = format!("guest{number}@example.org");
            let one = json!({"slug": organizer.event.slug, "name": "Self", "email": email});
            let anyone = app.over(Surface::Http).anyone();
            anyone.ok::<RegisterAttendee>(one).await;
        }
    };
    let (one, two, ()) = tokio::join!(
        organizer.import("", &list),
        organizer.import("", &list),
        register
    );
    let (one, two) = (counts(&one.ok()), counts(&two.ok()));
    assert!(one[0] + one[1] + two[0] + two[1] <= 300, "{one:?} {two:?}");
    let people = organizer.people().await;
    let confirmed = people.iter().filter(|one| one.2 == Status::Confirmed);
    assert_eq!((people.len(), confirmed.count()), (300, 250));
}

async fn a_call_with_a_key_is_answered_the_same_twice(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({})).await;
    let send = async |query: &str, count: usize| {
        let request = organizer.request(query, list_of(count));
        request.header("idempotency-key", "list-1").send().await
    };
    let looked_at = send("?dry_run=true", 2).await.ok();
    assert_eq!(counts(&looked_at), [2, 0, 0, 0]);
    let first = send("", 2).await.ok();
    assert_eq!(counts(&first), [2, 0, 0, 0]);
    assert_eq!(send("", 2).await.ok(), first);
    let other = send("", 3).await.refusal();
    assert_eq!(other.reason, Reason::IdempotencyKeyReused);
    assert_eq!(organizer.people().await.len(), 2);
}

tests::on_both_engines!(
    every_encoding_and_separator_of_spreadsheets_is_read,
    a_dry_run_says_what_becomes_of_each_line_and_changes_nothing,
    without_notice_nobody_is_mailed_and_everyone_counts,
    a_long_list_is_brought_in_at_once,
    a_list_that_is_broken_off_is_in_as_a_whole_or_not_at_all,
    the_same_list_twice_at_a_time_adds_everyone_once,
    a_call_with_a_key_is_answered_the_same_twice,
);
