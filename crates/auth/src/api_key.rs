//! API keys: generating, parsing, hashing and masking.
//!
//! Not here: a key's owner, scopes and state, which its record holds.

use std::fmt;

use rand::distr::{Alphanumeric, SampleString};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

/// Prefix of API keys of both modes.
pub const PREFIX: &str = "svc_ak_";

const RANDOM_LENGTH: usize = 37;
const CHECKSUM_LENGTH: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The mode of a key. The service treats both alike; the name is for people and secret scanners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// For production, `svc_ak_live_…`.
    Live,
    /// For tests, `svc_ak_test_…`.
    Test,
}

impl Mode {
    const ALL: [Self; 2] = [Self::Live, Self::Test];

    /// Prefix of the keys of this mode.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Live => "svc_ak_live_",
            Self::Test => "svc_ak_test_",
        }
    }
}

/// The text of an API key (docs/api.md, section 3).
///
/// `svc_ak_live_` or `svc_ak_test_`, 37 random base62 characters (220 bits), then the CRC-32 of these as six base62
/// digits.
///
/// A secret: it has no `Display`, and `Debug` reveals nothing. Only its hash is stored.
#[derive(Clone)]
pub struct ApiKey(String);

/// The text is not an API key, or its checksum is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not an API key")]
pub struct MalformedKey;

impl ApiKey {
    /// Generates a key from the operating system's random numbers.
    ///
    /// Panics if these fail, as new ids do: nothing would be safe without them.
    pub fn generate(mode: Mode) -> Self {
        // `Alphanumeric` is unbiased over the 62 characters.
        let random = Alphanumeric.sample_string(&mut UnwrapErr(SysRng), RANDOM_LENGTH);
        let body = format!("{}{random}", mode.prefix());
        let checksum = checksum(&body);
        Self(body + &checksum)
    }

    /// Reads a key and verifies its checksum, so that noise is refused without a query.
    ///
    /// # Errors
    /// [`MalformedKey`].
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        let secret =
            Mode::ALL.iter().find_map(|mode| text.strip_prefix(mode.prefix())).ok_or(MalformedKey)?;
        let shaped = secret.len() == RANDOM_LENGTH + CHECKSUM_LENGTH
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (body, tail) =
            text.split_at_checked(text.len().saturating_sub(CHECKSUM_LENGTH)).ok_or(MalformedKey)?;
        if shaped && tail == checksum(body) { Ok(Self(text.to_owned())) } else { Err(MalformedKey) }
    }

    /// The SHA-256 of the text, by which a key is stored and found. Its entropy makes a slow hash needless.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }

    /// The part of the key that may always be shown: its mode and its last four characters, part of the checksum.
    pub fn mask(&self) -> String {
        let prefix = if self.0.starts_with(Mode::Live.prefix()) { Mode::Live } else { Mode::Test }.prefix();
        let tail = self.0.get(self.0.len().saturating_sub(4)..).unwrap_or_default();
        format!("{prefix}…{tail}")
    }

    /// The secret, to be shown once to its creator.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([redacted])")
    }
}

impl From<MalformedKey> for domain::Error {
    fn from(malformed: MalformedKey) -> Self {
        Self::unauthenticated().with_source(malformed)
    }
}

/// The CRC-32 of a text as six base62 digits, the most significant first; 62^6 exceeds 2^32.
fn checksum(text: &str) -> String {
    let crc = crc32fast::hash(text.as_bytes());
    let digit = |position: u32| {
        let index = crc / 62_u32.pow(position) % 62;
        usize::try_from(index).ok().and_then(|index| BASE62.get(index)).map_or('0', |byte| char::from(*byte))
    };
    (0..6).rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::{ApiKey, MalformedKey, Mode};

    #[test]
    fn a_key_has_the_documented_shape_and_parses() {
        for mode in [Mode::Live, Mode::Test] {
            let key = ApiKey::generate(mode);
            let secret = key.reveal().strip_prefix(mode.prefix()).unwrap();
            assert_eq!(secret.len(), 43);
            assert!(secret.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(ApiKey::parse(key.reveal()).unwrap().reveal(), key.reveal());
        }
    }

    #[test]
    fn the_checksum_of_a_known_key_never_changes() {
        let body = "svc_ak_test_0000000000000000000000000000000000000";
        let known = format!("{body}{}", super::checksum(body));
        insta::assert_snapshot!(known, @"svc_ak_test_00000000000000000000000000000000000004cLfhy");
        assert_eq!(super::checksum("").as_str(), "000000");
    }

    #[test]
    fn keys_differ_and_use_every_character_evenly() {
        let keys: Vec<ApiKey> = (0..2000).map(|_| ApiKey::generate(Mode::Live)).collect();
        assert_eq!(keys.iter().map(ApiKey::reveal).collect::<HashSet<_>>().len(), keys.len());

        let mut counts = [0_u32; 128];
        for key in &keys {
            for byte in key.reveal().bytes().skip(12).take(37) {
                counts[usize::from(byte)] += 1;
            }
        }
        // 74,000 draws: 1,194 of each on average, with a deviation of 34. `byte % 62` would give 1,445 of each of
        // the first eight characters.
        for byte in super::BASE62 {
            let count = counts[usize::from(*byte)];
            assert!((950..1400).contains(&count), "{} was drawn {count} times", char::from(*byte));
        }
    }

    #[test]
    fn the_mask_shows_the_mode_and_four_characters() {
        let key = ApiKey::generate(Mode::Test);
        let (_, tail) = key.reveal().split_at(key.reveal().len() - 4);
        assert_eq!(key.mask(), format!("svc_ak_test_…{tail}"));
    }

    #[test]
    fn texts_of_another_shape_are_refused() {
        let key = ApiKey::generate(Mode::Live);
        let text = key.reveal();
        for wrong in [
            String::new(),
            "svc_ak_live_".into(),
            text.replace("live", "prod"),
            text.replace("live", "test"),
            text.to_uppercase(),
            format!(" {text}"),
            format!("{text}\n"),
            format!("{text}0"),
            text.split_at(text.len() - 1).0.into(),
            text.replace("svc_ak_live_", "svc_gr_"),
        ] {
            assert_eq!(ApiKey::parse(&wrong).err(), Some(MalformedKey), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn changing_one_character_breaks_the_checksum(position in 12_usize..55, replacement in "[0-9A-Za-z]") {
            let key = ApiKey::generate(Mode::Live);
            let mut text = key.reveal().to_owned();
            text.replace_range(position..=position, &replacement);
            prop_assert_eq!(ApiKey::parse(&text).is_ok(), text == key.reveal());
        }

        #[test]
        fn parsing_never_panics(text in "(svc_ak_(live|test)_)?\\PC{0,60}") {
            prop_assert!(ApiKey::parse(&text).is_err());
        }

        #[test]
        fn different_keys_have_different_hashes(_ in 0..8_u8) {
            let (one, other) = (ApiKey::generate(Mode::Live), ApiKey::generate(Mode::Live));
            prop_assert_ne!(one.hash(), other.hash());
            prop_assert_eq!(one.hash(), ApiKey::parse(one.reveal()).unwrap().hash());
        }
    }
}
