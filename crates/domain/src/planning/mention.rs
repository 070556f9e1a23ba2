//! Names that stand in texts: keys of cards, handles of users (docs/api.md, section 5). Each is a whole word, no part of
//! a longer name.

pub mod handles;
pub mod keys;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::id::UserId;
use crate::text::Slug;

/// A user whom a card mentions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionedUser {
    /// The user.
    pub user_id: UserId,
    /// Its handle, which stands behind `@`.
    pub handle: Slug,
}

/// True if a text ends within a word, so that a name right behind it is a part of that word.
fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_of_word)
}

/// True if a text begins within a word, so that a name right before it is a part of that word.
fn starts_in_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_of_word)
}

/// True for an ASCII letter or digit, also with an accent or of another width. Characters of other scripts may touch a
/// name, because not every script has blanks.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() && c.nfkd().any(|plain| plain.is_ascii_alphanumeric())
}
