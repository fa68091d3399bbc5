//! Email addresses whose domain has letters beyond ASCII.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{AddRegistration, ListRegistrations, RegisterAttendee, UpdateEvent};
use serde_json::json;
use tests::{Browser, Surface, TestApp};

const TYPED: &str = "ada@münchen.example";
const STORED: &str = "ada@xn--mnchen-3ya.example";

/// Over gRPC: the schema of REST has the format `email`, to which these tests hold every request that is taken.
async fn a_domain_with_umlauts_is_taken_and_stored_as_browsers_send_it(app: Arc<TestApp>) {
    let api = app.over(Surface::Grpc);
    let account = api.account(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"slug": event.slug, "name": "Ada", "email": TYPED});
    let received = api.anyone().ok::<RegisterAttendee>(guest).await;
    assert_eq!(received["email"], STORED);
    assert!(
        received["message"].as_str().unwrap().contains(TYPED),
        "{received}"
    );
    // Typed either way, it is one address.
    for email in [TYPED, STORED, "ADA@MÜNCHEN.example"] {
        let again = json!({"id": event.id, "name": "Ada", "email": email});
        let refusal = owner.refused::<AddRegistration>(again).await;
        assert!(refusal.message.contains("registered"), "{refusal:?}");
    }
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    assert_eq!(list["count"], 1);
    assert_eq!(list["items"][0]["email"], STORED);
    let contact = json!({"id": event.id, "contact_email": TYPED});
    let changed = owner.ok::<UpdateEvent>(contact).await;
    assert_eq!(changed["contact_email"], STORED);

    app.drain_jobs().await;
    assert!(app.mails().iter().any(|mail| mail.to == STORED));
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = browser
        .page(&format!("/dashboard/events/{}/registrations", event.id))
        .await;
    assert!(
        page.html(200).contains(TYPED),
        "people read it as it was typed"
    );
}

tests::on_both_engines!(a_domain_with_umlauts_is_taken_and_stored_as_browsers_send_it);
