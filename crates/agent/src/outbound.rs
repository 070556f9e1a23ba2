//! Connections to addresses that users have given: only to the public internet and over TLS, except for hosts that the
//! deployment allows.
//!
//! The addresses of a name are resolved once for each connection, checked, and used as checked, so that a DNS answer that
//! changes later has no effect. Redirects are not followed.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use url::{Host, Url};

/// Longest time to resolve a name and connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest silence of a server.
const SILENCE: Duration = Duration::from_secs(60);
/// Azure's metadata service: an address of the public range that is local to each host.
const AZURE_METADATA: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// The rule for connections on behalf of users. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Outbound {
    allowed: Arc<HashSet<String>>,
}

/// The reason why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The URL is not `https`.
    #[error("must be https")]
    NotEncrypted,
    /// The address is not of the public internet.
    #[error("must be an address of the public internet")]
    NotPublic,
}

impl Outbound {
    /// `allowed`: hosts, by name or address, that may be in a private network and without TLS.
    pub fn new(allowed: &[String]) -> Self {
        Self { allowed: Arc::new(allowed.iter().map(|host| host.to_ascii_lowercase()).collect()) }
    }

    /// Checks a URL, without resolving its name.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        if self.allows(url.host_str().unwrap_or_default()) {
            return Ok(());
        }
        if url.scheme() != "https" {
            return Err(Refused::NotEncrypted);
        }
        match url.host() {
            Some(Host::Ipv4(address)) if !is_public(address.into()) => Err(Refused::NotPublic),
            Some(Host::Ipv6(address)) if !is_public(address.into()) => Err(Refused::NotPublic),
            Some(_) => Ok(()),
            None => Err(Refused::NotPublic),
        }
    }

    /// A client for URLs that [`Self::check`] accepts.
    ///
    /// # Errors
    /// The client can't be created.
    pub fn client(&self) -> reqwest::Result<Client> {
        Client::builder()
            .user_agent(concat!("atelier/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(self.clone()))
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(SILENCE)
            .build()
    }

    fn allows(&self, host: &str) -> bool {
        self.allowed.contains(host)
    }
}

impl Resolve for Outbound {
    fn resolve(&self, name: Name) -> Resolving {
        let is_allowed = self.allows(name.as_str());
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One private address is enough to refuse: the client may pick any of them.
            if !is_allowed && found.iter().any(|address| !is_public(address.ip())) {
                return Err(Refused::NotPublic.into());
            }
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

/// True if an address belongs to the public internet (IANA's special-purpose registries).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_special = match address.octets() {
        // This network; shared by carriers; protocol assignments; relays to IPv6; benchmarks; reserved and broadcast.
        [0, ..] | [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] | [240..=255, ..] => true,
        [100, second, ..] => second & 0xc0 == 64,
        _ => false,
    };
    !(is_special
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || address == AZURE_METADATA)
}

/// Only 2000::/3 is assigned; local, unique local, mapped and translated addresses are outside.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Protocol assignments with Teredo, documentation, 6to4, documentation.
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x2002, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// True if a URL is below `base`.
pub fn is_under(base: &Url, url: &Url) -> bool {
    let folder = base.path().trim_end_matches('/');
    let below = url.path().strip_prefix(folder);
    url.origin() == base.origin()
        && below.is_some_and(|below| below.starts_with('/'))
        && url.username().is_empty()
        && url.password().is_none()
}

#[cfg(test)]
mod tests {
    use reqwest::dns::Resolve;
    use url::Url;

    use super::{Outbound, Refused, is_public};

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for public in
            ["1.1.1.1", "100.63.0.1", "172.32.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for other in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "168.63.129.16",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:1.1.1.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn a_url_is_checked_however_its_address_is_written() {
        let outbound = Outbound::new(&["Wiki.internal".to_owned(), "10.0.0.7".to_owned()]);
        let check = |url: &str| outbound.check(&Url::parse(url).unwrap());
        for good in
            ["https://mcp.example/", "http://wiki.internal:8080/mcp", "http://10.0.0.7/", "https://1.1.1.1/"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("http://mcp.example/"), Err(Refused::NotEncrypted));
        for private in [
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://169.254.169.254/latest",
            "https://10.0.0.8/",
        ] {
            assert_eq!(check(private), Err(Refused::NotPublic), "{private}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_to_a_private_address_leads_nowhere() {
        let lookup = async |outbound: Outbound| outbound.resolve("localhost".parse().unwrap()).await.is_ok();
        assert!(!lookup(Outbound::default()).await);
        assert!(lookup(Outbound::new(&["localhost".to_owned()])).await);
    }

    #[test]
    fn only_urls_below_the_base_are_reachable() {
        let is_under = |base: &str, url: &str| super::is_under(&base.parse().unwrap(), &url.parse().unwrap());
        for good in ["http://data:81/", "http://data:81/api/v1/file?x=http://other"] {
            assert!(is_under("http://data:81", good), "{good}");
        }
        for bad in [
            "http://data/",
            "https://data:81/",
            "http://other:81/",
            "http://data:81@other/",
            "http://user@data:81/",
            "http://data.other:81/",
            "file:///etc/passwd",
            "data:text/plain,x",
        ] {
            assert!(!is_under("http://data:81", bad), "{bad}");
        }
        assert!(is_under("http://all/data/", "http://all/data/api"));
        for bad in
            ["http://all/", "http://all/database", "http://all/data/../api", "http://all/data/%2e%2e/api"]
        {
            assert!(!is_under("http://all/data/", bad), "{bad}");
        }
    }
}
