//! Text strings (ISO 32000-2, 7.9.2.2): UTF-16 or UTF-8 with a byte order mark, else PDFDocEncoding.

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

use super::limits::TEXT_MAX_CHARS;

/// The characters of PDFDocEncoding from 0x18 and 0x80 that differ from Latin-1.
const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const SIGNS: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ',
    'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
];

/// Decodes a string to [`readable`] text.
pub(super) fn decode(bytes: &[u8]) -> Option<String> {
    readable(&unicode(bytes))
}

/// Decodes a string as it is.
pub(super) fn unicode(bytes: &[u8]) -> String {
    let marked = [UTF_16BE, UTF_16LE, UTF_8]
        .into_iter()
        .find(|encoding| encoding_rs::Encoding::for_bom(bytes).is_some_and(|(found, _)| found == *encoding));
    match marked {
        // Text between two escapes names the following language.
        Some(encoding) => encoding.decode(bytes).0.split('\u{1b}').step_by(2).collect(),
        None => bytes.iter().copied().map(character).collect(),
    }
}

/// Removes control characters and cuts to [`TEXT_MAX_CHARS`]; `None` if nothing remains.
pub(super) fn readable(text: &str) -> Option<String> {
    let kept: String = text.chars().filter(|c| !c.is_control()).take(TEXT_MAX_CHARS).collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

fn character(byte: u8) -> char {
    let from = |begin: u8, table: &[char]| {
        byte.checked_sub(begin).and_then(|at| table.get(usize::from(at)).copied())
    };
    from(0x18, &ACCENTS).or_else(|| from(0x80, &SIGNS)).unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::{TEXT_MAX_CHARS, decode};

    #[test]
    fn every_encoding_is_decoded() {
        assert_eq!(decode(b"plain").as_deref(), Some("plain"));
        assert_eq!(decode(b"\xe4\x80\xa0\x18").as_deref(), Some("ä•€˘"));
        assert_eq!(decode(b"\xfe\xff\x03\xb1\xd8\x3d\xde\x00").as_deref(), Some("α😀"));
        assert_eq!(decode(b"\xff\xfe\xb1\x03").as_deref(), Some("α"));
        assert_eq!(decode(b"\xef\xbb\xbf\xce\xb1").as_deref(), Some("α"));
        assert_eq!(decode(b"\xfe\xff\0\x1b\0e\0n\0U\0S\0\x1b\0H\0i").as_deref(), Some("Hi"));
    }

    #[test]
    fn invalid_text_is_omitted() {
        for empty in [&b""[..], b" \n", b"\xfe\xff", b"\0\0\x01"] {
            assert_eq!(decode(empty), None);
        }
        assert_eq!(decode(b"a\0\x07b\xfe\xff").as_deref(), Some("abþÿ"));
        // Half of a surrogate pair, and half of a code unit.
        assert_eq!(decode(b"\xfe\xff\xd8\x3d\0").as_deref(), Some("\u{fffd}"));
        assert_eq!(decode(&[b'a'; 5000]).map(|text| text.len()), Some(TEXT_MAX_CHARS));
    }
}
