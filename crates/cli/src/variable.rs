//! The variable with a key, which comes before the key of a profile.

use secrecy::SecretString;

/// Name of the variable.
const KEY_VARIABLE: &str = "ATELIER_KEY";

/// The key in the variable; `None` for an empty one.
pub(crate) fn key_of_variable() -> Option<SecretString> {
    std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty()).map(SecretString::from)
}
