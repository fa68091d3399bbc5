//! More calls at a time than core can answer.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use rpc_client::Core;
use test_toy::{
    Replica,
    v1::bindings::{GetMyThing, PublishThing},
};
use tokio::{task::JoinSet, time::timeout};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::core::{client, thing, within};

/// Far more than a replica may have at a time.
const CALLS: usize = 1_000;
/// How many writes wait for one replica at a time.
const PERMITS: usize = 200;
const SECOND: Duration = Duration::from_secs(1);
/// Far above what any of this takes.
const LONG: Duration = Duration::from_mins(1);

/// Begins writes that never end.
fn begin_writes(core: &Core) -> JoinSet<Status> {
    let context = Arc::new(within(2 * LONG));
    let mut writes = JoinSet::new();
    for _ in 0..CALLS {
        let (core, context) = (core.clone(), Arc::clone(&context));
        writes.spawn(async move {
            let refused = core.call::<PublishThing>(thing("hang"), &context).await;
            refused.unwrap_err()
        });
    }
    writes
}

/// Waits for the first that end.
async fn first(writes: &mut JoinSet<Status>, count: usize) -> Vec<Status> {
    let ended = timeout(LONG, async {
        let mut ended = Vec::new();
        while ended.len() < count {
            ended.push(writes.join_next().await.unwrap().unwrap());
        }
        ended
    });
    ended.await.expect("they are refused at once")
}

#[tokio::test]
async fn writes_beyond_what_a_replica_may_have_are_refused_at_once_and_reads_are_not() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    let mut writes = begin_writes(&core);
    for refused in first(&mut writes, CALLS - PERMITS).await {
        assert_eq!(refused.code(), Code::Unavailable);
        let retry = refused.get_error_details().retry_info().cloned();
        assert_eq!(retry.and_then(|info| info.retry_delay), Some(SECOND));
        assert!(refused.message().contains("too many"), "{refused:?}");
    }
    let read = core.call::<GetMyThing>(thing("x"), &within(LONG)).await;
    read.unwrap();
    writes.abort_all();
    while writes.join_next().await.is_some() {}
    let write = core.call::<PublishThing>(thing("x"), &within(LONG)).await;
    write.unwrap();
}

#[tokio::test]
async fn a_replica_that_has_too_many_leaves_the_others_theirs() {
    let (one, other) = (Replica::start().await, Replica::start().await);
    let core = client(&[one.address, other.address]);
    let mut writes = begin_writes(&core);
    first(&mut writes, CALLS - 2 * PERMITS).await;
    let waits = async {
        while one.toy.count() < PERMITS || other.toy.count() < PERMITS {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, waits).await.expect("the others wait");
}

#[tokio::test]
async fn core_that_refuses_gets_fewer_calls() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    let context = within(LONG);
    let write = || core.call::<PublishThing>(thing("busy"), &context);
    write().await.unwrap_err();
    let mut counts = Vec::new();
    for _ in 0..6 {
        let before = replica.toy.count();
        for refused in join_all((0..PERMITS).map(|_| write())).await {
            assert_eq!(refused.unwrap_err().code(), Code::Unavailable);
        }
        counts.push(replica.toy.count() - before);
    }
    let last = counts.last().copied();
    assert!(last < Some(PERMITS / 2), "{counts:?}");
}
