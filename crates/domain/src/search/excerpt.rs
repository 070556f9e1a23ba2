//! Excerpts: the part of a text where terms were found, as people read it.

use unicode_segmentation::UnicodeSegmentation;

use super::fold;

/// Characters of an excerpt before the first found term.
const BEFORE_CHARS: usize = 40;
/// Most characters of an excerpt, as people count them.
const EXCERPT_CHARS: usize = 160;
/// Longest character as people count them, in bytes. Longer ones are left out: accents can be piled up without a bound.
const CHAR_BYTES: usize = 64;

/// A part of a text, with white space as single blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The part. `…` stands for what was left out before and after it.
    pub text: String,
    /// Begin and end of each found term in `text`, in Unicode code points, in order and without overlap.
    pub ranges: Vec<[u32; 2]>,
}

/// A character of a text, as people count them, with its place in the folded text.
struct ShownChar<'a> {
    shown: &'a str,
    /// Where its folded form begins, in bytes of the folded text.
    at: usize,
}

/// A text by characters, beside its folded form.
struct ShownText<'a> {
    signs: Vec<ShownChar<'a>>,
    folded: String,
}

/// The part of `text` around the first of the folded terms that it holds; its beginning if it holds none.
pub fn excerpt(text: &str, terms: &[String]) -> Excerpt {
    let ShownText { signs, folded } = ShownText::of(text);
    let found = found(&folded, terms);
    let place = |at: usize| signs.partition_point(|one| one.at <= at).saturating_sub(1);
    let first = found.first().map_or(0, |(at, _)| place(*at));
    let begin = first.saturating_sub(BEFORE_CHARS);
    let end = signs.len().min(begin + EXCERPT_CHARS);
    let mut made = String::from(if begin > 0 { "…" } else { "" });
    let mut places = Vec::with_capacity(end - begin + 1);
    let mut chars = made.chars().count();
    for one in signs.get(begin..end).unwrap_or_default() {
        places.push(chars);
        made.push_str(one.shown);
        chars += one.shown.chars().count();
    }
    places.push(chars);
    if end < signs.len() {
        made.push('…');
    }
    // The last byte decides: the folded form of a character may be longer than one.
    let within = found.into_iter().map(|(at, after)| (place(at), place(after - 1) + 1));
    let within = within.filter(|(from, to)| *from >= begin && *to <= end);
    let number = |place: usize| u32::try_from(*places.get(place - begin)?).ok();
    let ranges = within.filter_map(|(from, to)| Some([number(from)?, number(to)?])).collect();
    Excerpt { text: made, ranges }
}

/// Begin and end of all terms in a folded text, in order and without overlap.
fn found(folded: &str, terms: &[String]) -> Vec<(usize, usize)> {
    let terms = terms.iter().filter(|term| !term.is_empty());
    let mut all: Vec<(usize, usize)> = terms
        .flat_map(|term| folded.match_indices(term.as_str()).map(|(at, found)| (at, at + found.len())))
        .collect();
    all.sort_unstable_by_key(|(at, after)| (*at, usize::MAX - after));
    let mut last = 0;
    all.retain(|(at, after)| {
        let is_apart = *at >= last;
        if is_apart {
            last = *after;
        }
        is_apart
    });
    all
}

impl<'a> ShownText<'a> {
    /// Folds character by character. That is the folded text, but for accents that join across characters.
    fn of(text: &'a str) -> Self {
        let (mut signs, mut folded): (Vec<ShownChar<'a>>, String) = (Vec::new(), String::new());
        for shown in text.graphemes(true).filter(|shown| shown.len() <= CHAR_BYTES) {
            let at = folded.len();
            let is_blank = shown.chars().all(|c| c.is_whitespace() || c.is_control());
            match shown.as_bytes() {
                _ if is_blank => {
                    if !folded.is_empty() && !folded.ends_with(' ') {
                        folded.push(' ');
                        signs.push(ShownChar { shown: " ", at });
                    }
                    continue;
                }
                [byte @ (b'!'..=b'_' | b'a'..=b'~')] => folded.push(char::from(byte.to_ascii_lowercase())),
                _ => folded.push_str(&fold(shown)),
            }
            // Soft hyphens and other invisible characters fold to nothing.
            if folded.len() > at {
                signs.push(ShownChar { shown, at });
            }
        }
        Self { signs, folded }
    }
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, excerpt};
    use crate::search::SearchTerms;

    fn of(text: &str, terms: &str) -> (String, Vec<String>) {
        let Excerpt { text, ranges } = excerpt(text, SearchTerms::parse(terms).terms());
        let chars: Vec<char> = text.chars().collect();
        let part = |[from, to]: [u32; 2]| {
            let (from, to) = (usize::try_from(from).unwrap(), usize::try_from(to).unwrap());
            chars.get(from..to).unwrap_or_default().iter().collect::<String>()
        };
        let parts = ranges.into_iter().map(part).collect();
        (text, parts)
    }

    #[test]
    fn found_terms_are_marked_as_they_are_written() {
        for (text, terms, shown, marked) in [
            (
                "Die STRASSE zur\n  Stra\u{df}e",
                "strasse",
                "Die STRASSE zur Stra\u{df}e",
                vec!["STRASSE", "Stra\u{df}e"],
            ),
            (
                "ge\u{ad}ar\u{ad}box \u{fb01}t",
                "gearbox fit",
                "gearbox \u{fb01}t",
                vec!["gearbox", "\u{fb01}t"],
            ),
            ("10\u{202f}mm \u{d8}", "\"10 mm\"", "10 mm \u{d8}", vec!["10 mm"]),
            (
                "e\u{301}te\u{301} \u{1f468}\u{200d}\u{1f527} gear",
                "ete gear",
                "e\u{301}te\u{301} \u{1f468}\u{200d}\u{1f527} gear",
                vec!["e\u{301}te\u{301}", "gear"],
            ),
            ("gearbox", "gear earbox", "gearbox", vec!["gear"]),
            ("nothing", "gear", "nothing", vec![]),
            ("", "gear", "", vec![]),
        ] {
            let marked: Vec<String> = marked.into_iter().map(str::to_owned).collect();
            assert_eq!(of(text, terms), (shown.to_owned(), marked), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_around_the_first_term() {
        let text = format!("{}gear{}", "word ".repeat(1_000), " end".repeat(1_000));
        let (shown, marked) = of(&text, "gear");
        assert!(shown.starts_with("…word word") && shown.ends_with('…'), "{shown}");
        assert_eq!((shown.chars().count(), marked), (162, vec!["gear".to_owned()]));
        let piled = format!("a{} gear", "\u{301}".repeat(10_000));
        assert_eq!(of(&piled, "gear").0, "gear");
    }
}
