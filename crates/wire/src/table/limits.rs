//! Rate limits: counts each request once, by the user and key behind its credential. `docs/design/rate-limits.md` explains
//! them.
//!
//! Not here: the counters themselves, which the binaries supply from `link`.

pub(crate) mod address;
mod callers;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use auth::actor::Actor;
use auth::api_key::ApiKey;
use auth::credential::{AuthorizationSchemes, Credential, CredentialKind};
use clap::Args;
use domain::rate::{Charge, Charges, Quota, Rate, RateCount, WINDOW_SECS};
use domain::{Code, Error, Result};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::contract::head::RequestHead;
use crate::table::limits::callers::{CredentialHash, KnownCaller, KnownCallers};

/// The remaining requests and the quota (draft-ietf-httpapi-ratelimit-headers).
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The limits of requests without a valid credential, the same for both planes.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressLimits {
    /// Requests without a valid credential from one address: in a minute, and at once; or `off`.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Name of the plane, which keeps its buckets apart.
    pub plane: &'static str,
    /// Requests of all callers together.
    pub global: Rate,
    /// Requests of one user, by all credentials together.
    pub user: Rate,
    /// Requests with one API key and the grants that it minted.
    pub key: Rate,
    /// Bytes of request bodies of one user.
    pub bytes: Rate,
    /// Requests without a valid credential.
    pub strangers: AddressLimits,
}

/// Counts requests against the rate limits of a plane. Cheap to clone.
#[derive(Clone)]
pub struct Limiter(Arc<LimiterState>);

struct LimiterState {
    limits: RateLimits,
    count: Box<Counter>,
    callers: KnownCallers,
}

/// Counts a request against all of its buckets, across all processes.
type Counter = dyn Fn(Charges) -> BoxFuture<'static, RateCount> + Send + Sync;

/// The counting of one request.
pub(crate) struct Admission {
    limiter: Limiter,
    /// The hash of the credential, if one of a known kind was sent.
    credential: Option<CredentialHash>,
    /// The client's address, or network of addresses.
    address: Option<String>,
    /// The declared length of the body; `None` for a chunked one.
    declared_bytes: Option<u64>,
    /// Bytes of the body that have arrived.
    received_bytes: Arc<AtomicU64>,
    progress: Mutex<AdmissionProgress>,
}

/// The state of a request's counting.
#[derive(Default)]
struct AdmissionProgress {
    /// True once the request was counted.
    is_counted: bool,
    /// The caller, once its credential is verified.
    verified: Option<KnownCaller>,
    /// True if the credential was verified and is invalid.
    is_refuted: bool,
    /// `RateLimit` and `RateLimit-Policy`.
    headers: Option<(HeaderValue, HeaderValue)>,
}

/// One of the limits that apply to a request.
struct AppliedLimit {
    scope: &'static str,
    quota: Quota,
    charge: Charge,
}

impl Limiter {
    /// A limiter with `count` as its counters.
    pub fn new<Fut>(limits: RateLimits, count: impl Fn(Charges) -> Fut + Send + Sync + 'static) -> Self
    where
        Fut: Future<Output = RateCount> + Send + 'static,
    {
        let count: Box<Counter> = Box::new(move |charges| Box::pin(count(charges)));
        Self(Arc::new(LimiterState { limits, count, callers: KnownCallers::new() }))
    }

    /// True if the addresses of connections are those of clients.
    pub(crate) fn sees_clients(&self) -> bool {
        self.0.limits.strangers.trusted_proxies == 0
    }

    /// The admission of a request from `peer`. One for a page counts against no limit.
    pub(crate) fn admission(&self, head: &RequestHead, peer: Option<IpAddr>, is_page: bool) -> Admission {
        let credential = credential(head);
        let is_preflight = credential.is_none() && head.method() == Method::OPTIONS;
        let declared = head.header(CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok());
        let is_chunked = head.header("transfer-encoding").is_some();
        Admission {
            address: address::client(head, peer, self.0.limits.strangers.trusted_proxies),
            limiter: self.clone(),
            credential,
            declared_bytes: if is_chunked { None } else { Some(declared.unwrap_or_default()) },
            received_bytes: Arc::default(),
            // Preflights and pages carry no credential by their nature, read nothing, and cost less than their count.
            progress: Mutex::new(AdmissionProgress {
                is_counted: is_preflight || is_page,
                ..AdmissionProgress::default()
            }),
        }
    }
}

impl Admission {
    /// Counts the request of a caller who is known before the credential is verified: one of whom this process has
    /// verified the same credential before, or a stranger. No database is asked.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) async fn begin(&self) -> Result<()> {
        if self.progress.lock().is_counted {
            return Ok(());
        }
        let state = &self.limiter.0;
        let Some(credential) = &self.credential else { return self.count_stranger().await };
        if let Some(caller) = state.callers.find(credential) {
            return self.count_caller(caller).await;
        }
        let blocked =
            self.address.as_ref().and_then(|address| state.callers.block_of(address, Instant::now()));
        match (blocked, state.limits.strangers.address.0) {
            (Some(wait), Some(quota)) => {
                let retry_after_secs = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
                let limit = AppliedLimit::of("address", quota, String::new(), 1);
                self.report(RateCount::Refused { own: Some(0), retry_after_secs }, &[limit], None)
            }
            _ => Ok(()),
        }
    }

