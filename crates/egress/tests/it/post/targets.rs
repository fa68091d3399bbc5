//! Where requests go, and where they do not.

use std::net::Ipv4Addr;

use egress::Fault;
use test_documents::{HOST, Names, egress};
use url::Url;

use super::{admitting, post};
use crate::{endpoint::Endpoint, names};

#[tokio::test]
async fn nothing_is_posted_to_an_address_that_is_not_public() {
    let endpoint = Endpoint::secure().await;
    let public = egress(names(&["127.0.0.1"]), egress::is_public);
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        HOST,
        "localhost",
    ] {
        let posted = post(&public, &endpoint.url(host, "/")).await.unwrap_err();
        assert_eq!(posted.fault, Fault::Address, "{host}");
    }
    for addresses in [
        &["1.1.1.1", "127.0.0.1"][..],
        &["::ffff:127.0.0.1"],
        &["2606:4700::1111", "::ffff:169.254.169.254"],
        &[],
    ] {
        let mixed = egress(names(addresses), egress::is_public);
        let posted = post(&mixed, &endpoint.url(HOST, "/")).await.unwrap_err();
        assert_eq!(posted.fault, Fault::Address, "{addresses:?}");
        assert!(!posted.is_private);
    }
    assert_eq!(endpoint.accepted(), 0);
}

#[tokio::test]
async fn a_url_is_refused_for_its_scheme_its_user_and_its_address_without_connecting() {
    let endpoint = Endpoint::plain().await;
    let egress = egress(names(&["127.0.0.1"]), egress::is_public);
    for (url, fault) in [
        (endpoint.url(HOST, "/"), Fault::Url),
        ("http://1.1.1.1/".to_owned(), Fault::Url),
        ("ftp://app.example/".to_owned(), Fault::Url),
        ("https://user:password@app.example/".to_owned(), Fault::Url),
        ("mailto:someone@app.example".to_owned(), Fault::Url),
        (endpoint.url("127.0.0.1", "/"), Fault::Address),
        ("https://[::ffff:10.0.0.1]/".to_owned(), Fault::Address),
    ] {
        assert_eq!(egress.allows(&Url::parse(&url).unwrap()), Err(fault));
        assert_eq!(post(&egress, &url).await.unwrap_err().fault, fault, "{url}");
    }
    let secret = Url::parse("https://app.example/hooks?token=1").unwrap();
    assert_eq!(egress.allows(&secret), Ok(()));
    assert_eq!(endpoint.accepted(), 0);
}

/// The name was public when the endpoint was made, and at the first request.
#[tokio::test]
async fn a_name_that_leads_elsewhere_later_is_checked_with_every_connection() {
    let endpoint = Endpoint::secure().await;
    // The public address has no server here, so no connection is kept.
    let public = Ipv4Addr::new(127, 0, 0, 9).into();
    let loopback = Ipv4Addr::LOCALHOST.into();
    let rebinding = egress(Names::new([vec![public], vec![loopback]]), |address| {
        address == Ipv4Addr::new(127, 0, 0, 9)
    });
    let url = endpoint.url(HOST, "/");
    assert_eq!(rebinding.allows(&Url::parse(&url).unwrap()), Ok(()));
    let first = post(&rebinding, &url).await.unwrap_err();
    assert_eq!((first.fault, first.is_private), (Fault::Refused, false));
    let second = post(&rebinding, &url).await.unwrap_err();
    assert_eq!(second.fault, Fault::Address);
    assert_eq!(endpoint.accepted(), 0);
}

#[tokio::test]
async fn a_connection_that_is_kept_leads_where_it_was_made_to() {
    let endpoint = Endpoint::secure().await;
    let metadata = Ipv4Addr::new(169, 254, 169, 254).into();
    let rebinding = egress(
        Names::new([vec![Ipv4Addr::LOCALHOST.into()], vec![metadata]]),
        |address| address.is_loopback(),
    );
    for path in ["/a", "/b"] {
        let posted = post(&rebinding, &endpoint.url(HOST, path)).await;
        assert_eq!(posted.unwrap().status, 200);
    }
    assert_eq!(endpoint.accepted(), 1);
}

#[tokio::test]
async fn an_admitted_network_may_be_plain_and_is_private() {
    let (plain, secure) = (Endpoint::plain().await, Endpoint::secure().await);
    for egress in [
        admitting(&["127.0.0.1"], "127.0.0.0/8", ""),
        // The resolver of a network without IPv4.
        admitting(&["::ffff:127.0.0.1"], "127.0.0.1", ""),
    ] {
        for url in [
            plain.url("hooks.internal", "/"),
            plain.url("127.0.0.1", "/"),
            plain.url("[::ffff:127.0.0.1]", "/"),
            secure.url(HOST, "/"),
        ] {
            assert_eq!(egress.allows(&Url::parse(&url).unwrap()), Ok(()), "{url}");
            assert!(post(&egress, &url).await.unwrap().is_private, "{url}");
        }
    }
    // A public address of the same name must not be plain.
    let mixed = admitting(&["127.0.0.1", "1.1.1.1"], "127.0.0.0/8", "");
    let before = plain.accepted();
    let posted = post(&mixed, &plain.url("mixed.example", "/")).await;
    assert_eq!(posted.unwrap_err().fault, Fault::Url);
    assert_eq!(plain.accepted(), before);
}

#[tokio::test]
async fn an_admitted_host_is_reached_wherever_its_name_leads_but_to_metadata() {
    let endpoint = Endpoint::plain().await;
    let hosts = format!("hooks.internal:{}, *.trusted.example", endpoint.port());
    let egress = admitting(&["127.0.0.1"], "", &hosts);
    for host in ["hooks.internal", "HOOKS.internal.", "a.trusted.example"] {
        let url = endpoint.url(host, "/");
        assert_eq!(egress.allows(&Url::parse(&url).unwrap()), Ok(()), "{host}");
        assert!(post(&egress, &url).await.unwrap().is_private, "{host}");
    }
    let before = endpoint.accepted();
    let other = endpoint.url("other.internal", "/");
    assert_eq!(post(&egress, &other).await.unwrap_err().fault, Fault::Url);
    let other = post(&egress, &other.replace("http:", "https:")).await;
    assert_eq!(other.unwrap_err().fault, Fault::Address);
    for address in [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "169.254.170.2",
        "fd00:ec2::254",
        "100.100.100.200",
    ] {
        let egress = admitting(&[address], "0.0.0.0/0,::/0", &hosts);
        let posted = post(&egress, &endpoint.url("hooks.internal", "/")).await;
        assert_eq!(posted.unwrap_err().fault, Fault::Address, "{address}");
    }
    assert_eq!(endpoint.accepted(), before);
}
