//! A registration by its private link, as the website asks for it.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::{
    CancelRegistrationByTokenRequest, GetRegistrationByTokenRequest, OwnRegistration,
    bindings::AddRegistration, registration_service_client::RegistrationServiceClient,
};
use serde_json::json;
use tests::{Surface, TestApp};
use tonic::{Code, Status};

async fn own(app: &TestApp, token: &str) -> Result<OwnRegistration, Status> {
    let token = token.to_owned();
    let request = GetRegistrationByTokenRequest { token };
    let mut service = RegistrationServiceClient::new(app.grpc.channel());
    let answer = service.get_registration_by_token(request).await?;
    Ok(answer.into_inner())
}

async fn cancel(app: &TestApp, token: &str) -> Result<OwnRegistration, Status> {
    let token = token.to_owned();
    let request = CancelRegistrationByTokenRequest { token };
    let mut service = RegistrationServiceClient::new(app.grpc.channel());
    let answer = service.cancel_registration_by_token(request).await?;
    Ok(answer.into_inner())
}

async fn a_private_link_shows_and_cancels_ones_own_registration(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Free).await;
    let event = owner.publish_new(json!({"max_capacity": 1})).await;
    let mut tokens = Vec::new();
    for name in ["ada", "bob"] {
        let guest = json!({"id": event.id, "name": name, "email": format!("{name}@example.org")});
        let added = owner.ok::<AddRegistration>(guest).await;
        let url = added["cancel_url"].as_str().unwrap().to_owned();
        let token = url.strip_prefix("https://muster.example/registrations/");
        tokens.push(token.unwrap().to_owned());
    }
    let (ada, bob) = (&tokens[0], &tokens[1]);
    let waiting = own(&app, bob).await.unwrap();
    assert_eq!((&*waiting.name, &*waiting.status), ("bob", "Waitlisted"));
    assert_eq!(waiting.waitlist_position, Some(1));
    assert_eq!(
        waiting.event_url,
        format!("{}/events/{}", TestApp::PUBLIC_URL, event.slug)
    );
    for _ in 0..2 {
        let cancelled = cancel(&app, ada).await.unwrap();
        assert_eq!((&*cancelled.name, &*cancelled.status), ("ada", "Cancelled"));
        assert!(!cancelled.is_cancellable);
    }
    let seated = own(&app, bob).await.unwrap();
    assert_eq!(
        (&*seated.status, seated.waitlist_position),
        ("Confirmed", None)
    );
    assert!(seated.is_cancellable);
    let (start, last) = bob.split_at(bob.len() - 1);
    let guessed = format!("{start}{}", if last == "x" { "y" } else { "x" });
    for wrong in ["", "no-token", &guessed] {
        assert_eq!(own(&app, wrong).await.unwrap_err().code(), Code::NotFound);
        assert_eq!(
            cancel(&app, wrong).await.unwrap_err().code(),
            Code::NotFound
        );
    }
}

tests::on_both_engines!(a_private_link_shows_and_cancels_ones_own_registration);
