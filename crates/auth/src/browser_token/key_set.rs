//! The published keys of an issuer, as far as they verify tokens.

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, KeyOperations, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey, Header};

/// The usable signature keys of a JSON Web Key Set: Ed25519 (EdDSA), P-256 (ES256) and RSA (RS256).
#[derive(Clone, Debug)]
pub struct KeySet(Vec<TrustedKey>);

/// The text is not a JSON Web Key Set.
#[derive(Debug, thiserror::Error)]
#[error("the text is not a JSON Web Key Set")]
pub struct InvalidKeySet(#[from] serde_json::Error);

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

    pub(super) fn from_jwks(jwks: &[Jwk]) -> Self {
        Self(jwks.iter().filter_map(TrustedKey::from_jwk).collect())
    }

    /// The key named by a token's header. Without a name, the set must have a single key.
    pub(super) fn find(&self, header: &Header) -> Option<&TrustedKey> {
        match (&header.kid, self.0.as_slice()) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(id), keys) => keys.iter().find(|key| key.id.as_ref() == Some(id)),
        }
    }
}

/// A published key with its only algorithm.
#[derive(Clone, Debug)]
pub(super) struct TrustedKey {
    id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
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
