//! Tokens of issuers with keys of each kind, and the refusals of others.

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

use crate::browser_token::TrustedIssuer;
use crate::browser_token::development::{
    DEVELOPMENT_AUDIENCE, DEVELOPMENT_ISSUER, DevelopmentIssuer, DevelopmentSubject,
};
use crate::browser_token::key_set::KeySet;
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
