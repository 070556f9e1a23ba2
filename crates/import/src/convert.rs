//! The entry point: converts a file with its name.

use std::io::{self, Read, Seek, Write};

use domain::content::object::Extension;
use domain::text::Name;

use crate::conversion::{Conversion, HEAD_BYTES};
use crate::settings::Settings;
use crate::{mesh, pdf, plain, source, step};

/// Converts a file. A file that can't be converted becomes a reference with the reason.
///
/// Images of pages are written to `output` without gaps; the drafts hold their positions.
///
/// # Errors
/// Failures of reading or writing.
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
    if step::packed::may_be_packed(&head)
        && let Some(unpacked) = step::packed::unpack(&head, &mut input)?
    {
        return step::convert_packed(name, unpacked);
    }
    if step::is_step(extension.as_ref(), &head) && !pdf::begins(&head) {
        return step::convert(name, &media_type, input);
    }
    if pdf::is_pdf(extension.as_ref(), &head) {
        return pdf::convert(name, &media_type, input, settings, output);
    }
    if let Some(parts) = mesh::convert(name, &media_type, &head, &mut input)? {
        return Ok(parts);
    }
    if let Some(code) = source::convert(name, &media_type, &head, &mut input)? {
        return Ok(code);
    }
    plain::convert(name, &media_type, input)
}
