//! Validated text: names, descriptions, slugs. A value of one of these types has passed its checks.

use std::borrow::Cow;
use std::fmt;

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, PrependedConcatenationMark};
use icu_properties::{
    CodePointMapData, CodePointMapDataBorrowed, CodePointSetData, CodePointSetDataBorrowed,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::{Error, Result, Rule};

/// Longest name, in characters.
pub const NAME_MAX_CHARS: usize = 255;
/// Longest description, in characters.
pub const DESCRIPTION_MAX_CHARS: usize = 10_000;
/// Longest `initialPrompt`, in characters.
pub const PROMPT_MAX_CHARS: usize = 4_000;
/// Longest slug, in characters.
pub const SLUG_MAX_CHARS: usize = 63;

/// A resource name: NFC, without control characters, white space collapsed and trimmed, 1 to [`NAME_MAX_CHARS`]
/// characters (docs/api.md, section 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Name(String);

impl Name {
    /// The sanitised form of `text`; `None` if nothing remains.
    pub fn sanitize(text: &str) -> Option<Self> {
        if is_plain(text) {
            return Some(Self(text.to_owned()));
        }
        let mut name = String::new();
        // Compose last: a removed character may have separated a letter from its accent.
        let spaced = text.chars().map(|c| if is_space(c) { ' ' } else { c });
        let visible = spaced.filter(|c| !is_invisible(*c)).nfc();
        // Twice the length shows if a character goes on where the name is cut.
        let mut room = 2 * NAME_MAX_CHARS;
        for c in visible {
            if c == ' ' && (name.is_empty() || name.ends_with(' ')) {
                continue;
            }
            if room == 0 {
                break;
            }
            name.push(c);
            room -= 1;
        }
        let name = cut(name.trim_end(), NAME_MAX_CHARS).trim_end();
        (!is_blank(name)).then(|| Self(name.to_owned()))
    }

    /// The name in a request's field `field`.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if nothing remains after sanitising.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        Self::sanitize(text).ok_or_else(|| Error::broken(field, Rule::format("name")))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        if generator.contract().is_serialize() {
            return json_schema!({ "type": "string", "minLength": 1, "maxLength": NAME_MAX_CHARS });
        }
        let description = format!(
            "A text with a visible character. Control characters are removed, white space is collapsed, and what \
             remains is cut to {NAME_MAX_CHARS} characters."
        );
        json_schema!({ "type": "string", "format": "name", "description": description })
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::sanitize(&text).ok_or_else(|| serde::de::Error::custom("must contain a visible character"))
    }
}

/// Text of at most `MAX` characters, kept as sent. NUL is refused, because PostgreSQL can't store it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    /// The first `MAX` characters of `text`, without NUL.
    pub fn cut(text: &str) -> Self {
        Self(text.chars().filter(|c| *c != '\0').take(MAX).collect())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("must not contain the character NUL".to_owned());
        }
        if text.chars().nth(MAX).is_some() {
            return Err(format!("must be at most {MAX} characters"));
        }
        Ok(Self(text))
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl<const MAX: usize> JsonSchema for Text<MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("TextOfAtMost{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": MAX, "format": "text" })
    }
}

/// A description of a resource.
pub type Description = Text<DESCRIPTION_MAX_CHARS>;
/// A prompt that creates a project and names it.
pub type Prompt = Text<PROMPT_MAX_CHARS>;

/// A name in URLs: lower-case ASCII letters, digits and single hyphens, never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    /// The nearest slug to `text`; `fallback`, itself a slug, if no letter or digit remains.
    pub fn from_text(text: &str, fallback: &str) -> Self {
        let mut slug = String::new();
        for c in text.nfkd().flat_map(char::to_lowercase) {
            if slug.len() == SLUG_MAX_CHARS {
                break;
            }
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !is_combining(c) && !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        let slug = slug.trim_end_matches('-');
        Self(if slug.is_empty() { fallback } else { slug }.to_owned())
    }

    /// A slug chosen by an operator, taken exactly.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if `text` is not a slug.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        let slug = Self::from_text(text, "");
        if slug.0 == text && !text.is_empty() {
            return Ok(slug);
        }
        Err(Error::invalid(
            field,
            Rule::format("slug"),
            "must be lower-case letters and digits, separated by single hyphens",
        ))
    }

    /// The `n`-th alternative to a slug that is taken: `gear-2`, `gear-3`, ...
    #[must_use]
    pub fn variant(&self, n: u32) -> Self {
        self.suffixed(&n.to_string())
    }

    /// Appends a hyphen and a suffix, cutting the slug to keep the length limit.
    #[must_use]
    pub fn suffixed(&self, suffix: &str) -> Self {
        let room = SLUG_MAX_CHARS.saturating_sub(suffix.len() + 1);
        let base: String = self.0.chars().take(room).collect();
        Self(format!("{}-{suffix}", base.trim_end_matches('-')))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// True for ASCII that needs no sanitising, the common case for names in the database.
fn is_plain(name: &str) -> bool {
    (1..=NAME_MAX_CHARS).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && !name.starts_with(' ')
        && !name.ends_with(' ')
        && !name.contains("  ")
}

/// The beginning of a text, of at most `max` characters. What people see as one character stays whole, unless it alone is
/// longer.
pub fn cut(text: &str, max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(max) else { return text };
    let whole = text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= end).last();
    text.get(..whole.filter(|at| *at > 0).unwrap_or(end)).unwrap_or(text)
}

/// True if the text has no visible character.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_ignorable(c) || is_blank_sign(c))
}

