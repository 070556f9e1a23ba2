//! Ed25519 keys as PEM: generating, reading, and naming by thumbprint.
//!
//! Not here: the files, and the signed tokens (`grant`, `browser_token`).

use std::fmt;

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use pem::{EncodeConfig, LineEnding, Pem};

const PRIVATE: &str = "PRIVATE KEY";
const PUBLIC: &str = "PUBLIC KEY";

/// A new key pair as the text of two files.
pub struct KeyPairPem {
    /// The private key, PKCS#8: a secret.
    pub private: String,
    /// The public key, SubjectPublicKeyInfo.
    pub public: String,
}

/// The text has no usable Ed25519 key of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKeyPem {
    /// Not one private key.
    #[error("expected the PEM of one Ed25519 private key (PKCS#8)")]
    Private,
    /// Not one or several public keys.
    #[error("expected the PEM of one or several Ed25519 public keys, and nothing else")]
    Public,
}

/// Generates a key pair from the operating system's random numbers.
///
/// # Errors
/// `INTERNAL_ERROR`: the cryptographic library failed.
pub fn generate() -> Result<KeyPairPem, domain::Error> {
    let failed = |_| domain::Error::internal("the cryptographic library generated no key pair");
    let pair = Ed25519KeyPair::generate().map_err(failed)?;
    let private = pair.to_pkcs8v1().map_err(failed)?;
    let public = pair.public_key().as_der().map_err(failed)?;
    Ok(KeyPairPem { private: encode(PRIVATE, private.as_ref()), public: encode(PUBLIC, public.as_ref()) })
}

/// A private key, ready to sign.
pub(crate) struct SigningKey {
    pub(crate) key: EncodingKey,
    /// The public half, named by its thumbprint.
    pub(crate) public: Jwk,
}

impl SigningKey {
    pub(crate) fn from_pem(text: &str) -> Result<Self, InvalidKeyPem> {
        let pem = pem::parse(text).map_err(|_| InvalidKeyPem::Private)?;
        if pem.tag() != PRIVATE {
            return Err(InvalidKeyPem::Private);
        }
        let pair = Ed25519KeyPair::from_pkcs8(pem.contents()).map_err(|_| InvalidKeyPem::Private)?;
        // jsonwebtoken derives a JWK only from version 1, which lacks the public key.
        let pkcs8 = pair.to_pkcs8v1().map_err(|_| InvalidKeyPem::Private)?;
        let key = EncodingKey::from_ed_der(pkcs8.as_ref());
        let public = Jwk::from_encoding_key(&key, Algorithm::EdDSA).and_then(named);
        Ok(Self { key, public: public.map_err(|_| InvalidKeyPem::Private)? })
    }

    /// The thumbprint of the public half (RFC 7638).
    pub(crate) fn id(&self) -> Option<&str> {
        self.public.common.key_id.as_deref()
    }
}

/// Reads one or several public keys with their thumbprints.
///
/// Refuses private keys, which a verifier must not have.
pub(crate) fn verifying_keys(text: &str) -> Result<Vec<(String, DecodingKey)>, InvalidKeyPem> {
    let pems = pem::parse_many(text).map_err(|_| InvalidKeyPem::Public)?;
    if pems.is_empty() {
        return Err(InvalidKeyPem::Public);
    }
    pems.iter().map(|pem| verifying_key(pem).ok_or(InvalidKeyPem::Public)).collect()
}

impl fmt::Debug for KeyPairPem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPairPem").field("private", &"[redacted]").field("public", &self.public).finish()
    }
}

fn verifying_key(pem: &Pem) -> Option<(String, DecodingKey)> {
    if pem.tag() != PUBLIC {
        return None;
    }
    let key = DecodingKey::from_ed_pem(pem::encode(pem).as_bytes()).ok()?;
    let id = Jwk::from_decoding_key(&key, Some(Algorithm::EdDSA)).and_then(named).ok()?.common.key_id?;
    Some((id, key))
}

fn named(mut jwk: Jwk) -> jsonwebtoken::errors::Result<Jwk> {
    jwk.common.key_id = Some(jwk.thumbprint(ThumbprintHash::SHA256)?);
    jwk.common.key_algorithm = Some(KeyAlgorithm::EdDSA);
    jwk.common.public_key_use = Some(PublicKeyUse::Signature);
    Ok(jwk)
}

fn encode(tag: &str, der: &[u8]) -> String {
    pem::encode_config(&Pem::new(tag, der), EncodeConfig::new().set_line_ending(LineEnding::LF))
}

#[cfg(test)]
mod tests {
    use super::{InvalidKeyPem, SigningKey, generate, verifying_keys};

    /// The example keys of RFC 8410, section 10. The second private key includes its public half.
    const RFC8410_PRIVATE: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----";
    const RFC8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----";

    #[test]
    fn both_keys_of_a_pair_have_the_same_thumbprint() {
        let pair = generate().unwrap();
        let signing = SigningKey::from_pem(&pair.private).unwrap();
        let verifying = verifying_keys(&pair.public).unwrap();
        assert_eq!(verifying.iter().map(|(id, _)| Some(id.as_str())).collect::<Vec<_>>(), [signing.id()]);
        assert_ne!(generate().unwrap().private, pair.private);
    }

    #[test]
    fn keys_of_other_tools_are_read_and_have_the_standard_thumbprint() {
        let signing = SigningKey::from_pem(RFC8410_PRIVATE).unwrap();
        insta::assert_snapshot!(signing.id().unwrap(), @"3YZxBJ12jO3n_mXt_q-j_Z-TFP1vt-NiI3OCf-fEnHQ");
        assert_eq!(verifying_keys(RFC8410_PUBLIC).unwrap()[0].0, signing.id().unwrap());
    }

    #[test]
    fn several_public_keys_are_read_from_one_text() {
        let both =
            format!("# the old one\n{RFC8410_PUBLIC}\n\n# the new one\n{}", generate().unwrap().public);
        assert_eq!(verifying_keys(&both).unwrap().len(), 2);
    }

    #[test]
    fn a_verifier_refuses_private_keys_and_a_signer_public_ones() {
        let pair = generate().unwrap();
        assert_eq!(verifying_keys(&pair.private).err(), Some(InvalidKeyPem::Public));
        let mixed = format!("{}{}", pair.public, pair.private);
        assert_eq!(verifying_keys(&mixed).err(), Some(InvalidKeyPem::Public));
        assert_eq!(SigningKey::from_pem(&pair.public).err(), Some(InvalidKeyPem::Private));
    }

    #[test]
    fn texts_without_an_ed25519_key_are_refused() {
        let p256 = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9
q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==
-----END PUBLIC KEY-----";
        for text in ["", "hello", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", p256] {
            assert_eq!(verifying_keys(text).err(), Some(InvalidKeyPem::Public), "{text}");
            assert_eq!(SigningKey::from_pem(text).err(), Some(InvalidKeyPem::Private), "{text}");
        }
    }
}
