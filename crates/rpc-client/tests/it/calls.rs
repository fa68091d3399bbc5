use std::{io, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::StreamBody;
use muster_api::Reason;
use rpc_client::{Core, EncodedRequest};
use server::observe::RequestId;
use test_toy::{
    Replica, Toy,
    v1::{
        Echo, GetThingRequest,
        bindings::{ExportThing, GetMyThing, GetThing, PublishThing},
    },
};
use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::{Code, body::Body, transport::Server};
use tower::service_fn;

use crate::core::{client, settings, thing, within};

const SECOND: Duration = Duration::from_secs(1);

fn id_of(answer: Echo) -> String {
    answer.thing.unwrap().id
}

#[tokio::test]
async fn a_call_brings_the_message_and_the_metadata() {
    let replica = Replica::start().await;
    let request = GetThingRequest {
        id: "tagged".to_owned(),
    };
    let (answer, metadata) = client(&[replica.address])
        .call::<GetThing>(request, &within(SECOND))
        .await
        .unwrap();
    assert_eq!(id_of(answer), "tagged");
    assert_eq!(metadata.get("etag").unwrap(), "\"v1\"");
}

/// As of a core that is killed in the middle of its answer.
#[tokio::test]
async fn an_answer_that_breaks_off_before_its_end_is_unavailable() {
    let service = service_fn(async |_request: Request<Body>| {
        let empty_message = Frame::data(Bytes::from_static(&[0; 5]));
        let broken = io::Error::from(io::ErrorKind::ConnectionReset);
        let body = StreamBody::new(stream::iter([Ok(empty_message), Err(broken)]));
        let response = Response::builder().header(CONTENT_TYPE, "application/grpc");
        response.body(body)
    });
    let core = Core::in_process(service);
    let status = core.call::<GetMyThing>(thing("x"), &within(SECOND)).await;
    let status = status.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "{status:?}");
}

#[tokio::test]
async fn core_in_the_same_process_is_called_without_sockets() {
    let toy = Toy::default();
    let core = Core::in_process(toy.routes());
    let (answer, _metadata) = core
        .call::<PublishThing>(thing("tagged"), &within(SECOND))
        .await
        .unwrap();
    assert_eq!((id_of(answer).as_str(), toy.count()), ("tagged", 1));
    let status = core
        .call::<GetMyThing>(thing("conflict"), &within(SECOND))
        .await
        .unwrap_err();
    assert_eq!(status.message(), "no");
    let status = core
        .call::<GetMyThing>(thing("hang"), &within(SECOND / 20))
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
            .add_routes(Toy::default().routes())
            .serve_with_incoming(incoming),
    );
    let core = settings(&["--core-url", &format!("unix://{}", path.display())])
        .client()
        .unwrap();
    let (answer, _) = core
        .call::<GetMyThing>(thing("tagged"), &within(SECOND))
        .await
        .unwrap();
    assert_eq!(id_of(answer), "tagged");
}

#[tokio::test]
async fn a_status_from_core_arrives_as_it_is_and_is_not_tried_again() {
    let replica = Replica::start().await;
    let other = Replica::start().await;
    let core = client(&[replica.address, other.address]);
    let status = core
        .call::<GetMyThing>(thing("conflict"), &within(SECOND))
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
        .call::<GetMyThing>(thing("hang"), &within(SECOND / 10))
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
        .file(
            EncodedRequest::new::<ExportThing>(&thing("1")),
            &within(SECOND),
        )
        .await
        .unwrap();
    assert_eq!(file.content_type, "image/png");
    let pieces: Vec<_> = file.pieces.map(Result::unwrap).collect().await;
    assert_eq!((pieces[0].len(), &pieces[1][..]), (3000, &b"PNG"[..]));
}

#[tokio::test]
async fn a_file_may_be_refused_and_may_break_off() {
    let replica = Replica::start().await;
    let core = client(&[replica.address]);
    let context = within(SECOND);
    let missing = core.file(
        EncodedRequest::new::<ExportThing>(&thing("missing")),
        &context,
    );
    let Err(status) = missing.await else {
        panic!("there is no such file");
    };
    assert_eq!(status.code(), Code::NotFound);
    let half = core.file(EncodedRequest::new::<ExportThing>(&thing("half")), &context);
    let pieces: Vec<_> = half.await.unwrap().pieces.collect().await;
    assert_eq!(pieces.len(), 2);
    assert!(pieces[0].is_ok() && pieces[1].is_err());
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
