//! What strangers' answers cannot do.

use std::time::Duration;

use covers::stock::{Error, Provider, Stock, StockCover, StockSettings};
use serde_json::{Value, json};
use test_photos::{Reply, Server, answers, assert_is_cover, jpeg, jpeg_bomb, png_bomb};

use super::{parts, stock};

/// Unsplash with two photographs, of which the second will do.
async fn two_photos(change: impl FnOnce(&mut Value)) -> (Server, Stock) {
    let server = Server::start().await;
    let mut first = answers::unsplash_photo(&server);
    first["urls"]["raw"] = json!(format!("{}/first", server.url()));
    change(&mut first);
    let photos = answers::unsplash(&[first, answers::unsplash_photo(&server)]);
    server.on("/search/photos", Reply::json(&photos));
    server.on("/photo-", Reply::picture(jpeg(1200, 630)));
    server.on("/photos/", Reply::json(&json!({})));
    let stock = stock(Provider::Unsplash, &server);
    (server, stock)
}

#[track_caller]
fn assert_found(found: Result<Option<StockCover>, Error>) {
    assert_is_cover(&found.unwrap().unwrap().jpeg);
}

#[tokio::test]
async fn what_is_no_picture_is_passed_over_whatever_it_is_called() {
    const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"630\"/>";
    let whole = jpeg(1200, 630);
    let bad: [(&str, Reply); 11] = [
        ("HTML", Reply::picture(b"<!doctype html><h1>sorry".to_vec())),
        ("SVG", Reply::picture(SVG.to_vec())),
        ("GIF", Reply::picture(b"GIF89a\x01\0\x01\0".to_vec())),
        ("nothing", Reply::picture(Vec::new())),
        (
            "half a picture",
            Reply::picture(whole[..whole.len() / 2].to_vec()),
        ),
        ("a beginning", Reply::picture(vec![0xff, 0xd8, 0xff])),
        ("too small", Reply::picture(jpeg(300, 200))),
        ("a PNG bomb", Reply::picture(png_bomb())),
        ("a JPEG bomb", Reply::picture(jpeg_bomb())),
        ("too many bytes", Reply::picture(vec![0xff; 17_000_000])),
        ("bytes without end", Reply::Endless),
    ];
    for (name, reply) in bad {
        let (server, stock) = two_photos(|_| {}).await;
        server.on("/first", reply);
        let found = stock.find("crab").await;
        assert!(matches!(found, Ok(Some(_))), "{name}: {found:?}");
        assert!(server.targets()[1].starts_with("/first"), "{name}");
        assert!(server.targets()[2].starts_with("/photo-"), "{name}");
    }
}

