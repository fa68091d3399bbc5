//! Clients that a document describes.

use std::{net::IpAddr, time::Instant};

use core_service::service::{Asked, Error, OAuthPolicy, Pending, Policy, Problem};
use serde_json::json;
use test_documents::{Documents, HOST, Names, Reply, egress};
use test_postgres::Database;

use super::{Scene, asking, redeeming};
use crate::{
    fixtures::{HOUR, migrate},
    service::{Instance, policy, signing_in::DAY},
};

const PATH: &str = "/client.json";

const MINUTE: i64 = 60;

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
    Scene::of(Box::new(Instance::open_under(database, policy).await)).await
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

/// An app that can sign its requests, but need not.
async fn a_document_that_prefers_keys_is_taken_if_it_lists_none(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    let prefers = document(&id, "Claude").replace("none", "private_key_jwt");
    documents.on(PATH, Reply::Text(prefers.clone()));
    assert!(problem(&scene, &id).await.message.contains("none"));
    scene.instance.clock.advance_seconds(MINUTE);
    let mut lists: serde_json::Value = serde_json::from_str(&prefers).unwrap();
    lists["token_endpoint_auth_methods_supported"] = json!(["private_key_jwt", "none"]);
    documents.on(PATH, Reply::Text(lists.to_string()));
    let code = scene.code(asking(&id), &["events:read"]).await;
    assert!(scene.exchange(&redeeming(&id, &code)).await.is_ok());
}

async fn a_document_counts_for_a_day_and_a_failure_for_a_minute(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    assert!(problem(&scene, &id).await.message.contains("404"));
    documents.on(PATH, Reply::Text(document(&id, "Claude")));
    assert!(problem(&scene, &id).await.message.contains("404"));
    assert_eq!(documents.requests(), 1, "its server is not asked again");
    scene.instance.clock.advance_seconds(MINUTE);
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    documents.on(PATH, Reply::Status(500));
    scene.instance.clock.advance_seconds(DAY - 1);
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    scene.instance.clock.advance_seconds(1);
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    scene.instance.clock.advance_seconds(MINUTE);
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

async fn an_older_document_counts_while_its_server_is_away(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    documents.on(PATH, Reply::Text(document(&id, "Claude")));
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
    documents.on(PATH, Reply::Status(500));
    scene.instance.clock.advance_seconds(DAY);
    let Asked::Fine(pending) = asked(&scene, &id).await else {
        panic!("a right request");
    };
    assert_eq!(pending.client.name(), "Claude");
    scene.instance.clock.advance_seconds(7 * DAY);
    assert!(problem(&scene, &id).await.message.contains("500"));
}

/// Neither one person, nor many who name the same document.
async fn nobody_has_many_documents_read(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let mut refused = 0;
    for number in 0..20 {
        let path = format!("/{number}.json");
        let begun = scene.begin(asking(&documents.url(&path))).await;
        refused += usize::from(matches!(begun, Err(Error::RateLimited { .. })));
    }
    assert_eq!((refused, documents.requests()), (10, 10));
    scene.instance.clock.advance_seconds(MINUTE);
    let id = documents.url(PATH);
    let uncached = document(&id, "Claude");
    documents.on(PATH, Reply::Cached(uncached, "no-store"));
    let oauth = &scene.instance.oauth;
    for last in 1..=20 {
        let address = IpAddr::from([192, 0, 2, last]);
        let checked = oauth.check(&asking(&id), Some(address)).await;
        assert!(matches!(checked, Ok(Asked::Fine(_))), "{checked:?}");
    }
    assert_eq!(documents.requests(), 15);
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
        scene.instance.clock.advance_seconds(MINUTE);
    }
    documents.on(PATH, Reply::Text(document(&id, "Claude")));
    assert!(matches!(asked(&scene, &id).await, Asked::Fine(_)));
}

async fn nothing_is_read_from_this_machine_or_its_neighbours(database: Database) {
    let documents = Documents::start().await;
    let loopback = Names::new([vec!["127.0.0.1".parse().unwrap()]]);
    let public = egress(loopback, egress::is_public);
    let scene = Scene::of(Box::new(
        Instance::open_under(&database, under(Some(public))).await,
    ))
    .await;
    let port = documents.port();
    for host in [
        HOST,
        "127.0.0.1",
        "127.255.255.254",
        "[::1]",
        "[::ffff:7f00:1]",
        "169.254.169.254",
        "169.254.0.1",
        "[fe80::1]",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.254",
        "192.168.1.1",
        "100.64.0.1",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]",
        "0.0.0.0",
        "[::]",
        "255.255.255.255",
        "224.0.0.1",
        "localhost",
        "muster.internal",
    ] {
        let id = format!("https://{host}:{port}{PATH}");
        let problem = problem(&scene, &id).await;
        assert!(problem.message.contains("no public address"), "{problem:?}");
        scene.instance.clock.advance_seconds(MINUTE);
    }
    assert_eq!(documents.requests(), 0);
}

