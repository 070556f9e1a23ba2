//! Encoded words of mail headers (RFC 2047), which some clients put into names of files: `=?UTF-8?B?R3LDtsOfZS5zdHA=?=`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;

/// The text with its encoded words decoded. White space between two of them is dropped, and what is no such word stays.
pub(super) fn decode(text: &str) -> String {
    let mut decoded = String::new();
    let (mut rest, mut is_after_word) = (text, false);
    while let Some(start) = rest.find("=?") {
        let (before, from) = rest.split_at(start);
        let is_gap = is_after_word && before.chars().all(char::is_whitespace);
        if !is_gap {
            decoded.push_str(before);
        }
        match word(from) {
            Some((word, after)) => {
                decoded.push_str(&word);
                (rest, is_after_word) = (after, true);
            }
            None => {
                decoded.push_str("=?");
                (rest, is_after_word) = (from.get(2..).unwrap_or_default(), false);
            }
        }
    }
    decoded + rest
}

/// The encoded word at the beginning of a text, decoded, and the rest.
fn word(text: &str) -> Option<(String, &str)> {
    let (charset, rest) = text.strip_prefix("=?")?.split_once('?')?;
    let (method, rest) = rest.split_once('?')?;
    let (content, rest) = rest.split_once("?=")?;
    // RFC 2231 appends a language.
    let charset = charset.split('*').next()?;
    let bytes = match method {
        "B" | "b" => STANDARD.decode(content).ok()?,
        "Q" | "q" => quoted(content)?,
        _ => return None,
    };
    let encoding = Encoding::for_label(charset.as_bytes())?;
    let decoded = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
    Some((decoded.into_owned(), rest))
}

/// The bytes of the method Q: `_` is a space, `=` and two digits a byte.
fn quoted(content: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = content.as_bytes();
    loop {
        rest = match rest {
            [] => return Some(bytes),
            [b'_', rest @ ..] => {
                bytes.push(b' ');
                rest
            }
            [b'=', high, low, rest @ ..] => {
                let digit = |digit: u8| u8::try_from(char::from(digit).to_digit(16)?).ok();
                bytes.push(digit(*high)? * 16 + digit(*low)?);
                rest
            }
            [b'=' | b' ' | 0x80.., ..] => return None,
            [plain, rest @ ..] => {
                bytes.push(*plain);
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn encoded_words_are_decoded_and_other_text_stays() {
        for (text, expected) in [
            ("plain.stp", "plain.stp"),
            ("=?UTF-8?B?R3LDtsOfZS5zdHA=?=", "Größe.stp"),
            ("=?utf-8?q?Gr=C3=B6=C3=9Fe=2Estp?=", "Größe.stp"),
            ("=?Shift_JIS?B?lVw=?=.stp", "表.stp"),
            ("=?UTF-8*de?Q?=C3=BCber_das?= =?UTF-8?Q?_Ma=C3=9F?= 2.txt", "über das Maß 2.txt"),
            ("a=?b", "a=?b"),
            ("=?UTF-8?X?abc?=", "=?UTF-8?X?abc?="),
            ("=?klingon?Q?abc?=", "=?klingon?Q?abc?="),
            ("=?UTF-8?Q?=C3?=.txt", "=?UTF-8?Q?=C3?=.txt"),
            ("=?UTF-8?B?!?= =?UTF-8?Q?a?=", "=?UTF-8?B?!?= a"),
            ("=?=?=?", "=?=?=?"),
        ] {
            assert_eq!(decode(text), expected);
        }
    }
}