#[tokio::test]
async fn pictures_elsewhere_are_not_fetched() {
    let elsewhere = Server::start().await;
    elsewhere.on("/", Reply::picture(jpeg(1200, 630)));
    let other_port = format!("{}/x.jpg", elsewhere.url());
    for address in [
        other_port.as_str(),
        "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://images.unsplash.com/photo-1",
        "https://images.unsplash.com:8443/photo-1",
        "https://images.unsplash.com@127.0.0.1/",
        "https://images.unsplash.com.example/photo-1",
        "data:image/jpeg;base64,AAAA",
        "ftp://images.unsplash.com/",
    ] {
        let (server, stock) = two_photos(|photo| photo["urls"]["raw"] = json!(address)).await;
        assert_found(stock.find("crab").await);
        assert_eq!(
            server.targets().len(),
            3,
            "{address}: search, second picture, report"
        );
    }
    let (server, stock) = two_photos(|photo| {
        let address = photo["urls"]["raw"].as_str().unwrap();
        photo["urls"]["raw"] = json!(address.replace("http://", "http://user:password@"));
    })
    .await;
    assert_found(stock.find("crab").await);
    assert_eq!(server.targets().len(), 3);
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn redirects_lead_nowhere_else() {
    let elsewhere = Server::start().await;
    elsewhere.on("/", Reply::picture(jpeg(1200, 630)));
    for to in [
        elsewhere.url().as_str(),
        "file:///etc/passwd",
        "http://localhost/",
        "gopher://x",
        "",
    ] {
        let (server, stock) = two_photos(|_| {}).await;
        server.on("/first", Reply::redirect(to));
        assert_found(stock.find("crab").await);
    }
    let (server, stock) = two_photos(|_| {}).await;
    server.on("/first", Reply::redirect("/first-again"));
    server.on("/first-again", Reply::redirect("/first"));
    assert!(stock.find("crab").await.unwrap().is_some(), "a circle ends");
    assert!(server.targets().len() < 10);

    let (server, stock) = two_photos(|_| {}).await;
    server.on("/search/photos", Reply::redirect(&elsewhere.url()));
    let refused = stock.find("crab").await;
    assert!(matches!(refused, Err(Error::Failed { .. })), "{refused:?}");
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn redirects_within_the_provider_are_followed() {
    let (server, stock) = two_photos(|_| {}).await;
    server.on("/first", Reply::redirect("/moved"));
    server.on("/moved", Reply::picture(jpeg(1300, 700)));
    assert_found(stock.find("crab").await);
    assert_eq!(server.targets()[2], "/moved");
}

#[tokio::test]
async fn the_key_goes_to_the_api_alone() {
    let elsewhere = Server::start().await;
    let (server, stock) = two_photos(|photo| {
        photo["links"]["download_location"] = json!(format!("{}/steal", elsewhere.url()));
    })
    .await;
    server.on("/first", Reply::picture(jpeg(1200, 630)));
    assert_found(stock.find("crab").await);
    assert!(elsewhere.seen().is_empty());
    let told = format!("{stock:?}");
    assert!(!told.contains(super::KEY), "{told}");
}

#[tokio::test]
async fn credits_are_lines_of_text() {
    let (server, stock) = two_photos(|photo| {
        photo["user"]["name"] = json!("<script>alert(1)</script>\r\nX-Evil: 1\u{202e}\u{0}");
        photo["user"]["links"]["html"] = json!("javascript:alert(1)");
        photo["links"]["html"] = json!(format!("https://unsplash.com/{}", "x".repeat(5_000)));
    })
    .await;
    server.on("/first", Reply::picture(jpeg(1200, 630)));
    let cover = stock.find("crab").await.unwrap().unwrap();
    assert_eq!(
        parts(&cover.credit),
        " <> | <script>alert(1)</script> X-Evil: 1 <> | Unsplash <> | Unsplash License <https://unsplash.com/license>"
    );
}

#[tokio::test]
async fn searches_that_go_wrong_may_go_well_later() {
    let huge = Reply::Full(200, Vec::new(), vec![b'['; 3_000_000]);
    let deep = Reply::Full(
        200,
        Vec::new(),
        format!("{{\"results\": {}", "[".repeat(100_000)).into_bytes(),
    );
    let html = Reply::Full(200, Vec::new(), b"<html>Please log in".to_vec());
    let cut = Reply::Cut(b"{\"results\": [".to_vec());
    for (name, reply) in [
        ("out of order", Reply::status(500)),
        ("bad gateway", Reply::status(502)),
        ("odd", Reply::status(304)),
        ("huge", huge),
        ("endless", Reply::Endless),
        ("deep", deep),
        ("HTML", html),
        ("cut", cut),
        ("a list", Reply::json(&json!([]))),
        ("a number", Reply::json(&json!({"results": 7}))),
        ("null", Reply::json(&json!(null))),
    ] {
        let (server, stock) = two_photos(|_| {}).await;
        server.on("/search/photos", reply);
        let failed = stock.find("secret words").await.unwrap_err();
        assert!(matches!(failed, Error::Failed { .. }), "{name}: {failed:?}");
        let text = failed.to_string();
        assert!(
            !text.contains("127.0.0.1") && !text.contains("secret"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn silence_and_slowness_have_an_end() {
    for reply in [Reply::Stalled, Reply::Dripping] {
        let (server, stock) = two_photos(|_| {}).await;
        server.on("/search/photos", reply);
        let stock = stock.with_time_limit(Duration::from_millis(200));
        let failed = stock.find("crab").await.unwrap_err();
        assert_eq!(
            failed.to_string(),
            "unsplash did not answer: took longer than 0.2 s"
        );
        assert!(matches!(failed, Error::Failed { .. }));
    }
}

#[tokio::test]
async fn nobody_there_is_a_failure_that_names_no_address() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let stock = Stock::new(StockSettings {
        provider: Provider::Openverse,
        key: None,
        url: Some(url),
    });
    let text = stock.unwrap().find("crab").await.unwrap_err().to_string();
    assert!(text.starts_with("openverse did not answer: "), "{text}");
    assert!(!text.contains("127.0.0.1"), "{text}");
}

#[tokio::test]
async fn statuses_say_whether_to_come_again() {
    let limited = |after: &str| Reply::Full(429, vec![("retry-after", after.to_owned())], vec![]);
    let wait = async |reply: Reply| {
        let (server, stock) = two_photos(|_| {}).await;
        server.on("/search/photos", reply);
        stock.find("crab").await.unwrap_err()
    };
    for (after, seconds) in [
        ("90", Some(90)),
        ("0", Some(0)),
        ("999999999", Some(86_400)),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("-5", None),
    ] {
        let error = wait(limited(after)).await;
        let expected = seconds.map(Duration::from_secs);
        assert!(
            matches!(&error, Error::Busy { wait, .. } if *wait == expected),
            "{after}: {error:?}"
        );
    }
    for status in [401, 403] {
        let error = wait(Reply::status(status)).await;
        assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    }
    for status in [400, 404, 422] {
        let error = wait(Reply::status(status)).await;
        assert!(matches!(error, Error::Rejected { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn one_picture_out_of_reach_does_not_hide_the_next() {
    for status in [403, 404, 410, 424, 500] {
        let (server, stock) = two_photos(|_| {}).await;
        server.on("/first", Reply::status(status));
        assert_found(stock.find("crab").await);
    }
    let (server, stock) = two_photos(|_| {}).await;
    server.on("/first", Reply::Cut(jpeg(1200, 630)));
    assert_found(stock.find("crab").await);
}

#[tokio::test]
async fn only_the_first_of_thousands_are_looked_at() {
    let server = Server::start().await;
    let photos = vec![json!({"urls": null}); 50_000];
    let photos: Vec<Value> = photos
        .into_iter()
        .chain([answers::unsplash_photo(&server)])
        .collect();
    server.on("/search/photos", Reply::json(&answers::unsplash(&photos)));
    let found = stock(Provider::Unsplash, &server).find("crab").await;
    assert!(found.unwrap().is_none());

    let good = vec![answers::unsplash_photo(&server); 500];
    server.on("/search/photos", Reply::json(&answers::unsplash(&good)));
    server.on("/photo-", Reply::picture(b"no picture".to_vec()));
    let found = stock(Provider::Unsplash, &server).find("crab").await;
    assert!(found.unwrap().is_none());
    assert!(server.seen().len() < 10, "{}", server.seen().len());
}