/// True for a character that is shown as nothing unless something else is known of it (`Default_Ignorable_Code_Point`).
pub fn is_ignorable(c: char) -> bool {
    const IGNORABLE: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    !c.is_ascii() && IGNORABLE.contains(c)
}

/// True for signs that are drawn as nothing, though Unicode counts them as visible: the Braille pattern without dots, the
/// musical note without a head, and the format characters that are no marks of numbers.
fn is_blank_sign(c: char) -> bool {
    const MARKS: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<PrependedConcatenationMark>();
    const CATEGORIES: CodePointMapDataBorrowed<'static, GeneralCategory> =
        CodePointMapData::<GeneralCategory>::new();
    matches!(c, '\u{2800}' | '\u{1d159}')
        || (CATEGORIES.get(c) == GeneralCategory::Format && !MARKS.contains(c))
}

fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// True for control characters and for format characters that reorder or hide text: bidirectional overrides and
/// zero-width spaces. Zero-width joiners are kept, because emoji and several scripts need them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn is_combining(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use icu_properties::CodePointSetData;
    use icu_properties::props::{DefaultIgnorableCodePoint, WhiteSpace};

    use super::{NAME_MAX_CHARS, Name, Prompt, Slug, cut, is_blank};

    #[test]
    fn a_name_is_normalised_collapsed_trimmed_and_cut() {
        assert_eq!(Name::sanitize(" a\t\n b\u{0}\u{202e}c ").unwrap().as_str(), "a bc");
        assert_eq!(Name::sanitize("e\u{301}").unwrap().as_str(), "\u{e9}");
        assert_eq!(Name::sanitize("e\u{200b}\u{301}").unwrap().as_str(), "\u{e9}");
        assert_eq!(Name::sanitize(&"😀".repeat(10_000)).unwrap().as_str().chars().count(), NAME_MAX_CHARS);
        assert_eq!(Name::sanitize(" \u{7}\u{200b} "), None);
    }

    #[test]
    fn ascii_names_are_sanitised_like_others() {
        for (text, expected) in [
            ("Gear 2~", Some("Gear 2~")),
            (" Gear", Some("Gear")),
            ("Gear ", Some("Gear")),
            ("Gear  2", Some("Gear 2")),
            ("Gear\t2", Some("Gear 2")),
            ("Gear\u{7f}2", Some("Gear2")),
            (" ", None),
            ("", None),
            (&"x".repeat(NAME_MAX_CHARS + 1), Some(&*"x".repeat(NAME_MAX_CHARS))),
        ] {
            assert_eq!(Name::sanitize(text).as_ref().map(Name::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn a_cut_name_does_not_end_in_white_space() {
        let text = format!("{} tail", "x".repeat(NAME_MAX_CHARS - 1));
        assert_eq!(Name::sanitize(&text).unwrap().as_str(), "x".repeat(NAME_MAX_CHARS - 1));
    }

    #[test]
    fn names_of_invisible_characters_alone_are_refused() {
        let invisible = [
            CodePointSetData::new::<DefaultIgnorableCodePoint>().iter_ranges(),
            CodePointSetData::new::<WhiteSpace>().iter_ranges(),
        ];
        for c in invisible.into_iter().flatten().flatten().filter_map(char::from_u32) {
            assert_eq!(Name::sanitize(&format!("{c} {c}")), None, "U+{:x}", u32::from(c));
            assert!(is_blank(&c.to_string()), "U+{:x}", u32::from(c));
        }
        // The Hangul filler and the Braille pattern without dots are letters and symbols.
        for blank in ["\u{3164}", "\u{ffa0}\u{115f}", "\u{2800}", "\u{fff9}", "\u{1d159}"] {
            assert_eq!(Name::sanitize(blank), None, "{blank:?}");
        }
        // Joiners within a name, a sign of Arabic numbers, and letters of any script stay.
        for name in ["\u{1f469}\u{200d}\u{1f680}", "\u{600}", "\u{915}\u{94d}\u{200d}", "\u{e000}"] {
            assert_eq!(Name::sanitize(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        let family = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        let text = format!("{}{family}", "x".repeat(NAME_MAX_CHARS - 2));
        assert_eq!(Name::sanitize(&text).unwrap().as_str(), "x".repeat(NAME_MAX_CHARS - 2));
        let fits = format!("{}{family}", "x".repeat(NAME_MAX_CHARS - 5));
        assert_eq!(Name::sanitize(&fits).unwrap().as_str(), fits);
        assert_eq!(cut("a\u{308}\u{301}b", 2), "a\u{308}");
        assert_eq!((cut("a\u{30a}b", 1), cut("ab", 1), cut("ab", 2), cut("", 3)), ("a", "a", "ab", ""));
        let endless = format!("a{}", "\u{35f}".repeat(1_000));
        assert_eq!(Name::sanitize(&endless).unwrap().as_str().chars().count(), NAME_MAX_CHARS);
    }

    #[test]
    fn text_is_bounded_in_characters_not_bytes() {
        assert!(Prompt::try_from("é".repeat(4_000)).is_ok());
        assert!(Prompt::try_from("é".repeat(4_001)).is_err());
        assert!(Prompt::try_from("a\0b".to_owned()).is_err());
    }

    #[test]
    fn a_slug_transliterates_to_ascii() {
        assert_eq!(Slug::from_text("  Getriebe für Löwe №2 ", "project").as_str(), "getriebe-fur-lowe-no2");
        assert_eq!(Slug::from_text("设计", "project").as_str(), "project");
        assert_eq!(Slug::from_text("gear", "project").variant(2).as_str(), "gear-2");
        assert!(Slug::from_text(&"a".repeat(80), "project").variant(12).as_str().len() <= 63);
    }
}
