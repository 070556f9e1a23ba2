//! An OIDC issuer's published keys: cached, and fetched again when a token names an unknown key.

use std::sync::Arc;
use std::time::Duration;

use auth::browser_token::{Identity, KeySet, TrustedIssuer};
use auth::jwt::InvalidToken;
use domain::time::Timestamp;
use domain::{Error, Result};
use parking_lot::RwLock;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;
use url::Url;

/// How long cached keys are used without a refresh, in seconds.
const FRESH_SECS: i64 = 60 * 60;
/// Shortest time between two fetches: tokens with invented key ids must not load the issuer.
const RETRY: Duration = Duration::from_secs(10);
/// As [`RETRY`], while no keys are cached and every token waits.
const RETRY_WITHOUT_KEYS: Duration = Duration::from_secs(1);
/// Longest time of a fetch.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Largest key set, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A configured issuer.
#[derive(Clone)]
pub struct OidcIssuer {
    issuer: String,
    audience: String,
    jwks_url: Url,
    client: reqwest::Client,
    cached: Arc<RwLock<Option<CachedKeys>>>,
    /// The end of the last fetch, successful or not. Locked during a fetch: there is one at a time.
    last_fetch: Arc<Mutex<Option<Instant>>>,
}

#[derive(Clone)]
struct CachedKeys {
    issuer: Arc<TrustedIssuer>,
    fetched_at: Timestamp,
}

impl OidcIssuer {
    /// Creates an issuer whose keys are published at `jwks_url`. Fetches nothing yet.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the HTTP client can't be created.
    pub fn new(issuer: String, audience: String, jwks_url: Url) -> Result<Self> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(Error::internal)?;
        Ok(Self { issuer, audience, jwks_url, client, cached: Arc::default(), last_fetch: Arc::default() })
    }

    /// The issuer, exactly as in its tokens.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The identity that a token proves.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `UNAVAILABLE` if no keys are cached and the issuer can't be reached.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<Identity> {
        let issuer = match self.known() {
            Some(known) if known.fetched_at.plus_seconds(FRESH_SECS) > now => known.issuer,
            // One request refreshes; others use the cached keys meanwhile.
            Some(known) => match self.last_fetch.try_lock() {
                Ok(guard) => self.refresh(guard, now).await?,
                Err(_) => known.issuer,
            },
            None => self.refresh(self.last_fetch.lock().await, now).await?,
        };
        match issuer.verify(token, now) {
            // The issuer may have rotated its keys since.
            Err(InvalidToken::Key) => {
                Ok(self.refresh(self.last_fetch.lock().await, now).await?.verify(token, now)?)
            }
            verified => Ok(verified?),
        }
    }

    /// The issuer with fresh keys; with the cached ones if the last fetch was recent, or this one fails.
    async fn refresh(
        &self,
        mut last_fetch: MutexGuard<'_, Option<Instant>>,
        now: Timestamp,
    ) -> Result<Arc<TrustedIssuer>> {
        let known = self.known().map(|known| known.issuer);
        let pause = if known.is_some() { RETRY } else { RETRY_WITHOUT_KEYS };
        if last_fetch.is_some_and(|at| at.elapsed() < pause) {
            return known
                .ok_or_else(|| Error::unavailable("the issuer's keys could not be fetched recently"));
        }
        let fetched = self.fetch().await;
        *last_fetch = Some(Instant::now());
        match fetched {
            Ok(keys) => {
                let (issuer, audience) = (self.issuer.clone(), self.audience.clone());
                let issuer = Arc::new(TrustedIssuer { issuer, audience, keys });
                let cached = CachedKeys { issuer: Arc::clone(&issuer), fetched_at: now };
                *self.cached.write() = Some(cached);
                Ok(issuer)
            }
            Err(error) => {
                tracing::warn!("error.chain" = error.chain(), "keys of OIDC issuer not fetched");
                known.ok_or(error)
            }
        }
    }

    fn known(&self) -> Option<CachedKeys> {
        self.cached.read().clone()
    }

    async fn fetch(&self) -> Result<KeySet> {
        let answer =
            self.client.get(self.jwks_url.clone()).send().await.and_then(reqwest::Response::error_for_status);
        let mut answer = answer.map_err(Error::unavailable)?;
        let mut document = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(Error::unavailable)? {
            document.extend_from_slice(&chunk);
            if document.len() > MAX_BYTES {
                return Err(Error::unavailable("the issuer's key set is too large"));
            }
        }
        KeySet::from_json(&document).map_err(Error::unavailable)
    }
}
