//! Files without conversion: media type by content, and size of images.

mod dimensions;
mod orientation;
mod svg;

use std::io::{self, BufReader, Read, Seek};

use domain::content::object::Extension;
use domain::text::Name;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use file_format::{FileFormat, Kind};
use memchr::memmem;
use mime_guess::mime;

use crate::conversion::{Conversion, ConversionFailureCode, DraftObject, DraftType};
use crate::utf32::Utf32;

/// Media type of unknown content.
pub(crate) const BINARY: &str = "application/octet-stream";
/// Media type of text without a known format.
pub(crate) const TEXT: &str = "text/plain";

/// Bytes at the beginning that decide about UTF-16 without a byte order mark.
const UTF16_DETECTION_BYTES: usize = 4096;
/// Fewest code units for a decision; fewer could be anything.
const UTF16_UNITS_MIN: usize = 4;

/// The media type by content. The name decides only between kinds of text and between formats without a signature.
pub(crate) fn media_type<R: Read + Seek>(
    extension: Option<&Extension>,
    head: &[u8],
    mut input: R,
) -> io::Result<String> {
    input.rewind()?;
    // A damaged archive is still a file.
    let known = FileFormat::from_reader(BufReader::new(&mut input)).unwrap_or_default();
    Ok(choose(known, extension, head))
}

/// The media type by detected format and, where that leaves several, by name.
pub(crate) fn choose(known: FileFormat, extension: Option<&Extension>, head: &[u8]) -> String {
    let by_name = extension.and_then(by_extension);
    let is_text = is_text(head);
    // The signature of some formats is a few letters, with which a text may begin.
    let known = if is_text && is_never_text(known.kind()) || is_stl_without_facets(known, head) {
        BINARY
    } else {
        known.media_type()
    };
    match (known, is_text) {
        // The registered names.
        ("application/x-dxf", _) => "image/vnd.dxf".to_owned(),
        ("model/x-stl-ascii", _) => "model/stl".to_owned(),
        (BINARY, true) => by_name.filter(|name| may_be_text(name)).unwrap_or_else(|| TEXT.to_owned()),
        (BINARY, false) => by_name.filter(|name| !is_always_text(name)).unwrap_or_else(|| BINARY.to_owned()),
        (known, _) => known.to_owned(),
    }
}

/// Converts a file to a reference.
///
/// # Errors
/// Failures of reading.
pub(crate) fn convert<R: Read + Seek>(name: &Name, media_type: &str, input: R) -> io::Result<Conversion> {
    Ok(Conversion::single(media_type, draft(name, media_type, input)?))
}

/// Converts a file to a reference with the reason for the failed conversion.
///
/// # Errors
/// Failures of reading.
pub(crate) fn convert_failed<R: Read + Seek>(
    name: &Name,
    media_type: &str,
    input: R,
    code: ConversionFailureCode,
) -> io::Result<Conversion> {
    let mut draft = draft(name, media_type, input)?;
    draft.set_outcome("failed", code);
    Ok(Conversion::single(media_type, draft))
}

/// A reference; with the size if the file is an image.
fn draft<R: Read + Seek>(name: &Name, media_type: &str, input: R) -> io::Result<DraftObject> {
    let mut draft = DraftObject::new(name.clone(), DraftType::File);
    if media_type.starts_with("image/") {
        let size = dimensions::of(media_type, input)?;
        draft.data.extend(size.map(|size| ("image".to_owned(), size)));
    }
    Ok(draft)
}

/// True for the beginning of a text: Unicode with a byte order mark, UTF-16 or UTF-32 without one, or bytes without control
/// characters.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let unicode =
        Encoding::for_bom(head).is_some() || unmarked_utf16(head).is_some() || Utf32::of(head).is_some();
    !head.is_empty() && (unicode || !head.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)))
}

/// The byte order of UTF-16 without a mark; `None` for other bytes. Recognises mostly ASCII text, by the zero byte on the
/// same side of each code unit.
pub(crate) fn unmarked_utf16(head: &[u8]) -> Option<&'static Encoding> {
    let (units, _) = head.get(..UTF16_DETECTION_BYTES.min(head.len()))?.as_chunks::<2>();
    let is_letter = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let letters = |unit: fn(&[u8; 2]) -> (u8, u8)| {
        units.iter().map(unit).filter(|(high, low)| *high == 0 && is_letter(*low)).count()
    };
    let enough = |count: usize| units.len() >= UTF16_UNITS_MIN && count * 10 >= units.len() * 9;
    // Control characters exclude text, U+0000 among them.
    let controls = |unit: fn(&[u8; 2]) -> (u8, u8)| {
        units.iter().map(unit).any(|(high, low)| high == 0 && (low < b' ' && !is_letter(low) || low == 127))
    };
    let of_side = |unit| enough(letters(unit)) && !controls(unit);
    if of_side(|[low, high]| (*high, *low)) {
        Some(UTF_16LE)
    } else {
        of_side(|[high, low]| (*high, *low)).then_some(UTF_16BE)
    }
}

/// The media type of an extension, by our own list before the general one.
pub(crate) fn by_extension(extension: &Extension) -> Option<String> {
    let extension = extension.as_str().trim_start_matches('.');
    match extension {
        // Missing or wrong in the general list.
        "iges" | "igs" => Some("model/iges".to_owned()),
        "stl" => Some("model/stl".to_owned()),
        "obj" => Some("model/obj".to_owned()),
        "mtl" => Some("model/mtl".to_owned()),
        "ts" => Some(TEXT.to_owned()),
        _ => mime_guess::from_ext(extension).first().map(|guess| guess.essence_str().to_owned()),
    }
}

/// True for a text that begins like an STL file in ASCII but lacks facets. Any sentence may begin with `solid`.
fn is_stl_without_facets(known: FileFormat, head: &[u8]) -> bool {
    known == FileFormat::StereolithographyAscii && memmem::find(head, b"facet").is_none()
}

/// True for kinds of binary formats.
fn is_never_text(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Archive
            | Kind::Audio
            | Kind::Compressed
            | Kind::Disk
            | Kind::Font
            | Kind::Package
            | Kind::Rom
            | Kind::Video
    )
}

fn is_always_text(media_type: &str) -> bool {
    let texts =
        ["json", "xml", "javascript", "x-sh", "toml", "yaml", "sql", "x-tex", "rtf", "x-perl", "x-tcl"];
    media_type.starts_with(mime::TEXT.as_str()) || texts.iter().any(|text| media_type.ends_with(text))
}

fn may_be_text(media_type: &str) -> bool {
    // Models may be text or binary, and certificates may be text.
    is_always_text(media_type)
        || media_type.starts_with("model/")
        || media_type == "application/x-x509-ca-cert"
}
