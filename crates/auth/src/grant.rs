//! Grants: short-lived credentials of the data plane, minted with the control plane's private key and verified with
//! its public key.
//!
//! Not here: revocation with the grant's session or key, which `store` checks.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use domain::id::UserId;
use domain::permission::Permissions;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use domain::Code;
    use domain::id::{ApiKeyId, ProjectId, SessionId, UserId};
    use domain::project::BranchName;
    use domain::session::ConnectionId;
    use domain::time::Timestamp;
    use jsonwebtoken::{Algorithm, EncodingKey};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{Grant, GrantSigner, GrantTerms, GrantVerifier, LIFETIME_SECS, PREFIX};
    use crate::actor::{
        Actor, ActorCredential, ActorGrant, GrantedSession, ProjectManage, ProjectWrite, Purpose, Requirement,
    };
    use crate::jwt::InvalidToken;
    use crate::signing_key::{KeyPairPem, SigningKey, generate};
    use domain::permission::{Permissions, Scope};

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
        let with_session =
            [Purpose::Session, Purpose::Automation, Purpose::Evaluation].map(|of| of(session()));
        for purpose in with_session.into_iter().chain([Purpose::Download]) {
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
}
