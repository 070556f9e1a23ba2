//! Decoding of strings: control directives (ISO 10303-21, 6.4.3), UTF-8 of its third edition, and national encodings that
//! many programs write against the standard.

use encoding_rs::Encoding;

use super::limits::TEXT_MAX_CHARS;
use crate::encoding::guess;

/// Most bytes for the detection of the encoding.
const SAMPLE_MAX: usize = 64 * 1024;

/// Collects bytes that the standard doesn't allow, to detect a file's encoding once.
#[derive(Default)]
pub(super) struct Sample(Vec<u8>);

/// Decodes the strings of one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoder {
    foreign: &'static Encoding,
}

impl Sample {
    /// Adds a statement that is neither ASCII nor UTF-8.
    pub(super) fn add(&mut self, statement: &[u8]) {
        if self.0.len() < SAMPLE_MAX && !statement.is_ascii() && std::str::from_utf8(statement).is_err() {
            let room = SAMPLE_MAX.saturating_sub(self.0.len()).min(statement.len());
            self.0.extend_from_slice(statement.get(..room).unwrap_or_default());
        }
    }

    pub(super) fn decoder(&self) -> Decoder {
        Decoder { foreign: guess(&self.0) }
    }
}

impl Decoder {
    /// Decodes a string without its quotes, to at most [`TEXT_MAX_CHARS`] characters.
    pub(super) fn decode(self, written: &[u8]) -> String {
        let plain = match std::str::from_utf8(written) {
            Ok(text) => text.into(),
            Err(_) => self.foreign.decode_without_bom_handling(written).0,
        };
        let mut text = String::new();
        let mut reader = StringReader { text: &plain, page: None };
        for c in reader.characters().take(TEXT_MAX_CHARS) {
            text.push(c);
        }
        text
    }
}

/// The remaining text of a string.
struct StringReader<'a> {
    text: &'a str,
    /// The alphabet of `\S\`; `None` for ISO 8859-1.
    page: Option<&'static Encoding>,
}

impl<'a> StringReader<'a> {
    fn characters(&mut self) -> impl Iterator<Item = char> {
        let mut wide: Vec<char> = Vec::new();
        std::iter::from_fn(move || {
            loop {
                if let Some(c) = wide.pop() {
                    return Some(c);
                }
                let mut characters = self.text.chars();
                match characters.next()? {
                    '\'' => {
                        // A doubled quote.
                        let rest = characters.as_str();
                        self.text = rest.strip_prefix('\'').unwrap_or(rest);
                        return Some('\'');
                    }
                    '\\' => match self.directive(characters.as_str()) {
                        Some(decoded) => wide.extend(decoded.chars().rev()),
                        // An undoubled backslash.
                        None => {
                            self.text = characters.as_str();
                            return Some('\\');
                        }
                    },
                    // Some writers wrap long lines. PostgreSQL can't store NUL.
                    '\n' | '\r' | '\0' => self.text = characters.as_str(),
                    c => {
                        self.text = characters.as_str();
                        return Some(c);
                    }
                }
            }
        })
    }

    /// Decodes the directive at the beginning of `text`, whose first backslash was read.
    fn directive(&mut self, text: &'a str) -> Option<String> {
        let (decoded, rest) = if let Some(rest) = text.strip_prefix('\\') {
            ("\\".to_owned(), rest)
        } else if let Some(rest) = text.strip_prefix("X2\\") {
            let (digits, rest) = hexadecimal(rest, 4)?;
            let units: Option<Vec<u16>> = digits.into_iter().map(|unit| u16::try_from(unit).ok()).collect();
            (String::from_utf16_lossy(&units?), rest)
        } else if let Some(rest) = text.strip_prefix("X4\\") {
            let (digits, rest) = hexadecimal(rest, 8)?;
            let character = |code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            (digits.into_iter().map(character).collect(), rest)
        } else if let Some(rest) = text.strip_prefix("X\\") {
            let (digits, rest) = rest.split_at_checked(2)?;
            (char::from(u8::from_str_radix(digits, 16).ok()?).to_string(), rest)
        } else if let Some(rest) = text.strip_prefix("S\\") {
            let mut rest = rest.chars();
            let byte = u8::try_from(rest.next()?).ok().filter(u8::is_ascii)?;
            // Quotes are doubled here too.
            let rest = rest.as_str();
            let rest = rest.strip_prefix('\'').filter(|_| byte == b'\'').unwrap_or(rest);
            (self.in_page(byte | 0x80), rest)
        } else if let Some(rest) = text.strip_prefix("N\\").or_else(|| text.strip_prefix("F\\")) {
            // Line and page breaks.
            (" ".to_owned(), rest)
        } else {
            let mut rest = text.strip_prefix('P')?.chars();
            self.page = page(rest.next()?)?;
            (String::new(), rest.as_str().strip_prefix('\\')?)
        };
        self.text = rest;
        Some(decoded.replace('\0', ""))
    }

