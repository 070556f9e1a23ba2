//! Bytes of a file as text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// The text of a file without its byte order mark, and the name of its encoding if that is a guess.
///
/// The mark is removed here: the `csv` crate (1.4.0) removes one only if its first read yields three bytes.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let bytes = bytes.get(mark..).unwrap_or_default();
        return (encoding.decode_without_bom_handling(bytes).0, None);
    }
    if let Ok(text) = str::from_utf8(bytes) {
        return (Cow::Borrowed(text), None);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    (encoding.decode_without_bom_handling(bytes).0, Some(encoding.name()))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_mark_decides_then_utf_8_then_a_guess() {
        for (bytes, expected, guess) in [
            (&b"\xef\xbb\xbfa,b"[..], "a,b", None),
            (b"\xff\xfea\0,\0b\0", "a,b", None),
            (b"\xfe\xff\0a\0,\0b", "a,b", None),
            (b"", "", None),
            ("Größe".as_bytes(), "Größe", None),
            (b"Gr\xf6\xdfe", "Größe", Some("windows-1252")),
        ] {
            let (decoded, guessed) = text(bytes);
            assert_eq!((&*decoded, guessed), (expected, guess), "{bytes:?}");
        }
    }
}
