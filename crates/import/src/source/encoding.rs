//! Detection of encodings, and decoding to Unicode.

use encoding_rs::{Encoding, UTF_8};

use crate::encoding::guess;
use crate::plain;
use crate::utf32::Utf32;

/// Bytes at the beginning that are searched for a declaration of the encoding.
const DECLARED_WITHIN: usize = 1024;

/// A text in Unicode and its original encoding.
pub(super) struct DecodedText {
    pub(super) text: String,
    /// Name in the Encoding Standard.
    pub(super) encoding: &'static str,
}

/// Decodes by the first of: byte order mark, valid UTF-32, UTF-16 or UTF-8, declaration in the source, guess.
pub(super) fn decode(bytes: &[u8]) -> DecodedText {
    if let Some(order) = Utf32::of(bytes) {
        return DecodedText { text: order.decode(bytes), encoding: order.name() };
    }
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = match marked.or_else(|| plain::unmarked_utf16(bytes)) {
        Some(encoding) => encoding,
        None if is_utf8(bytes) => UTF_8,
        None => declared(bytes).unwrap_or_else(|| guess(bytes)),
    };
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    DecodedText { text: text.into_owned(), encoding: encoding.name() }
}

/// True for UTF-8, even if the last character is cut.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The encoding declared by a comment in the first two lines, for example for Python and Emacs (PEP 263).
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let within = bytes.get(..DECLARED_WITHIN.min(bytes.len()))?;
    within.split(|byte| *byte == b'\n').take(2).find_map(|line| {
        let after = line.get(memchr::memmem::find(line, b"coding")? + "coding".len()..)?;
        let label = match after {
            [b':' | b'=', label @ ..] => label.trim_ascii_start(),
            _ => return None,
        };
        let length =
            label.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte)).count();
        let label = label.get(..length)?;
        // `latin-1` of Python is `latin1` of the Encoding Standard.
        let joined: Vec<u8> = label.iter().copied().filter(|byte| !b"-_".contains(byte)).collect();
        let declared = Encoding::for_label(label).or_else(|| Encoding::for_label(&joined));
        // The text isn't UTF-8, and the declaration was readable as ASCII.
        declared.filter(|encoding| *encoding != UTF_8 && encoding.is_ascii_compatible())
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn every_encoding_is_detected() {
        for (bytes, text, encoding) in [
            (&b"plain"[..], "plain", "UTF-8"),
            ("gr\u{fc}n".as_bytes(), "grün", "UTF-8"),
            ("\u{feff}gr\u{fc}n".as_bytes(), "grün", "UTF-8"),
            (b"\xff\xfea\0\xe4\0", "aä", "UTF-16LE"),
            (b"\xfe\xff\0a\0\xe4", "aä", "UTF-16BE"),
            (b"# -*- coding: latin-1 -*-\nx = '\xe4'", "# -*- coding: latin-1 -*-\nx = 'ä'", "windows-1252"),
            (
                b"#!/bin/x\n# vim: fileencoding=koi8-r\n\xc1",
                "#!/bin/x\n# vim: fileencoding=koi8-r\nа",
                "KOI8-R",
            ),
            (b"// Stra\xdfe f\xfcr K\xf6nige", "// Straße für Könige", "windows-1252"),
            (b"\xff\xfe\0\0a\0\0\0\xe4\0\0\0", "aä", "UTF-32LE"),
            (b"\0\0\xfe\xff\0\0\0a\0\x01\xf6\0\0\0\xd8\0", "a😀\u{fffd}", "UTF-32BE"),
            (b"i\0\0\0n\0\0\0t\0\0\0;\0\0\0\n\0\0\0", "int;\n", "UTF-32LE"),
            (b"i\0n\0t\0 \0a\0;\0\n\0", "int a;\n", "UTF-16LE"),
            (b"\0i\0n\0t\0 \0a\0;\0\r\0\n", "int a;\r\n", "UTF-16BE"),
            (b"if t > 10 \xb5s and x < \xb10.05:", "if t > 10 µs and x < ±0.05:", "windows-1252"),
            // Wrong declarations.
            (
                b"# coding: utf-8\n# Stra\xdfe f\xfcr K\xf6nige",
                "# coding: utf-8\n# Straße für Könige",
                "windows-1252",
            ),
            (
                b"# coding: utf-16\n# Stra\xdfe f\xfcr K\xf6nige",
                "# coding: utf-16\n# Straße für Könige",
                "windows-1252",
            ),
            (
                b"// \x95\x94\x95i\x82\xcc\x90\xa1\x96@\x82\xf0\x92\xb2\x82\xd7\x82\xe9",
                "// 部品の寸法を調べる",
                "Shift_JIS",
            ),
        ] {
            let decoded = decode(bytes);
            assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding));
        }
    }
}
