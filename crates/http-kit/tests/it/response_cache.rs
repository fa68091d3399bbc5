//! What the response cache promises, rule by rule.

mod stage;

use std::time::Duration;

use http::{
    HeaderName, Method, StatusCode,
    header::{AUTHORIZATION, CONTENT_LENGTH, COOKIE, RANGE, RETRY_AFTER},
};
use http_kit::CacheOptions;
use muster_api::Reason;
use tokio::time::advance;

use self::stage::{Page, Stage, settle};

const TIME_TO_LIVE: Duration = Duration::from_millis(500);
const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// Codes of gRPC: accepted, refused and of unknown outcome.
const OK: &str = "0";
const UNAUTHENTICATED: &str = "16";
const UNAVAILABLE: &str = "14";

const AWAY: Page = Page::Refused(Reason::Unavailable);

#[tokio::test(start_paused = true)]
async fn an_answer_is_fresh_for_half_a_second() {
    let stage = Stage::set();
    assert_eq!(stage.get("/page").await.body, "first");
    stage.show(Page::Public("second"));
    advance(Duration::from_millis(499)).await;
    assert_eq!(stage.get("/page").await.body, "first");
    advance(Duration::from_millis(1)).await;
    let second = stage.get("/page").await;
    assert_eq!((second.body.as_str(), second.age()), ("second", None));
    assert_eq!(stage.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn entries_are_found_by_path_and_query() {
    let stage = Stage::set();
    for path in ["/page", "/page?a=1", "/page?a=2", "/events/a", "/events/b"] {
        stage.get(path).await;
    }
    assert_eq!(stage.asked(), 5);
}

#[tokio::test(start_paused = true)]
async fn no_more_is_stored_than_its_bytes_allow() {
    const PAGES: u64 = 1_000;
    let stage = Stage::set_with(CacheOptions {
        max_bytes: 1 << 20,
        ..CacheOptions::default()
    });
    stage.show(Page::Public("ten bytes.".repeat(1_000).leak()));
    for _ in 0..2 {
        for number in 0..PAGES {
            stage.get(&format!("/page?number={number}")).await;
        }
    }
    // A hundred fit. Entries are evicted with a delay.
    let hits = stage.cache.counts().hits;
    assert!((1..200).contains(&hits), "{hits}");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_public_or_not_plainly_asked_for_is_not_stored() {
    let stage = Stage::set();
    for name in [COOKIE, RANGE, GRPC_TIMEOUT] {
        stage.get_with("/page", name).await;
    }
    stage.show(Page::Private("own"));
    stage.get("/page").await;
    assert_eq!(stage.asked(), 4);
    // Nor do such requests read what is stored.
    stage.show(Page::Public("public"));
    stage.get("/page").await;
    for name in [COOKIE, RANGE, GRPC_TIMEOUT] {
        stage.get_with("/page", name).await;
    }
    assert_eq!(stage.asked(), 8);
    assert_eq!(stage.cache.counts().hits, 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_with_a_credential_reads_and_never_fills() {
    let stage = Stage::set();
    stage.get_with("/page", AUTHORIZATION).await;
    stage.get("/page").await;
    assert_eq!(stage.asked(), 2, "the first one stored nothing");
    stage.show(Page::Public("second"));
    assert_eq!(stage.get_with("/page", AUTHORIZATION).await.body, "first");
    advance(TIME_TO_LIVE).await;
    stage.show(AWAY);
    let old = stage.get_with("/page", AUTHORIZATION).await;
    assert_eq!((old.body.as_str(), old.age()), ("first", Some(0)));
}

#[tokio::test(start_paused = true)]
async fn health_passes_the_cache_by() {
    let stage = Stage::set();
    for _ in 0..2 {
        assert_eq!(stage.get("/healthz").await.status, StatusCode::OK);
    }
    let counts = stage.cache.counts();
    assert_eq!((counts.hits, counts.misses), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn head_fills_what_get_reads() {
    let stage = Stage::set();
    let head = stage.send(Method::HEAD, "/page", None).await;
    assert_eq!(
        (head.body.as_str(), head.headers.get(CONTENT_LENGTH)),
        ("", Some(&"5".parse().unwrap()))
    );
    assert_eq!(stage.get("/page").await.body, "first");
    let again = stage.send(Method::HEAD, "/page", None).await;
    assert_eq!(
        again.headers.get(CONTENT_LENGTH),
        head.headers.get(CONTENT_LENGTH)
    );
    assert_eq!(stage.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_change_counts_unless_core_refused_it() {
    for (code, asked) in [(UNAUTHENTICATED, 1), ("5", 1), (OK, 2), (UNAVAILABLE, 2)] {
        let stage = Stage::set();
        stage.get("/page").await;
        stage.change(code).await;
        stage.get("/page").await;
        assert_eq!(stage.asked(), asked, "code {code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fill_from_before_a_change_is_for_those_who_waited_only() {
    let stage = Stage::set();
    stage.hold();
    let early = [stage.begin("/page").await, stage.begin("/page").await];
    stage.show(Page::Public("second"));
    stage.change(OK).await;
    let late = [stage.begin("/page").await, stage.begin("/page").await];
    assert_eq!(stage.asked(), 2);
    stage.release();
    for reply in early {
        assert_eq!(reply.await.unwrap().body, "first");
    }
    for reply in late {
        assert_eq!(reply.await.unwrap().body, "second");
    }
    assert_eq!(stage.get("/page").await.body, "second");
    assert_eq!(stage.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_change_leaves_what_can_be_served_while_core_is_away() {
    let stage = Stage::set();
    stage.get("/page").await;
    stage.change(OK).await;
    stage.show(AWAY);
    let old = stage.get("/page").await;
    assert_eq!((old.body.as_str(), old.age()), ("first", Some(0)));
    assert_eq!(old.headers["cache-status"], "muster; hit; ttl=-0");
}

#[tokio::test(start_paused = true)]
async fn an_old_answer_is_served_no_longer_than_it_may_be() {
    let stage = Stage::set_with(CacheOptions {
        max_stale: Duration::from_mins(1),
        ..CacheOptions::default()
    });
    stage.get("/page").await;
    stage.show(AWAY);
    advance(Duration::from_secs(59)).await;
    let old = stage.get("/page").await;
    assert_eq!((old.status, old.age()), (StatusCode::OK, Some(59)));
    advance(Duration::from_secs(1)).await;
    let refused = stage.get("/page").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test(start_paused = true)]
async fn what_is_gone_does_not_come_back_while_core_is_away() {
    for (reason, is_gone) in [(Reason::NotFound, true), (Reason::RateLimited, false)] {
        let stage = Stage::set();
        stage.get("/page").await;
        advance(TIME_TO_LIVE).await;
        stage.show(Page::Refused(reason));
        stage.get("/page").await;
        stage.show(AWAY);
        let reply = stage.get("/page").await;
        assert_eq!(reply.age().is_none(), is_gone, "{reason:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_belongs_to_one_key_and_one_generation() {
    let stage = Stage::set();
    for path in ["/events/a", "/events/b"] {
        stage.get(path).await;
    }
    advance(TIME_TO_LIVE).await;
    stage.show(AWAY);
    assert_eq!(stage.get("/events/a").await.age(), Some(0));
    stage.show(Page::Public("back"));
    let asked = stage.asked();
    assert_eq!(
        stage.get("/events/a").await.age(),
        Some(0),
        "not asked again"
    );
    assert_eq!(stage.asked(), asked);
    assert_eq!(stage.get("/events/b").await.body, "back", "another key");
    stage.change(OK).await;
    assert_eq!(
        stage.get("/events/a").await.body,
        "back",
        "another generation"
    );
}

#[tokio::test(start_paused = true)]
async fn a_clients_own_time_limit_says_nothing_to_others() {
    let stage = Stage::set();
    stage.get("/page").await;
    advance(TIME_TO_LIVE).await;
    stage.show(AWAY);
    let hasty = stage.get_with("/page", GRPC_TIMEOUT).await;
    assert_eq!(hasty.status, StatusCode::SERVICE_UNAVAILABLE);
    stage.show(Page::Public("second"));
    let reply = stage.get("/page").await;
    assert_eq!((reply.body.as_str(), reply.age()), ("second", None));
}

#[tokio::test(start_paused = true)]
async fn those_without_an_old_answer_wait_as_long_as_it_takes() {
    let stage = Stage::set();
    stage.hold();
    let both = [stage.begin("/page").await, stage.begin("/page").await];
    advance(Duration::from_secs(20)).await;
    stage.release();
    for reply in both {
        assert_eq!(reply.await.unwrap().body, "first");
    }
    assert_eq!(stage.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn those_with_an_old_answer_wait_longer_if_it_is_known_to_be_wrong() {
    for (is_changed, almost) in [(false, 499), (true, 1_999)] {
        let stage = Stage::set();
        stage.get("/page").await;
        advance(TIME_TO_LIVE).await;
        if is_changed {
            stage.change(OK).await;
        }
        stage.hold();
        let both = [stage.begin("/page").await, stage.begin("/page").await];
        advance(Duration::from_millis(almost)).await;
        settle().await;
        assert!(both.iter().all(|reply| !reply.is_finished()));
        advance(Duration::from_millis(2)).await;
        for reply in both {
            assert_eq!(reply.await.unwrap().body, "first");
        }
        assert_eq!(stage.cache.counts().stale, 2);
    }
}

#[tokio::test(start_paused = true)]
async fn all_who_wait_are_refused_as_the_one_who_asked() {
    let stage = Stage::set();
    stage.show(AWAY);
    stage.hold();
    let both = [stage.begin("/page").await, stage.begin("/page").await];
    stage.release();
    for reply in both {
        let reply = reply.await.unwrap();
        assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(reply.headers.contains_key(RETRY_AFTER));
        assert_eq!(reply.headers["cache-control"], "no-store");
        assert!(reply.headers.contains_key("content-security-policy"));
    }
    assert_eq!(stage.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_does_not_end_the_fill() {
    let stage = Stage::set();
    stage.hold();
    let leaving = stage.begin("/page").await;
    let waiting = stage.begin("/page").await;
    leaving.abort();
    settle().await;
    stage.release();
    assert_eq!(waiting.await.unwrap().body, "first");
    assert_eq!(stage.get("/page").await.body, "first");
    assert_eq!(stage.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_public_releases_all_who_wait_at_once() {
    let stage = Stage::set();
    stage.show(Page::Private("own"));
    stage.hold();
    let all = [
        stage.begin("/page").await,
        stage.begin("/page").await,
        stage.begin("/page").await,
    ];
    assert_eq!(stage.asked(), 1);
    stage.release();
    for reply in all {
        assert_eq!(reply.await.unwrap().body, "own");
    }
    assert_eq!(stage.asked(), 3);
}
