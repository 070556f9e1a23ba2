//! The one way in: a file and its name, to what it becomes.

use std::io::{self, Read, Seek, Write};

use domain::object::Extension;
use domain::text::Name;

use crate::conversion::Conversion;
use crate::settings::Settings;
use crate::{pdf, plain, source, step};

/// Bytes from which a file's kind is told.
pub const HEAD_BYTES: u64 = 64 * 1024;

/// What the file of this name becomes. There is always something: what can't be converted is a reference that says why.
/// Images of pages are written to `output`, one after the other and nothing else; the drafts say where each lies.
///
/// # Errors
/// Whatever reading or writing fails with.
pub fn convert<R: Read + Seek>(
    name: &Name,
    mut input: R,
    settings: &Settings,
    output: impl Write,
) -> io::Result<Conversion> {
    let extension = Extension::of_file_name(name.as_str());
    let mut head = Vec::new();
    input.rewind()?;
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let media_type = plain::media_type(extension.as_ref(), &head, &mut input)?;
    if step::is_step(extension.as_ref(), &head) && !pdf::begins(&head) {
        return step::convert(name, &media_type, input);
    }
    if pdf::is_pdf(extension.as_ref(), &head) {
        return pdf::convert(name, &media_type, input, settings, output);
    }
    if let Some(code) = source::convert(name, &media_type, &head, &mut input)? {
        return Ok(code);
    }
    plain::convert(name, &media_type, input)
}
