//! Edges keep answers about the catalogue, and nobody can tell: what has changed is seen in time, whoever changed it.

mod away;
mod changes;
mod checked;
mod forms;
mod in_core;
mod own_lists;
mod surfaces;

use std::{fmt::Debug, net::SocketAddr, sync::Arc, time::Duration};

use core_service::service::Policy;
use edge::{Memory, MemoryOptions};
use serde_json::Value;
use tests::{Http, Reply, TestApp, core_at};
use tokio::time::{Instant, sleep};

/// Far above what any change takes, on a busy machine too.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How often what is to come is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// A gateway that keeps answers.
struct Edge {
    http: Http,
    memory: Memory,
}

impl Edge {
    /// In front of the core there.
    async fn before(app: &TestApp, url: &str, options: MemoryOptions) -> Self {
        let memory = Memory::new(options);
        let core = core_at(url).edge().unwrap();
        let core = core.with_memory(Some(memory.clone()));
        Self {
            http: app.serve_gateway_with(core).await,
            memory,
        }
    }

    async fn get(&self, path: &str) -> Reply {
        self.http.get(path).send().await
    }

    /// Asks until the answer comes from memory.
    async fn keep(&self, path: &str) -> Reply {
        self.await_hit(async || self.get(path).await).await
    }

    async fn await_hit<R: Debug>(&self, ask: impl AsyncFn() -> R) -> R {
        await_hit(&self.memory, ask).await
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

/// Asks until the answer comes from memory alone. Before, the edge may not listen to core yet, and on a busy machine the news may be late.
async fn await_hit<R: Debug>(memory: &Memory, ask: impl AsyncFn() -> R) -> R {
    let start = Instant::now();
    loop {
        let before = memory.counts();
        let reply = ask().await;
        let after = memory.counts();
        if after.hits > before.hits && after.misses == before.misses {
            return reply;
        }
        assert!(start.elapsed() < TIMEOUT, "never kept: {reply:?}");
        sleep(LOOK).await;
    }
}

/// Two gateways, each in front of a core of its own.
async fn two_edges(app: &Arc<TestApp>) -> [Edge; 2] {
    let first = app.grpc.address();
    let second = app.another_core(Policy::default()).await;
    let edge = async |core: SocketAddr| {
        Edge::before(app, &format!("http://{core}"), MemoryOptions::default()).await
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
