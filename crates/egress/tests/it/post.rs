//! What a stranger's endpoint can make this machine do, and what it gets.

mod answers;
mod connections;
mod faults;
mod targets;

use std::time::Duration;

use bytes::Bytes;
use egress::{Allowances, Answer, Egress, PostError, PostLimits};
use http::HeaderMap;
use test_documents::egress;
use url::Url;

/// Long enough for a busy machine.
const LIMITS: PostLimits = PostLimits {
    time: Duration::from_secs(20),
    answer_bytes: 2_000,
};

/// For what is too slow.
const SHORT: PostLimits = PostLimits {
    time: Duration::from_secs(1),
    answer_bytes: 2_000,
};

async fn post(egress: &Egress, url: &str) -> Result<Answer, PostError> {
    post_within(egress, url, LIMITS).await
}

async fn post_within(egress: &Egress, url: &str, limits: PostLimits) -> Result<Answer, PostError> {
    let (url, body) = (Url::parse(url).unwrap(), Bytes::from_static(b"{}"));
    egress.post(&url, HeaderMap::new(), body, limits).await
}

/// Names lead to loopback, which counts as public.
fn to_loopback() -> Egress {
    egress(crate::names(&["127.0.0.1"]), |address| {
        address.is_loopback()
    })
}

/// Only what is public is, and these networks and hosts are admitted.
fn admitting(addresses: &[&str], networks: &str, hosts: &str) -> Egress {
    let allowances = Allowances {
        networks: networks.parse().unwrap(),
        hosts: hosts.parse().unwrap(),
    };
    egress(crate::names(addresses), egress::is_public).admitting(allowances)
}

/// Loopback is admitted, so that it may be plain.
fn admitting_loopback() -> Egress {
    admitting(&["127.0.0.1"], "127.0.0.0/8", "")
}

/// Lets the client see that an answer has ended; the test's runtime has one thread.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