/// The name is looked up once for each document: the address that was checked is the one that is read from.
async fn a_name_that_leads_elsewhere_later_is_checked_again(database: Database) {
    let documents = Documents::start().await;
    let (fine, forbidden) = ("127.0.0.1", "127.0.0.2");
    let answers = [fine, forbidden].map(|one| vec![one.parse().unwrap()]);
    let only_fine = |address: IpAddr| address == IpAddr::from([127, 0, 0, 1]);
    let rebinding = egress(Names::new(answers), only_fine);
    let scene = Scene::of(Box::new(
        Instance::open_under(&database, under(Some(rebinding))).await,
    ))
    .await;
    let (one, other) = (documents.url(PATH), documents.url("/other.json"));
    for id in [&one, &other] {
        let path = id.rsplit_once('/').unwrap().1;
        documents.on(&format!("/{path}"), Reply::Text(document(id, "Claude")));
    }
    assert!(matches!(asked(&scene, &one).await, Asked::Fine(_)));
    let problem = problem(&scene, &other).await;
    assert!(problem.message.contains("no public address"), "{problem:?}");
    assert_eq!(documents.requests(), 1);
}

async fn a_redirect_to_a_neighbour_is_not_followed(database: Database) {
    let documents = Documents::start().await;
    let neighbour = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let id = documents.url(PATH);
    neighbour.on(PATH, Reply::Text(document(&id, "Claude")));
    for to in [
        neighbour.url(PATH),
        format!("https://127.0.0.1:{}{PATH}", neighbour.port()),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        documents.on(PATH, Reply::Redirect(to));
        assert!(problem(&scene, &id).await.message.contains("302"));
        scene.instance.clock.advance_seconds(MINUTE);
    }
    assert_eq!(neighbour.requests(), 0);
}

/// Whoever waits for a document holds nobody else up, and is told after five seconds.
async fn a_document_that_is_too_slow_is_given_up(database: Database) {
    let documents = Documents::start().await;
    let scene = scene(&database, &documents).await;
    let (silent, quick) = (documents.url(PATH), documents.url("/quick.json"));
    documents.on(PATH, Reply::Silence);
    documents.on("/quick.json", Reply::Text(document(&quick, "Quick")));
    let begun = Instant::now();
    let (problem, other) = tokio::join!(problem(&scene, &silent), async {
        let asked = asked(&scene, &quick).await;
        (asked, begun.elapsed())
    });
    assert!(problem.message.contains("5 seconds"), "{problem:?}");
    assert!(begun.elapsed() >= egress::TIME);
    assert!(matches!(other.0, Asked::Fine(_)), "{other:?}");
    assert!(other.1 < egress::TIME, "{other:?}");
    // Now that its server answers, it is read.
    scene.instance.clock.advance_seconds(MINUTE);
    documents.on(PATH, Reply::Text(document(&silent, "Claude")));
    assert!(matches!(asked(&scene, &silent).await, Asked::Fine(_)));
}

async fn without_internet_clients_register(database: Database) {
    let scene = Scene::of(Box::new(Instance::open_under(&database, under(None)).await)).await;
    let problem = problem(&scene, "https://app.example/client.json").await;
    assert!(problem.cure.contains("register"), "{problem:?}");
    let server = scene.instance.oauth.server(None);
    assert!(!server.takes_client_documents);
    assert_eq!(server.issuer, "https://muster.example");
}

test_postgres::on_both_engines!(prepare: migrate;
    a_client_introduces_itself_by_a_document,
    a_document_that_prefers_keys_is_taken_if_it_lists_none,
    a_document_counts_for_a_day_and_a_failure_for_a_minute,
    an_older_document_counts_while_its_server_is_away,
    nobody_has_many_documents_read,
    a_document_that_is_wrong_is_not_trusted,
    nothing_is_read_from_this_machine_or_its_neighbours,
    a_name_that_leads_elsewhere_later_is_checked_again,
    a_redirect_to_a_neighbour_is_not_followed,
    a_document_that_is_too_slow_is_given_up,
    without_internet_clients_register,
);
