use std::fmt::Write;

use serde_json::json;

use crate::client::{GOOD, Gateway, JSON, LAMP};

const MIB: usize = 1 << 20;

#[tokio::test]
async fn a_json_body_becomes_the_message() {
    let gateway = Gateway::start().await;
    let body = json!({"title": "ü🎉", "count": 5, "flag": true, "parts": [{"label": "a", "options": ["x"]}], "query": null});
    let reply = gateway.post("/api/v1/things", body.to_string()).await;
    assert_eq!(reply.json()["rpc"], "CreateThing");
    assert_eq!(reply.json()["thing"]["parts"], body["parts"]);
    assert_eq!(reply.json()["thing"]["title"], "ü🎉");
    assert_eq!(reply.json()["thing"]["query"], json!(null));
}

/// Each body, and what its one detail says.
const FAULTS: &[(&str, &str)] = &[
    // Not JSON.
    (
        "x",
        "body: is not valid JSON: expected value at line 1 column 1",
    ),
    (
        "{\"title\":}",
        "body: is not valid JSON: expected value at line 1 column 10",
    ),
    (
        "{'title':1}",
        "body: is not valid JSON: key must be a string at line 1 column 2",
    ),
    (
        "{\"title\":\"a\",}",
        "body: is not valid JSON: trailing comma at line 1 column 14",
    ),
    (
        "{} {}",
        "body: is not valid JSON: trailing characters at line 1 column 4",
    ),
    ("{\"title\":\"a", "body: ends too early: line 1, column 11"),
    ("{", "body: ends too early: line 1, column 1"),
    (
        "{\"count\":01}",
        "body: is not valid JSON: invalid number at line 1 column 11",
    ),
    (
        "{\"count\":NaN}",
        "body: is not valid JSON: expected value at line 1 column 10",
    ),
    (
        "{\"title\":\"\\ud800\"}",
        "body: is not valid JSON: unexpected end of hex escape at line 1 column 17",
    ),
    (
        "{\"title\":\"a\nb\"}",
        "body: is not valid JSON: control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0",
    ),
    // Not an object.
    ("[]", "body: must be an object, is an array"),
    ("null", "body: must be an object, is null"),
    ("\"{}\"", "body: must be an object, is a string"),
    // Wrong types.
    ("{\"title\":5}", "title: must be a string, is a number"),
    ("{\"title\":null}", "title: must be a string, is null"),
    ("{\"title\":{}}", "title: must be a string, is an object"),
    (
        "{\"flag\":\"true\"}",
        "flag: must be true or false, is a string",
    ),
    ("{\"flag\":1}", "flag: must be true or false, is a number"),
    (
        "{\"count\":\"5\"}",
        "count: must be an integer from -2147483648 to 2147483647, is a string",
    ),
    (
        "{\"count\":2147483648}",
        "count: must be an integer from -2147483648 to 2147483647",
    ),
    (
        "{\"count\":1e999}",
        "body: is not valid JSON: number out of range at line 1 column 14",
    ),
    (
        "{\"count\":5.5}",
        "count: must be an integer from -2147483648 to 2147483647",
    ),
    ("{\"parts\":{}}", "parts: must be an array, is an object"),
    (
        "{\"parts\":[{\"label\":\"a\"},5]}",
        "parts[1]: must be an object, is a number",
    ),
    (
        "{\"parts\":[{\"label\":\"a\"},{\"label\":true}]}",
        "parts[1].label: must be a string, is a boolean",
    ),
    (
        "{\"parts\":[{\"options\":[\"a\",null]}]}",
        "parts[0].options[1]: must be a string, is null",
    ),
    // The first fault is told.
    ("{\"title\":5,}", "title: must be a string, is a number"),
    // Unknown and repeated fields.
    (
        "{\"titel\":\"a\"}",
        "titel: is not known here; the fields are id, title, count, flag, parts, query",
    ),
    (
        "{\"parts\":[{\"name\":\"a\"}]}",
        "parts[0].name: is not known here; the fields are label, options",
    ),
    (
        "{\"\":1}",
        "\"\": is not known here; the fields are id, title, count, flag, parts, query",
    ),
    (
        "{\"title\":\"a\",\"title\":\"b\"}",
        "title: is given more than once",
    ),
];

