//! Positions in an ordered list that people rearrange. Between two positions there is always another one, so that a
//! move writes one row.
//!
//! A position consists of base-62 digits, which compare bytewise: a whole number, then a fraction that never ends in
//! `0`. The whole number's first digit encodes its length: `a` to `z` for numbers from 0 upwards, `Z` down to `A` for
//! negative ones. Appending therefore lengthens the keys only logarithmically.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest position, in digits. After some thousand moves to the same place the list is renumbered.
pub const POSITION_MAX_DIGITS: usize = 512;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A place in an ordered list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Position(String);

/// The text is not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a position")]
pub struct InvalidPosition;

impl Position {
    /// A position between two neighbours, either of which may be absent.
    ///
    /// `None` if they are in the wrong order or the position would exceed [`POSITION_MAX_DIGITS`].
    pub fn between(before: Option<&Self>, after: Option<&Self>) -> Option<Self> {
        let digits = match (before.map(PositionParts::of), after.map(PositionParts::of)) {
            (Some(before), Some(after)) if before >= after => return None,
            (None, None) => vec![b'a', b'0'],
            (Some(before), None) => match before.successor() {
                Some(whole) => whole,
                None => before.with_fraction(&middle(before.fraction, None)),
            },
            (None, Some(after)) if !after.fraction.is_empty() => after.whole.to_vec(),
            (None, Some(after)) => after.predecessor()?,
            (Some(before), Some(after)) if before.whole == after.whole => {
                before.with_fraction(&middle(before.fraction, Some(after.fraction)))
            }
            (Some(before), Some(after)) => match before.successor() {
                Some(whole) if whole.as_slice() < after.whole || !after.fraction.is_empty() => whole,
                _ => before.with_fraction(&middle(before.fraction, None)),
            },
        };
        let text = String::from_utf8(digits).ok()?;
        (text.len() <= POSITION_MAX_DIGITS).then_some(Self(text))
    }

    /// `count` successive positions of a new list.
    pub fn in_a_row(count: usize) -> Vec<Self> {
        Self::in_a_row_after(None, count)
    }

    /// `count` successive positions after `last`. Renumbering a list by them never makes two positions equal meanwhile.
    pub fn in_a_row_after(last: Option<&Self>, count: usize) -> Vec<Self> {
        let first = Self::between(last, None);
        std::iter::successors(first, |last| Self::between(Some(last), None)).take(count).collect()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The two parts of a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PositionParts<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> PositionParts<'a> {
    fn of(position: &'a Position) -> Self {
        let digits = position.0.as_bytes();
        let (whole, fraction) = digits.split_at(whole_length(digits).unwrap_or_default().min(digits.len()));
        Self { whole, fraction }
    }

    fn with_fraction(&self, fraction: &[u8]) -> Vec<u8> {
        [self.whole, fraction].concat()
    }

    /// The next whole number; `None` for the greatest.
    fn successor(&self) -> Option<Vec<u8>> {
        let mut digits = self.whole.to_vec();
        let (head, number) = digits.split_first_mut()?;
        for digit in number.iter_mut().rev() {
            if *digit != b'z' {
                *digit = *DIGITS.get(value(*digit) + 1)?;
                return Some(digits);
            }
            *digit = b'0';
        }
        match *head {
            b'z' => return None,
            b'Z' => return Some(b"a0".to_vec()),
            head if head.is_ascii_lowercase() => digits.push(b'0'),
            _ => drop(digits.pop()),
        }
        if let Some(head) = digits.first_mut() {
            *head += 1;
        }
        Some(digits)
    }

    /// The previous whole number; `None` for the least.
    fn predecessor(&self) -> Option<Vec<u8>> {
        let mut digits = self.whole.to_vec();
        let (head, number) = digits.split_first_mut()?;
        for digit in number.iter_mut().rev() {
            if *digit != b'0' {
                *digit = *DIGITS.get(value(*digit).checked_sub(1)?)?;
                return Some(digits);
            }
            *digit = b'z';
        }
        match *head {
            b'A' => return None,
            b'a' => return Some(b"Zz".to_vec()),
            head if head.is_ascii_uppercase() => digits.push(b'z'),
            _ => drop(digits.pop()),
        }
        if let Some(head) = digits.first_mut() {
            *head -= 1;
        }
        Some(digits)
    }
}

/// A fraction between two; without `after`, the interval ends at 1.
fn middle(before: &[u8], after: Option<&[u8]>) -> Vec<u8> {
    let mut fraction = Vec::new();
    let (mut before, mut after) =
        (before.iter().copied(), after.map(|after| after.iter().copied().peekable()));
    loop {
        let low = before.next().map_or(0, value);
        let (high, last) = match &mut after {
            Some(after) => (after.next().map_or(0, value), after.peek().is_none()),
            None => (DIGITS.len(), true),
        };
        if high.saturating_sub(low) > 1 {
            fraction.extend(DIGITS.get(low.midpoint(high)));
            return fraction;
        }
        if high > low {
            // Adjacent digits. The upper digit alone is below `after` if `after` continues; otherwise extend `before`.
            if !last {
                fraction.extend(DIGITS.get(high));
                return fraction;
            }
            after = None;
        }
        fraction.extend(DIGITS.get(low));
    }
}

fn value(digit: u8) -> usize {
    DIGITS.iter().position(|known| *known == digit).unwrap_or_default()
}

/// The length of the whole number, encoded in its first digit, which counts.
fn whole_length(digits: &[u8]) -> Option<usize> {
    match digits.first()? {
        head @ b'a'..=b'z' => Some(usize::from(head - b'a') + 2),
        head @ b'A'..=b'Z' => Some(usize::from(b'Z' - head) + 2),
        _ => None,
    }
}

impl FromStr for Position {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<Self, InvalidPosition> {
        let digits = text.as_bytes();
        let whole = whole_length(digits).ok_or(InvalidPosition)?;
        let valid = digits.len() <= POSITION_MAX_DIGITS
            && digits.iter().all(u8::is_ascii_alphanumeric)
            && digits.split_at_checked(whole).is_some_and(|(_, fraction)| !fraction.ends_with(b"0"));
        if valid { Ok(Self(text.to_owned())) } else { Err(InvalidPosition) }
    }
}

impl TryFrom<String> for Position {
    type Error = InvalidPosition;

