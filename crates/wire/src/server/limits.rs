//! Rate limits: counts each request before any other work, so a refusal is cheap. `docs/design/rate-limits.md` explains
//! them.
//!
//! Not here: the counters themselves, which the binaries supply from `link`.

mod credentials;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use auth::api_key::ApiKey;
use auth::credential::{AuthorizationSchemes, Credential, CredentialKind};
use clap::Args;
use domain::rate::{Quota, Rate, RateCount, Subject, WINDOW_SECS};
use domain::{Code, Error};
use futures_util::future::BoxFuture;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::contract::head::RequestHead;
use crate::server::limits::credentials::CredentialHistory;

/// The remaining requests and the quota (draft-ietf-httpapi-ratelimit-headers).
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// The header to which each proxy appends the address of its client.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Length of the hash that identifies a credential, in bytes.
const HASH_BYTES: usize = 16;

/// The settings of the rate limits. Each limit is `PER_MINUTE/BURST`, as in `600/120`, or `off`.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests of all callers together: in a minute, and at once; or `off`.
    #[arg(
        long = "rate-global",
        env = "ATELIER_RATE_GLOBAL",
        default_value = "10000/2000",
        value_name = "PER_MINUTE/BURST"
    )]
    pub global: Rate,
    /// Requests with one credential: in a minute, and at once; or `off`.
    #[arg(
        long = "rate-key",
        env = "ATELIER_RATE_KEY",
        default_value = "600/120",
        value_name = "PER_MINUTE/BURST"
    )]
    pub key: Rate,
    /// Requests without a credential from one address: in a minute, and at once; or `off`.
    #[arg(
        long = "rate-address",
        env = "ATELIER_RATE_ADDRESS",
        default_value = "30/30",
        value_name = "PER_MINUTE/BURST"
    )]
    pub address: Rate,
    /// Proxies in front, each of which appends the address that called it to `X-Forwarded-For`; without any, the header
    /// is not believed.
    #[arg(
        long = "trusted-proxies",
        env = "ATELIER_TRUSTED_PROXIES",
        default_value_t = 0,
        value_name = "NUMBER"
    )]
    pub trusted_proxies: usize,
}

/// The rate limits of a plane.
#[derive(Clone)]
pub struct Limiter {
    limits: RateLimits,
    count: Arc<Counter>,
    credentials: Arc<CredentialHistory>,
}

/// Counts a request against the quota of all callers and against that of its subject.
type Counter = dyn Fn(Subject, Quota, Quota) -> BoxFuture<'static, RateCount> + Send + Sync;

/// The decision about a request, with the headers that report it.
pub(crate) struct RateDecision {
    /// The failure of a refused request.
    pub(crate) refusal: Option<Error>,
    /// The credential of an accepted request, to be judged after authentication.
    pub(crate) presented: Option<PresentedCredential>,
    state: HeaderValue,
    policy: HeaderValue,
}

/// A credential before authentication, with its origin.
pub(crate) struct PresentedCredential {
    /// The credential's hash.
    hash: String,
    address: String,
}

impl Limiter {
    /// A limiter with `count` as its counters.
    pub fn new<Fut>(
        limits: RateLimits,
        count: impl Fn(Subject, Quota, Quota) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = RateCount> + Send + 'static,
    {
        let count: Arc<Counter> = Arc::new(move |subject, all, own| Box::pin(count(subject, all, own)));
        Self { limits, count, credentials: Arc::default() }
    }

    /// Counts a request from `peer`. `None` if no limit applies.
    pub(crate) async fn count(&self, head: &RequestHead, peer: Option<IpAddr>) -> Option<RateDecision> {
        let RateLimits { global, key, address, trusted_proxies } = self.limits;
        let client = client(head, peer, trusted_proxies);
        let credential = credential(head);
        let presented = credential.clone().zip(client.clone());
        let presented = presented.map(|(hash, address)| PresentedCredential { hash, address });
        if let (Some(quota), Some(presented)) = (address.0, &presented)
            && let Some(wait) = self.credentials.wait(&presented.hash, &presented.address, Instant::now())
        {
            let retry_after_secs = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
            let refused = RateCount::Refused { of_all: false, retry_after_secs };
            return RateDecision::of(refused, "address", &[("address", quota)]);
        }
        let (subject, own, name) = match credential {
            Some(hash) => (Subject::Credential(hash), key.0, "key"),
            None => (Subject::Address(client?), address.0, "address"),
        };
        if global.0.is_none() && own.is_none() {
            return None;
        }
        let counted =
            (self.count)(subject, global.0.unwrap_or(Quota::BOUNDLESS), own.unwrap_or(Quota::BOUNDLESS));
        let policies = [(name, own), ("global", global.0)];
        let policies: Vec<(&str, Quota)> =
            policies.into_iter().filter_map(|(name, quota)| Some((name, quota?))).collect();
        let mut decision = RateDecision::of(counted.await, name, &policies)?;
        decision.presented = presented.filter(|_| address.0.is_some());
        Some(decision)
    }

    /// Records whether the credential of an accepted request was valid. An invalid one counts against its address.
    pub(crate) async fn learn(&self, presented: PresentedCredential, is_valid: bool) {
        let PresentedCredential { hash, address } = presented;
        if is_valid {
            return self.credentials.accept(&hash);
        }
        let Some(quota) = self.limits.address.0 else { return };
        let counted = (self.count)(Subject::Address(address.clone()), Quota::BOUNDLESS, quota).await;
        if let RateCount::Refused { retry_after_secs, .. } = counted {
            self.credentials.block(address, Instant::now() + Duration::from_secs(retry_after_secs.into()));
        }
    }
}

impl RateDecision {
    /// The decision about a request that counts under the policy `own`, among all that apply.
    fn of(counted: RateCount, own: &str, policies: &[(&str, Quota)]) -> Option<Self> {
        let (state, refusal) = match counted {
            RateCount::Taken { remaining, full_in_secs } => {
                (format!("\"{own}\";r={remaining};t={full_in_secs}"), None)
            }
            RateCount::Refused { of_all, retry_after_secs } => {
                let scope = if of_all { "global" } else { own };
                let mut error = Error::new(Code::RateLimited, "Too many requests. Try again later.")
                    .with_details(json!({ "scope": scope }));
                error.retry_after_secs = Some(retry_after_secs);
                (format!("\"{scope}\";r=0;t={retry_after_secs}"), Some(error))
            }
        };
        let policy: Vec<String> = policies
            .iter()
            .map(|(name, quota)| format!("\"{name}\";q={};w={WINDOW_SECS}", quota.per_minute))
            .collect();
        Some(Self {
            refusal,
            presented: None,
            state: HeaderValue::try_from(state).ok()?,
            policy: HeaderValue::try_from(policy.join(", ")).ok()?,
        })
    }

