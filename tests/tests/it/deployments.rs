//! What the examples in `deploy/` must say: whom they trust, and which TLS they speak.

use std::{fs, path::Path};

/// More than the addresses of one cluster's pods: all of a private network trusts strangers in it.
const WIDEST_PREFIX: u8 = 16;

fn read(file: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(file)).unwrap()
}

#[test]
fn nginx_speaks_no_old_tls() {
    let example = read("deploy/nginx.conf");
    let mut lines = example.lines().map(str::trim);
    let protocols = lines.find(|line| line.starts_with("ssl_protocols"));
    assert_eq!(protocols, Some("ssl_protocols TLSv1.2 TLSv1.3;"));
}

#[test]
fn examples_name_their_own_proxies_alone() {
    for file in [
        "docker-compose.yml",
        "deploy/kubernetes/small/kustomization.yaml",
        "deploy/kubernetes/production/kustomization.yaml",
    ] {
        let example = read(file);
        let mut named = 0;
        for line in example.lines() {
            let Some((_, value)) = line.split_once("MUSTER_TRUSTED_PROXIES") else {
                continue;
            };
            // Of a variable, its default.
            let value = value.trim_start_matches([':', '=', ' ']);
            let value = value.split_once(":-").map_or(value, |(_, default)| default);
            for network in value.trim_end_matches('}').split(',') {
                let (address, prefix) = network.split_once('/').unwrap_or((network, "32"));
                address.parse::<std::net::Ipv4Addr>().unwrap();
                let prefix: u8 = prefix.parse().unwrap();
                assert!(prefix >= WIDEST_PREFIX, "{file}: {line}");
                named += 1;
            }
        }
        assert!(named > 0, "{file} names no proxy");
    }
}