    /// Counts the request of a caller whose credential is valid, unless it was counted before.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(crate) async fn accept(&self, actor: &Actor) -> Result<()> {
        let caller = KnownCaller { user: actor.user, key: actor.key() };
        if let Some(credential) = self.credential {
            self.limiter.0.callers.remember(credential, caller);
        }
        let is_counted = {
            let mut progress = self.progress.lock();
            progress.verified = Some(caller);
            progress.is_counted
        };
        if is_counted { Ok(()) } else { self.count_caller(caller).await }
    }

    /// Notes that the credential is invalid.
    pub(crate) fn refute(&self) {
        self.progress.lock().is_refuted = true;
        if let Some(credential) = &self.credential {
            self.limiter.0.callers.forget(credential);
        }
    }

    /// Counts what only the end of the request shows: a credential that is invalid or was never verified counts against
    /// the address, and a chunked body by its bytes.
    pub(crate) async fn end(&self, is_server_fault: bool) {
        let (verified, is_unproven) = {
            let progress = self.progress.lock();
            (progress.verified, progress.is_refuted || !progress.is_counted)
        };
        match verified {
            Some(caller) if self.declared_bytes.is_none() => self.count_received(caller).await,
            Some(_) => {}
            // A server fault proves nothing about the credential.
            None if is_unproven && !is_server_fault => self.count_unproven().await,
            None => {}
        }
    }

    /// A counter for the bytes of the body.
    pub(crate) fn received_bytes(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.received_bytes)
    }

    /// Reports the remaining quota to the client.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        if let Some((state, policy)) = self.progress.lock().headers.take() {
            headers.insert(RATE_LIMIT, state);
            headers.insert(RATE_LIMIT_POLICY, policy);
        }
    }

    async fn count_caller(&self, caller: KnownCaller) -> Result<()> {
        let RateLimits { plane, user, key, bytes, .. } = self.limiter.0.limits;
        let mut own = Vec::with_capacity(3);
        if let (Some(quota), Some(key)) = (key.0, caller.key) {
            own.push(AppliedLimit::of("key", quota, format!("{plane}:key:{key}"), 1));
        }
        if let Some(quota) = user.0 {
            own.push(AppliedLimit::of("user", quota, format!("{plane}:user:{}", caller.user), 1));
        }
        // A chunked body needs room now, and counts once it has arrived.
        if let (Some(quota), None | Some(1..)) = (bytes.0, self.declared_bytes) {
            own.push(AppliedLimit::of_bytes(quota, plane, caller, self.declared_bytes.unwrap_or_default()));
        }
        self.count(own, false).await
    }

    async fn count_stranger(&self) -> Result<()> {
        let quota = self.limiter.0.limits.strangers.address.0;
        let own = quota
            .zip(self.address.as_ref())
            .map(|(quota, address)| AppliedLimit::of("address", quota, format!("address:{address}"), 1));
        self.count(own.into_iter().collect(), true).await
    }

    /// Counts the request against its address. If that is used up, this process blocks the address for credentials
    /// that it doesn't know.
    async fn count_unproven(&self) {
        let Err(refusal) = self.count_stranger().await else { return };
        let scope = refusal.details.as_ref().and_then(|details| details.get("scope")?.as_str());
        let of_address = scope == Some("address");
        if let (true, Some(address), Some(wait)) = (of_address, &self.address, refusal.retry_after_secs) {
            let until = Instant::now() + Duration::from_secs(wait.into());
            self.limiter.0.callers.block(address.clone(), until);
        }
    }

    /// Charges the bytes of a chunked body.
    async fn count_received(&self, caller: KnownCaller) {
        let RateLimits { plane, bytes, .. } = self.limiter.0.limits;
        let (Some(quota), size @ 1..) = (bytes.0, self.received_bytes.load(Ordering::Relaxed)) else {
            return;
        };
        let own = vec![AppliedLimit::of_bytes(quota, plane, caller, size).charge];
        let all = Quota::BOUNDLESS.charge(format!("{plane}:bytes"), 0);
        // The bytes have arrived. If the bucket is used up, the next request waits.
        let _counted = (self.limiter.0.count)(Charges { all, own, is_stranger: false }).await;
    }

    /// Counts the request against the limits of its caller and of all callers, and notes the outcome for its answer.
    async fn count(&self, own: Vec<AppliedLimit>, is_stranger: bool) -> Result<()> {
        self.progress.lock().is_counted = true;
        let RateLimits { plane, global, .. } = self.limiter.0.limits;
        if global.0.is_none() && own.is_empty() {
            return Ok(());
        }
        let all = global.0.unwrap_or(Quota::BOUNDLESS).charge(plane.to_owned(), 1);
        let charges = own.iter().map(|limit| limit.charge.clone()).collect();
        let counted = (self.limiter.0.count)(Charges { all, own: charges, is_stranger }).await;
        self.report(counted, &own, global.0)
    }

    /// The outcome of a count, which the answer's headers report.
    fn report(&self, counted: RateCount, own: &[AppliedLimit], global: Option<Quota>) -> Result<()> {
        let (state, outcome) = match counted {
            RateCount::Taken(used) => {
                let of_requests = own.iter().zip(used).filter(|(limit, _)| !limit.charge.overdraws);
                let left = of_requests.map(|(limit, used)| (limit.quota.remaining(used), limit.scope, used));
                let state = left.min_by_key(|(remaining, ..)| *remaining).map(|(remaining, scope, used)| {
                    format!("\"{scope}\";r={remaining};t={}", used.as_nanos().div_ceil(1_000_000_000))
                });
                (state, Ok(()))
            }
            RateCount::Refused { own: by, retry_after_secs } => {
                let scope = by.and_then(|by| own.get(by)).map_or("global", |limit| limit.scope);
                let mut error = Error::new(Code::RateLimited, "Too many requests. Try again later.")
                    .with_details(json!({ "scope": scope }));
                error.retry_after_secs = Some(retry_after_secs);
                (Some(format!("\"{scope}\";r=0;t={retry_after_secs}")), Err(error))
            }
        };
        let policies =
            own.iter().map(|limit| (limit.scope, limit.quota)).chain(global.map(|all| ("global", all)));
        let policies: Vec<String> = policies
            .map(|(scope, quota)| format!("\"{scope}\";q={};w={WINDOW_SECS}", quota.per_minute))
            .collect();
        // Without limits of its own, a caller has no state to report.
        self.progress.lock().headers = state.and_then(|state| {
            Some((HeaderValue::try_from(state).ok()?, HeaderValue::try_from(policies.join(", ")).ok()?))
        });
        outcome
    }
}

