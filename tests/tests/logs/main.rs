//! What the programs tell their operators: the log at the most talkative level, with all that the libraries say; the spans that are exported; the
//! metrics. There is no secret in it, and nothing about people: it is read by many, and kept for long.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod collector;
mod planted;
mod rows;
mod traced;

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError},
    time::{Duration, Instant},
};

use domain::plan::Plan;
use http::Method;
use muster_api::v1::GetAccountRequest;
use serde_json::json;
use server::{metrics, telemetry};
use tests::{Browser, OAuthApp, Returned, Revision, TestApp, Tokens, consent_fields, pairs};
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

/// Far above what it takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Writes to the log of this process.
struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        log().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn log() -> MutexGuard<'static, Vec<u8>> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The log as it is now.
fn logged() -> String {
    String::from_utf8_lossy(&log()).into_owned()
}

fn listen() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        metrics::begin();
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(|| Log)
            .with_ansi(false)
            .with_filter(telemetry::what(
                &Targets::new().with_default(LevelFilter::TRACE),
            ));
        let spans = tracing_subscriber::registry().with(collector::listen());
        spans.with(lines).init();
    });
}

/// What must not be in the log, each with a word for what it is.
#[derive(Default)]
struct Secrets(Vec<(&'static str, String)>);

impl Secrets {
    fn add(&mut self, what: &'static str, secret: impl Into<String>) {
        let secret = secret.into();
        // A short text could be there by chance.
        assert!(secret.len() >= 16, "{what}");
        self.0.push((what, secret));
    }

    fn add_tokens(&mut self, tokens: &Tokens) {
        self.add("an access token", &*tokens.access);
        self.add("a refresh token", &*tokens.refresh);
    }

    fn add_cookies(&mut self, browser: &Browser) {
        for name in ["__Host-muster", "__Host-muster-browser"] {
            self.add(name, browser.cookie(name).unwrap());
        }
    }

    /// Checks all that was told until now.
    async fn assert_absent(&self) {
        let told = [
            ("the log", logged()),
            ("the spans", collector::text().await),
            ("the metrics", metrics::text()),
        ];
        for (place, text) in told {
            self.assert_absent_in(place, &text);
        }
    }

    fn assert_absent_in(&self, place: &str, text: &str) {
        for (what, secret) in &self.0 {
            let line = text.lines().find(|line| line.contains(secret));
            assert!(line.is_none(), "{what} is in {place}: {line:?}");
        }
    }
}

/// An app with a state of its own, and its person.
struct Scene {
    app: Arc<TestApp>,
    browser: Browser,
    client: OAuthApp,
    state: String,
    secrets: Secrets,
}

impl Scene {
    /// Someone signs in on the way to the page where they agree.
    async fn open(app: Arc<TestApp>) -> Self {
        let account = app.account(Plan::Pro).await;
        let browser = Browser::new(&app);
        let client = OAuthApp::registered(&app, "Claude Code").await;
        let state = format!("the-state-of-{}", account.id);
        let mut secrets = Secrets::default();
        secrets.add("a key", &*account.key);
        secrets.add("a state", &*state);
        secrets.add("a verifier", OAuthApp::VERIFIER);
        let request = client.request(&[("state", &state)]);
        let led = browser.page(&request).await;
        browser.follow(&led).await;
        browser.sign_in(&account.email).await;
        secrets.add_cookies(&browser);
        Self {
            app,
            browser,
            client,
            state,
            secrets,
        }
    }

    async fn code(&mut self) -> String {
        let asked = [("state", &*self.state)];
        let code = self.client.agreed(&self.browser, &asked).await;
        let code = code.value("code").unwrap();
        self.secrets.add("a code", &*code);
        code
    }

    async fn connected(&mut self) -> Tokens {
        let code = self.code().await;
        let tokens = Tokens::of(&self.client.exchange(&code, &[]).await);
        self.secrets.add_tokens(&tokens);
        tokens
    }
}

/// Every surface takes a token, in the right place and in wrong ones.
async fn use_everywhere(app: &TestApp, tokens: &Tokens) {
    let Tokens {
        access, refresh, ..
    } = tokens;
    for token in [access, refresh] {
        app.http.get("/me").bearer(token).send().await;
        let query = format!("/me?access_token={token}");
        app.http.get(&query).send().await;
        app.http.get("/me").header("x-api-key", token).send().await;
        let basic = app.http.get("/me");
        let basic = basic.header("authorization", format!("Basic {token}"));
        basic.send().await;
        app.site.page("/dashboard").bearer(token).send().await;
        let cookie = format!("__Host-muster={token}");
        let page = app.site.page("/dashboard").header("cookie", cookie);
        page.send().await;
        let mut grpc = app.grpc.account(token);
        let _refused = grpc.get_account(GetAccountRequest {}).await;
        for revision in [Revision::V2025, Revision::V2026] {
            let mcp = app.mcp.with_key(token).speaking(revision);
            let tool = json!({"name": "get_account", "arguments": {}});
            mcp.request("tools/call", tool).send().await;
            mcp.request("tools/list", json!({})).send().await;
            mcp.request("resources/list", json!({})).send().await;
            mcp.request("nothing", json!({"token": token})).send().await;
        }
    }
}

/// The endpoints refuse what is wrong, in whatever way it comes.
async fn be_refused(scene: &mut Scene, tokens: &Tokens) {
    let (app, client) = (Arc::clone(&scene.app), scene.client.clone());
    let code = scene.code().await;
    let wrong = "x".repeat(43);
    client.exchange(&code, &[("code_verifier", &wrong)]).await;
    client.exchange(&code, &[("redirect_uri", "x")]).await;
    client.exchange(&code, &[("client_secret", &code)]).await;
    client.refresh(tokens, &[("scope", "nothing")]).await;
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/register"] {
        for body in [
            json!({"code": code, "token": tokens.access}).to_string(),
            format!("code={code}&code={code}&token={}", tokens.refresh),
        ] {
            for media_type in ["application/json", "application/x-www-form-urlencoded"] {
                let request = app.site.request(Method::POST, path);
                let request = request.header("content-type", media_type);
                request.body(body.clone()).send().await;
            }
        }
        let query = format!("{path}?code={code}&token={}", tokens.access);
        app.site.request(Method::GET, &query).send().await;
    }
    let query = format!("/oauth/nothing?code={code}&state={}", scene.state);
    app.site.page(&query).send().await;
}

/// A page is shown, refused, and cannot be shown.
async fn be_asked(scene: &Scene) {
    let asked = [("state", &*scene.state)];
    let path = scene.client.consent(&scene.browser, &asked).await;
    let page = scene.browser.page(&path).await;
    let mut fields = consent_fields(page.html(200));
    let stranger = Browser::new(&scene.app);
    stranger.page(&path).await;
    stranger.send(&path, &pairs(&fields)).await;
    let wrong = [("state", &*scene.state), ("redirect_uri", "javascript:x")];
    let wrong = scene.client.request(&wrong);
    scene.browser.page(&wrong).await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}", nowhere.local_addr().unwrap());
    let away = scene.app.serve_site(&tests::core_at(&nowhere)).await;
    let away = scene.browser.at(&away);
    away.page(&scene.client.request(&asked)).await;
    away.send(&path, &pairs(&fields)).await;
    fields.push(("action".to_owned(), "cancel".to_owned()));
    Returned::of(&scene.browser.send(&path, &pairs(&fields)).await);
}

