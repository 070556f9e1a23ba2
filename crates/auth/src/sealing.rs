//! Encryption of secrets that the service has to use again: AES-256-GCM with a key that is stored apart from them.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use domain::{Error, Result};

/// Seals and opens secrets. `Debug` reveals nothing of the key.
pub struct SealingKey(RandomizedNonceKey);

/// The text is not a sealing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sealing key has 64 hexadecimal digits")]
pub struct MalformedSealingKey;

impl SealingKey {
    /// Reads a key of 64 hexadecimal digits.
    ///
    /// # Errors
    /// [`MalformedSealingKey`].
    pub fn parse(text: &str) -> std::result::Result<Self, MalformedSealingKey> {
        let bytes = hex::decode(text.trim()).map_err(|_| MalformedSealingKey)?;
        RandomizedNonceKey::new(&AES_256_GCM, &bytes).map(Self).map_err(|_| MalformedSealingKey)
    }

    /// Seals a secret for the owner `whose`, who is needed to open it. The result is 28 bytes longer.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the system has no random numbers.
    pub fn seal(&self, secret: &[u8], whose: &str) -> Result<Vec<u8>> {
        let mut sealed = secret.to_vec();
        let nonce =
            self.0.seal_in_place_append_tag(Aad::from(whose), &mut sealed).map_err(Error::internal)?;
        let nonce: &[u8; NONCE_LEN] = nonce.as_ref();
        Ok([nonce.as_slice(), sealed.as_slice()].concat())
    }

    /// Opens a secret of the owner `whose`; `None` if it has another key or owner, or was changed.
    pub fn open(&self, sealed: &[u8], whose: &str) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut sealed = sealed.to_vec();
        let opened = self.0.open_in_place(Nonce::from(nonce), Aad::from(whose), &mut sealed).ok()?;
        Some(opened.to_vec())
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::SealingKey;

    fn key(byte: u8) -> SealingKey {
        SealingKey::parse(&format!("{}\n", hex::encode([byte; 32]))).unwrap()
    }

    #[test]
    fn a_secret_opens_only_unchanged_with_its_key_and_owner() {
        let sealed = key(1).seal(b"a secret", "wiki").unwrap();
        assert_eq!(key(1).open(&sealed, "wiki").unwrap(), b"a secret");
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        assert_ne!(key(1).seal(b"a secret", "wiki").unwrap(), sealed, "equal secrets must not look equal");
        assert_eq!(key(2).open(&sealed, "wiki"), None);
        assert_eq!(key(1).open(&sealed, "tracker"), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(key(1).open(&changed, "wiki"), None, "byte {at}");
            assert_eq!(key(1).open(&sealed[..at], "wiki"), None, "{at} bytes");
        }
    }

    #[test]
    fn a_key_has_thirty_two_bytes_and_debug_hides_them() {
        for bad in ["", "secret", &hex::encode([1; 31]), &hex::encode([1; 33])] {
            assert!(SealingKey::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(format!("{:?}", key(1)), "SealingKey([redacted])");
    }
}
