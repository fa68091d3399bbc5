//! Exports: all registrations of an event as a table, and how many accounts are exported at a time.

use core_service::service::{Error, NewRegistration, Principal, Separator};
use domain::{
    change::Change,
    event::{CustomField, Event, EventPatch, FieldType, NewEvent},
    plan::Plan,
    registration::{Answer, Status},
};
use test_postgres::Database;

use super::{Instance, guests::guest, public_event};
use crate::fixtures::migrate;

impl Instance {
    /// The whole table, and in how many pieces it came.
    async fn exported(&self, caller: &Principal, event: &Event) -> (String, usize) {
        let export = self
            .registrations
            .export(caller, event.id, Separator::Comma)
            .await;
        let mut export = export.unwrap();
        let (mut table, mut pieces) = (String::new(), 0);
        while let Some(piece) = export.next().await.unwrap() {
            table.push_str(std::str::from_utf8(&piece).unwrap());
            pieces += 1;
        }
        (table, pieces)
    }
}

async fn a_table_has_a_column_for_each_question_and_runs_nothing(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let field = |label: &str, field_type: &str, options: &[&str]| CustomField {
        id: None,
        label: label.to_owned(),
        field_type: field_type.parse().unwrap(),
        required: false,
        options: options.iter().map(|&option| option.to_owned()).collect(),
    };
    let asking = NewEvent {
        custom_fields: vec![
            field("=Days", "multi_select", &["Friday", "Saturday"]),
            field("Floor", "integer", &[]),
        ],
        ..public_event("Meetup")
    };
    let event = instance.create(&olga, asking).await;
    let answer = |label: &str, values: &[&str]| Answer {
        field_id: None,
        label: label.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    let hostile = NewRegistration {
        name: "=HYPERLINK(\"http://evil\",\"x\")".to_owned(),
        answers: vec![
            answer("=Days", &["Saturday", "Friday"]),
            answer("Floor", &["-2"]),
        ],
        ..guest("ada")
    };
    let ada = instance.asked(&event, hostile).await;
    let bob = instance.asked(&event, guest("bob")).await;
    let (table, _) = instance.exported(&olga, &event).await;
    let expected = [
        "\u{feff}".to_owned()
            + r#""id","name","email","status","registered_at","checked_in","awaits","check_in_code","checked_in_at","checked_in_by","party_size","companions","people_checked_in","'=Days","Floor","other_answers""#,
        format!(
            r#""{}","'=HYPERLINK(""http://evil"",""x"")","ada@example.org","Confirmed","2030-01-01T00:00:00Z","false","","{}","","",1,"",0,"Friday; Saturday",-2,"""#,
            ada.id,
            ada.check_in_code.as_str(),
        ),
        format!(
            r#""{}","bob","bob@example.org","Confirmed","2030-01-01T00:00:00Z","false","","{}","","",1,"",0,"","","""#,
            bob.id,
            bob.check_in_code.as_str(),
        ),
    ];
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines, expected);
}

async fn a_table_keeps_the_answers_to_questions_that_are_asked_no_more(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let field = |label: &str| CustomField {
        id: None,
        label: label.to_owned(),
        field_type: FieldType::Text,
        required: false,
        options: Vec::new(),
    };
    let answer = |label: &str, value: &str| Answer {
        field_id: None,
        label: label.to_owned(),
        values: vec![value.to_owned()],
    };
    let asking = NewEvent {
        custom_fields: vec![field("=Size"), field("Diet"), field("Shoes")],
        ..public_event("Meetup")
    };
    let event = instance.create(&olga, asking).await;
    let ada = NewRegistration {
        answers: vec![
            answer("=Size", "M"),
            answer("Diet", "vegan"),
            answer("Shoes", "44"),
        ],
        ..guest("ada")
    };
    let ada = instance.asked(&event, ada).await;
    let patch = EventPatch {
        custom_fields: Change::Set(vec![field("Diet"), field("Hat")]),
        ..EventPatch::default()
    };
    let patched = instance.events.update(&olga, event.id, patch).await;
    patched.unwrap();
    let bob = instance.asked(&event, guest("bob")).await;
    let (table, _) = instance.exported(&olga, &event).await;
    let table = table.replace(ada.check_in_code.as_str(), "A");
    let table = table.replace(bob.check_in_code.as_str(), "B");
    assert!(table.contains(",\"awaits\",\"check_in_code\",\"checked_in_at\",\"checked_in_by\",\"party_size\",\"companions\",\"people_checked_in\",\"Diet\",\"Hat\",\"other_answers\"\n"));
    assert!(table.contains(
        ",\"false\",\"\",\"A\",\"\",\"\",1,\"\",0,\"vegan\",\"\",\"'=Size: M\nShoes: 44\"\n"
    ));
    assert!(
        table.ends_with(",\"false\",\"\",\"B\",\"\",\"\",1,\"\",0,\"\",\"\",\"\"\n"),
        "{table}"
    );
}

async fn a_long_table_comes_in_pieces(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, public_event("Meetup")).await;
    assert_eq!(instance.exported(&olga, &event).await.0.lines().count(), 1);
    instance
        .register(event.id, &[Status::Waitlisted; 1_000])
        .await;
    let (table, pieces) = instance.exported(&olga, &event).await;
    assert_eq!(table.lines().count(), 1_001);
    assert_eq!(pieces, 3);
}

/// How many accounts a core exports at a time.
const MAX_EXPORTS: usize = 16;

async fn a_core_exports_16_accounts_at_a_time_and_each_once(database: Database) {
    let instance = Instance::open(&database).await;
    let exports = &instance.account_exports;
    let mut running = Vec::new();
    for number in 0..MAX_EXPORTS {
        let email = format!("owner-{number}@example.org");
        let owner = instance.caller(&email, Plan::Free).await;
        running.push(exports.start(&owner, None).await.unwrap());
        let again = exports.start(&owner, None).await;
        assert!(
            matches!(again, Err(Error::ExportUnderWay { .. })),
            "{again:?}"
        );
    }
    let olga = instance.olga().await;
    let refused = exports.start(&olga, None).await;
    assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
    running.pop();
    running.push(exports.start(&olga, None).await.unwrap());
}

test_postgres::on_both_engines!(prepare: migrate;
    a_table_has_a_column_for_each_question_and_runs_nothing,
    a_table_keeps_the_answers_to_questions_that_are_asked_no_more,
    a_long_table_comes_in_pieces,
    a_core_exports_16_accounts_at_a_time_and_each_once,
);
