//! An organizer's session with clients that progenitor and openapi-generator made of the document in its older form.
//!
//!     generated BASE_URL KEY

use futures::TryStreamExt as _;
use muster_generated::{
    apis::{Error, catalogue_api, configuration::Configuration, event_api, registration_api},
    models::{CreateEventRequest, RegisterAttendeeRequest},
};

mod made_by_progenitor {
    progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder);
}

/// Wall time, which `DateTime` cannot say.
const START: &str = "2031-05-14T19:00";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base, key] = &arguments[..] else {
        panic!("usage: generated BASE_URL KEY");
    };
    by_progenitor(base, key).await;
    by_openapi_generator(base, key).await;
}

async fn by_progenitor(base: &str, key: &str) {
    let mut headers = reqwest::header::HeaderMap::new();
    headers.insert("authorization", format!("Bearer {key}").parse().unwrap());
    let http = reqwest::Client::builder()
        .default_headers(headers)
        .build()
        .unwrap();
    let muster = made_by_progenitor::Client::new_with_client(base, http);

    let list = muster.list_events().limit(3).send().await.unwrap();
    assert_eq!(list.items.len(), 3);
    let create = |title: &'static str| {
        muster.create_event().body_map(|body| {
            body.title(title)
                .description("A generated client wrote this.")
                .location("127.0.0.1")
                .start_date(START)
                .timezone("Europe/Berlin".to_owned().try_into().ok())
                .image_query("type".to_owned().try_into().ok())
        })
    };
    let created = create("Made by progenitor").send().await.unwrap();
    let published = muster.publish_event().id(created.id).send().await.unwrap();
    assert!(published.is_published);
    let guest = muster
        .register_attendee()
        .slug(&created.slug)
        .body_map(|body| body.name("Ada Example").email("ada@progenitor.example"));
    assert_eq!(guest.send().await.unwrap().email, "ada@progenitor.example");

    let unknown = uuid::Uuid::nil();
    let refused = muster.get_my_event().id(unknown).send().await.unwrap_err();
    let made_by_progenitor::Error::ErrorResponse(refused) = refused else {
        panic!("{refused}");
    };
    assert_eq!(refused.error.code, "NOT_FOUND");
    assert!(!refused.error.message.is_empty());

    let cover = muster.get_cover().slug(&created.slug).send().await.unwrap();
    let cover: Vec<bytes::Bytes> = cover.into_inner().into_inner().try_collect().await.unwrap();
    let cover = cover.concat();
    assert!(cover.starts_with(b"\x89PNG"));
    let sent = muster.put_cover().id(created.id).body(cover);
    let with_cover = sent.send().await.unwrap();
    assert!(with_cover.image_url.is_some());
    let table = muster
        .export_registrations()
        .id(created.id)
        .send()
        .await
        .unwrap();
    let table: Vec<bytes::Bytes> = table.into_inner().into_inner().try_collect().await.unwrap();
    let table = String::from_utf8(table.concat()).unwrap();
    assert!(table.contains("ada@progenitor.example"));
    println!(
        "progenitor: listed, created, published, registered, read a refusal, read and sent a cover, read a table"
    );
}

async fn by_openapi_generator(base: &str, key: &str) {
    let muster = Configuration {
        base_path: base.to_owned(),
        bearer_access_token: Some(key.to_owned()),
        ..Configuration::default()
    };
    // Limit, offset, q, city, from, to, running, organizer, past, series and If-None-Match.
    let list = catalogue_api::list_events(
        &muster,
        Some(3),
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    );
    assert_eq!(list.await.unwrap().items.len(), 3);
    let mut draft = CreateEventRequest::new(
        "Made by openapi-generator".to_owned(),
        "A generated client wrote this.".to_owned(),
        "127.0.0.1".to_owned(),
        START.to_owned(),
    );
    draft.image_query = Some("type".to_owned());
    let created = event_api::create_event(&muster, draft.clone())
        .await
        .unwrap();
    let id = created.id.to_string();
    let published = event_api::publish_event(&muster, &id).await.unwrap();
    assert!(published.is_published);
    let guest =
        RegisterAttendeeRequest::new("Ada Example".to_owned(), "ada@generator.example".to_owned());
    let received = registration_api::register_attendee(&muster, &created.slug, guest);
    assert_eq!(received.await.unwrap().email, "ada@generator.example");

    draft.title = "x".to_owned();
    let refused = event_api::create_event(&muster, draft)
        .await
        .unwrap_err();
    let Error::ResponseError(refused) = refused else {
        panic!("{refused}");
    };
    assert_eq!(refused.status.as_u16(), 400);
    assert!(
        refused.content.contains("title must be 3 to 200"),
        "{}",
        refused.content
    );

    let cover = catalogue_api::get_cover(&muster, &created.slug, None, None)
        .await
        .unwrap();
    assert!(cover.bytes().await.unwrap().starts_with(b"\x89PNG"));
    let table = registration_api::export_registrations(&muster, &id, None)
        .await
        .unwrap();
    let table = table.text().await.unwrap();
    assert!(table.contains("ada@generator.example"));
    println!("openapi-generator (Rust): the same");
}
