//! The issuer that stands in for a real one in development.

use std::fmt;

use domain::id::UserId;
use domain::people::email::EmailAddress;
use domain::time::Timestamp;
use jsonwebtoken::{Algorithm, Header};
use rand::distr::{Alphanumeric, SampleString};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::Serialize;
use serde_json::{Value, json};

use crate::browser_token::TrustedIssuer;
use crate::browser_token::key_set::KeySet;
use crate::signing_key::{InvalidKeyPem, SigningKey};

/// The `iss` of the development issuer.
pub const DEVELOPMENT_ISSUER: &str = "atelier-development";
/// The `aud` of the development issuer's tokens.
pub const DEVELOPMENT_AUDIENCE: &str = "atelier-control";

/// Random characters of an id: more than 120 bits.
const ID_LENGTH: usize = 22;

/// The text of a browser access token. Only the issuer below makes them here.
///
/// A secret: it has no `Display`, and `Debug` reveals nothing.
#[derive(Clone)]
pub struct BrowserToken(String);

/// Issues browser tokens in development, instead of a real issuer.
pub struct DevelopmentIssuer(pub(super) SigningKey);

/// The person of a token of the development issuer.
#[derive(Clone, Debug)]
pub enum DevelopmentSubject {
    /// A user; the subject is the user's id.
    User(UserId),
    /// A person with a verified address, who may have no account yet; the subject is the address.
    Person(EmailAddress),
}

impl BrowserToken {
    /// The secret, for the client that requested it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BrowserToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BrowserToken([redacted])")
    }
}

impl DevelopmentIssuer {
    /// An issuer from an Ed25519 private key (PKCS#8 PEM).
    ///
    /// # Errors
    /// [`InvalidKeyPem`].
    pub fn from_pem(text: &str) -> Result<Self, InvalidKeyPem> {
        SigningKey::from_pem(text).map(Self)
    }

    /// Issues a token, valid from `now` for `lifetime_secs`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`: signing failed.
    pub fn issue(
        &self,
        subject: &DevelopmentSubject,
        now: Timestamp,
        lifetime_secs: u32,
    ) -> Result<BrowserToken, domain::Error> {
        let (sub, email) = match subject {
            DevelopmentSubject::User(user) => (user.to_string(), None),
            DevelopmentSubject::Person(email) => (email.as_str().to_owned(), Some(email)),
        };
        let claims = IssuedClaims {
            iss: DEVELOPMENT_ISSUER,
            aud: DEVELOPMENT_AUDIENCE,
            sub,
            email,
            email_verified: email.map(|_| true),
            jti: random_id(),
            iat: now.unix_seconds(),
            nbf: now.unix_seconds(),
            exp: now.plus_seconds(lifetime_secs.into()).unix_seconds(),
        };
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some("at+jwt".to_owned());
        header.kid = self.0.id().map(str::to_owned);
        let token = jsonwebtoken::encode(&header, &claims, &self.0.key).map_err(domain::Error::internal)?;
        Ok(BrowserToken(token))
    }

    /// This issuer for the control plane's trust list.
    pub fn trusted(&self) -> TrustedIssuer {
        TrustedIssuer {
            issuer: DEVELOPMENT_ISSUER.to_owned(),
            audience: DEVELOPMENT_AUDIENCE.to_owned(),
            keys: KeySet::from_jwks(std::slice::from_ref(&self.0.public)),
        }
    }

    /// Its JWKS document, as a real issuer publishes it.
    pub fn jwks(&self) -> Value {
        json!({ "keys": [self.0.public] })
    }
}

impl fmt::Debug for DevelopmentIssuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevelopmentIssuer").field("key_id", &self.0.id()).finish_non_exhaustive()
    }
}

/// An id (`jti`) that nobody else makes.
pub(super) fn random_id() -> String {
    Alphanumeric.sample_string(&mut UnwrapErr(SysRng), ID_LENGTH)
}

#[derive(Serialize)]
struct IssuedClaims<'a> {
    iss: &'static str,
    aud: &'static str,
    sub: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a EmailAddress>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_verified: Option<bool>,
    /// Makes two tokens of one second differ, so that one can be ended without the other.
    jti: String,
    iat: i64,
    nbf: i64,
    exp: i64,
}
