//! Handles of users in the texts of cards: `@ada` names the user whose name in URLs is `ada` (docs/api.md, section 5).

use crate::planning::mention::{ends_in_word, starts_in_word};
use crate::text::Slug;

/// Most handles of a text that count.
pub const HANDLES_MAX: usize = 50;
/// Fewest marks that begin a block of code.
const FENCE_MIN: usize = 3;

/// The first [`HANDLES_MAX`] handles of a text in Markdown, each once, in their order. None stands in code or in an
/// address, and none is a part of a longer name: `a@ada`, `@ada.org` and `@ada/gears` mention nobody.
pub fn handles(text: &str) -> Vec<Slug> {
    let mut found = Vec::new();
    let mut block: Option<Fence> = None;
    for line in text.lines() {
        match (block, fence(line)) {
            (Some(open), Some((end, ""))) if end.closes(open) => block = None,
            (Some(_), _) => {}
            // A mark of code follows: the line has code, and begins no block.
            (None, Some((open, rest))) if open.mark != '`' || !rest.contains('`') => block = Some(open),
            (None, _) => read_line(line, &mut found),
        }
    }
    found
}

/// The marks at the beginning or the end of a block of code.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn closes(self, open: Self) -> bool {
        self.mark == open.mark && self.length >= open.length
    }
}

/// The fence with which a line begins, also within a quote or a list, and the trimmed text behind it.
fn fence(line: &str) -> Option<(Fence, &str)> {
    let is_lead = |c: char| c.is_whitespace() || c.is_ascii_digit() || ">-*+.)".contains(c);
    let line = line.trim_start_matches(is_lead);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= FENCE_MIN).then_some((Fence { mark, length }, rest.trim()))
}

/// Reads a line without its code.
fn read_line(line: &str, found: &mut Vec<Slug>) {
    let mut rest = line;
    while let Some((words, code)) = rest.find('`').and_then(|at| rest.split_at_checked(at)) {
        read_words(words, found);
        rest = behind_code(code);
    }
    read_words(rest, found);
}

/// The text behind code, which ends with as many marks as it begins with. Marks without an end are text.
fn behind_code(code: &str) -> &str {
    let inner = code.trim_start_matches('`');
    let length = code.len() - inner.len();
    let mut rest = inner;
    while let Some((_, marks)) = rest.find('`').and_then(|at| rest.split_at_checked(at)) {
        rest = marks.trim_start_matches('`');
        if marks.len() - rest.len() == length {
            return rest;
        }
    }
    inner
}

fn read_words(words: &str, found: &mut Vec<Slug>) {
    for word in words.split_whitespace().filter(|word| !word.contains("://")) {
        for (at, _) in word.match_indices('@') {
            let handle = handle_at(word, at).filter(|handle| !found.contains(handle));
            if found.len() < HANDLES_MAX {
                found.extend(handle);
            }
        }
    }
}

/// The handle behind the `@` at a place.
fn handle_at(word: &str, at: usize) -> Option<Slug> {
    let (before, after) = word.split_at_checked(at)?;
    let after = after.strip_prefix('@')?;
    let is_of_handle = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let (handle, rest) = after.split_at_checked(after.bytes().take_while(is_of_handle).count())?;
    let has_more_before = ends_in_word(before) || before.ends_with(['/', '@']);
    let has_more_behind = starts_in_word(rest.strip_prefix(['.', '_', '/', '@']).unwrap_or(rest));
    let handle = handle.trim_end_matches('-').to_ascii_lowercase();
    if has_more_before || has_more_behind {
        return None;
    }
    Slug::parse("handle", &handle).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{HANDLES_MAX, handles};

    fn read(text: &str) -> String {
        handles(text).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_handle_is_a_whole_name_behind_its_sign() {
        for text in [
            "@ada-2",
            "@Ada-2, please",
            "(@ada-2)",
            "_@ada-2_",
            "ask @ada-2.",
            "@ada-2: see",
            "@ada-2- or",
            "请@ada-2看",
            "**@ada-2**",
            "`x`@ada-2",
            "@ada-2/",
        ] {
            assert_eq!(read(text), "ada-2", "{text}");
        }
        for text in [
            "ada-2",
            "a@ada-2",
            "1@ada-2",
            "é@ada-2",
            "@@ada-2",
            "/@ada-2",
            "@ada-2.org",
            "@ada-2_x",
            "@ada-2/gears",
            "@ada-2@host",
            "@ada-2é",
            "@ ada-2",
            "@-ada-2",
            "@ada--2",
            "@",
        ] {
            assert_eq!(read(text), "", "{text}");
        }
        assert_eq!(read(&format!("@{}", "a".repeat(64))), "");
        assert_eq!(read("@bob, @ada and @BOB"), "bob ada");
    }

    #[test]
    fn code_and_addresses_mention_nobody() {
        for text in [
            "`@ada`",
            "``a ` @ada``",
            "https://host/@ada",
            "[x](https://host/?to=@ada)",
            "```\n@ada\n```",
            "~~~ js\n@ada\n```\n@ada\n~~~",
            "> ```\n> @ada\n> ```",
            "1. ```js\n   @ada\n   ```",
            "````\n```\n@ada\n````",
            "```\n@ada",
        ] {
            assert_eq!(read(text), "", "{text}");
        }
        for text in [
            "` @ada",
            "`` a ` @ada",
            "```x``` @ada",
            "```\nx\n```\n@ada",
            "~~ @ada",
            "- ```\n  x\n  ```\n@ada",
        ] {
            assert_eq!(read(text), "ada", "{text}");
        }
    }

    #[test]
    fn only_the_first_handles_count() {
        let many: Vec<String> = (1..=60).map(|number| format!("@a{number}")).collect();
        let found = handles(&many.join("\n"));
        assert_eq!((found.len(), found[49].as_str()), (HANDLES_MAX, "a50"));
    }

    proptest! {
        #[test]
        fn each_handle_stands_in_the_text(
            parts in prop::collection::vec("@[A-Za-z0-9-]{1,9}|`{1,4}|~{3}|\n|[ .,/_]|.", 0..90),
        ) {
            let text = parts.concat();
            let found = handles(&text);
            prop_assert!(found.len() <= HANDLES_MAX);
            let text = text.to_ascii_lowercase();
            let all_stand_there = found.iter().all(|handle| text.contains(&format!("@{handle}")));
            prop_assert!(all_stand_there);
        }
    }
}
