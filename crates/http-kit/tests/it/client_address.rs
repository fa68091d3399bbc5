//! Which client a request comes from.

use http::HeaderMap;
use http_kit::client_address;
use server::networks::Networks;

fn client(trusted: &str, peer: &str, forwarded: &[&str]) -> String {
    let mut headers = HeaderMap::new();
    for line in forwarded {
        headers.append("x-forwarded-for", line.parse().unwrap());
    }
    let trusted: Networks = trusted.parse().unwrap();
    client_address(&trusted, peer.parse().unwrap(), &headers).to_string()
}

#[test]
fn nobody_is_believed_unless_trusted() {
    assert_eq!(client("", "192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    assert_eq!(
        client("10.0.0.0/8", "192.0.2.1", &["198.51.100.7"]),
        "192.0.2.1"
    );
}

#[test]
fn a_trusted_proxy_says_who_called_it_and_what_the_client_made_up_is_passed_over() {
    let trusted = "10.0.0.0/8, 2001:db8::1";
    let made_up = "203.0.113.9, 198.51.100.7";
    assert_eq!(client(trusted, "10.1.2.3", &[made_up]), "198.51.100.7");
    assert_eq!(
        client(
            trusted,
            "2001:db8::1",
            &["203.0.113.9", "198.51.100.7, 10.9.9.9"]
        ),
        "198.51.100.7"
    );
    assert_eq!(
        client(trusted, "::ffff:10.1.2.3", &["198.51.100.7"]),
        "198.51.100.7"
    );
}

#[test]
fn a_port_beside_the_address_makes_no_difference() {
    let trusted = "10.0.0.0/8";
    assert_eq!(
        client(trusted, "10.1.2.3", &["198.51.100.7:4711"]),
        "198.51.100.7"
    );
    assert_eq!(
        client(trusted, "10.1.2.3", &["[2001:db8::7]:4711"]),
        "2001:db8::7"
    );
}

#[test]
fn what_cannot_be_read_ends_the_chain() {
    let trusted = "10.0.0.0/8";
    assert_eq!(client(trusted, "10.1.2.3", &[]), "10.1.2.3");
    assert_eq!(client(trusted, "10.1.2.3", &["unknown"]), "10.1.2.3");
    assert_eq!(
        client(trusted, "10.1.2.3", &["198.51.100.7, nonsense, 10.4.4.4"]),
        "10.4.4.4"
    );
}
