//! Grants: their claims, and the refusals of others.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::Code;
use domain::content::project::BranchName;
use domain::id::{ApiKeyId, ProjectId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::session::ConnectionId;
use jsonwebtoken::{Algorithm, EncodingKey};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Grant, GrantSigner, GrantTerms, GrantVerifier, LIFETIME_SECS, PREFIX};
use crate::actor::{
    Actor, ActorCredential, ActorGrant, GrantedSession, ProjectManage, ProjectWrite, Purpose, Requirement,
};
use crate::jwt::InvalidToken;
use crate::signing_key::{KeyPairPem, SigningKey, generate};
use domain::people::permission::{Permissions, Scope};

struct Planes {
    pair: KeyPairPem,
    signer: GrantSigner,
    verifier: GrantVerifier,
}

fn planes() -> Planes {
    let pair = generate().unwrap();
    let signer = GrantSigner::from_pem(&pair.private).unwrap();
    let verifier = GrantVerifier::from_pem(&pair.public).unwrap();
    Planes { pair, signer, verifier }
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-20T12:00:00Z").unwrap()
}

fn session() -> GrantedSession {
    let session = SessionId::new(now());
    GrantedSession { branch: BranchName::main(), session, connection: ConnectionId::of_session(session) }
}

fn terms(purpose: Purpose) -> GrantTerms {
    GrantTerms {
        user: UserId::new(now()),
        permissions: Permissions::of_scopes(&[Scope::ProjectsWrite]),
        bound_to: ActorGrant { key: Some(ApiKeyId::new(now())), project: ProjectId::new(now()), purpose },
    }
}

fn mint(planes: &Planes) -> Grant {
    planes.signer.mint(&terms(Purpose::Session(session())), now()).unwrap().grant
}

/// The JSON of the header (0) or the claims (1) of a grant.
fn part(grant: &str, index: usize) -> Value {
    let part = grant.strip_prefix(PREFIX).unwrap().split('.').nth(index).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

/// A grant with the given header and claims, signed with any key and algorithm.
fn forge(header: &Value, claims: &Value, algorithm: Algorithm, key: &EncodingKey) -> String {
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encode(header), encode(claims));
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), key, algorithm).unwrap();
    format!("{PREFIX}{message}.{signature}")
}

fn signed(planes: &Planes, header: &Value, claims: &Value) -> String {
    forge(header, claims, Algorithm::EdDSA, &SigningKey::from_pem(&planes.pair.private).unwrap().key)
}

fn changed(value: &Value, field: &str, to: Value) -> Value {
    let mut value = value.clone();
    value[field] = to;
    value
}

fn without(value: &Value, field: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().remove(field).unwrap();
    value
}

/// The name of the error, or `accepted`.
fn verdict(planes: &Planes, grant: &str, now: Timestamp) -> String {
    match planes.verifier.verify(grant, now) {
        Ok(_) => "accepted".into(),
        Err(InvalidToken::Claims(_)) => "Claims".into(),
        Err(refusal) => format!("{refusal:?}"),
    }
}

#[test]
fn a_verified_grant_has_the_minted_terms() {
    let planes = planes();
    let with_session = [Purpose::Session, Purpose::Automation, Purpose::Evaluation].map(|of| of(session()));
    for purpose in with_session.into_iter().chain([Purpose::Download, Purpose::Attachments]) {
        for key in [None, Some(ApiKeyId::new(now()))] {
            let mut terms = terms(purpose.clone());
            terms.bound_to.key = key;
            let minted = planes.signer.mint(&terms, now()).unwrap();
            let verified = planes.verifier.verify(minted.grant.reveal(), now()).unwrap();
            assert_eq!((verified.id, &verified.terms), (minted.id, &terms));
            assert_eq!(verified.expires_at, minted.expires_at);
            assert_eq!(minted.expires_at, now().plus_seconds(LIFETIME_SECS));
        }
    }
}

#[test]
fn header_and_claims_have_the_documented_names() {
    let grant = mint(&planes());
    let header: BTreeMap<String, Value> = serde_json::from_value(part(grant.reveal(), 0)).unwrap();
    assert_eq!(header.keys().collect::<Vec<_>>(), ["alg", "kid", "typ"]);
    assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("atelier-grant+jwt")));
    let claims: BTreeMap<String, Value> = serde_json::from_value(part(grant.reveal(), 1)).unwrap();
    insta::assert_snapshot!(claims.keys().cloned().collect::<Vec<_>>().join(" "), @"aud branch connection exp iat iss jti key nbf permissions project purpose session sub");
    assert_eq!(claims["aud"], json!("dataplane"));
    assert_eq!(claims["permissions"], json!(["project.read", "project.write"]));
}

