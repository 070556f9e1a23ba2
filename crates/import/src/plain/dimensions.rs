//! How large an image is, as whoever looks at it sees it.

use std::io::{self, BufReader, Read, Seek};

use serde_json::{Value, json};

use super::{orientation, svg};

/// Media type of SVG.
const SVG: &str = "image/svg+xml";

/// Width and height of an image: in pixels, turned as the image says that it is to be shown; of one that is made of lines
/// in its user units. `None` where it says none that makes sense.
///
/// # Errors
/// Whatever rewinding fails with.
pub(super) fn of<R: Read + Seek>(media_type: &str, mut input: R) -> io::Result<Option<Value>> {
    input.rewind()?;
    if media_type == SVG {
        let size = svg::size(BufReader::new(input));
        return Ok(size.map(|(width, height)| json!({ "width": width, "height": height })));
    }
    // None where the image is damaged.
    let Ok(size) = imagesize::reader_size(BufReader::new(&mut input)) else { return Ok(None) };
    input.rewind()?;
    let is_sideways = orientation::is_sideways(media_type, BufReader::new(input));
    let (width, height) = if is_sideways { (size.height, size.width) } else { (size.width, size.height) };
    Ok(Some(json!({ "width": width, "height": height })))
}
