//! Control characters in texts of others, which could move the cursor, retitle the window or reorder a line.

use std::borrow::Cow;
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use crate::style::STYLE;

/// Longest sequence of a style, as in `\x1b[38;2;255;255;255m`.
const STYLE_MAX: usize = 20;
/// The parameter that hides what follows.
const CONCEAL: &str = "8";

/// The text with its control characters made visible. Line ends and tabs stay, and so do styles of this program.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    visible_but(text, |_| None)
}

/// As `visible`, with the styles of this program as a terminal obeys them.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(STYLE) {
        return visible(text);
    }
    let mut shown = String::with_capacity(text.len());
    let visible = visible(text);
    let mut rest = visible.chars().peekable();
    while let Some(c) = rest.next() {
        match (c == STYLE).then(|| take_style(&mut rest)).flatten() {
            Some(style) => shown.push_str(&style),
            None => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// As `visible`, but the text's own styles stay, unless they hide something.
pub(crate) fn visible_with_styles(text: &str) -> Cow<'_, str> {
    visible_but(text, take_style)
}

fn visible_but(text: &str, take_style: impl Fn(&mut Peekable<Chars<'_>>) -> Option<String>) -> Cow<'_, str> {
    if !text.chars().any(is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match take_style(&mut rest) {
                Some(style) => shown.push_str(&style),
                None => shown.push('␛'),
            },
            '\r' if rest.peek() == Some(&'\n') => {}
            '\u{0}'..='\u{1f}' if is_control(c) => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            c if is_control(c) => shown.push(char::REPLACEMENT_CHARACTER),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// JSON whose control characters are all escaped; its own writer leaves those above U+001F as they are.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_control) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        // Writing to a string never fails, and every such character is below U+10000.
        let _written =
            if is_control(c) { write!(escaped, "\\u{:04x}", u32::from(c)) } else { escaped.write_char(c) };
    }
    Cow::Owned(escaped)
}

/// True for what a terminal obeys instead of showing it, and for overrides of the direction.
fn is_control(c: char) -> bool {
    !matches!(c, '\n' | '\t')
        && (c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

/// A style (`SGR`) behind an escape character, with it. Nothing is taken of any other sequence.
fn take_style(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut ahead = rest.clone();
    let mut style = String::from('\u{1b}');
    for c in ahead.by_ref().take(STYLE_MAX) {
        style.push(c);
        if !matches!(c, '[' | '0'..='9' | ';') {
            break;
        }
    }
    let parameters = style.strip_prefix("\u{1b}[")?.strip_suffix('m')?;
    let hides = parameters.contains('[') || parameters.split(';').any(|one| one == CONCEAL);
    if hides {
        return None;
    }
    *rest = ahead;
    Some(style)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{escaped, printable, visible, visible_with_styles};
    use crate::style::styled;

    #[test]
    fn texts_of_others_move_no_cursor_and_title_no_window() {
        for (text, shown) in [
            ("two\r\n\tlines", "two\n\tlines"),
            ("\u{1b}]0;title\u{7}", "␛]0;title␇"),
            ("\u{1b}[2Jgone\rover\u{8}", "␛[2Jgone␍over␈"),
            ("\u{9b}2J \u{7f} \u{202e}txt.exe\u{2066}", "\u{fffd}2J \u{fffd} \u{fffd}txt.exe\u{fffd}"),
            ("\u{1b}[8mhidden", "␛[8mhidden"),
            ("\u{1b}[[31m \u{1b}", "␛[[31m ␛"),
            ("k\u{1b}[32m", "k␛[32m"),
            ("é 漢", "é 漢"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(printable(text), shown);
        }
    }

    #[test]
    fn styles_of_this_program_reach_the_terminal_and_those_of_code_on_demand() {
        let red = format!("{} k\u{1b}[32m", styled("31;1", "red"));
        assert_eq!(printable(&red), "\u{1b}[31;1mred\u{1b}[0m k␛[32m");
        assert_eq!(printable(&visible(&red)), printable(&red));
        assert_eq!(printable("\u{fdd0}[8mhidden \u{fdd0}"), "\u{fdd0}[8mhidden \u{fdd0}");
        let output = "\u{1b}[31;1mred\u{1b}[0m \u{1b}[8mhidden";
        assert_eq!(visible_with_styles(output), "\u{1b}[31;1mred\u{1b}[0m ␛[8mhidden");
    }

    proptest! {
        #[test]
        fn json_reads_back_as_it_was(text in ".*") {
            let json = serde_json::to_string(&text).unwrap();
            let shown = escaped(&json).into_owned();
            prop_assert!(!shown.chars().any(super::is_control));
            prop_assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }
}
