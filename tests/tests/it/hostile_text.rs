//! Texts of strangers in what others read: tables, calendars, mails. And addresses to which no mail can be sent.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{
    AddRegistration, CancelEvent, CreateEvent, ListRegistrations, RegisterAttendee, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Api, Surface, TestApp, new_event};

const QUESTION: &str = "Diet";

fn asking(fields: Value) -> Value {
    let mut event = new_event(fields);
    event["custom_fields"] = json!([{"label": QUESTION, "field_type": "text"}]);
    event
}

fn registration(slug: &Value, name: &str, email: &str, answer: &str) -> Value {
    json!({
        "slug": slug, "name": name, "email": email,
        "answers": [{"label": QUESTION, "values": [answer]}],
    })
}

/// The cells of a table that a spreadsheet would execute if its separator were this. Some ignore spaces and quotes before.
pub(crate) fn formulas(table: &[u8], separator: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(table);
    let rows = reader.records().map(Result::unwrap);
    let cells = rows.flat_map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>());
    cells
        .filter(|cell| {
            let begin = cell.trim_start_matches([' ', '"']);
            begin.starts_with(['=', '+', '-', '@']) && begin.parse::<i64>().is_err()
        })
        .collect()
}

async fn a_table_has_no_formula_for_any_separator(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = asking(json!({"is_public": true}));
    let event = owner.ok::<CreateEvent>(event).await;
    let begins = [
        "", ";", ",", " ; ", "\";", ";\"", "\",\"", ";\"\";", "; \" ",
    ];
    let in_answers = ["\t", "\n", "\r\n", "a\n\"", ";\t\"\n"];
    let mut unguarded = csv::Writer::from_writer(Vec::new());
    for (number, before) in begins.into_iter().chain(in_answers).enumerate() {
        let text = format!("A{before}=cmd|' /C calc'!A0");
        let is_line = begins.contains(&before);
        let name = if is_line { &text } else { "Ada" };
        let email = format!("guest{number}@example.org");
        let request = registration(&event["slug"], name, &email, &text);
        owner.ok::<RegisterAttendee>(request).await;
        unguarded.write_record(["Ada", &text]).unwrap();
    }
    let unguarded = unguarded.into_inner().unwrap();
    let id = event["id"].as_str().unwrap();
    let reason = "Rain\n=cmd|' /C calc'!A0;=1";
    owner
        .ok::<CancelEvent>(json!({"id": id, "reason": reason}))
        .await;
    let registrations = format!("/me/events/{id}/registrations.csv");
    for path in [&*registrations, "/me/activity.csv"] {
        let table = app.http.get(path).bearer(&account.key).send().await;
        assert!(table.body.len() > 1_000, "{path}");
        for separator in [b',', b';', b'\t', b'|'] {
            assert_eq!(formulas(&table.body, separator), [""; 0], "{path}");
        }
    }
    assert!(formulas(&unguarded, b';').len() >= begins.len() / 2);
}

async fn marks_that_reorder_text_or_break_lines_are_refused(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .ok::<CreateEvent>(asking(json!({"is_public": true})))
        .await;
    let (id, slug) = (&event["id"], &event["slug"]);
    for mark in [
        '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{2028}', '\u{2029}',
    ] {
        let text = format!("Ada {mark}gpj.exe");
        let named = registration(slug, &text, "ada@example.org", "vegan");
        let refusal = api.anyone().refused::<RegisterAttendee>(named).await;
        refusal.blames(&["name"]);
        let answered = registration(slug, "Ada", "ada@example.org", &text);
        let refusal = api.anyone().refused::<RegisterAttendee>(answered).await;
        refusal.blames(&["answers[0].values[0]"]);
        let added = json!({"id": id, "name": text, "email": "ada@example.org"});
        let refusal = owner.refused::<AddRegistration>(added).await;
        refusal.blames(&["name"]);
        let titled =
            new_event(json!({"title": text, "description": text, "location": text, "city": text}));
        let refusal = owner.refused::<CreateEvent>(titled).await;
        refusal.blames(&["title", "description", "location", "city"]);
        let asks = json!({"id": id, "custom_fields": [{"label": text, "field_type": "select", "options": [text]}]});
        let refusal = owner.refused::<UpdateEvent>(asks).await;
        refusal.blames(&["custom_fields[0].label", "custom_fields[0].options[0]"]);
    }
}

