//! The parts of a glTF file: its JSON, and the bytes that it describes.

use std::borrow::Cow;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::document::{Buffer, Document};
use crate::meshes::text::shortened;
use crate::meshes::{MISSING, MeshError};

/// First bytes of a binary file.
pub(super) const MAGIC: &[u8] = b"glTF";
/// Marks of the parts of a binary file.
const JSON: &[u8; 4] = b"JSON";
const BINARY: &[u8; 4] = b"BIN\0";
const VERSION: u32 = 2;

/// Base64 with or without its padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A file whose JSON is read.
pub(super) struct Container<'a> {
    pub(super) document: Document,
    /// The bytes of each buffer, or the reason for their absence.
    buffers: Vec<Result<Cow<'a, [u8]>, MeshError>>,
}

impl<'a> Container<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, MeshError> {
        let (json, binary) = if bytes.starts_with(MAGIC) { split(bytes)? } else { (bytes, None) };
        let document: Document = serde_json::from_slice(without_mark(json))
            .map_err(|_| MeshError::Damaged("its JSON is not that of glTF 2.0"))?;
        let buffers = document.buffers.0.iter().map(|buffer| content(buffer, binary)).collect();
        Ok(Self { document, buffers })
    }

    /// The bytes of a view.
    pub(super) fn view(&self, index: u32) -> Result<&[u8], MeshError> {
        let view = self.document.buffer_views.get(index).ok_or(MISSING)?;
        let buffer = usize::try_from(view.buffer)
            .ok()
            .and_then(|buffer| self.buffers.get(buffer))
            .ok_or(MISSING)?
            .as_ref()
            .map_err(MeshError::clone)?;
        let start = usize::try_from(view.byte_offset).ok();
        let length = usize::try_from(view.byte_length).ok();
        let end = start.zip(length).and_then(|(start, length)| start.checked_add(length));
        start.zip(end).and_then(|(start, end)| buffer.get(start..end)).ok_or(TOO_SHORT)
    }
}

/// A text without the byte order mark that some programs write.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// The JSON and the bytes of a binary file.
fn split(file: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let (version, rest) = number(file.get(MAGIC.len()..).unwrap_or_default()).ok_or(TOO_SHORT)?;
    if version != VERSION {
        return Err(MeshError::Damaged("it is not of version 2 of glTF"));
    }
    // The length of all is not needed: each part has its own.
    let (_, rest) = number(rest).ok_or(TOO_SHORT)?;
    let (json, rest) = part(rest, JSON).ok_or(MeshError::Damaged("it does not begin with its JSON"))?;
    Ok((json, part(rest, BINARY).map(|(binary, _)| binary)))
}

/// The content of the part that comes next, if it is of this kind, and what follows.
fn part<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<(&'a [u8], &'a [u8])> {
    let (length, rest) = number(bytes)?;
    rest.strip_prefix(kind)?.split_at_checked(usize::try_from(length).ok()?)
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*number), rest))
}

/// The bytes of a buffer.
fn content<'a>(buffer: &Buffer, binary: Option<&'a [u8]>) -> Result<Cow<'a, [u8]>, MeshError> {
    let Some(uri) = &buffer.uri else { return binary.map(Cow::Borrowed).ok_or(MISSING) };
    let Some(data) = uri.strip_prefix("data:") else { return Err(MeshError::External(shortened(uri))) };
    let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
    let decoded = encoded.and_then(|encoded| BASE64.decode(encoded).ok());
    decoded.map(Cow::Owned).ok_or(MeshError::Damaged("data in its JSON is not encoded in Base64"))
}

/// The error of a claim beyond the bytes that are there.
pub(super) const TOO_SHORT: MeshError = MeshError::Damaged("it claims more data than it contains");
