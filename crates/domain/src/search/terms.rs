//! The words and phrases of a search text.

use super::fold;

/// The words of a search text, all of which must be found, in any order. A part in quotes is one phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTerms {
    folded: String,
    terms: Vec<String>,
}

impl SearchTerms {
    /// The terms of a text as people type it.
    pub fn parse(text: &str) -> Self {
        let folded = fold(text);
        let mut terms = Vec::new();
        let mut rest = folded.as_str().trim_start();
        while !rest.is_empty() {
            let (term, after) = phrase(rest).unwrap_or_else(|| rest.split_once(' ').unwrap_or((rest, "")));
            terms.push(term.to_owned());
            rest = after.trim_start();
        }
        Self { folded, terms }
    }

    /// The whole text, folded.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The words and phrases, folded; none of a text of white space alone.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// True if a folded text holds each term, or the whole as it is typed: quotes are also signs of inches.
    pub fn are_in(&self, folded: &str) -> bool {
        folded.contains(&self.folded) || self.are_each_in(folded)
    }

    /// True if a folded text holds each term. A text without a term is in none.
    pub fn are_each_in(&self, folded: &str) -> bool {
        !self.terms.is_empty() && self.terms.iter().all(|term| folded.contains(term))
    }
}

/// The phrase in quotes at the beginning of a text, and the rest of the text.
fn phrase(text: &str) -> Option<(&str, &str)> {
    let (phrase, rest) = text.strip_prefix('"')?.split_once('"')?;
    let phrase = phrase.trim();
    (!phrase.is_empty() && (rest.is_empty() || rest.starts_with(' '))).then_some((phrase, rest))
}

#[cfg(test)]
mod tests {
    use super::SearchTerms;

    #[test]
    fn words_are_terms_and_quotes_make_phrases() {
        for (text, terms) in [
            ("Gear  BOX", vec!["gear", "box"]),
            ("\u{201e}Gear box\u{201c} M8", vec!["gear box", "m8"]),
            ("3/4\" pipe", vec!["3/4\"", "pipe"]),
            ("\"gear", vec!["\"gear"]),
            ("\"gear\"box", vec!["\"gear\"box"]),
            ("\"\" a", vec!["\"\"", "a"]),
            (" \u{a0}", vec![]),
        ] {
            assert_eq!(SearchTerms::parse(text).terms(), terms, "{text}");
        }
    }

    #[test]
    fn all_terms_must_be_in_a_text() {
        let terms = SearchTerms::parse("Box \"the gear\"");
        assert!(terms.are_in("the gear in its box"));
        assert!(!terms.are_in("the old gear in its box"));
        assert!(SearchTerms::parse("\"a\" b").are_in("x \"a\" b y"));
        let blank = SearchTerms::parse(" ");
        assert!(blank.are_in("a b") && !blank.are_in("ab") && !blank.are_each_in("a b"));
    }
}
