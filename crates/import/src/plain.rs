//! Files that need no conversion: their media type by content and, of images, their size.

use std::io::{self, BufReader, Read, Seek};

use domain::object::Extension;
use domain::text::Name;
use file_format::FileFormat;
use mime_guess::mime;
use serde_json::json;

use crate::conversion::{Conversion, Draft, DraftType};

/// Media type of what nothing is known about.
pub(crate) const BINARY: &str = "application/octet-stream";
/// Media type of text of which nothing more is known.
pub(crate) const TEXT: &str = "text/plain";

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
    Ok(choose(known.media_type(), extension, head))
}

/// What the name of a file adds to what its content says.
pub(crate) fn choose(known: &str, extension: Option<&Extension>, head: &[u8]) -> String {
    let by_name = extension.and_then(by_extension);
    match (known, is_text(head)) {
        (BINARY, true) => by_name.filter(|name| may_be_text(name)).unwrap_or_else(|| TEXT.to_owned()),
        (BINARY, false) => by_name.filter(|name| !is_always_text(name)).unwrap_or_else(|| BINARY.to_owned()),
        (known, _) => known.to_owned(),
    }
}

/// One reference.
///
/// # Errors
/// Whatever reading fails with.
pub(crate) fn convert<R: Read + Seek>(name: &Name, media_type: &str, mut input: R) -> io::Result<Conversion> {
    let mut draft = Draft::new(name.clone(), DraftType::File);
    if media_type.starts_with("image/") {
        input.rewind()?;
        // None where it is damaged or made of lines.
        if let Ok(size) = imagesize::reader_size(BufReader::new(input)) {
            draft.data.insert("image".to_owned(), json!({ "width": size.width, "height": size.height }));
        }
    }
    Ok(Conversion::single(media_type, draft))
}

/// Whether bytes are the beginning of a text: in Unicode with its mark, or without the byte that no text has.
pub(crate) fn is_text(head: &[u8]) -> bool {
    let marked = encoding_rs::Encoding::for_bom(head).is_some();
    !head.is_empty() && (marked || !head.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)))
}

/// The media type that a list of our own, then a general one, has for an extension.
pub(crate) fn by_extension(extension: &Extension) -> Option<String> {
    let extension = extension.as_str().trim_start_matches('.');
    match extension {
        // Formats of design files that the general list lacks or gets wrong.
        "iges" | "igs" => Some("model/iges".to_owned()),
        "stl" => Some("model/stl".to_owned()),
        "ts" => Some(TEXT.to_owned()),
        _ => mime_guess::from_ext(extension).first().map(|guess| guess.essence_str().to_owned()),
    }
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
