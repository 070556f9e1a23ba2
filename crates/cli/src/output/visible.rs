//! Control characters in texts of others, which could move the cursor, retitle the window or reorder a line.

use std::borrow::Cow;
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

/// Longest sequence of a style, as in `\x1b[38;2;255;255;255m`.
const STYLE_MAX: usize = 20;
/// The parameter that hides what follows.
const CONCEAL: &str = "8";

/// The text with its control characters made visible. Line ends, tabs and styles that hide nothing stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
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

    use super::{escaped, visible};

    #[test]
    fn texts_of_others_move_no_cursor_and_title_no_window() {
        for (text, shown) in [
            ("two\r\n\tlines", "two\n\tlines"),
            ("\u{1b}]0;title\u{7}", "␛]0;title␇"),
            ("\u{1b}[2Jgone\rover\u{8}", "␛[2Jgone␍over␈"),
            ("\u{9b}2J \u{7f} \u{202e}txt.exe\u{2066}", "\u{fffd}2J \u{fffd} \u{fffd}txt.exe\u{fffd}"),
            ("\u{1b}[8mhidden", "␛[8mhidden"),
            ("\u{1b}[[31m \u{1b}", "␛[[31m ␛"),
            ("\u{1b}[31;1mred\u{1b}[0m é 漢", "\u{1b}[31;1mred\u{1b}[0m é 漢"),
        ] {
            assert_eq!(visible(text), shown);
        }
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
