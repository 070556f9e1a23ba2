//! An OIDC issuer's published keys: fetched, cached, and fetched anew when a token names a key that is not there.

use std::sync::Arc;
use std::time::Duration;

use auth::browser_token::{Identity, KeySet, TrustedIssuer};
use auth::jwt::InvalidToken;
use domain::time::Timestamp;
use domain::{Error, Result};
use tokio::sync::RwLock;
use url::Url;

/// How long fetched keys are used without asking again, in seconds.
const FRESH_SECS: i64 = 60 * 60;
/// Shortest time between two fetches, in seconds: tokens with made-up key ids can't make us hammer the issuer.
const RETRY_SECS: i64 = 10;
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
        Ok(Self { issuer, audience, jwks_url, client, cached: Arc::default() })
    }

    /// Whom a token speaks for.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `UNAVAILABLE` where the issuer's keys were never fetched and can't be now.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<Identity> {
        let cached = self.keys(now, FRESH_SECS).await?;
        match cached.issuer.verify(token, now) {
            // The issuer may have rotated its keys since.
            Err(InvalidToken::Key) => Ok(self.keys(now, RETRY_SECS).await?.issuer.verify(token, now)?),
            verified => Ok(verified?),
        }
    }

    /// The cached keys where they are younger than `fresh_secs`, else newly fetched ones. Keys that can't be
    /// fetched anew stay in use.
    async fn keys(&self, now: Timestamp, fresh_secs: i64) -> Result<Cached> {
        let is_fresh = |cached: &Cached| cached.fetched_at.plus_seconds(fresh_secs) > now;
        if let Some(cached) = self.cached.read().await.clone().filter(is_fresh) {
            return Ok(cached);
        }
        let mut slot = self.cached.write().await;
        if let Some(cached) = slot.clone().filter(is_fresh) {
            return Ok(cached);
        }
        match self.fetch().await {
            Ok(keys) => {
                let (issuer, audience) = (self.issuer.clone(), self.audience.clone());
                let cached =
                    Cached { issuer: Arc::new(TrustedIssuer { issuer, audience, keys }), fetched_at: now };
                *slot = Some(cached.clone());
                Ok(cached)
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the issuer's keys could not be fetched"
                );
                slot.clone().ok_or(error)
            }
        }
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
