//! The accepted issuers of browser tokens: the deployment's own, and the development issuer.

use auth::browser_token::development::DevelopmentIssuer;
use auth::browser_token::{Identity, TrustedIssuer};
use auth::jwt::InvalidToken;
use domain::time::Timestamp;
use domain::{Error, Result};

use crate::credentials::oidc::OidcIssuer;

/// The accepted issuers.
pub struct Issuers {
    /// The deployment's OIDC issuer.
    pub oidc: Option<OidcIssuer>,
    /// The development issuer, only in development.
    pub development: Option<Development>,
}

/// The development issuer, which signs people in by tickets.
pub struct Development {
    /// Makes tokens of tickets.
    pub issuer: DevelopmentIssuer,
    /// Verifies its tokens.
    pub trusted: TrustedIssuer,
}

impl Issuers {
    /// The user that a token was issued to.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `UNAVAILABLE` if the issuer's keys could not be fetched yet.
    pub async fn identify(&self, token: &str, now: Timestamp) -> Result<Identity> {
        if let Some(development) = &self.development {
            match development.trusted.verify(token, now) {
                // Another issuer's token.
                Err(InvalidToken::Key) => {}
                verified => return Ok(verified?),
            }
        }
        match &self.oidc {
            Some(oidc) => oidc.verify(token, now).await,
            None => Err(Error::unauthenticated()),
        }
    }
}
