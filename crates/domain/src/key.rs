//! Keys: `GEAR` for a project, `GEAR-12` for a card. A short name that people say and write (docs/api.md, section 5).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::id::CardId;

/// Fewest letters of a project's key.
const KEY_MIN_LETTERS: usize = 2;
/// Most letters of a project's key.
pub(crate) const KEY_MAX_LETTERS: usize = 6;
/// Letters that are taken of a name of one word.
const WORD_LETTERS: usize = 4;
/// The key of a name without two letters of the Latin alphabet.
const FALLBACK: &str = "PR";

/// A project's key: two to six capital letters, unique within its owner. Read in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct ProjectKey(String);

/// The text is not the key of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be two to six letters from A to Z")]
pub struct InvalidProjectKey;

impl ProjectKey {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The keys that suit a name, the best first: its initials, or the first letters of its only word; then these with other
    /// endings. Several hundred, each once.
    pub fn candidates(name: &str) -> Vec<Self> {
        let words: Vec<String> =
            name.split(|c: char| c.is_whitespace() || "-_./".contains(c)).map(letters).collect();
        let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
        let word: String = words.concat().chars().take(WORD_LETTERS).collect();
        let best = if initials.len() < KEY_MIN_LETTERS { word } else { initials };
        let best = best.get(..KEY_MAX_LETTERS).unwrap_or(&best);
        let best = if best.len() < KEY_MIN_LETTERS { FALLBACK } else { best };
        let stem = best.get(..KEY_MAX_LETTERS - 2).unwrap_or(best);
        let one = ('A'..='Z').map(|last| format!("{stem}{last}"));
        let two = ('A'..='Z').flat_map(|last| ('A'..='Z').map(move |next| format!("{stem}{last}{next}")));
        let rest: Vec<Self> = one.chain(two).filter(|other| other != best).map(Self).collect();
        std::iter::once(Self(best.to_owned())).chain(rest).collect()
    }

    /// A key of six letters that few others have: for a project whose [`candidates`](Self::candidates) are all taken.
    pub fn from_bits(bits: u128) -> Self {
        let letters = (0..KEY_MAX_LETTERS).scan(bits, |rest, _| {
            let letter = u8::try_from(*rest % 26).ok()?;
            *rest /= 26;
            Some(char::from(b'A' + letter))
        });
        Self(letters.collect())
    }
}

/// The letters from A to Z of a word, in capitals, without their accents.
fn letters(word: &str) -> String {
    let plain = word.nfkd().filter(char::is_ascii_alphabetic);
    plain.map(|letter| letter.to_ascii_uppercase()).collect()
}

impl FromStr for ProjectKey {
    type Err = InvalidProjectKey;

    fn from_str(text: &str) -> Result<Self, InvalidProjectKey> {
        let has_length = (KEY_MIN_LETTERS..=KEY_MAX_LETTERS).contains(&text.len());
        let is_key = has_length && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_key { Ok(Self(text.to_ascii_uppercase())) } else { Err(InvalidProjectKey) }
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ProjectKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ProjectKey {
    fn schema_name() -> Cow<'static, str> {
        "ProjectKey".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z]{2,6}$" })
    }
}

/// A card's key: its project's key and the card's number in the project, `GEAR-12`. Numbers follow the order of creation, from
/// 1, and are never given again. Read in any case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CardKey {
    /// The project's key.
    pub project: ProjectKey,
    /// The card's number.
    pub number: i64,
}

/// The text is not the key of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the key of a card, for example `GEAR-12`")]
pub struct InvalidCardKey;

impl FromStr for CardKey {
    type Err = InvalidCardKey;

    fn from_str(text: &str) -> Result<Self, InvalidCardKey> {
        let (project, number) = text.split_once('-').ok_or(InvalidCardKey)?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        let number = number.parse().ok().filter(|_| is_number).ok_or(InvalidCardKey)?;
        Ok(Self { project: project.parse().map_err(|_| InvalidCardKey)?, number })
    }
}

impl fmt::Display for CardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.project, self.number)
    }
}

impl Serialize for CardKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CardKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CardKey {
    fn schema_name() -> Cow<'static, str> {
        "CardKey".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Z]{2,6}-[1-9][0-9]*$" })
    }
}

/// A card as a request names it: by its id or its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CardName {
    /// Its id.
    Id(CardId),
    /// Its key. One that no card has names no card.
    Key(CardKey),
}

/// The ids of cards that a request names by their keys.
#[derive(Clone, Debug, Default)]
pub struct CardIds(HashMap<CardKey, CardId>);

impl CardIds {
    /// The id of a card. For a key that no card has, it is an id that no card has.
    pub fn of(&self, name: &CardName) -> CardId {
        match name {
            CardName::Id(id) => *id,
            CardName::Key(key) => self.0.get(key).copied().unwrap_or(CardId(Uuid::nil())),
        }
    }
}

impl FromIterator<(CardKey, CardId)> for CardIds {
    fn from_iter<I: IntoIterator<Item = (CardKey, CardId)>>(found: I) -> Self {
        Self(found.into_iter().collect())
    }
}

/// The text is neither an id nor a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the id of a card, or its key, for example `GEAR-12`")]
pub struct InvalidCardName;

impl From<CardId> for CardName {
    fn from(id: CardId) -> Self {
        Self::Id(id)
    }
}

impl FromStr for CardName {
    type Err = InvalidCardName;

    fn from_str(text: &str) -> Result<Self, InvalidCardName> {
        let key = || text.parse().map(Self::Key).map_err(|_| InvalidCardName);
        text.parse().map(Self::Id).or_else(|_| key())
    }
}

impl fmt::Display for CardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Key(key) => key.fmt(f),
        }
    }
}

impl Serialize for CardName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CardName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for CardName {
    fn schema_name() -> Cow<'static, str> {
        "CardName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "card" })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{CardKey, CardName, ProjectKey};

    #[test]
    fn a_name_gives_its_initials_or_its_first_letters() {
        let best = |name| ProjectKey::candidates(name).remove(0).to_string();
        let names =
            ["Gear", "Gear box", "gear-box housing", "Ölpumpe", "A", "12 34", "齿轮", "x y z u v w q r"];
        assert_eq!(names.map(best), ["GEAR", "GB", "GBH", "OLPU", "PR", "PR", "PR", "XYZUVW"]);
    }

    #[test]
    fn candidates_are_different_keys() {
        for name in ["Gear", "", "one two three four five six seven", "AB"] {
            let candidates = ProjectKey::candidates(name);
            assert!(candidates.len() > 700, "{name}");
            assert!(candidates.iter().all(|key| key.as_str().parse() == Ok(key.clone())), "{name}");
            assert_eq!(candidates.iter().collect::<HashSet<_>>().len(), candidates.len(), "{name}");
        }
        assert_eq!(ProjectKey::from_bits(u128::MAX).as_str().parse(), Ok(ProjectKey::from_bits(u128::MAX)));
    }

    #[test]
    fn keys_are_read_in_any_case_and_written_in_capitals() {
        let key: CardKey = "gear-12".parse().unwrap();
        assert_eq!(key.to_string(), "GEAR-12");
        assert_eq!("GEAR-12".parse(), Ok(CardName::Key(key)));
        for refused in
            ["GEAR", "GEAR-", "GEAR-0", "GEAR-012", "G-1", "GEARBOX-1", "GEAR-+1", "GEAR-9223372036854775808"]
        {
            assert!(refused.parse::<CardName>().is_err(), "{refused}");
        }
    }
}
