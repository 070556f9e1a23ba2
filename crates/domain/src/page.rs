//! Keyset pagination: limits, and cursors that can be neither forged nor used with another filter.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::error::Location;
use crate::{Code, Error, Result, Rule};

/// Rows on a page unless the request names a limit.
pub const DEFAULT_LIMIT: u32 = 50;
/// Most rows on a page.
pub const MAX_LIMIT: u32 = 100;
/// Longest cursor, in characters.
pub const CURSOR_MAX_CHARS: usize = 1_024;

/// Length of the MAC in front of a cursor's content.
const MAC_BYTES: usize = 16;

/// The `limit` of a request, before it is read: a text, so that a wrong one is `INVALID_PAGINATION`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LimitText(String);

/// The page size of a request: 1 to 100 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u32);

impl LimitText {
    /// Reads a `limit`; 50 if absent.
    ///
    /// # Errors
    /// [`Limit::parse`].
    pub fn read(limit: Option<&Self>) -> Result<Limit> {
        Limit::parse(limit.map(|limit| limit.0.as_str()))
    }
}

impl From<u32> for LimitText {
    fn from(rows: u32) -> Self {
        Self(rows.to_string())
    }
}

impl JsonSchema for LimitText {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT })
    }
}

impl Limit {
    /// Reads a query parameter; 50 if absent.
    ///
    /// # Errors
    /// `INVALID_PAGINATION` outside of 1 to 100.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else {
            return Ok(Self(DEFAULT_LIMIT));
        };
        let rule = match text.parse::<i64>() {
            Ok(rows) if rows < 1 => Rule::Minimum(1.into()),
            Ok(rows) => match u32::try_from(rows) {
                Ok(rows @ 1..=MAX_LIMIT) if rows.to_string() == text => return Ok(Self(rows)),
                Ok(1..=MAX_LIMIT) => Rule::types(["integer"]),
                _ => Rule::Maximum(MAX_LIMIT.into()),
            },
            Err(_) => Rule::types(["integer"]),
        };
        Err(invalid_pagination("limit", rule, "must be an integer from 1 to 100"))
    }

    /// The number of rows.
    pub fn rows(self) -> u32 {
        self.0
    }
}

/// The `meta` of a list's answer.
// docs/api.md, section 1
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageMeta {
    /// The limit that was applied.
    pub limit: u32,
    /// True if more rows follow.
    pub has_more: bool,
    /// The `cursor` of the next page.
    pub next_cursor: Option<String>,
}

/// The key that seals cursors. A cursor holds the position after the last row; a MAC binds it to its list and filter.
#[derive(Clone)]
pub struct CursorKey([u8; 32]);

impl CursorKey {
    /// A key that all replicas of a deployment share.
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Makes the cursor of `position` in the list that `filter` describes.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the position can't be written as JSON.
    pub fn seal<P: Serialize, F: Serialize>(&self, filter: &F, position: &P) -> Result<String> {
        let content = serde_json::to_vec(position).map_err(Error::internal)?;
        let mut cursor = self.mac(filter, &content)?.to_vec();
        cursor.extend_from_slice(&content);
        Ok(URL_SAFE_NO_PAD.encode(cursor))
    }

    /// Reads the position from a cursor of the list that `filter` describes.
    ///
    /// # Errors
    /// `INVALID_PAGINATION` for a forged cursor or one of another filter.
    pub fn open<P: DeserializeOwned, F: Serialize>(&self, filter: &F, cursor: &str) -> Result<P> {
        let refused = || {
            invalid_pagination("cursor", Rule::format("cursor"), "must be a cursor of this list and filter")
        };
        if cursor.len() > CURSOR_MAX_CHARS {
            return Err(refused());
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refused())?;
        let (mac, content) = bytes.split_at_checked(MAC_BYTES).ok_or_else(refused)?;
        // Comparing in constant time is needless: a forged cursor reveals nothing that its filter hides.
        if mac != self.mac(filter, content)? {
            return Err(refused());
        }
        serde_json::from_slice(content).map_err(|_| refused())
    }

    fn mac<F: Serialize>(&self, filter: &F, content: &[u8]) -> Result<[u8; MAC_BYTES]> {
        let filter = serde_json::to_vec(filter).map_err(Error::internal)?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).map_err(Error::internal)?;
        mac.update(&u64::try_from(filter.len()).unwrap_or(u64::MAX).to_be_bytes());
        mac.update(&filter);
        mac.update(content);
        let full = mac.finalize().into_bytes();
        let mut short = [0; MAC_BYTES];
        short.iter_mut().zip(full).for_each(|(to, from)| *to = from);
        Ok(short)
    }
}

fn invalid_pagination(field: &str, rule: Rule, message: &str) -> Error {
    Error::invalid(field, rule, message).at(Location::Query).under(Code::InvalidPagination)
}

#[cfg(test)]
mod tests {
    use super::{CursorKey, Limit};
    use crate::Code;

    #[test]
    fn a_cursor_opens_only_with_its_own_filter_and_key() {
        let key = CursorKey::new([7; 32]);
        let cursor = key.seal(&("cards", true), &(5_u64, "x")).unwrap();
        assert_eq!(key.open::<(u64, String), _>(&("cards", true), &cursor).unwrap(), (5, "x".to_owned()));
        for (key, filter, cursor) in [
            (&key, ("cards", false), cursor.clone()),
            (&CursorKey::new([8; 32]), ("cards", true), cursor.clone()),
            (&key, ("cards", true), cursor.replace(cursor.chars().next().unwrap(), "!")),
            (&key, ("cards", true), String::new()),
        ] {
            let refused = key.open::<(u64, String), _>(&filter, &cursor).unwrap_err();
            assert_eq!(refused.code, Code::InvalidPagination);
        }
    }

    #[test]
    fn a_limit_is_1_to_100_and_50_by_default() {
        assert_eq!(Limit::parse(None).unwrap().rows(), 50);
        assert_eq!(Limit::parse(Some("100")).unwrap().rows(), 100);
        for bad in ["0", "101", "-1", "x", "", "1.5", "+5", "05", " 5"] {
            assert_eq!(Limit::parse(Some(bad)).unwrap_err().code, Code::InvalidPagination);
        }
    }
}
