//! An OIDC issuer's published keys: fetched, cached, and fetched anew when a token names a key that is not there.

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

/// How long fetched keys are used without asking again, in seconds.
const FRESH_SECS: i64 = 60 * 60;
/// Shortest time between two fetches: tokens with made-up key ids can't make us hammer the issuer.
const RETRY: Duration = Duration::from_secs(10);
/// As [`RETRY`], as long as there are no keys at all and every token waits for them.
const RETRY_WITHOUT_KEYS: Duration = Duration::from_secs(1);
/// Longest time that a fetch may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Largest key set that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A configured issuer.
#[derive(Clone)]
pub struct OidcIssuer {
    issuer: String,
    audience: String,
    jwks_url: Url,
    client: reqwest::Client,
    cached: Arc<RwLock<Option<Cached>>>,
    /// When the last fetch ended, however it did. Locked while one runs: there is one at a time.
    tried: Arc<Mutex<Option<Instant>>>,
}

#[derive(Clone)]
struct Cached {
    issuer: Arc<TrustedIssuer>,
    fetched_at: Timestamp,
}

impl OidcIssuer {
    /// An issuer whose keys lie at `jwks_url`. Nothing is fetched yet.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the HTTP client can't be set up.
    pub fn new(issuer: String, audience: String, jwks_url: Url) -> Result<Self> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(Error::internal)?;
        Ok(Self { issuer, audience, jwks_url, client, cached: Arc::default(), tried: Arc::default() })
    }

    /// Whom a token speaks for.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `UNAVAILABLE` where the issuer's keys were never fetched and can't be now.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<Identity> {
        let issuer = match self.known() {
            Some(known) if known.fetched_at.plus_seconds(FRESH_SECS) > now => known.issuer,
            // One request asks anew; those that come meanwhile do not wait for it.
            Some(known) => match self.tried.try_lock() {
                Ok(turn) => self.refresh(turn, now).await?,
                Err(_) => known.issuer,
            },
            None => self.refresh(self.tried.lock().await, now).await?,
        };
        match issuer.verify(token, now) {
            // The issuer may have rotated its keys since.
            Err(InvalidToken::Key) => {
                Ok(self.refresh(self.tried.lock().await, now).await?.verify(token, now)?)
            }
            verified => Ok(verified?),
        }
    }

    /// The issuer with newly fetched keys; with the known ones where the last fetch ended just now, or fails.
    async fn refresh(
        &self,
        mut tried: MutexGuard<'_, Option<Instant>>,
        now: Timestamp,
    ) -> Result<Arc<TrustedIssuer>> {
        let known = self.known().map(|known| known.issuer);
        let pause = if known.is_some() { RETRY } else { RETRY_WITHOUT_KEYS };
        if tried.is_some_and(|at| at.elapsed() < pause) {
            return known
                .ok_or_else(|| Error::unavailable("the issuer's keys could not be fetched just now"));
        }
        let fetched = self.fetch().await;
        *tried = Some(Instant::now());
        match fetched {
            Ok(keys) => {
                let (issuer, audience) = (self.issuer.clone(), self.audience.clone());
                let issuer = Arc::new(TrustedIssuer { issuer, audience, keys });
                let cached = Cached { issuer: Arc::clone(&issuer), fetched_at: now };
                *self.cached.write() = Some(cached);
                Ok(issuer)
            }
            Err(error) => {
                tracing::warn!("error.chain" = error.chain(), "the issuer's keys could not be fetched");
                known.ok_or(error)
            }
        }
    }

    fn known(&self) -> Option<Cached> {
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
