//! Literal, case-insensitive search: text and query are folded alike, then compared bytewise.

use unicode_normalization::UnicodeNormalization;

/// The seam of two texts in a searched document. Folded text doesn't hold it, so no query matches across it.
pub const SEAM: char = '\u{1e}';

/// Letters of the shortest word that a trigram index can find.
const TRIGRAM_CHARS: usize = 3;

/// Folds case, in any script, and the encoding of accented characters.
///
/// PostgreSQL's `lower` won't do: it depends on the locale with which the database was created.
pub fn fold(text: &str) -> String {
    // Upper case first: it turns ß into SS, and both forms of the Greek sigma into one.
    let text = text.chars().map(|c| if c == SEAM { ' ' } else { c });
    text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
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
    use super::{contains_pattern, fold};

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
    fn folded_text_holds_no_seam() {
        assert_eq!(fold("A\u{1e}B\nc"), "a b\nc");
    }

    #[test]
    fn a_like_pattern_is_literal() {
        assert_eq!(contains_pattern(r"100%_\o/"), r"%100\%\_\\o/%");
    }
}
