//! The headers around a file in a `multipart/form-data` body: the boundary and the part's own headers.
//!
//! Lenient where clients differ (RFC 7578 forbids `filename*`, some send it; browsers percent-encode quotes, others
//! use a backslash; some send the code page of their system, or words of mail headers) and strict where leniency would
//! guess. `uploaded_name` makes a file name safe to show.

mod encoded_words;

use std::iter::Peekable;
use std::str::Chars;

use domain::{Code, Error, Result};
use encoding_rs::Encoding;
use import::encoding::names::NameDecoder;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All characters but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The boundary of a body: 1 to 70 characters as RFC 2046 allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary(String);

impl Boundary {
    /// Reads the boundary from the `Content-Type` of a multipart body.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` if it has no valid boundary.
    pub fn of_content_type(content_type: &str) -> Result<Self> {
        HeaderParameters::parse(content_type)
            .and_then(|parameters| parameters.get("boundary").and_then(Self::parse))
            .ok_or_else(|| invalid("`Content-Type` must carry a boundary of 1 to 70 characters (RFC 2046)."))
    }

    fn parse(text: &str) -> Option<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "'()+_,-./:=? ".contains(c);
        let valid = (1..=70).contains(&text.len()) && text.chars().all(allowed) && !text.ends_with(' ');
        valid.then(|| Self(text.to_owned()))
    }

    /// The boundary without the dashes that precede it in the body.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The headers of a part.
#[derive(Debug, PartialEq, Eq)]
pub struct PartHead {
    /// Name of the form field.
    pub name: String,
    /// The client's file name, unchanged and untrusted; never used as a path of this machine.
    pub file_name: Option<String>,
}

impl PartHead {
    /// Parses the bytes between a delimiter and the empty line that ends the part's headers, both excluded.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` if this is not a `form-data` part, or has a transfer encoding (RFC 7578 has none).
    pub fn parse(head: &[u8]) -> Result<Self> {
        // Only a file name can contain other characters than ASCII. It is decoded before quotes are looked for: in some code
        // pages the second byte of a character is a backslash.
        let text = NameDecoder::of([head]).decode(head).replace("\r\n ", " ").replace("\r\n\t", " ");
        let (padding, headers) = text.split_once("\r\n").unwrap_or((&text, ""));
        if !padding.trim_matches([' ', '\t']).is_empty() {
            return Err(invalid("A boundary is followed by something else than a line break."));
        }
        let mut disposition = None;
        for line in headers.split("\r\n").filter(|line| !line.is_empty()) {
            let (name, value) =
                line.split_once(':').ok_or_else(|| invalid("A header of the part has no colon."))?;
            match name.to_ascii_lowercase().as_str() {
                "content-disposition" if disposition.is_none() => disposition = Some(value),
                "content-disposition" => return Err(invalid("The part has two `Content-Disposition`s.")),
                "content-transfer-encoding" if !is_identity(value.trim()) => {
                    return Err(invalid("A `Content-Transfer-Encoding` is not accepted."));
                }
                _ => {}
            }
        }
        disposition
            .and_then(Self::of_disposition)
            .ok_or_else(|| invalid("The part needs a `Content-Disposition` of `form-data` with a name."))
    }

    fn of_disposition(value: &str) -> Option<Self> {
        let parameters = HeaderParameters::parse(value)?;
        if !parameters.value.eq_ignore_ascii_case("form-data") {
            return None;
        }
        let plain = || {
            let name = parameters.get("filename")?;
            Some(
                whole_percent_decoded(name)
                    .unwrap_or_else(|| encoded_words::decode(&undo_form_escapes(name))),
            )
        };
        Some(Self {
            name: undo_form_escapes(parameters.get("name")?),
            file_name: parameters.get("filename*").and_then(extended).or_else(plain),
        })
    }
}

/// A header's value and its parameters: `value; name=token; name="quoted"`.
struct HeaderParameters {
    value: String,
    named: Vec<(String, String)>,
}

impl HeaderParameters {
    /// `None` if the header has another form, or names a parameter twice.
    fn parse(header: &str) -> Option<Self> {
        let mut chars = header.chars().peekable();
        let value = until(&mut chars, &[';']).trim().to_owned();
        let mut parameters = Self { value, named: Vec::new() };
        while chars.next().is_some() {
            let name = until(&mut chars, &['=', ';']).trim().to_ascii_lowercase();
            if name.is_empty() && chars.peek() != Some(&'=') {
                continue;
            }
            if chars.next()? != '=' || name.is_empty() || parameters.get(&name).is_some() {
                return None;
            }
            while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
            let value = match chars.next_if_eq(&'"') {
                Some(_) => quoted(&mut chars)?,
                None => until(&mut chars, &[';']).trim().to_owned(),
            };
            parameters.named.push((name, value));
        }
        Some(parameters)
    }

