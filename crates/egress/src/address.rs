//! Which addresses are public. Whatever has a special purpose is not: this machine, its network, its provider's (where clouds answer with
//! credentials), documentation, multicast, and wrappings of another address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether everyone on the Internet reaches the same machine by an address (IANA's registries of special-purpose addresses).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        // This network, private networks, loopback, the network of a link, multicast, reserved and broadcast.
        (0 | 10 | 127 | 224..=255, _, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (169, 254, _)
            // Shared by the customers of a provider.
            | (100, 64..=127, _)
            // Protocols, documentation, old 6to4 relays, benchmarks.
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            // AS112 and AMT, which are no places of anyone's documents.
            | (192, 31, 196)
            | (192, 52, 193)
            | (192, 175, 48)
    );
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = address.segments() {
        // Networks without IPv4 reach it so.
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    let [first, second, ..] = address.segments();
    // All that is in use as global unicast today.
    let is_global = (0x2000..=0x3fff).contains(&first);
    let is_special = matches!(
        (first, second),
        // Protocols, Teredo, benchmarks and ORCHID; documentation; 6to4.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _)
            // Documentation again, and AS112.
            | (0x3fff, 0..=0x0fff) | (0x2620, 0x4f)
    );
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for public in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:1.1.1.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }
}