#[test]
fn the_actor_of_a_grant_is_its_user_with_its_permissions() {
    let planes = planes();
    let terms = terms(Purpose::Session(session()));
    let minted = planes.signer.mint(&terms, now()).unwrap();
    let verified = planes.verifier.verify(minted.grant.reveal(), now()).unwrap();
    let actor = Actor::from(verified.terms);
    assert_eq!((actor.user, actor.key()), (terms.user, terms.bound_to.key));
    assert!(matches!(&actor.credential, ActorCredential::Grant(grant) if **grant == terms.bound_to));
    assert!(ProjectWrite::check(&actor).is_ok());
    assert_eq!(ProjectManage::check(&actor).unwrap_err().code, Code::InsufficientScope);
}

#[test]
fn a_grant_lives_from_minting_to_expiry_with_five_seconds_of_leeway_on_both_sides() {
    let planes = planes();
    let grant = mint(&planes);
    let at = |seconds| verdict(&planes, grant.reveal(), now().plus_seconds(seconds));
    assert_eq!(at(-300), "NotYetValid");
    assert_eq!(at(-6), "NotYetValid");
    assert_eq!(at(-4), "accepted");
    assert_eq!(at(0), "accepted");
    assert_eq!(at(LIFETIME_SECS - 1), "accepted");
    assert_eq!(at(LIFETIME_SECS + 4), "accepted");
    assert_eq!(at(LIFETIME_SECS + 6), "Expired");
    assert_eq!(at(LIFETIME_SECS + 300), "Expired");
}

#[test]
fn changed_claims_and_headers_are_refused_even_with_a_valid_signature() {
    let planes = planes();
    let grant = mint(&planes);
    let (header, claims) = (part(grant.reveal(), 0), part(grant.reveal(), 1));
    assert_eq!(verdict(&planes, &signed(&planes, &header, &claims), now()), "accepted");

    for (field, value, expected) in [
        ("typ", json!("JWT"), "Type"),
        ("typ", json!("at+jwt"), "Type"),
        ("kid", json!("another"), "Key"),
        ("kid", json!(""), "Key"),
        ("crit", json!(["exp"]), "Malformed"),
        ("alg", json!("none"), "Malformed"),
        ("alg", json!("HS256"), "Key"),
        ("alg", json!("ES256"), "Key"),
    ] {
        let forged = signed(&planes, &changed(&header, field, value.clone()), &claims);
        assert_eq!(verdict(&planes, &forged, now()), expected, "header {field} {value}");
    }
    for (field, expected) in [("typ", "Type"), ("kid", "Key"), ("alg", "Malformed")] {
        let forged = signed(&planes, &without(&header, field), &claims);
        assert_eq!(verdict(&planes, &forged, now()), expected, "header without {field}");
    }
    for (field, value) in [
        ("aud", json!("control")),
        ("aud", json!(["control", "dataplane"])),
        ("iss", json!("atelier-development")),
        ("sub", json!("alice")),
        ("jti", json!(7)),
        ("exp", json!("never")),
        ("exp", json!(i64::MAX)),
        ("nbf", json!(i64::MIN)),
        ("nbf", json!(null)),
        ("purpose", json!("anything")),
        ("purpose", json!({ "download": null })),
        ("permissions", json!(["everything"])),
        ("project", json!("*")),
    ] {
        let forged = signed(&planes, &header, &changed(&claims, field, value.clone()));
        assert_eq!(verdict(&planes, &forged, now()), "Claims", "{field} {value}");
    }
    for field in claims.as_object().unwrap().keys().filter(|field| *field != "key") {
        let forged = signed(&planes, &header, &without(&claims, field));
        assert_eq!(verdict(&planes, &forged, now()), "Claims", "without {field}");
    }
}

