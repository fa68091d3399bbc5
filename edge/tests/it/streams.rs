//! Streams of messages: what a caller sees of them, and when they end.

use std::time::Duration;

use edge::{Core, Messages};
use muster_api::deadline::STREAM_IDLE;
use test_toy::{
    Replica, Toy,
    internal::v1::{Move, WatchShelfRequest, bindings::WatchShelf},
};
use tokio::time::{Instant, timeout};
use tonic::{Code, Status};

use crate::core::{client, dead, settings, within};

const SECOND: Duration = Duration::from_secs(1);

/// Longer than anything here takes, on any machine.
const LONG: Duration = Duration::from_secs(30);

fn shelf(text: &str) -> WatchShelfRequest {
    WatchShelfRequest {
        shelf: text.to_owned(),
    }
}

async fn watch(core: &Core, text: &str) -> Result<Messages<Move>, Status> {
    core.stream::<WatchShelf>(shelf(text), &within(LONG)).await
}

/// Reads so many messages, which have to be the stream's next.
async fn read(messages: &mut Messages<Move>, sequences: std::ops::Range<i64>) {
    for expected in sequences {
        let next = messages.next().await.unwrap();
        assert_eq!(next.unwrap().sequence, expected);
    }
}

#[tokio::test]
async fn messages_come_in_order_until_core_ends_the_stream() {
    let replica = Replica::start().await;
    let mut messages = watch(&client(&[replica.address]), "poetry").await.unwrap();
    read(&mut messages, 0..3).await;
    assert_eq!(messages.next().await.unwrap(), None);
    assert_eq!(messages.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_stream_goes_on_after_the_deadline_of_its_first_message() {
    let replica = Replica::start().await;
    let context = within(SECOND / 2);
    let core = client(&[replica.address]);
    let messages = core.stream::<WatchShelf>(shelf("slow"), &context).await;
    read(&mut messages.unwrap(), 0..10).await;
    assert!(Instant::now() > context.deadline());
    assert_eq!(replica.toy.header("grpc-timeout"), None);
}

#[tokio::test]
async fn a_first_message_that_does_not_come_is_not_awaited_for_longer_than_the_deadline() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    for text in ["hang", "silent"] {
        let context = within(SECOND / 5);
        let messages = core.stream::<WatchShelf>(shelf(text), &context);
        let Err(status) = timeout(LONG, messages).await.unwrap() else {
            panic!("{text} sends nothing");
        };
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
    }
    timeout(LONG, replica.toy.dropped()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_silent_for_too_long_ends_with_an_error() {
    let toy = Toy::default();
    let mut messages = watch(&Core::in_process(toy.routes()), "open")
        .await
        .unwrap();
    read(&mut messages, 0..3).await;
    let start = Instant::now();
    let status = messages.next().await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::Unavailable, "core sent nothing for 60 s")
    );
    assert_eq!(start.elapsed().as_secs(), STREAM_IDLE.as_secs());
    // Core need not go on, and nothing more comes.
    timeout(LONG, toy.dropped()).await.unwrap();
    assert_eq!(messages.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_stream_whose_replica_dies_ends_with_an_error_and_is_opened_again_at_another() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    let mut messages = watch(&core, "open").await.unwrap();
    read(&mut messages, 0..3).await;
    let (serving, other) = if first.toy.count() == 1 {
        (first, second)
    } else {
        (second, first)
    };
    drop(serving);
    let status = timeout(LONG, messages.next()).await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
    assert!(
        status.message().starts_with("cannot reach core: "),
        "{status:?}"
    );
    assert_eq!(messages.next().await.unwrap(), None);
    for opened in 1..=2 {
        let mut messages = watch(&core, "open").await.unwrap();
        read(&mut messages, 0..3).await;
        assert_eq!(other.toy.count(), opened);
    }
}

#[tokio::test]
async fn a_stream_is_opened_at_another_replica_when_the_first_is_dead() {
    let replica = Replica::start().await;
    let addresses = [dead().await, replica.address];
    // Whichever of them has its turn first.
    for core in [client(&addresses), client(&addresses)] {
        for _ in 0..2 {
            let mut messages = watch(&core, "poetry").await.unwrap();
            read(&mut messages, 0..3).await;
        }
    }
    assert_eq!(replica.toy.count(), 4);
}

#[tokio::test]
async fn a_refusal_arrives_as_it_is_and_is_not_tried_again() {
    let (first, second) = (Replica::start().await, Replica::start().await);
    let core = client(&[first.address, second.address]);
    for (text, code, message) in [
        ("missing", Code::NotFound, "there is no such thing"),
        ("", Code::InvalidArgument, "shelf must not be empty"),
    ] {
        let before = first.toy.count() + second.toy.count();
        let status = watch(&core, text).await.unwrap_err();
        assert_eq!((status.code(), status.message()), (code, message));
        assert_eq!(first.toy.count() + second.toy.count(), before + 1);
    }
}

#[tokio::test]
async fn a_stream_that_core_breaks_off_ends_with_the_status_that_core_says() {
    let replica = Replica::start().await;
    let mut messages = watch(&client(&[replica.address]), "half").await.unwrap();
    read(&mut messages, 0..3).await;
    let status = messages.next().await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::Internal, "the disk is gone")
    );
    assert_eq!(messages.next().await.unwrap(), None);
}

#[tokio::test]
async fn core_learns_that_nobody_reads_a_stream_any_more() {
    let replica = Replica::start().await;
    let mut messages = watch(&client(&[replica.address]), "open").await.unwrap();
    read(&mut messages, 0..3).await;
    drop(messages);
    timeout(LONG, replica.toy.dropped()).await.unwrap();
}

/// Which core's gate demands for internal rpcs of every kind.
#[tokio::test]
async fn the_edges_proof_goes_with_a_stream() {
    let replica = Replica::start().await;
    let url = format!("http://{}", replica.address);
    let token = "0123456789abcdef0123456789abcdef";
    let core = settings(&["--core-url", &url, "--edge-token", token]);
    watch(&core.edge().unwrap(), "poetry").await.unwrap();
    let told = replica.toy.header("x-muster-edge-token");
    assert_eq!(told.as_deref(), Some(token));
}