impl AppliedLimit {
    fn of(scope: &'static str, quota: Quota, bucket: String, amount: u64) -> Self {
        Self { scope, quota, charge: quota.charge(bucket, amount) }
    }

    /// The limit of bytes. One body counts as a burst at most, so that a false length does no lasting harm.
    fn of_bytes(quota: Quota, plane: &str, caller: KnownCaller, size: u64) -> Self {
        let limit = Self::of("bytes", quota, format!("{plane}:bytes:{}", caller.user), size.min(quota.burst));
        Self { charge: Charge { overdraws: true, ..limit.charge }, ..limit }
    }
}

/// The hash of the request's unverified credential, if it has one of a known kind.
fn credential(head: &RequestHead) -> Option<CredentialHash> {
    let authorization = head.all(AUTHORIZATION.as_str()).map(HeaderValue::as_bytes);
    let credential =
        Credential::from_authorization(authorization, AuthorizationSchemes::BearerAndBasic).ok()??;
    // A key's own checksum shows that it is invalid.
    if credential.kind() == CredentialKind::ApiKey && ApiKey::parse(credential.reveal()).is_err() {
        return None;
    }
    Some(Sha256::digest(credential.reveal()).into())
}

#[cfg(test)]
mod tests {
    use actix_web::http::Method;
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

    use super::credential;
    use crate::contract::head::RequestHead;

    #[test]
    fn a_credential_has_the_same_hash_in_every_scheme() {
        let sent = |authorization: &'static str| {
            let mut map = HeaderMap::new();
            map.append(HeaderName::from_static("authorization"), HeaderValue::from_static(authorization));
            credential(&RequestHead::new(Method::GET, map))
        };
        let bearer = sent("Bearer svc_gr_a.b.c");
        // `git:svc_gr_a.b.c`.
        let basic = sent("Basic Z2l0OnN2Y19ncl9hLmIuYw==");
        assert!(bearer.is_some());
        assert_eq!(bearer, basic);
        assert_eq!(sent("Bearer nonsense"), None);
        assert_eq!(sent("Bearer svc_ak_live_0"), None);
        assert_eq!(credential(&RequestHead::new(Method::GET, HeaderMap::new())), None);
    }
}