#[test]
fn grants_signed_with_other_keys_are_refused() {
    let planes = planes();
    let grant = mint(&planes);
    let (header, claims) = (part(grant.reveal(), 0), part(grant.reveal(), 1));
    let unsigned = changed(&header, "alg", json!("none"));
    let (_, message) = grant.reveal().split_once(PREFIX).unwrap();
    let (message, signature) = message.rsplit_once('.').unwrap();

    let ours = SigningKey::from_pem(&planes.pair.private).unwrap();
    let stranger = generate().unwrap();
    let stranger_key = SigningKey::from_pem(&stranger.private).unwrap().key;
    let public_der = pem::parse(&planes.pair.public).unwrap().into_contents();
    let hmac_header = changed(&header, "alg", json!("HS256"));
    let with_secret =
        |secret: &[u8]| forge(&hmac_header, &claims, Algorithm::HS256, &EncodingKey::from_secret(secret));

    let unsigned_message = {
        let whole = forge(&unsigned, &claims, Algorithm::EdDSA, &ours.key);
        whole.rsplit_once('.').unwrap().0.to_owned()
    };
    for (forged, expected, why) in [
        (format!("{unsigned_message}."), "Malformed", "alg none without a signature"),
        (format!("{unsigned_message}.{signature}"), "Malformed", "alg none with a signature"),
        (format!("{PREFIX}{message}."), "Signature", "no signature"),
        (format!("{PREFIX}{message}"), "Malformed", "two parts"),
        (format!("{PREFIX}{message}.{signature}.x"), "Malformed", "four parts"),
        (format!("{message}.{signature}"), "Malformed", "no prefix"),
        (format!("{PREFIX}{PREFIX}{message}.{signature}"), "Malformed", "two prefixes"),
        (PREFIX.to_owned(), "Malformed", "nothing"),
        (with_secret(planes.pair.public.as_bytes()), "Key", "HMAC with the public PEM as its secret"),
        (with_secret(&public_der), "Key", "HMAC with the public DER as its secret"),
        (with_secret(&public_der[12..]), "Key", "HMAC with the raw public key as its secret"),
        (forge(&header, &claims, Algorithm::EdDSA, &stranger_key), "Signature", "our kid, another key"),
        (
            GrantSigner::from_pem(&stranger.private)
                .unwrap()
                .mint(&terms(Purpose::Session(session())), now())
                .unwrap()
                .grant
                .reveal()
                .to_owned(),
            "Key",
            "another key",
        ),
    ] {
        assert_eq!(verdict(&planes, &forged, now()), expected, "{why}");
    }
    assert_eq!(verdict(&planes, grant.reveal(), now()), "accepted");
}

#[test]
fn a_signer_verifies_its_own_grants_and_no_others() {
    let (own, other) = (planes(), planes());
    let verifier = own.signer.verifier().unwrap();
    assert!(verifier.verify(mint(&own).reveal(), now()).is_ok());
    assert!(matches!(verifier.verify(mint(&other).reveal(), now()), Err(InvalidToken::Key)));
}

#[test]
fn during_a_rotation_grants_of_both_keys_are_accepted() {
    let (old, new) = (planes(), planes());
    let both = GrantVerifier::from_pem(&format!("{}{}", old.pair.public, new.pair.public)).unwrap();
    for planes in [&old, &new] {
        assert!(both.verify(mint(planes).reveal(), now()).is_ok());
    }
    assert!(matches!(new.verifier.verify(mint(&old).reveal(), now()), Err(InvalidToken::Key)));
}

#[test]
fn every_refusal_gives_the_same_answer() {
    let planes = planes();
    let refusals =
        ["", "svc_gr_", "svc_gr_a.b.c"].map(|text| planes.verifier.verify(text, now()).unwrap_err());
    for refusal in refusals {
        let error = domain::Error::from(refusal);
        assert_eq!((error.code, error.details), (Code::Unauthenticated, None));
    }
}

proptest! {
    #[test]
    fn a_grant_with_one_changed_character_is_refused(position in any::<prop::sample::Index>(), replacement in "[0-9A-Za-z_.-]") {
        let planes = planes();
        let grant = mint(&planes);
        let mut text = grant.reveal().to_owned();
        let position = position.index(text.len());
        text.replace_range(position..=position, &replacement);
        prop_assert_eq!(planes.verifier.verify(&text, now()).is_ok(), text == grant.reveal());
    }

    #[test]
    fn verifying_never_panics(text in "(svc_gr_)?\\PC{0,60}(\\.\\PC{0,40}){0,3}") {
        prop_assert!(planes().verifier.verify(&text, now()).is_err());
    }
}
