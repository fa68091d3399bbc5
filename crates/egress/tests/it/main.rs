//! What a stranger's URL can make this machine do.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod endpoint;
mod post;

use std::net::{IpAddr, Ipv4Addr};

use egress::{Document, Egress, Error, MAX_BYTES};
use test_documents::{Documents, HOST, Names, Reply, egress};
use url::Url;

const PATH: &str = "/client.json";

async fn fetch(egress: &Egress, url: &str) -> Result<Document, Error> {
    egress.fetch(&Url::parse(url).unwrap()).await
}

fn names(addresses: &[&str]) -> Names {
    Names::new([addresses.iter().map(|one| one.parse().unwrap()).collect()])
}

#[tokio::test]
async fn a_document_is_read_with_the_time_that_it_may_be_kept() {
    let documents = Documents::start().await;
    documents.on(PATH, Reply::Cached("{}".to_owned(), "max-age=60"));
    let read = fetch(&documents.egress(), &documents.url(PATH))
        .await
        .unwrap();
    assert_eq!(read.text, "{}");
    assert_eq!(read.max_age.map(|age| age.as_secs()), Some(60));
}

#[tokio::test]
async fn no_address_but_a_public_one_is_connected_to() {
    let documents = Documents::start().await;
    documents.on(PATH, Reply::Text("{}".to_owned()));
    let port = documents.port();
    // As literals, which no resolver sees, in all of their spellings.
    let public = egress(names(&["127.0.0.1"]), egress::is_public);
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "[fd00:ec2::254]",
        // As a name.
        HOST,
        "localhost",
    ] {
        let url = format!("https://{host}:{port}{PATH}");
        assert_eq!(fetch(&public, &url).await, Err(Error::Address), "{host}");
    }
    // Of several addresses all must be public: which one is tried first is chance.
    let mixed = egress(names(&["1.1.1.1", "127.0.0.1"]), egress::is_public);
    let mixed = fetch(&mixed, &documents.url(PATH)).await;
    assert_eq!(mixed, Err(Error::Address));
    let nobody = egress(names(&[]), egress::is_public);
    let nobody = fetch(&nobody, &documents.url(PATH)).await;
    assert_eq!(nobody, Err(Error::Address));
    assert_eq!(documents.requests(), 0);
}

/// The name is looked up once: the address that was checked is the one that is connected to.
#[tokio::test]
async fn a_name_that_leads_elsewhere_after_the_check_changes_nothing() {
    let documents = Documents::start().await;
    documents.on(PATH, Reply::Text("{}".to_owned()));
    let fine: IpAddr = Ipv4Addr::LOCALHOST.into();
    let forbidden: IpAddr = Ipv4Addr::new(127, 0, 0, 2).into();
    let only_fine = |address: IpAddr| address == IpAddr::from(Ipv4Addr::LOCALHOST);
    let rebinding = egress(Names::new([vec![fine], vec![forbidden]]), only_fine);
    assert!(fetch(&rebinding, &documents.url(PATH)).await.is_ok());
    let second = fetch(&rebinding, &documents.url(PATH)).await;
    assert_eq!(second, Err(Error::Address));
    assert_eq!(documents.requests(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let documents = Documents::start().await;
    documents.on("/moved", Reply::Redirect(documents.url(PATH)));
    documents.on(PATH, Reply::Text("{}".to_owned()));
    let moved = fetch(&documents.egress(), &documents.url("/moved")).await;
    assert_eq!(moved, Err(Error::Status(302)));
    assert_eq!(documents.requests(), 1);
}

#[tokio::test]
async fn an_answer_that_is_too_large_or_none_is_refused() {
    let documents = Documents::start().await;
    let egress = documents.egress();
    documents.on("/full", Reply::Text("a".repeat(MAX_BYTES)));
    documents.on("/large", Reply::Text("a".repeat(MAX_BYTES + 1)));
    assert!(fetch(&egress, &documents.url("/full")).await.is_ok());
    let large = fetch(&egress, &documents.url("/large")).await;
    assert_eq!(large, Err(Error::Text));
    let missing = fetch(&egress, &documents.url("/missing")).await;
    assert_eq!(missing, Err(Error::Status(404)));
}

/// The clock is the test's, so nobody waits.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_is_given_up_on() {
    let documents = Documents::start().await;
    documents.on(PATH, Reply::Silence);
    let slow = fetch(&documents.egress(), &documents.url(PATH)).await;
    assert_eq!(slow, Err(Error::Slow));
}

#[tokio::test]
async fn only_https_with_a_certificate_of_the_host_is_trusted() {
    let documents = Documents::start().await;
    documents.on(PATH, Reply::Text("{}".to_owned()));
    let egress = documents.egress();
    let port = documents.port();
    let plain = fetch(&egress, &format!("http://{HOST}:{port}{PATH}")).await;
    assert_eq!(plain, Err(Error::Url));
    let another = fetch(&egress, &format!("https://evil.example:{port}{PATH}")).await;
    assert_eq!(another, Err(Error::Connection));
    let stranger = Egress::public().unwrap();
    let stranger = fetch(&stranger, "https://127.0.0.1/client.json").await;
    assert_eq!(stranger, Err(Error::Address));
    assert_eq!(documents.requests(), 0);
}
