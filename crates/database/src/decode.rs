//! Converts columns to the domain's types. Stored values have passed the domain's rules: one that breaks them is a bug
//! and never the client's fault.

use std::error::Error as StdError;
use std::str::FromStr;

use domain::content::object::CommitHash;
use domain::text::{Name, Slug, Text};
use domain::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A value that is stored as its text.
///
/// # Errors
/// `INTERNAL_ERROR`, as of the others here.
pub fn parse<T>(text: &str) -> Result<T>
where
    T: FromStr,
    T::Err: StdError + Send + Sync + 'static,
{
    text.parse().map_err(Error::internal)
}

/// An enumeration that is stored by serde's names of its variants.
///
/// # Errors
/// `INTERNAL_ERROR`.
pub fn text<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_value(Value::from(text)).map_err(Error::internal)
}

/// The text by which an enumeration is stored: serde's name of the variant.
///
/// # Errors
/// `INTERNAL_ERROR`.
pub fn word(value: impl Serialize) -> Result<String> {
    let value = serde_json::to_value(value).map_err(Error::internal)?;
    value.as_str().map(str::to_owned).ok_or_else(|| Error::internal("a variant has no name"))
}

/// A stored name.
///
/// # Errors
/// `INTERNAL_ERROR`.
pub fn name(text: &str) -> Result<Name> {
    Name::sanitize(text).ok_or_else(|| Error::internal("a stored name is empty"))
}

/// A stored text of at most `MAX` characters.
///
/// # Errors
/// `INTERNAL_ERROR`.
pub fn bounded<const MAX: usize>(text: String) -> Result<Text<MAX>> {
    Text::try_from(text).map_err(Error::internal)
}

/// A stored slug.
///
/// # Errors
/// `INTERNAL_ERROR`.
pub fn slug(text: &str) -> Result<Slug> {
    Slug::parse("slug", text).map_err(Error::internal)
}

/// A stored hash of a commit.
///
/// # Errors
/// `INTERNAL_ERROR`.
pub fn commit_hash(bytes: &[u8]) -> Result<CommitHash> {
    bytes.try_into().map(CommitHash).map_err(Error::internal)
}
