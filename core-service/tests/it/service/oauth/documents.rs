//! Clients that a document describes.

use core_service::service::{Asked, OAuthPolicy, Pending, Policy, Problem};
use serde_json::json;
use test_documents::{Documents, HOST, Names, Reply, egress};
use test_postgres::Database;

use super::{Scene, asking, redeeming};
use crate::{
    fixtures::{HOUR, migrate},
    service::{Instance, policy, signing_in::DAY},
};

const PATH: &str = "/client.json";

fn document(client_id: &str, name: &str) -> String {
    json!({
        "client_id": client_id,
        "client_name": name,
        "redirect_uris": ["http://localhost/callback"],
        "token_endpoint_auth_method": "none",
    })
    .to_string()
}

fn under(documents: Option<egress::Egress>) -> Policy {
    let oauth = OAuthPolicy {
        documents,
        ..OAuthPolicy::default()
    };
    Policy { oauth, ..policy() }
}

/// A scene whose core reads documents of this server.
async fn scene(database: &Database, documents: &Documents) -> Scene {
    let policy = under(Some(documents.egress()));
    Scene::of(Instance::open_under(database, policy).await).await
}

async fn asked(scene: &Scene, client_id: &str) -> Asked<Pending> {
    scene.begin(asking(client_id)).await.unwrap()
}

async fn problem(scene: &Scene, client_id: &str) -> Problem {
    match asked(scene, client_id).await {
        Asked::Problem(problem) => problem,
        other => panic!("{other:?}"),
    }
}

async fn a_client_introduces_itself_by_a_document(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    documents.on(PATH, Reply::Text(document(&id, "Claude")));
    let Asked::Fine(pending) = asked(&scene, &id).await else {
        panic!("a right request");
    };
    assert_eq!(pending.client.name(), "Claude");
    assert_eq!(pending.client.verified_host().as_deref(), Some(HOST));
    let code = scene.code(asking(&id), &["events:read"]).await;
    assert!(scene.exchange(&redeeming(&id, &code)).await.is_ok());
    assert_eq!(documents.requests(), 1, "it is kept");
}

async fn a_document_is_kept_for_a_day_at_most_and_a_failure_never(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    assert!(problem(&scene, &id).await.message.contains("404"));
    documents.on(PATH, Reply::Text(document(&id, "Claude")));
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    documents.on(PATH, Reply::Status(500));
    scene.instance.clock.advance_seconds(DAY - 1);
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    scene.instance.clock.advance_seconds(1);
    assert!(problem(&scene, &id).await.message.contains("500"));
    // Its server may want it to be read more often.
    documents.on(
        PATH,
        Reply::Cached(document(&id, "Claude 2"), "max-age=3600"),
    );
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    documents.on(PATH, Reply::Text(document(&id, "Claude 3")));
    scene.instance.clock.advance_seconds(HOUR);
    let Asked::Fine(pending) = asked(&scene, &id).await else {
        panic!("a right request");
    };
    assert_eq!(pending.client.name(), "Claude 3");
}

async fn a_document_that_is_wrong_is_not_trusted(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    let other = documents.url("/other.json");
    for (reply, word) in [
        (Reply::Text(document(&other, "Claude")), "client_id"),
        (Reply::Text("<html>".to_owned()), "JSON"),
        (Reply::Text("a".repeat(6_000)), "5000 bytes"),
        (Reply::Redirect(other.clone()), "302"),
        (
            Reply::Text(document(&id, "Claude").replace("none", "client_secret_post")),
            "none",
        ),
    ] {
        documents.on(PATH, reply);
        let problem = problem(&scene, &id).await;
        assert!(problem.message.contains(word), "{problem:?}");
    }
    documents.on(PATH, Reply::Text(document(&id, "Claude")));
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
}

async fn nothing_is_read_from_this_machine_or_its_neighbours(database: Database) {
    let documents = Documents::start().await;
    let loopback = Names::new([vec!["127.0.0.1".parse().unwrap()]]);
    let public = egress(loopback, egress::is_public);
    let scene = Scene::of(Instance::open_under(&database, under(Some(public))).await).await;
    let port = documents.port();
    for host in [
        HOST,
        "127.0.0.1",
        "[::1]",
        "169.254.169.254",
        "10.0.0.1",
        "localhost",
    ] {
        let id = format!("https://{host}:{port}{PATH}");
        let problem = problem(&scene, &id).await;
        assert!(problem.message.contains("no public address"), "{problem:?}");
    }
    assert_eq!(documents.requests(), 0);
}

async fn without_internet_clients_register(database: Database) {
    let scene = Scene::of(Instance::open_under(&database, under(None)).await).await;
    let problem = problem(&scene, "https://app.example/client.json").await;
    assert!(problem.cure.contains("register"), "{problem:?}");
    let server = scene.instance.oauth.server(None);
    assert!(!server.takes_client_documents);
    assert_eq!(server.issuer, "https://muster.example");
}

test_postgres::on_both_engines!(prepare: migrate;
    a_client_introduces_itself_by_a_document,
    a_document_is_kept_for_a_day_at_most_and_a_failure_never,
    a_document_that_is_wrong_is_not_trusted,
    nothing_is_read_from_this_machine_or_its_neighbours,
    without_internet_clients_register,
);
