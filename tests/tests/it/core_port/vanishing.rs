//! Clients that reset their connection as soon as they have sent a request: they are counted like all others.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::RegisterAttendeeRequest;
use serde_json::json;
use tests::{Surface, TestApp};
use tokio::{io::AsyncWriteExt as _, net::TcpStream, time::timeout};

use super::web::{BINARY, framed};

/// How many registrations an address may send at once.
const ALLOWED: usize = 60;

/// How many come in vain.
const BEYOND: usize = 40;

/// How long it is observed that nobody is registered.
const WHILE: Duration = Duration::from_millis(500);

/// Sends the request and resets the connection.
async fn send_and_vanish(address: SocketAddr, request: &[u8]) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request).await.unwrap();
    stream.set_zero_linger().unwrap();
}

fn over_http(slug: &str, number: usize) -> Vec<u8> {
    let body = json!({"name": "Grace", "email": format!("grace-{number}@example.org")}).to_string();
    let path = format!("/api/v1/events/{slug}/registrations");
    format!(
        "POST {path} HTTP/1.1\r\nHost: muster\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn over_web(slug: &str, number: usize) -> Vec<u8> {
    let message = framed(&RegisterAttendeeRequest {
        slug: slug.to_owned(),
        name: Some("Grace".to_owned()),
        email: Some(format!("ada-{number}@example.org")),
        answers: Vec::new(),
        ..RegisterAttendeeRequest::default()
    });
    let header = format!(
        "POST /muster.v1.RegistrationService/RegisterAttendee HTTP/1.1\r\nHost: core\r\nContent-Type: {BINARY}\r\n\
         X-Client-Address: 192.0.2.{number}\r\nContent-Length: {}\r\n\r\n",
        message.len()
    );
    [header.into_bytes(), message].concat()
}

async fn beyond_an_empty_bucket_nobody_registers_by_vanishing(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let (slug, http, grpc) = (&*event.slug, app.http.address(), app.grpc.address());
    let stays = async |number: usize| {
        let body = json!({"name": "Grace", "email": format!("guest-{number}@example.org")});
        let path = format!("/events/{slug}/registrations");
        app.http.post(&path).json(&body).send().await.status
    };
    let registered = async || app.registrations(&event.id).await.len();
    let mut number = 0;
    for is_web in [false, true] {
        let mut vanish = async || {
            number += 1;
            if is_web {
                send_and_vanish(grpc, &over_web(slug, number)).await;
            } else {
                send_and_vanish(http, &over_http(slug, number)).await;
            }
        };
        app.clock.advance_seconds(60);
        // Those who vanish empty the bucket: the few who stay are far too few for that.
        let mut stayed = 0;
        while stays(stayed).await != 429 {
            stayed += 1;
            assert!(stayed < ALLOWED / 2, "those who vanish do not count");
            for _ in 0..ALLOWED / 3 {
                vanish().await;
            }
        }
        let mut before = registered().await;
        while timeout(WHILE, async { while registered().await == before {} })
            .await
            .is_ok()
        {
            before = registered().await;
        }
        for _ in 0..BEYOND {
            vanish().await;
        }
        assert_eq!(stays(stayed).await, 429);
        let more = async { while registered().await == before {} };
        assert!(timeout(WHILE, more).await.is_err(), "someone registered");
    }
}

tests::on_both_engines!(beyond_an_empty_bucket_nobody_registers_by_vanishing);