    fn get(&self, wanted: &str) -> Option<&str> {
        self.named.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }
}

fn until(chars: &mut Peekable<Chars<'_>>, ends: &[char]) -> String {
    std::iter::from_fn(|| chars.next_if(|c| !ends.contains(c))).collect()
}

/// The rest of a quoted string up to the next `;`. A backslash escapes quotes and backslashes alone: browsers
/// send the one in `C:\x` as it is.
fn quoted(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => text.push(chars.next_if(|c| matches!(c, '"' | '\\')).unwrap_or('\\')),
            c => text.push(c),
        }
    }
    until(chars, &[';']).trim().is_empty().then_some(text)
}

/// Undoes what the HTML standard has browsers do to names of fields and files.
fn undo_form_escapes(text: &str) -> String {
    let unquoted = text.replace("%22", "\"");
    unquoted.replace("%0D", "\r").replace("%0A", "\n")
}

/// A file name of a client that percent-encodes all of it but unreserved characters (RFC 7578, 2; aiohttp 3.14), as its
/// own encoder would write it; `None` for other names.
fn whole_percent_decoded(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    let is_encoded = decoded != text && utf8_percent_encode(&decoded, RESERVED).to_string() == text;
    is_encoded.then(|| decoded.into_owned())
}

/// An extended value (RFC 8187): `charset'language'percent-encoded`.
fn extended(text: &str) -> Option<String> {
    let mut parts = text.splitn(3, '\'');
    let (charset, _language, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    let bytes = percent_decode_str(encoded);
    let bytes: Vec<u8> = bytes.collect();
    let encoding = Encoding::for_label(charset.as_bytes())?;
    encoding.decode_without_bom_handling_and_without_replacement(&bytes).map(|text| text.into_owned())
}

fn is_identity(encoding: &str) -> bool {
    ["7bit", "8bit", "binary", "identity"].iter().any(|known| encoding.eq_ignore_ascii_case(known))
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidUpload, message)
}

#[cfg(test)]
mod tests {
    use super::{Boundary, PartHead};
    use domain::Code;

    fn boundary(content_type: &str) -> Result<String, Code> {
        let boundary = Boundary::of_content_type(content_type);
        boundary.map(|boundary| boundary.0).map_err(|error| error.code)
    }

    fn file_name(disposition: &str) -> Option<String> {
        let head = format!("\r\nContent-Disposition: {disposition}");
        PartHead::parse(head.as_bytes()).unwrap().file_name
    }

    #[test]
    fn a_boundary_is_read_as_clients_write_it() {
        assert_eq!(
            boundary("multipart/form-data; boundary=----WebKitFormBoundaryX"),
            Ok("----WebKitFormBoundaryX".into())
        );
        assert_eq!(boundary("Multipart/Form-Data;charset=utf-8;BOUNDARY=\"a b:c\""), Ok("a b:c".into()));
        assert_eq!(boundary("multipart/form-data; boundary=a:b/c; "), Ok("a:b/c".into()));
    }

    #[test]
    fn a_wholly_percent_encoded_file_name_is_decoded() {
        let of = |name: &str| file_name(&format!("form-data; name=\"file\"; filename=\"{name}\"")).unwrap();
        for (sent, name) in [
            ("board%20rev2%2Fgerber%2Ftop%20%281%29.gbr", "board rev2/gerber/top (1).gbr"),
            ("%C3%BCber%2Fna%C3%AFve.stp", "\u{fc}ber/na\u{ef}ve.stp"),
            ("100%25.txt", "100%.txt"),
            ("a%22b%0D%0A.txt", "a\"b\r\n.txt"),
            // Of other clients: characters that such a client encodes, or none that it would.
            ("100%25 sure.txt", "100%25 sure.txt"),
            ("%2e%2e", "%2e%2e"),
            ("%41.txt", "%41.txt"),
            ("%FF.txt", "%FF.txt"),
            ("50%.txt", "50%.txt"),
            ("a%2.txt", "a%2.txt"),
        ] {
            assert_eq!(of(sent), name, "{sent}");
        }
    }

    #[test]
    fn a_boundary_that_is_missing_or_breaks_the_rules_is_refused() {
        for bad in
            ["", "; boundary", "; boundary=", "; boundary=\"\"", "; boundary=\"a", "; boundary=a\u{e9}"]
        {
            assert_eq!(boundary(&format!("multipart/form-data{bad}")), Err(Code::InvalidUpload), "{bad}");
        }
        let long = "x".repeat(71);
        assert_eq!(boundary(&format!("multipart/form-data; boundary={long}")), Err(Code::InvalidUpload));
        assert_eq!(boundary("multipart/form-data; boundary=a; boundary=b"), Err(Code::InvalidUpload));
    }

