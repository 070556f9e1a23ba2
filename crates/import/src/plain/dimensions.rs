//! The displayed size of an image.

use std::io::{self, BufReader, Read, Seek};

use serde_json::{Value, json};

use super::{orientation, svg};

/// Media type of SVG.
const SVG: &str = "image/svg+xml";

/// Width and height: in pixels after rotation, or in user units for SVG. `None` without a valid size.
///
/// # Errors
/// Failures of rewinding.
pub(super) fn of<R: Read + Seek>(media_type: &str, mut input: R) -> io::Result<Option<Value>> {
    input.rewind()?;
    if media_type == SVG {
        let size = svg::size(BufReader::new(input));
        return Ok(size.map(|(width, height)| json!({ "width": width, "height": height })));
    }
    // A damaged image has no size.
    let Ok(size) = imagesize::reader_size(BufReader::new(&mut input)) else { return Ok(None) };
    input.rewind()?;
    let is_sideways = orientation::is_sideways(media_type, BufReader::new(input));
    let (width, height) = if is_sideways { (size.height, size.width) } else { (size.width, size.height) };
    Ok(Some(json!({ "width": width, "height": height })))
}
