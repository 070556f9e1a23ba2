//! Grants: short-lived credentials of the data plane, minted with the control plane's private key and verified with
//! its public key.
//!
//! Not here: revocation with the grant's session or key, which `store` checks.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use domain::id::UserId;
use domain::people::permission::Permissions;
use domain::time::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use moka::sync::Cache;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::actor::{Actor, ActorCredential, ActorGrant};
use crate::jwt::{self, ExpectedClaims, InvalidToken};
use crate::signing_key::{InvalidKeyPem, SigningKey, verifying_keys};

/// Prefix of grants.
pub const PREFIX: &str = "svc_gr_";

/// Lifetime of a grant, in seconds (docs/api.md, section 3).
pub const LIFETIME_SECS: i64 = 15 * 60;

/// Grants whose claims are cached, at most some kilobytes each.
const MOST_REMEMBERED: u64 = 1_024;

const TYPE: &str = "atelier-grant+jwt";
const ISSUER: &str = "atelier-control";
const AUDIENCE: &str = "dataplane";

/// The text of a grant: `svc_gr_` and a compact JWT.
///
/// A secret: it has no `Display`, and `Debug` reveals nothing.
#[derive(Clone)]
pub struct Grant(String);

/// The terms of a grant: user, permissions and binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantTerms {
    /// The acting user.
    #[serde(rename = "sub")]
    pub user: UserId,
    /// The permissions, never more than those of the credential that minted it.
    pub permissions: Permissions,
    /// Its key, project, session and purpose.
    #[serde(flatten)]
    pub bound_to: ActorGrant,
}

/// A new grant.
#[derive(Clone, Debug)]
pub struct MintedGrant {
    /// The secret for the client.
    pub grant: Grant,
    /// Its id (`jti`), which may be logged.
    pub id: Uuid,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A grant with a verified signature, type, issuer, audience and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedGrant {
    /// Its id (`jti`), which may be logged.
    pub id: Uuid,
    /// Its terms.
    pub terms: GrantTerms,
    /// When it expires. Work that started before may end later.
    pub expires_at: Timestamp,
}

/// Mints grants with the control plane's private key.
pub struct GrantSigner(SigningKey);

/// Verifies grants with public keys; several during a key rotation.
#[derive(Clone)]
pub struct GrantVerifier {
    keys: HashMap<String, DecodingKey>,
    /// Claims of recently verified grants by the hashes of their texts. A client sends its grant with each request, and
    /// the signature is the slowest check. The time is checked each time.
    verified: Cache<[u8; 32], Arc<GrantClaims>>,
}

impl Grant {
    /// The secret, for the client that it was minted for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grant([redacted])")
    }
}

impl From<GrantTerms> for Actor {
    /// The caller with a verified grant.
    fn from(terms: GrantTerms) -> Self {
        Self {
            user: terms.user,
            credential: ActorCredential::Grant(Box::new(terms.bound_to)),
            ceiling: terms.permissions,
            confinement: None,
            acting_in: None,
        }
    }
}

impl GrantSigner {
    /// A signer from an Ed25519 private key (PKCS#8 PEM).
    ///
    /// # Errors
    /// [`InvalidKeyPem`].
    pub fn from_pem(text: &str) -> Result<Self, InvalidKeyPem> {
        SigningKey::from_pem(text).map(Self)
    }

    /// A verifier of this signer's grants.
    ///
    /// # Errors
    /// [`InvalidKeyPem`]: the public key can't be used.
    pub fn verifier(&self) -> Result<GrantVerifier, InvalidKeyPem> {
        let key = DecodingKey::from_jwk(&self.0.public).map_err(|_| InvalidKeyPem::Private)?;
        let id = self.0.id().ok_or(InvalidKeyPem::Private)?;
        Ok(GrantVerifier::new(HashMap::from([(id.to_owned(), key)])))
    }

    /// Mints a grant that lives for [`LIFETIME_SECS`] from `now`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: signing failed.
    pub fn mint(&self, terms: &GrantTerms, now: Timestamp) -> Result<MintedGrant, domain::Error> {
        let id = Uuid::new_v4();
        let expires_at = now.plus_seconds(LIFETIME_SECS);
        let claims = GrantClaims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            jti: id,
            iat: now.unix_seconds(),
            nbf: now.unix_seconds(),
            exp: expires_at.unix_seconds(),
            terms: terms.clone(),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(TYPE.to_owned());
        header.kid = self.0.id().map(str::to_owned);
        let token = jsonwebtoken::encode(&header, &claims, &self.0.key).map_err(domain::Error::internal)?;
        Ok(MintedGrant { grant: Grant(format!("{PREFIX}{token}")), id, expires_at })
    }
}

impl fmt::Debug for GrantSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrantSigner").field("key_id", &self.0.id()).finish_non_exhaustive()
    }
}

impl GrantVerifier {
    /// A verifier from one or several Ed25519 public keys (SubjectPublicKeyInfo PEM). Refuses private keys.
    ///
    /// # Errors
    /// [`InvalidKeyPem`].
    pub fn from_pem(text: &str) -> Result<Self, InvalidKeyPem> {
        Ok(Self::new(verifying_keys(text)?.into_iter().collect()))
    }

    fn new(keys: HashMap<String, DecodingKey>) -> Self {
        Self { keys, verified: Cache::new(MOST_REMEMBERED) }
    }

    /// Verifies a grant at `now`.
    ///
    /// # Errors
    /// [`InvalidToken`], always a 401.
    pub fn verify(&self, text: &str, now: Timestamp) -> Result<VerifiedGrant, InvalidToken> {
        let hash = Sha256::digest(text).into();
        let claims = match self.verified.get(&hash) {
            Some(claims) => claims,
            None => {
                let claims = Arc::new(self.claims(text)?);
                self.verified.insert(hash, Arc::clone(&claims));
                claims
            }
        };
        let expires_at = jwt::check_time(now, Some(claims.nbf), claims.exp)?;
        Ok(VerifiedGrant { id: claims.jti, terms: claims.terms.clone(), expires_at })
    }

    /// The claims of a grant, after verifying all but its time.
    fn claims(&self, text: &str) -> Result<GrantClaims, InvalidToken> {
        let token = text.strip_prefix(PREFIX).ok_or(InvalidToken::Malformed)?;
        let header = jwt::header(token)?;
        if header.typ.as_deref() != Some(TYPE) {
            return Err(InvalidToken::Type);
        }
        let key = header.kid.and_then(|id| self.keys.get(&id)).ok_or(InvalidToken::Key)?;
        let expected = ExpectedClaims {
            issuer: ISSUER,
            audience: AUDIENCE,
            required: &["exp", "nbf", "aud", "iss", "sub"],
        };
        jwt::claims(token, key, Algorithm::EdDSA, &expected)
    }
}

impl fmt::Debug for GrantVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrantVerifier").field("key_ids", &self.keys.keys()).finish_non_exhaustive()
    }
}

/// The payload of the JWT; every field is required.
#[derive(Serialize, Deserialize)]
struct GrantClaims {
    iss: String,
    aud: String,
    jti: Uuid,
    iat: i64,
    nbf: i64,
    exp: i64,
    #[serde(flatten)]
    terms: GrantTerms,
}
