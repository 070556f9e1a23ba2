//! Page labels (ISO 32000-2, 12.4.2): the numbers that a document gives its pages, for example those of sheets.

use std::collections::BTreeMap;

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object};

use super::limits::{LEVELS_MAX, NAMES_MAX, TEXT_MAX_CHARS};
use super::string;

/// Longest number in letters or Roman numerals; a longer one is written in digits.
const LETTERS_MAX: usize = 32;

/// The labels of the first `count` pages; empty without labels.
pub(super) fn of(pdf: &Pdf, count: usize) -> Vec<String> {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let ranges = catalog.and_then(|catalog| catalog.get::<Dict<'_>>("PageLabels")).map(ranges);
    let ranges = ranges.filter(|ranges| !ranges.is_empty()).unwrap_or_default();
    if ranges.is_empty() {
        return Vec::new();
    }
    let label = |page: usize| match ranges.range(..=page).next_back() {
        Some((from, range)) => range.label(page - from),
        None => (page + 1).to_string(),
    };
    (0..count).map(label).collect()
}

/// Pages whose labels have one prefix and one sequence of numbers.
struct LabelRange {
    prefix: String,
    style: Option<u8>,
    start: usize,
}

impl LabelRange {
    fn of(range: &Dict<'_>) -> Self {
        let prefix = range.get::<Object<'_>>("P").and_then(|prefix| prefix.into_string());
        let start = range.get::<i32>("St").and_then(|start| usize::try_from(start).ok());
        Self {
            prefix: prefix.map(|prefix| string::unicode(&prefix)).unwrap_or_default(),
            style: range.get::<Name<'_>>("S").and_then(|style| style.first().copied()),
            start: start.filter(|start| *start > 0).unwrap_or(1),
        }
    }

    /// The label of the page that follows the first one by `offset`.
    fn label(&self, offset: usize) -> String {
        let number = self.start.saturating_add(offset);
        let number = match self.style {
            None => String::new(),
            Some(b'R') => roman(number).to_uppercase(),
            Some(b'r') => roman(number),
            Some(b'A') => letters(number).to_uppercase(),
            Some(b'a') => letters(number),
            Some(_) => number.to_string(),
        };
        let prefix = self.prefix.chars().filter(|c| !c.is_control()).take(TEXT_MAX_CHARS);
        prefix.chain(number.chars()).collect()
    }
}

/// The ranges by their first page, from a tree of numbers.
fn ranges(root: Dict<'_>) -> BTreeMap<usize, LabelRange> {
    let mut ranges = BTreeMap::new();
    let mut pending = vec![(root, 1)];
    let mut visits = NAMES_MAX;
    while let Some((node, level)) = pending.pop() {
        visits = visits.saturating_sub(1);
        if visits == 0 || ranges.len() > NAMES_MAX {
            break;
        }
        let leaves = node.get::<Array<'_>>("Nums");
        let mut leaves = leaves.iter().flat_map(Array::iter::<Object<'_>>);
        while let (Some(first), Some(range)) = (leaves.next(), leaves.next()) {
            let first = first.into_i32().and_then(|first| usize::try_from(first).ok());
            if let (Some(first), Some(range)) = (first, range.into_dict()) {
                ranges.insert(first, LabelRange::of(&range));
            }
        }
        if level < LEVELS_MAX {
            let kids = node.get::<Array<'_>>("Kids");
            pending.extend(kids.iter().flat_map(Array::iter::<Dict<'_>>).map(|kid| (kid, level + 1)));
        }
    }
    ranges
}

/// Roman numerals in lower case.
fn roman(number: usize) -> String {
    const NUMERALS: [(usize, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let (mut text, mut left) = (String::new(), number);
    for (value, numeral) in NUMERALS {
        while left >= value {
            if text.len() > LETTERS_MAX {
                return number.to_string();
            }
            left -= value;
            text.push_str(numeral);
        }
    }
    text
}

/// `a` to `z`, `aa` to `zz`, `aaa` and so on.
fn letters(number: usize) -> String {
    let at = number.saturating_sub(1);
    let (repeats, letter) = (at / 26 + 1, u8::try_from(at % 26).unwrap_or_default());
    if repeats > LETTERS_MAX {
        return number.to_string();
    }
    char::from(b'a' + letter).to_string().repeat(repeats)
}

#[cfg(test)]
mod tests {
    use super::{letters, roman};

    #[test]
    fn numbers_are_written_in_letters_and_numerals() {
        assert_eq!([1, 26, 27, 54].map(letters), ["a", "z", "aa", "bbb"]);
        assert_eq!([1, 4, 9, 1994].map(roman), ["i", "iv", "ix", "mcmxciv"]);
        assert_eq!([usize::MAX, 10_000_000].map(letters), [usize::MAX.to_string(), "10000000".to_owned()]);
        assert_eq!(roman(usize::MAX), usize::MAX.to_string());
    }
}
