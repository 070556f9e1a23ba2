//! Files that become an object without a reader: files of unconverted formats, and files whose conversion failed.

use std::io::{self, Read, Seek, SeekFrom};

use domain::content::object::Extension;
use domain::text::Name;
use file_format::FileFormat;

use crate::conversion::{Conversion, ConversionFailureCode, DraftObject, DraftType};
use crate::{mesh, pdf, plain, step};

/// Converts a file that no reader handles: not a design, document, text, image or container.
///
/// `None` if a reader handles it, or its first bytes don't decide. It only compares bytes without parsing them, so it
/// needs no sandbox. `head` is the first [`crate::HEAD_BYTES`] of the file, or all of it.
pub fn convert_unread(name: &Name, head: &[u8]) -> Option<Conversion> {
    let extension = Extension::of_file_name(name.as_str());
    let extension = extension.as_ref();
    if head.is_empty()
        || plain::is_text(head)
        || step::is_step(extension, head)
        || step::packed::may_be_packed(head)
        || pdf::may_be_pdf(extension, head)
        || mesh::may_have_parts(extension, head)
    {
        return None;
    }
    let mut reader = HeadReader { bytes: head, has_sought: false };
    let known = FileFormat::from_reader(&mut reader).unwrap_or_default();
    if reader.has_sought || known.media_type().starts_with("image/") {
        return None;
    }
    let media_type = plain::choose(known, extension, head);
    Some(Conversion::single(&media_type, DraftObject::new(name.clone(), DraftType::File)))
}

/// The media type of a file that is not converted, by its first bytes, and by its name where these leave several. It
/// compares bytes without parsing them, as [`convert_unread`] does.
pub fn media_type(name: &Name, head: &[u8]) -> String {
    let known = FileFormat::from_reader(HeadReader { bytes: head, has_sought: false }).unwrap_or_default();
    plain::choose(known, Extension::of_file_name(name.as_str()).as_ref(), head)
}

/// Converts a file whose conversion failed: a reference with the reason. Only the name decides its type.
pub fn unconverted(name: &Name, code: ConversionFailureCode) -> Conversion {
    let extension = Extension::of_file_name(name.as_str());
    let media_type = match &extension {
        Some(step) if step::is_step(Some(step), &[]) => step::MEDIA_TYPE.to_owned(),
        Some(other) => plain::by_extension(other).unwrap_or_else(|| plain::BINARY.to_owned()),
        None => plain::BINARY.to_owned(),
    };
    Conversion::failed(&media_type, name.clone(), code)
}

/// True if the file may need rendering, which takes long for its size.
pub fn is_rendered(name: &Name, head: &[u8]) -> bool {
    pdf::may_be_pdf(Extension::of_file_name(name.as_str()).as_ref(), head)
}

/// Reads the beginning of a file and records attempts to seek beyond it.
struct HeadReader<'a> {
    bytes: &'a [u8],
    has_sought: bool,
}

impl Read for HeadReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer)
    }
}

impl Seek for HeadReader<'_> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        self.has_sought = true;
        Err(io::ErrorKind::Unsupported.into())
    }
}
