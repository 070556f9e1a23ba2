//! Keys of cards in a commit's message, and the words that close cards (docs/api.md, section 5).

use crate::key::{CardKey, KEY_MAX_LETTERS};
use crate::planning::mention::{ends_in_word, starts_in_word};

/// Most keys of a message that count.
pub const MENTIONS_MAX: usize = 50;
/// The words that close the card whose key follows.
const CLOSING_WORDS: [&str; 9] =
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];
/// Letters of the longest of them.
const CLOSING_MAX_LETTERS: usize = 8;
/// Digits of the greatest number.
const NUMBER_MAX_DIGITS: usize = 19;
/// The beginning of a first line that quotes the message of a reverted commit.
const REVERT: &str = "Revert \"";

/// A card that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardMention {
    /// The card's key.
    pub key: CardKey,
    /// The message closes the card. False for a mere mention.
    pub closes: bool,
}

/// The first [`MENTIONS_MAX`] keys of a message, each once, in their order. No ASCII letter or digit touches a key,
/// accented or not; characters of other scripts may, because not every script has blanks.
///
/// A closing word stands right before the key that it closes, on one line, with or without a colon. The first line of a
/// revert closes nothing: it quotes the message of the reverted commit.
pub fn card_mentions(message: &str) -> Vec<CardMention> {
    let quoted = if message.starts_with(REVERT) { message.lines().next().map_or(0, str::len) } else { 0 };
    let mut found: Vec<CardMention> = Vec::new();
    for (dash, _) in message.match_indices('-') {
        let Some((key, before)) = key_around(message, dash) else { continue };
        let closes = dash >= quoted && ends_with_closing_word(before);
        if let Some(known) = found.iter_mut().find(|mention| mention.key == key) {
            known.closes |= closes;
        } else if found.len() < MENTIONS_MAX {
            found.push(CardMention { key, closes });
        }
    }
    found
}

/// The key around the dash at a place, with the text before it.
fn key_around(text: &str, dash: usize) -> Option<(CardKey, &str)> {
    let (before, after) = text.split_at_checked(dash)?;
    let (before, project) = before.split_at_checked(before.len() - last_letters(before, KEY_MAX_LETTERS))?;
    let after = after.strip_prefix('-')?;
    let digits = after.bytes().take(NUMBER_MAX_DIGITS).take_while(u8::is_ascii_digit).count();
    let (number, after) = after.split_at_checked(digits)?;
    if ends_in_word(before) || starts_in_word(after) {
        return None;
    }
    let key = format!("{project}-{number}").parse().ok()?;
    Some((key, before))
}

/// True if a closing word is the last one, with at least a blank after it.
fn ends_with_closing_word(before: &str) -> bool {
    let is_blank = |c: char| c.is_whitespace() && !matches!(c, '\n' | '\r');
    let words = before.trim_end_matches(is_blank);
    if words.len() == before.len() {
        return false;
    }
    let words = words.strip_suffix(':').unwrap_or(words);
    let Some((before, word)) = words.split_at_checked(words.len() - last_letters(words, CLOSING_MAX_LETTERS))
    else {
        return false;
    };
    !ends_in_word(before) && CLOSING_WORDS.iter().any(|closing| closing.eq_ignore_ascii_case(word))
}

/// The number of ASCII letters at the end of a text, at most `most`.
fn last_letters(text: &str, most: usize) -> usize {
    text.bytes().rev().take(most).take_while(u8::is_ascii_alphabetic).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MENTIONS_MAX, card_mentions};

    /// The keys of a message, with `!` after those of cards that it closes.
    fn read(message: &str) -> String {
        let read = card_mentions(message).into_iter();
        let read = read.map(|mention| format!("{}{}", mention.key, if mention.closes { "!" } else { "" }));
        read.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_key_is_a_whole_word() {
        for message in [
            "GEAR-12",
            "gear-12",
            "(Gear-12)",
            "a/GEAR-12-teeth",
            "_GEAR-12_",
            "修复GEAR-12的问题",
            "GEAR-12.",
        ] {
            assert_eq!(read(message), "GEAR-12", "{message}");
        }
        for message in [
            "XXXXGEAR-12",
            "1GEAR-12",
            "ÉGEAR-12",
            "GEAR-12a",
            "GEAR-12é",
            "GEAR-12\u{ff13}",
            "GEAR-012",
            "GEAR-0",
        ] {
            assert_eq!(read(message), "", "{message}");
        }
        assert_eq!(
            read("GEAR-123 GEAR-9223372036854775807 GEAR-9223372036854775808"),
            "GEAR-123 GEAR-9223372036854775807"
        );
    }

    #[test]
    fn a_closing_word_closes_the_key_right_behind_it() {
        assert_eq!(
            read("Closes GEAR-1, GEAR-2, fixes GEAR-3 and resolved:  GEAR-4"),
            "GEAR-1! GEAR-2 GEAR-3! GEAR-4!"
        );
        for word in ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "RESOLVES", "Resolved"]
        {
            assert_eq!(read(&format!("It {word} GEAR-1.")), "GEAR-1!", "{word}");
            assert_eq!(read(&format!("\u{a0}{word}:\tGEAR-1")), "GEAR-1!", "{word}");
        }
        for message in [
            "prefix GEAR-1",
            "fixing GEAR-1",
            "fixes\n\nGEAR-1",
            "fixes-GEAR-1",
            "fixes :GEAR-1",
            "fixes (GEAR-1)",
            "é fix; GEAR-1",
        ] {
            assert_eq!(read(message), "GEAR-1", "{message}");
        }
    }

    #[test]
    fn the_quote_of_a_revert_closes_nothing() {
        assert_eq!(read("Revert \"Closes GEAR-1\"\n\nCloses GEAR-2"), "GEAR-1 GEAR-2!");
        assert_eq!(read("Closes GEAR-1\n\nRevert \"x\""), "GEAR-1!");
    }

    #[test]
    fn a_key_counts_once_and_only_the_first_keys_count() {
        assert_eq!(read("GEAR-1: see gear-1, closes GEAR-1"), "GEAR-1!");
        let many: Vec<String> = (1..=60).map(|number| format!("GEAR-{number}")).collect();
        let found = card_mentions(&format!("{} closes GEAR-1", many.join(" ")));
        assert_eq!((found.len(), found[0].closes), (MENTIONS_MAX, true));
    }

    proptest! {
        #[test]
        fn characters_of_other_scripts_may_touch_a_key(
            before in "[А-я一-龥ぁ-ん .,;:()\"'/#_\n-]{0,8}",
            after in "[А-я一-龥ぁ-ん .,;:()\"'/#_\n-]{0,8}",
        ) {
            prop_assert_eq!(read(&format!("{before}GEAR-12{after}")), "GEAR-12");
        }

        #[test]
        fn ascii_letters_and_digits_must_not_touch_a_key(touching in "[A-Za-z0-9]", any in ".{0,8}") {
            let message = format!("{any} {touching}SPRING-12");
            prop_assert!(!read(&message).contains("SPRING-12"));
            let message = format!("SPRING-12{touching} {any}");
            prop_assert!(!read(&message).split(' ').any(|key| key == "SPRING-12"));
        }

        #[test]
        fn each_key_stands_in_the_message(
            parts in prop::collection::vec("[a-z]{1,8}-[0-9]{1,21}|(Closes|fix):? |, |.", 0..90),
        ) {
            let message = parts.concat();
            let found = card_mentions(&message);
            prop_assert!(found.len() <= MENTIONS_MAX);
            let text = message.to_uppercase();
            prop_assert!(found.iter().all(|mention| text.contains(&mention.key.to_string())));
        }
    }
}
