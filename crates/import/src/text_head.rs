//! The beginning of a text, for those who show it.

use std::io::{self, Read, Seek};

use domain::content::edit::TEXT;
use domain::text::Name;
use serde_json::Value;

use crate::conversion::HEAD_BYTES;
use crate::{plain, source};

/// The beginning of a text, or all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextHead {
    /// True for source code.
    pub is_code: bool,
    /// The text: of a notebook that of its code.
    pub text: String,
}

/// Reads the beginning of a text; `None` if the file isn't one.
///
/// # Errors
/// Failures of reading.
pub fn text_head<R: Read + Seek>(name: &Name, mut input: R) -> io::Result<Option<TextHead>> {
    let mut head = Vec::new();
    input.rewind()?;
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    if !plain::is_text(&head) {
        return Ok(None);
    }
    let code = source::convert(name, plain::TEXT, &head, &mut input)?;
    let is_code = code.is_some();
    let objects = code.map(|code| code.into_parts().1).unwrap_or_default();
    let text = match objects.into_iter().next().and_then(|mut code| code.data.remove(TEXT)) {
        Some(Value::String(text)) => text,
        _ => source::decoded(&head),
    };
    Ok(Some(TextHead { is_code, text }))
}