    /// Reports the remaining quota to the client.
    pub(crate) fn add_headers(self, headers: &mut HeaderMap) {
        headers.insert(RATE_LIMIT, self.state);
        headers.insert(RATE_LIMIT_POLICY, self.policy);
    }
}

/// The hash of the request's unverified credential, if it has one of a known kind.
fn credential(head: &RequestHead) -> Option<String> {
    let authorization = head.all(AUTHORIZATION.as_str()).map(HeaderValue::as_bytes);
    let credential =
        Credential::from_authorization(authorization, AuthorizationSchemes::BearerAndBasic).ok()??;
    // A key's own checksum shows that it is invalid.
    if credential.kind() == CredentialKind::ApiKey && ApiKey::parse(credential.reveal()).is_err() {
        return None;
    }
    let hash = Sha256::digest(credential.reveal());
    hash.get(..HASH_BYTES).map(hex::encode)
}

/// The address of the client, as the outermost trusted proxy saw it.
fn client(head: &RequestHead, peer: Option<IpAddr>, trusted_proxies: usize) -> Option<String> {
    let forwarded = match trusted_proxies.checked_sub(1) {
        Some(inner) => {
            let all: Vec<&str> = head
                .all(FORWARDED_FOR)
                .filter_map(|value| value.to_str().ok())
                .flat_map(|value| value.split(','))
                .collect();
            all.iter().rev().nth(inner).and_then(|address| address.trim().parse().ok())
        }
        None => None,
    };
    Some(match forwarded.or(peer)?.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => network(address).to_string(),
    })
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

    use super::{client, credential};
    use crate::contract::head::RequestHead;

    fn head(headers: &[(&'static str, &'static str)]) -> RequestHead {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        RequestHead::new(Method::GET, map)
    }

    #[test]
    fn only_addresses_from_trusted_proxies_count() {
        let peer: Option<IpAddr> = Some("10.0.0.1".parse().unwrap());
        let forged = head(&[("x-forwarded-for", "1.1.1.1, 2.2.2.2"), ("x-forwarded-for", "3.3.3.3")]);
        let seen = |proxies: usize| client(&forged, peer, proxies).unwrap();
        assert_eq!([seen(0), seen(1), seen(2), seen(9)], ["10.0.0.1", "3.3.3.3", "2.2.2.2", "10.0.0.1"]);
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_client() {
        let of = |address: &str| client(&head(&[]), Some(address.parse().unwrap()), 0).unwrap();
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), "10.0.0.1");
    }

    #[test]
    fn a_credential_has_the_same_hash_in_every_scheme() {
        let bearer = credential(&head(&[("authorization", "Bearer svc_gr_a.b.c")]));
        // `git:svc_gr_a.b.c`.
        let basic = credential(&head(&[("authorization", "Basic Z2l0OnN2Y19ncl9hLmIuYw==")]));
        assert!(bearer.is_some());
        assert_eq!(bearer, basic);
        assert_eq!(credential(&head(&[("authorization", "Bearer nonsense")])), None);
        assert_eq!(credential(&head(&[("authorization", "Bearer svc_ak_live_0")])), None);
        assert_eq!(credential(&head(&[])), None);
    }
}
