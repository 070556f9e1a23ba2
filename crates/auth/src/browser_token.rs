//! Browser access tokens: JWTs of an OpenID Connect issuer, verified against its published keys; and the
//! issuer that stands in for a real one in development.
//!
//! Not here: fetching and caching the keys, and which user a subject is.

pub mod ticket;

use std::fmt;

use domain::email::EmailAddress;
use domain::id::UserId;
use domain::text::Name;
use domain::time::Timestamp;
use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, KeyOperations, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey, Header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::browser_token::ticket::random_id;
use crate::jwt::{self, ExpectedClaims, InvalidToken};
use crate::signing_key::{InvalidKeyPem, SigningKey};

/// The `iss` of the development issuer.
pub const DEVELOPMENT_ISSUER: &str = "atelier-development";
/// The `aud` of the development issuer's tokens.
pub const DEVELOPMENT_AUDIENCE: &str = "atelier-control";

/// Longest subject, in bytes (OpenID Connect Core, section 2).
const SUBJECT_MAX_BYTES: usize = 255;

/// The text of a browser access token. Only the development issuer makes them here.
///
/// A secret: it has no `Display`, and `Debug` reveals nothing.
#[derive(Clone)]
pub struct BrowserToken(String);

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

/// The usable signature keys of a JSON Web Key Set: Ed25519 (EdDSA), P-256 (ES256) and RSA (RS256).
#[derive(Clone, Debug)]
pub struct KeySet(Vec<TrustedKey>);

/// The text is not a JSON Web Key Set.
#[derive(Debug, thiserror::Error)]
#[error("the text is not a JSON Web Key Set")]
pub struct InvalidKeySet(#[from] serde_json::Error);

/// Issues browser tokens in development, instead of a real issuer.
pub struct DevelopmentIssuer(SigningKey);

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

impl KeySet {
    /// Reads the usable keys of a JWKS document. Keys of other types and uses are skipped, because an issuer may publish
    /// any; symmetric keys are skipped, because anyone who can read them can sign.
    ///
    /// # Errors
    /// [`InvalidKeySet`].
    pub fn from_json(document: &[u8]) -> Result<Self, InvalidKeySet> {
        let set: JwkSet = serde_json::from_slice(document)?;
        Ok(Self::from_jwks(&set.keys))
    }

    /// Number of usable keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if no key is usable.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn from_jwks(jwks: &[Jwk]) -> Self {
        Self(jwks.iter().filter_map(TrustedKey::from_jwk).collect())
    }

    /// The key named by a token's header. Without a name, the set must have a single key.
    fn find(&self, header: &Header) -> Option<&TrustedKey> {
        match (&header.kid, self.0.as_slice()) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(id), keys) => keys.iter().find(|key| key.id.as_ref() == Some(id)),
        }
    }
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

