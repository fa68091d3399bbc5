//! A receiver of webhooks on this machine.

#![expect(
    clippy::unwrap_used,
    reason = "what a test cannot do without ends it, and the message says where"
)]

use std::{
    collections::VecDeque,
    future,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, response::IntoResponse};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::StatusCode;
use ring::hmac;
use serde_json::Value;
use tokio::{net::TcpListener, sync::watch};

/// A receiver of webhooks. It answers 200 unless a test says otherwise.
#[derive(Debug, Clone)]
pub struct Receiver {
    address: SocketAddr,
    state: Arc<Mutex<Inbox>>,
}

#[derive(Debug, Default)]
struct Inbox {
    received: Vec<Received>,
    answers: VecDeque<Answer>,
    hangs: bool,
    /// The status that those get which hang, once it is sent.
    held: watch::Sender<Option<u16>>,
}

/// What a receiver answers once.
pub type Answer = (u16, Vec<(&'static str, String)>, String);

/// A request that came.
#[derive(Debug, Clone)]
pub struct Received {
    /// When it came.
    pub at: Instant,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl Received {
    /// Its `webhook-id`.
    pub fn id(&self) -> String {
        self.header("webhook-id")
    }

    /// A header.
    pub fn header(&self, name: &str) -> String {
        self.headers[name].to_str().unwrap().to_owned()
    }

    /// The message.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Its type.
    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    /// Whether one of its signatures is by this secret, as a receiver checks it.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let secret = secret.strip_prefix("whsec_").unwrap();
        let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(secret).unwrap());
        let head = format!("{}.{}.", self.id(), self.header("webhook-timestamp"));
        let signed = [head.as_bytes(), &self.body].concat();
        self.header("webhook-signature").split(' ').any(|one| {
            let signature = one.strip_prefix("v1,").map(|text| STANDARD.decode(text));
            matches!(signature, Some(Ok(bytes)) if hmac::verify(&key, &signed, &bytes).is_ok())
        })
    }
}

impl Receiver {
    /// Starts one.
    pub async fn start() -> Self {
        let state = Arc::<Mutex<Inbox>>::default();
        let app = Router::new().fallback(take).with_state(Arc::clone(&state));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, state }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// What came since this was asked last.
    pub fn taken(&self) -> Vec<Received> {
        std::mem::take(&mut lock(&self.state).received)
    }

    /// How many requests came since they were taken last.
    pub fn count(&self) -> usize {
        lock(&self.state).received.len()
    }

    /// Answers one more request so. Each answer is for one request, in the order of the calls.
    pub fn answer_next(&self, answer: Answer) {
        lock(&self.state).answers.push_back(answer);
    }

    /// Takes all later requests and answers none, until they are released.
    pub fn hang(&self) {
        lock(&self.state).hangs = true;
    }

    /// Answers all requests that hang with this status, and later ones as usual.
    pub fn release(&self, status: u16) {
        let mut inbox = lock(&self.state);
        inbox.hangs = false;
        inbox.held.send_replace(Some(status));
        inbox.held = watch::Sender::new(None);
    }

    /// Answers later requests again. Those before it get no answer.
    pub fn recover(&self) {
        lock(&self.state).hangs = false;
    }
}

fn lock(state: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn take(
    State(state): State<Arc<Mutex<Inbox>>>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let answer = {
        let mut inbox = lock(&state);
        inbox.received.push(Received {
            at: Instant::now(),
            headers,
            body,
        });
        if inbox.hangs {
            Err(inbox.held.subscribe())
        } else {
            Ok(inbox.answers.pop_front())
        }
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(mut held) => {
            // A sender that is dropped has sent nothing.
            let Ok(status) = held.wait_for(Option::is_some).await.map(|status| *status) else {
                return future::pending().await;
            };
            status.map(|status| (status, Vec::new(), String::new()))
        }
    };
    let (status, fields, text) = answer.unwrap_or_else(|| (200, Vec::new(), "thanks".to_owned()));
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.insert(name, value.parse().unwrap());
    }
    (StatusCode::from_u16(status).unwrap(), headers, text)
}
