//! `muster webhook listen`: messages are pulled, signed and posted to a program on this machine.

use std::{
    io::{self, Write},
    sync::Arc,
};

use domain::{entropy::Entropy, plan::Plan, scope::Scope};
use http::HeaderMap;
use muster_api::v1::bindings::{CancelEvent, CreateWebhook, DeleteWebhook, ListWebhooks};
use serde_json::{Value, json};
use server::{CancellationToken, Failure};
use standalone::listen::{Options, listen};
use tests::{Client, Receiver, Surface, TestApp};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};

use super::{DAY, posted, subscribed};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The command, whose output a test awaits.
struct Running {
    lines: UnboundedReceiver<String>,
    stop: CancellationToken,
    ended: JoinHandle<Result<(), Failure>>,
}

/// What the command writes, line by line.
struct Lines {
    begun: Vec<u8>,
    lines: UnboundedSender<String>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.begun)).unwrap();
                // A test that has ended reads no more.
                let _unread = self.lines.send(line);
            } else {
                self.begun.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Running {
    fn start(app: &TestApp, options: Options) -> Self {
        let (sender, lines) = unbounded_channel();
        let (clock, stop) = (app.clock.clone(), CancellationToken::new());
        let stopped = stop.clone().cancelled_owned();
        let ended = tokio::spawn(async move {
            let mut output = Lines {
                begun: Vec::new(),
                lines: sender,
            };
            let entropy = Entropy::seeded(7);
            listen(&options, clock, &entropy, &mut output, stopped).await
        });
        Self { lines, stop, ended }
    }

    /// The next line with this text.
    async fn line(&mut self, text: &str) -> String {
        loop {
            let line = self.lines.recv().await.unwrap();
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Stops it, and returns the cursor that it printed.
    async fn stop(mut self) -> String {
        self.stop.cancel();
        let line = self.line("--cursor").await;
        self.ended.await.unwrap().unwrap();
        let mut words = line.split(' ').skip_while(|word| *word != "--cursor");
        words.nth(1).unwrap().to_owned()
    }

    /// Why it ended.
    async fn failure(self) -> Failure {
        self.ended.await.unwrap().unwrap_err()
    }
}

fn options(app: &TestApp, key: &str, forward: Option<&Receiver>) -> Options {
    Options {
        url: format!("http://{}", app.http.address()),
        api_key: key.into(),
        forward: forward.map(|receiver| receiver.url().parse().unwrap()),
        types: Vec::new(),
        cursor: None,
        secret: None,
        creates_webhook: false,
    }
}

async fn owner_of(app: &Arc<TestApp>) -> (tests::Account, Client) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    (account, owner)
}

async fn a_forwarded_message_has_the_body_and_the_headers_of_a_delivery(app: Arc<TestApp>) {
    let (account, owner, delivered_to, _) = subscribed(&app, Plan::Pro, json!({})).await;
    owner
        .publish_new(json!({"title": "Before the command"}))
        .await;
    posted(&app, &delivered_to).await;
    let receiver = Receiver::start().await;
    let with_secret = Options {
        secret: Some(SECRET.to_owned()),
        ..options(&app, &account.key, Some(&receiver))
    };
    let mut running = Running::start(&app, with_secret);
    running
        .line(&format!("MUSTER_WEBHOOK_SECRET={SECRET}"))
        .await;
    running.line("Ctrl-C").await;
    owner
        .publish_new(json!({"title": "Zoë's \"night\" <1> / 2"}))
        .await;

    let line = running.line("→").await;
    let delivered = posted(&app, &delivered_to).await.remove(0);
    let forwarded = receiver.taken();
    assert_eq!(forwarded.len(), 1);
    let forwarded = &forwarded[0];
    assert!(forwarded.is_signed_with(SECRET));
    assert_eq!(forwarded.body, delivered.body);
    // All but the signature and the port are the same, too.
    let same = |headers: &HeaderMap| {
        let mut headers = headers.clone();
        headers.remove("webhook-signature").unwrap();
        headers.remove("host").unwrap();
        headers
    };
    assert_eq!(same(&forwarded.headers), same(&delivered.headers));
    let start = format!(
        "12:00:00  event.created                 {}  → 200 in ",
        delivered.id()
    );
    assert!(line.starts_with(&start) && line.ends_with(" ms"), "{line}");
}

async fn a_secret_is_made_and_printed_if_none_is_given(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    let receiver = Receiver::start().await;
    let mut running = Running::start(&app, options(&app, &account.key, Some(&receiver)));
    let line = running.line("MUSTER_WEBHOOK_SECRET=").await;
    let (_, secret) = line.split_once('=').unwrap();
    running.line("Ctrl-C").await;
    owner.create(json!({})).await;
    running.line("→ 200").await;
    assert!(receiver.taken()[0].is_signed_with(secret));
}

async fn what_the_receiver_answers_is_printed_and_nothing_is_posted_twice(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    let receiver = Receiver::start().await;
    let text = "no matching\u{1b}[2J signature\nat line 3".to_owned();
    receiver.answer_next((400, Vec::new(), text));
    let elsewhere = vec![("location", "/".to_owned())];
    receiver.answer_next((302, elsewhere, String::new()));
    let mut running = Running::start(&app, options(&app, &account.key, Some(&receiver)));
    running.line("Ctrl-C").await;
    owner.create(json!({})).await;
    let line = running.line("→ 400 in ").await;
    assert!(
        line.ends_with(" ms: no matching\u{fffd}[2J signature"),
        "{line:?}"
    );
    owner.create(json!({})).await;
    let line = running.line("→ 302 in ").await;
    assert!(line.ends_with(" ms: redirects are not followed"), "{line}");
    owner.create(json!({})).await;
    running.line("→ 200 in ").await;
    assert_eq!(receiver.taken().len(), 3);
}

async fn a_receiver_that_is_not_there_ends_nothing(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let forward = Options {
        forward: Some(format!("http://{address}/hook").parse().unwrap()),
        ..options(&app, &account.key, None)
    };
    let mut running = Running::start(&app, forward);
    running.line("Ctrl-C").await;
    for _ in 0..2 {
        owner.create(json!({})).await;
        running
            .line("→ error: its server accepts no connection")
            .await;
    }
    running.stop().await;
}

async fn without_a_receiver_messages_are_printed_from_the_cursor_on(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    let wanted = Options {
        types: vec!["event.cancelled".to_owned(), "event.updated".to_owned()],
        ..options(&app, &account.key, None)
    };
    let mut running = Running::start(&app, wanted.clone());
    running.line("Ctrl-C").await;
    let cursor = running.stop().await;
    let event = owner.publish_new(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;

    let from_there = Options {
        cursor: Some(cursor),
        ..wanted
    };
    let mut running = Running::start(&app, from_there);
    let next = running.line(" event.").await;
    assert!(next.contains("event.cancelled"), "{next}");
    let body = running.lines.recv().await.unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["data"]["event_id"], event.id);
}

async fn a_wrong_cursor_a_wrong_key_and_a_missing_webhook_end_it(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    let wrong = "mus_live_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    let failure = Running::start(&app, options(&app, wrong, None))
        .failure()
        .await;
    assert_eq!(failure.code(), 64);
    let text = failure.to_string();
    assert!(
        text.contains("with the scope webhooks:read at http://"),
        "{text}"
    );

    let other = app.key_for(&account, &[Scope::EventsRead]).await;
    let failure = Running::start(&app, options(&app, &other, None))
        .failure()
        .await;
    assert_eq!(failure.code(), 64);
    assert!(failure.to_string().contains("webhooks:read"), "{failure}");

    let failure = Running::start(&app, options(&app, &account.key, None))
        .failure()
        .await;
    assert_eq!(failure.code(), 1);
    let text = failure.to_string();
    assert!(text.contains("--create"), "{text}");
    assert!(text.contains("/api/v1/me/webhooks -H"), "{text}");

    let webhook = owner.ok::<CreateWebhook>(json!({})).await;
    owner.create(json!({})).await;
    let which = json!({"webhook_id": webhook["id"]});
    app.advance(DAY * 31);
    app.maintain().await;
    let old = Options {
        cursor: Some("0".to_owned()),
        ..options(&app, &account.key, None)
    };
    let failure = Running::start(&app, old).failure().await;
    assert_eq!(failure.code(), 1);
    assert!(
        failure
            .to_string()
            .contains("the cursor 0 cannot be used: messages after this cursor are gone"),
        "{failure}"
    );
    owner.ok::<DeleteWebhook>(which).await;
}

async fn the_webhook_that_records_messages_is_created_once_if_wanted(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    let creating = Options {
        creates_webhook: true,
        ..options(&app, &account.key, None)
    };
    for _ in 0..2 {
        let mut running = Running::start(&app, creating.clone());
        running.line("Ctrl-C").await;
        owner.create(json!({})).await;
        running.line("event.created").await;
        running.stop().await;
    }
    let webhooks = owner.ok::<ListWebhooks>(json!({})).await;
    let webhooks = webhooks["items"].as_array().unwrap();
    assert_eq!(webhooks.len(), 1);
    assert_eq!(webhooks[0]["url"], Value::Null);
    assert_eq!(webhooks[0]["description"], "muster webhook listen");
}

async fn a_muster_that_is_busy_for_a_while_is_asked_again(app: Arc<TestApp>) {
    let (account, owner) = owner_of(&app).await;
    owner.ok::<CreateWebhook>(json!({})).await;
    // Something that is no Muster yet answers in its place, once; then a page of messages, as a real one does.
    let stub = Receiver::start().await;
    let busy = vec![("retry-after", "0".to_owned())];
    stub.answer_next((503, busy, String::new()));
    let page = json!({"items": [], "next_cursor": "7"}).to_string();
    stub.answer_next((200, Vec::new(), page));
    let base = stub.url().replace("/hook", "");
    let elsewhere = Options {
        url: base.clone(),
        ..options(&app, &account.key, None)
    };
    let mut running = Running::start(&app, elsewhere);
    running.line(&format!("{base} answers 503: ")).await;
    running.line("Muster answers again").await;
    running.line("Ctrl-C").await;
    // What follows is no page.
    let failure = running.failure().await;
    assert!(
        failure.to_string().contains("no answer of Muster's API"),
        "{failure}"
    );
}

tests::on_both_engines!(
    a_forwarded_message_has_the_body_and_the_headers_of_a_delivery,
    a_secret_is_made_and_printed_if_none_is_given,
    what_the_receiver_answers_is_printed_and_nothing_is_posted_twice,
    a_receiver_that_is_not_there_ends_nothing,
    without_a_receiver_messages_are_printed_from_the_cursor_on,
    a_wrong_cursor_a_wrong_key_and_a_missing_webhook_end_it,
    the_webhook_that_records_messages_is_created_once_if_wanted,
    a_muster_that_is_busy_for_a_while_is_asked_again,
);
