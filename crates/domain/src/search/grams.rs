//! Keys of an index over texts: runs of three characters and, in scripts without blanks between words, of two.
//!
//! A text holds a term only if it has all keys of the term. The keys of a text say nothing of their order, so a text
//! that has them must still be compared.

use std::collections::BTreeSet;

use super::SEAM;

/// Bits of a character in a key.
const CHAR_BITS: u32 = 21;
/// Most keys that a search asks for: a subset finds more, which comparing drops.
const ASKED_MAX: usize = 48;

/// The keys of a folded text, each once and in order.
pub fn of_text(folded: &str) -> Vec<i64> {
    let mut found = Vec::new();
    each(folded, |key| found.push(key));
    found.sort_unstable();
    found.dedup();
    found
}

/// Keys that a text which holds all these terms has. Empty if the terms are too short for any.
pub fn of_terms(terms: &[String]) -> Vec<i64> {
    let mut found = BTreeSet::new();
    for term in terms {
        each(term, |key| {
            found.insert(key);
        });
    }
    found.into_iter().take(ASKED_MAX).collect()
}

/// Keys never span a blank or a seam.
fn each(folded: &str, mut take: impl FnMut(i64)) {
    let (mut first, mut second) = (None, None);
    for c in folded.chars() {
        if c == ' ' || c == SEAM {
            (first, second) = (None, None);
            continue;
        }
        if let Some(second) = second {
            if let Some(first) = first {
                take(key(&[first, second, c]));
            }
            if is_ideographic(second) && is_ideographic(c) {
                take(key(&[second, c]));
            }
        }
        (first, second) = (second, Some(c));
    }
}

fn key(chars: &[char]) -> i64 {
    chars.iter().fold(0, |key, c| (key << CHAR_BITS) | i64::from(u32::from(*c)))
}

/// True for Chinese, Japanese and Korean characters, of which two are often a word.
fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::{of_terms, of_text};

    fn finds(text: &str, term: &str) -> bool {
        let (known, asked) = (of_text(text), of_terms(&[term.to_owned()]));
        !asked.is_empty() && asked.iter().all(|key| known.binary_search(key).is_ok())
    }

    #[test]
    fn a_text_has_the_keys_of_each_part_of_it() {
        let text = "kegelzahnrad m8-12, 10 mm\u{1e}齿轮箱 ギア";
        for part in ["zahnrad", "m8-12", "8-1", "齿轮", "轮箱", "ギア", "zahnrad m8-12"] {
            assert!(text.contains(part) && finds(text, part), "{part}");
        }
        for other in ["zahnrod", "m8-13", "10", "mm齿", "箱ギ", "m8"] {
            assert!(!finds(text, other), "{other}");
        }
    }

    #[test]
    fn keys_are_positive_distinct_and_bounded() {
        let last = char::MAX;
        let keys = of_text(&format!("{last}{last}{last}{last} aaaa"));
        assert!(keys.len() == 2 && keys.iter().all(|key| *key > 0), "{keys:?}");
        let long: String = ('a'..='z').chain('0'..='9').chain('A'..='Z').collect();
        assert_eq!(of_terms(&[long]).len(), 48);
        assert!(of_terms(&["ab".to_owned(), String::new()]).is_empty());
    }
}
