use std::{net::SocketAddr, time::Duration};

use futures_util::future::join_all;
use rpc_client::Core;
use test_toy::{
    Replica, Toy,
    v1::{
        bindings::{CreateThing, GetMyThing, PublishThing},
        thing_service_server::ThingServiceServer,
    },
};
use tokio::{
    net::TcpListener,
    time::{Instant, interval},
};
use tonic::{
    Code, Request, Status,
    transport::{Server, server::TcpIncoming},
};
use tonic_health::{ServingStatus, server::health_reporter};

use crate::core::{client, dead, new_thing, settings, thing, within};

const SECOND: Duration = Duration::from_secs(1);

/// A replica that the kernel still accepts connections for, as for a stopped process, but that never answers.
async fn hung() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

/// A replica that is cut off from its database: it refuses calls, and says so when it is asked for its health.
async fn cut_off() -> SocketAddr {
    let (reporter, health) = health_reporter();
    reporter
        .set_service_status("", ServingStatus::NotServing)
        .await;
    let refused = |_request: Request<()>| Err(Status::unavailable("the database does not answer"));
    let things = ThingServiceServer::with_interceptor(Toy::default().service(), refused);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::builder().add_service(health).add_service(things);
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
    address
}

/// How many of so many concurrent reads are lost.
async fn lost_reads(core: &Core, calls: usize, time: Duration) -> usize {
    let context = within(time);
    let answers = join_all((0..calls).map(|_| core.call::<GetMyThing>(thing("x"), &context))).await;
    answers.iter().filter(|answer| answer.is_err()).count()
}

#[tokio::test]
async fn no_call_is_lost_to_a_dead_replica_and_none_is_made_twice() {
    let replica = Replica::start().await;
    let core = client(&[dead().await, replica.address]);
    let mut lost = 0;
    for _ in 0..20 {
        lost += lost_reads(&core, 50, 10 * SECOND).await;
    }
    for _ in 0..100 {
        lost += usize::from(
            core.call::<PublishThing>(thing("x"), &within(10 * SECOND))
                .await
                .is_err(),
        );
    }
    assert_eq!((lost, replica.toy.count()), (0, 1100));
}

#[tokio::test]
async fn no_read_is_lost_to_a_hung_replica_and_only_the_first_ones_wait_for_it() {
    let (hung, replica) = (hung().await, Replica::start().await);
    let core = client(&[hung.local_addr().unwrap(), replica.address]);
    assert_eq!(lost_reads(&core, 200, 2 * SECOND).await, 0);
    let mut waited = 0;
    for _ in 0..800 {
        let start = Instant::now();
        core.call::<GetMyThing>(thing("x"), &within(2 * SECOND))
            .await
            .unwrap();
        waited += usize::from(start.elapsed() >= SECOND);
    }
    assert!(
        waited <= 2,
        "all but the trials go elsewhere at once, {waited} waited"
    );
    assert_eq!(replica.toy.count(), 1000);
}

/// They wait about a second, and not until their deadline or until the connection is given up. A busy machine may be slow once.
#[tokio::test]
async fn reads_with_a_long_deadline_leave_a_hung_replica_soon() {
    let mut shortest = 60 * SECOND;
    for _ in 0..4 {
        let (hung, replica) = (hung().await, Replica::start().await);
        let core = client(&[hung.local_addr().unwrap(), replica.address]);
        let start = Instant::now();
        assert_eq!(lost_reads(&core, 100, 60 * SECOND).await, 0);
        assert_eq!(replica.toy.count(), 100);
        shortest = shortest.min(start.elapsed());
    }
    assert!(shortest < 3 * SECOND / 2, "{shortest:?}");
}

#[tokio::test]
async fn a_replica_that_says_that_it_does_not_serve_gets_no_calls_while_another_does() {
    let (cut_off, replica) = (cut_off().await, Replica::start().await);
    let core = client(&[cut_off, replica.address]);
    assert_eq!(lost_reads(&core, 100, 10 * SECOND).await, 0);
    // What cannot be tried again goes there at once.
    for number in 0..20 {
        let (request, context) = (new_thing(&number.to_string()), within(10 * SECOND));
        core.call::<CreateThing>(request, &context).await.unwrap();
    }
    assert_eq!(replica.toy.count(), 120);
}