async fn marks_that_scripts_need_are_kept(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let texts = [
        "می\u{200c}خواهم",
        "ක්\u{200d}ෂ",
        "👩\u{200d}👩\u{200d}👧",
        "שלום (C++)\u{200f}",
        "\u{200e}Ada\u{061c}",
    ];
    for text in texts {
        let event = asking(json!({"is_public": true, "title": format!("Meetup {text}")}));
        let event = owner.ok::<CreateEvent>(event).await;
        let named = registration(&event["slug"], text, "ada@example.org", text);
        api.anyone().ok::<RegisterAttendee>(named).await;
        let listed = owner
            .ok::<ListRegistrations>(json!({"id": event["id"]}))
            .await;
        assert_eq!(listed["items"][0]["name"], text);
        assert_eq!(listed["items"][0]["answers"][0]["values"], json!([text]));
    }
}

async fn addresses_to_which_no_mail_can_be_sent_are_refused(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .ok::<CreateEvent>(asking(json!({"is_public": true})))
        .await;
    for email in [
        "a..b@example.org",
        ".a@example.org",
        "a.@example.org",
        "a@localhost",
        "a@example",
        "a@example.",
        "a@.example",
    ] {
        let named = registration(&event["slug"], "Ada", email, "vegan");
        let refusal = api.anyone().refused::<RegisterAttendee>(named).await;
        refusal.blames(&["email"]);
        let added = json!({"id": event["id"], "name": "Ada", "email": email});
        let refusal = owner.refused::<AddRegistration>(added).await;
        refusal.blames(&["email"]);
    }
    let named = registration(&event["slug"], "Ada", "a.b+c@mail.example.org", "vegan");
    api.anyone().ok::<RegisterAttendee>(named).await;
    api.drain_jobs().await;
    assert_eq!(api.mails()[0].to, "a.b+c@mail.example.org");
}

async fn a_name_adds_nothing_to_an_invitation(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .ok::<CreateEvent>(asking(json!({"is_public": true})))
        .await;
    let name = "A;=cmd|\"x\";ROLE=CHAIR:mailto:eve@example.org,B";
    let request = registration(&event["slug"], name, "ada@example.org", "vegan");
    owner.ok::<RegisterAttendee>(request).await;
    app.drain_jobs().await;
    let calendar = app.mails().remove(0).calendar.unwrap();
    let mut lines = calendar.lines();
    let attendee = lines.find(|line| line.starts_with("ATTENDEE")).unwrap();
    let (_, name) = attendee.split_once("CN=\"").unwrap();
    let (name, rest) = name.split_once('"').unwrap();
    assert!(!name.contains([';', ':', ',', '=', '|']), "{attendee}");
    assert!(rest.ends_with(":mailto:ada@example.org"), "{attendee}");
    assert!(!rest.contains("CHAIR"), "{attendee}");
}

mod everywhere {
    use super::{
        addresses_to_which_no_mail_can_be_sent_are_refused,
        marks_that_reorder_text_or_break_lines_are_refused, marks_that_scripts_need_are_kept,
    };

    tests::on_every_surface!(
        marks_that_reorder_text_or_break_lines_are_refused,
        marks_that_scripts_need_are_kept,
        addresses_to_which_no_mail_can_be_sent_are_refused,
    );
}

tests::on_both_engines!(
    a_table_has_no_formula_for_any_separator,
    a_name_adds_nothing_to_an_invitation,
);
