//! Texts whose bearer needs no other credential: a prefix, then random characters.

use rand::distr::{Alphanumeric, SampleString};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

/// Random characters after the prefix: more than 250 bits.
const RANDOM_LENGTH: usize = 43;

/// Generates a text from the operating system's random numbers.
///
/// Panics if these fail, as new ids do: nothing would be safe without them.
pub(crate) fn generate(prefix: &str) -> String {
    // `Alphanumeric` is unbiased over the 62 characters.
    format!("{prefix}{}", Alphanumeric.sample_string(&mut UnwrapErr(SysRng), RANDOM_LENGTH))
}

/// True if a text has the form of those that [`generate`] makes.
pub(crate) fn is_shaped(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|random| {
        random.len() == RANDOM_LENGTH && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The SHA-256 of a text, by which it is stored and found. Its entropy makes a slow hash needless.
pub(crate) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}
