//! Files that need no conversion: their media type by content and, of images, their size.

mod dimensions;
mod orientation;
mod svg;

use std::io::{self, BufReader, Read, Seek};

use domain::object::Extension;
use domain::text::Name;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use file_format::{FileFormat, Kind};
use memchr::memmem;
use mime_guess::mime;

use crate::conversion::{Conversion, ConversionFailureCode, DraftObject, DraftType};
use crate::utf32::Utf32;

/// Media type of what nothing is known about.
pub(crate) const BINARY: &str = "application/octet-stream";
/// Media type of text of which nothing more is known.
pub(crate) const TEXT: &str = "text/plain";

/// Bytes from which text in UTF-16 without its mark is told.
const WIDE_WITHIN: usize = 4096;
/// Units of it that must be there: a few may be anything.
const WIDE_UNITS_MIN: usize = 4;

/// What a file is, by its content. Its name is asked only where the content leaves it open: which kind of text, or
/// which of the formats without a mark of their own.
pub(crate) fn media_type<R: Read + Seek>(
    extension: Option<&Extension>,
    head: &[u8],
    mut input: R,
) -> io::Result<String> {
    input.rewind()?;
    // What confuses the reader of an archive is no reason to refuse the file.
    let known = FileFormat::from_reader(BufReader::new(&mut input)).unwrap_or_default();
    Ok(choose(known, extension, head))
}

/// What the name of a file adds to what its content says.
pub(crate) fn choose(known: FileFormat, extension: Option<&Extension>, head: &[u8]) -> String {
    let by_name = extension.and_then(by_extension);
    let is_text = is_text(head);
    // A few letters are the mark of some formats; a text that begins with them is none of these.
    let known = if is_text && is_never_text(known.kind()) || is_no_solid(known, head) {
        BINARY
    } else {
        known.media_type()
    };
    match (known, is_text) {
        // By the names that they are registered under.
        ("application/x-dxf", _) => "image/vnd.dxf".to_owned(),
        ("model/x-stl-ascii", _) => "model/stl".to_owned(),
        (BINARY, true) => by_name.filter(|name| may_be_text(name)).unwrap_or_else(|| TEXT.to_owned()),
        (BINARY, false) => by_name.filter(|name| !is_always_text(name)).unwrap_or_else(|| BINARY.to_owned()),
        (known, _) => known.to_owned(),
    }
}

/// One reference.
///
/// # Errors
/// Whatever reading fails with.
pub(crate) fn convert<R: Read + Seek>(name: &Name, media_type: &str, input: R) -> io::Result<Conversion> {
    Ok(Conversion::single(media_type, draft(name, media_type, input)?))
}

/// One reference that says why it is no more.
///
/// # Errors
/// Whatever reading fails with.
pub(crate) fn convert_failed<R: Read + Seek>(
    name: &Name,
    media_type: &str,
    input: R,
    code: ConversionFailureCode,
) -> io::Result<Conversion> {
    let mut draft = draft(name, media_type, input)?;
    draft.tell("failed", code);
    Ok(Conversion::single(media_type, draft))
}

/// The reference, with the size of an image.
fn draft<R: Read + Seek>(name: &Name, media_type: &str, input: R) -> io::Result<DraftObject> {
    let mut draft = DraftObject::new(name.clone(), DraftType::File);
    if media_type.starts_with("image/") {
        let size = dimensions::of(media_type, input)?;
        draft.data.extend(size.map(|size| ("image".to_owned(), size)));
    }
    Ok(draft)
}

/// Whether bytes are the beginning of a text: in Unicode with its mark, in UTF-16 or UTF-32 without one, or without the bytes that no
/// text has.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let unicode = Encoding::for_bom(head).is_some() || wide(head).is_some() || Utf32::of(head).is_some();
    !head.is_empty() && (unicode || !head.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)))
}

/// The encoding of a text in UTF-16 without its mark, which has mostly ASCII in it: each of its units has a byte that is
/// zero on the same side. `None` of anything else.
pub(crate) fn wide(head: &[u8]) -> Option<&'static Encoding> {
    let (units, _) = head.get(..WIDE_WITHIN.min(head.len()))?.as_chunks::<2>();
    let is_letter = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let letters = |unit: fn(&[u8; 2]) -> (u8, u8)| {
        units.iter().map(unit).filter(|(high, low)| *high == 0 && is_letter(*low)).count()
    };
    let enough = |count: usize| units.len() >= WIDE_UNITS_MIN && count * 10 >= units.len() * 9;
    // What is no letter must be none of the controls either, U+0000 among them.
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

/// The media type that a list of our own, then a general one, has for an extension.
pub(crate) fn by_extension(extension: &Extension) -> Option<String> {
    let extension = extension.as_str().trim_start_matches('.');
    match extension {
        // Formats of design files that the general list lacks or gets wrong.
        "iges" | "igs" => Some("model/iges".to_owned()),
        "stl" => Some("model/stl".to_owned()),
        "obj" => Some("model/obj".to_owned()),
        "mtl" => Some("model/mtl".to_owned()),
        "ts" => Some(TEXT.to_owned()),
        _ => mime_guess::from_ext(extension).first().map(|guess| guess.essence_str().to_owned()),
    }
}

/// Whether a text begins like a solid in letters and has no facet: any sentence may begin so.
fn is_no_solid(known: FileFormat, head: &[u8]) -> bool {
    known == FileFormat::StereolithographyAscii && memmem::find(head, b"facet").is_none()
}

/// Whether a format of this kind is never one of text.
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
    // Models are written either way, and certificates in letters.
    is_always_text(media_type)
        || media_type.starts_with("model/")
        || media_type == "application/x-x509-ca-cert"
}
