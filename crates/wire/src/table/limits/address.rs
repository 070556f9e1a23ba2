//! The address of a client, as the outermost trusted proxy saw it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use crate::contract::head::RequestHead;

/// The header to which each proxy appends the address of its client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address of the client, or the network of an IPv6 address. An entry of a trusted proxy that can't be read leaves
/// the address of the connection, as does a missing one.
pub(super) fn client(head: &RequestHead, peer: Option<IpAddr>, trusted_proxies: usize) -> Option<String> {
    let forwarded = trusted_proxies.checked_sub(1).and_then(|inner| forwarded(head, inner));
    Some(subscriber(forwarded.or(peer)?).to_string())
}

/// The address by which a subscriber counts: an IPv4 address, or the network of an IPv6 address.
pub(crate) fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => network(address).into(),
    }
}

/// The entry before the last `inner` ones. Each counts, readable or not: a client that sends an unreadable one must not
/// shift those of the proxies.
fn forwarded(head: &RequestHead, inner: usize) -> Option<IpAddr> {
    let values: Vec<&[u8]> =
        head.all(FORWARDED_FOR).flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).collect();
    values.iter().rev().nth(inner).and_then(|entry| parse(entry))
}

/// An address with or without a port: `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:443`.
fn parse(entry: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(entry.trim_ascii()).ok()?;
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// The /64 network of an IPv6 address: the range of one subscriber.
fn network(address: Ipv6Addr) -> Ipv6Addr {
    let [a, b, c, d, ..] = address.segments();
    Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use actix_web::http::Method;
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{client, parse};
    use crate::contract::head::RequestHead;

    fn head(forwarded: &[&'static [u8]]) -> RequestHead {
        let mut map = HeaderMap::new();
        for value in forwarded {
            map.append(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_bytes(value).unwrap());
        }
        RequestHead::new(Method::GET, map)
    }

    #[test]
    fn only_addresses_from_trusted_proxies_count() {
        let peer: Option<IpAddr> = Some("10.0.0.1".parse().unwrap());
        let forged = head(&[b"1.1.1.1, 2.2.2.2", b"3.3.3.3"]);
        let seen = |proxies: usize| client(&forged, peer, proxies).unwrap();
        assert_eq!([seen(0), seen(1), seen(2), seen(9)], ["10.0.0.1", "3.3.3.3", "2.2.2.2", "10.0.0.1"]);
    }

    #[test]
    fn unreadable_entries_count_as_entries() {
        let peer: Option<IpAddr> = Some("10.0.0.1".parse().unwrap());
        let forged = head(&[b"1.1.1.1, \xff\xfe", b"unknown, , 3.3.3.3:80"]);
        let seen = |proxies: usize| client(&forged, peer, proxies).unwrap();
        assert_eq!(seen(1), "3.3.3.3");
        for unreadable in 2..=4 {
            assert_eq!(seen(unreadable), "10.0.0.1", "{unreadable}");
        }
        assert_eq!(seen(5), "1.1.1.1");
    }

    #[test]
    fn an_entry_may_have_a_port() {
        for (entry, address) in [
            ("192.0.2.1", "192.0.2.1"),
            (" 192.0.2.1:8080 ", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("\"[2001:db8::1]:443\"", "2001:db8::1"),
        ] {
            assert_eq!(parse(entry.as_bytes()), Some(address.parse().unwrap()), "{entry}");
        }
        for bad in ["", "unknown", "_hidden", "192.0.2.1:", "192.0.2.1:x", "[192.0.2", "::1]:1"] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_client() {
        let of = |address: &str| client(&head(&[]), Some(address.parse().unwrap()), 0).unwrap();
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), "10.0.0.1");
    }
}
