//! Connections that are kept, and which requests they are for.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use egress::{Allowances, Fault, MAX_IDLE_PER_HOST};
use test_documents::{HOST, Names, OTHER_HOST, egress};
use tokio::sync::Barrier;

use super::{admitting_loopback, post, settle, to_loopback};
use crate::endpoint::{EMPTY, Endpoint, Reply};

#[tokio::test]
async fn a_connection_is_reused_for_the_next_request() {
    let endpoint = Endpoint::secure().await;
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    endpoint.on("/a", Reply::Answer(answer.to_owned()));
    let egress = to_loopback();
    for path in ["/a", "/b", "/a?c"] {
        let answer = post(&egress, &endpoint.url(HOST, path)).await;
        assert!(!answer.unwrap().is_private);
        settle().await;
    }
    assert_eq!(endpoint.received().len(), 3);
    assert_eq!(endpoint.accepted(), 1);
}

#[tokio::test]
async fn requests_at_the_same_time_have_connections_of_their_own() {
    let endpoint = Endpoint::secure().await;
    let all = Arc::new(Barrier::new(MAX_IDLE_PER_HOST));
    endpoint.on("/", Reply::Together(all));
    let egress = to_loopback();
    for _ in 0..2 {
        let posts: Vec<_> = (0..MAX_IDLE_PER_HOST)
            .map(|_| {
                let (egress, url) = (egress.clone(), endpoint.url(HOST, "/"));
                tokio::spawn(async move { post(&egress, &url).await })
            })
            .collect();
        for posted in posts {
            assert_eq!(posted.await.unwrap().unwrap().status, 200);
        }
        settle().await;
    }
    assert_eq!(endpoint.received().len(), 2 * MAX_IDLE_PER_HOST);
    assert_eq!(endpoint.accepted(), MAX_IDLE_PER_HOST);
}

#[tokio::test]
async fn a_kept_connection_serves_its_own_scheme_host_and_port_only() {
    let (one, two) = (Endpoint::secure().await, Endpoint::secure().await);
    let egress = to_loopback();
    for _ in 0..2 {
        for endpoint in [&one, &two] {
            for host in [HOST, OTHER_HOST] {
                post(&egress, &endpoint.url(host, "/")).await.unwrap();
                settle().await;
            }
        }
    }
    for endpoint in [&one, &two] {
        assert_eq!(endpoint.accepted(), 2);
        let hosts = [HOST, OTHER_HOST, HOST, OTHER_HOST];
        let hosts = hosts.map(|host| format!("{host}:{}", endpoint.port()));
        let received = endpoint.received();
        let received = received.iter().flat_map(|one| one.header("host"));
        assert!(received.eq(hosts.iter()));
    }
    // The port of a server with TLS takes nothing that is plain, though there is a connection to it.
    let plain = one.url(HOST, "/").replace("https", "http");
    let plain = post(&egress, &plain).await.unwrap_err();
    assert_eq!(plain.fault, Fault::Url);
}

/// One name leads to an address that counts as public, the other one to an admitted network.
#[tokio::test]
async fn each_answer_says_whether_its_target_is_private() {
    let one = Endpoint::secure().await;
    let private = Ipv4Addr::new(127, 0, 0, 2);
    let two = Endpoint::at((private, one.port()).into(), "https").await;
    let names = Names::new([vec![Ipv4Addr::LOCALHOST.into()], vec![private.into()]]);
    let is_public = |address: IpAddr| address == IpAddr::from(Ipv4Addr::LOCALHOST);
    let egress = egress(names, is_public).admitting(Allowances {
        networks: "127.0.0.2".parse().unwrap(),
        ..Allowances::default()
    });
    for _ in 0..3 {
        for (host, is_private) in [(HOST, false), (OTHER_HOST, true)] {
            let answer = post(&egress, &one.url(host, "/")).await.unwrap();
            assert_eq!(answer.is_private, is_private, "{host}");
            settle().await;
        }
    }
    for endpoint in [&one, &two] {
        assert_eq!((endpoint.accepted(), endpoint.received().len()), (1, 3));
    }
    // A fault on a kept connection says so as well.
    two.on("/close", Reply::Close);
    let closed = post(&egress, &one.url(OTHER_HOST, "/close")).await;
    let closed = closed.unwrap_err();
    assert_eq!(
        (closed.fault, closed.is_private),
        (Fault::Interrupted, true)
    );
}

#[tokio::test]
async fn a_kept_connection_that_the_server_closed_is_replaced() {
    let endpoint = Endpoint::secure().await;
    endpoint.on("/last", Reply::Last(EMPTY.to_owned()));
    let egress = to_loopback();
    for connections in 1..=3 {
        let answer = post(&egress, &endpoint.url(HOST, "/last")).await;
        assert_eq!(answer.unwrap().status, 200);
        endpoint.until_ended(connections).await;
    }
    assert_eq!(endpoint.received().len(), 3);
}

/// The server may have done what the request says.
#[tokio::test]
async fn a_request_that_a_server_got_is_not_sent_twice() {
    let endpoint = Endpoint::secure().await;
    endpoint.on("/close", Reply::Close);
    let begun = "HTTP/1.1 200 OK\r\ncontent-le";
    endpoint.on("/begun", Reply::Last(begun.to_owned()));
    let partial = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel";
    endpoint.on("/partial", Reply::Last(partial.to_owned()));
    let egress = to_loopback();
    for path in ["/close", "/begun", "/partial"] {
        // On a new connection, and on a kept one.
        for is_reused in [false, true] {
            let before = endpoint.received().len();
            if is_reused {
                post(&egress, &endpoint.url(HOST, "/")).await.unwrap();
                settle().await;
            }
            let posted = post(&egress, &endpoint.url(HOST, path)).await;
            assert_eq!(posted.unwrap_err().fault, Fault::Interrupted, "{path}");
            endpoint.until_ended(endpoint.accepted()).await;
            let requests = endpoint.received().len() - before;
            assert_eq!(requests, 1 + usize::from(is_reused), "{path}");
        }
    }
    // Two for each path.
    assert_eq!(endpoint.accepted(), 6);
}

/// Hosts are as many as a stranger likes.
#[tokio::test]
async fn connections_are_kept_for_a_bounded_number_of_hosts() {
    const POOLED: usize = 256;
    const MORE: usize = 20;
    let endpoint = Endpoint::plain().await;
    let egress = admitting_loopback();
    for host in 0..POOLED + MORE {
        let url = endpoint.url(&format!("host-{host}.example"), "/");
        post(&egress, &url).await.unwrap();
    }
    assert_eq!(endpoint.accepted(), POOLED + MORE);
    endpoint.until_ended(MORE).await;
    // The first ones are there still.
    for host in 0..POOLED {
        let url = endpoint.url(&format!("host-{host}.example"), "/");
        post(&egress, &url).await.unwrap();
    }
    assert_eq!(endpoint.accepted(), POOLED + MORE);
}
