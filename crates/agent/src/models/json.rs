//! JSON as model servers write it: also with halves of surrogate pairs, of which two pieces of a text make one character,
//! and with numbers that JSON doesn't have.

use serde_json::Value;

/// The first of the private characters that stand for halves while a text is put together.
const HALVES: u32 = 0x10_f800;
const FIRST_HALF: u32 = 0xd800;
const FIRST_LOW_HALF: u32 = 0xdc00;
const LAST_HALF: u32 = 0xdfff;
/// Numbers of Python's `json`, which JSON doesn't have.
const NOT_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Reads JSON; [`join`] makes characters of halves in its texts.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| serde_json::from_str(&mended(text)).map_err(|_| error))
}

/// A text without halves: two of a pair are one character, others are replaced. `held` is the high half with which the
/// piece before has ended, and becomes that of this one.
pub(super) fn join(held: &mut Option<u32>, piece: &str) -> String {
    let mut joined = String::with_capacity(piece.len());
    for character in piece.chars() {
        let half = u32::from(character).checked_sub(HALVES).map(|place| place + FIRST_HALF);
        let high = held.take();
        match (high, half) {
            (Some(high), Some(low @ FIRST_LOW_HALF..=LAST_HALF)) => {
                let code = 0x1_0000 + ((high - FIRST_HALF) << 10) + (low - FIRST_LOW_HALF);
                joined.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                continue;
            }
            (Some(_), _) => joined.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match half {
            Some(high @ FIRST_HALF..FIRST_LOW_HALF) => *held = Some(high),
            Some(_) => joined.push(char::REPLACEMENT_CHARACTER),
            None => joined.push(character),
        }
    }
    joined
}

/// A whole text without halves.
pub(super) fn joined(text: &str) -> String {
    let mut held = None;
    let mut joined = join(&mut held, text);
    joined.extend(held.map(|_| char::REPLACEMENT_CHARACTER));
    joined
}

/// The JSON with private characters for halves, and null for what is no number.
fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let (mut rest, mut is_in_string) = (text, false);
    while let Some(character) = rest.chars().next() {
        let taken = match character {
            '\\' if is_in_string => {
                let taken = escape_length(rest);
                match escaped_half(rest) {
                    // The low half of a pair is skipped with its high half.
                    Some(high @ FIRST_HALF..FIRST_LOW_HALF) => {
                        let low =
                            rest.get(taken..).and_then(escaped_half).filter(|half| *half >= FIRST_LOW_HALF);
                        if low.is_some() {
                            let pair = taken * 2;
                            mended.push_str(rest.get(..pair).unwrap_or_default());
                            rest = rest.get(pair..).unwrap_or_default();
                            continue;
                        }
                        mended.extend(stand_in(high));
                    }
                    Some(low) => mended.extend(stand_in(low)),
                    None => mended.push_str(rest.get(..taken).unwrap_or_default()),
                }
                taken
            }
            '"' => {
                is_in_string = !is_in_string;
                mended.push('"');
                1
            }
            _ if !is_in_string && NOT_NUMBERS.iter().any(|word| rest.starts_with(word)) => {
                mended.push_str("null");
                NOT_NUMBERS.iter().find(|word| rest.starts_with(*word)).map_or(1, |word| word.len())
            }
            _ => {
                mended.push(character);
                character.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    mended
}

/// The private character for a half.
fn stand_in(half: u32) -> Option<char> {
    char::from_u32(HALVES + (half - FIRST_HALF))
}

/// The half of a pair that the escape at the beginning of a text stands for.
fn escaped_half(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok().filter(|code| (FIRST_HALF..=LAST_HALF).contains(code))
}

/// The bytes of the escape at the beginning of a text.
fn escape_length(text: &str) -> usize {
    let length = if text.starts_with("\\u") { 6 } else { 2 };
    if text.is_char_boundary(length) { length } else { 1 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{join, joined, parse};

    #[test]
    fn halves_of_a_character_in_two_pieces_are_one() {
        let mut held = None;
        let mut said = String::new();
        for piece in [r#""a\ud83d""#, r#""\ude00b""#, r#""\ud83d\ude00""#, r#""\ud83d""#, r#""c\ude00d""#] {
            let piece = parse(piece).unwrap();
            said.push_str(&join(&mut held, piece.as_str().unwrap()));
        }
        assert_eq!(said, "a😀b😀\u{fffd}c\u{fffd}d");
        assert_eq!(
            joined(parse(r#""\ude00\ud83d\ud83d\ude00\\ud83d""#).unwrap().as_str().unwrap()),
            "\u{fffd}\u{fffd}😀\\ud83d"
        );
    }

    #[test]
    fn what_is_no_number_is_null_and_texts_stay() {
        let read =
            parse(r#"{"p": [-Infinity, NaN, 1.5], "said": "NaN \"Infinity", "odd": "\ud800"}"#).unwrap();
        assert_eq!((&read["p"], &read["said"]), (&json!([null, null, 1.5]), &json!("NaN \"Infinity")));
        for broken in ["{", "{\"a\": \"\\ud8", "{\"a\": \"\\", "NaN,", "\"\\ué\""] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }
}
