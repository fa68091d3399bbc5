use std::time::Duration;

use edge::Core;
use futures_util::StreamExt;
use muster_api::Reason;
use process::observe::RequestId;
use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::{Code, service::Routes, transport::Server};

use crate::toy::{Download, Read, Replica, Toy, Write, client, settings, text, within};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_call_brings_the_message_and_the_metadata() {
    let replica = Replica::start().await;
    let (answer, metadata) = client(&[replica.address])
        .call::<Read>(text("hello"), &within(SECOND))
        .await
        .unwrap();
    assert_eq!(answer.text, "hello");
    assert_eq!(metadata.get("etag").unwrap(), "\"1\"");
}

#[tokio::test]
async fn core_in_the_same_process_is_called_without_sockets() {
    let toy = Toy::default();
    let core = Core::in_process(Routes::new(toy.clone()).prepare());
    let (answer, metadata) = core
        .call::<Write>(text("hello"), &within(SECOND))
        .await
        .unwrap();
    assert_eq!((answer.text.as_str(), toy.count()), ("hello", 1));
    assert_eq!(metadata.get("etag").unwrap(), "\"1\"");
    let status = core
        .call::<Read>(text("refuse"), &within(SECOND))
        .await
        .unwrap_err();
    assert_eq!(status.message(), "no");
    let status = core
        .call::<Read>(text("hang"), &within(SECOND / 20))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn core_is_reached_over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("core.sock");
    let incoming = UnixListenerStream::new(UnixListener::bind(&path).unwrap());
    tokio::spawn(
        Server::builder()
            .add_routes(Routes::new(Toy::default()))
            .serve_with_incoming(incoming),
    );
    let core = settings(&["--core-url", &format!("unix://{}", path.display())])
        .client()
        .unwrap();
    let (answer, _) = core
        .call::<Read>(text("hello"), &within(SECOND))
        .await
        .unwrap();
    assert_eq!(answer.text, "hello");
}

#[tokio::test]
async fn a_status_from_core_arrives_as_it_is_and_is_not_tried_again() {
    let replica = Replica::start().await;
    let other = Replica::start().await;
    let core = client(&[replica.address, other.address]);
    let status = core
        .call::<Read>(text("refuse"), &within(SECOND))
        .await
        .unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Reason::Conflict.grpc_code(), "no")
    );
    assert_eq!(replica.toy.count() + other.toy.count(), 1);
}

#[tokio::test]
async fn core_knows_the_deadline_and_a_late_answer_is_not_awaited() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    let status = core
        .call::<Read>(text("hang"), &within(SECOND / 10))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(replica.toy.header("grpc-timeout").is_some());
}

#[tokio::test]
async fn a_file_comes_in_pieces() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    let file = core
        .file::<Download>(text("a,b\n1,2\n"), &within(SECOND))
        .await
        .unwrap();
    assert_eq!(file.content_type, "text/csv");
    let pieces: Vec<_> = file.pieces.map(Result::unwrap).collect().await;
    assert_eq!(pieces, ["a,b\n", "1,2\n"]);
}

#[tokio::test]
async fn a_file_may_be_refused_and_may_break_off() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    let Err(status) = core.file::<Download>(text("refuse"), &within(SECOND)).await else {
        panic!("there is no such file");
    };
    assert_eq!(status.code(), Code::NotFound);
    let file = core
        .file::<Download>(text("a\n!"), &within(SECOND))
        .await
        .unwrap();
    let pieces: Vec<_> = file.pieces.collect().await;
    assert_eq!(pieces.len(), 3);
    assert!(pieces[2].is_err());
}

#[tokio::test]
async fn core_is_serving_when_it_answers_at_all() {
    let id = RequestId::parse("ready").unwrap();
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    core.is_serving(&id).await.unwrap();
    drop(replica);
    let status = core.is_serving(&id).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
}
