//! Entity tags, and the conditions that clients state with them.

use domain::content::edit::IfMatch;
use domain::{Code, Error, Result};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Length of a body's hash in its tag, in bytes: long enough to exclude accidental collisions.
const HASH_BYTES: usize = 16;

/// The value of an `ETag` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ETag(String);

impl ETag {
    /// A tag that changes with every byte of the representation. Characters that are invalid in a tag are dropped.
    pub fn strong(opaque: &str) -> Self {
        Self(format!("\"{}\"", allowed(opaque)))
    }

    /// A tag that changes with the meaning of the representation.
    pub fn weak(opaque: &str) -> Self {
        Self(format!("W/\"{}\"", allowed(opaque)))
    }

    /// The strong tag of exactly these bytes.
    pub fn of_bytes(body: &[u8]) -> Self {
        let hash = Sha256::digest(body);
        Self::strong(&hex::encode(hash.get(..HASH_BYTES).unwrap_or_default()))
    }

    /// The strong tag of a value's JSON.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the value can't be serialised.
    pub fn of_json(value: &impl Serialize) -> Result<Self> {
        Ok(Self::of_bytes(&serde_json::to_vec(value).map_err(Error::internal)?))
    }

    /// The weak form of this tag.
    #[must_use]
    pub fn into_weak(self) -> Self {
        Self(format!("W/{}", self.0.trim_start_matches("W/")))
    }

    /// The header's value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if a state with this tag is one of those that a condition expects.
    pub fn meets(&self, expected: &IfMatch) -> bool {
        expected.holds(self.0.trim_start_matches("W/").trim_matches('"'))
    }

    /// True if an `If-None-Match` of this value contains this tag, by the weak comparison of RFC 9110.
    pub fn is_in(&self, if_none_match: &str) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        if_none_match.trim() == "*" || if_none_match.split(',').any(|tag| opaque(tag) == opaque(&self.0))
    }
}

/// Checks `If-Match` against `current`, which is the answer whose tag a read would get now. Call it while the resource is
/// locked.
///
/// # Errors
/// `PRECONDITION_FAILED`, with the current tag in `details.etag`.
pub fn check_if_match(expected: Option<&IfMatch>, current: &impl Serialize) -> Result<()> {
    let Some(expected) = expected else { return Ok(()) };
    let tag = ETag::of_json(current)?;
    if tag.meets(expected) { Ok(()) } else { Err(stale(json!(tag.as_str()))) }
}

/// As [`check_if_match`] for a resource that may be absent: no tag matches then.
///
/// # Errors
/// As [`check_if_match`]; `details.etag` is null for an absent resource.
pub fn check_if_match_any(expected: Option<&IfMatch>, current: Option<&impl Serialize>) -> Result<()> {
    match (expected, current) {
        (Some(_), None) => Err(stale(Value::Null)),
        (expected, Some(current)) => check_if_match(expected, current),
        (None, None) => Ok(()),
    }
}

/// The refusal of a state with this tag.
pub(crate) fn stale(etag: Value) -> Error {
    Error::new(Code::PreconditionFailed, "The resource is not as `If-Match` expects it.")
        .with_details(json!({ "etag": etag }))
}

/// Keeps the characters that RFC 9110 allows in a tag, except the comma, which separates tags in a list.
fn allowed(opaque: &str) -> String {
    opaque.chars().filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | ',')).collect()
}

#[cfg(test)]
mod tests {
    use super::ETag;

    #[test]
    fn a_weak_or_strong_tag_is_found_in_a_list() {
        let tag = ETag::strong("abc");
        for list in ["\"abc\"", "W/\"abc\"", "\"x\", \"abc\"", " \"x\",W/\"abc\" ", "*"] {
            assert!(tag.is_in(list), "{list}");
            assert!(ETag::weak("abc").is_in(list), "{list}");
        }
        for list in ["", "abc", "\"ab\"", "\"x\", \"y\"", "\"abc"] {
            assert!(!tag.is_in(list), "{list}");
        }
    }

    #[test]
    fn a_tag_cannot_contain_its_own_quotes() {
        assert_eq!(ETag::strong("a\"b\r\nc,d").as_str(), "\"abcd\"");
    }
}
