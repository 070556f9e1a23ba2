//! An OIDC issuer: its keys and addresses, as its discovery document names them. They are cached, and fetched again when
//! a token names an unknown key.

use std::sync::Arc;
use std::time::Duration;

use auth::browser_token::key_set::KeySet;
use auth::browser_token::{Identity, TrustedIssuer};
use auth::jwt::InvalidToken;
use domain::time::{Clock, Timestamp};
use domain::{Error, Result};
use parking_lot::RwLock;
use serde::Deserialize;
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
/// Largest document of an issuer, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Letters of another issuer's name in the log.
const MAX_NAME: usize = 200;

/// A configured issuer.
#[derive(Clone)]
pub struct OidcIssuer {
    issuer: String,
    audience: String,
    document_url: Url,
    client: reqwest::Client,
    cached: Arc<RwLock<Option<Cached>>>,
    /// The end of the last fetch, successful or not. Locked during a fetch: there is one at a time.
    last_fetch: Arc<Mutex<Option<Instant>>>,
}

#[derive(Clone)]
struct Cached {
    issuer: Arc<TrustedIssuer>,
    metadata: Arc<ProviderMetadata>,
    fetched_at: Timestamp,
}

/// An issuer's own description (OpenID Connect Discovery 1.0, section 3; RFC 8414 for `revocation_endpoint`, OpenID
/// Connect RP-Initiated Logout 1.0 for `end_session_endpoint`).
#[derive(Clone, Debug, Deserialize)]
pub struct ProviderMetadata {
    issuer: String,
    jwks_uri: Url,
    /// The page for signing in.
    pub authorization_endpoint: Url,
    /// The address that gives tokens for codes. An issuer without one can't sign people in to pages.
    pub token_endpoint: Option<Url>,
    /// The address that revokes refresh tokens.
    pub revocation_endpoint: Option<Url>,
    /// The page that ends the issuer's own session.
    pub end_session_endpoint: Option<Url>,
}

impl OidcIssuer {
    /// Creates an issuer with this URL. Fetches nothing yet.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: the issuer is no URL, or the HTTP client can't be created.
    pub fn new(issuer: String, audience: String) -> Result<Self> {
        // The path is appended to the issuer's own, after its last slash (Discovery 1.0, section 4).
        let document = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let document_url = Url::parse(&document).map_err(Error::internal)?;
        let client = reqwest::Client::builder().timeout(TIMEOUT).build().map_err(Error::internal)?;
        Ok(Self {
            issuer,
            audience,
            document_url,
            client,
            cached: Arc::default(),
            last_fetch: Arc::default(),
        })
    }

    /// Fetches the issuer's document and keys until it has answered once, so that people find its page and their first
    /// tokens don't wait.
    pub async fn discover(self, clock: Clock) {
        while self.known().is_none() {
            let fetched = self.refresh(self.last_fetch.lock().await, clock.now()).await;
            if fetched.is_err() {
                tokio::time::sleep(RETRY).await;
            }
        }
    }

    /// The issuer, exactly as in its tokens.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The `aud` of its tokens for this service.
    pub fn audience(&self) -> &str {
        &self.audience
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
            Ok((metadata, keys)) => {
                let (issuer, audience) = (self.issuer.clone(), self.audience.clone());
                let issuer = Arc::new(TrustedIssuer { issuer, audience, keys });
                let metadata = Arc::new(metadata);
                let cached = Cached { issuer: Arc::clone(&issuer), metadata, fetched_at: now };
                *self.cached.write() = Some(cached);
                Ok(issuer)
            }
            Err(error) => {
                tracing::warn!(
                    "error.chain" = error.chain(),
                    "the OIDC issuer's document or keys were not fetched"
                );
                known.ok_or(error)
            }
        }
    }

    /// The issuer's description, once it has answered.
    pub fn metadata(&self) -> Option<Arc<ProviderMetadata>> {
        self.known().map(|known| known.metadata)
    }

    fn known(&self) -> Option<Cached> {
        self.cached.read().clone()
    }

    async fn fetch(&self) -> Result<(ProviderMetadata, KeySet)> {
        let metadata: ProviderMetadata = serde_json::from_slice(&self.get(self.document_url.clone()).await?)
            .map_err(Error::unavailable)?;
        // Section 4.3: else one issuer could stand for another.
        if metadata.issuer != self.issuer {
            let named = metadata.issuer.chars().take(MAX_NAME).collect::<String>();
            return Err(Error::unavailable(format!("the issuer's document names the issuer {named:?}")));
        }
        let keys = self.get(metadata.jwks_uri.clone()).await?;
        Ok((metadata, KeySet::from_json(&keys).map_err(Error::unavailable)?))
    }

    async fn get(&self, url: Url) -> Result<Vec<u8>> {
        let answer = self.client.get(url).send().await.and_then(reqwest::Response::error_for_status);
        let mut answer = answer.map_err(Error::unavailable)?;
        let mut document = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(Error::unavailable)? {
            document.extend_from_slice(&chunk);
            if document.len() > MAX_BYTES {
                return Err(Error::unavailable("the issuer's document is too large"));
            }
        }
        Ok(document)
    }
}
