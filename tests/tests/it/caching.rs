//! Edges cache public answers, and no client can tell: what has changed is seen in time, by whomever it was changed.

mod away;
mod changes;
mod checked;
mod forms;
mod own_lists;
mod rules;
mod surfaces;

use std::{fmt::Debug, net::SocketAddr, sync::Arc, time::Duration};

use core_service::service::Policy;
use http_kit::{CacheOptions, ResponseCache};
use serde_json::Value;
use tests::{Http, Reply, TestApp, core_at};
use tokio::time::{Instant, sleep};

/// Far above what any change takes, on a busy machine too.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How often what is to come is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// A gateway with a response cache.
struct Edge {
    http: Http,
    cache: ResponseCache,
}

impl Edge {
    /// In front of the core there.
    async fn before(app: &TestApp, url: &str, options: CacheOptions) -> Self {
        let core = core_at(url).edge().unwrap();
        let cache = ResponseCache::new(options, core.changes().clone());
        Self::with(app, core, cache).await
    }

    async fn with(app: &TestApp, core: rpc_client::Core, cache: ResponseCache) -> Self {
        Self {
            http: app.serve_gateway_with(core, cache.clone()).await,
            cache,
        }
    }

    async fn get(&self, path: &str) -> Reply {
        self.http.get(path).send().await
    }

    /// Asks until the answer comes from the cache.
    async fn hit(&self, path: &str) -> Reply {
        self.await_hit(async || self.get(path).await).await
    }

    async fn await_hit<R: Debug>(&self, ask: impl AsyncFn() -> R) -> R {
        await_hit(&self.cache, ask).await
    }

    /// Asks until the answer is right.
    async fn await_right(&self, path: &str, what: &str, is_right: impl Fn(&Reply) -> bool) {
        let start = Instant::now();
        loop {
            let reply = self.get(path).await;
            if is_right(&reply) {
                return;
            }
            assert!(start.elapsed() < TIMEOUT, "{what}: {path} is {reply:?}");
            sleep(LOOK).await;
        }
    }
}

/// Asks until the answer comes from the cache alone. On a busy machine an entry may be too old by then.
async fn await_hit<R: Debug>(cache: &ResponseCache, ask: impl AsyncFn() -> R) -> R {
    let start = Instant::now();
    loop {
        let before = cache.counts();
        let reply = ask().await;
        let after = cache.counts();
        if after.hits > before.hits && after.misses == before.misses {
            return reply;
        }
        assert!(start.elapsed() < TIMEOUT, "never cached: {reply:?}");
        sleep(LOOK).await;
    }
}

/// Two gateways, each with a core of its own.
async fn two_edges(app: &Arc<TestApp>) -> [Edge; 2] {
    let first = app.grpc.address();
    let second = app.another_core(Policy::default()).await;
    let edge = async |core: SocketAddr| {
        Edge::before(app, &format!("http://{core}"), CacheOptions::default()).await
    };
    [edge(first).await, edge(second).await]
}

/// The slugs in a list.
fn slugs(list: &Reply) -> Vec<String> {
    let list = list.ok();
    let items = list["items"].as_array().unwrap();
    let slug = |item: &Value| item["slug"].as_str().unwrap().to_owned();
    items.iter().map(slug).collect()
}