async fn no_secret_is_told(app: Arc<TestApp>) {
    listen();
    let mut scene = Scene::open(app).await;
    let tokens = scene.connected().await;
    use_everywhere(&scene.app, &tokens).await;
    be_refused(&mut scene, &tokens).await;
    be_asked(&scene).await;
    // A refresh, its repetition, a theft, and a code that comes twice.
    let next = Tokens::of(&scene.client.refresh(&tokens, &[]).await);
    scene.secrets.add_tokens(&next);
    let last = Tokens::of(&scene.client.refresh(&next, &[]).await);
    scene.secrets.add_tokens(&last);
    scene.app.advance(Duration::from_mins(2));
    scene.client.refresh(&tokens, &[]).await;
    let code = scene.code().await;
    let ended = Tokens::of(&scene.client.exchange(&code, &[]).await);
    scene.secrets.add_tokens(&ended);
    scene.client.exchange(&code, &[]).await;
    scene.client.revoke(&ended.refresh).await;
    scene.app.drain_jobs().await;
    scene.app.maintain().await;

    planted::plant(&mut scene).await;
    scene.secrets.assert_absent().await;
    // That it would be found: all places have what was done.
    let text = logged();
    for seen in ["/oauth/token", "/mcp", "TRACE", "DEBUG"] {
        assert!(text.contains(seen), "{seen}");
    }
    let spans = collector::text().await;
    for seen in [
        "GET /api/v1/events",
        "POST /oauth/token",
        "muster.v1.EventService/CreateEvent",
        "find_session_by_hash",
        "registered_mail",
    ] {
        assert!(spans.contains(seen), "{seen}");
    }
    assert!(metrics::text().contains(r#"route="/oauth/token""#));
}

/// What is written into a log, a span or a metric is found there.
async fn what_is_told_is_found(app: Arc<TestApp>) {
    listen();
    let id = app.account(Plan::Free).await.id;
    let canary = |place: &'static str| {
        let mut secrets = Secrets::default();
        secrets.add(place, format!("canary-in-{place}-{id}"));
        secrets
    };
    let (written, spanned, measured) = (canary("a-log"), canary("a-span"), canary("a-metric"));
    tracing::trace!(canary = written.0[0].1, "is logged");
    let until = Instant::now() + TIMEOUT;
    // While the queue is full, spans are dropped.
    while !collector::text().await.contains(&spanned.0[0].1) {
        assert!(Instant::now() < until, "no span arrives");
        server::span!("canary", otel.name = &*spanned.0[0].1,).in_scope(|| ());
    }
    let leaked: &'static str = measured.0[0].1.clone().leak();
    metrics::measure(|all| all.mails.add_one([leaked.into()]));
    for (secrets, text) in [
        (written, logged()),
        (spanned, collector::text().await),
        (measured, metrics::text()),
    ] {
        let found = std::panic::catch_unwind(|| secrets.assert_absent_in("it", &text));
        assert!(found.is_err(), "{}", secrets.0[0].0);
    }
}

/// Whose credential did what, so that an operator can answer who downloaded a list.
async fn a_call_says_whose_it_is(app: Arc<TestApp>) {
    listen();
    let account = app.account(Plan::Pro).await;
    let answer = app.http.get("/me/activity.csv").bearer(&account.key);
    assert_eq!(answer.send().await.status, 200);
    let browser = Browser::signed_in(&app, &account.email).await;
    browser.page("/dashboard/activity").await.html(200);
    app.http.get("/events").send().await;

    let (text, id) = (logged(), account.id.to_string());
    let calls = |rpc: &str| -> Vec<String> {
        let is_call = |line: &&str| line.contains(rpc) && line.contains(&format!("account={id}"));
        text.lines().filter(is_call).map(str::to_owned).collect()
    };
    let by_key = calls("rpc=/muster.v1.AccountService/ExportActivity");
    assert!(
        by_key.iter().any(|line| line.contains(" key=")),
        "{by_key:?}"
    );
    let by_session = calls("rpc=/muster.v1.AccountService/ListActivity");
    let has_session = |line: &String| line.contains(" session=") && !line.contains(" key=");
    assert!(by_session.iter().any(has_session), "{by_session:?}");
    assert!(!text.contains(&account.email));
}

tests::on_both_engines!(
    no_secret_is_told,
    what_is_told_is_found,
    a_call_says_whose_it_is,
);
