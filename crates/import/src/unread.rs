//! Files that become an object without being read: those that no reader has a use for, and those whose reader came to
//! no end.

use std::io::{self, Read, Seek, SeekFrom};

use domain::object::Extension;
use domain::text::Name;
use file_format::FileFormat;

use crate::conversion::{Conversion, Draft, DraftType, FailureCode};
use crate::{pdf, plain, step};

/// What a file becomes that no reader has a use for: no design, document, text, image, or container of other files.
/// `None` where one has, or where its first bytes don't tell. Here bytes are only compared with others, and nothing that
/// they say is followed; so this needs no process of its own. `head` is the first [`crate::HEAD_BYTES`] of the file, or
/// all of it.
pub fn convert_unread(name: &Name, head: &[u8]) -> Option<Conversion> {
    let extension = Extension::of_file_name(name.as_str());
    let extension = extension.as_ref();
    if head.is_empty()
        || plain::is_text(head)
        || step::is_step(extension, head)
        || pdf::may_be_pdf(extension, head)
    {
        return None;
    }
    let mut beginning = Beginning { bytes: head, wanted_more: false };
    let known = FileFormat::from_reader(&mut beginning).unwrap_or_default();
    if beginning.wanted_more || known.media_type().starts_with("image/") {
        return None;
    }
    let media_type = plain::choose(known, extension, head);
    Some(Conversion::single(&media_type, Draft::new(name.clone(), DraftType::File)))
}

/// What a file becomes whose conversion ended in no orderly way: a reference that says why. Of its content nothing is
/// known, so that its name alone says what it may be.
pub fn unconverted(name: &Name, code: FailureCode) -> Conversion {
    let extension = Extension::of_file_name(name.as_str());
    let media_type = match &extension {
        Some(step) if step::is_step(Some(step), &[]) => step::MEDIA_TYPE.to_owned(),
        Some(other) => plain::by_extension(other).unwrap_or_else(|| plain::BINARY.to_owned()),
        None => plain::BINARY.to_owned(),
    };
    Conversion::failed(&media_type, name.clone(), code)
}

/// Whether a file may be one whose conversion takes long for its size, as it is rendered.
pub fn is_rendered(name: &Name, head: &[u8]) -> bool {
    pdf::may_be_pdf(Extension::of_file_name(name.as_str()).as_ref(), head)
}

/// The beginning of a file, which notices where somebody wants to look further.
struct Beginning<'a> {
    bytes: &'a [u8],
    wanted_more: bool,
}

impl Read for Beginning<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer)
    }
}

impl Seek for Beginning<'_> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        self.wanted_more = true;
        Err(io::ErrorKind::Unsupported.into())
    }
}
