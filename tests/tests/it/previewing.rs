//! Who would be mailed by a change, and what they would read.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::{
    EventMailPreview, PreviewEventMailRequest,
    bindings::{AddRegistration, CancelEvent, UpdateEvent},
    event_service_client::EventServiceClient,
};
use serde_json::json;
use tests::{Bearer, Created, Surface, TestApp};
use tonic::{Code, Status as Failure, service::interceptor::InterceptedService};

async fn preview(
    app: &TestApp,
    key: &str,
    request: PreviewEventMailRequest,
) -> Result<EventMailPreview, Failure> {
    let channel = InterceptedService::new(app.grpc.channel(), Bearer::new(Some(key)));
    let answer = EventServiceClient::new(channel)
        .preview_event_mail(request)
        .await;
    answer.map(tonic::Response::into_inner)
}

fn change(event: &Created, change: &str) -> PreviewEventMailRequest {
    PreviewEventMailRequest {
        id: event.id.clone(),
        change: Some(change.to_owned()),
        ..PreviewEventMailRequest::default()
    }
}

async fn what_is_previewed_is_what_is_mailed(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .publish_new(json!({"organizer_name": "Rust Berlin"}))
        .await;
    let nobody = preview(&app, &account.key, change(&event, "cancel")).await;
    assert_eq!(nobody.unwrap(), EventMailPreview::default());
    for name in ["ada", "bob"] {
        let guest = json!({"id": event.id, "name": name, "email": format!("{name}@example.org")});
        owner.ok::<AddRegistration>(guest).await;
    }
    app.drain_jobs().await;
    let before = app.mails().len();
    let publish = preview(&app, &account.key, change(&event, "publish")).await;
    assert_eq!(publish.unwrap(), EventMailPreview::default());
    let same = PreviewEventMailRequest {
        location: Some("c-base".to_owned()),
        ..change(&event, "update")
    };
    let same = preview(&app, &account.key, same).await.unwrap();
    assert_eq!(same, EventMailPreview::default());

    let moved = PreviewEventMailRequest {
        location: Some("xHain <b>".to_owned()),
        start_date: Some("2027-05-02T18:00".to_owned()),
        ..change(&event, "update")
    };
    let moved = preview(&app, &account.key, moved).await.unwrap();
    assert_eq!(moved.recipients, 2);
    let text = moved.text.unwrap();
    for former in ["instead of c-base", "instead of Saturday, 1 May 2027"] {
        assert!(text.contains(former), "{former}: {text}");
    }
    assert!(
        text.contains("Hello [name],") && text.contains("xHain <b>"),
        "{text}"
    );
    assert!(
        text.contains("/registrations/[link]") && text.contains("[code]"),
        "{text}"
    );
    app.advance(Duration::from_hours(1));
    app.drain_jobs().await;
    assert_eq!(app.mails().len(), before, "a preview sends nothing");
    let update = json!({"id": event.id, "location": "xHain <b>", "start_date": "2027-05-02T18:00"});
    owner.ok::<UpdateEvent>(update).await;
    app.advance(Duration::from_mins(5));
    app.drain_jobs().await;
    let mails = app.mails();
    let sent = mails
        .iter()
        .filter(|mail| Some(&mail.subject) == moved.subject.as_ref());
    assert_eq!(sent.count(), 2);

    let cancel = PreviewEventMailRequest {
        reason: Some("Rain.\nAgain.".to_owned()),
        ..change(&event, "cancel")
    };
    let cancel = preview(&app, &account.key, cancel).await.unwrap();
    owner
        .ok::<CancelEvent>(json!({"id": event.id, "reason": "Rain.\nAgain."}))
        .await;
    app.drain_jobs().await;
    let mails = app.mails();
    let sent = mails
        .iter()
        .filter(|mail| Some(&mail.subject) == cancel.subject.as_ref());
    let sent: Vec<String> = sent
        .map(|mail| mail.text.replace("ada", "[name]").replace("bob", "[name]"))
        .collect();
    assert_eq!(sent.len(), 2);
    // Below the line stands why the recipient gets it, and these two can refuse.
    let above = |text: &str| text.split("\n-- \n").next().unwrap().trim().to_owned();
    assert_eq!(Some(above(&sent[0])), cancel.text.as_deref().map(above));
    let over = preview(&app, &account.key, change(&event, "cancel")).await;
    assert_eq!(over.unwrap(), EventMailPreview::default());
    let refused = preview(&app, &account.key, change(&event, "update"))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
}

async fn a_new_title_and_a_place_for_guests_only_are_in_the_preview(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;
    let request = PreviewEventMailRequest {
        title: Some("Crab Night".to_owned()),
        is_location_private: Some(true),
        location: Some("xHain".to_owned()),
        ..change(&event, "update")
    };
    let mail = preview(&app, &account.key, request).await.unwrap();
    let (subject, text) = (mail.subject.unwrap(), mail.text.unwrap());
    assert!(subject.contains("Crab Night"), "{subject}");
    assert!(
        text.contains("xHain") && !text.contains("Rust Night"),
        "{text}"
    );
}

async fn a_preview_is_for_the_owner_and_refuses_what_the_change_would(app: Arc<TestApp>) {
    let (ada, bob) = (app.account(Plan::Pro).await, app.account(Plan::Pro).await);
    let event = app
        .over(Surface::Http)
        .as_owner(&ada)
        .publish_new(json!({}))
        .await;
    for kind in ["publish", "update", "cancel"] {
        let foreign = preview(&app, &bob.key, change(&event, kind))
            .await
            .unwrap_err();
        assert_eq!(foreign.code(), Code::NotFound, "{kind}");
    }
    let late = PreviewEventMailRequest {
        start_date: Some("2020-01-01T12:00:00Z".to_owned()),
        ..change(&event, "update")
    };
    for wrong in [late, change(&event, "delete"), change(&event, "")] {
        let refused = preview(&app, &ada.key, wrong).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}

tests::on_both_engines!(
    what_is_previewed_is_what_is_mailed,
    a_new_title_and_a_place_for_guests_only_are_in_the_preview,
    a_preview_is_for_the_owner_and_refuses_what_the_change_would,
);
