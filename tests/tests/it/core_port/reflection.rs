//! What generic clients learn of core: which services there are, what they take and answer, and whether they are well.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use http::uri::PathAndQuery;
use prost::Message as _;
use prost_types::FileDescriptorProto;
use tests::TestApp;
use tokio_stream::StreamExt as _;
use tonic::{Code, Request, Status};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, ServerReflectionResponse, server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
};

/// Beside them, what generic clients use. Reflection of either version tells of both.
const GENERIC: [&str; 3] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

const SERVICES: [&str; 8] = [
    "muster.v1.AccountService",
    "muster.v1.CatalogueService",
    "muster.v1.CoverService",
    "muster.v1.EventService",
    "muster.v1.MessageService",
    "muster.v1.RegistrationService",
    "muster.v1.StatisticsService",
    "muster.v1.WebhookService",
];

/// Asks reflection; the two versions differ in nothing but their name.
async fn ask(
    app: &TestApp,
    version: &str,
    questions: Vec<MessageRequest>,
) -> Result<Vec<MessageResponse>, Status> {
    let mut client = tonic::client::Grpc::new(app.grpc.channel());
    client.ready().await.unwrap();
    let codec = ProstCodec::<ServerReflectionRequest, ServerReflectionResponse>::default();
    let path = format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo");
    let questions = questions
        .into_iter()
        .map(|question| ServerReflectionRequest {
            host: String::new(),
            message_request: Some(question),
        });
    let stream = Request::new(tokio_stream::iter(questions.collect::<Vec<_>>()));
    let path: PathAndQuery = path.parse().unwrap();
    let answers = client.streaming(stream, path, codec).await?.into_inner();
    let answers = answers.map(|answer| Ok(answer?.message_response.unwrap()));
    answers.collect().await
}

fn files(answers: Vec<MessageResponse>) -> Vec<FileDescriptorProto> {
    let encoded = answers.into_iter().flat_map(|answer| match answer {
        MessageResponse::FileDescriptorResponse(files) => files.file_descriptor_proto,
        other => panic!("no descriptors but {other:?}"),
    });
    encoded
        .map(|file| FileDescriptorProto::decode(&*file).unwrap())
        .collect()
}

async fn learns_everything(app: &TestApp, version: &str) {
    let answers = ask(
        app,
        version,
        vec![MessageRequest::ListServices(String::new())],
    )
    .await
    .unwrap();
    let [MessageResponse::ListServicesResponse(list)] = &answers[..] else {
        panic!("{answers:?}")
    };
    let listed: BTreeSet<&str> = list.service.iter().map(|service| &*service.name).collect();
    let served = SERVICES.into_iter().chain(GENERIC).collect();
    assert_eq!(listed, served);

    // Each service's file, and then every file that one names, as a client collects them.
    let symbol = |service: &&str| MessageRequest::FileContainingSymbol((*service).to_owned());
    let questions = SERVICES.iter().chain(&GENERIC).map(symbol).collect();
    let mut known = BTreeMap::new();
    let mut found = files(ask(app, version, questions).await.unwrap());
    while !found.is_empty() {
        let mut missing = BTreeSet::new();
        for file in found {
            missing.extend(file.dependency.clone());
            known.insert(file.name().to_owned(), file);
        }
        missing.retain(|name| !known.contains_key(name));
        let questions = missing
            .into_iter()
            .map(MessageRequest::FileByFilename)
            .collect();
        found = files(ask(app, version, questions).await.unwrap());
    }
    let services = known.values().flat_map(|file| &file.service);
    let rpcs: usize = services.map(|service| service.method.len()).sum();
    assert!(rpcs >= 14, "{rpcs} rpcs");
    let sources = known
        .values()
        .filter(|file| file.source_code_info.is_some());
    assert_eq!(
        sources.count(),
        0,
        "comments are for the documents, not for every client"
    );
}

async fn reflection_tells_every_service_and_file_in_both_versions(app: Arc<TestApp>) {
    learns_everything(&app, "v1").await;
    learns_everything(&app, "v1alpha").await;

    // What only edges may call is not told either.
    for unknown in ["muster.v1.Nothing", "muster.internal.v1.EdgeService"] {
        let symbol = MessageRequest::FileContainingSymbol(unknown.to_owned());
        let status = ask(&app, "v1", vec![symbol]).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{unknown}");
    }
}

async fn health_is_told_of_each_service_and_of_the_whole(app: Arc<TestApp>) {
    let mut health = HealthClient::new(app.grpc.channel());
    for service in SERVICES.into_iter().chain([""]) {
        let service = service.to_owned();
        let answer = health.check(HealthCheckRequest { service }).await.unwrap();
        assert_eq!(answer.into_inner().status(), ServingStatus::Serving);
    }
    let service = "muster.v1.Nothing".to_owned();
    let status = health
        .check(HealthCheckRequest { service })
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

tests::on_both_engines!(
    reflection_tells_every_service_and_file_in_both_versions,
    health_is_told_of_each_service_and_of_the_whole,
);
