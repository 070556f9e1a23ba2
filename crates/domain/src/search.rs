//! Literal, case-insensitive search: text and query are folded alike, then compared bytewise.

pub mod excerpt;
pub mod grams;
mod terms;

use unicode_normalization::UnicodeNormalization;

pub use self::terms::SearchTerms;
use crate::text::is_ignorable;

/// The seam of two texts in a searched document. Folded text doesn't hold it, so no query matches across it.
pub const SEAM: char = '\u{1e}';

const DOT_ABOVE: char = '\u{307}';

/// Letters of the shortest word that a trigram index can find.
const TRIGRAM_CHARS: usize = 3;

/// Folds differences that people don't type: case, in any script, compatibility forms (`Ａ`, `²`), accents of letters,
/// typographic quotes and dashes, and invisible characters. Each run of white space is one blank: texts are wrapped and
/// typeset with line ends and with blanks of other widths.
///
/// PostgreSQL's `lower` won't do: it depends on the locale with which the database was created.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return spaced(text.chars().map(typed).map(|c| c.to_ascii_lowercase()));
    }
    let plain = text.chars().map(typed).filter(|c| !is_ignorable(*c)).nfkd();
    spaced(caseless(plain).nfkd().map(typed).filter(|c| !is_accent(*c)).nfkc())
}

/// Folds case alone, in any script, and the encoding of accented characters: for names that must differ in more than case.
pub fn fold_case(text: &str) -> String {
    let mut folded = String::new();
    for c in caseless(text.nfd()).nfd() {
        // İ is i, and its lower case is an i with a dot.
        if c != DOT_ABOVE || !folded.ends_with('i') {
            folded.push(c);
        }
    }
    folded.nfc().collect()
}

/// Three steps, because no single one maps all forms of a letter to one: `ẞ` has a lower case alone, `ß` an upper case of two
/// letters, and the two forms of the Greek sigma one upper case.
fn caseless(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    text.flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// The characters with one blank for each run of white space.
fn spaced(chars: impl Iterator<Item = char>) -> String {
    let mut text = String::new();
    for c in chars {
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.ends_with(' ') {
            text.push(' ');
        }
    }
    text
}

/// A character as keyboards have it.
fn typed(c: char) -> char {
    match c {
        SEAM => ' ',
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{b4}' | '`' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c => c,
    }
}

/// An accent of Latin, Greek and Cyrillic letters. Marks of other scripts make other letters, as `か` and `が`.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// `true` if PostgreSQL's trigram index can find a folded text: it needs a word of at least three letters.
pub fn has_trigram(folded: &str) -> bool {
    folded.split(|c: char| !c.is_alphanumeric()).any(|word| word.chars().count() >= TRIGRAM_CHARS)
}

/// The pattern of `LIKE` that matches texts containing `text` literally.
pub fn contains_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::{contains_pattern, fold, fold_case};

    #[test]
    fn folding_ignores_case_and_composition_in_any_script() {
        for (one, other) in [
            ("Stra\u{df}e", "STRASSE"),
            ("\u{c9}t\u{e9}", "e\u{301}te\u{301}"),
            ("\u{39f}\u{394}\u{39f}\u{3a3}", "\u{3bf}\u{3b4}\u{3bf}\u{3c2}"),
            ("\u{416}\u{41b}", "\u{436}\u{43b}"),
            ("\u{8bbe}\u{8ba1}", "\u{8bbe}\u{8ba1}"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold("a%b"), fold("a_b"));
    }

    #[test]
    fn every_character_folds_as_its_upper_and_its_lower_case() {
        for c in '\0'..=char::MAX {
            let (upper, lower) = (c.to_uppercase().to_string(), c.to_lowercase().to_string());
            if upper == lower {
                continue;
            }
            for fold in [fold, fold_case] {
                let folded = fold(&c.to_string());
                assert_eq!(
                    (fold(&upper), fold(&lower)),
                    (folded.clone(), folded.clone()),
                    "{c:?} U+{:x}",
                    u32::from(c)
                );
                assert_eq!(fold(&folded), folded, "{c:?} U+{:x}", u32::from(c));
            }
        }
        assert_eq!((fold("\u{1e9e}"), fold("\u{130}")), (fold("\u{df}"), fold("i")));
        assert_eq!((fold_case("\u{1e9e}"), fold_case("\u{130}")), (fold_case("\u{df}"), fold_case("i")));
    }

    #[test]
    fn texts_are_found_as_they_are_typed() {
        for (written, typed) in [
            ("\u{ff21}\u{ff22}\u{ff23}", "abc"),
            ("\u{ff77}\u{ff9e}", "\u{30ae}"),
            ("m\u{b2}", "m2"),
            ("d\u{2019}Alembert", "D'ALEMBERT"),
            ("\u{201e}Zahnrad\u{201c}", "\"zahnrad\""),
            ("R\u{e9}sum\u{e9} \u{2013} \u{1ead}", "resume - a"),
            ("\u{419}\u{43e}\u{433}", "\u{438}\u{43e}\u{433}"),
            ("gear\u{ad}box", "gearbox"),
            ("\u{a0}", " "),
            ("10\u{a0}mm \u{2009}H7\u{202f}\u{2212}0.1", "10 mm h7 -0.1"),
            ("bevel\r\n  gear\t\u{2028}\u{3000}box", "bevel gear box"),
            ("M8\u{2011}1\u{200b}2\u{feff}\u{2060}\u{200d}", "m8-12"),
            ("line\nend", "line end"),
        ] {
            assert_eq!(fold(written), fold(typed), "{written} {typed}");
        }
        // Other letters, not accents.
        assert_ne!(fold("\u{304b}"), fold("\u{304c}"));
        assert_ne!(fold_case("M\u{fc}ller"), fold_case("Muller"));
    }

    #[test]
    fn folded_text_holds_no_seam() {
        assert_eq!(fold("A\u{1e}B\nc"), "a b c");
    }

    #[test]
    fn a_like_pattern_is_literal() {
        assert_eq!(contains_pattern(r"100%_\o/"), r"%100\%\_\\o/%");
    }
}