#[tokio::test]
async fn what_is_wrong_with_a_body_is_reported_by_field_in_plain_words() {
    let gateway = Gateway::start().await;
    for (body, expected) in FAULTS {
        let reply = gateway.post("/api/v1/things", body).await;
        reply.error(400, "INVALID_REQUEST");
        // What else is wrong with it follows.
        assert_eq!(
            reply.details().first().map(String::as_str),
            Some(*expected),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_refused() {
    let gateway = Gateway::start().await;
    for body in [
        &b"{\"title\":\"\xff\"}"[..],
        b"\xff\xfe{\0}\0",
        b"{\"title\":\"\xc3\x28\"}",
    ] {
        let reply = gateway.post("/api/v1/things", body).await;
        reply.error(400, "INVALID_REQUEST");
        assert_eq!(reply.details(), ["body: is not UTF-8"]);
    }
}

#[tokio::test]
async fn deep_nesting_is_refused_without_harm() {
    let gateway = Gateway::start().await;
    let deep =
        |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    for body in [
        deep("[", "]"),
        deep("{\"parts\":", "}"),
        format!("{{\"title\":{}}}", deep("[", "]")),
        "[".repeat(500_000),
    ] {
        gateway
            .post("/api/v1/things", body)
            .await
            .error(400, "INVALID_REQUEST");
    }
}

#[tokio::test]
async fn a_body_may_have_a_mebibyte_and_no_more() {
    let gateway = Gateway::start().await;
    let body = |length: usize| {
        format!(
            "{{\"title\":\"{}\"}}",
            "x".repeat(length - "{\"title\":\"\"}".len())
        )
    };
    assert_eq!(gateway.post("/api/v1/things", body(MIB)).await.status, 200);
    let reply = gateway.post("/api/v1/things", body(MIB + 1)).await;
    assert_eq!(
        reply.error(413, "PAYLOAD_TOO_LARGE"),
        "the body is larger than 1048576 bytes"
    );
    gateway
        .post("/api/v1/things", body(3 * MIB))
        .await
        .error(413, "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn a_body_of_unsaid_length_is_counted_as_it_comes() {
    let gateway = Gateway::start().await;
    let send = async |length: usize| {
        let mut request = format!(
            "POST /api/v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{GOOD}\r\n{JSON}\r\n\
             Transfer-Encoding: chunked\r\n\r\n"
        );
        let body = format!(
            "{{\"title\":\"{}\"}}",
            "x".repeat(length - "{\"title\":\"\"}".len())
        );
        for chunk in body.as_bytes().chunks(100_000) {
            let text = std::str::from_utf8(chunk).unwrap();
            write!(request, "{:x}\r\n{text}\r\n", chunk.len()).unwrap();
        }
        request.push_str("0\r\n\r\n");
        gateway.raw(request.as_bytes()).await
    };
    assert_eq!(send(MIB).await.status, 200);
    send(MIB + 1).await.error(413, "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn a_client_that_waits_is_not_asked_for_a_body_that_is_too_large() {
    let gateway = Gateway::start().await;
    let request = format!(
        "POST /api/v1/things HTTP/1.1\r\nHost: x\r\n{GOOD}\r\n{JSON}\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\r\n"
    );
    gateway
        .raw(request.as_bytes())
        .await
        .error(413, "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn only_json_is_taken() {
    let gateway = Gateway::start().await;
    let send = async |content_type: &str| {
        gateway
            .send("POST", "/api/v1/things", &[GOOD, content_type], LAMP)
            .await
    };
    for good in [
        "Content-Type: application/json",
        "Content-Type: APPLICATION/JSON; charset=UTF-8",
        "Content-Type: application/json;charset=\"utf-8\"",
        "Content-Type: application/json; profile=x",
    ] {
        assert_eq!(send(good).await.status, 200, "{good}");
    }
    for bad in [
        "X-No: content-type",
        "Content-Type:",
        "Content-Type: text/plain",
        "Content-Type: application/json-patch+json",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Type: application/json; charset=latin1",
        "Content-Type: application/json\r\nContent-Encoding: gzip",
    ] {
        send(bad).await.error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    assert_eq!(
        gateway.toy.count(),
        4 + 7,
        "four calls, and a look at the credential for each of the others"
    );
}

#[tokio::test]
async fn a_required_body_has_to_be_there() {
    let gateway = Gateway::start().await;
    let reply = gateway.post("/api/v1/things", "").await;
    reply.error(400, "INVALID_REQUEST");
    assert_eq!(reply.details(), ["body: is required, as JSON"]);
    assert_eq!(
        gateway.post("/api/v1/things", " \n").await.details(),
        ["body: ends too early: line 2, column 0"]
    );
}

#[tokio::test]
async fn an_optional_body_may_be_left_out_whatever_its_type() {
    let gateway = Gateway::start().await;
    let path = "/api/v1/me/things/1/cancel";
    for headers in [
        &[GOOD][..],
        &[GOOD, JSON],
        &[GOOD, "Content-Type: text/plain"],
        &[GOOD, "Content-Length: 0"],
    ] {
        let reply = gateway.send("POST", path, headers, b"").await;
        assert_eq!(
            (reply.status, &reply.json()["thing"]["id"]),
            (200, &json!("1")),
            "{headers:?}"
        );
    }
    let reply = gateway.post(path, r#"{"title":"why"}"#).await;
    assert_eq!(
        (
            &reply.json()["thing"]["id"],
            &reply.json()["thing"]["title"]
        ),
        (&json!("1"), &json!("why"))
    );
    gateway
        .send("POST", path, &[GOOD], b"{}")
        .await
        .error(415, "UNSUPPORTED_MEDIA_TYPE");
    gateway
        .post(path, "null")
        .await
        .error(400, "INVALID_REQUEST");
}

#[tokio::test]
async fn a_method_without_a_body_takes_at_most_an_empty_object() {
    let gateway = Gateway::start().await;
    let path = "/api/v1/me/things/1/publish";
    for body in ["", "{}", " {}\n"] {
        assert_eq!(gateway.post(path, body).await.status, 200, "{body:?}");
    }
    assert_eq!(
        gateway.post(path, r#"{"title":"x"}"#).await.details(),
        ["body: must be empty here"]
    );
}

#[tokio::test]
async fn a_field_that_the_path_sets_is_not_taken_from_the_body() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .post("/api/v1/me/things/1/cancel", r#"{"id":"2"}"#)
        .await;
    reply.error(400, "INVALID_REQUEST");
    assert_eq!(
        reply.details(),
        ["id: is not known here: it is part of the path"]
    );
    let reply = gateway
        .post("/api/v1/me/things/1/cancel", r#"{"name":"2"}"#)
        .await;
    assert_eq!(
        reply.details(),
        ["name: is not known here; the fields are title"]
    );
}

#[tokio::test]
async fn a_partial_update_is_reported_which_fields_were_there() {
    let gateway = Gateway::start().await;
    let body = br#"{"title":"a","count":null}"#;
    let reply = gateway
        .send("PATCH", "/api/v1/me/things/1", &[GOOD, JSON], body)
        .await;
    assert_eq!(reply.json()["changed"], json!(["title", "count"]));
    assert_eq!(reply.json()["thing"]["id"], "1");
    let reply = gateway
        .send("PATCH", "/api/v1/me/things/1", &[GOOD, JSON], b"{}")
        .await;
    assert_eq!(reply.json()["changed"], json!([]));
    let reply = gateway
        .send(
            "PATCH",
            "/api/v1/me/things/1",
            &[GOOD, JSON],
            br#"{"changed":["title"]}"#,
        )
        .await;
    reply.error(400, "INVALID_REQUEST");
}