    fn in_page(&self, byte: u8) -> String {
        match self.page {
            Some(page) => page.decode_without_bom_handling(&[byte]).0.into_owned(),
            // ISO 8859-1.
            None => char::from(byte).to_string(),
        }
    }
}

/// The alphabet by letter: `A` is ISO 8859-1 (`None` within), `I` is ISO 8859-9.
fn page(letter: char) -> Option<Option<&'static Encoding>> {
    Some(match letter {
        'A' => None,
        'B' => Some(encoding_rs::ISO_8859_2),
        'C' => Some(encoding_rs::ISO_8859_3),
        'D' => Some(encoding_rs::ISO_8859_4),
        'E' => Some(encoding_rs::ISO_8859_5),
        'F' => Some(encoding_rs::ISO_8859_6),
        'G' => Some(encoding_rs::ISO_8859_7),
        'H' => Some(encoding_rs::ISO_8859_8),
        // A superset of ISO 8859-9.
        'I' => Some(encoding_rs::WINDOWS_1254),
        _ => return None,
    })
}

/// Numbers with `digits` hexadecimal digits, up to `\X0\` or the end of the string, and the rest.
fn hexadecimal(text: &str, digits: usize) -> Option<(Vec<u32>, &str)> {
    let (coded, rest) = text.split_once("\\X0\\").unwrap_or((text, ""));
    // Writers wrap lines here too.
    let coded: String = coded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    if !coded.len().is_multiple_of(digits) {
        return None;
    }
    let numbers = coded.as_bytes().chunks(digits);
    let number = |digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    Some((numbers.map(number).collect::<Option<_>>()?, rest))
}

#[cfg(test)]
mod tests {
    use super::Sample;

    fn decode(written: &[u8]) -> String {
        let mut sample = Sample::default();
        sample.add(written);
        sample.decoder().decode(written)
    }

    #[test]
    fn every_directive_is_decoded() {
        for (written, text) in [
            (&br"\X2\03B1\X0\"[..], "α"),
            (br"a\X2\00F300E9\X0\b", "aóéb"),
            (br"\X2\D83DDE00\X0\", "😀"),
            (br"\X4\0001F600\X0\!", "😀!"),
            (br"K\X\F6rper", "Körper"),
            (br"\S\v\PE\\S\@", "öР"),
            (br"\S\''5", "§5"),
            (br"\PB\\S\9\PA\\S\9", "š¹"),
            (b"O''Brien", "O'Brien"),
            (br"C:\\path\\file", r"C:\path\file"),
            (br"C:\path\file", r"C:\path\file"),
            (br"a\N\b\F\c", "a b c"),
            (b"wrap\r\nped \\X2\\03\nB1\\X0\\", "wrapped α"),
        ] {
            assert_eq!(decode(written), text, "{}", String::from_utf8_lossy(written));
        }
    }

    #[test]
    fn broken_directives_stay_as_text() {
        for written in [r"\", r"\X", r"\X\", r"\X\G1", r"\X2\03B\X0\", r"\S\", r"\PZ\", r"\Q\", r"\X\Ä1"] {
            assert_eq!(decode(written.as_bytes()), written);
        }
        // A single surrogate, and a number above the last character.
        assert_eq!(decode(br"\X2\D83D\X0\\X4\00110000\X0\"), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn nul_is_removed_in_every_notation() {
        assert_eq!(decode(b"a\0\\X\\00\\X2\\0000\\X0\\\\X4\\00000000\\X0\\b"), "ab");
    }

    #[test]
    fn utf_8_and_national_encodings_are_detected() {
        assert_eq!(decode("größe 部品".as_bytes()), "größe 部品");
        assert_eq!(decode(b"gr\xf6\xdfe der Schraube"), "größe der Schraube");
        assert_eq!(decode(b"Film 10 \xb5m, \xd812"), "Film 10 µm, Ø12");
        assert_eq!(decode(b"\xb8\xf6\xc8\xcb\xd3\xc3\xbb\xa7"), "个人用户");
        assert_eq!(decode(b"\xe4\xe5\xf2\xe0\xeb\xfc \xea\xee\xf0\xef\xf3\xf1\xe0"), "деталь корпуса");
    }
}
