//! Literal, case-insensitive search: texts and what is sought are folded alike, and then compared as they are.

use unicode_normalization::UnicodeNormalization;

/// A text as searches compare it: without a difference of case, in any script, and of how accented characters are
/// encoded. In Rust rather than by the database, whose `lower` depends on the locale that it was created with.
pub fn fold(text: &str) -> String {
    // By way of upper case: ß becomes ss, and both forms of the Greek sigma one.
    text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}

/// The pattern of `LIKE` that a text fits which holds `text`, letter by letter: nothing in `text` stands for anything
/// else.
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
    fn case_and_composition_make_no_difference_in_any_script() {
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
    fn a_pattern_is_literal() {
        assert_eq!(contains_pattern(r"100%_\o/"), r"%100\%\_\\o/%");
    }
}