    fn try_from(text: String) -> Result<Self, InvalidPosition> {
        text.parse()
    }
}

impl From<Position> for String {
    fn from(position: Position) -> Self {
        position.0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, proptest};

    use super::Position;

    #[test]
    fn thousands_of_successive_positions_are_short_and_extend_at_both_ends() {
        let row = Position::in_a_row(10_000);
        assert!(row.is_sorted() && row.iter().all(|position| position.as_str().len() <= 4));
        let before = Position::between(None, row.first()).unwrap();
        assert_eq!((before.as_str(), row.first().unwrap().as_str()), ("Zz", "a0"));
        assert_eq!(Position::between(None, Some(&"Z0".parse().unwrap())).unwrap().as_str(), "Yzz");
        assert_eq!(Position::between(Some(&"Yzz".parse().unwrap()), None).unwrap().as_str(), "Z0");
    }

    #[test]
    fn equal_and_swapped_neighbours_have_no_position_between_them() {
        let [a, b]: [Position; 2] = ["a0", "a1"].map(|text| text.parse().unwrap());
        assert_eq!(Position::between(Some(&a), Some(&a)), None);
        assert_eq!(Position::between(Some(&b), Some(&a)), None);
    }

    #[test]
    fn only_canonical_text_is_a_position() {
        for refused in ["", "0", "a", "a00", "b1", "a0-", "a0V0", "\u{e4}0"] {
            assert!(refused.parse::<Position>().is_err(), "{refused}");
        }
    }

    #[test]
    fn thousands_of_moves_to_the_same_place_end_without_room_but_never_with_equal_keys() {
        let (first, mut last) = ("a0".parse::<Position>().unwrap(), "a1".parse::<Position>().unwrap());
        let mut moves = 0;
        while let Some(next) = Position::between(Some(&first), Some(&last)) {
            assert!(first < next && next < last);
            (last, moves) = (next, moves + 1);
        }
        assert!(moves > 2_000, "{moves}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn insertions_anywhere_keep_the_order_and_parse_again(
            places in prop::collection::vec(any::<prop::sample::Index>(), 1..200),
        ) {
            let mut row: Vec<Position> = Vec::new();
            for place in places {
                let at = place.index(row.len() + 1);
                let before = at.checked_sub(1).and_then(|before| row.get(before));
                let new = Position::between(before, row.get(at)).unwrap();
                prop_assert_eq!(new.as_str().parse::<Position>(), Ok(new.clone()));
                row.insert(at, new);
            }
            prop_assert!(row.is_sorted_by(|a, b| a < b && a.as_str().as_bytes() < b.as_str().as_bytes()));
        }
    }
}
