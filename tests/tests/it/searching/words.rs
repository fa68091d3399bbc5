//! Searching by words: where they are looked for, and of which scripts.

use domain::plan::Plan;
use serde_json::json;
use tests::Api;

use super::finds;

async fn words_are_looked_for_in_title_description_location_and_city(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .publish_new(json!({
            "title": "Größtes Café-Treffen", "description": "Zwei Vorträge,\nein offener Tisch.",
            "location": "Straße 12", "city": "Łódź",
        }))
        .await;
    owner.publish_new(json!({"title": "Something else"})).await;
    for q in [
        "Größtes",
        "grosstes",
        "CAFE",
        "café",
        "treffen",
        "tref",
        "vortrage",
        "tisch zwei",
        "strasse",
        "12",
        "lodz",
        "LÓDŹ caf",
        "offener, tisch!",
        "\"zwei\" (tisch)",
    ] {
        assert!(finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
    for q in ["treff caf", "reffen", "größtes else", "tische", "1 2 12 13"] {
        assert!(!finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
}

async fn texts_of_every_script_are_searched(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .publish_new(json!({
            "title": "東京都のRust勉強会 🎉 İSTANBUL", "description": "مُحَمَّد و أحمد\nงานวิ่งกรุงเทพ\n한국어 모임",
            "location": "Cafe\u{301} “NEAR OR NOT”", "city": "東京",
        }))
        .await;
    for q in [
        "東京",
        "京都",
        "都",
        "勉強",
        "rust 東京",
        "محمد",
        "احمد",
        "วิ่ง",
        "กรุงเทพ",
        "한국",
        "istanbul",
        "ıstanbul",
        "CAFÉ",
        "near or not",
        "\"NEAR\"",
        "NEAR(near, or)",
        "near*",
        "-near +or",
        "not:near",
        "{near} ^or",
        "'or'",
        "near & or | !not",
        "near:* <-> or",
        "near\\",
        "🎉 rust",
        "%near_",
        "near\n\u{0}or",
    ] {
        assert!(finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
    for q in [
        "京東",
        "大阪",
        "หิว",
        "near and",
        "rust*ic",
        "AND",
        "nea OR near",
    ] {
        assert!(!finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
    assert!(finds(&api, json!({"city": "東京"}), &event).await);
    assert!(!finds(&api, json!({"city": "東"}), &event).await);
}

tests::on_every_surface!(
    words_are_looked_for_in_title_description_location_and_city,
    texts_of_every_script_are_searched,
);
