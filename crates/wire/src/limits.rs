//! Rate limits: each request is counted before anything else is done with it, so that a refusal costs next to nothing.
//!
//! Not here: where requests are counted, which the binaries bring (`link`).

mod strangers;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use auth::api_key::ApiKey;
use auth::credential::{Clients, Credential, CredentialKind};
use clap::Args;
use domain::rate::{Counted, Quota, Rate, Subject, WINDOW_SECS};
use domain::{Code, Error};
use futures_util::future::BoxFuture;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::limits::strangers::Strangers;
use crate::request::Head;

/// What is left, and what there is at all (draft-ietf-httpapi-ratelimit-headers).
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// What proxies append the address to that they were called from.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Bytes of a hash that stand for a credential.
const HASH_BYTES: usize = 16;

/// How many requests are taken. Each is `PER_MINUTE/BURST`, as in `600/120`, or `off`.
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
    count: Arc<Count>,
    strangers: Arc<Strangers>,
}

/// Counts a request of a subject against the quota of all, and against its own.
type Count = dyn Fn(Subject, Quota, Quota) -> BoxFuture<'static, Counted> + Send + Sync;

/// What became of a request, for its answer.
pub(crate) struct Verdict {
    /// Why it is refused, where it is.
    pub(crate) refusal: Option<Error>,
    /// Who came, where it came with a credential.
    pub(crate) stranger: Option<Stranger>,
    state: HeaderValue,
    policy: HeaderValue,
}

/// A credential of which it has to be seen whether it is good, and where it came from.
pub(crate) struct Stranger {
    /// Its hash.
    credential: String,
    address: String,
}

impl Limiter {
    /// Limits whose requests `count` counts.
    pub fn new<Fut>(
        limits: RateLimits,
        count: impl Fn(Subject, Quota, Quota) -> Fut + Send + Sync + 'static,
    ) -> Self
    where
        Fut: Future<Output = Counted> + Send + 'static,
    {
        let count: Arc<Count> = Arc::new(move |subject, all, own| Box::pin(count(subject, all, own)));
        Self { limits, count, strangers: Arc::default() }
    }

    /// Counts a request from `peer`; `None` where nothing limits it.
    pub(crate) async fn count(&self, head: &Head, peer: Option<IpAddr>) -> Option<Verdict> {
        let RateLimits { global, key, address, trusted_proxies } = self.limits;
        let client = client(head, peer, trusted_proxies);
        let credential = credential(head);
        let stranger = credential.clone().zip(client.clone());
        let stranger = stranger.map(|(credential, address)| Stranger { credential, address });
        if let (Some(quota), Some(stranger)) = (address.0, &stranger)
            && let Some(wait) = self.strangers.wait(&stranger.credential, &stranger.address, Instant::now())
        {
            let retry_after_secs = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
            let refused = Counted::Refused { of_all: false, retry_after_secs };
            return Verdict::of(refused, "address", &[("address", quota)]);
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
        let mut verdict = Verdict::of(counted.await, name, &policies)?;
        verdict.stranger = stranger.filter(|_| address.0.is_some());
        Some(verdict)
    }

    /// Learns of a request that was let in whether its credential is good.
    pub(crate) async fn learn(&self, stranger: Stranger, is_good: bool) {
        let Stranger { credential, address } = stranger;
        if is_good {
            return self.strangers.welcome(&credential);
        }
        let Some(quota) = self.limits.address.0 else { return };
        let counted = (self.count)(Subject::Address(address.clone()), Quota::BOUNDLESS, quota).await;
        if let Counted::Refused { retry_after_secs, .. } = counted {
            self.strangers.keep_out(address, Instant::now() + Duration::from_secs(retry_after_secs.into()));
        }
    }
}

impl Verdict {
    /// What became of a request that is counted under the policy `own`, beside others.
    fn of(counted: Counted, own: &str, policies: &[(&str, Quota)]) -> Option<Self> {
        let (state, refusal) = match counted {
            Counted::Taken { remaining, full_in_secs } => {
                (format!("\"{own}\";r={remaining};t={full_in_secs}"), None)
            }
            Counted::Refused { of_all, retry_after_secs } => {
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
            stranger: None,
            state: HeaderValue::try_from(state).ok()?,
            policy: HeaderValue::try_from(policy.join(", ")).ok()?,
        })
    }

    /// Tells the client what it has left.
    pub(crate) fn tell(self, headers: &mut HeaderMap) {
        headers.insert(RATE_LIMIT, self.state);
        headers.insert(RATE_LIMIT_POLICY, self.policy);
    }
}

/// What stands for the request's credential, which nothing has been checked of; `None` where it has none of a known kind.
fn credential(head: &Head) -> Option<String> {
    let authorization = head.all(AUTHORIZATION.as_str()).map(HeaderValue::as_bytes);
    let credential = Credential::from_authorization(authorization, Clients::Git).ok()??;
    // A key tells by itself that it is none.
    if credential.kind() == CredentialKind::ApiKey && ApiKey::parse(credential.reveal()).is_err() {
        return None;
    }
    let hash = Sha256::digest(credential.reveal());
    hash.get(..HASH_BYTES).map(hex::encode)
}

/// The address of the client, as the outermost trusted proxy saw it.
fn client(head: &Head, peer: Option<IpAddr>, trusted_proxies: usize) -> Option<String> {
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

/// What one subscriber has of IPv6.
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
    use crate::request::Head;

    fn head(headers: &[(&'static str, &'static str)]) -> Head {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        Head::new(Method::GET, map)
    }

    #[test]
    fn only_what_trusted_proxies_append_is_believed() {
        let peer: Option<IpAddr> = Some("10.0.0.1".parse().unwrap());
        let forged = head(&[("x-forwarded-for", "1.1.1.1, 2.2.2.2"), ("x-forwarded-for", "3.3.3.3")]);
        let seen = |proxies: usize| client(&forged, peer, proxies).unwrap();
        assert_eq!([seen(0), seen(1), seen(2), seen(9)], ["10.0.0.1", "3.3.3.3", "2.2.2.2", "10.0.0.1"]);
    }

    #[test]
    fn addresses_of_one_network_of_ipv6_are_one_client() {
        let of = |address: &str| client(&head(&[]), Some(address.parse().unwrap()), 0).unwrap();
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), "10.0.0.1");
    }

    #[test]
    fn a_credential_is_the_same_however_it_is_presented() {
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