/// A published key with its only algorithm.
#[derive(Clone, Debug)]
struct TrustedKey {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

impl TrustedKey {
    fn from_jwk(jwk: &Jwk) -> Option<Self> {
        let (algorithm, name) = match &jwk.algorithm {
            AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
            }
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                (Algorithm::ES256, KeyAlgorithm::ES256)
            }
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            _ => return None,
        };
        let common = &jwk.common;
        let for_signatures =
            common.public_key_use.as_ref().is_none_or(|key_use| *key_use == PublicKeyUse::Signature)
                && common
                    .key_operations
                    .as_ref()
                    .is_none_or(|operations| operations.contains(&KeyOperations::Verify))
                && common.key_algorithm.is_none_or(|algorithm| algorithm == name);
        if !for_signatures {
            return None;
        }
        Some(Self { id: common.key_id.clone(), algorithm, key: DecodingKey::from_jwk(jwk).ok()? })
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aws_lc_rs::encoding::AsDer;
    use aws_lc_rs::rsa::KeySize;
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RsaKeyPair};
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use domain::id::UserId;
    use domain::time::Timestamp;
    use jsonwebtoken::jwk::Jwk;
    use jsonwebtoken::{Algorithm, EncodingKey};
    use pem::Pem;
    use serde_json::{Value, json};

    use super::{
        DEVELOPMENT_AUDIENCE, DEVELOPMENT_ISSUER, DevelopmentIssuer, DevelopmentSubject, KeySet,
        TrustedIssuer,
    };
    use crate::jwt::InvalidToken;
    use crate::signing_key::{SigningKey, generate};

    const ISSUER: &str = "https://login.example.com/";
    const AUDIENCE: &str = "https://atelier.example.com";

    /// A key of an external issuer.
    struct Key {
        id: &'static str,
        algorithm: Algorithm,
        key: EncodingKey,
    }

    impl Key {
        /// One key of each accepted type.
        fn each() -> [Self; 3] {
            let ec = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
            let ec = pem::encode(&Pem::new("PRIVATE KEY", ec.to_pkcs8v1().unwrap().as_ref()));
            let rsa = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
            let rsa = pem::encode(&Pem::new("PRIVATE KEY", rsa.as_der().unwrap().as_ref()));
            [
                Self::ed25519(),
                Self {
                    id: "ec",
                    algorithm: Algorithm::ES256,
                    key: EncodingKey::from_ec_pem(ec.as_bytes()).unwrap(),
                },
                Self {
                    id: "rsa",
                    algorithm: Algorithm::RS256,
                    key: EncodingKey::from_rsa_pem(rsa.as_bytes()).unwrap(),
                },
            ]
        }

        fn ed25519() -> Self {
            let key = SigningKey::from_pem(&generate().unwrap().private).unwrap().key;
            Self { id: "ed", algorithm: Algorithm::EdDSA, key }
        }

        fn jwk(&self) -> Value {
            let mut jwk = Jwk::from_encoding_key(&self.key, self.algorithm).unwrap();
            jwk.common.key_id = Some(self.id.to_owned());
            serde_json::to_value(jwk).unwrap()
        }

        fn header(&self) -> Value {
            json!({ "alg": self.algorithm, "kid": self.id, "typ": "JWT" })
        }

        fn sign(&self, header: &Value, claims: &Value) -> String {
            sign(header, claims, self.algorithm, &self.key)
        }
    }

    fn sign(header: &Value, claims: &Value, algorithm: Algorithm, key: &EncodingKey) -> String {
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", encode(header), encode(claims));
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), key, algorithm).unwrap();
        format!("{message}.{signature}")
    }

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-20T12:00:00Z").unwrap()
    }

    fn claims() -> Value {
        let now = now().unix_seconds();
        json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": now + 3600, "nbf": now, "iat": now })
    }

    fn with(value: &Value, field: &str, to: &Value) -> Value {
        let mut value = value.clone();
        value[field] = to.clone();
        value
    }

    fn without(value: &Value, field: &str) -> Value {
        let mut value = value.clone();
        value.as_object_mut().unwrap().remove(field).unwrap();
        value
    }

    fn key_set(jwks: &[Value]) -> KeySet {
        KeySet::from_json(json!({ "keys": jwks }).to_string().as_bytes()).unwrap()
    }

    fn trusting(jwks: &[Value]) -> TrustedIssuer {
        TrustedIssuer { issuer: ISSUER.to_owned(), audience: AUDIENCE.to_owned(), keys: key_set(jwks) }
    }

    /// The subject, or the name of the error.
    fn verdict(issuer: &TrustedIssuer, token: &str) -> String {
        match issuer.verify(token, now()) {
            Ok(identity) => identity.subject,
            Err(InvalidToken::Claims(_)) => "Claims".into(),
            Err(refusal) => format!("{refusal:?}"),
        }
    }

    #[test]
    fn tokens_of_each_accepted_key_type_are_verified() {
        let keys = Key::each();
        let issuer = trusting(&keys.each_ref().map(Key::jwk));
        for key in &keys {
            let identity = issuer.verify(&key.sign(&key.header(), &claims()), now()).unwrap();
            assert_eq!((identity.issuer.as_str(), identity.subject.as_str()), (ISSUER, "alice"));
        }
    }

    #[test]
    fn an_address_counts_only_if_the_issuer_has_verified_it() {
        let key = Key::ed25519();
        let issuer = trusting(&[key.jwk()]);
        let email = |address: Value, verified: Value| {
            let claims = with(&with(&claims(), "email", &address), "email_verified", &verified);
            let identity = issuer.verify(&key.sign(&key.header(), &claims), now()).unwrap();
            identity.verified_email.map(|email| email.to_string())
        };
        let address = || json!("alice@works.example");
        for yes in [json!(true), json!("true")] {
            assert_eq!(email(address(), yes).as_deref(), Some("alice@works.example"));
        }
        for no in [json!(false), json!("false"), json!(1), json!(null), json!("yes")] {
            assert_eq!(email(address(), no), None);
        }
        for odd in [json!("alice"), json!(["alice@works.example"]), json!(7)] {
            assert_eq!(email(odd, json!(true)), None);
        }
    }

    #[test]
    fn a_second_signature_makes_no_second_token() {
        let keys = Key::each();
        let issuer = trusting(&keys.each_ref().map(Key::jwk));
        let record = |token: &str| issuer.verify(token, now()).unwrap().token;
        let [_, ec, _] = &keys;
        let [first, second] = [(); 2].map(|()| ec.sign(&ec.header(), &claims()));
        assert_ne!(first, second);
        assert_eq!(record(&first), record(&second));
        let other = ec.sign(&ec.header(), &with(&claims(), "jti", &json!("2")));
        assert_ne!(record(&first).hash, record(&other).hash);
    }

    #[test]
    fn a_token_without_a_usable_time_of_issue_says_none() {
        let key = Key::ed25519();
        let issuer = trusting(&[key.jwk()]);
        let issued_at = |claims: &Value| {
            let token = issuer.verify(&key.sign(&key.header(), claims), now()).unwrap().token;
            assert_eq!(token.expires_at, now().plus_seconds(3600));
            token.issued_at
        };
        assert_eq!(issued_at(&claims()), Some(now()));
        assert_eq!(issued_at(&without(&claims(), "iat")), None);
        for odd in [json!("noon"), json!(i64::MAX), json!(null)] {
            assert_eq!(issued_at(&with(&claims(), "iat", &odd)), None);
        }
    }

    #[test]
    fn the_key_decides_the_algorithm() {
        let keys = Key::each();
        let issuer = trusting(&keys.each_ref().map(Key::jwk));
        for key in &keys {
            for other in ["EdDSA", "ES256", "RS256", "PS256", "RS512", "HS256"] {
                let header = with(&key.header(), "alg", &json!(other));
                let expected = if header == key.header() { "alice" } else { "Key" };
                let token = key.sign(&header, &claims());
                assert_eq!(verdict(&issuer, &token), expected, "{} as {other}", key.id);
            }
            let unsigned = key.sign(&with(&key.header(), "alg", &json!("none")), &claims());
            assert_eq!(verdict(&issuer, &unsigned), "Malformed");

            let header = with(&key.header(), "alg", &json!("HS256"));
            for secret in [key.jwk().to_string(), key.jwk()["x"].to_string(), key.jwk()["n"].to_string()] {
                let secret = EncodingKey::from_secret(secret.as_bytes());
                let token = sign(&header, &claims(), Algorithm::HS256, &secret);
                assert_eq!(verdict(&issuer, &token), "Key", "HMAC with the public key as its secret");
            }
        }
    }

    #[test]
    fn tokens_for_other_audiences_or_times_are_refused() {
        let key = Key::ed25519();
        let issuer = trusting(&[key.jwk()]);
        let now = now().unix_seconds();
        for (field, value, expected) in [
            ("iss", json!("https://login.example.com"), "Claims"),
            ("iss", json!(null), "Claims"),
            ("aud", json!("another"), "Claims"),
            ("aud", json!(["another", AUDIENCE]), "alice"),
            ("aud", json!([]), "Claims"),
            ("sub", json!(""), "Claims"),
            ("sub", json!("a".repeat(255)), &*"a".repeat(255)),
            ("sub", json!("a".repeat(256)), "Claims"),
            ("sub", json!(7), "Claims"),
            ("exp", json!(now - 6), "Expired"),
            ("exp", json!(now - 4), "alice"),
            ("exp", json!("tomorrow"), "Claims"),
            ("nbf", json!(now + 6), "NotYetValid"),
            ("nbf", json!(now + 4), "alice"),
        ] {
            let token = key.sign(&key.header(), &with(&claims(), field, &value));
            assert_eq!(verdict(&issuer, &token), expected, "{field} {value}");
        }
        for field in ["iss", "aud", "sub", "exp"] {
            let token = key.sign(&key.header(), &without(&claims(), field));
            assert_eq!(verdict(&issuer, &token), "Claims", "without {field}");
        }
        let token = key.sign(&key.header(), &without(&claims(), "nbf"));
        assert_eq!(verdict(&issuer, &token), "alice", "OpenID Connect does not require nbf");
    }

    #[test]
    fn tokens_of_another_type_are_refused() {
        let key = Key::ed25519();
        let issuer = trusting(&[key.jwk()]);
        for (name, expected) in [
            ("JWT", "alice"),
            ("at+jwt", "alice"),
            ("application/at+JWT", "alice"),
            ("atelier-grant+jwt", "Type"),
            ("dpop+jwt", "Type"),
            ("logout+jwt", "Type"),
            ("", "Type"),
        ] {
            let token = key.sign(&with(&key.header(), "typ", &json!(name)), &claims());
            assert_eq!(verdict(&issuer, &token), expected, "{name}");
        }
        assert_eq!(verdict(&issuer, &key.sign(&without(&key.header(), "typ"), &claims())), "alice");
        let critical = with(&key.header(), "crit", &json!(["b64"]));
        assert_eq!(verdict(&issuer, &key.sign(&critical, &claims())), "Malformed");
    }

    #[test]
    fn a_key_is_found_by_its_id_or_as_the_only_one() {
        let (key, other) = (Key::ed25519(), Key { id: "other", ..Key::ed25519() });
        let anonymous = key.sign(&without(&key.header(), "kid"), &claims());
        assert_eq!(verdict(&trusting(&[key.jwk()]), &anonymous), "alice");
        assert_eq!(verdict(&trusting(&[other.jwk()]), &anonymous), "Signature");
        assert_eq!(verdict(&trusting(&[key.jwk(), other.jwk()]), &anonymous), "Key");
        assert_eq!(verdict(&trusting(&[]), &anonymous), "Key");

        let named = key.sign(&key.header(), &claims());
        assert_eq!(verdict(&trusting(&[other.jwk(), key.jwk()]), &named), "alice");
        assert_eq!(verdict(&trusting(&[other.jwk()]), &named), "Key");
        let stolen_name = Key { id: "ed", ..Key::ed25519() };
        assert_eq!(verdict(&trusting(&[stolen_name.jwk()]), &named), "Signature");
    }

    #[test]
    fn unusable_keys_are_skipped() {
        let [ed, ec, rsa] = Key::each().each_ref().map(Key::jwk);
        assert_eq!(key_set(&[ed.clone(), ec.clone(), rsa.clone()]).len(), 3);
        for unusable in [
            with(&ed, "use", &json!("enc")),
            with(&ed, "key_ops", &json!(["sign"])),
            with(&ed, "alg", &json!("HS256")),
            with(&ed, "crv", &json!("X25519")),
            with(&ec, "crv", &json!("P-384")),
            with(&rsa, "alg", &json!("PS256")),
            with(&rsa, "alg", &json!("RSA-OAEP")),
            json!({ "kty": "oct", "kid": "ed", "k": "c2VjcmV0", "alg": "HS256" }),
            json!({ "kty": "future", "kid": "ed" }),
        ] {
            assert!(key_set(std::slice::from_ref(&unusable)).is_empty(), "{unusable}");
        }
        for document in ["", "[]", "{}", "<html></html>", "{\"keys\": 7}"] {
            assert!(KeySet::from_json(document.as_bytes()).is_err(), "{document}");
        }
    }

    #[test]
    fn a_development_token_identifies_its_user_until_it_expires() {
        let issuer = DevelopmentIssuer::from_pem(&generate().unwrap().private).unwrap();
        let user = UserId::new(now());
        let token = issuer.issue(&DevelopmentSubject::User(user), now(), 60).unwrap();
        let trusted = issuer.trusted();
        let identity = trusted.verify(token.reveal(), now()).unwrap();
        assert_eq!((identity.issuer.as_str(), identity.subject), (DEVELOPMENT_ISSUER, user.to_string()));
        let later = trusted.verify(token.reveal(), now().plus_seconds(66));
        assert!(matches!(later, Err(InvalidToken::Expired)));

        let published = TrustedIssuer {
            issuer: DEVELOPMENT_ISSUER.to_owned(),
            audience: DEVELOPMENT_AUDIENCE.to_owned(),
            keys: KeySet::from_json(issuer.jwks().to_string().as_bytes()).unwrap(),
        };
        assert!(published.verify(token.reveal(), now()).is_ok());
        let another = DevelopmentIssuer::from_pem(&generate().unwrap().private).unwrap();
        assert!(matches!(another.trusted().verify(token.reveal(), now()), Err(InvalidToken::Key)));
    }

    #[test]
    fn the_published_keys_include_no_private_key() {
        let pair = generate().unwrap();
        let jwks = DevelopmentIssuer::from_pem(&pair.private).unwrap().jwks();
        let fields: BTreeSet<_> = jwks["keys"][0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, BTreeSet::from(["alg", "crv", "kid", "kty", "use", "x"]));
    }
}
