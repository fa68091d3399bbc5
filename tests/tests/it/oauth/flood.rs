//! Many requests at once: of an app whose processes share their tokens, and of whoever wants to do harm.

use std::sync::Arc;

use core_service::service::{OAuthPolicy, Policy};
use futures_util::{StreamExt as _, stream};
use http::Method;
use serde_json::json;
use tests::{Browser, OAuthApp, Reply, TestApp, Tokens};
use tokio::{sync::Barrier, task::JoinSet};

use super::stage;

/// How many requests there are at once.
const AT_ONCE: usize = 32;

const PROCESSES: usize = 8;

/// What a thousand requests are answered.
async fn a_thousand<F: Future<Output = Reply>>(ask: impl Fn(usize) -> F) -> Vec<Reply> {
    let requests = stream::iter(0..1_000).map(ask);
    requests.buffer_unordered(AT_ONCE).collect().await
}

fn limited(replies: &[Reply]) -> usize {
    let limited = replies.iter().filter(|reply| reply.status == 429);
    limited
        .inspect(|reply| assert!(reply.header("retry-after").is_some(), "{reply:?}"))
        .count()
}

async fn a_thousand_authorizations_of_a_person_at_once_are_limited(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let request = client.request(&[]);
    let replies = a_thousand(async |_| browser.page(&request).await).await;
    let begun = replies.iter().filter_map(|reply| {
        let path = reply.header("location")?;
        assert!(path.starts_with("/oauth/authorize/"), "{reply:?}");
        Some(path)
    });
    let begun: Vec<_> = begun.collect();
    assert_eq!(begun.len(), 60);
    assert_eq!(limited(&replies), 940);
    // Few of them are kept, and nobody else waits for them.
    let mut open = 0;
    for path in begun {
        open += usize::from(browser.page(path).await.status == 200);
    }
    assert_eq!(open, 20);
    let (_, other, client) = stage(&app).await;
    client.connected(&other, &[]).await;
    // A minute later the person goes on.
    app.advance(std::time::Duration::from_mins(1));
    client.connected(&browser, &[]).await;
}

async fn a_thousand_requests_of_a_stranger_at_once_are_limited(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let request = client.request(&[]);
    let nobody = Browser::new(&app);
    let replies = a_thousand(async |_| nobody.page(&request).await).await;
    let led = replies.iter().filter(|reply| reply.status == 303).count();
    assert_eq!(led + limited(&replies), 1_000);
    assert!(led <= 60, "{led}");
    // Who is signed in is not in the way of that.
    client.connected(&browser, &[]).await;
}

async fn a_thousand_registrations_of_a_stranger_at_once_are_limited(app: Arc<TestApp>) {
    let replies = a_thousand(async |number| {
        let metadata = json!({
            "client_name": format!("Junk {number}"),
            "redirect_uris": ["https://junk.example/callback"],
        });
        let request = app.site.request(Method::POST, "/oauth/register");
        request.json(&metadata).send().await
    });
    let replies = replies.await;
    let taken = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(taken, 60);
    assert_eq!(limited(&replies), 940);
}

/// Processes of one app that refresh the token that they share at the same moment, at two replicas.
async fn refresh_together(apps: &[OAuthApp; 2], tokens: &Tokens) -> Vec<Reply> {
    let barrier = Arc::new(Barrier::new(PROCESSES));
    let mut processes = JoinSet::new();
    for number in 0..PROCESSES {
        let (barrier, tokens) = (Arc::clone(&barrier), tokens.clone());
        let app = apps[number % 2].clone();
        processes.spawn(async move {
            barrier.wait().await;
            app.refresh(&tokens, &[]).await
        });
    }
    processes.join_all().await
}

/// Eight processes come with a token whose successor was used: one of them was faster than the others.
async fn come_late(apps: &[OAuthApp; 2], browser: &Browser) -> (Tokens, Vec<Reply>) {
    let shared = apps[0].connected(browser, &[]).await;
    let next = Tokens::of(&apps[0].refresh(&shared, &[]).await);
    let fastest = Tokens::of(&apps[1].refresh(&next, &[]).await);
    (fastest, refresh_together(apps, &shared).await)
}

async fn two(app: &Arc<TestApp>, client: &OAuthApp, grace_seconds: i64) -> [OAuthApp; 2] {
    let policy = || Policy {
        oauth: OAuthPolicy {
            refresh_grace_seconds: grace_seconds,
            ..OAuthPolicy::default()
        },
        ..Policy::default()
    };
    let sites = [
        app.serve_another_core(policy()).await,
        app.serve_another_core(policy()).await,
    ];
    sites.map(|site| client.at(&site))
}

async fn eight_processes_that_refresh_at_once_all_go_on(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let apps = two(&app, &client, 60).await;
    let shared = client.connected(&browser, &[]).await;
    for reply in refresh_together(&apps, &shared).await {
        let tokens = Tokens::of(&reply);
        app.http.get("/me").bearer(&tokens.access).send().await.ok();
    }
    let (fastest, late) = come_late(&apps, &browser).await;
    for reply in late {
        Tokens::of(&reply);
    }
    Tokens::of(&client.refresh(&fastest, &[]).await);
}

/// The negative control: without a grace the same processes count as thieves, and nobody goes on.
async fn without_a_grace_the_same_eight_end_the_grant(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let apps = two(&app, &client, 0).await;
    let (fastest, late) = come_late(&apps, &browser).await;
    for reply in late {
        assert_eq!(reply.json()["error"], "invalid_grant", "{reply:?}");
    }
    let ended = client.refresh(&fastest, &[]).await;
    assert_eq!(ended.json()["error"], "invalid_grant", "{ended:?}");
    app.advance(std::time::Duration::from_secs(5));
    let refused = app.http.get("/me").bearer(&fastest.access).send().await;
    assert_eq!(refused.status, 401);
}

tests::on_both_engines!(
    a_thousand_authorizations_of_a_person_at_once_are_limited,
    a_thousand_requests_of_a_stranger_at_once_are_limited,
    a_thousand_registrations_of_a_stranger_at_once_are_limited,
    eight_processes_that_refresh_at_once_all_go_on,
    without_a_grace_the_same_eight_end_the_grant,
);
