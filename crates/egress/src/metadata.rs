//! Addresses at which clouds hand credentials to every program that asks, however they are wrapped.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a cloud's machines find credentials at an address. An admitted network or host does not include it by accident.
pub(crate) fn is_metadata(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_metadata_v4(address),
        IpAddr::V6(address) => {
            is_metadata_v6(address) || embedded(address).is_some_and(is_metadata_v4)
        }
    }
}

fn is_metadata_v4(address: Ipv4Addr) -> bool {
    matches!(
        address.octets(),
        // Most clouds; tasks and pods at Amazon.
        [169, 254, 169, 254] | [169, 254, 170, 2 | 23]
            // Alibaba, Oracle's older cloud, and Azure's, which is in a public network.
            | [100, 100, 100, 200] | [192, 0, 0, 192] | [168, 63, 129, 16]
    )
}

fn is_metadata_v6(address: Ipv6Addr) -> bool {
    matches!(
        address.segments(),
        // Amazon, for machines and for pods; Google.
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254 | 0x23] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254]
    )
}

/// The IPv4 address to which a translator or a tunnel takes an IPv6 address.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (high, low) = match address.segments() {
        // Compatible, translated (RFC 2765), and NAT64 with its two well-known prefixes; 6to4; ISATAP.
        [0, 0, 0, 0, 0 | 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => (high, low),
        // Teredo, whose bits are inverted.
        [0x2001, 0, _, _, _, _, high, low] => (!high, !low),
        _ => return None,
    };
    Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_recognized_however_its_address_is_wrapped() {
        for address in [
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "::ffff:0:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "fe80::5efe:a9fe:a9fe",
            "2001:0:4136:e378:8000:63bf:5601:5601",
        ] {
            assert!(is_metadata(address.parse().unwrap()), "{address}");
        }
        for address in [
            "169.254.169.253",
            "127.0.0.1",
            "1.1.1.1",
            "::1",
            "fd00:ec2::253",
            "64:ff9b::1.1.1.1",
            "2606:4700::1111",
        ] {
            assert!(!is_metadata(address.parse().unwrap()), "{address}");
        }
    }
}
