//! Each provider is asked as it wants to be, and credited.

use covers::stock::{Error, Provider, Stock, StockCover, StockSettings};
use serde_json::{Value, json};
use test_photos::{Reply, Server, answers, assert_is_cover, jpeg, png};

use super::{KEY, parts, stock};

const WORDS: &str = "crab & <keyboard> 蟹";

/// How the words stand in an address.
const WORDS_IN_URL: &str = "crab+%26+%3Ckeyboard%3E+%E8%9F%B9";

async fn found(provider: Provider, server: &Server) -> StockCover {
    let cover = stock(provider, server).find(WORDS).await.unwrap().unwrap();
    assert_is_cover(&cover.jpeg);
    cover
}

#[tokio::test]
async fn openverse_is_asked_for_open_licences_and_hands_out_the_picture_itself() {
    let server = Server::start().await;
    let works = answers::openverse(&[answers::openverse_work(&server, answers::WORK)]);
    let thumb = format!("/v1/images/{}/thumb/", answers::WORK);
    server.on("/v1/images/?", Reply::json(&works));
    server.on(&thumb, Reply::picture(jpeg(1600, 900)));
    let cover = found(Provider::Openverse, &server).await;
    assert_eq!(
        parts(&cover.credit),
        "Tree Bark Photo <> | Tim Sullivan <https://www.secretagencygroup.com> | stocksnap by Openverse \
         <https://stocksnap.io/photo/XNVBVXO3B7> | CC BY 2.0 <https://creativecommons.org/licenses/by/2.0/>"
    );
    assert_eq!(
        server.targets(),
        [
            format!(
                "/v1/images/?q={WORDS_IN_URL}&license=cc0%2Cpdm%2Cby&aspect_ratio=wide&extension=jpg%2Cjpeg%2Cpng\
                 &mature=false&page_size=10"
            ),
            format!("{thumb}?full_size=true&compressed=true"),
        ]
    );
    let seen = server.seen();
    assert!(seen[0].header("user-agent").unwrap().starts_with("Muster/"));
    assert!(
        seen.iter()
            .all(|request| request.header("authorization").is_none())
    );
}

#[tokio::test]
async fn unsplash_gets_its_key_and_hears_of_the_photograph_that_is_used() {
    let server = Server::start().await;
    let photos = answers::unsplash(&[answers::unsplash_photo(&server)]);
    server.on("/search/photos", Reply::json(&photos));
    server.on("/photo-1416", Reply::picture(jpeg(1200, 630)));
    server.on("/photos/", Reply::json(&json!({"url": "https://…"})));
    let cover = found(Provider::Unsplash, &server).await;
    assert_eq!(
        parts(&cover.credit),
        " <> | Jeff Sheldon <http://unsplash.com/@ugmonk?utm_source=muster&utm_medium=referral> | Unsplash \
         <http://unsplash.com/photos/eOLpJytrbsQ?utm_source=muster&utm_medium=referral> | Unsplash License \
         <https://unsplash.com/license>"
    );
    assert_eq!(
        server.targets(),
        [
            format!(
                "/search/photos?query={WORDS_IN_URL}&orientation=landscape&content_filter=high&per_page=10"
            ),
            "/photo-1416339306562-f3d12fefd36f?ixid=M3w&w=1200&h=630&fit=crop&fm=jpg&q=90"
                .to_owned(),
            "/photos/eOLpJytrbsQ/download?ixid=M3w".to_owned(),
        ]
    );
    let seen = server.seen();
    let client_id = format!("Client-ID {KEY}");
    assert_eq!(seen[0].header("authorization"), Some(client_id.as_str()));
    assert_eq!(seen[0].header("accept-version"), Some("v1"));
    assert_eq!(seen[1].header("authorization"), None);
    assert_eq!(seen[2].header("authorization"), Some(client_id.as_str()));
}

#[tokio::test]
async fn pexels_gets_its_key_and_its_credit() {
    let server = Server::start().await;
    let photos = answers::pexels(&[answers::pexels_photo(&server)]);
    server.on("/v1/search", Reply::json(&photos));
    server.on("/photos/", Reply::picture(png(1200, 627)));
    let cover = found(Provider::Pexels, &server).await;
    assert_eq!(
        parts(&cover.credit),
        " <> | Lukas Rodriguez <https://www.pexels.com/@lukas-rodriguez-1845331> | Pexels \
         <https://www.pexels.com/photo/trees-during-day-3573351/> | Pexels License <https://www.pexels.com/license/>"
    );
    assert_eq!(
        server.targets(),
        [
            format!("/v1/search?query={WORDS_IN_URL}&orientation=landscape&per_page=10"),
            "/photos/3573351/pexels-photo-3573351.png?auto=compress&cs=tinysrgb&fit=crop&h=627&w=1200".to_owned(),
        ]
    );
    let seen = server.seen();
    assert_eq!(seen[0].header("authorization"), Some(KEY));
    assert_eq!(seen[1].header("authorization"), None);
}

#[tokio::test]
async fn no_picture_for_the_words_is_no_failure() {
    for (provider, path, answer) in [
        (Provider::Openverse, "/v1/images/", answers::openverse(&[])),
        (Provider::Unsplash, "/search/photos", answers::unsplash(&[])),
        (Provider::Pexels, "/v1/search", answers::pexels(&[])),
    ] {
        let server = Server::start().await;
        server.on(path, Reply::json(&answer));
        let found = stock(provider, &server).find("crab").await;
        assert!(found.unwrap().is_none(), "{provider}");
    }
}

/// Openverse's answer with one field of its work changed, in front of a work that will do.
async fn passed_over(field: &str, value: Value) {
    const GOOD: &str = "00000000-0000-4000-8000-000000000000";
    let server = Server::start().await;
    let mut odd = answers::openverse_work(&server, answers::WORK);
    odd[field] = value.clone();
    let works = answers::openverse(&[odd, answers::openverse_work(&server, GOOD)]);
    server.on("/v1/images/?", Reply::json(&works));
    server.on("/v1/images/", Reply::picture(jpeg(1200, 630)));
    server.on("/v1/images/?", Reply::json(&works));
    let stock = stock(Provider::Openverse, &server);
    stock.find("crab").await.unwrap().unwrap();
    let fetched = server.targets().pop().unwrap();
    assert!(fetched.contains(GOOD), "{field} = {value}: {fetched}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn works_that_may_not_be_cropped_or_look_odd_are_passed_over() {
    for license in [
        "by-nd",
        "by-nc",
        "by-nc-nd",
        "by-sa",
        "sampling+",
        "",
        "BY",
        "<b>",
    ] {
        passed_over("license", json!(license)).await;
    }
    passed_over("license", json!(null)).await;
    passed_over("id", json!("../../v1/auth_tokens/register")).await;
    passed_over("id", json!(7)).await;
    passed_over("width", json!(300)).await;
    passed_over("height", json!(2_000_000_000)).await;
    passed_over("title", json!(["a list"])).await;
}

#[test]
fn a_provider_that_needs_a_key_says_so_before_anything_is_served() {
    for provider in [Provider::Unsplash, Provider::Pexels] {
        for (key, problem) in [(None, "set --covers-key"), (Some("a\nb"), "one line")] {
            let refused = Stock::new(StockSettings {
                provider,
                key: key.map(Into::into),
                url: None,
            });
            let Err(Error::Settings(text)) = refused else {
                panic!("{refused:?}")
            };
            assert!(text.contains(problem), "{text}");
        }
    }
    let keyless = StockSettings {
        provider: Provider::Openverse,
        key: None,
        url: None,
    };
    assert!(Stock::new(keyless).is_ok());
}