#[tokio::test]
async fn a_hung_replica_is_noticed_long_before_a_long_deadline() {
    let hung = hung().await;
    let core = client(&[hung.local_addr().unwrap()]);
    let start = Instant::now();
    let status = core
        .call::<PublishThing>(thing("x"), &within(60 * SECOND))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(start.elapsed() < 15 * SECOND, "{:?}", start.elapsed());
}

#[tokio::test]
async fn no_read_is_lost_when_a_replica_dies_between_calls() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    assert_eq!(lost_reads(&core, 100, 10 * SECOND).await, 0);
    assert!(
        first.toy.count() > 0 && second.toy.count() > 0,
        "both get calls"
    );
    drop(first);
    for _ in 0..10 {
        assert_eq!(lost_reads(&core, 50, 10 * SECOND).await, 0);
    }
}

#[tokio::test]
async fn core_that_was_down_is_found_again_without_a_restart() {
    let address = dead().await;
    let core = client(&[address]);
    let status = core
        .call::<GetMyThing>(thing("x"), &within(SECOND))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    let replica = Replica::start_at(address).await;
    core.call::<GetMyThing>(thing("x"), &within(5 * SECOND))
        .await
        .unwrap();
    assert_eq!(replica.toy.count(), 1);
}

#[tokio::test]
async fn a_replica_that_is_back_gets_calls_again() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    assert_eq!(lost_reads(&core, 10, 10 * SECOND).await, 0);
    let address = first.address;
    drop(first);
    assert_eq!(lost_reads(&core, 10, 10 * SECOND).await, 0);
    let back = Replica::start_at(address).await;
    let start = Instant::now();
    let mut every = interval(SECOND / 100);
    let seen = |header: Option<String>| header.is_some_and(|id| id == "test");
    while !seen(back.toy.header("x-request-id")) {
        assert!(start.elapsed() < 20 * SECOND, "it is not tried again");
        core.call::<GetMyThing>(thing("x"), &within(10 * SECOND))
            .await
            .unwrap();
        every.tick().await;
    }
}

#[tokio::test]
async fn a_write_that_may_have_been_seen_is_not_repeated() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    let context = within(SECOND / 5);
    assert_eq!(
        core.call::<PublishThing>(thing("hang"), &context)
            .await
            .unwrap_err()
            .code(),
        Code::DeadlineExceeded
    );
    assert_eq!(first.toy.count() + second.toy.count(), 1);
}

#[tokio::test]
async fn a_write_under_an_idempotency_key_is_repeated_where_the_rpc_takes_one() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    let made = || first.toy.count() + second.toy.count();
    let keyed = || within(2 * SECOND).with_idempotency_key("k");
    let lost = core
        .call::<CreateThing>(new_thing("hang"), &within(2 * SECOND))
        .await;
    assert_eq!(lost.unwrap_err().code(), Code::DeadlineExceeded);
    assert_eq!(made(), 1);
    let lost = core.call::<CreateThing>(new_thing("hang"), &keyed()).await;
    assert_eq!(lost.unwrap_err().code(), Code::DeadlineExceeded);
    assert_eq!(made(), 1 + 2);
    assert_eq!(first.toy.header("idempotency-key").as_deref(), Some("k"));
    let before = made();
    let lost = core.call::<PublishThing>(thing("hang"), &keyed()).await;
    assert_eq!(lost.unwrap_err().code(), Code::DeadlineExceeded);
    assert_eq!(made() - before, 1);
}

#[tokio::test]
async fn a_host_that_is_not_found_is_unavailable() {
    let core = settings(&["--core-url", "http://no-such-host.invalid:1"])
        .client()
        .unwrap();
    let status = core
        .call::<GetMyThing>(thing("x"), &within(20 * SECOND))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
}

#[tokio::test]
async fn a_read_that_core_itself_gave_up_on_has_the_other_half_of_its_time_elsewhere() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    let status = core
        .call::<GetMyThing>(thing("late"), &within(10 * SECOND))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert_eq!((first.toy.count(), second.toy.count()), (1, 1));
}
