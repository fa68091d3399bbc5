//! Many requests at once: of an app whose processes share their tokens, and of whoever wants to do harm.

use std::sync::Arc;

use core_service::service::{OAuthPolicy, Policy};
use futures_util::{StreamExt as _, future::join_all, stream};
use http::Method;
use serde_json::json;
use tests::{Browser, OAuthApp, Reply, Returned, TestApp, Tokens, consent_fields, pairs};
use tokio::sync::Barrier;

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
    // The last twenty of them are kept, and of those that came at the same moment perhaps more: they do not see each other.
    let mut open = 0;
    for path in begun {
        open += usize::from(browser.page(path).await.status == 200);
    }
    assert!((20..20 + AT_ONCE).contains(&open), "{open}");
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

/// Whoever has stolen a code may be as fast as its app: one of them gets tokens, and they are worth nothing, since it came twice.
async fn a_code_that_comes_eight_times_at_once_ends_its_grant(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let apps = two(&app, &client, 60).await;
    let code = client.agreed(&browser, &[]).await.value("code").unwrap();
    let replies = at_once(async |number| apps[number % 2].exchange(&code, &[]).await);
    let replies = replies.await;
    let (taken, refused): (Vec<_>, Vec<_>) =
        replies.into_iter().partition(|reply| reply.status == 200);
    assert_eq!(taken.len(), 1, "{taken:?}");
    for reply in refused {
        assert_eq!(reply.json()["error"], "invalid_grant", "{reply:?}");
    }
    let tokens = Tokens::of(&taken[0]);
    let ended = client.refresh(&tokens, &[]).await;
    assert_eq!(ended.json()["error"], "invalid_grant", "{ended:?}");
    app.advance(std::time::Duration::from_secs(5));
    let refused = app.http.get("/me").bearer(&tokens.access).send().await;
    assert_eq!(refused.status, 401);
}

async fn a_decision_that_is_sent_eight_times_at_once_counts_once(app: Arc<TestApp>) {
    let (_, browser, client) = stage(&app).await;
    let path = client.consent(&browser, &[]).await;
    let mut fields = consent_fields(browser.page(&path).await.html(200));
    fields.push(("action".to_owned(), "connect".to_owned()));
    let replies = at_once(async |_| browser.send(&path, &pairs(&fields)).await);
    let replies = replies.await;
    let (led, refused): (Vec<_>, Vec<_>) =
        replies.into_iter().partition(|reply| reply.status == 303);
    assert_eq!(led.len(), 1, "{led:?}");
    assert!(refused.iter().all(|reply| reply.status == 404));
    let code = Returned::of(&led[0]).value("code").unwrap();
    Tokens::of(&client.exchange(&code, &[]).await);
}

/// The answers to eight requests at the same moment.
async fn at_once<F: Future<Output = Reply>>(ask: impl Fn(usize) -> F) -> Vec<Reply> {
    let together = Barrier::new(PROCESSES);
    let requests = (0..PROCESSES).map(async |number| {
        together.wait().await;
        ask(number).await
    });
    join_all(requests).await
}

/// Processes of one app that refresh the token that they share at the same moment, at two replicas.
async fn refresh_together(apps: &[OAuthApp; 2], tokens: &Tokens) -> Vec<Reply> {
    let replies = at_once(async |number| apps[number % 2].refresh(tokens, &[]).await);
    replies.await
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
    a_code_that_comes_eight_times_at_once_ends_its_grant,
    a_decision_that_is_sent_eight_times_at_once_counts_once,
    eight_processes_that_refresh_at_once_all_go_on,
    without_a_grace_the_same_eight_end_the_grant,
);
