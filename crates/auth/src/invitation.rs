//! Secrets of invitations: generating, parsing and hashing.

use std::fmt;

use domain::{Error, Rule};

use crate::capability;

/// The beginning of each secret.
const PREFIX: &str = "svc_iv_";

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
        Self(capability::generate(PREFIX))
    }

    /// Reads the secret in a request's field `field`. A malformed one is answered as an unknown one.
    ///
    /// # Errors
    /// `INVALID_REQUEST`.
    pub fn parse(field: &str, text: &str) -> Result<Self, Error> {
        match capability::is_shaped(PREFIX, text) {
            true => Ok(Self(text.to_owned())),
            false => Err(Error::broken(field, Rule::Exists)),
        }
    }

    /// The SHA-256 of the text, by which an invitation is stored and found.
    pub fn hash(&self) -> [u8; 32] {
        capability::hash(&self.0)
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
