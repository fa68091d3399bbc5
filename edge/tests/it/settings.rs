use clap::Parser;
use edge::CoreSettings;

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
fn everything_that_tls_lacks_is_told_at_once() {
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
