//! Secrets of invitations: generating, parsing and hashing.

use std::fmt;

use domain::{Error, Rule};
use rand::distr::{Alphanumeric, SampleString};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

/// The beginning of each secret.
const PREFIX: &str = "svc_iv_";
/// Random characters after the prefix: more than 250 bits.
const RANDOM_LENGTH: usize = 43;

/// The secret of an invitation. Its bearer may join once.
///
/// A secret: it has no `Display`, and `Debug` reveals nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct InvitationSecret(String);

impl InvitationSecret {
    /// Generates a secret from the operating system's random numbers.
    ///
    /// Panics if these fail, as new ids do: nothing would be safe without them.
    pub fn generate() -> Self {
        // `Alphanumeric` is unbiased over the 62 characters.
        Self(format!("{PREFIX}{}", Alphanumeric.sample_string(&mut UnwrapErr(SysRng), RANDOM_LENGTH)))
    }

    /// Reads the secret in a request's field `field`. A malformed one is answered as an unknown one.
    ///
    /// # Errors
    /// `INVALID_REQUEST`.
    pub fn parse(field: &str, text: &str) -> Result<Self, Error> {
        let is_shaped = text.strip_prefix(PREFIX).is_some_and(|random| {
            random.len() == RANDOM_LENGTH && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        if is_shaped { Ok(Self(text.to_owned())) } else { Err(Error::broken(field, Rule::Exists)) }
    }

    /// The SHA-256 of the text, by which an invitation is stored and found. Its entropy makes a slow hash needless.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }

    /// The secret, to be shown once to the inviter.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for InvitationSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InvitationSecret([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::InvitationSecret;

    #[test]
    fn a_secret_parses_and_shows_nothing() {
        let secret = InvitationSecret::generate();
        assert_eq!(InvitationSecret::parse("secret", secret.reveal()).unwrap(), secret);
        assert_eq!(format!("{secret:?}"), "InvitationSecret([redacted])");
        assert_ne!(secret.hash(), InvitationSecret::generate().hash());
        for bad in ["", "svc_iv_", &format!("{}0", secret.reveal()), &secret.reveal().replace("iv", "ak")] {
            assert!(InvitationSecret::parse("secret", bad).is_err(), "{bad}");
        }
    }
}
