use crate::client::{GOOD, Gateway, JSON};

#[tokio::test]
async fn path_parameters_are_percent_decoded() {
    let gateway = Gateway::start().await;
    for (text, decoded) in [
        ("plain-slug", "plain-slug"),
        ("a%20b", "a b"),
        ("a+b", "a+b"),
        ("%C3%BC%e2%82%ac", "ü€"),
        ("a%2Fb", "a/b"),
        ("%F0%9F%8E%89", "🎉"),
        ("..", ".."),
    ] {
        let reply = gateway.get(&format!("/api/v1/things/{text}")).await;
        assert_eq!(reply.json()["thing"]["id"], decoded, "{text}");
    }
}

#[tokio::test]
async fn a_path_parameter_that_cannot_be_decoded_is_a_400_that_names_it() {
    let gateway = Gateway::start().await;
    for (text, problem) in [
        (
            "%",
            "id: is not valid percent-encoding: % stands before two hex digits",
        ),
        (
            "%4",
            "id: is not valid percent-encoding: % stands before two hex digits",
        ),
        (
            "a%zzb",
            "id: is not valid percent-encoding: % stands before two hex digits",
        ),
        ("%ff", "id: is not UTF-8"),
        ("%C3%28", "id: is not UTF-8"),
    ] {
        let reply = gateway.get(&format!("/api/v1/things/{text}")).await;
        reply.error(400, "INVALID_REQUEST");
        assert_eq!(reply.details(), [problem], "{text}");
    }
    assert_eq!(gateway.toy.count(), 0);
}

#[tokio::test]
async fn query_parameters_are_decoded() {
    let gateway = Gateway::start().await;
    for (query, count, text) in [
        ("", None, None),
        ("?", None, None),
        ("?count=5", Some(5), None),
        ("?count=-5&query=a+b%26", Some(-5), Some("a b&")),
        ("?&query=&", None, Some("")),
        ("?query", None, Some("")),
        ("?%71uery=a=b", None, Some("a=b")),
    ] {
        let reply = gateway.get(&format!("/api/v1/things{query}")).await;
        let thing = &reply.json()["thing"];
        assert_eq!(
            (thing["count"].as_i64(), thing["query"].as_str()),
            (count, text),
            "{query}"
        );
    }
}

#[tokio::test]
async fn every_fault_of_a_query_is_reported_at_once() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .get("/api/v1/things?count=many&limit=1&query=a&query=b&%zz=1&query=%ff&=x")
        .await;
    reply.error(400, "INVALID_REQUEST");
    assert_eq!(
        reply.details(),
        [
            "count: must be an integer from -2147483648 to 2147483647",
            "limit: is not known here; the query parameters are count, query",
            "query: is given more than once",
            "%zz: is a parameter whose name is not valid percent-encoding of UTF-8",
            "query: is given more than once",
            "\"\": is not known here; the query parameters are count, query",
        ]
    );
}

#[tokio::test]
async fn a_value_that_cannot_be_read_is_a_400_that_names_the_parameter() {
    let gateway = Gateway::start().await;
    for value in [
        "",
        "1.5",
        "0x10",
        "2147483648",
        "%31%30%",
        "1e3",
        "+1",
        "%201",
    ] {
        let reply = gateway.get(&format!("/api/v1/things?count={value}")).await;
        reply.error(400, "INVALID_REQUEST");
        assert!(
            reply.details()[0].starts_with("count: "),
            "{value}: {:?}",
            reply.details()
        );
    }
}

#[tokio::test]
async fn a_method_with_a_body_takes_no_query() {
    let gateway = Gateway::start().await;
    let reply = gateway
        .send("POST", "/api/v1/things?count=1", &[GOOD, JSON], b"{}")
        .await;
    assert_eq!(
        reply.details(),
        ["count: is not known here; there are no query parameters"]
    );
}
