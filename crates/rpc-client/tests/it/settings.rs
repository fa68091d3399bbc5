use clap::Parser;
use rpc_client::CoreSettings;

#[derive(Debug, Parser)]
struct Settings {
    #[command(flatten)]
    core: CoreSettings,
}

#[tokio::test]
async fn addresses_of_every_kind_are_read() {
    for url in [
        "http://127.0.0.1:50051",
        "http://core:50051/",
        "http://[::1]:50051",
        "http://a:1,http://b:2",
        "unix:///run/muster/core.sock",
    ] {
        Settings::try_parse_from(["edge", "--core-url", url])
            .unwrap()
            .core
            .client()
            .unwrap();
    }
}

#[test]
fn other_addresses_are_refused() {
    for url in [
        "",
        "core:50051",
        "http://core",
        "ftp://core:1",
        "http://core:1/path",
        "http://core:1?x",
        "unix://relative",
        "http://a:1,https://b:2",
        "http://a:1,",
    ] {
        let error = Settings::try_parse_from(["edge", "--core-url", url]).unwrap_err();
        assert!(error.to_string().contains("must be "), "{url}: {error}");
    }
}

#[test]
fn everything_that_tls_lacks_is_reported_at_once() {
    let settings = Settings::try_parse_from([
        "edge",
        "--core-url",
        "https://core:1",
        "--core-cert",
        "/none",
    ])
    .unwrap();
    let Err(failure) = settings.core.client() else {
        panic!("these settings are wrong");
    };
    assert_eq!(
        (failure.code(), failure.to_string().lines().count()),
        (64, 3),
        "{failure}"
    );
}

#[test]
fn certificates_that_cannot_be_used_are_refused_at_the_start() {
    let tls = |file: &str| format!("{}/tests/it/tls/{file}", env!("CARGO_MANIFEST_DIR"));
    for (ca, cert, key) in [
        ("edge.key", "edge.pem", "edge.key"),
        ("ca.pem", "edge.key", "edge.key"),
        ("ca.pem", "edge.pem", "ca.pem"),
        ("ca.pem", "edge.pem", "core.key"),
    ] {
        let (ca, cert, key) = (tls(ca), tls(cert), tls(key));
        let settings = crate::core::settings(&[
            "--core-url",
            "https://core:1",
            "--core-ca",
            &ca,
            "--core-cert",
            &cert,
            "--core-key",
            &key,
        ]);
        let Err(failure) = settings.client() else {
            panic!("{ca}, {cert} and {key} cannot be used");
        };
        assert_eq!(failure.code(), 64, "{failure}");
    }
}

const TOKEN: &str = "--edge-token=0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn an_edge_needs_a_proof_and_a_client_none() {
    let tls = |file: &str| format!("{}/tests/it/tls/{file}", env!("CARGO_MANIFEST_DIR"));
    let certificate = [
        format!("--core-ca={}", tls("ca.pem")),
        format!("--core-cert={}", tls("edge.pem")),
        format!("--core-key={}", tls("edge.key")),
    ];
    let certificate = certificate.iter().map(String::as_str);
    let proofs: [(&str, Vec<&str>); 4] = [
        ("http://core:1", vec![TOKEN]),
        ("unix:///run/core.sock", vec![TOKEN]),
        ("https://core:1", certificate.clone().collect()),
        (
            "https://core:1",
            certificate.clone().chain([TOKEN]).collect(),
        ),
    ];
    for (url, proof) in proofs {
        crate::core::settings(&[&["--core-url", url], &proof[..]].concat())
            .edge()
            .unwrap();
    }
    let no_proofs: [(&str, Vec<&str>); 3] = [
        ("http://core:1", vec![]),
        ("unix:///run/core.sock", vec![]),
        // Nobody sees it.
        ("http://core:1", certificate.collect()),
    ];
    for (url, none) in no_proofs {
        let settings = crate::core::settings(&[&["--core-url", url], &none[..]].concat());
        let Err(failure) = settings.edge() else {
            panic!("{url} {none:?} proves nothing");
        };
        assert_eq!(failure.code(), 64);
        let text = failure.to_string();
        assert!(text.contains("--edge-token (MUSTER_EDGE_TOKEN)"), "{text}");
        assert!(text.contains("--core-cert"), "{text}");
        settings.client().unwrap();
    }
}

#[test]
fn a_token_that_is_too_short_or_more_than_one_is_refused_and_not_shown() {
    for (token, problem) in [
        ("0123456789abcdef", "at least 32"),
        (
            "0123456789abcdef0123456789abcdef,0123456789abcdef0123456789abcdef",
            "commas",
        ),
        ("0123456789abcdef 0123456789abcdef", "visible ASCII"),
    ] {
        let token = format!("--edge-token={token}");
        let failure =
            server::settings::parse_from::<Settings>(vec!["edge".into(), token.into()], |_| None);
        let text = failure.unwrap_err().to_string();
        assert!(text.contains(problem), "{text}");
        assert!(!text.contains("0123456789abcdef"), "{text}");
    }
}
