//! Secrets in the addresses of calendar feeds: generating, parsing and hashing.

use std::fmt;

use crate::capability;

/// The beginning of each secret.
const PREFIX: &str = "svc_cf_";

/// The secret of a calendar feed. Its bearer reads the calendar.
///
/// It stands in a path, because calendar programs send no header. It has no `Display`, and `Debug` reveals nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct CalendarSecret(String);

impl CalendarSecret {
    /// Generates a secret from the operating system's random numbers.
    ///
    /// Panics if these fail, as new ids do: nothing would be safe without them.
    pub fn generate() -> Self {
        Self(capability::generate(PREFIX))
    }

    /// Reads a secret; `None` if the text has not the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        capability::is_shaped(PREFIX, text).then(|| Self(text.to_owned()))
    }

    /// The SHA-256 of the text, by which a feed is stored and found.
    pub fn hash(&self) -> [u8; 32] {
        capability::hash(&self.0)
    }

    /// The secret, for the address that is shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CalendarSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CalendarSecret([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::CalendarSecret;

    #[test]
    fn a_secret_parses_and_shows_nothing() {
        let secret = CalendarSecret::generate();
        assert_eq!(CalendarSecret::parse(secret.reveal()), Some(secret.clone()));
        assert_eq!(format!("{secret:?}"), "CalendarSecret([redacted])");
        assert_ne!(secret.hash(), CalendarSecret::generate().hash());
        for bad in ["", "svc_cf_", &format!("{}0", secret.reveal()), &secret.reveal().replace("cf", "iv")] {
            assert_eq!(CalendarSecret::parse(bad), None, "{bad}");
        }
    }
}