    #[test]
    fn a_file_name_is_read_as_clients_write_it() {
        let cases = [
            (r#"form-data; name="file"; filename="a;b.stp""#, r"a;b.stp"),
            (r#"form-data; name=file; filename=plain.txt"#, r"plain.txt"),
            (r#"form-data; name="file"; filename="say %22hi%22.txt""#, r#"say "hi".txt"#),
            (r#"form-data; name="file"; filename="say \"hi\".txt""#, r#"say "hi".txt"#),
            (r#"form-data; name="file"; filename="C:\dir\x.stp""#, r"C:\dir\x.stp"),
            (r#"form-data; name="file"; filename="Főtanúsítvány.crt""#, "Főtanúsítvány.crt"),
            (r#"form-data; name="file"; filename="x"; filename*=UTF-8''%E2%82%AC.txt"#, "€.txt"),
            (r#"form-data; name="file"; filename*=iso-8859-1'en'%A3.txt"#, "£.txt"),
            (r#"form-data; name="file"; filename="x"; filename*=klingon''%A3.txt"#, "x"),
            (r#"form-data; name="file"; filename="x"; filename*=UTF-8''%FF"#, "x"),
            (r#"form-data; name="file"; filename="x"; filename*=Shift_JIS''%95%5C.txt"#, "表.txt"),
            (r#"form-data; name="file"; filename="=?UTF-8?B?R3LDtsOfZS5zdHA=?=""#, "Größe.stp"),
            (r#"form-data; name="file"; filename="=?iso-8859-1?q?Gr=F6=DFe=5F1_2.stp?=""#, "Größe_1 2.stp"),
            (r#"form-data; name="file"; filename="%2e%2e""#, "%2e%2e"),
        ];
        for (disposition, expected) in cases {
            assert_eq!(file_name(disposition).as_deref(), Some(expected), "{disposition}");
        }
        assert_eq!(file_name(r#"form-data; name="file""#), None);
        assert_eq!(
            file_name("form-data;\r\n name=\"file\";\r\n\tfilename=\"folded\"").as_deref(),
            Some("folded")
        );
    }

    #[test]
    fn a_file_name_in_the_code_page_of_its_sender_is_read() {
        let cases: [(&[u8], &str); 6] = [
            (b"Gr\xf6\xdfe.stp", "Größe.stp"),
            (b"Gr\x94\xe1e.stp", "Größe.stp"),
            (b"\xd8 10 \xb5m.stp", "Ø 10 µm.stp"),
            (b"\x95\x5c\x8e\xa6\x90}.stp", "表示図.stp"),
            (b"\xc1\xe3\xbc\xfe\xcd\xbc.stp", "零件图.stp"),
            (b"\x84\xa5\xe2\xa0\xab\xec.stp", "Деталь.stp"),
        ];
        for (name, expected) in cases {
            let head =
                [b"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"", name, b"\""].concat();
            assert_eq!(PartHead::parse(&head).unwrap().file_name.as_deref(), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn headers_that_do_not_make_a_form_part_are_refused() {
        let cases = [
            "",
            "\r\n",
            "x\r\nContent-Disposition: form-data; name=\"file\"",
            "\r\nContent-Type: text/plain",
            "\r\nContent-Disposition: attachment; name=\"file\"",
            "\r\nContent-Disposition: form-data",
            "\r\nContent-Disposition: form-data; name",
            "\r\nContent-Disposition: form-data; =x",
            "\r\nContent-Disposition: form-data; name=\"file",
            "\r\nContent-Disposition: form-data; name=\"file\"; name=\"other\"",
            "\r\nContent-Disposition: form-data; name=\"file\" trailing",
            "\r\nContent-Disposition: form-data; name=\"file\"\r\nContent-Disposition: form-data; name=\"x\"",
            "\r\nContent-Disposition: form-data; name=\"file\"\r\nContent-Transfer-Encoding: base64",
            "\r\nno colon",
        ];
        for head in cases {
            assert_eq!(PartHead::parse(head.as_bytes()).unwrap_err().code, Code::InvalidUpload, "{head:?}");
        }
        let binary = "\r\nContent-Disposition: form-data; name=\"file\"\r\nContent-Transfer-Encoding: Binary";
        assert!(PartHead::parse(binary.as_bytes()).is_ok());
    }
}
