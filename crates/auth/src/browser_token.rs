//! Browser access tokens: JWTs of an OpenID Connect issuer, verified against its published keys.
//!
//! Not here: fetching and caching the keys, and which user a subject is.

pub mod development;
pub mod key_set;
#[cfg(test)]
mod tests;
pub mod ticket;

use domain::people::email::EmailAddress;
use domain::text::Name;
use domain::time::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::browser_token::key_set::KeySet;
use crate::jwt::{self, ExpectedClaims, InvalidToken};

/// Longest subject, in bytes (OpenID Connect Core, section 2).
const SUBJECT_MAX_BYTES: usize = 255;

/// The identity in a verified browser token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The issuer, `iss`.
    pub issuer: String,
    /// The subject, `sub`, unique for its issuer.
    pub subject: String,
    /// The email address, if the issuer says that it has verified it.
    pub verified_email: Option<EmailAddress>,
    /// The name of the person, if the token has one.
    pub name: Option<Name>,
    /// The token, without its secret.
    pub token: TokenRecord,
}

/// A verified browser token as the store keeps it, to end it before it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenRecord {
    /// SHA-256 of the signed part. The signature is left out: anyone can write one of ES256 in a second form.
    pub hash: [u8; 32],
    /// The time of issue, `iat`, in whole seconds; `None` if the issuer doesn't say it.
    pub issued_at: Option<Timestamp>,
    /// The time of expiry, `exp`.
    pub expires_at: Timestamp,
}

/// An issuer whose tokens are accepted.
#[derive(Clone, Debug)]
pub struct TrustedIssuer {
    /// The issuer's identifier, `iss`.
    pub issuer: String,
    /// The `aud` of its tokens for this service.
    pub audience: String,
    /// Its published keys.
    pub keys: KeySet,
}

impl TrustedIssuer {
    /// Verifies that this issuer made a token for this service and that it is alive at `now`.
    ///
    /// # Errors
    /// [`InvalidToken`], always a 401. After [`InvalidToken::Key`], fetching the issuer's keys again may help.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Identity, InvalidToken> {
        let header = jwt::header(token)?;
        if !is_access_token_type(header.typ.as_deref()) {
            return Err(InvalidToken::Type);
        }
        let key = self.keys.find(&header).ok_or(InvalidToken::Key)?;
        let expected = ExpectedClaims {
            issuer: &self.issuer,
            audience: &self.audience,
            required: &["exp", "aud", "iss", "sub"],
        };
        let claims: BrowserClaims = jwt::claims(token, &key.key, key.algorithm, &expected)?;
        let expires_at = jwt::check_time(now, claims.nbf, claims.exp)?;
        // OpenID Connect allows only ASCII; NUL is the only character that the database can't store.
        if claims.sub.is_empty() || claims.sub.len() > SUBJECT_MAX_BYTES || claims.sub.contains('\0') {
            return Err(InvalidToken::Claims("`sub` is empty, too long or has a NUL".into()));
        }
        // Issuers of some vendors write the flag as text.
        let is_verified = claims.email_verified == json!(true) || claims.email_verified == json!("true");
        let verified_email = claims.email.as_str().filter(|_| is_verified).and_then(EmailAddress::parse);
        let name = claims.name.as_str().and_then(Name::sanitize);
        let signed = token.rsplit_once('.').map_or(token, |(signed, _)| signed);
        let hash = Sha256::digest(signed).into();
        let issued_at = claims.iat.as_i64().and_then(|seconds| jwt::moment(seconds).ok());
        let token = TokenRecord { hash, issued_at, expires_at };
        Ok(Identity { issuer: self.issuer.clone(), subject: claims.sub, verified_email, name, token })
    }
}

/// True if `typ` is absent, `JWT` or `at+jwt` (RFC 9068). JWTs for other purposes, for example grants, have others.
fn is_access_token_type(header: Option<&str>) -> bool {
    header.is_none_or(|name| {
        let name = name.to_ascii_lowercase();
        matches!(name.strip_prefix("application/").unwrap_or(&name), "jwt" | "at+jwt")
    })
}

#[derive(Deserialize)]
struct BrowserClaims {
    sub: String,
    exp: i64,
    nbf: Option<i64>,
    /// Of any type, because a token without a usable address authenticates as well.
    #[serde(default)]
    email: Value,
    #[serde(default)]
    email_verified: Value,
    #[serde(default)]
    name: Value,
    /// As above: issuers may leave it out.
    #[serde(default)]
    iat: Value,
}
