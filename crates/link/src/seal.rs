//! Seals of messages between processes: a MAC by the deployment's key. A client that can write to Redis can't make one, so
//! it can neither ask a process for anything nor answer for one.
//!
//! A sealed message can be sent again, to the same process alone. That is harmless: each request is one that may arrive
//! twice, and an answer counts once.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The version of the messages' form. A process ignores messages of another version.
const VERSION: &str = "1";
/// Length of a seal, in bytes of the MAC.
const SEAL_BYTES: usize = 16;

/// The deployment's key for messages between its processes. `Debug` reveals nothing of it.
#[derive(Clone)]
pub struct MessageKey(Hmac<Sha256>);

impl MessageKey {
    /// The key of these secret bytes, which all processes share.
    pub fn new(secret: &[u8; 32]) -> Self {
        // A key of the hash's block length or less is used as it is.
        let mut block = [0; 64];
        for (to, from) in block.iter_mut().zip(secret) {
            *to = *from;
        }
        Self(Hmac::new(&block.into()))
    }

    /// A message with its version and seal: `VERSION SEAL MESSAGE`.
    pub fn seal(&self, message: &str) -> String {
        let mac = self.mac(message).finalize().into_bytes();
        let seal = hex::encode(mac.get(..SEAL_BYTES).unwrap_or_default());
        format!("{VERSION} {seal} {message}")
    }

    /// The message, if its seal is the deployment's.
    pub(crate) fn open<'a>(&self, sealed: &'a str) -> Option<&'a str> {
        let (seal, message) = sealed.strip_prefix(VERSION)?.strip_prefix(' ')?.split_once(' ')?;
        let seal = hex::decode(seal).ok().filter(|seal| seal.len() == SEAL_BYTES)?;
        self.mac(message).verify_truncated_left(&seal).ok()?;
        Some(message)
    }

    fn mac(&self, message: &str) -> Hmac<Sha256> {
        self.0.clone().chain_update(VERSION).chain_update([0_u8]).chain_update(message)
    }
}

impl fmt::Debug for MessageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageKey([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::MessageKey;

    #[test]
    fn only_an_unchanged_message_under_the_same_key_opens() {
        let (key, other) = (MessageKey::new(&[1; 32]), MessageKey::new(&[2; 32]));
        let sealed = key.seal("{\"a\": 1}");
        assert_eq!(key.open(&sealed), Some("{\"a\": 1}"));
        assert_eq!(other.open(&sealed), None);
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] ^= 1;
            assert_eq!(key.open(&String::from_utf8(changed).unwrap()), None, "byte {at}");
            assert_eq!(key.open(sealed.get(..at).unwrap()), None, "{at} bytes");
        }
        for bad in ["", "1", "1  {}", "{}", "2 00 {}", &sealed.replacen("1 ", "2 ", 1)] {
            assert_eq!(key.open(bad), None, "{bad}");
        }
        assert_eq!(format!("{key:?}"), "MessageKey([redacted])");
    }
}
